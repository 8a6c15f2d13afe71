//! What a DOM event means: which control, cell or key it was.

use highwater_lesson::Act;
use highwater_scene::log_figure::CellId;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::app::{Msg, direction_of};

/// What was pressed.
pub(super) enum Pressed {
    /// A control, by its `data-do`.
    Does(String),
    /// A record.
    Cell(CellId),
    /// The word for older records, or for newer ones.
    Scroll { older: bool },
    /// A command that fills the prompt.
    Fill(String),
    /// Run a question.
    QuizRun,
    /// Show without guessing.
    QuizSkip,
    /// Ask again.
    QuizAgain,
}

/// What a press was on: the innermost thing that means something.
pub(super) fn pressed(event: &yew::MouseEvent) -> Option<Pressed> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let selector = "[data-do],[data-cell],[data-scroll],[data-fill],[data-quiz-run],\
                    [data-quiz-skip],[data-quiz-again]";
    let found = target.closest(selector).ok().flatten()?;
    let text = |name: &str| found.get_attribute(name);
    if let Some(name) = text("data-do") {
        return Some(Pressed::Does(name));
    }
    if let Some(cell) = text("data-cell") {
        return CellId::parse(&cell).map(Pressed::Cell);
    }
    if let Some(which) = text("data-scroll") {
        return Some(Pressed::Scroll { older: which == "older" });
    }
    if let Some(command) = text("data-fill") {
        return Some(Pressed::Fill(command));
    }
    let is = |name| found.has_attribute(name);
    if is("data-quiz-run") {
        Some(Pressed::QuizRun)
    } else if is("data-quiz-skip") {
        Some(Pressed::QuizSkip)
    } else {
        Some(Pressed::QuizAgain)
    }
}

/// What a key means, which depends on where the focus is. Keys with Ctrl, Alt or Meta are the
/// browser's, but for Ctrl-C and Ctrl-D at the prompt.
pub(super) fn key_of(event: &yew::KeyboardEvent) -> Option<Msg> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let key = event.key();
    if target.class_list().contains("tty-input") {
        return prompt_key(event, &key);
    }
    let cell = target.closest("[data-cell]").ok().flatten()?;
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    let act = match key.as_str() {
        "Enter" | " " => Act::Choose(CellId::parse(&cell.get_attribute("data-cell")?)?),
        "Escape" => Act::LetGo,
        other => Act::Move(direction_of(other)?),
    };
    event.prevent_default();
    Some(Msg::Act(act))
}

fn prompt_key(event: &yew::KeyboardEvent, key: &str) -> Option<Msg> {
    let msg = match (event.ctrl_key(), key) {
        (false, "ArrowUp") => Msg::History { older: true },
        (false, "ArrowDown") => Msg::History { older: false },
        (true, "c") if nothing_selected(event) => Msg::Act(Act::Interrupt),
        (true, "d") => Msg::Act(Act::EndOfInput),
        _ => return None,
    };
    event.prevent_default();
    Some(msg)
}

/// Ctrl-C copies when there is something to copy.
fn nothing_selected(event: &yew::KeyboardEvent) -> bool {
    let input: Option<web_sys::HtmlInputElement> =
        event.target().and_then(|target| target.dyn_into().ok());
    input.is_none_or(|input| {
        input.selection_start().ok().flatten() == input.selection_end().ok().flatten()
    })
}
