//! What the tests of the page share: a place in the document, a tree to show in it, and patience.
#![allow(dead_code, unreachable_pub, reason = "each test program uses some of it")]

use highwater_scene::node::{Element as Tag, Node};
use highwater_web::adapter;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{Component, Context, Html, Properties};

/// Shows a node tree, and another one when its properties change.
pub struct Show;

#[derive(Clone, PartialEq, Properties)]
pub struct Tree {
    pub node: Node,
}

impl Component for Show {
    type Message = ();
    type Properties = Tree;

    fn create(_: &Context<Self>) -> Self {
        Self
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        adapter::html(ctx.props().node.clone())
    }
}

/// A node with attributes and children.
pub fn node(
    tag: &'static str,
    attributes: &[(&'static str, &'static str)],
    inside: Vec<Node>,
) -> Node {
    let attributes = attributes.iter().map(|(name, value)| (*name, (*value).into())).collect();
    Tag { tag, key: None, attributes, children: inside }.into()
}

pub fn words(text: &'static str) -> Node {
    Node::Text(text.into())
}

/// A new place in the document with this HTML in it; that of the test before, which may have failed,
/// is gone.
pub fn place(html: &str) -> Element {
    let document = web_sys::window().and_then(|window| window.document()).expect("a document");
    let host = document.create_element("div").expect("a div");
    if let Some(before) = document.query_selector("[data-test-place]").expect("a selector") {
        before.remove();
    }
    host.set_attribute("data-test-place", "").expect("a name");
    host.set_inner_html(html);
    document.body().expect("a body").append_child(&host).expect("the body takes it");
    host
}

/// Lets the browser do what is due.
pub async fn turn() {
    let later = js_sys::Promise::new(&mut |done, _| {
        let window = web_sys::window().expect("a window");
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(&done, 0);
    });
    let _ = wasm_bindgen_futures::JsFuture::from(later).await;
}

/// Waits until a part of the page says something, which takes a few turns of the browser.
pub async fn until(host: &Element, selector: &str, says: &str) {
    for _ in 0..200 {
        let found = host.query_selector(selector).expect("a selector");
        if found.and_then(|found| found.text_content()).is_some_and(|text| text.starts_with(says)) {
            return;
        }
        turn().await;
    }
    panic!("waited in vain for {says:?} in {selector}: {}", host.inner_html());
}

pub fn find(host: &Element, selector: &str) -> Element {
    let found = host.query_selector(selector).expect("a selector");
    found.unwrap_or_else(|| panic!("no {selector} in {}", host.inner_html()))
}

pub fn text(host: &Element, selector: &str) -> String {
    find(host, selector).text_content().unwrap_or_default()
}

pub fn click(host: &Element, selector: &str) {
    find(host, selector).unchecked_into::<HtmlElement>().click();
}
