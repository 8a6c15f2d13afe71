//! Questions that need no engine, recall cards, and what is kept of both.
//!
//! * `model`: what a question is, and which answers are right.
//! * `state`: what the reader has answered; `view`: how it is to be seen, on the static page and on the live one.
//! * `wire`: a question in the static page, so that the page's program needs no reader of TOML or Markdown.
//! * `progress`, `keeper`: what is kept from one visit to the next, and where.
//! * `answered`: how much of a lesson was answered, for the contents of the course.
//! * `card`, `schedule`, `deck`: recall cards, when they come back, and how they are seen.
//! * `toml`, `recall`, `page` (feature `build`): the fenced blocks of a lesson, and their islands.
//!
//! Questions that a figure answers are elsewhere (`crate::question`).

pub mod answered;
pub mod card;
pub mod deck;
pub mod hash;
pub mod keeper;
pub mod model;
pub mod progress;
pub mod schedule;
pub mod state;
pub mod view;
pub mod wire;

#[cfg(feature = "build")]
mod fields;
#[cfg(feature = "build")]
pub mod page;
#[cfg(feature = "build")]
pub mod recall;
#[cfg(feature = "build")]
pub mod toml;
