//! The node tree: what a drawing, a legend or a table consists of, and its one writer.
//!
//! Tags and attribute names are static, so only values and text can carry what people typed; the
//! writer escapes both. Trees are built by `template`.

use std::borrow::Cow;
use std::rc::Rc;

/// Text that is often a constant.
pub type Text = Cow<'static, str>;

/// A piece of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// An element of SVG or HTML.
    Element(Element),
    /// Text.
    Text(Text),
    /// HTML that the page builder has made of a lesson's words, escaped where it must be.
    Html(Text),
    /// A piece that is drawn again only when it is another one: the page compares pointers.
    Kept(Rc<Node>),
}

/// An element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub tag: &'static str,
    /// Names it among its siblings, so that it stays the same element from one step to the next.
    pub key: Option<String>,
    /// Attributes in order. No name occurs twice.
    pub attributes: Vec<(&'static str, Text)>,
    /// What is inside.
    pub children: Vec<Node>,
}

impl Element {
    /// The value of an attribute.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| &**value)
    }
}

impl From<Element> for Node {
    fn from(element: Element) -> Self {
        Self::Element(element)
    }
}

impl Node {
    /// The element, if it is one.
    #[must_use]
    pub fn as_element(&self) -> Option<&Element> {
        match self {
            Self::Element(element) => Some(element),
            Self::Kept(node) => node.as_element(),
            Self::Text(_) | Self::Html(_) => None,
        }
    }

    /// What is inside; nothing in a text.
    #[must_use]
    pub fn children(&self) -> &[Self] {
        self.as_element().map_or(&[], |element| &element.children)
    }

    /// All text in it, in order.
    #[must_use]
    pub fn text_content(&self) -> String {
        match self {
            Self::Text(text) | Self::Html(text) => text.to_string(),
            Self::Kept(node) => node.text_content(),
            Self::Element(element) => element.children.iter().map(Self::text_content).collect(),
        }
    }
}

/// Elements of SVG that close themselves when they are empty.
const SHAPES: [&str; 7] = ["rect", "line", "path", "circle", "use", "ellipse", "polygon"];
/// Elements of HTML that have no end.
const VOID: [&str; 5] = ["br", "hr", "img", "input", "col"];

/// Writes a tree as text that is good SVG and good HTML.
pub fn write(node: &Node, out: &mut String) {
    let element = match node {
        Node::Text(text) => return escape(&in_order(text.clone()), out),
        Node::Html(html) => return out.push_str(html),
        Node::Kept(node) => return write(node, out),
        Node::Element(element) => element,
    };
    out.push('<');
    out.push_str(element.tag);
    for (name, value) in &element.attributes {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        escape(value, out);
        out.push('"');
    }
    if element.children.is_empty() && SHAPES.contains(&element.tag) {
        return out.push_str("/>");
    }
    out.push('>');
    if VOID.contains(&element.tag) {
        return;
    }
    for child in &element.children {
        write(child, out);
    }
    out.push_str("</");
    out.push_str(element.tag);
    out.push('>');
}

/// Whether a mark turns the direction of what follows.
#[must_use]
pub fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text in which no mark turns around what stands beside it. A name that somebody has given may hold one; it is another
/// character then where it is shown, and stays what it is where it is used.
#[must_use]
pub fn in_order(text: Text) -> Text {
    match text {
        Cow::Owned(text) if text.contains(turns) => text.replace(turns, "\u{fffd}").into(),
        text => text,
    }
}

/// As [`write()`], into a new string.
#[must_use]
pub fn to_string(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

/// Escapes for text and for attributes in double quotes alike. Line ends are written as numbers,
/// else a parser would change them.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            // Nothing may say NUL, not even by its number, and XML has no word for these two.
            '\0' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A mark that turns what follows is another character where it is shown, and stays in what is used.
    #[test]
    fn nothing_is_turned_around() {
        let name = "a\u{202e}b\u{2066}c \u{5d0}";
        let shown = Node::Element(Element {
            tag: "b",
            key: None,
            attributes: vec![("data-do", name.to_owned().into())],
            children: vec![Node::Text(name.to_owned().into())],
        });
        let text = "a\u{fffd}b\u{fffd}c \u{5d0}";
        assert_eq!(to_string(&shown), format!("<b data-do=\"{name}\">{text}</b>"));
        assert_eq!(in_order("plain".into()), "plain");
    }
}
