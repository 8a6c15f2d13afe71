//! Questions and recall cards, without a page: `cargo test -p highwater-lesson --test quiz`.

mod answered;
mod cards;
mod drawn;
mod faults;
mod keeping;
mod model;
mod page;
mod predict;
mod schema;
mod state;

use highwater_lesson::Source;
use highwater_lesson::quiz::model::{Question, Quiz};
use highwater_lesson::quiz::toml::read_file;

/// The questions of a text.
#[track_caller]
pub(crate) fn quiz(text: &str) -> Quiz {
    match read_file(&Source { file: "quiz.toml", text }, "q") {
        Ok(quiz) => quiz,
        Err(fault) => panic!("{fault}\n{text}"),
    }
}

/// The one question of a text.
#[track_caller]
pub(crate) fn question(text: &str) -> Question {
    let mut quiz = quiz(&format!("[[questions]]\n{text}"));
    assert_eq!(quiz.items.len(), 1);
    quiz.items.remove(0).variants.remove(0)
}

/// A lesson with a question of each kind.
pub(crate) const EVERYTHING: &str = include_str!("everything.md");

/// The TOML of its questions.
pub(crate) fn everything() -> &'static str {
    let (_, rest) = EVERYTHING.split_once("````quiz id=kinds\n").expect("it has a quiz");
    rest.split_once("````").expect("the quiz ends").0
}
