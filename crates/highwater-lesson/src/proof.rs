//! What a lesson claims, held against the simulator: of the answers to a prediction exactly one comes true.

use highwater_lab::Room;
use highwater_lab::claim::Claim;
use highwater_lab::exhibit::{Exhibit, Plan};

use crate::block::PredictBlock;
use crate::guided::decide;
use crate::markdown::Piece;
use crate::{LessonError, Source};

/// What is wrong with the predictions of a lesson.
pub(crate) fn faults(source: &Source<'_>, pieces: &[Piece]) -> Vec<LessonError> {
    let plans = pieces.iter().filter_map(|piece| match piece {
        Piece::Exhibit(block) => Some(&block.plan),
        _ => None,
    });
    let plans: Vec<&Plan> = plans.collect();
    let mut faults = Vec::new();
    for piece in pieces {
        let Piece::Predict(block) = piece else { continue };
        let Some(plan) = plans.iter().find(|plan| plan.id == block.figure) else { continue };
        if let Err(problem) = check(plan, block) {
            let remedy = "change the transcript, the moment or the claims";
            let (id, line) = (&block.id, block.line);
            let mut fault = source.error(0, format!("the question `{id}`: {problem}"), remedy);
            (fault.line, fault.column) = (line, 1);
            faults.push(fault);
        }
    }
    faults
}

fn check(plan: &Plan, block: &PredictBlock) -> Result<(), String> {
    let room = Room { width: 564, font: 16, motion: false };
    let mut figure = Exhibit::new((*plan).clone(), room, false)?;
    let before = figure.run().steps();
    let claims: Vec<(String, String)> = block
        .options
        .iter()
        .filter_map(|option| Some((option.value.clone(), option.claim.clone()?)))
        .collect();
    let moment = block.moment.as_deref().unwrap_or_default();
    let held = decide(&mut figure, moment, &claims)?;
    if figure.run().steps() <= before {
        return Err(format!("the first frame of `{}` is not before `{moment}`", plan.id));
    }
    if held.len() == 1 {
        return Ok(());
    }
    let mut found = String::new();
    for (value, claim) in &claims {
        let claim = Claim::parse(claim).map_err(|error| error.to_string())?;
        let explained = claim.explain(figure.run()).map_err(|error| error.to_string())?;
        let because = explained.because.join("; ");
        found.push_str(&format!("\n    {value}: {because}"));
    }
    Err(format!("{} of its answers come true, not one:{found}", held.len()))
}
