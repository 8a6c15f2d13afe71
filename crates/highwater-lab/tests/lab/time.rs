//! Forward, back, play, jump, fork.

use highwater_lab::Heard;
use highwater_lab::heard::Heard::{Hidden, Tick};
use highwater_lab::story::StopKind;

use crate::Reader;

fn started(id: &str) -> Reader {
    let mut reader = Reader::new();
    reader.send("begin", &[("start", id)]);
    reader
}

fn hash(reader: &Reader) -> u64 {
    reader.lab.run().timeline().world().trace_hash()
}

#[test]
fn every_stop_is_reached_from_both_sides() {
    let mut reader = started("leader-crash");
    let stops = reader.lab.run().stops().len();
    reader.hears(Heard::Value { does: "seek".to_owned(), value: "0".to_owned() });
    let mut forward = vec![hash(&reader)];
    for _ in 0..stops {
        reader.press("forward");
        forward.push(hash(&reader));
    }
    for stop in (0..stops).rev() {
        reader.press("back");
        assert_eq!(reader.lab.run().position(), stop);
        assert_eq!(hash(&reader), forward[stop], "stop {stop}");
    }
    for stop in [7, 3, stops, 1] {
        reader.hears(Heard::Value { does: "seek".to_owned(), value: stop.to_string() });
        assert_eq!((reader.lab.run().position(), hash(&reader)), (stop, forward[stop]));
    }
}

/// At its end it stops by itself and says so; a page that is hidden lets no time pass.
#[test]
fn play_ends() {
    let mut reader = started("leader-crash");
    assert_eq!(reader.lab.delay(), None, "nothing moves before it is asked to");
    reader.press("play");
    let before = reader.lab.run().position();
    reader.hears(Hidden(true));
    assert_eq!(reader.lab.delay(), None);
    reader.hears(Hidden(false));
    assert_eq!(reader.lab.delay(), Some(600));
    let mut ticks = 0;
    while reader.lab.delay().is_some() {
        reader.hears(Tick);
        ticks += 1;
        assert!(ticks < 500, "it plays for ever");
        if reader.lab.delay().is_some() {
            assert!(
                reader.lab.announced().is_empty(),
                "a flood of words: {}",
                reader.lab.announced()
            );
        }
    }
    assert!(reader.lab.run().position() > before + 10);
    assert!(reader.lab.announced().contains("Nothing more happens by itself"));
    assert!(!reader.lab.announced().starts_with("Nothing"), "what happened last stays in sight");
    let at = reader.lab.run().now();
    reader.press("forward");
    assert_eq!(reader.lab.run().now(), at, "time stands still where nothing happens");
}

#[test]
fn a_press_pauses() {
    let mut reader = started("leader-crash");
    reader.press("play");
    reader.press("play");
    assert_eq!(reader.lab.delay(), None);
    reader.press("play");
    reader.types("hw crash 1");
    assert_eq!(reader.lab.delay(), None, "whoever acts wants to see what comes of it");
}

#[test]
fn jumps_lead_to_a_stop_of_that_kind() {
    let mut reader = started("leader-crash");
    for kind in [StopKind::Failure, StopKind::Election, StopKind::Command, StopKind::Append] {
        reader.hears(Heard::Value { does: "seek".to_owned(), value: "2".to_owned() });
        reader.press(&format!("jump:{}", kind.name()));
        assert!(reader.lab.run().last_stop().is_some_and(|stop| stop.has(kind)));
    }
    // A jump that finds nothing leaves time and story as they are, however far it has looked.
    let mut quiet = Reader::new();
    quiet.does("topic", &[("topic", "t")]);
    quiet.does("read", &[("group", "g")]);
    let before = (hash(&quiet), quiet.lab.run().now(), quiet.lab.run().stops().len());
    quiet.press("jump:failure");
    assert_eq!((hash(&quiet), quiet.lab.run().now(), quiet.lab.run().stops().len()), before);
    assert!(quiet.lab.announced().contains("No failure"), "{}", quiet.lab.announced());
}

/// When every message is a step, one press is one step of the world, there and back.
#[test]
fn every_message_can_be_a_step() {
    let mut reader = Reader::new();
    reader.does("topic", &[("topic", "t")]);
    reader.does("send", &[]);
    reader.hears(Heard::Value { does: "detail".to_owned(), value: "yes".to_owned() });
    let end = reader.lab.run().steps();
    for back in 1..30 {
        reader.press("back");
        assert_eq!(reader.lab.run().steps(), end - back);
        assert!(!reader.lab.announced().is_empty());
    }
    for forward in 1..30 {
        reader.press("forward");
        assert_eq!(reader.lab.run().steps(), end - 29 + forward);
    }
}

#[test]
fn another_future_is_kept_and_compared() {
    let mut reader = Reader::new();
    reader.does("topic", &[("topic", "t"), ("partitions", "1")]);
    reader.does("send", &[("key", "a")]);
    let first = hash(&reader);
    reader.press("back");
    reader.press("back");
    reader.types("hw produce --topic t --key b --value other");
    assert!(reader.lab.note().is_some_and(|note| note.contains("The other future is kept")));
    reader.press("compare");
    let text = reader.text();
    assert!(text.contains("The other future at"), "{text}");
    assert!(text.contains("Broker 1 holds of t-0"), "{text}");
    let second = hash(&reader);
    reader.press("switch");
    reader.hears(Heard::Value { does: "seek".to_owned(), value: "99999".to_owned() });
    assert_eq!(hash(&reader), first);
    reader.press("switch");
    reader.hears(Heard::Value { does: "seek".to_owned(), value: "99999".to_owned() });
    assert_eq!(hash(&reader), second);
    reader.press("end-fork");
    assert!(!reader.seen().iter().any(|does| does == "compare"));
    reader.press("fork");
    reader.press("compare");
    assert!(reader.text().contains("the two futures are the same"));
}

#[test]
fn a_restart_can_be_undone() {
    let mut reader = Reader::new();
    reader.does("topic", &[("topic", "mine")]);
    let before = hash(&reader);
    reader.press("restart");
    assert_eq!(reader.lab.run().stops().len(), 0);
    assert!(!reader.text().contains("mine-0"));
    reader.press("undo-restart");
    assert_eq!(hash(&reader), before);
    reader.press("undo-restart");
    assert_eq!(reader.lab.run().stops().len(), 0, "and that can be undone, too");
}
