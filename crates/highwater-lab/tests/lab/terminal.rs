//! The terminals: tabs, history, completion, keys, pasted transcripts, long output.

use std::rc::Rc;

use highwater_core::ids::TerminalId;
use highwater_core::world::stream::TerminalState;
use highwater_lab::heard::Key;
use highwater_lab::{Heard, Wish};
use highwater_scene::node::Node;

use crate::Reader;

const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions 2";

/// What the prompt holds after the last wish to fill it.
fn prompt(reader: &Reader) -> Option<&str> {
    reader.wishes.iter().rev().find_map(|wish| match wish {
        Wish::Fill { value, .. } => Some(value.as_str()),
        _ => None,
    })
}

fn screen(reader: &Reader, terminal: u32) -> String {
    let chunks = reader.lab.run().timeline().world().output(TerminalId(terminal));
    chunks.iter().map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect()
}

#[test]
fn up_and_down_walk_the_history() {
    let mut reader = Reader::new();
    for line in ["echo one", "echo two", "echo two"] {
        reader.types(line);
    }
    for expected in ["echo two", "echo one", "echo one"] {
        assert!(reader.key_at_prompt("ArrowUp", ""));
        assert_eq!(prompt(&reader), Some(expected));
    }
    for expected in ["echo two", ""] {
        assert!(reader.key_at_prompt("ArrowDown", ""));
        assert_eq!(prompt(&reader), Some(expected));
    }
}

#[test]
fn tab_completes_or_leaves() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    assert!(!reader.key_at_prompt("Tab", ""), "an empty prompt holds nobody");
    assert!(reader.key_at_prompt("Tab", "kafka-top"));
    assert_eq!(prompt(&reader), Some("kafka-topics.sh "));
    assert!(reader.key_at_prompt("Tab", "kafka-topics.sh --describe --topic p"));
    assert_eq!(prompt(&reader), Some("kafka-topics.sh --describe --topic parcel-events "));
    assert!(
        !reader.key_at_prompt("Tab", "nothing-of-the-kind"),
        "nothing fits: the focus moves on"
    );
    assert!(reader.key_at_prompt("Tab", "hw s"));
    reader.press("candidate:slow");
    assert_eq!(prompt(&reader), Some("hw slow "));
    assert!(reader.key_at_prompt("Escape", "kafka-top"));
    assert!(!reader.key_at_prompt("Tab", "kafka-top"), "Esc, then Tab always leaves");
    assert!(!reader.key_at_prompt("a", "kafka-to"));
    assert!(reader.key_at_prompt("Tab", "kafka-top"));
}

/// The keys that a phone lacks are buttons.
#[test]
fn buttons_complete_and_walk() {
    let mut reader = Reader::new();
    reader.types("echo one");
    reader.hears(Heard::Value { does: "typed".to_owned(), value: "kafka-top".to_owned() });
    reader.press("complete");
    assert_eq!(prompt(&reader), Some("kafka-topics.sh "));
    reader.press("history:older");
    assert_eq!(prompt(&reader), Some("echo one"));
    reader.press("history:newer");
    assert_eq!(prompt(&reader), Some(""));
    let chip = reader.seen().into_iter().find(|does| does.starts_with("fill:hw help"));
    reader.press(&chip.expect("a chip"));
    assert_eq!(prompt(&reader), Some("hw help"));
}

/// A command that is typed while a producer reads becomes a record, as in Kafka; beside the prompt it says so before.
#[test]
fn a_command_for_a_producer_is_hinted_at() {
    let mut reader = Reader::new();
    let type_in = |reader: &mut Reader, text: &str| {
        reader.hears(Heard::Value { does: "typed".to_owned(), value: text.to_owned() });
        reader.text().contains("this line becomes a record")
    };
    reader.types(TOPIC);
    assert!(!type_in(&mut reader, "hw crash 1"), "the shell reads it");
    reader
        .types("kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events");
    for (line, hints) in [
        ("kafka-topics.s", false),
        ("kafka-topics.sh --list", true),
        ("  hw crash 1", true),
        ("hwcrash", false),
        ("test the record", false),
        ("kafka-nothing.sh", false),
        ("", false),
    ] {
        assert_eq!(type_in(&mut reader, line), hints, "{line}");
        assert_eq!(reader.lab.announced().contains("Ctrl-C stops it"), hints, "{line}");
    }
    reader.types("hw crash 1");
    assert!(!reader.text().contains("this line becomes a record"), "it was sent");
    assert!(!screen(&reader, 1).contains("becomes a record"), "the output stays the tool's");
    assert_eq!(reader.lab.run().samples().last().map(|sample| sample.produced), Some(1));
    reader.press("interrupt");
    assert!(!type_in(&mut reader, "hw crash 1"), "the shell reads again");
}

/// Whoever asks a broker that is down is told so while typing, and who answers.
#[test]
fn an_address_at_which_nobody_answers() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    let hint = |reader: &mut Reader, line: &str| {
        reader.hears(Heard::Value { does: "typed".to_owned(), value: line.to_owned() });
        reader.lab.announced().to_owned()
    };
    let ask = "kafka-topics.sh --list --bootstrap-server";
    assert_eq!(hint(&mut reader, &format!("{ask} localhost:9092")), "");
    reader.types("hw crash 1");
    for line in [" localhost:9092", "=localhost:9092", " localhost:9092 --topic t"] {
        let said = "localhost:9092 is broker 1, which is down. Broker 2 answers at localhost:9093.";
        assert_eq!(hint(&mut reader, &format!("{ask}{line}")), said);
        assert!(reader.text().contains(said), "{line}");
    }
    for line in [
        "",
        " ",
        " localhost:9093",
        " localhost:9092,localhost:9093",
        " localhost:90",
        " elsewhere:1",
    ] {
        assert_eq!(hint(&mut reader, &format!("{ask}{line}")), "", "{line}");
    }
    reader.types("hw pause 2");
    assert!(
        hint(&mut reader, &format!("{ask} localhost:9093")).contains("broker 2, which is paused")
    );
}

#[test]
fn ctrl_c_stops_a_reader_and_ctrl_d_ends_a_producer() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    reader
        .types("kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic parcel-events");
    let first = TerminalId(1);
    assert_eq!(reader.lab.run().state(first), Some(TerminalState::Busy));
    let copy = Key {
        key: "c".to_owned(),
        ctrl: true,
        selects: true,
        place: "prompt".to_owned(),
        ..Key::default()
    };
    assert!(!reader.hears(Heard::Key(copy.clone())), "with a selection Ctrl-C copies");
    assert!(reader.hears(Heard::Key(Key { selects: false, ..copy })));
    assert_eq!(reader.lab.run().state(first), Some(TerminalState::Ready));
    assert!(screen(&reader, 1).contains("Processed a total of 0 messages"));
    reader
        .types("kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events");
    assert_eq!(reader.lab.run().state(first), Some(TerminalState::ToolReads));
    reader.types("a record");
    reader.press("end-of-input");
    assert_eq!(reader.lab.run().state(first), Some(TerminalState::Ready));
    let totals = reader.lab.run().samples().last().copied().unwrap_or_default();
    assert_eq!(totals.produced, 1);
}

/// What is pressed while a terminal is busy runs in another one, which comes to the front.
#[test]
fn a_busy_terminal_is_left_alone() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    reader.does("read", &[]);
    assert_eq!(reader.lab.terminal(), TerminalId(1));
    reader.does("send", &[]);
    assert_eq!(reader.lab.terminal(), TerminalId(2));
    assert!(screen(&reader, 2).contains("hw produce"));
    assert!(screen(&reader, 1).contains("locker-7\tCODE_SENT"), "{}", screen(&reader, 1));
    reader.press("tab:1");
    assert_eq!(reader.lab.terminal(), TerminalId(1));
    reader.press("new-tab");
    assert_eq!(reader.lab.terminal(), TerminalId(3));
}

#[test]
fn a_pasted_transcript_is_played() {
    let mut reader = Reader::new();
    reader.types(&format!("# a comment\n$ {TOPIC}\nCreated topic parcel-events.\n$ hw produce --topic parcel-events --value a\n"));
    assert_eq!(reader.lab.run().samples().last().map(|sample| sample.produced), Some(1));
    reader.types(
        "#! brokers 1\n$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic lone\n",
    );
    let snapshot = reader.lab.run().snapshot();
    assert_eq!(
        snapshot.cluster.get().map(|cluster| cluster.brokers.len()),
        Some(1),
        "a cluster of its own"
    );
    assert!(snapshot.topic("lone").is_some() && snapshot.topic("parcel-events").is_none());
    reader.types("$ if\nthis is no transcript");
    assert!(
        reader.lab.note().is_some_and(|note| note.contains("Cannot play")),
        "{:?}",
        reader.lab.note()
    );
}

#[test]
fn a_command_of_several_lines_is_one_command() {
    let mut reader = Reader::new();
    reader.types("cat <<END\none\ntwo\nEND");
    assert!(screen(&reader, 1).ends_with("one\ntwo\n"), "{}", screen(&reader, 1));
}

fn pages(node: &Node, found: &mut Vec<Rc<Node>>) {
    if let Node::Kept(page) = node {
        found.push(Rc::clone(page));
    }
    for child in node.children() {
        pages(child, found);
    }
}

/// A line more leaves all earlier pages as they were, so that the page has nothing to do for them.
#[test]
fn a_line_more_draws_one_page() {
    let mut reader = Reader::new();
    reader.types("for i in $(seq 1 3000); do echo $i; done");
    let (mut before, mut after) = (Vec::new(), Vec::new());
    pages(&reader.lab.view(), &mut before);
    assert!(before.len() >= 25, "{}", before.len());
    reader.types("echo more");
    pages(&reader.lab.view(), &mut after);
    for (before, after) in before.iter().zip(&after) {
        assert!(Rc::ptr_eq(before, after));
    }
    reader.press("back");
    reader.press("forward");
    assert!(screen(&reader, 1).ends_with("more\n"));
}

/// Words of the output that name something on screen ask about it.
#[test]
fn output_asks() {
    let mut reader = Reader::new();
    reader.types("kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --replica-assignment 2:3,3:1");
    reader.types("hw produce --topic parcel-events --key a --value b");
    reader.types(
        "kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic parcel-events",
    );
    let seen = reader.seen();
    for does in
        ["ask:topic:parcel-events", "ask:partition:parcel-events-1", "ask:broker:2", "ask:broker:3"]
    {
        assert!(seen.iter().any(|known| known == does), "{does}");
    }
    let record = seen
        .iter()
        .find(|does| does.starts_with("ask:record:parcel-events-"))
        .expect("a record")
        .clone();
    reader.press(&record);
    assert!(reader.lab.announced().contains("offset 0"), "{}", reader.lab.announced());
}

/// Nobody reads in a terminal whose command runs on: what is typed there runs in another one, and that is said.
#[test]
fn a_line_for_a_busy_terminal_runs_elsewhere() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    reader.does("read", &[]);
    reader.types("hw produce --topic parcel-events --key a --value b");
    assert_eq!(reader.lab.terminal(), TerminalId(2));
    let note = reader.lab.note().unwrap_or_default();
    assert!(note.starts_with("Terminal 1 is busy, so this ran in terminal 2."), "{note}");
    assert!(screen(&reader, 2).contains("parcel-events-"));
}

/// A tool that waits for a line gets it at once: no time passes before somebody types.
#[test]
fn a_producer_waits_without_time_passing() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    let before = reader.lab.run().now();
    reader
        .types("kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events");
    let took = reader.lab.run().now().0 - before.0;
    assert!(took < 5_000_000, "{took} microseconds");
}

#[test]
fn there_are_at_most_twelve_terminals() {
    let mut reader = Reader::new();
    reader.types(TOPIC);
    for _ in 0..12 {
        reader.does("read", &[]);
    }
    assert_eq!(reader.lab.terminal(), TerminalId(12));
    reader.press("new-tab");
    assert_eq!(reader.lab.terminal(), TerminalId(12));
    assert!(reader.lab.note().is_some_and(|note| note.contains("at most 12 terminals")));
}

/// Of an output without end the newest lines are drawn.
#[test]
fn a_flood_of_output_is_cut() {
    let mut reader = Reader::new();
    reader.types("seq 1 300000");
    let text = reader.text();
    assert!(text.contains("(290001 older lines are not shown)") && text.contains("300000"));
    assert!(!text.contains("150000"));
    assert!(text.len() < 200_000, "{}", text.len());
}
