//! The figure by keyboard, and a large cluster in a window of 1280 by 800.

use std::collections::BTreeSet;

use highwater_lab::heard::Key;
use highwater_lab::{Heard, Wish};
use highwater_scene::node::Node;

use crate::Reader;
use crate::reader::walk;

fn key(reader: &mut Reader, does: &str, key: &str) -> bool {
    reader.hears(Heard::Key(Key {
        place: "figure".to_owned(),
        does: does.to_owned(),
        key: key.to_owned(),
        ..Key::default()
    }))
}

/// The mark that Tab reaches.
fn stop(reader: &mut Reader) -> String {
    let (mut inside, mut stop) = (String::new(), Vec::new());
    walk(&reader.lab.view(), &mut |element| {
        if let Some(does) = element.get("data-do") {
            inside = does.to_owned();
        }
        if element.get("class") == Some("hw-hit") && element.get("tabindex") == Some("0") {
            stop.push(inside.clone());
        }
    });
    assert_eq!(stop.len(), 1, "one stop for Tab: {stop:?}");
    stop.remove(0)
}

fn marks(reader: &mut Reader, kind: &str) -> BTreeSet<String> {
    let seen = reader.seen().into_iter();
    seen.filter(|does| does.starts_with(kind)).collect()
}

#[test]
fn arrow_keys_reach_every_record_and_every_replica() {
    let mut reader = Reader::new();
    reader.types("kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 3 --replication-factor 3");
    for n in 0..7 {
        reader.does("send", &[("topic", "t"), ("key", &n.to_string())]);
    }
    for (view, kind) in [("records", "ask:record:"), ("replicas", "ask:replica:")] {
        reader.press(&format!("view:{view}"));
        let all = marks(&mut reader, kind);
        let mut reached = BTreeSet::new();
        let first = stop(&mut reader);
        reached.insert(first.clone());
        let mut waiting = vec![first];
        while let Some(at) = waiting.pop() {
            for arrow in ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"] {
                assert!(key(&mut reader, &at, arrow), "{arrow} at {at}");
                assert!(matches!(reader.wishes.last(), Some(Wish::Focus(_))));
                let now = stop(&mut reader);
                if reached.insert(now.clone()) {
                    waiting.push(now);
                }
            }
        }
        assert!(all.is_subset(&reached), "{view}: not reached: {:?}", all.difference(&reached));
    }
}

#[test]
fn enter_asks_and_escape_returns() {
    let mut reader = Reader::new();
    reader.does("topic", &[("topic", "t"), ("partitions", "1")]);
    reader.does("send", &[]);
    let mark = stop(&mut reader);
    assert!(key(&mut reader, &mark, "Enter"));
    assert!(reader.lab.announced().contains("t-0, offset 0"), "{}", reader.lab.announced());
    assert!(
        reader.text().contains("murmur2"),
        "the chain of causes says how the partition was found"
    );
    assert!(key(&mut reader, &mark, "Escape"));
    assert_eq!(reader.lab.asked(), None);
    assert!(!key(&mut reader, &mark, "Escape"), "the second one is the page's");
    assert!(!key(&mut reader, &mark, "x"), "other keys are the browser's");
}

/// What a practitioner looks for first, a line for each partition.
#[test]
fn partitions_are_a_table() {
    let mut reader = Reader::new();
    reader.types("kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 2:3:1");
    reader.does("send", &[("topic", "t"), ("count", "4")]);
    reader.types("hw crash 2");
    reader.press("jump:election");
    reader.press("view:replicas");
    let mut rows = Vec::new();
    walk(&reader.lab.view(), &mut |element| {
        if element.key.as_deref() == Some("t-0") && element.tag == "tr" {
            let cells = element.children.iter().map(highwater_scene::node::Node::text_content);
            rows.push(cells.collect::<Vec<_>>());
        }
    });
    // The new leader has not heard yet how far the old one let readers go.
    assert_eq!(rows, [["t-0", "3", "1", "1", "2, 3, 1", "3, 1", "0", "0", "4"]]);
}

/// 12 partitions, three replicas each, five brokers: all in sight below the head of the page.
#[test]
fn a_large_cluster_fits() {
    let mut reader = Reader::new();
    reader.types(
        "#! brokers 5\n$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 12 \
         --replication-factor 3\n",
    );
    reader.press("view:replicas");
    reader.hears(Heard::Value { does: "seek".to_owned(), value: "99".to_owned() });
    assert_eq!(marks(&mut reader, "ask:replica:").len(), 36);
    let mut height = 0;
    walk(&reader.lab.view(), &mut |element| {
        if element.get("class") == Some("hw-cluster") {
            height = element.get("height").and_then(|text| text.parse().ok()).unwrap_or(0);
        }
    });
    // The head of the page, the bar above the sheet, the sentence and the choice of a figure take the rest.
    assert!((1..=560).contains(&height), "{height} px");
}

fn focused(reader: &Reader) -> String {
    let wish = reader.wishes.iter().rev().find_map(|wish| match wish {
        Wish::Focus(selector) => Some(selector.clone()),
        _ => None,
    });
    wish.unwrap_or_default()
}

/// The matrix and the records of an opened partition are walked each for itself; brokers are above the matrix.
#[test]
fn each_drawing_is_walked_for_itself() {
    let mut reader = Reader::new();
    reader.types("kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3");
    reader.does("send", &[("topic", "t"), ("count", "3")]);
    reader.press("view:replicas");
    reader.press("ask:replica:t-0@2");
    let seen = reader.seen();
    for does in ["cell:1:record:t-0:0", "cell:2:record:t-0:2", "cell:3:record:t-0:1"] {
        assert!(seen.iter().any(|known| known == does), "{does} in {seen:?}");
    }
    assert!(key(&mut reader, "cell:1:record:t-0:0", "ArrowRight"));
    assert!(focused(&reader).starts_with("[data-do='cell:1:record:t-0:1'] [tabindex]"));
    assert!(key(&mut reader, "cell:1:record:t-0:1", "ArrowDown"));
    assert!(focused(&reader).starts_with("[data-do='cell:2:record:t-0:1'] [tabindex]"));
    assert!(key(&mut reader, "cell:2:record:t-0:1", "Enter"));
    assert_eq!(focused(&reader), "#ask-title", "the answer is read next");
    assert!(reader.lab.announced().contains("t-0, offset 1"), "{}", reader.lab.announced());
    assert!(key(&mut reader, "ask:replica:t-0@2", "ArrowUp"));
    assert!(focused(&reader).starts_with("[data-do='ask:broker:2'] [tabindex]"));
    assert!(key(&mut reader, "ask:broker:2", "Enter"));
    reader.press("type:hw crash 2");
    assert_eq!(focused(&reader), "#ask-title", "the button is gone, its focus is not");
    let escape = Key { place: "side".to_owned(), key: "Escape".to_owned(), ..Key::default() };
    assert!(reader.hears(Heard::Key(escape)));
    assert!(focused(&reader).starts_with("[data-do='ask:broker:2'] [tabindex]"));
}

/// Everything that is said by ear of the drawing.
fn labels(reader: &mut Reader) -> Vec<String> {
    let mut labels = Vec::new();
    walk(&reader.lab.view(), &mut |element| {
        labels.extend(element.get("aria-label").map(str::to_owned));
    });
    labels
}

/// What lies beyond the high watermark is dashed, and says so by ear; what does not is not called so.
#[test]
fn a_record_beyond_the_tide_says_so_in_every_view() {
    let mut reader = Reader::new();
    for line in [
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3",
        "hw produce --topic t --value first",
        "hw pause 3",
        "hw produce --topic t --value second --acks 1",
    ] {
        reader.types(line);
    }
    reader.press("view:replicas");
    reader.press("ask:replica:t-0@1");
    let labels = labels(&mut reader);
    let of = |start: &str| {
        let found = labels.iter().find(|label| label.starts_with(start));
        found.unwrap_or_else(|| panic!("{start} is not in {labels:#?}")).clone()
    };
    assert_eq!(of("broker 1, offset 0"), "broker 1, offset 0: no key, first");
    assert_eq!(of("broker 1, offset 1"), "broker 1, offset 1: no key, second, not readable yet");
    assert_eq!(
        of("broker 2, offset 1"),
        "broker 2, offset 1: no key, second, beyond the high watermark that this broker knows"
    );
    reader.press("ask:replica:t-0@3");
    let title = reader.lab.announced().to_owned();
    assert!(title.starts_with("t-0 on broker 3, paused: follower, in the ISR."), "{title}");
}

/// What waits at a broker is listed below what is on its way, and can be asked about.
#[test]
fn requests_that_wait_are_in_the_list() {
    let mut reader = Reader::new();
    for line in [
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3",
        "hw pause 3",
        "echo x | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t &",
        "sleep 2",
    ] {
        reader.types(line);
    }
    reader.press("view:flight");
    let text = reader.text();
    assert!(text.contains("broker 1 waits for its in-sync replicas"), "{text}");
    let mut asks = Vec::new();
    walk(&reader.lab.view(), &mut |element| {
        if element.get("class") == Some("lab-waiting") {
            walk(&Node::Element(element.clone()), &mut |it| {
                asks.extend(it.get("data-do").map(str::to_owned));
            });
        }
    });
    assert!(!asks.is_empty());
    for does in asks {
        reader.hears(Heard::Press(does.clone()));
        let said = reader.lab.announced();
        assert!(
            said.contains("has not answered it yet") || said.contains("is paused"),
            "{does}: {said}"
        );
    }
}
