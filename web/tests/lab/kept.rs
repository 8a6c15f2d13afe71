//! Kept pieces of a tree.

use std::rc::Rc;

use highwater_scene::node::{Element as Tag, Node};
use highwater_web::piece;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::helpers::{Show, Tree, find, node, place, text, words};
use crate::stand_in::settle;

/// A kept piece is not made again while it is the same one, and its elements stay; so in an SVG, with a
/// key among others that have one, and when it moves.
#[wasm_bindgen_test]
async fn kept_pieces_are_left_alone() {
    let cell = |key: &str, says: &'static str| {
        let inside = vec![node("text", &[("class", "says")], vec![words(says)])];
        let id = match key {
            "a" => "a",
            _ => "b",
        };
        let tag = Tag {
            tag: "g",
            key: Some(key.to_owned()),
            attributes: vec![("id", id.into())],
            children: inside,
        };
        Rc::new(Node::from(tag))
    };
    let tree = |word: &'static str, cells: &[&Rc<Node>]| {
        let cells = cells.iter().map(|cell| Node::Kept(Rc::clone(cell))).collect();
        let drawing = node("svg", &[], vec![node("g", &[("class", "lane")], cells)]);
        let plain = node("p", &[("class", "word")], vec![words(word)]);
        Tree { node: node("div", &[], vec![plain, drawing]) }
    };
    let (a, b) = (cell("a", "one"), cell("b", "two"));
    let host = place("");
    let before = piece::made();
    let props = tree("first", &[&a, &b]);
    let mut shown = yew::Renderer::<Show>::with_root_and_props(host.clone(), props).render();
    settle().await;
    assert_eq!(piece::made() - before, 2);
    let (first, second) = (find(&host, "#a"), find(&host, "#b"));
    assert_eq!(first.namespace_uri().as_deref(), Some("http://www.w3.org/2000/svg"));

    // The rest changes, the pieces do not.
    shown.update(tree("second", &[&a, &b]));
    settle().await;
    assert_eq!(text(&host, ".word"), "second");
    assert_eq!(piece::made() - before, 2, "the same pieces are not made again");
    assert!(find(&host, "#a").is_same_node(Some(&first)));

    // One of them is another one, and only that is made.
    let newer = cell("b", "three");
    shown.update(tree("second", &[&a, &newer]));
    settle().await;
    assert_eq!(piece::made() - before, 3, "one piece is another one");
    assert_eq!(text(&host, "#b .says"), "three");
    assert!(find(&host, "#b").is_same_node(Some(&second)), "its element stays");

    // They change places, and one goes.
    shown.update(tree("third", &[&newer, &a]));
    settle().await;
    assert_eq!(piece::made() - before, 3, "moving makes nothing");
    assert!(find(&host, "#a").is_same_node(Some(&first)));
    assert_eq!(text(&host, ".lane"), "threeone", "and they have moved");
    shown.update(tree("third", &[&a]));
    settle().await;
    assert_eq!((text(&host, ".lane").as_str(), piece::made() - before), ("one", 3));

    // An equal piece that is not the same one is made: pointers are compared, not content.
    shown.update(tree("fourth", &[&cell("a", "one")]));
    settle().await;
    assert_eq!(piece::made() - before, 4);
}
