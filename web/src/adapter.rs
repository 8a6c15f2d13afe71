//! The node trees of `highwater-scene` as Yew's virtual DOM.

use highwater_scene::node::{Element, Node, Text};
use yew::virtual_dom::{VNode, VTag, VText};
use yew::{AttrValue, Html};

/// A node and everything in it.
pub fn html(node: Node) -> Html {
    match node {
        Node::Text(text) => VText::new(value(text)).into(),
        // Made by the page builder from a lesson, and escaped there.
        Node::Html(html) => VNode::from_html_unchecked(value(html)),
        Node::Element(element) => tag(element),
    }
}

fn tag(element: Element) -> Html {
    let mut tag = VTag::new(element.tag);
    let is_range = element.get("type") == Some("range");
    if element.tag == "input" {
        // What the reader has done to a control may differ from its attributes: set the properties.
        tag.set_checked(element.get("checked").is_some());
    }
    if let Some(key) = element.key {
        tag.key = Some(key.into());
    }
    for (name, text) in element.attributes {
        if name == "value" && is_range {
            tag.set_value(Some(value(text)));
        } else if name != "checked" {
            tag.add_attribute(name, value(text));
        }
    }
    for child in element.children {
        tag.add_child(html(child));
    }
    tag.into()
}

#[inline(never)]
fn value(text: Text) -> AttrValue {
    match text {
        Text::Borrowed(text) => AttrValue::Static(text),
        Text::Owned(text) => text.into(),
    }
}
