//! A lesson's page with figures of a whole cluster, as a reader meets it.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::browser::{Visit, site};
use crate::page::{Page, key};

/// The folders of the lessons.
pub(crate) const LESSONS: [&str; 10] = [
    "the-log",
    "partitions",
    "architecture",
    "groups",
    "commits",
    "replication",
    "failover",
    "retention",
    "six-clients",
    "drill",
];

/// The address of a lesson.
pub(crate) fn address(lesson: &str) -> String {
    format!("{}{lesson}/", site())
}

/// Every look: a phone and a desk, in both themes.
pub(crate) fn looks(look: impl Fn(u32, &'static str, Visit)) {
    for (width, theme) in [(1280, "light"), (1280, "dark"), (320, "light"), (320, "dark")] {
        look(width, theme, Visit::new().at(width, 800).theme(theme));
    }
}

/// A phone and a desk.
pub(crate) fn widths(visit: impl Fn(u32, Visit)) {
    for width in [1280, 320] {
        visit(width, Visit::new().at(width, 800));
    }
}

/// The state of a program: `lab` or `quiz`.
#[track_caller]
pub(crate) fn program(page: &Page, name: &str) -> String {
    page.attribute("html", &format!("data-engine-{name}"))
}

/// Opens a lesson and wakes one of its figures up.
#[track_caller]
pub(crate) fn open<'a>(page: &'a Page, lesson: &str, figure: &'static str) -> Figure<'a> {
    page.open(&address(lesson));
    let figure = Figure { page, id: figure };
    figure.wake();
    figure
}

/// Brings questions into the window, and waits until their program runs.
#[track_caller]
pub(crate) fn wake_questions(page: &Page) {
    page.js(
        "document.querySelector('[data-island=questions]').scrollIntoView({ block: 'nearest' })",
    );
    page.wait("the questions to wake up", || {
        program(page, "quiz") == "running" && !page.exists("[data-ask-do=check]:disabled")
    });
}

/// A figure of a page that may hold several.
#[derive(Clone, Copy)]
pub(crate) struct Figure<'a> {
    page: &'a Page,
    id: &'static str,
}

impl Deref for Figure<'_> {
    type Target = Page;

    fn deref(&self) -> &Page {
        self.page
    }
}

impl<'a> Figure<'a> {
    /// Another one of the same page.
    pub(crate) fn other(&self, id: &'static str) -> Figure<'a> {
        Figure { page: self.page, id }
    }

    /// A selector inside the figure; empty: the figure's island.
    pub(crate) fn of(&self, selector: &str) -> String {
        format!("[data-island=exhibit][data-figure={}] {selector}", self.id).trim_end().to_owned()
    }

    /// Brings it into the window, and waits until its engine runs.
    #[track_caller]
    pub(crate) fn wake(&self) {
        self.reveal(&self.of(""));
        self.wait("the figure to wake up", || {
            program(self.page, "lab") == "running"
                && self.exists(&self.of("[data-do=play]:enabled"))
        });
        self.next_frame();
    }

    /// Scrolls the page until something is to be seen.
    #[track_caller]
    pub(crate) fn reveal(&self, selector: &str) {
        let script = "document.querySelector(arguments[0])\
             .scrollIntoView({ block: 'center', behavior: 'instant' })";
        self.js_with(script, &[json!(selector)]);
        self.next_frame();
    }

    /// Presses something in it as a mouse does, after the page was scrolled to it.
    #[track_caller]
    pub(crate) fn do_it(&self, does: &str) {
        self.press_on(&self.of(&format!("[data-do='{does}']")));
    }

    /// Presses something of the page as a mouse does, after the page was scrolled to it.
    #[track_caller]
    pub(crate) fn press_on(&self, selector: &str) {
        self.reveal(selector);
        self.click(selector);
        self.next_frame();
    }

    /// Presses a button of the text that leads to a moment of the figure.
    #[track_caller]
    pub(crate) fn show(&self, moment: &str) {
        self.press_on(&format!("button[data-figure={}][data-action='show:{moment}']", self.id));
    }

    /// The sentence above the drawing.
    #[track_caller]
    pub(crate) fn says(&self) -> String {
        self.text(&self.of(".fig-say"))
    }

    /// Where it is in time: `step 8 of 23, 12.3 s`.
    #[track_caller]
    pub(crate) fn moment(&self) -> String {
        self.text(&self.of(".bar-time"))
    }

    /// The step, and how many there are.
    #[track_caller]
    pub(crate) fn step(&self) -> (usize, usize) {
        let moment = self.moment();
        let numbers: Vec<usize> =
            moment.split([' ', ',']).filter_map(|word| word.parse().ok()).take(2).collect();
        assert_eq!(numbers.len(), 2, "{moment}");
        (numbers[0], numbers[1])
    }

    /// What the drawing says by ear, things that are not to be seen left out.
    #[track_caller]
    pub(crate) fn drawn(&self) -> Vec<String> {
        drawn_in(self.page, &self.of(".lab-draw"))
    }

    /// All that the figure shows, as one text.
    #[track_caller]
    pub(crate) fn shows(&self) -> String {
        let parts = [&self.says(), &self.moment(), &self.text(&self.of(".did"))];
        format!("{parts:?} {:?} {:?}", self.drawn(), self.screen())
    }

    /// Unfolds the terminal, if it is folded, and puts the cursor there.
    #[track_caller]
    pub(crate) fn terminal(&self) {
        if !self.exists(&self.of(".tty-input")) {
            self.do_it("terminal");
            self.wait("the terminal", || self.exists(&self.of(".tty-input")));
        }
        self.reveal(&self.of(".tty-input"));
        self.focus(&self.of(".tty-input"));
    }

    /// What stands at the prompt.
    #[track_caller]
    pub(crate) fn typed(&self) -> String {
        let script = "return document.querySelector(arguments[0])?.value ?? ''";
        let value = self.js_with(script, &[json!(self.of(".tty-input"))]);
        value.as_str().unwrap_or_default().to_owned()
    }

    /// The lines on its terminal.
    #[track_caller]
    pub(crate) fn screen(&self) -> Vec<String> {
        let selector = self.of(".tty-line");
        self.texts_of(&format!(
            "return [...document.querySelectorAll({})].map(line => line.textContent)",
            json!(selector)
        ))
    }

    /// Types a line at the prompt, presses Enter, and waits until it was taken.
    #[track_caller]
    pub(crate) fn line(&self, line: &str) {
        self.terminal();
        self.browser.cdp("Input.insertText", &json!({ "text": line }));
        self.press(key::ENTER);
        self.wait("the line to be run", || self.typed().is_empty());
        self.next_frame();
    }

    /// Goes to the end of the timeline with the keyboard.
    #[track_caller]
    pub(crate) fn to_the_end(self) {
        self.focus(&self.of(".track-input"));
        self.press(key::END);
        self.wait("the end", || {
            let (at, all) = self.step();
            at == all
        });
    }

    /// Keeps a picture of the window.
    pub(crate) fn shot(&self, name: &str) {
        self.picture(&format!("shots/lesson-{name}.png"), false);
    }
}

/// What a drawing says by ear, things that are not to be seen left out.
#[track_caller]
pub(crate) fn drawn_in(page: &Page, draw: &str) -> Vec<String> {
    page.texts_of(&format!(
        "return [...document.querySelectorAll({})].flatMap(draw =>\
           [...draw.querySelectorAll('[aria-label]')])\
         .filter(part => part.getClientRects().length).map(part => part.getAttribute('aria-label'))",
        json!(draw)
    ))
}

/// Sees that the page does not scroll sideways.
#[track_caller]
pub(crate) fn fits(page: &Page, what: &str) {
    let widths: Value = page
        .js("return [document.scrollingElement.scrollWidth, document.documentElement.clientWidth]");
    assert!(widths[0].as_u64() <= widths[1].as_u64(), "{what} scrolls sideways: {widths}");
}
