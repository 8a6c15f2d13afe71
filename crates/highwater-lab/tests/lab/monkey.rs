//! Somebody who presses whatever there is: nothing panics, every guarantee holds, every tree is sound.

use std::collections::BTreeSet;

use highwater_core::invariant;
use highwater_lab::heard::Key;
use highwater_lab::{Heard, Room};
use highwater_scene::node::{Element, Node};

use crate::Reader;
use crate::reader::walk;

/// A draw of numbers that a seed decides.
struct Draw(u64);

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % count.max(1)
    }
}

/// One thing that somebody may do.
fn act(reader: &mut Reader, draw: &mut Draw) -> String {
    let seen = reader.seen();
    match draw.below(10) {
        0 => {
            let value = draw.below(60).to_string();
            reader.hears(Heard::Value { does: "seek".to_owned(), value: value.clone() });
            format!("seek {value}")
        }
        1 => {
            let width = [200, 320, 480, 800, 1_200][draw.below(5)];
            let font = [16, 20, 32][draw.below(3)];
            reader.hears(Heard::Room(Room { width, font, motion: true }));
            format!("room {width} {font}")
        }
        2 => key_at_the_prompt(reader, draw),
        3 => key_in_the_figure(reader, draw, &seen),
        4 | 5 => {
            let forms = [
                "send",
                "read",
                "work",
                "topic",
                "partitions",
                "link",
                "disk",
                "delete",
                "elect",
                "reset",
                "wait",
            ];
            let form = forms[draw.below(forms.len())];
            let values: &[(&str, &str)] = match form {
                "wait" => &[("seconds", "7")],
                "send" => &[("key", ["a", "locker-7", "it's", ""][draw.below(4)])],
                _ => &[],
            };
            reader.does(form, values);
            format!("form {form}")
        }
        _ => {
            let presses: Vec<&String> =
                seen.iter().filter(|does| !does.starts_with("start:")).collect();
            let Some(does) = presses.get(draw.below(presses.len())) else { return String::new() };
            let does = (*does).clone();
            reader.hears(Heard::Press(does.clone()));
            does
        }
    }
}

fn key_at_the_prompt(reader: &mut Reader, draw: &mut Draw) -> String {
    let key = ["ArrowUp", "ArrowDown", "Tab", "Escape", "c", "d"][draw.below(6)];
    let key = Key {
        place: "prompt".to_owned(),
        key: key.to_owned(),
        ctrl: matches!(key, "c" | "d"),
        before: ["", "kaf", "hw ", "kafka-topics.sh --topic "][draw.below(4)].to_owned(),
        ..Key::default()
    };
    let text = format!("key {key:?}");
    reader.hears(Heard::Key(key));
    text
}

fn key_in_the_figure(reader: &mut Reader, draw: &mut Draw, seen: &[String]) -> String {
    let marks: Vec<&String> = seen.iter().filter(|does| does.starts_with("ask:")).collect();
    let does = marks.get(draw.below(marks.len())).map_or_else(String::new, |it| (*it).clone());
    let key = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Enter", "Escape"];
    let key = key[draw.below(8)].to_owned();
    let text = format!("key {key} at {does}");
    reader.hears(Heard::Key(Key { place: "figure".to_owned(), does, key, ..Key::default() }));
    text
}

#[test]
fn whatever_is_pressed_nothing_breaks() {
    for seed in 0..24 {
        let (mut reader, mut draw) = (Reader::new(), Draw(seed));
        let mut done = Vec::new();
        reader.does("topic", &[]);
        reader.does("send", &[]);
        for _ in 0..70 {
            done.push(act(&mut reader, &mut draw));
            let broken = invariant::check(reader.lab.run().timeline().world());
            assert!(broken.is_empty(), "seed {seed}: {broken:?} after {done:#?}");
            sound(&reader.lab.view(), &format!("seed {seed} after {done:#?}"));
        }
    }
}

/// No name twice among the ids, no key twice among siblings, a name for whatever can be pressed or filled in.
pub(crate) fn sound(node: &Node, when: &str) {
    let mut ids = BTreeSet::new();
    walk(node, &mut |element| {
        if let Some(id) = element.get("id") {
            assert!(ids.insert(id.to_owned()), "two are called {id}: {when}");
        }
        let mut keys = BTreeSet::new();
        for child in element.children.iter().filter_map(Node::as_element) {
            if let Some(key) = &child.key {
                assert!(keys.insert(key.clone()), "two siblings have the key {key}: {when}");
            }
        }
        if element.tag == "button" || element.get("role") == Some("button") {
            assert!(is_named(element), "a button has no name: {element:?} {when}");
        }
        assert!(!element.children.iter().any(is_nothing), "an empty text: {element:?} {when}");
    });
}

fn is_named(element: &Element) -> bool {
    let label = element.get("aria-label").unwrap_or_default();
    let text = Node::Element(element.clone()).text_content();
    !label.trim().is_empty() || !text.trim().is_empty()
}

fn is_nothing(node: &Node) -> bool {
    matches!(node, Node::Html(text) if text.is_empty())
}
