//! What a lesson claims, held against the simulator: of the answers to a prediction exactly one comes true, and a task
//! is done by its solution and not before.

use highwater_lab::claim::Claim;
use highwater_lab::exhibit::{Exhibit, Plan};
use highwater_lab::{Heard, Room};

use crate::block::{PredictBlock, TaskBlock};
use crate::guided::{Guided, decide};
use crate::markdown::Piece;
use crate::{LessonError, Source, proof_quiz};

/// What is wrong with the predictions of a lesson.
pub(crate) fn faults(source: &Source<'_>, pieces: &[Piece]) -> Vec<LessonError> {
    let plans = pieces.iter().filter_map(|piece| match piece {
        Piece::Exhibit(block) => Some(&block.plan),
        _ => None,
    });
    let plans: Vec<&Plan> = plans.collect();
    let mut faults = Vec::new();
    for piece in pieces {
        if let Piece::Quiz(quiz) = piece {
            faults.extend(proof_quiz::faults(source, &plans, quiz));
        }
        let (id, figure, line, what) = match piece {
            Piece::Predict(block) => (&block.id, &block.figure, block.line, "question"),
            Piece::Task(block) => (&block.task.id, &block.figure, block.line, "task"),
            _ => continue,
        };
        let Some(plan) = plans.iter().find(|plan| plan.id == *figure) else { continue };
        let proved = match piece {
            Piece::Task(block) => check_task(plan, block),
            Piece::Predict(block) => check(plan, block),
            _ => Ok(()),
        };
        if let Err(problem) = proved {
            let remedy = "change the transcript, the moment or what is claimed";
            let mut fault = source.error(0, format!("the {what} `{id}`: {problem}"), remedy);
            (fault.line, fault.column) = (line, 1);
            faults.push(fault);
        }
    }
    faults
}

/// A task is not done where it begins, and done after its solution.
fn check_task(plan: &Plan, block: &TaskBlock) -> Result<(), String> {
    let mut begun = Exhibit::new((*plan).clone(), ROOM, false)?;
    begun.show(&block.task.from)?;
    for step in &block.task.steps {
        if begun.holds(&step.goal).is_ok_and(|holds| holds) {
            return Err(format!("the goal `{}` is true where the task begins", step.goal));
        }
    }
    let figure = Exhibit::new((*plan).clone(), ROOM, false)?;
    let mut guided = Guided::new(figure, Vec::new(), Vec::new(), vec![block.task.clone()]);
    guided.hear(Heard::Press(format!("task:{}", block.task.id)));
    for command in &block.solution {
        let fields = vec![("line".to_owned(), command.clone())];
        guided.hear(Heard::Sent { does: "prompt".to_owned(), fields });
        if let Some(name) = guided.tasks().first().and_then(|task| task.refused.clone()) {
            return Err(format!("its solution uses `{name}`, which `allow` does not name"));
        }
    }
    let left = guided.tasks().iter().flat_map(|task| &task.steps).find(|step| !step.is_done);
    match left {
        None => Ok(()),
        Some(step) => {
            let why = Claim::parse(&step.goal)
                .and_then(|goal| goal.explain(guided.figure().run()))
                .map_or_else(|error| error.to_string(), |why| why.to_string());
            Err(format!("its solution does not reach `{}`: {why}", step.goal))
        }
    }
}

/// The room of a figure that nobody sees.
pub(crate) const ROOM: Room = Room { width: 564, font: 16, motion: false };

fn check(plan: &Plan, block: &PredictBlock) -> Result<(), String> {
    let mut figure = Exhibit::new((*plan).clone(), ROOM, false)?;
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
        found.push_str(&format!("\n    {value}: {explained}"));
    }
    Err(format!("{} of its answers come true, not one:{found}", held.len()))
}
