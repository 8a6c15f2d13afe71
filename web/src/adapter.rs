//! The node trees of `highwater-scene` as Yew's virtual DOM.

use highwater_scene::node::{Element, Node};
use yew::virtual_dom::{VNode, VTag, VText};
use yew::{AttrValue, Html};

/// A node and everything in it.
#[must_use]
pub fn html(node: &Node) -> Html {
    match node {
        Node::Text(text) => VText::new(AttrValue::from(text.to_string())).into(),
        // Made by the page builder from a lesson, and escaped there.
        Node::Html(html) => VNode::from_html_unchecked(AttrValue::from(html.to_string())),
        Node::Element(element) => tag(element).into(),
    }
}

fn tag(element: &Element) -> VTag {
    let mut tag = VTag::new(element.tag);
    tag.key = element.key.as_ref().map(|key| key.as_str().into());
    if element.tag == "input" {
        // What the reader has done to a control may differ from its attributes: set the properties.
        tag.set_checked(element.get("checked").is_some());
    }
    for (name, value) in &element.attributes {
        match (element.tag, *name) {
            ("input", "checked") => {}
            ("input", "value") if element.get("type") == Some("range") => {
                tag.set_value(Some(AttrValue::from(value.to_string())));
            }
            _ => tag.add_attribute(name, value.to_string()),
        }
    }
    tag.add_children(element.children.iter().map(html));
    tag
}
