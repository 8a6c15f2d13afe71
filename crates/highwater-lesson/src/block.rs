//! The blocks of a lesson as plain data: what a figure or a question was asked to be.

#[cfg(feature = "build")]
use highwater_lab::exhibit::Plan;

#[cfg(feature = "build")]
use crate::Task;

/// A fenced `figure` block: one live figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureBlock {
    /// Names the figure on its page: `data-figure`.
    pub id: String,
    /// Which story the figure shows, by the name that the page's app knows.
    pub scene: String,
    /// The step that the first frame shows, counted from 0 (nothing has happened).
    pub at: u32,
    /// The figure's name for a reader by ear.
    pub label: String,
    /// The opening sentence, as HTML.
    pub say: String,
    /// The line of the lesson file that opens the block, counted from 1.
    pub line: u32,
}

/// A fenced `console` block with an `id`: a transcript as a live figure of a whole cluster.
#[cfg(feature = "build")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExhibitBlock {
    /// What the figure is asked to be. Its text holds what it goes on from, too.
    pub plan: Plan,
    /// The line of the lesson file that opens the block, counted from 1.
    pub line: u32,
}

/// A fenced `task` block: something that a reader brings about in a figure.
#[cfg(feature = "build")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskBlock {
    /// What is to be done.
    pub task: Task,
    /// The figure.
    pub figure: String,
    /// The commands of a solution, for the check.
    pub solution: Vec<String>,
    /// The line of the lesson file that opens the block, counted from 1.
    pub line: u32,
}

/// A fenced `predict` block: one question, asked before the figure runs on.
///
/// The block does not say which option is right: the engine decides, from the state at that moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictBlock {
    /// Names the question on its page: `data-quiz`, and the radios' `name`.
    pub id: String,
    /// The figure that waits for the answer.
    pub figure: String,
    /// The step that decides, if playing to it is what answers the question.
    pub until: Option<u32>,
    /// The moment that decides, where the figure is one of a whole cluster.
    pub moment: Option<String>,
    /// What the figure must do, if a button's action is what answers the question.
    pub action: Option<String>,
    /// The question, as HTML.
    pub prompt: String,
    /// What may be chosen, in the order shown; two or more.
    pub options: Vec<PredictOption>,
    /// A nudge, as HTML.
    pub hint: Option<String>,
    /// The line of the lesson file that opens the block, counted from 1.
    pub line: u32,
}

/// One answer of a [`PredictBlock`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictOption {
    /// What the engine compares, such as `partition-0`: the radio's `value`.
    pub value: String,
    /// The words, as HTML.
    pub text: String,
    /// What must be true at the moment that decides for this answer to be right, where the figure is one of a
    /// whole cluster (see `highwater_lab::claim`).
    pub claim: Option<String>,
}
