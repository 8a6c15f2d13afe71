//! Lessons: what a lesson file says, and how it becomes a static page.
//!
//! Without the `build` feature this crate is what the page's app needs: a figure's story, the figure and
//! its questions as node trees. With it come the readers (front matter, Markdown, fenced blocks) and the writer of pages. It decides the
//! format of a lesson and the markup of a page; it does not draw figures (see `highwater-scene`) and
//! holds no rule of Kafka.
//!
//! The format is told in docs/AUTHORS.md. With the feature `lab` it knows figures of a whole cluster, too, and their questions and tasks
//! ([`Guided`]). A [`Course`] is all lessons together: what one defines the next may use, and its check holds every claim against
//! the simulator.

mod block;
mod figure;
#[cfg(feature = "lab")]
mod guided;
mod key;
pub mod key_page;
mod model;
mod question;
pub mod quiz;
mod script;
mod story;
mod task;
mod walk;

#[cfg(feature = "build")]
mod attribute;
#[cfg(feature = "build")]
mod beginnings;
#[cfg(feature = "build")]
mod broken;
#[cfg(feature = "build")]
mod chrome;
#[cfg(feature = "build")]
mod course;
#[cfg(feature = "build")]
mod error;
#[cfg(feature = "build")]
mod fence;
#[cfg(feature = "build")]
mod front_matter;
#[cfg(feature = "build")]
mod html;
#[cfg(feature = "build")]
mod link;
#[cfg(feature = "build")]
mod markdown;
#[cfg(feature = "build")]
mod page;
#[cfg(feature = "build")]
mod predict;
#[cfg(feature = "build")]
mod preview;
#[cfg(feature = "build")]
mod proof;
#[cfg(feature = "build")]
mod proof_quiz;
#[cfg(feature = "build")]
mod prose;
#[cfg(feature = "build")]
mod read_task;
#[cfg(feature = "build")]
mod transcripts;

pub use block::{FigureBlock, PredictBlock, PredictOption};
pub use figure::{Act, Direction, Figure, FigureSource};
#[cfg(feature = "lab")]
pub use guided::{Asked, Guided, decide};
pub use key::KeyMark;
#[cfg(feature = "lab")]
pub use model::Bytes;
pub use model::{Model, Queue, Skew};
pub use question::{Outcome, Question};
pub use script::Script;
pub use story::Story;
pub use task::{Task, TaskStep};
pub use walk::{Walk, WalkLine};

#[cfg(feature = "build")]
pub use beginnings::pages as beginnings;
#[cfg(feature = "build")]
pub use chrome::SceneFile;
#[cfg(feature = "build")]
pub use course::{Course, Lesson};
#[cfg(feature = "build")]
pub use error::{LessonError, Source};
#[cfg(feature = "build")]
pub use front_matter::FrontMatter;
#[cfg(feature = "build")]
pub use page::{Built, Page, Program, Scenes, Site, build_key_page, build_page};
#[cfg(feature = "build")]
pub use prose::Part;
#[cfg(feature = "build")]
pub use transcripts::ConsoleBlock;
