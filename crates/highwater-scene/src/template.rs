//! Node trees from templates: HTML or SVG as one would write it, with a `{}` for each value. One
//! small reader instead of a call for every attribute, which weighs much in the page's wasm.
//!
//! A template is a constant of the program: tags, attributes in single quotes, text. `<rect/>` has
//! nothing inside. An attribute is a constant or one `{}`; the attribute `key` names the element
//! among its siblings. Values fill the places in order; what they hold is never read as a template.

use std::borrow::Cow;
use std::vec::IntoIter;

use crate::digits::int;
use crate::node::{Element, Node, Text};

/// What fills a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hole {
    /// Nothing: an attribute is left out.
    No,
    /// An attribute's value, or text. A class that is empty is left out.
    Text(Text),
    /// Nodes, between tags only.
    Nodes(Vec<Node>),
}

/// The node of a template; `holes` are as many values as it has places.
#[must_use]
#[inline(never)]
pub fn tree(template: &'static str, holes: Vec<Hole>) -> Node {
    let mut nodes = Vec::new();
    Reader { rest: template, holes: holes.into_iter() }.nodes(&mut nodes);
    nodes.pop().unwrap_or(Node::Text(Cow::Borrowed("")))
}

struct Reader {
    rest: &'static str,
    holes: IntoIter<Hole>,
}

impl Reader {
    /// Reads nodes up to an end tag.
    fn nodes(&mut self, out: &mut Vec<Node>) {
        loop {
            let text = self.until(b"<{");
            if !text.is_empty() {
                out.push(Node::Text(Cow::Borrowed(text)));
            }
            if self.skip("{}") {
                match self.holes.next() {
                    Some(Hole::Nodes(nodes)) => out.extend(nodes),
                    Some(Hole::Text(text)) => out.push(Node::Text(text)),
                    Some(Hole::No) | None => {}
                }
            } else if self.rest.is_empty() || self.skip("</") {
                self.until(b">");
                self.skip(">");
                return;
            } else {
                self.skip("<");
                out.push(self.element());
            }
        }
    }

    /// Reads an element whose `<` has been read.
    fn element(&mut self) -> Node {
        let tag = self.until(b" />");
        let mut element = Element { tag, key: None, attributes: Vec::new(), children: Vec::new() };
        while self.skip(" ") {
            let name = self.until(b"=");
            self.skip("='");
            let constant = self.until(b"'");
            self.skip("'");
            let value = if constant == "{}" {
                self.holes.next().unwrap_or(Hole::No)
            } else {
                Hole::Text(Cow::Borrowed(constant))
            };
            match value {
                Hole::Text(value) if name == "key" => element.key = Some(value.into_owned()),
                Hole::Text(value) if name != "class" || !value.is_empty() => {
                    element.attributes.push((name, value));
                }
                _ => {}
            }
        }
        let empty = self.skip("/");
        self.skip(">");
        if !empty {
            self.nodes(&mut element.children);
        }
        Node::Element(element)
    }

    /// Goes on to one of these bytes, or to the end; returns what it has passed.
    fn until(&mut self, ends: &[u8]) -> &'static str {
        let mut at = 0;
        while self.rest.as_bytes().get(at).is_some_and(|byte| !ends.contains(byte)) {
            at += 1;
        }
        let (passed, rest) = self.rest.split_at_checked(at).unwrap_or_default();
        self.rest = rest;
        passed
    }

    /// Passes over `what`, if it stands here.
    fn skip(&mut self, what: &str) -> bool {
        match self.rest.strip_prefix(what) {
            Some(rest) => self.rest = rest,
            None => return false,
        }
        true
    }
}

impl From<&'static str> for Hole {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Hole {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<Text> for Hole {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Hole {
    #[inline(never)]
    fn from(number: i64) -> Self {
        Self::Text(Cow::Owned(int(number)))
    }
}

impl From<i32> for Hole {
    fn from(number: i32) -> Self {
        Self::from(i64::from(number))
    }
}

/// An attribute without a value, such as `disabled`.
impl From<bool> for Hole {
    fn from(holds: bool) -> Self {
        if holds { Self::from("") } else { Self::No }
    }
}

impl From<Node> for Hole {
    fn from(node: Node) -> Self {
        Self::Nodes(vec![node])
    }
}

impl From<Vec<Node>> for Hole {
    fn from(nodes: Vec<Node>) -> Self {
        Self::Nodes(nodes)
    }
}

impl<T: Into<Hole>> From<Option<T>> for Hole {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::No, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::to_string;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Places are filled in order, with nothing, text or nodes; no value can open a tag.
    #[test]
    fn templates() {
        let line = tree("<line x1='{}' class='{}'/>", vec![7.into(), "".into()]);
        let node = tree(
            "<p class='a b' key='{}' hidden='{}' title='{}'>one {}<b>{}</b>{}</p>",
            vec![
                "k".into(),
                true.into(),
                false.into(),
                "<&".into(),
                "{}".to_owned().into(),
                line.into(),
            ],
        );
        let expected = "<p class=\"a b\" hidden=\"\">one &lt;&amp;<b>{}</b><line x1=\"7\"/></p>";
        assert_eq!(to_string(&node), expected);
        assert_eq!(node.as_element().and_then(|p| p.key.as_deref()), Some("k"));
    }
}
