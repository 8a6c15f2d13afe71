//! Options of questions that say what the simulator decides: a `claim` holds at its moment exactly if its option is
//! right; a `law` of a wrong option has a counterexample, one of a right option has none in 200 runs.

use highwater_lab::claim::Claim;
use highwater_lab::claim::law::{When, search};

use crate::proof::Proving;
use crate::quiz::model::{Choice, Kind, Proof, ProofKind, Quiz};
use crate::{LessonError, Source};

/// How many runs a law is looked at in.
const SEEDS: std::ops::Range<u64> = 0..200;

/// Behind a scenario's name: the law must hold after each command, not only at the end.
const AFTER_EACH: &str = " after each";

/// What is wrong with the options of a quiz; `figures` are those of its lesson, of which so many stand above it.
pub(crate) fn faults(
    source: &Source<'_>,
    figures: &mut [Proving<'_>],
    above: usize,
    quiz: &Quiz,
) -> Vec<LessonError> {
    let mut faults = Vec::new();
    let variants = quiz.items.iter().flat_map(|item| &item.variants);
    for question in variants {
        let Kind::Choice { options, .. } = &question.kind else { continue };
        for option in options {
            let Some(proof) = &option.proof else { continue };
            let proved = match proof.kind {
                ProofKind::Claim => claim(figures, above, option, proof),
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

/// A claim that names no figure is about the last one above its quiz.
fn claim(
    figures: &mut [Proving<'_>],
    above: usize,
    option: &Choice,
    proof: &Proof,
) -> Result<(), String> {
    let is_meant =
        |proving: &&mut Proving<'_>| proof.figure.is_empty() || proving.plan.id == proof.figure;
    let proving = figures[..above].iter_mut().rev().find(is_meant);
    let proving = proving.ok_or("no figure stands above this claim")?;
    let figure = proving.at(if proof.at.is_empty() { "end" } else { &proof.at })?;
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
