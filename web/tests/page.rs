//! The front end's parts in a real DOM: node trees as elements, and an app in a page made by hand.
//! What a reader does with the built site is tested end to end, in tests/e2e.

mod helpers;

use helpers::{Show, Tree, click, find, node, place, text, turn, until, words};
use highwater_scene::node::Node;
use highwater_web::{components::view, island};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{CustomEvent, CustomEventInit, HtmlInputElement};

wasm_bindgen_test_configure!(run_in_browser);

/// A page with one figure and one question, as the page builder writes them, but smaller.
const PAGE: &str = r#"
<div data-island="figure" data-figure="small" data-at="1">
<figure class="fig" aria-label="One log"><p class="fig-say"><b>One</b> is in.</p><div class="fig-draw"></div></figure>
<template data-script="java" data-brokers="1">
<pre>kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 3 --replication-factor 1</pre>
<pre>hw produce --topic t --key locker-7 --value ONE</pre>
<pre>hw produce --topic t --key locker-2 --value '&lt;TWO&gt;'</pre>
</template>
</div>
<div data-island="quiz" data-quiz="where" data-figure="small" data-until="2">
<p class="quiz-prompt">Where, <b>then</b>?</p>
<label class="quiz-option"><input type="radio" name="where" value="partition-0"><span>Here</span></label>
<label class="quiz-option"><input type="radio" name="where" value="partition-1" checked><span>There &amp; now</span></label>
<details class="quiz-hint"><summary>Hint</summary><p>Look.</p></details>
</div>"#;

/// A tree becomes the same elements that its writer writes: SVG in its own namespace, attributes as
/// they are, text never read as markup, and only what the page builder made as HTML.
#[wasm_bindgen_test]
async fn trees_become_elements() {
    let letters = node("text", &[], vec![words("<b>&amp;</b>")]);
    let cell = node("g", &[("data-cell", "0:1")], vec![letters]);
    let drawing = node("svg", &[("viewBox", "0 0 10 10")], vec![cell]);
    let ours = node("p", &[], vec![Node::Html("made <i>by us</i>".into())]);
    let label = "\"quoted\" <label>";
    let tree = node("figure", &[("class", "fig"), ("aria-label", label)], vec![drawing, ours]);
    let host = place("");
    yew::Renderer::<Show>::with_root_and_props(host.clone(), Tree { node: tree }).render();
    turn().await;
    for inside in ["svg", "svg g", "svg text"] {
        let namespace = find(&host, inside).namespace_uri();
        assert_eq!(namespace.as_deref(), Some("http://www.w3.org/2000/svg"), "{inside}");
    }
    assert_eq!(find(&host, "svg").get_attribute("viewBox").as_deref(), Some("0 0 10 10"));
    assert_eq!(text(&host, "svg [data-cell='0:1'] text"), "<b>&amp;</b>");
    let shown = find(&host, "figure.fig").get_attribute("aria-label");
    assert_eq!(shown.as_deref(), Some(label));
    assert_eq!(text(&host, "p i"), "by us");
    assert!(host.query_selector("[style]").expect("a selector").is_none());
}

/// What a reader did to a control gives way to what the tree says: value and check are properties.
#[wasm_bindgen_test]
async fn controls_follow_the_tree() {
    let tree = |value: &'static str, checked: bool| {
        let range = [("type", "range"), ("min", "0"), ("max", "6"), ("value", value)];
        let radio = [("type", "radio"), ("name", "r"), ("checked", "")];
        let radio = if checked { &radio[..] } else { &radio[..2] };
        node("p", &[], vec![node("input", &range, vec![]), node("input", radio, vec![])])
    };
    let host = place("");
    let props = Tree { node: tree("4", false) };
    let mut shown = yew::Renderer::<Show>::with_root_and_props(host.clone(), props).render();
    turn().await;
    let input = |kind: &str| {
        find(&host, &["input[type=", kind, "]"].concat()).unchecked_into::<HtmlInputElement>()
    };
    assert_eq!(input("range").value(), "4");
    input("range").set_value("1");
    input("radio").set_checked(true);
    shown.update(Tree { node: tree("5", false) });
    turn().await;
    assert_eq!(input("range").value(), "5");
    assert!(!input("radio").checked(), "the reader's own check gives way");
    shown.update(Tree { node: tree("5", true) });
    turn().await;
    assert!(input("radio").checked());
}

/// What stands at the prompt is the reader's: drawing the tree again leaves it alone.
#[wasm_bindgen_test]
async fn the_prompt_is_left_alone() {
    let tree = |word: &'static str| {
        node("p", &[], vec![words(word), node("input", &[("type", "text")], vec![])])
    };
    let host = place("");
    let props = Tree { node: tree("one") };
    let mut shown = yew::Renderer::<Show>::with_root_and_props(host.clone(), props).render();
    turn().await;
    let prompt = find(&host, "input").unchecked_into::<HtmlInputElement>();
    prompt.set_value("half a comm");
    shown.update(Tree { node: tree("two") });
    turn().await;
    assert_eq!((text(&host, "p"), prompt.value()), ("two".to_owned(), "half a comm".to_owned()));
}

/// Figure and question are read from the page as it stands, with what was chosen before the engine
/// came.
#[wasm_bindgen_test]
fn islands_are_read() {
    let host = place(PAGE);
    let figure = island::read_figure(&find(&host, "[data-island=figure]"));
    assert_eq!((figure.id.as_str(), figure.label.as_str(), figure.at), ("small", "One log", 1));
    assert_eq!(figure.say, "<b>One</b> is in.");
    assert_eq!(figure.scripts.len(), 1);
    assert!(figure.scripts[0].commands[2].ends_with("'<TWO>'"), "{:?}", figure.scripts[0].commands);
    let questions = island::read_questions("small");
    assert_eq!(island::read_questions("another").len(), 0);
    let question = &questions.last().expect("a question").question;
    assert_eq!((question.id.as_str(), question.until), ("where", Some(2)));
    assert_eq!((&question.action, &question.outcome), (&None, &None));
    assert_eq!(question.prompt, "Where, <b>then</b>?");
    assert_eq!(question.hint.as_deref(), Some("Look."));
    assert_eq!(question.options[1], ("partition-1".to_owned(), "There &amp; now".to_owned()));
    assert_eq!(question.chosen.as_deref(), Some("partition-1"));
}

/// An app mounts into a page made by hand: it shows the moment that the page shows, steps, answers
/// its question and listens to the buttons in the text.
#[wasm_bindgen_test]
async fn an_app_in_a_page() {
    let host = place(PAGE);
    view::mount_all();
    until(&host, ".bar-time", "step 1 of 2").await;
    assert_eq!(text(&host, ".fig-say b"), "One");
    assert_eq!(text(&host, "[data-cell='0:0'] .hw-key-letter"), "A");
    // The listeners come a moment after the elements; see the next test.
    for _ in 0..20 {
        turn().await;
    }
    click(&host, "[data-do=step]");
    until(&host, ".bar-time", "step 2 of 2").await;
    let label = find(&host, ".hw-new [aria-label]").get_attribute("aria-label").unwrap_or_default();
    assert!(label.contains("<TWO>"), "{label}");
    click(&host, "[data-do=back]");
    click(&host, "[data-quiz-run]");
    until(&host, ".quiz-verdict", "Right. locker-2 hashes to partition 1").await;
    let init = CustomEventInit::new();
    init.set_detail(&"replay-java".into());
    let event = CustomEvent::new_with_event_init_dict("highwater:action", &init).expect("an event");
    let _ = find(&host, "[data-island=figure]").dispatch_event(&event);
    until(&host, ".bar-time", "step 0 of 2").await;
    click(&host, "[data-do=play]");
}

/// A click counts as soon as there is something to click: listeners are there before the elements.
#[wasm_bindgen_test]
async fn the_first_click_counts() {
    let host = place(PAGE);
    view::mount_all();
    until(&host, ".bar-time", "step 1 of 2").await;
    click(&host, "[data-do=step]");
    until(&host, ".bar-time", "step 2 of 2").await;
}
