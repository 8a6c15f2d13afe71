//! What a static page says about its islands: the figures, their transcripts, their questions.

use highwater_lesson::{FigureSource, Question, Script};
pub use highwater_scene::digits::number;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlTemplateElement};

/// A question's island.
#[derive(Debug)]
pub struct QuizIsland {
    /// Where it stands.
    pub host: Element,
    /// What it asks.
    pub question: Question,
}

/// The root element; a page always has one.
#[must_use]
pub fn root() -> Option<Element> {
    web_sys::window()?.document()?.document_element()
}

/// All elements below another that fit a selector.
#[must_use]
pub fn all(place: &Element, selector: &str) -> Vec<Element> {
    let mut elements = Vec::new();
    if let Ok(found) = place.query_selector_all(selector) {
        for index in 0..found.length() {
            elements.extend(found.item(index).map(JsCast::unchecked_into::<Element>));
        }
    }
    elements
}

/// The first element below another that fits a selector.
#[must_use]
#[inline(never)]
pub fn find(place: &Element, selector: &str) -> Option<Element> {
    place.query_selector(selector).ok().flatten()
}

/// The value of an attribute.
#[must_use]
#[inline(never)]
pub fn value(element: &Element, name: &str) -> Option<String> {
    element.get_attribute(name)
}

/// The HTML of the first element below another that fits a selector.
#[must_use]
pub fn html(place: &Element, selector: &str) -> Option<String> {
    find(place, selector).map(|element| element.inner_html())
}

fn step(element: &Element, name: &str) -> Option<u32> {
    number(&value(element, name)?)
}

/// Reads a figure's island.
#[must_use]
pub fn read_figure(island: &Element) -> FigureSource {
    let mut scripts = Vec::new();
    for template in all(island, "template[data-script]") {
        // A template's content is no element, but is asked in the same way.
        let content = template.unchecked_ref::<HtmlTemplateElement>().content();
        let mut commands = Vec::new();
        for command in all(content.unchecked_ref(), "pre") {
            commands.push(command.text_content().unwrap_or_default());
        }
        scripts.push(Script {
            name: value(&template, "data-script").unwrap_or_default(),
            continues: value(&template, "data-continues"),
            brokers: step(&template, "data-brokers").unwrap_or_default(),
            commands,
        });
    }
    FigureSource {
        id: value(island, "data-figure").unwrap_or_default(),
        label: find(island, "figure").and_then(|f| value(&f, "aria-label")).unwrap_or_default(),
        say: html(island, ".fig-say").unwrap_or_default(),
        at: step(island, "data-at").unwrap_or_default(),
        scripts,
    }
}

/// The questions that belong to a figure, with what the reader has chosen already.
#[must_use]
pub fn read_questions(figure: &str) -> Vec<QuizIsland> {
    let mut quizzes = Vec::new();
    for host in of_figure("quiz", figure) {
        quizzes.push(QuizIsland { question: read_question(&host), host });
    }
    quizzes
}

/// The islands of a kind that belong to a figure.
#[must_use]
pub fn of_figure(kind: &str, figure: &str) -> Vec<Element> {
    let selector = ["[data-island=", kind, "]"].concat();
    let mut hosts = root().map(|root| all(&root, &selector)).unwrap_or_default();
    hosts.retain(|host| value(host, "data-figure").is_some_and(|name| name == figure));
    hosts
}

fn read_question(host: &Element) -> Question {
    let mut question = Question {
        id: value(host, "data-quiz").unwrap_or_default(),
        prompt: html(host, ".quiz-prompt").unwrap_or_default(),
        options: Vec::new(),
        hint: html(host, ".quiz-hint p"),
        until: step(host, "data-until"),
        action: value(host, "data-action"),
        chosen: None,
        outcome: None,
    };
    for label in all(host, ".quiz-option") {
        if let (Some(radio), Some(words)) = (find(&label, "input"), html(&label, "span")) {
            let radio: &HtmlInputElement = radio.unchecked_ref();
            if radio.checked() {
                question.chosen = Some(radio.value());
            }
            question.options.push((radio.value(), words));
        }
    }
    question
}

/// The root font size in px: what the reader has set in the browser.
#[must_use]
pub fn root_font() -> i32 {
    let style = root().and_then(|root| web_sys::window()?.get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    // Whole pixels are enough for a layout in whole pixels; a hidden size counts as the usual one.
    let pixels = size.and_then(|size| number(size.split(['.', 'p']).next()?));
    pixels.filter(|size| *size >= 1).unwrap_or(16)
}

/// Whether the reader wants things to move.
#[must_use]
pub fn wants_motion() -> bool {
    let query = web_sys::window()
        .and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
    !query.is_some_and(|query| query.matches())
}

/// Keeps the reader's commands for the page, in case the engine stops.
pub fn keep_commands(commands: &str) {
    let storage = web_sys::window().and_then(|window| window.session_storage().ok().flatten());
    if let Some(storage) = storage {
        // Storage may be full or forbidden; then nothing is kept, and nothing else is lost.
        let _ = storage.set_item("highwater:commands", commands);
    }
}
