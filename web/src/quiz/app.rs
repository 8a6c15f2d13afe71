//! The islands of a page with what the reader has done to them, and the progress that they share.

use highwater_lesson::Model;
use highwater_lesson::key_page::KeyPage;
use highwater_lesson::quiz::answered::Asks;
use highwater_lesson::quiz::deck::{Deck, Lesson, due, progress_panel};
use highwater_lesson::quiz::keeper::Keeper;
use highwater_lesson::quiz::model::Answer;
use highwater_lesson::quiz::progress::Ending;
use highwater_lesson::quiz::state::{Act, State};
use highwater_lesson::quiz::view::view;
use highwater_scene::node::Node;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlOptionElement};
use yew::html::Scope;

use super::browser::{Browser, fragment, today};
use super::hearing::Heard;
use super::view::View;
use crate::island::{all, find};

/// What an island holds.
pub(super) enum What {
    Questions(State),
    Cards(Deck),
    Progress,
    Due(Vec<Lesson>),
    Answered(Asks),
    Key(KeyPage),
    Model(Model),
}

/// One island.
pub(super) struct Part {
    /// Where it is mounted.
    pub host: Element,
    pub what: What,
    /// How to have it drawn.
    pub link: Option<Scope<View>>,
    /// What gets the focus after the next drawing.
    focus: Option<String>,
}

/// All of them. It stays as long as the page.
pub(super) struct App {
    pub parts: Vec<Part>,
    pub keeper: Keeper<Browser>,
}

impl App {
    pub(super) fn new(islands: Vec<(Element, What)>) -> Self {
        let mut keeper = Keeper::open(Browser);
        let mut parts = Vec::new();
        for (host, what) in islands {
            if let What::Questions(state) = &what {
                for item in &state.quiz.items {
                    keeper.rename(item.was(), item.hash());
                }
            }
            parts.push(Part { host, what, link: None, focus: None });
        }
        let mut app = Self { parts, keeper };
        app.remember();
        app
    }

    /// Tells every question what an earlier visit has left of it.
    fn remember(&mut self) {
        for part in &mut self.parts {
            if let What::Questions(state) = &mut part.what {
                state.remember(self.keeper.progress());
            }
        }
    }

    /// The tree of an island.
    pub(super) fn tree(&self, part: usize) -> Node {
        let progress = self.keeper.progress();
        match &self.parts[part].what {
            What::Questions(state) => view(state, true),
            What::Cards(deck) => deck.view(progress, today(), true),
            What::Progress => progress_panel(Some(&self.keeper)),
            What::Due(lessons) => due(lessons, progress, today()),
            What::Answered(asks) => asks.view(progress),
            What::Key(page) => page.view(true),
            What::Model(model) => model.view(true),
        }
    }

    /// Does what the reader did in an island, but for files.
    pub(super) fn tell(&mut self, part: usize, heard: Heard) {
        match heard {
            Heard::Act(act) => self.act(part, act),
            Heard::Grade(card, grade) => {
                let What::Cards(deck) = &mut self.parts[part].what else { return };
                let graded = deck.grade(card, grade, self.keeper.progress(), today());
                if let Some((hash, schedule)) = graded {
                    self.keeper.note_card(hash, &deck.lesson, schedule, today());
                }
            }
            Heard::Clear { undo: false } => {
                self.keeper.clear();
                self.remember();
            }
            Heard::Clear { undo: true } => {
                self.keeper.undo();
                self.remember();
            }
            Heard::Key(key) => {
                if let Some(page) = self.key_page(part) {
                    page.key = key;
                }
            }
            Heard::Partitions(text) => {
                if let Some(page) = self.key_page(part) {
                    page.type_partitions(&text);
                }
            }
            Heard::Press(does) => {
                if let What::Model(model) = &mut self.parts[part].what {
                    model.press(&does);
                }
            }
            Heard::Set(does, value) => {
                if let What::Model(model) = &mut self.parts[part].what {
                    model.set(&does, &value);
                }
            }
            Heard::File(_) => {}
        }
        self.draw();
    }

    /// What an island shows of a key, on the page about it or in a lesson.
    fn key_page(&mut self, part: usize) -> Option<&mut KeyPage> {
        match &mut self.parts[part].what {
            What::Key(page) | What::Model(Model::Key(page)) => Some(page),
            _ => None,
        }
    }

    /// A file with progress was read; `None`: it could not be.
    pub(super) fn import(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.keeper.import(text),
            None => self.keeper.import_failed(),
        }
        self.remember();
        self.draw();
    }

    /// The reader comes back to the page: what is kept may say more by now.
    pub(super) fn look_again(&mut self) {
        self.keeper.refresh();
        self.draw();
    }

    /// The address says something else behind its `#`.
    pub(super) fn follow_address(&mut self) {
        for part in &mut self.parts {
            if let What::Key(page) = &mut part.what {
                let next = KeyPage::from_fragment(&fragment());
                if page.fragment() != next.fragment() {
                    *page = KeyPage { round: page.round + 1, ..next };
                }
            }
        }
        self.draw();
    }

    fn act(&mut self, part: usize, act: Act) {
        let Part { what: What::Questions(state), focus, .. } = &mut self.parts[part] else {
            return;
        };
        *focus = focus_after(&act, state);
        if let Some(ended) = state.act(act) {
            self.keeper.note(ended.hash, &ended.id, ended.ending, today());
        }
    }

    fn draw(&self) {
        for link in self.parts.iter().filter_map(|part| part.link.as_ref()) {
            link.send_message(());
        }
    }

    /// What is left to do when an island has been drawn: lists of choices show what the tree says. Returns what
    /// gets the focus.
    pub(super) fn drawn(&mut self, part: usize) -> Option<Element> {
        let part = &mut self.parts[part];
        for option in all(&part.host, "option[selected]") {
            // What the reader has chosen is a property, which the attribute no longer moves.
            option.unchecked_ref::<HtmlOptionElement>().set_selected(true);
        }
        // Not every drawing shows what was done last.
        let found = find(&part.host, part.focus.as_deref()?)?;
        part.focus = None;
        Some(found)
    }
}

/// Where the focus goes when what had it has moved, or is gone.
fn focus_after(act: &Act, state: &State) -> Option<String> {
    let within = |item: usize, rest: &str| ["[data-ask='", &item.to_string(), "'] ", rest].concat();
    match act {
        Act::Show(item) => Some(within(*item, "[data-ask-do=again]")),
        Act::Move(item, place, up) => {
            let Answer::Ordered(order) = &state.asked.get(*item)?.answer else { return None };
            let moved = order.get(*place)?.to_string();
            let place = if *up { place.checked_sub(1)? } else { place + 1 }.to_string();
            let button = if *up { "up" } else { "down" };
            let found = ["[data-ask-do=", button, "][data-ask-at='", &place].concat();
            Some(within(*item, &[&found, "'][aria-describedby$='-item-", &moved, "']"].concat()))
        }
        Act::AllWrong => {
            let first = state.asked.iter().position(|it| it.ending == Some(Ending::Wrong))?;
            Some(within(first, ":is(input, select, textarea, button):enabled"))
        }
        _ => None,
    }
}
