//! Several figures on one page: ids inside each begin with the figure's own.

use highwater_scene::node::Node;

use crate::wish::Wish;

/// Attributes that hold an id, or several.
const IDS: [&str; 6] =
    ["id", "for", "aria-labelledby", "aria-describedby", "aria-controls", "popovertarget"];

/// The tree with the figure's id before each id in it, and its name behind that of each region: no two regions of a
/// page have the same one.
pub(super) fn tree(node: Node, figure: &str, label: &str) -> Node {
    let mut element = match node {
        Node::Element(element) => element,
        // What is kept is text of the terminal, which has no ids.
        other => return other,
    };
    let is_region = element.tag == "section";
    for (name, value) in &mut element.attributes {
        if is_region && *name == "aria-label" {
            *value = [value, ", ", label].concat().into();
        }
        if IDS.contains(name) {
            let ids: Vec<String> =
                value.split_whitespace().map(|id| format!("{figure}-{id}")).collect();
            *value = ids.join(" ").into();
        }
    }
    let children = std::mem::take(&mut element.children);
    element.children = children.into_iter().map(|child| tree(child, figure, label)).collect();
    Node::Element(element)
}

/// The tree with every control switched off: the engine is not there yet.
pub(super) fn asleep(node: Node) -> Node {
    let Node::Element(mut element) = node else { return node };
    let is_control = matches!(element.tag, "button" | "input" | "select" | "textarea");
    if is_control && element.get("disabled").is_none() {
        element.attributes.push(("disabled", "".into()));
    }
    let children = std::mem::take(&mut element.children);
    element.children = children.into_iter().map(asleep).collect();
    Node::Element(element)
}

/// The wish with selectors that find those ids.
pub(super) fn wish(wish: Wish, figure: &str) -> Wish {
    let selector = |text: String| selector(&text, figure);
    match wish {
        Wish::Focus(to) => Wish::Focus(selector(to)),
        Wish::Fill { field, value } => Wish::Fill { field: selector(field), value },
        Wish::ScrollToEnd(of) => Wish::ScrollToEnd(selector(of)),
        Wish::Reveal(what) => Wish::Reveal(selector(what)),
        other => other,
    }
}

/// A selector whose `#` mean the figure's ids; those in quotes mean themselves.
fn selector(text: &str, figure: &str) -> String {
    let mut out = String::with_capacity(text.len() + figure.len());
    let mut quote = None;
    for c in text.chars() {
        out.push(c);
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '#') => {
                out.push_str(figure);
                out.push('-');
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use highwater_scene::node::to_string;
    use highwater_scene::template::tree as of;

    #[test]
    fn ids_and_what_names_them_begin_with_the_figure() {
        let node = of(
            "<section aria-label='Terminals' aria-labelledby='{}'><p id='{}' class='id'></p></section>",
            vec!["a b".into(), "a".into()],
        );
        let text = to_string(&tree(node, "fig", "Orders"));
        assert_eq!(
            text,
            "<section aria-label=\"Terminals, Orders\" aria-labelledby=\"fig-a fig-b\"><p id=\"fig-a\" class=\"id\"></p></section>"
        );
    }

    #[test]
    fn selectors_follow_except_in_quotes() {
        let expected = "#fig-lab-form [data-do='type:a #b']";
        assert_eq!(selector("#lab-form [data-do='type:a #b']", "fig"), expected);
    }
}
