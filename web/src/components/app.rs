//! One figure with its questions: what the reader does to them, and what stands at the prompt.

use highwater_core::number;
use highwater_lesson::{Act, Figure, Outcome};
use js_sys::Function;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CustomEvent, Element, Event, HtmlElement, HtmlInputElement};
use yew::html::Scope;

use super::reading::{Heard, hear};
use super::view::View;
use crate::island::{QuizIsland, find, keep_commands, read_questions, value, wants_motion};
use crate::room::Room;

/// Milliseconds between two steps of a figure that plays.
const STEP_MS: i32 = 600;
/// The terminal's prompt.
const PROMPT: &str = ".tty-input";

/// The app of one figure.
#[derive(Debug)]
pub struct App {
    /// Where it is mounted.
    pub island: Element,
    /// The figure.
    pub figure: Figure,
    /// Its questions.
    pub quizzes: Vec<QuizIsland>,
    /// The room of the drawing.
    pub room: Room,
    /// How to have it drawn.
    pub link: Option<Scope<View>>,
    /// What to call for the next step.
    pub on_tick: Option<Function>,
    /// The next step of a figure that plays is waited for.
    timer: Option<i32>,
    /// Commands that the reader has typed, oldest first, and where in them the prompt is.
    history: Vec<String>,
    history_at: usize,
    /// Where the focus goes after the next drawing.
    focus_next: Option<&'static str>,
    /// Whether the terminal's newest line is to be shown.
    scroll_log: bool,
}

impl App {
    /// The app of a figure at its first frame, with the questions of the page that belong to it.
    #[must_use]
    pub fn new(island: Element, figure: Figure) -> Self {
        let quizzes = read_questions(&value(&island, "data-figure").unwrap_or_default());
        for quiz in &quizzes {
            quiz.host.set_inner_html("");
        }
        let room = Room::of(find(&island, ".fig-draw"), 480);
        Self {
            island,
            figure,
            quizzes,
            room,
            link: None,
            on_tick: None,
            timer: None,
            history: Vec::new(),
            history_at: 0,
            focus_next: None,
            scroll_log: false,
        }
    }

    /// An event on one of the islands. Returns whether something has changed.
    pub fn hear(&mut self, event: &JsValue) -> bool {
        let event: &Event = event.unchecked_ref();
        let Some(heard) = hear(event) else { return false };
        match heard {
            Heard::Act(act) => self.act(act),
            Heard::Text => {
                let Some(action) = event.unchecked_ref::<CustomEvent>().detail().as_string() else {
                    return false;
                };
                self.act(Act::Text(action));
            }
            Heard::RunPrompt => self.run_prompt(),
            Heard::Fill(command) => self.fill(&command),
            Heard::History { older } => self.walk_history(older),
            Heard::Quiz { id, does } => {
                let found = self.quizzes.iter().position(|quiz| quiz.question.id == id);
                let Some(quiz) = found else { return false };
                self.ask(quiz, does);
            }
            Heard::Chosen { id, value } => {
                let found = self.quizzes.iter_mut().find(|quiz| quiz.question.id == id);
                let Some(quiz) = found else { return false };
                quiz.question.chosen = Some(value);
            }
        }
        true
    }

    /// The drawing's room may have changed. Returns whether it has.
    pub fn resize(&mut self) -> bool {
        self.room.follow(find(&self.island, ".fig-draw"))
    }

    /// What is left to do when it has been drawn.
    pub fn drawn(&mut self) {
        if let Some(selector) = self.focus_next.take()
            && let Some(found) = find(&self.island, selector)
        {
            // Elements of SVG have `focus` too.
            let _ = found.unchecked_ref::<HtmlElement>().focus();
        }
        if std::mem::take(&mut self.scroll_log)
            && let Some(log) = find(&self.island, ".tty-log")
        {
            log.set_scroll_top(log.scroll_height());
        }
    }

    /// Does something to the figure.
    pub fn act(&mut self, act: Act) {
        let moves = matches!(act, Act::Move(..));
        let opens = matches!(act, Act::ToggleTerminal);
        // Without motion a replay is shown at its end at once.
        let replays = matches!(act, Act::Text(_));
        self.figure.act(act, self.room.width, self.room.font);
        if replays && self.figure.is_playing() && !wants_motion() {
            self.figure.play_to(u32::MAX);
        }
        self.wait(self.figure.is_playing());
        if moves {
            self.focus_next = Some("[data-cell] [tabindex='0']");
        }
        self.scroll_log = self.figure.is_terminal_open();
        if opens && self.scroll_log {
            self.focus_next = Some(PROMPT);
        }
    }

    /// The next step of a figure that plays is due.
    pub fn tick(&mut self) -> bool {
        self.act(Act::Tick);
        true
    }

    /// Lets the next step come by itself, or not.
    fn wait(&mut self, plays: bool) {
        let Some(window) = web_sys::window() else { return };
        if let Some(timer) = self.timer.take() {
            window.clear_timeout_with_handle(timer);
        }
        if let Some(tick) = self.on_tick.as_ref().filter(|_| plays) {
            let timer = window.set_timeout_with_callback_and_timeout_and_arguments_0(tick, STEP_MS);
            self.timer = timer.ok();
        }
    }

    fn run_prompt(&mut self) {
        let Some(input) = self.prompt() else { return };
        let line = input.value();
        input.set_value("");
        if !line.trim().is_empty() && self.history.last() != Some(&line) {
            self.history.push(line.clone());
        }
        self.history_at = self.history.len();
        self.act(Act::Run(line));
        keep_commands(&number::join(&self.history, "\n"));
        self.focus_next = Some(PROMPT);
    }

    fn fill(&mut self, command: &str) {
        if let Some(input) = self.prompt() {
            input.set_value(command);
        }
        self.focus_next = Some(PROMPT);
    }

    fn walk_history(&mut self, older: bool) {
        let at = if older { self.history_at.checked_sub(1) } else { Some(self.history_at + 1) };
        let Some(at) = at.filter(|at| *at <= self.history.len()) else { return };
        self.history_at = at;
        if let Some(input) = self.prompt() {
            input.set_value(self.history.get(at).map_or("", String::as_str));
        }
    }

    /// Does what a question's button says.
    fn ask(&mut self, quiz: usize, does: &str) {
        if does == "data-quiz-again" {
            let question = &mut self.quizzes[quiz].question;
            question.chosen = None;
            question.outcome = None;
        } else {
            self.answer(quiz, does == "data-quiz-skip");
        }
    }

    /// Lets the figure run to the moment that decides, and asks it what is true there.
    fn answer(&mut self, quiz: usize, skipped: bool) {
        let question = &self.quizzes[quiz].question;
        match (&question.action, question.until) {
            (Some(action), _) => self.act(Act::Text(action.clone())),
            (None, Some(step)) => self.figure.play_to(step),
            (None, None) => {}
        }
        self.wait(false);
        let facts = self.figure.story().facts();
        // The verdict says it; the figure is not to say it again.
        let because = self.figure.hand_over_sentence();
        let question = &mut self.quizzes[quiz].question;
        if skipped {
            question.chosen = None;
        }
        question.outcome = Some(Outcome { facts, skipped, because });
    }

    fn prompt(&self) -> Option<HtmlInputElement> {
        find(&self.island, PROMPT).map(JsCast::unchecked_into)
    }
}
