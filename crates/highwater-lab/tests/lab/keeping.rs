//! When a run is written down for the next visit: not at each step, and before it is too late.

use highwater_lab::lab::KEPT_RUN;
use highwater_lab::{Heard, Opening, Wish};

use crate::Reader;

fn writes(reader: &Reader) -> usize {
    reader.wishes.iter().filter(|wish| matches!(wish, Wish::Keep { .. })).count()
}

/// What the next visit would find if the page were left now.
fn next(reader: &mut Reader) -> Reader {
    let items = reader.lab.take_kept().items;
    let kept = items.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?)));
    Reader::with(Opening { kept: kept.collect(), ..Opening::default() })
}

/// Whatever is done, it is written down when the page asks, once, with the last of it.
#[test]
fn a_step_writes_nothing_down() {
    let mut reader = Reader::new();
    assert!(!reader.lab.is_unkept(), "nothing was done");
    for count in 0..20 {
        reader.types(&format!("echo {count}"));
    }
    for _ in 0..100 {
        reader.press("back");
        reader.press("forward");
    }
    assert_eq!(writes(&reader), 0);
    assert!(reader.lab.is_unkept());
    let again = next(&mut reader);
    assert_eq!(again.lab.commands(), reader.lab.commands());
    assert_eq!(again.lab.commands().lines().last(), Some("echo 19"));
    assert!(!reader.lab.is_unkept());
    assert_eq!(reader.lab.take_kept().items, [], "that was done already");
    reader.hears(Heard::Hidden(true));
    assert!(!reader.lab.is_unkept(), "nothing has changed");
}

/// The place on the timeline is kept too, however the reader came there.
#[test]
fn the_place_is_kept() {
    let mut reader = Reader::new();
    reader.hears(Heard::Press("start:leader-crash".to_owned()));
    reader.hears(Heard::Value { does: "seek".to_owned(), value: "6".to_owned() });
    assert_eq!(next(&mut reader).lab.run().position(), 6);
    reader.press("play");
    reader.hears(Heard::Tick);
    assert!(reader.lab.is_unkept(), "it plays");
    assert_eq!(next(&mut reader).lab.run().position(), 8);
}

/// A link that is opened in the same window takes nothing away: what was not written down yet is, before it comes.
#[test]
fn a_link_takes_nothing_away() {
    let mut other = Reader::new();
    other.types("echo of somebody else");
    other.press("copy:link");
    let link = other.wishes.iter().find_map(|wish| match wish {
        Wish::Fragment(link) => Some(link.clone()),
        _ => None,
    });
    let mut reader = Reader::new();
    reader.types("echo mine");
    reader.hears(Heard::Fragment(link.expect("a link")));
    assert!(reader.lab.commands().contains("somebody else"));
    assert!(!reader.lab.is_unkept(), "a run that is looked at is not kept");
    let kept = reader.wishes.iter().find_map(|wish| match wish {
        Wish::Keep { key, text: Some(text) } if *key == KEPT_RUN => Some(text.clone()),
        _ => None,
    });
    let kept = vec![(KEPT_RUN.to_owned(), kept.expect("what was done is kept"))];
    let again = Reader::with(Opening { kept, ..Opening::default() });
    assert_eq!(again.lab.commands(), "echo mine\n");
}

/// What does not fit is said, and what was kept of it before stays.
#[test]
fn a_run_that_is_too_long() {
    let mut reader = Reader::new();
    let mut number: u64 = 7;
    let mut line = || {
        let mut line = "true".to_owned();
        for _ in 0..220 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            line.push_str(&format!(" {:x}", number >> 16));
        }
        line
    };
    let mut lines = 0;
    let trouble = loop {
        reader.types(&line());
        lines += 1;
        let keeping = reader.lab.take_kept();
        let is_kept = keeping.items.iter().any(|(key, _)| *key == KEPT_RUN);
        assert_eq!(is_kept, keeping.trouble.is_none(), "it is kept, or it is said");
        if let Some(trouble) = keeping.trouble {
            break trouble;
        }
        assert!(lines < 100, "it never is too long");
    };
    assert!(lines > 5 && trouble.contains("too long to be kept"), "{lines}: {trouble}");
}
