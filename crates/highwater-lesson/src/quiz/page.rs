//! The islands of questions and cards in a static page: the first view, readable without a program, and what the
//! program reads.

use highwater_scene::node::to_string;

use super::answered::Asks;
use super::card::Card;
use super::deck::{Deck, progress_panel};
use super::keeper::{Blocked, Store};
use super::model::Quiz;
use super::progress::Progress;
use super::state::State;
use super::wire::{card_entries, entries, to_html};
use super::{deck, view};
use crate::html::escape;

/// The island of a `quiz` block.
#[must_use]
pub fn questions(quiz: &Quiz) -> String {
    let view = to_string(&view::view(&State::new(quiz.clone()), false));
    let mut out = format!(
        "<div class=\"island\" data-island=\"questions\" data-program=\"quiz\" data-questions=\"{}\">\n{view}\n",
        escape(&quiz.id)
    );
    for item in &quiz.items {
        let entries = to_html(&entries(item));
        out.push_str(&format!("<template data-question>\n{entries}</template>\n"));
    }
    out.push_str("</div>\n");
    out
}

/// The island of a lesson's cards.
#[must_use]
pub fn cards(lesson: &str, cards: &[Card]) -> String {
    let deck = Deck::new(lesson.to_owned(), cards.to_vec());
    let view = to_string(&deck.view(&Progress::default(), 0, false));
    let mut out = format!(
        "<div class=\"island\" data-island=\"cards\" data-program=\"quiz\" data-lesson=\"{}\">\n{view}\n",
        escape(lesson)
    );
    for card in cards {
        let entries = to_html(&card_entries(card));
        out.push_str(&format!("<template data-recall>\n{entries}</template>\n"));
    }
    out.push_str("</div>\n");
    out
}

/// The island that says where answers are kept, and saves, loads and clears them.
#[must_use]
pub fn progress() -> String {
    let view = to_string(&progress_panel::<Nowhere>(None));
    format!(
        "<div class=\"island\" data-island=\"progress\" data-program=\"quiz\">\n{view}\n</div>\n"
    )
}

/// The island in the contents that says how much of a lesson was answered: nothing, until the program has looked.
#[must_use]
pub fn answered(asks: &Asks) -> String {
    if asks.is_empty() {
        return String::new();
    }
    let view = to_string(&asks.view(&Progress::default()));
    let (asks, digits) = asks.write();
    format!(
        "<span class=\"island contents-answered\" data-island=\"answered\" data-program=\"quiz\" \
         data-digits=\"{digits}\" data-asks=\"{asks}\">{view}</span>"
    )
}

/// The island that lists what is due, from all lessons: nothing, until the program has looked. The lessons are those
/// of the contents, which stand on the same page.
#[must_use]
pub fn due() -> String {
    let view = to_string(&deck::due(&[], &Progress::default(), 0));
    format!("<div class=\"island\" data-island=\"due\" data-program=\"quiz\">\n{view}\n</div>\n")
}

/// No storage: a static page has none.
enum Nowhere {}

impl Store for Nowhere {
    fn get(&self, _: &str) -> Result<Option<String>, Blocked> {
        Err(Blocked)
    }

    fn set(&mut self, _: &str, _: &str) -> Result<(), Blocked> {
        Err(Blocked)
    }
}
