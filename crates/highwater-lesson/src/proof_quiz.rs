//! Options of questions that say what the simulator decides: a `claim` holds at its moment exactly if its option is
//! right; a `law` of a wrong option has a counterexample, one of a right option has none in 200 runs.

use highwater_lab::claim::Claim;
use highwater_lab::claim::law::{When, search};
use highwater_lab::exhibit::{Exhibit, Plan};

use crate::proof::ROOM;
use crate::quiz::model::{Choice, Kind, Proof, ProofKind, Quiz};
use crate::{LessonError, Source};

/// How many runs a law is looked at in.
const SEEDS: std::ops::Range<u64> = 0..200;

/// Behind a scenario's name: the law must hold after each command, not only at the end.
const AFTER_EACH: &str = " after each";

/// What is wrong with the options of a quiz; `plans` are those of the figures above it.
pub(crate) fn faults(source: &Source<'_>, plans: &[&Plan], quiz: &Quiz) -> Vec<LessonError> {
    let mut faults = Vec::new();
    let variants = quiz.items.iter().flat_map(|item| &item.variants);
    for question in variants {
        let Kind::Choice { options, .. } = &question.kind else { continue };
        for option in options {
            let Some(proof) = &option.proof else { continue };
            let proved = match proof.kind {
                ProofKind::Claim => claim(plans, option, proof),
                ProofKind::Law => law(option, proof),
            };
            if let Err(problem) = proved {
                let remedy = "change the option, or what it says of the simulator";
                faults.push(source.error(proof.offset, problem, remedy));
            }
        }
    }
    faults
}

fn claim(plans: &[&Plan], option: &Choice, proof: &Proof) -> Result<(), String> {
    let plan = plans.iter().rev().find(|plan| proof.figure.is_empty() || plan.id == proof.figure);
    let plan = plan.ok_or("no figure stands above this claim")?;
    let mut figure = Exhibit::new((*plan).clone(), ROOM, false)?;
    figure.show(if proof.at.is_empty() { "end" } else { &proof.at })?;
    let claim = Claim::parse(&proof.text).map_err(|error| error.to_string())?;
    let found = claim.explain(figure.run()).map_err(|error| error.to_string())?;
    if let Some(missing) = found.missing.first() {
        return Err(format!("there is no {missing}"));
    }
    if found.holds == option.right {
        return Ok(());
    }
    let (is, says) = if option.right { ("right", "does not hold") } else { ("wrong", "holds") };
    Err(format!("this option is {is}, and what it claims {says}: {found}"))
}

fn law(option: &Choice, proof: &Proof) -> Result<(), String> {
    let Some((scenario, text)) = proof.text.split_once(": ") else {
        return Err("a law is written `SCENARIO: EXPRESSION` or `SCENARIO after each: EXPRESSION`"
            .to_owned());
    };
    let claim = Claim::parse(text).map_err(|error| error.to_string())?;
    let (scenario, when) = match scenario.trim().strip_suffix(AFTER_EACH) {
        Some(scenario) => (scenario, When::AfterEach),
        None => (scenario.trim(), When::AtEnd),
    };
    let found = search(scenario, &claim, SEEDS, when);
    let found = found.map_err(|error| error.to_string())?;
    match (option.right, found) {
        (true, None) | (false, Some(_)) => Ok(()),
        (true, Some(found)) => Err(format!(
            "this option is right, and its law has a counterexample with seed {}: {}\n{}",
            found.seed, found.why, found.transcript
        )),
        (false, None) => Err(format!(
            "this option is wrong, and its law holds in all of {} runs",
            SEEDS.end - SEEDS.start
        )),
    }
}
