//! What a DOM event means: which control, cell or key it was.

use highwater_lesson::{Act, Direction};
use highwater_scene::log_figure::CellId;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent};

use crate::island::{number, value};

/// What the reader did.
pub(super) enum Heard {
    /// Something to the figure.
    Act(Act),
    /// A button in the text, which the event names.
    Text,
    /// Runs what stands at the prompt.
    RunPrompt,
    /// A chip fills the prompt.
    Fill(String),
    /// Walks through the history: up, or down.
    History { older: bool },
    /// A button of a question: which question, and the attribute that says what it does.
    Quiz { id: String, does: &'static str },
    /// Another answer: to which question, and its value.
    Chosen { id: String, value: String },
}

/// What an event on an island means. Keeps the browser from doing what the app does.
pub(super) fn hear(event: &Event) -> Option<Heard> {
    let target: Element = event.target()?.unchecked_into();
    let input: &HtmlInputElement = target.unchecked_ref();
    let kind = event.type_();
    match kind.as_str() {
        "click" => pressed(&target),
        "input" => {
            let is_timeline = value(&target, "class")? == "track-input";
            is_timeline.then(|| Heard::Act(Act::Seek(number(&input.value()).unwrap_or(0))))
        }
        "change" => {
            let id = question_of(&target)?;
            Some(Heard::Chosen { id, value: input.value() })
        }
        "submit" => {
            event.prevent_default();
            Some(Heard::RunPrompt)
        }
        "keydown" => {
            let heard = key(event.unchecked_ref(), &target)?;
            event.prevent_default();
            Some(heard)
        }
        _ => Some(Heard::Text),
    }
}

fn question_of(target: &Element) -> Option<String> {
    value(&closest(target, "[data-quiz]")?, "data-quiz")
}

#[inline(never)]
fn closest(target: &Element, selector: &str) -> Option<Element> {
    target.closest(selector).ok().flatten()
}

/// What a press was on: the innermost thing that means something.
fn pressed(target: &Element) -> Option<Heard> {
    let selector = "[data-do],[data-cell],[data-scroll],[data-fill],[data-quiz-run],\
                    [data-quiz-skip],[data-quiz-again]";
    let found = closest(target, selector)?;
    if let Some(name) = value(&found, "data-do") {
        if name == "older" || name == "newer" {
            return Some(Heard::History { older: name == "older" });
        }
        return control(&name).map(Heard::Act);
    }
    if let Some(cell) = value(&found, "data-cell") {
        return CellId::parse(&cell).map(|cell| Heard::Act(Act::Choose(cell)));
    }
    if let Some(which) = value(&found, "data-scroll") {
        return Some(Heard::Act(Act::Scroll { older: which == "older" }));
    }
    if let Some(command) = value(&found, "data-fill") {
        return Some(Heard::Fill(command));
    }
    let buttons = ["data-quiz-run", "data-quiz-skip", "data-quiz-again"];
    let does = buttons.into_iter().find(|name| value(&found, name).is_some())?;
    Some(Heard::Quiz { id: question_of(&found)?, does })
}

/// What a control of the figure does, by its `data-do`.
fn control(name: &str) -> Option<Act> {
    Some(match name {
        "back" => Act::Back,
        "step" => Act::Step,
        "play" => Act::Play,
        "terminal" => Act::ToggleTerminal,
        "interrupt" => Act::Interrupt,
        "end-of-input" => Act::EndOfInput,
        "return" => Act::Return,
        _ => return None,
    })
}

/// What a key means, which depends on where the focus is. Keys with Ctrl, Alt or Meta are the
/// browser's, but for Ctrl-C and Ctrl-D at the prompt.
fn key(event: &KeyboardEvent, target: &Element) -> Option<Heard> {
    let key = event.key();
    if value(target, "class").is_some_and(|class| class == "tty-input") {
        return prompt_key(event, &key, target.unchecked_ref());
    }
    let cell = closest(target, "[data-cell]")?;
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    let cell = CellId::parse(&value(&cell, "data-cell")?)?;
    Some(Heard::Act(match key.as_str() {
        "Enter" | " " => Act::Choose(cell),
        "Escape" => Act::LetGo,
        other => Act::Move(cell, direction_of(other)?),
    }))
}

fn prompt_key(event: &KeyboardEvent, key: &str, input: &HtmlInputElement) -> Option<Heard> {
    Some(match (event.ctrl_key(), key) {
        (false, "ArrowUp") => Heard::History { older: true },
        (false, "ArrowDown") => Heard::History { older: false },
        // Ctrl-C copies when there is something to copy.
        (true, "c") if input.selection_start() == input.selection_end() => {
            Heard::Act(Act::Interrupt)
        }
        (true, "d") => Heard::Act(Act::EndOfInput),
        _ => return None,
    })
}

/// The direction of an arrow key.
fn direction_of(key: &str) -> Option<Direction> {
    Some(match key {
        "ArrowLeft" => Direction::Left,
        "ArrowRight" => Direction::Right,
        "ArrowUp" => Direction::Up,
        "ArrowDown" => Direction::Down,
        "Home" => Direction::Home,
        "End" => Direction::End,
        _ => return None,
    })
}
