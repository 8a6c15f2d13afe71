//! Geometry: nothing overlaps, nothing sticks out, and costs do not grow with what a log holds.

#![allow(clippy::unwrap_used, dead_code, reason = "helpers of tests; some fields are only printed")]

use std::rc::Rc;

use highwater_core::controller::records::{PartitionImage, TopicImage};
use highwater_core::ids::{
    BrokerId, Bytes, Offset, PartitionId, TopicId, TopicName, TopicPartition,
};
use highwater_core::log::record::Record;
use highwater_core::log::record_batch::Proposal;
use highwater_core::log::unified_log::LogConfig;
use highwater_core::mutation::Mutation;
use highwater_core::net::message::Acks;
use highwater_core::replication::partition::{Circumstances, Partition};
use highwater_core::scope::Lab;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::snapshot::{PartitionView, ReaderView, Snapshot, TopicView};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

const KEYS: [&str; 6] = ["locker-7", "locker-2", "locker-9", "locker-4", "locker-5", "x"];
const VALUES: [&str; 4] = ["PARCEL_DROPPED", "CODE_SENT", "PARCEL_COLLECTED", "a longer text"];

/// A topic "t" whose partitions hold so many records each, and its readers.
fn snapshot(counts: &[usize], readers: &[(&str, i32, i64)]) -> Snapshot {
    let name = TopicName::new("t");
    let partition = |count: usize| {
        let id = TopicPartition::new(&name, PartitionId(0));
        let config = Rc::new(LogConfig::default());
        let mut partition = Partition::new(id, TopicId(1), BrokerId(1), config);
        let nobody = |_| false;
        let at = Circumstances {
            now: SimTime(0),
            started: SimTime(0),
            mutation: Mutation::None,
            lag_time_max: SimDuration(0),
            checkpoint_interval: SimDuration(0),
            is_eligible: &nobody,
        };
        partition.make_leader(&PartitionImage::new(vec![BrokerId(1)], |_| true, None), at);
        let records: Vec<Record> = (0..count)
            .map(|n| Record {
                key: (n % 7 != 6).then(|| Bytes::from(KEYS[n % 6].as_bytes())),
                value: (n % 11 != 10).then(|| Bytes::from(VALUES[n % 4].as_bytes())),
                timestamp: 0,
                headers: Vec::new(),
            })
            .collect();
        for batch in records.chunks(500) {
            let proposal = Proposal::from(Rc::from(batch));
            let contact = |_| SimTime(0);
            partition.append_records_to_leader(&proposal, Acks::All, None, &contact, at).unwrap();
        }
        Some(Rc::new(partition))
    };
    let partitions = (0..)
        .zip(counts)
        .map(|(id, count)| PartitionView {
            id: PartitionId(id),
            leader: Some(BrokerId(1)),
            replica: partition(*count),
        })
        .collect();
    let image =
        TopicImage { id: TopicId(1), partitions: vec![], configs: vec![], created_by: None };
    let readers = readers.iter().map(|(reader, partition, next)| ReaderView {
        name: (*reader).to_owned(),
        positions: vec![(TopicPartition::new(&name, PartitionId(*partition)), Offset(*next))],
    });
    Snapshot {
        now: SimTime(0),
        step: 0,
        readers: readers.collect(),
        topics: vec![TopicView { name: name.clone(), image: Rc::new(image), partitions }],
        cluster: Lab::default(),
    }
}

/// Something drawn, with the room it takes.
#[derive(Clone, Debug)]
struct Drawn {
    what: String,
    is_text: bool,
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Drawn {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn inside(&self, other: &Self) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }
}

fn number(node: &crate::node::Element, name: &str) -> i32 {
    node.get(name).unwrap_or("0").parse().unwrap()
}

/// Boxes and texts of a drawing, as far as they must keep apart, and lines on their own.
fn drawn(node: &Node, font: i32, out: &mut Vec<Drawn>, lines: &mut Vec<Drawn>) {
    let Some(element) = node.as_element() else { return };
    let class = element.get("class").unwrap_or_default();
    let (x, y) = (number(element, "x"), number(element, "y"));
    let what = [class, " ", &node.text_content()].concat();
    match element.tag {
        "rect" if class == "hw-cursor" || class == "hw-hit" => {}
        "rect" => out.push(Drawn {
            what,
            is_text: false,
            left: x,
            top: y,
            right: x + number(element, "width"),
            bottom: y + number(element, "height"),
        }),
        "text" => {
            let face = match class.split(' ').next().unwrap_or_default() {
                "hw-label" | "hw-key-letter" | "hw-tide-label" | "hw-warn-label" => Face::Label,
                "hw-offset" | "hw-next-label" => Face::Tiny,
                "hw-value" => Face::Value,
                _ => Face::Small,
            };
            let parts = element.children.iter().map(|part| {
                let dx = part.as_element().map_or(0, |span| number(span, "dx"));
                dx + face.width(&part.text_content(), font)
            });
            let width: i32 = parts.sum();
            let left = match class {
                _ if class.contains("hw-mid") => x - width / 2,
                _ if class.contains("hw-end") => x - width,
                _ => x,
            };
            let size = face.size(font);
            let (top, bottom) = (y - size * 3 / 4, y + size / 5);
            assert!(size >= 12, "{what} is too small");
            out.push(Drawn { what, is_text: true, left, top, right: left + width, bottom });
        }
        "path" if class != "hw-mark" => lines.push(path(what, element.get("d").unwrap())),
        _ => element.children.iter().for_each(|child| drawn(child, font, out, lines)),
    }
}

/// The room of a path of straight pieces and flat waves.
fn path(what: String, d: &str) -> Drawn {
    let spaced: String = d
        .chars()
        .flat_map(|c| match c {
            c if c.is_ascii_alphabetic() => vec![' ', c, ' '],
            '-' => vec![' ', '-'],
            c => vec![c],
        })
        .collect();
    let mut words = spaced.split_whitespace().peekable();
    let (mut x, mut y) = (0, 0);
    let mut room = Drawn {
        what,
        is_text: false,
        left: i32::MAX,
        top: i32::MAX,
        right: i32::MIN,
        bottom: i32::MIN,
    };
    let mut command = "";
    while let Some(word) = words.peek() {
        if word.parse::<i32>().is_err() {
            command = words.next().unwrap();
            if command == "z" {
                continue;
            }
        }
        let mut next = || words.next().unwrap().parse::<i32>().unwrap();
        match command {
            "M" => (x, y) = (next(), next()),
            "m" | "l" | "t" => (x, y) = (x + next(), y + next()),
            "H" => x = next(),
            "V" => y = next(),
            "h" => x += next(),
            "v" => y += next(),
            "q" => {
                let _control = (next(), next());
                (x, y) = (x + next(), y + next());
            }
            other => panic!("path command {other}"),
        }
        room.left = room.left.min(x);
        room.right = room.right.max(x);
        room.top = room.top.min(y);
        room.bottom = room.bottom.max(y);
    }
    room
}

/// Asserts what every drawing must hold.
fn check(scene: &Scene, font: i32, context: &str) {
    let (mut boxes, mut lines) = (Vec::new(), Vec::new());
    drawn(&scene.svg, font, &mut boxes, &mut lines);
    for item in boxes.iter().chain(&lines) {
        assert!(
            item.left >= 0
                && item.top >= 0
                && item.right <= scene.width
                && item.bottom <= scene.height,
            "{context}: outside {}x{}: {item:?}",
            scene.width,
            scene.height
        );
    }
    for (index, one) in boxes.iter().enumerate() {
        for other in &boxes[index + 1..] {
            let belongs = one.is_text != other.is_text && (one.inside(other) || other.inside(one));
            assert!(!one.meets(other) || belongs, "{context}: {one:?} meets {other:?}");
        }
        for line in lines.iter().filter(|_| one.is_text) {
            assert!(!one.meets(line), "{context}: {one:?} meets {line:?}");
        }
    }
    for hit in &scene.hits {
        assert!(hit.rect.width >= 24 && hit.rect.height >= 24, "{context}: small {hit:?}");
        assert!(
            hit.rect.x >= 0 && hit.rect.x + hit.rect.width <= scene.width,
            "{context}: outside {hit:?}"
        );
    }
}

fn count(node: &Node) -> usize {
    1 + node.children().iter().map(count).sum::<usize>()
}

const FILLINGS: [&[usize]; 9] = [
    &[0],
    &[3, 2, 1],
    &[5, 1, 0],
    &[1, 0, 40],
    &[7],
    &[10_000, 3],
    &[1_000, 999, 998, 5, 6],
    &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    &[12, 0, 120, 1_234, 9, 10_000, 2, 2, 2, 2, 2, 1],
];

/// For many widths, contents, two font sizes, scrolled or not, with and without readers and tide.
#[test]
fn nothing_overlaps_or_sticks_out() {
    for (filling, counts) in FILLINGS.iter().enumerate() {
        let last = i64::try_from(counts[0]).unwrap();
        let readers = [
            ("analytics", 0, last),
            ("billing", 0, last.min(1)),
            ("a-reader-with-a-long-name", 0, 0),
        ];
        for readers in [&readers[..], &[]] {
            let snapshot = snapshot(counts, readers);
            for width in (240..=1_400).step_by(if cfg!(target_arch = "wasm32") { 97 } else { 29 }) {
                for (font, scroll) in [(16, 0), (16, 3), (32, 0), (32, 100_000)] {
                    let mut figure = LogFigure::new(&snapshot, "t", width);
                    figure.font = font;
                    figure.scroll = scroll;
                    figure.tide = filling % 2 == 1;
                    let scene = figure.scene();
                    let context =
                        format!("{counts:?} width {width} font {font} scroll {scroll} {readers:?}");
                    assert_eq!(scene.width, width);
                    check(&scene, font, &context);
                }
            }
        }
    }
}

/// The high watermark may stand anywhere; what lies beyond it is dashed and not readable.
#[test]
fn the_tide_stands_where_the_high_watermark_is() {
    for end in [0, 1, 5, 30] {
        let snapshot = snapshot(&[end], &[("analytics", 0, 0)]);
        let topic = &snapshot.topics[0];
        for high_watermark in 0..=i64::try_from(end).unwrap() {
            for width in [240, 288, 480, 640, 1_000] {
                let figure = LogFigure::new(&snapshot, "t", width);
                let mut lanes = lanes(&snapshot, topic, None);
                lanes[0].high_watermark = high_watermark;
                let scene = figure.draw(lanes, &topic.partitions);
                check(&scene, 16, &format!("{high_watermark} of {end} at {width}"));
                let svg = crate::node::to_string(&scene.svg);
                let has_tide = high_watermark < i64::try_from(end).unwrap();
                assert_eq!(svg.contains("hw-tide-words"), has_tide);
                let beyond = scene.hits.iter().filter(|hit| hit.label.contains("not readable"));
                assert_eq!(beyond.count(), svg.matches("hw-beyond").count());
            }
        }
    }
}

/// Where retention has removed the start, the edge is torn and the first offset is not 0.
#[test]
fn a_log_may_start_late() {
    let snapshot = snapshot(&[6], &[]);
    let topic = &snapshot.topics[0];
    let figure = LogFigure::new(&snapshot, "t", 640);
    let mut lanes = lanes(&snapshot, topic, None);
    lanes[0].start = 4;
    let scene = figure.draw(lanes, &topic.partitions);
    check(&scene, 16, "late start");
    let cells: Vec<&What> = scene.hits.iter().map(|hit| &hit.what).collect();
    let cell = |offset| What::Cell(CellId { partition: 0, offset });
    assert_eq!(cells, [&cell(4), &cell(5)]);
    assert!(crate::node::to_string(&scene.svg).contains("hw-torn"));
}

/// A tree of 10,000 records is as large as one of 100.
#[test]
fn only_visible_cells_are_in_the_tree() {
    let size = |records: usize| {
        let snapshot = snapshot(&[records; 12], &[]);
        let scene = LogFigure::new(&snapshot, "t", 1_000).scene();
        (count(&scene.svg), count(&scene.table), scene.hits.len())
    };
    assert_eq!(size(100), size(10_000));
    assert!(size(10_000).0 < 2_000);
}

/// Each step back shows older records; the oldest end and the newest end can be reached.
#[test]
fn scrolling_reaches_every_record() {
    let snapshot = snapshot(&[40, 3], &[]);
    let mut seen = std::collections::BTreeSet::new();
    let mut figure = LogFigure::new(&snapshot, "t", 400);
    let most = figure.scene().scroll_most;
    for scroll in 0..=most {
        figure.scroll = scroll;
        for hit in figure.scene().hits {
            if let What::Cell(id) = hit.what {
                seen.insert(id);
            }
        }
    }
    assert_eq!(seen.len(), 43);
    figure.scroll = most;
    assert!(figure.scene().hits.iter().all(|hit| hit.what != What::Older));
    figure.scroll = most + 1;
    let same = figure.scene();
    figure.scroll = most;
    assert_eq!(same, figure.scene());
}

/// A phone in its narrowest form shows three lanes in about 260 px.
#[test]
fn three_lanes_fit_a_phone() {
    let snapshot = snapshot(&[5, 1, 0], &[]);
    let scene = LogFigure::new(&snapshot, "t", 288).scene();
    assert!(scene.height <= 260, "{}", scene.height);
    assert_eq!(scene.scroll_most, 0, "five records and the next slot fit side by side");
}

/// One cell is reached by Tab: the one that had the focus, else the first; a page without engine
/// has none.
#[test]
fn one_tab_stop() {
    let snapshot = snapshot(&[3, 2], &[("analytics", 0, 3)]);
    let mut figure = LogFigure::new(&snapshot, "t", 640);
    let stops = |figure: &LogFigure<'_>| {
        let svg = crate::node::to_string(&figure.scene().svg);
        let parts: Vec<&str> = svg.split("tabindex=\"0\"").collect();
        // The cell that a stop belongs to is the last one named before it.
        let cell = |before: &str| {
            let at = before.rfind("data-cell=\"").unwrap() + "data-cell=\"".len();
            before[at..].split('"').next().unwrap().to_owned()
        };
        parts[..parts.len() - 1].iter().map(|before| cell(before)).collect::<Vec<_>>()
    };
    assert_eq!(stops(&figure), ["0:0"]);
    figure.focus = CellId::parse("1:1");
    assert_eq!(stops(&figure), ["1:1"]);
    figure.focus = CellId::parse("1:7");
    assert_eq!(stops(&figure), ["0:0"]);
    figure.live = false;
    assert!(stops(&figure).is_empty());
    assert!(figure.scene().hits.is_empty());
}

/// A missing topic and a partition without leader are said in words.
#[test]
fn nothing_to_draw() {
    let mut snapshot = snapshot(&[3, 2], &[]);
    let scene = LogFigure::new(&snapshot, "other", 300).scene();
    check(&scene, 16, "no topic");
    assert_eq!(scene.svg.text_content(), "There is no topic other yet.");
    snapshot.topics[0].partitions[1].replica = None;
    for width in [240, 640] {
        let scene = LogFigure::new(&snapshot, "t", width).scene();
        check(&scene, 16, "no leader");
        assert!(scene.svg.text_content().contains("no leader"));
    }
}

/// The texts of the drawing's elements of a class, in order.
fn texts(node: &Node, class: &str, out: &mut Vec<String>) {
    let Some(element) = node.as_element() else { return };
    if element.get("class").is_some_and(|all| all.split(' ').any(|one| one == class)) {
        out.push(node.text_content());
    }
    element.children.iter().for_each(|child| texts(child, class, out));
}

/// A cell shows a value's words whole or leaves the value out: "collected" is never cut.
#[test]
fn values_of_the_lesson_are_not_cut() {
    let snapshot = snapshot(&[3, 2, 1], &[]);
    let mut shown = 0;
    for font in [16, 20, 24, 32] {
        for width in (30 * font..=90 * font).step_by(3) {
            let mut figure = LogFigure::new(&snapshot, "t", width);
            (figure.font, figure.slots) = (font, 6);
            let mut values = Vec::new();
            texts(&figure.scene().svg, "hw-value", &mut values);
            shown += values.iter().filter(|value| *value == "collected").count();
            assert!(!values.concat().contains('\u{2026}'), "{width} px, font {font}: {values:?}");
        }
    }
    assert!(shown > 300, "values are shown");
}

/// What a reader will read next is said at every width, and its lag in brackets where it fits.
#[test]
fn readers_say_what_is_next() {
    let snapshot = snapshot(&[3, 2, 1], &[("analytics", 0, 3), ("billing", 0, 1)]);
    let said = |width| {
        let mut figure = LogFigure::new(&snapshot, "t", width);
        figure.slots = 6;
        let mut said = Vec::new();
        texts(&figure.scene().svg, "hw-reader", &mut said);
        said
    };
    assert_eq!(said(286), ["analytics, next 3", "billing, next 1"]);
    let whole = ["analytics, next 3 (0 behind the end)", "billing, next 1 (2 behind the end)"];
    assert_eq!(said(564), whole);
}
