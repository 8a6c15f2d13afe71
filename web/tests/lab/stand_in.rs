//! A stand-in for the Lab that writes down what it hears, shows one of everything that can be touched, and
//! wishes what it is told to.

use std::cell::RefCell;
use std::rc::Rc;

use highwater_lab::{Heard, Keeping, Wish};
use highwater_scene::node::Node;
use highwater_web::lab::{Desk, mount_into};
use js_sys::Function;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlInputElement};

use crate::helpers::{click, find, node, place, turn, words};

#[derive(Default)]
pub(crate) struct Told {
    pub(crate) heard: Vec<Heard>,
    pub(crate) wishes: Vec<Wish>,
    pub(crate) delay: Option<u32>,
    /// Keys that the browser must not handle.
    pub(crate) takes: Vec<&'static str>,
    /// What stands beside the fixed part of the tree.
    pub(crate) word: &'static str,
    /// The choice that the tree says is made.
    pub(crate) chosen: &'static str,
    pub(crate) commands: &'static str,
    /// What waits to be kept, and how often it was asked for.
    pub(crate) unkept: Option<&'static str>,
    pub(crate) asked: usize,
}

pub(crate) type Shared = Rc<RefCell<Told>>;

pub(crate) struct StandIn(pub(crate) Shared);

impl Desk for StandIn {
    fn hear(&mut self, heard: Heard) -> bool {
        let mut told = self.0.borrow_mut();
        let takes = matches!(&heard, Heard::Key(key) if told.takes.contains(&key.key.as_str()));
        told.heard.push(heard);
        takes
    }

    fn delay(&self) -> Option<u32> {
        self.0.borrow().delay
    }

    fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.0.borrow_mut().wishes)
    }

    fn view(&mut self) -> Node {
        let told = self.0.borrow();
        tree(told.word, told.chosen)
    }

    fn is_unkept(&self) -> bool {
        self.0.borrow().unkept.is_some()
    }

    fn take_kept(&mut self) -> Keeping {
        let mut told = self.0.borrow_mut();
        told.asked += 1;
        let text = told.unkept.take().map(|text| ("highwater:lab", Some(text.to_owned())));
        Keeping { items: text.into_iter().collect(), trouble: None }
    }

    fn commands(&self) -> String {
        self.0.borrow().commands.to_owned()
    }
}

/// One of everything that can be touched.
pub(crate) fn tree(word: &'static str, chosen: &'static str) -> Node {
    let option = |name: &'static str| {
        let both = [("value", name), ("selected", "")];
        node("option", if name == chosen { &both } else { &both[..1] }, vec![words(name)])
    };
    let label = node("text", &[], vec![words("record")]);
    let cell =
        [("data-do", "ask record"), ("role", "button"), ("tabindex", "0"), ("class", "cell")];
    let off =
        [("data-do", "ask gone"), ("aria-disabled", "true"), ("class", "off"), ("role", "button")];
    let drawing = node(
        "svg",
        &[("viewBox", "0 0 10 10")],
        vec![node("g", &cell, vec![label]), node("g", &off, vec![])],
    );
    let form = node(
        "form",
        &[("data-do", "produce")],
        vec![
            node("input", &[("name", "key"), ("type", "text")], vec![]),
            node("input", &[("name", "idempotent"), ("type", "checkbox")], vec![]),
            node("input", &[("name", "acks"), ("type", "radio"), ("value", "0")], vec![]),
            node(
                "input",
                &[("name", "acks"), ("type", "radio"), ("value", "all"), ("checked", "")],
                vec![],
            ),
            node("select", &[("name", "client")], vec![option("java"), option("librdkafka")]),
            node("textarea", &[("name", "value")], vec![words("first"), words(" words")]),
            node(
                "button",
                &[("name", "how"), ("value", "slowly"), ("class", "send")],
                vec![words("Send")],
            ),
        ],
    );
    let prompt = node(
        "p",
        &[("data-keys", "prompt"), ("class", "zone")],
        vec![
            node("input", &[("data-do", "line"), ("class", "prompt"), ("type", "text")], vec![]),
            node("button", &[("data-do", "run")], vec![words("Run")]),
        ],
    );
    let range = [("type", "range"), ("data-do", "seek"), ("max", "9"), ("value", "3")];
    let more = [("type", "checkbox"), ("data-do", "detail")];
    node(
        "div",
        &[],
        vec![
            node("p", &[("class", "word")], vec![words(word)]),
            node("div", &[("class", "lab-draw")], vec![drawing]),
            node(
                "div",
                &[("data-do", "outer")],
                vec![node(
                    "button",
                    &[("data-do", "inner")],
                    vec![node("b", &[], vec![words("x")])],
                )],
            ),
            form,
            prompt,
            node("input", &range, vec![]),
            node("input", &more, vec![]),
            node("pre", &[("class", "log")], vec![words("1\n2\n3\n4\n5\n6\n7\n8\n9\n")]),
        ],
    )
}

/// A page with the stand-in in it. Whatever watched the page in the test before is dead by now.
pub(crate) async fn open() -> (Element, Shared) {
    js("dispatchEvent(new Event('highwater:dead'))", &JsValue::NULL);
    let host = place("<div data-island='lab'><div class='lab-draw'></div></div>");
    let told = Shared::default();
    told.borrow_mut().chosen = "java";
    let desk = StandIn(Rc::clone(&told));
    mount_into(find(&host, "[data-island]"), |_, _| Box::new(desk));
    wait("the Lab to be drawn", || host.query_selector("form").is_ok_and(|form| form.is_some()))
        .await;
    // The room is told once it is watched.
    settle().await;
    told.borrow_mut().heard.clear();
    (host, told)
}

/// Runs JavaScript, which knows its argument as `it`.
pub(crate) fn js(script: &str, it: &JsValue) -> JsValue {
    let made = Function::new_with_args("it", script);
    made.call1(&JsValue::NULL, it).unwrap_or_else(|error| panic!("{script}: {error:?}"))
}

pub(crate) async fn settle() {
    for _ in 0..10 {
        turn().await;
    }
}

pub(crate) async fn wait(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..400 {
        if is_so() {
            return;
        }
        turn().await;
    }
    panic!("waited in vain for {what}");
}

/// What was heard since the last time it was asked.
pub(crate) fn heard(told: &Shared) -> Vec<Heard> {
    std::mem::take(&mut told.borrow_mut().heard)
}

pub(crate) fn press(does: &str) -> Heard {
    Heard::Press(does.to_owned())
}

/// A key on an element. Whether the browser may still do with it what it does.
pub(crate) fn key(host: &Element, selector: &str, key: &str, more: &str) -> bool {
    let script = format!(
        "return it.dispatchEvent(new KeyboardEvent('keydown', \
           {{ key: '{key}', bubbles: true, cancelable: true, {more} }}))"
    );
    js(&script, &find(host, selector)).is_truthy()
}

/// Has the Lab wish something, by a press that has it drawn.
pub(crate) async fn wish(host: &Element, told: &Shared, wishes: Vec<Wish>) {
    told.borrow_mut().wishes = wishes;
    click(host, "[data-do=inner]");
    settle().await;
    heard(told);
}

pub(crate) fn field(host: &Element, selector: &str) -> HtmlInputElement {
    find(host, selector).unchecked_into()
}
