//! What a DOM event means.

use highwater_lesson::quiz::schedule::Grade;
use highwater_lesson::quiz::state::Act;
use highwater_scene::digits::number;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, File, HtmlInputElement, KeyboardEvent};

use crate::island::value;

/// What the reader did.
pub(super) enum Heard {
    /// Something to a question.
    Act(Act),
    /// Said how well a card was known.
    Grade(usize, Grade),
    /// Wants progress cleared, or that undone.
    Clear { undo: bool },
    /// Chose a file with progress.
    File(File),
    /// Typed a key.
    Key(String),
    /// Typed a number of partitions.
    Partitions(String),
    /// Pressed a button of a model.
    Press(String),
    /// Moved a control of a model: which one, and its value.
    Set(String, String),
}

/// What an event on an island means.
pub(super) fn hear(event: &Event) -> Option<Heard> {
    let target: Element = event.target()?.dyn_into().ok()?;
    match &*event.type_() {
        "click" => pressed(&target),
        "keydown" => {
            // What a form would do by itself: Enter in a field of one line.
            let key: &KeyboardEvent = event.unchecked_ref();
            let is_line =
                value(&target, "type")? == "text" && value(&target, "data-ask-field").is_some();
            let enters = key.key() == "Enter" && !key.is_composing() && is_line;
            enters.then(|| question(&target)).flatten().map(|item| Heard::Act(Act::Check(item)))
        }
        "input" => typed(&target),
        _ => chosen(&target),
    }
}

fn place(element: &Element, name: &str) -> Option<usize> {
    number::<u32>(&value(element, name)?).and_then(|number| usize::try_from(number).ok())
}

/// The number that the nearest element around has of this name.
fn around(target: &Element, name: &str) -> Option<usize> {
    let found = target.closest(&["[", name, "]"].concat()).ok().flatten()?;
    place(&found, name)
}

fn question(target: &Element) -> Option<usize> {
    around(target, "data-ask")
}

fn pressed(target: &Element) -> Option<Heard> {
    if let Some(button) = target.closest("button[data-do]").ok().flatten() {
        return value(&button, "data-do").map(Heard::Press);
    }
    let button = target.closest("[data-ask-do]").ok().flatten()?;
    let does = value(&button, "data-ask-do")?;
    Some(match &*does {
        "clear" | "undo" => Heard::Clear { undo: does == "undo" },
        "grade" => {
            let grade = *Grade::ALL.get(place(&button, "data-ask-at")?)?;
            Heard::Grade(around(&button, "data-card")?, grade)
        }
        "all-wrong" => Heard::Act(Act::AllWrong),
        "up" | "down" if value(&button, "aria-disabled").is_some() => return None,
        _ => {
            let item = question(&button)?;
            Heard::Act(match &*does {
                "check" => Act::Check(item),
                "show" => Act::Show(item),
                "again" => Act::Again(item),
                "another" => Act::Another(item),
                "up" | "down" => Act::Move(item, place(&button, "data-ask-at")?, does == "up"),
                _ => return None,
            })
        }
    })
}

fn typed(target: &Element) -> Option<Heard> {
    // Fields of one line and of several answer alike.
    let text = target.unchecked_ref::<HtmlInputElement>().value();
    if let Some(does) = value(target, "data-do") {
        return Some(Heard::Set(does, text));
    }
    Some(match &*value(target, "data-ask-field")? {
        "text" => Heard::Act(Act::Type(question(target)?, text)),
        "line" => Heard::Act(Act::TypeLine(question(target)?, text)),
        "key" => Heard::Key(text),
        "partitions" => Heard::Partitions(text),
        _ => return None,
    })
}

fn chosen(target: &Element) -> Option<Heard> {
    Some(match &*value(target, "data-ask-field")? {
        "option" => {
            let option = place(target, "value")?;
            let on = target.unchecked_ref::<HtmlInputElement>().checked();
            Heard::Act(Act::Choose(question(target)?, option, on))
        }
        "partner" => {
            // A list of choices has a value as a field has.
            let chosen = target.unchecked_ref::<HtmlInputElement>().value();
            let partner = number::<u32>(&chosen).and_then(|number| usize::try_from(number).ok());
            Heard::Act(Act::Pick(question(target)?, place(target, "data-ask-at")?, partner))
        }
        "file" => Heard::File(target.unchecked_ref::<HtmlInputElement>().files()?.get(0)?),
        _ => return None,
    })
}
