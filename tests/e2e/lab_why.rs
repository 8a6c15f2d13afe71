//! Asking why in the Lab: of everything that is drawn, by mouse, by finger and by keyboard.

use crate::lab_desk::{Desk, at};
use crate::page::key;

/// A topic with records, and a group that has read them.
const SCENE: [&str; 3] = [
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3,2:3:1",
    "printf 'a:1\\nb:2\\nc:3\\na:4\\n' | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t \
     --reader-property parse.key=true --reader-property key.separator=:",
    "hw work --group billing --topic t --from-beginning --time 10 & sleep 12",
];

fn scene(desk: &Desk<'_>) {
    for line in SCENE {
        desk.line(line);
    }
}

fn title(desk: &Desk<'_>) -> String {
    desk.text(".ask-title")
}

/// What the mark with the focus is called.
fn mark(desk: &Desk<'_>) -> String {
    desk.js("return document.activeElement.closest('.lab-draw') ? document.activeElement.getAttribute('aria-label') : ''")
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// A press on a record says what it is and why it is so; the chain leads to the moment, and Esc gives the focus back.
#[test]
fn a_record_by_mouse_and_by_finger() {
    for width in [1280, 320] {
        at(width, |desk| {
            scene(desk);
            let asks = desk.attribute(".lab-draw [data-cell]", "data-cell");
            let (partition, offset) = asks.split_once(':').expect("a place");
            desk.press(&format!("ask:record:t-{partition}:{offset}"));
            let name = format!("t-{partition}, offset {offset}");
            assert!(title(desk).starts_with(&name), "{}", title(desk));
            assert!(desk.exists(&format!(".hw-chosen[data-cell='{asks}']")));
            assert!(desk.status().starts_with(&title(desk)), "{}", desk.status());
            assert!(desk.exists(".ask-facts .ask-fact") && desk.exists(".ask-says"));
            assert!(
                desk.text(".ask-why").contains("kafka-console-producer.sh"),
                "{}",
                desk.text(".ask-why")
            );
            let (here, count) = desk.step();
            let go = desk.attribute(".ask-why > .ask-reason [data-do^='event:']", "data-do");
            desk.press(&go);
            let (then, of) = desk.step();
            assert!(then < here && of == count, "the first reason is earlier: {then} and {here}");
            assert!(title(desk).starts_with(&name), "the panel stays: {}", title(desk));
            desk.shot(&format!("why-{width}"));
            desk.to_the_end();
            desk.focus(".ask-title");
            desk.keys(key::ESCAPE);
            assert!(!desk.exists(".lab-asked"));
            assert_ne!(mark(desk), "", "the focus is back in the drawing");
        });
    }
}

/// By keyboard: arrows to a cell, Enter, the panel with Tab, Esc back to the same cell.
#[test]
fn a_record_by_keyboard() {
    at(1280, |desk| {
        scene(desk);
        desk.focus(".lab-draw [data-do] [tabindex='0']");
        let first = mark(desk);
        desk.keys(key::HOME);
        let mut seen = vec![mark(desk)];
        for press in [key::RIGHT, key::DOWN, key::UP, key::END, key::LEFT] {
            desk.keys(press);
            seen.push(mark(desk));
        }
        assert!(!seen.iter().any(String::is_empty), "{first}: {seen:?}");
        assert!(seen.iter().any(|cell| *cell != seen[0]), "{seen:?}");
        assert_eq!(desk.js("return scrollY"), 0, "the page does not move under the keys");
        let cell = mark(desk);
        desk.keys(key::ENTER);
        assert!(title(desk).starts_with("t-"), "{}", title(desk));
        assert_eq!(desk.focused(), title(desk), "the answer has the focus");
        desk.keys(key::ESCAPE);
        assert!(!desk.exists(".lab-asked"));
        assert_eq!(mark(desk), cell);
        desk.keys(key::SPACE);
        assert!(desk.exists(".lab-asked"));
        assert_eq!(desk.js("return scrollX"), 0);
        desk.focus("[data-do='let-go']");
        desk.keys(key::ENTER);
        assert!(!desk.exists(".lab-asked"));
        assert_eq!(mark(desk), cell, "Close gives the focus back");
    });
}

/// Every kind of thing has an answer: what it is, its numbers, why it is so.
#[test]
fn every_kind_of_thing() {
    at(1280, |desk| {
        scene(desk);
        let mut kinds = Vec::new();
        for view in ["records", "replicas", "groups", "flight"] {
            desk.press(&format!("view:{view}"));
            let deeds = desk.all_deeds();
            for does in deeds.iter().filter(|does| does.starts_with("ask:")) {
                let kind = does.split(':').nth(1).unwrap_or_default().to_owned();
                if kinds.contains(&kind) {
                    continue;
                }
                desk.press(does);
                assert_ne!(title(desk), "", "{does}: {}", desk.text(".lab-side"));
                assert!(desk.exists(".ask-says, .ask-fact"), "{does} says nothing");
                assert!(desk.exists(".ask-why, .ask-none"), "{does} has no why");
                kinds.push(kind);
            }
        }
        for kind in [
            "record",
            "tide",
            "reader",
            "broker",
            "replica",
            "group",
            "member",
            "partition",
            "topic",
            "controller",
        ] {
            assert!(
                kinds.iter().any(|known| known == kind),
                "nothing asks about a {kind}: {kinds:?}"
            );
        }
        desk.press("view:replicas");
        desk.press("ask:broker:3");
        desk.press("type:hw crash 3");
        assert!(desk.text(".ask-why").contains("hw crash 3"), "{}", desk.text(".ask-why"));
    });
}

/// A message on its way has its panel too.
#[test]
fn a_message() {
    at(1280, |desk| {
        scene(desk);
        desk.press("view:flight");
        desk.fill("[data-do=detail]", "yes");
        for _ in 0..20 {
            if desk.exists("[data-do^='ask:request:']") {
                break;
            }
            desk.press("back");
        }
        let asks = desk.attribute("[data-do^='ask:request:']", "data-do");
        desk.press(&asks);
        assert_ne!(title(desk), "");
        assert!(desk.exists(".ask-facts .ask-fact"));
        assert!(desk.all_deeds().iter().any(|does| does.starts_with("type:hw drop ")));
    });
}

/// Another answer follows a press inside the panel, and where the thing is not there the panel says so.
#[test]
fn from_thing_to_thing() {
    at(1280, |desk| {
        scene(desk);
        desk.press("view:replicas");
        desk.press("ask:replica:t-0@1");
        let first = title(desk);
        let link = desk.attribute(".ask .ask-link", "data-do");
        desk.press(&link);
        assert_ne!(title(desk), first, "{link}");
        desk.press("view:records");
        let cell = desk.attribute(".lab-draw .hw-cell", "data-do");
        desk.press(&cell);
        desk.focus(".track-input");
        desk.keys(key::HOME);
        assert!(desk.exists(".lab-asked"), "the panel stays");
        assert!(!desk.text(".lab-asked").is_empty());
    });
}

/// What has the focus, as its `data-do`; else as its tag or id.
fn focus(desk: &Desk<'_>) -> String {
    let script = "const it = document.activeElement;\
                  return it.getAttribute('data-do') ?? it.closest('.lab-draw [data-do]')?.getAttribute('data-do')\
                  ?? (it.id || it.localName)";
    desk.js(script).as_str().unwrap_or_default().to_owned()
}

/// Esc leads back to what was pressed, in every figure; on the way each answer's title is read.
#[test]
fn the_way_back_by_keyboard() {
    at(1280, |desk| {
        scene(desk);
        for (view, kinds) in [
            ("groups", &["ask:group:", "ask:member:", "ask:partition:"][..]),
            ("records", &["ask:record:", "ask:reader:"][..]),
            ("replicas", &["ask:replica:", "ask:broker:"][..]),
        ] {
            desk.press(&format!("view:{view}"));
            for kind in kinds {
                let does = desk.attribute(&format!(".lab-draw [data-do^='{kind}']"), "data-do");
                let mark = format!("[data-do='{does}']");
                desk.focus(&format!(".lab-draw {mark} [tabindex], .lab-draw button{mark}"));
                desk.keys(key::ENTER);
                assert_eq!(focus(desk), "ask-title", "{does}");
                desk.keys(key::TAB);
                assert_eq!(focus(desk), "let-go", "Close stands behind the title");
                if desk.exists(".ask .ask-link") {
                    desk.focus(".ask .ask-link");
                    desk.keys(key::ENTER);
                    assert_eq!(focus(desk), "ask-title", "from {does} on");
                }
                desk.keys(key::ESCAPE);
                assert!(!desk.exists(".lab-asked"));
                assert_eq!(focus(desk), does, "Esc leads back");
            }
        }
    });
}

/// To the moment of a reason by keyboard: the focus stays in the panel, also where that moment has no such list.
#[test]
fn to_a_reason_by_keyboard() {
    at(1280, |desk| {
        scene(desk);
        desk.press("view:groups");
        desk.press(&desk.attribute(".lab-draw [data-do^='ask:member:']", "data-do"));
        for _ in 0..3 {
            let reasons = ".ask-why > .ask-reason [data-do^='event:']";
            if !desk.exists(reasons) {
                break;
            }
            desk.focus(reasons);
            desk.keys(key::ENTER);
            let at = focus(desk);
            assert!(at == "ask-title" || at.starts_with("event:"), "the focus is lost: {at}");
        }
    });
}

/// An open menu lies inside the window, however wide that is, and closes when the focus leaves it.
#[test]
fn a_menu_in_the_window() {
    for width in [320, 480, 768, 1024, 1280] {
        at(width, |desk| {
            for menu in ["share", "jump", "more"] {
                desk.focus(&format!("[data-do='menu:{menu}']"));
                desk.keys(key::ENTER);
                let script = "const box = document.querySelector('.lab-menu-list').getBoundingClientRect();\
                              return box.left >= 0 && box.right <= document.documentElement.clientWidth";
                assert_eq!(desk.js(script), true, "{menu} at {width}");
                desk.focus(".lab-menu-list button:last-child");
                desk.keys(key::TAB);
                assert!(!desk.exists(".lab-menu-list"), "{menu} at {width}");
                assert_ne!(focus(desk), "body", "{menu} at {width}");
            }
        });
    }
}
