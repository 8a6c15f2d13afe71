//! What a DOM event in the Lab means.

use highwater_lab::Heard;
use highwater_lab::heard::Key;
use js_sys::{Array, JsString, try_iter};
use wasm_bindgen::JsCast;
use web_sys::{
    CustomEvent, Element, Event, FormData, HtmlFormElement, HtmlInputElement, HtmlTextAreaElement,
    KeyboardEvent, SubmitEvent,
};

use crate::island::value;

/// What can be pressed says what it does.
const DOES: &str = "[data-do]";
/// What has a `data-do` for its content, not for being pressed.
const HOLDS: &str = "form,select,textarea,\
                     input:not([type=button],[type=submit],[type=reset],[type=image])";
const IS_OFF: &str = ":disabled,[aria-disabled=true]";
/// The key code of whatever is pressed while an input method composes a character.
const COMPOSES: u32 = 229;

/// What an event means, if it means something. Keeps the browser from sending forms.
pub(super) fn hear(event: &Event) -> Option<Heard> {
    let target: Element = event.target()?.dyn_into().ok()?;
    match event.type_().as_str() {
        "click" => pressed(&target),
        "highwater:action" => {
            event.dyn_ref::<CustomEvent>()?.detail().as_string().map(Heard::Press)
        }
        "input" => changed(&target),
        "submit" => {
            event.prevent_default();
            let does = value(&target, "data-do")?;
            let mut fields = fields(&target);
            fields.extend(sender(event.unchecked_ref()));
            Some(Heard::Sent { does, fields })
        }
        _ => key(event.unchecked_ref(), &target),
    }
}

fn closest(target: &Element, selector: &str) -> Option<Element> {
    target.closest(selector).ok().flatten()
}

fn is(element: &Element, selector: &str) -> bool {
    element.matches(selector).unwrap_or(false)
}

/// A press on the innermost thing that does something, unless that is switched off.
fn pressed(target: &Element) -> Option<Heard> {
    let found = closest(target, DOES)?;
    if is(&found, HOLDS) || is(&found, IS_OFF) {
        return None;
    }
    value(&found, "data-do").map(Heard::Press)
}

/// Another value of a control that has a `data-do`, else another content of the form around it.
fn changed(target: &Element) -> Option<Heard> {
    if let Some(does) = value(target, "data-do") {
        return Some(Heard::Value { does, value: held(target) });
    }
    let form = closest(target, "form[data-do]")?;
    Some(Heard::Edited { does: value(&form, "data-do")?, fields: fields(&form) })
}

/// What a control holds; a box that is not checked holds nothing.
fn held(control: &Element) -> String {
    let input: &HtmlInputElement = control.unchecked_ref();
    let is_box = is(control, "[type=checkbox],[type=radio]");
    // Fields of several lines and lists of choices have a `value` too.
    if is_box && !input.checked() { String::new() } else { input.value() }
}

/// The fields of a form as a browser would send them. Files are not among them.
fn fields(form: &Element) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    if let Some(form) = form.dyn_ref::<HtmlFormElement>()
        && let Ok(data) = FormData::new_with_form(form)
        && let Ok(Some(entries)) = try_iter(&data)
    {
        for entry in entries.flatten() {
            let entry: Array = entry.unchecked_into();
            if let (Some(name), Some(text)) = (entry.get(0).as_string(), entry.get(1).as_string()) {
                fields.push((name, text));
            }
        }
    }
    fields
}

/// The button that sent a form, if it has a name.
fn sender(event: &SubmitEvent) -> Option<(String, String)> {
    let button = event.submitter()?;
    Some((value(&button, "name")?, value(&button, "value").unwrap_or_default()))
}

/// A key where keys mean something, or one that presses what the browser does not press by itself.
fn key(event: &KeyboardEvent, target: &Element) -> Option<Heard> {
    if event.alt_key() || event.meta_key() || event.is_composing() || event.key_code() == COMPOSES {
        return None;
    }
    let Some(place) = closest(target, "[data-keys]") else { return press_by_key(event, target) };
    let (before, behind, selects) = around_the_cursor(target);
    Some(Heard::Key(Key {
        place: value(&place, "data-keys")?,
        // In a drawing the element with the focus is a part of the mark that has it.
        does: closest(target, DOES).and_then(|it| value(&it, "data-do")).unwrap_or_default(),
        key: event.key(),
        ctrl: event.ctrl_key(),
        shift: event.shift_key(),
        selects,
        before,
        behind,
    }))
}

/// Enter and Space press what has the role of a button and is none, as everything in an SVG.
fn press_by_key(event: &KeyboardEvent, target: &Element) -> Option<Heard> {
    let presses = matches!(event.key().as_str(), "Enter" | " ") && !event.ctrl_key();
    if !presses || !is(target, "[role=button]:not(button,a,input,summary)") {
        return None;
    }
    // Space would scroll the page; held down it is still one press.
    event.prevent_default();
    if event.repeat() { None } else { pressed(target) }
}

/// What a field holds before and behind the cursor, and whether something is selected in it.
fn around_the_cursor(field: &Element) -> (String, String, bool) {
    let (text, from, to) = if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
        (input.value(), input.selection_start(), input.selection_end())
    } else if let Some(area) = field.dyn_ref::<HtmlTextAreaElement>() {
        (area.value(), area.selection_start(), area.selection_end())
    } else {
        return Default::default();
    };
    // Controls without a cursor, such as a slider, have none to tell, or refuse to.
    let (Ok(Some(from)), Ok(Some(to))) = (from, to) else { return Default::default() };
    // Browsers count in UTF-16.
    let text = JsString::from(text);
    let before = text.slice(0, from);
    let behind = text.slice(to, text.length());
    (before.into(), behind.into(), from != to)
}
