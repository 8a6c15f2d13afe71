//! The node trees of `highwater-scene` as Yew's virtual DOM.

use std::rc::Rc;

use highwater_scene::node::{Element, Node, Text};
use yew::virtual_dom::{AttributeOrProperty, Attributes, VList, VNode, VTag, VText};
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
    let is_input = element.tag == "input";
    let mut tag = VTag::new(element.tag);
    if is_input {
        // What the reader has done to a control may differ from its attributes: set the properties.
        tag.set_checked(element.get("checked").is_some());
        if element.get("type") == Some("range") {
            tag.set_value(element.get("value").map(|text| AttrValue::from(text.to_owned())));
        }
    }
    let attributes = element.attributes.into_iter();
    // Which attributes an element has depends on the moment, so they come as a map.
    tag.attributes = Attributes::IndexMap(Rc::new(
        attributes
            .map(|(name, text)| {
                (AttrValue::Static(name), AttributeOrProperty::Attribute(value(text)))
            })
            .collect(),
    ));
    if let Some(key) = element.key {
        tag.key = Some(key.into());
    }
    if let Some(children) = tag.children_mut() {
        let nodes = element.children.into_iter().map(html).collect();
        *children = VList::with_children(nodes, None).into();
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
