//! The node trees of `highwater-scene` as Yew's virtual DOM.

use std::cell::RefCell;

use highwater_scene::node::{Element, Node, Text, in_order};
use yew::virtual_dom::{AttributeOrProperty, Attributes, VList, VNode, VTag, VText};
use yew::{AttrValue, Html};

/// A node and everything in it.
pub fn html(node: Node) -> Html {
    match node {
        Node::Text(text) => VText::new(value(in_order(text))).into(),
        // Made by the page builder from a lesson, and escaped there.
        Node::Html(html) => VNode::from_html_unchecked(value(html)),
        Node::Element(element) => tag(element),
        #[cfg(feature = "lab")]
        Node::Kept(node) => crate::piece::html(node),
        // A lesson's figure has none; a component for it would be one more kind in the page.
        #[cfg(not(feature = "lab"))]
        Node::Kept(node) => html((*node).clone()),
    }
}

#[cfg_attr(
    not(any(feature = "lab", feature = "quiz")),
    expect(unused_mut, reason = "a lesson's figure gives no keys")
)]
fn tag(mut element: Element) -> Html {
    let is_input = element.tag == "input";
    let mut tag = VTag::new(element.tag);
    if is_input {
        // What the reader has done to a control may differ from its attributes: set the properties.
        tag.set_checked(element.get("checked").is_some());
        if element.get("type") == Some("range") {
            tag.set_value(element.get("value").map(|text| AttrValue::from(text.to_owned())));
        }
    }
    let (names, texts): (Vec<_>, Vec<_>) = element.attributes.into_iter().unzip();
    let values = texts.into_iter().map(|text| Some(AttributeOrProperty::Attribute(value(text))));
    tag.attributes = Attributes::Dynamic { keys: shape(names), values: values.collect() };
    #[cfg(feature = "lab")]
    if tag.tag() == "textarea" {
        write_first_text(&mut tag, &element.children);
    }
    if let Some(key) = element.key {
        tag.key = Some(key.into());
    }
    if let Some(children) = tag.children_mut() {
        #[cfg(any(feature = "lab", feature = "quiz"))]
        give_keys(&mut element.children);
        let nodes = element.children.into_iter().map(html).collect();
        *children = VList::with_children(nodes, None).into();
    }
    tag.into()
}

/// Gives every sibling a key: its own, or its place among those of its kind without one. Yew knows siblings again by
/// their keys only where all have one, and else by their places counted from the last, so that one more at the end
/// would have it make all before it anew, and take the focus from them.
#[cfg(any(feature = "lab", feature = "quiz"))]
fn give_keys(siblings: &mut [Node]) {
    let can_have = |node: &Node| matches!(node, Node::Element(_) | Node::Kept(_));
    if !siblings.iter().all(can_have) {
        return;
    }
    let mut counts: Vec<(&'static str, u32)> = Vec::new();
    for node in siblings {
        let Node::Element(element) = node else { continue };
        if element.key.is_some() {
            continue;
        }
        let known = counts.iter().position(|(tag, _)| *tag == element.tag);
        let place = known.unwrap_or_else(|| {
            counts.push((element.tag, 0));
            counts.len() - 1
        });
        let Some((tag, count)) = counts.get_mut(place) else { continue };
        element.key = Some(format!("{tag}#{count}"));
        *count += 1;
    }
}

/// What a field of several lines holds at first. Yew has no children in it; what the reader has typed
/// over this stays, as with any field of text.
#[cfg(feature = "lab")]
fn write_first_text(tag: &mut VTag, inside: &[Node]) {
    let text: String = inside.iter().map(Node::text_content).collect();
    let Attributes::Dynamic { keys, values } = &mut tag.attributes else { return };
    *keys = shape(keys.iter().copied().chain(["defaultValue"]).collect());
    let held = Some(AttributeOrProperty::Property(text.into()));
    *values = std::mem::take(values).into_iter().chain([held]).collect();
}

thread_local! {
    /// The lists of attributes that elements have had.
    static SHAPES: RefCell<Vec<&'static [&'static str]>> = const { RefCell::new(Vec::new()) };
}

/// The list that has these names. Yew wants it for ever and knows it again by its address: templates
/// make a few dozen of them, and a map for each element would be slower and more code.
fn shape(names: Vec<&'static str>) -> &'static [&'static str] {
    SHAPES.with_borrow_mut(|shapes| {
        let known = shapes.iter().copied().find(|shape| *shape == names);
        known.unwrap_or_else(|| {
            let new = names.leak();
            shapes.push(new);
            new
        })
    })
}

#[inline(never)]
fn value(text: Text) -> AttrValue {
    match text {
        Text::Borrowed(text) => AttrValue::Static(text),
        Text::Owned(text) => text.into(),
    }
}
