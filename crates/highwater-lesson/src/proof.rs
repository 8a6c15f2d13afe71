//! What a lesson claims, held against the simulator: of the answers to a prediction exactly one comes true, and a task
//! is done by its solution and not before.

use highwater_lab::Heard;
use highwater_lab::claim::Claim;
use highwater_lab::exhibit::{Exhibit, Plan};

use crate::block::{PredictBlock, TaskBlock};
use crate::chrome::ROOM;
use crate::guided::{Guided, decide};
use crate::markdown::Piece;
use crate::{LessonError, Source, proof_quiz};

/// A figure of the lesson. It is played once, when something is claimed of it.
pub(crate) struct Proving<'a> {
    pub(crate) plan: &'a Plan,
    figure: Option<Exhibit>,
}

impl Proving<'_> {
    /// The figure at a moment of the lesson.
    pub(crate) fn at(&mut self, moment: &str) -> Result<&mut Exhibit, String> {
        let figure = match &mut self.figure {
            Some(figure) => figure,
            none => none.insert(Exhibit::new(self.plan.clone(), ROOM, false)?),
        };
        figure.show(moment)?;
        Ok(figure)
    }
}

/// What is wrong with the predictions of a lesson.
pub(crate) fn faults(source: &Source<'_>, pieces: &[Piece]) -> Vec<LessonError> {
    let figures = pieces.iter().filter_map(|piece| match piece {
        Piece::Exhibit(block) => Some(Proving { plan: &block.plan, figure: None }),
        _ => None,
    });
    let mut figures: Vec<Proving<'_>> = figures.collect();
    let (mut faults, mut above) = (Vec::new(), 0);
    for piece in pieces {
        above += usize::from(matches!(piece, Piece::Exhibit(_)));
        if let Piece::Quiz(quiz) = piece {
            faults.extend(proof_quiz::faults(source, &mut figures, above, quiz));
        }
        let (id, figure, line, what) = match piece {
            Piece::Predict(block) => (&block.id, &block.figure, block.line, "question"),
            Piece::Task(block) => (&block.task.id, &block.figure, block.line, "task"),
            _ => continue,
        };
        let named = figures.iter_mut().find(|proving| proving.plan.id == *figure);
        let Some(proving) = named else { continue };
        let proved = match piece {
            Piece::Task(block) => check_task(proving, block),
            Piece::Predict(block) => check(proving, block),
            _ => Ok(()),
        };
        if let Err(problem) = proved {
            let remedy = "change the transcript, the moment or what is claimed";
            let problem = format!("the {what} `{id}`: {problem}");
            faults.push(source.error_at_line(line, problem, remedy));
        }
    }
    faults
}

/// A task is not done where it begins, and done after its solution.
fn check_task(proving: &mut Proving<'_>, block: &TaskBlock) -> Result<(), String> {
    let begun = proving.at(&block.task.from)?;
    for step in &block.task.steps {
        if begun.holds(&step.goal).is_ok_and(|holds| holds) {
            return Err(format!("the goal `{}` is true where the task begins", step.goal));
        }
    }
    // The solution makes a run of its own.
    let figure = Exhibit::new(proving.plan.clone(), ROOM, false)?;
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

fn check(proving: &mut Proving<'_>, block: &PredictBlock) -> Result<(), String> {
    let plan = proving.plan;
    let figure = proving.at(&plan.at)?;
    let before = figure.run().steps();
    let claims: Vec<(String, String)> = block
        .options
        .iter()
        .filter_map(|option| Some((option.value.clone(), option.claim.clone()?)))
        .collect();
    let moment = block.moment.as_deref().unwrap_or_default();
    let held = decide(figure, moment, &claims)?;
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
