//! The puzzle's figures, byte for byte: SVG and text, wide and narrow, natively and as wasm.
//! `UPDATE_EXPECT=1 cargo test -p highwater-scene` writes the files anew.

mod driver;

use driver::puzzle;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::keys::Keys;
use highwater_scene::log_figure::{CellId, LogFigure, What, fresh};
use highwater_scene::node::to_string;
use highwater_scene::picture::style::{Sheet, Theme};
use highwater_scene::picture::{Picture, View};
use highwater_scene::{text, words};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Compares with a file under tests/golden, or writes it.
macro_rules! expect_golden {
    ($name:literal, $actual:expr) => {
        let actual: String = $actual;
        #[cfg(not(target_arch = "wasm32"))]
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/", $name);
            std::fs::write(path, &actual).unwrap();
            return;
        }
        let mut expected = include_str!(concat!("golden/", $name)).lines();
        for line in actual.lines() {
            assert_eq!(Some(line), expected.next(), $name);
        }
        assert_eq!(expected.next(), None, $name);
    };
}

fn keys() -> Keys {
    Keys::of(&["locker-7", "locker-2", "locker-9", "locker-4"])
}

/// Drawing, legend and table, a line for each start of an element, so that a change can be read.
fn drawing(snapshot: &Snapshot, width: i32) -> String {
    let mut figure = LogFigure::new(snapshot, "parcel-events", width);
    figure.keys = keys();
    figure.slots = 6;
    let scene = figure.scene();
    let parts = [&scene.svg, &scene.legend, &scene.table].map(to_string);
    let mut out = parts.join("\n");
    for tag in ["<g", "<rect", "<text", "<path", "<circle", "<span", "<tr", "<caption", "</svg"] {
        out = out.replace(tag, &["\n", tag].concat());
    }
    out.push('\n');
    out
}

fn lines(snapshot: &Snapshot) -> String {
    text::render(snapshot, "parcel-events", &keys(), 100)
}

/// Java's client: one locker a partition.
#[test]
fn java_wide() {
    expect_golden!("java-640.svg", drawing(&puzzle("java").snapshot(), 640));
}

/// The same in a window of 320 px.
#[test]
fn java_narrow() {
    expect_golden!("java-288.svg", drawing(&puzzle("java").snapshot(), 288));
}

/// As text.
#[test]
fn java_text() {
    expect_golden!("java.txt", lines(&puzzle("java").snapshot()));
}

/// CRC-32: five of six records in partition 0; two readers of it.
fn crc32_with_readers() -> Snapshot {
    let mut run = puzzle("librdkafka");
    run.line("read analytics parcel-events 0 100");
    run.line("read billing parcel-events 0 1");
    run.snapshot()
}

/// Five of six in partition 0, analytics at 5, billing at 1.
#[test]
fn crc32_wide() {
    expect_golden!("crc32-640.svg", drawing(&crc32_with_readers(), 640));
}

/// The same in a window of 320 px.
#[test]
fn crc32_narrow() {
    expect_golden!("crc32-288.svg", drawing(&crc32_with_readers(), 288));
}

/// As text.
#[test]
fn crc32_text() {
    expect_golden!("crc32.txt", lines(&crc32_with_readers()));
}

/// A picture for other people's pages, with styles and all: narrow, so that the legend takes two rows.
#[test]
fn a_picture() {
    let snapshot = crc32_with_readers();
    let picture = Picture {
        snapshot: &snapshot,
        view: View::Log,
        topics: &["parcel-events", "nope"],
        width: 340,
        font: 16,
        keys: keys(),
    };
    let sheet = Sheet {
        tokens: include_str!("../../../web/style/tokens.css"),
        marks: include_str!("../../../web/style/marks.css"),
    };
    let svg = to_string(&picture.svg(&sheet.style(Theme::Auto, 16)));
    let mut out = svg.replace('}', "}\n");
    for tag in ["<g", "<rect", "<text", "<path", "<circle", "</svg"] {
        out = out.replace(tag, &["\n", tag].concat());
    }
    expect_golden!("picture-340.svg", out);
}

/// Its text twin, of a topic and of none.
#[test]
fn a_picture_as_text() {
    let snapshot = crc32_with_readers();
    let of = |topics: &[&str]| {
        Picture { snapshot: &snapshot, view: View::Log, topics, width: 340, font: 16, keys: keys() }
            .text()
    };
    let moment = words::moment(snapshot.now);
    assert_eq!(
        of(&["parcel-events"]),
        format!(
            "After {moment}\n\nparcel-events\n{}",
            text::render(&snapshot, "parcel-events", &keys(), 8)
        )
    );
    assert_eq!(of(&[]), format!("After {moment}\n\nThere is no topic yet.\n"));
}

/// The facts of lesson 1, point 1, are in the figure: where records stand, and their letters.
#[test]
fn the_puzzle_lands_where_it_must() {
    for (family, places) in [
        ("java", ["0:0", "1:0", "0:1", "2:0", "0:2", "1:1"]),
        ("librdkafka", ["0:0", "0:1", "0:2", "1:0", "0:3", "0:4"]),
        ("kafka-go", ["0:0", "1:0", "0:1", "1:1", "0:2", "1:2"]),
    ] {
        let snapshot = puzzle(family).snapshot();
        let scene = LogFigure::new(&snapshot, "parcel-events", 640).scene();
        let mut found: Vec<String> = scene
            .hits
            .iter()
            .filter_map(|hit| if let What::Cell(id) = hit.what { Some(id.text()) } else { None })
            .collect();
        found.sort();
        let mut expected = places.map(String::from);
        expected.sort();
        assert_eq!(found, expected, "{family}");
        // Without an order that was set, letters follow the order in which records came.
        assert_eq!(scene.legend.text_content(), "A = locker-7B = locker-2C = locker-9");
    }
}

/// The fourth key shares partition 0 and gets the fourth letter.
#[test]
fn keys_share_partitions() {
    let mut run = puzzle("java");
    let events = run.line("send java parcel-events locker-4=PARCEL_DROPPED");
    let snapshot = run.snapshot();
    let fresh = fresh("parcel-events", &events);
    let mut figure = LogFigure::new(&snapshot, "parcel-events", 640);
    figure.fresh = &fresh;
    figure.selected = CellId::parse("0:0");
    let scene = figure.scene();
    let svg = to_string(&scene.svg);
    assert_eq!(svg.matches("hw-new").count(), 1);
    assert!(svg.contains("class=\"hw-cell hw-key-d hw-new\""));
    assert!(svg.contains("class=\"hw-cell hw-key-a hw-chosen\""));
    assert_eq!(
        scene.hits[3].label,
        "partition 0, offset 3: key locker-4, PARCEL_DROPPED, readable"
    );
}

/// Two runs of the same world give the same picture, and letters handed on do not change.
#[test]
fn pictures_are_stable() {
    let snapshot = crc32_with_readers();
    let one = LogFigure::new(&snapshot, "parcel-events", 500).scene();
    let mut next = LogFigure::new(&snapshot, "parcel-events", 500);
    next.keys = one.keys.clone();
    assert_eq!(one, next.scene());
    let again = crc32_with_readers();
    assert_eq!(one, LogFigure::new(&again, "parcel-events", 500).scene());
}
