//! What a static page says about its islands: the figures, their transcripts, their questions.

use highwater_lesson::{FigureSource, Question, Script};
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlInputElement, HtmlTemplateElement};

/// A question's island.
#[derive(Clone, Debug)]
pub struct QuizIsland {
    /// Where it stands.
    pub host: Element,
    /// What it asks.
    pub question: Question,
}

/// The document; a page always has one.
#[must_use]
pub fn document() -> Option<Document> {
    web_sys::window()?.document()
}

/// All elements that fit a selector.
#[must_use]
pub fn all(selector: &str) -> Vec<Element> {
    let found = document().and_then(|document| document.query_selector_all(selector).ok());
    let Some(found) = found else { return Vec::new() };
    (0..found.length()).filter_map(|index| found.item(index)?.dyn_into().ok()).collect()
}

/// Reads a figure's island.
///
/// # Errors
/// One of its transcripts cannot be read.
pub fn read_figure(island: &Element) -> Result<FigureSource, String> {
    let text = |name: &str| island.get_attribute(name).unwrap_or_default();
    let within = |selector: &str| island.query_selector(selector).ok().flatten();
    let mut scripts = Vec::new();
    let templates = island.query_selector_all("template[data-script]").map_err(|_| "no island")?;
    for index in 0..templates.length() {
        let template: Option<HtmlTemplateElement> =
            templates.item(index).and_then(|node| node.dyn_into().ok());
        if let Some(template) = template {
            let name = template.get_attribute("data-script").unwrap_or_default();
            let content = template.content().text_content().unwrap_or_default();
            scripts.push(Script::parse(&name, &content)?);
        }
    }
    Ok(FigureSource {
        id: text("data-figure"),
        label: within("figure").and_then(|f| f.get_attribute("aria-label")).unwrap_or_default(),
        say: within(".fig-say").map(|say| say.inner_html()).unwrap_or_default(),
        at: text("data-at").parse().unwrap_or(0),
        scripts,
    })
}

/// The questions that belong to a figure, with what the reader has chosen already.
#[must_use]
pub fn read_questions(figure: &str) -> Vec<QuizIsland> {
    let islands = all("[data-island=quiz]").into_iter();
    islands
        .filter(|host| host.get_attribute("data-figure").as_deref() == Some(figure))
        .map(|host| QuizIsland { question: read_question(&host), host })
        .collect()
}

fn read_question(host: &Element) -> Question {
    let text = |name: &str| host.get_attribute(name).filter(|value| !value.is_empty());
    let html = |selector: &str| {
        host.query_selector(selector).ok().flatten().map(|element| element.inner_html())
    };
    let mut question = Question {
        id: text("data-quiz").unwrap_or_default(),
        prompt: html(".quiz-prompt").unwrap_or_default(),
        options: Vec::new(),
        hint: html(".quiz-hint p"),
        until: text("data-until").and_then(|step| step.parse().ok()),
        action: text("data-action"),
        chosen: None,
        outcome: None,
    };
    let Ok(labels) = host.query_selector_all(".quiz-option") else { return question };
    for index in 0..labels.length() {
        let label: Option<Element> = labels.item(index).and_then(|label| label.dyn_into().ok());
        let radio = label.as_ref().and_then(|label| label.query_selector("input").ok().flatten());
        let radio: Option<HtmlInputElement> = radio.and_then(|radio| radio.dyn_into().ok());
        let words = label.and_then(|label| label.query_selector("span").ok().flatten());
        if let (Some(radio), Some(words)) = (radio, words) {
            if radio.checked() {
                question.chosen = Some(radio.value());
            }
            question.options.push((radio.value(), words.inner_html()));
        }
    }
    question
}

/// The root font size in px: what the reader has set in the browser.
#[must_use]
pub fn root_font() -> i32 {
    let root = document().and_then(|document| document.document_element());
    let style = root.and_then(|root| web_sys::window()?.get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    // Whole pixels are enough for a layout in whole pixels; a hidden size counts as the usual one.
    let pixels = size.and_then(|size| size.split(['.', 'p']).next()?.parse().ok());
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
