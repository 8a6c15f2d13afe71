//! What leaves the Lab comes back: links, files, what is kept between visits.

use highwater_lab::lab::{KEPT_DAMAGED, KEPT_OTHER, KEPT_RUN};
use highwater_lab::{Heard, Opening, Wish, places};

use crate::Reader;

fn busy() -> Reader {
    let mut reader = Reader::new();
    reader.does("topic", &[("topic", "t")]);
    reader.does("send", &[("key", "it's"), ("value", "two words")]);
    reader.does("read", &[("group", "billing")]);
    reader.does("send", &[]);
    reader
}

fn state(reader: &Reader) -> (u64, u64, usize) {
    let run = reader.lab.run();
    (run.timeline().world().trace_hash(), run.now().0, run.position())
}

fn link(reader: &mut Reader) -> String {
    reader.press("copy:link");
    let copied = reader.wishes.iter().rev().find_map(|wish| match wish {
        Wish::CopyLink(link) => Some(link.clone()),
        _ => None,
    });
    let link = copied.expect("a link");
    assert!(reader.wishes.contains(&Wish::Fragment(link.clone())));
    link
}

/// With its place in time, and with what was typed in every terminal.
#[test]
fn a_link_leads_to_the_same_moment() {
    let mut reader = busy();
    for back in [0, 3] {
        for _ in 0..back {
            reader.press("back");
        }
        let fragment = link(&mut reader);
        let opened = Reader::with(Opening { fragment, ..Opening::default() });
        assert_eq!(state(&opened), state(&reader));
        assert_eq!(opened.lab.note(), None);
    }
}

#[test]
fn a_broken_link_is_explained() {
    let good = link(&mut busy());
    for (fragment, says) in [
        ("play=9.abc", "newer version"),
        ("play=1.!!!!", "damaged"),
        (&good[..good.len() / 2], "damaged"),
        ("start=nowhere", "no situation named"),
        ("start=<b>", "no situation named"),
    ] {
        let mut reader =
            Reader::with(Opening { fragment: fragment.to_owned(), ..Opening::default() });
        let note = reader.lab.note().unwrap_or_default().to_owned();
        assert!(note.contains(says), "{fragment}: {note}");
        reader.types("echo alive");
    }
    let heading =
        Reader::with(Opening { fragment: "some-heading".to_owned(), ..Opening::default() });
    assert_eq!(heading.lab.note(), None, "any other fragment is none of its business");
}

/// What a page would keep now.
fn kept(reader: &mut Reader) -> Vec<(String, String)> {
    let items = reader.lab.take_kept().items;
    assert!(!items.is_empty(), "there is something to keep");
    items.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?))).collect()
}

fn again(kept: Vec<(String, String)>) -> Reader {
    Reader::with(Opening { kept, ..Opening::default() })
}

#[test]
fn the_last_run_comes_back() {
    let mut reader = busy();
    let mut again = again(kept(&mut reader));
    assert_eq!(state(&again).0, state(&reader).0);
    assert!(again.lab.note().is_some_and(|note| note.contains("Your last run is back")));
    again.press("restart");
    again.press("undo-restart");
    assert_eq!(state(&again).0, state(&reader).0);
}

/// With the task's steps, the figure, the place in time and the other future.
#[test]
fn a_visit_goes_on_where_it_was() {
    let mut reader = busy();
    reader.press("view:groups");
    reader.press("back");
    reader.press("back");
    reader.types("hw produce --topic t --key z --value other");
    reader.press("back");
    let kept = kept(&mut reader);
    assert_eq!(kept.iter().map(|(key, _)| &**key).collect::<Vec<_>>(), [KEPT_RUN, KEPT_OTHER]);
    let mut again = again(kept);
    assert_eq!((state(&again).0, state(&again).2), (state(&reader).0, state(&reader).2));
    let text = again.text();
    assert!(text.contains("Five steps through the Lab") && text.contains("Readable to"), "{text}");
    let compare = again.seen().iter().any(|does| does == "compare");
    assert!(compare, "the other future is there, too");
    again.press("switch");
    reader.press("switch");
    assert_eq!(state(&again).0, state(&reader).0);
}

/// A step of the task that is done stays done, and the terminal in front stays there.
#[test]
fn the_task_and_the_tab_come_back() {
    let mut reader = busy();
    reader.does("send", &[("count", "3")]);
    reader.types("hw crash 2");
    reader.hears(Heard::Press("ask:broker:2".to_owned()));
    assert_eq!(reader.lab.announced().matches("Step 5 of 5 is done.").count(), 1);
    reader.press("let-go");
    assert!(reader.text().contains("All five done"), "{}", reader.text());
    reader.press("new-tab");
    reader.types("echo here");
    reader.press("tab:2");
    let text = kept(&mut reader).swap_remove(0).1;
    let kept = |text: &str| vec![(KEPT_RUN.to_owned(), text.to_owned())];
    let mut again = again(kept(&text));
    assert!(again.text().contains("All five done"), "{}", again.text());
    assert_eq!(again.lab.terminal(), reader.lab.terminal());
    assert_eq!(again.lab.terminal().0, 2);
    for damaged in ["tab=0", "tab=x", "tab=4000000000"] {
        let opening = Opening { kept: kept(&text.replace("tab=2", damaged)), ..Opening::default() };
        assert_eq!(Reader::with(opening).lab.terminal().0, 1, "{damaged}");
    }
}

#[test]
fn what_was_kept_and_is_damaged_is_set_aside() {
    let opening = Opening {
        kept: vec![(KEPT_RUN.to_owned(), "play=1.%%%".to_owned())],
        ..Opening::default()
    };
    let mut reader = Reader::with(opening);
    assert!(reader.lab.note().is_some_and(|note| note.contains("could not be read again")));
    let wishes = reader.lab.take_wishes();
    let aside = Wish::Keep { key: KEPT_DAMAGED, text: Some("play=1.%%%".to_owned()) };
    assert!(wishes.contains(&aside) && wishes.contains(&Wish::Keep { key: KEPT_RUN, text: None }));
    assert_eq!(reader.lab.run().stops().len(), 0);
}

/// A file is a transcript: what is saved can be opened, and tells the same of the records.
#[test]
fn a_saved_transcript_can_be_opened() {
    let mut reader = busy();
    reader.press("save:transcript");
    let saved = reader.wishes.iter().rev().find_map(|wish| match wish {
        Wish::Download { name, text, .. } if name.ends_with(".console") => Some(text.clone()),
        _ => None,
    });
    let text = saved.expect("a file");
    let mut opened = Reader::new();
    opened.hears(Heard::File { name: "mine.console".to_owned(), text });
    assert_eq!(opened.lab.note(), None);
    opened.hears(Heard::Value { does: "seek".to_owned(), value: "99999".to_owned() });
    let produced =
        |reader: &Reader| reader.lab.run().samples().last().map(|sample| sample.produced);
    assert_eq!(produced(&opened), produced(&reader));
    assert!(opened.text().contains("mine.console"));
}

#[test]
fn a_file_that_is_no_transcript_changes_nothing() {
    let mut reader = busy();
    let before = state(&reader);
    for text in
        ["\u{0}\u{1}\u{2}", "output before any command", "#! brokers 900\n$ echo", "$ echo 'open"]
    {
        reader.hears(Heard::File { name: "x.console".to_owned(), text: text.to_owned() });
        let note = reader.lab.note().unwrap_or_default().to_owned();
        assert!(
            note.contains("Cannot play x.console") && note.contains("unchanged"),
            "{text:?}: {note}"
        );
        assert_eq!(state(&reader), before);
    }
}

#[test]
fn the_figure_can_be_taken_away() {
    let mut reader = busy();
    for view in ["records", "replicas"] {
        reader.press(&format!("view:{view}"));
        reader.press("save:svg");
        reader.press("save:png");
        let svg = reader.wishes.iter().rev().find_map(|wish| match wish {
            Wish::Download { media: "image/svg+xml", text, .. } => Some(text.clone()),
            _ => None,
        });
        let svg = svg.expect("a picture");
        assert!(
            svg.starts_with("<svg xmlns=") && svg.contains("<style>") && !svg.contains("var("),
            "{view}"
        );
        assert!(
            matches!(reader.wishes.last(), Some(Wish::DownloadPng { svg: png, .. }) if *png == svg)
        );
    }
}

#[test]
fn commands_are_kept_for_a_page_whose_engine_stops() {
    let reader = busy();
    let commands = reader.lab.commands();
    assert_eq!(commands.lines().count(), 4, "{commands}");
    assert!(commands.contains("hw produce --topic t --key 'it'\\''s' --value 'two words'"));
}

/// A window reads its own place, else the newest; it writes its own, else an empty one, else the oldest. There are
/// never more places than a few.
#[test]
fn places_of_windows() {
    let mut storage: Vec<(String, String)> = Vec::new();
    let read = |storage: &[(String, String)], name: &str| {
        storage.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone())
    };
    assert_eq!(places::to_read(Some(3), |name| read(&storage, name)), None);
    assert_eq!(places::to_write(None, |name| read(&storage, name)).first(), Some(&1));
    for ms in 100..100 + u64::from(places::MOST) + 2 {
        let to = places::to_write(None, |name| read(&storage, name))[0];
        let name = places::name(KEPT_RUN, to);
        storage.retain(|(known, _)| *known != name);
        storage.push((name, places::written("play=x", ms)));
        assert_eq!(places::to_read(None, |name| read(&storage, name)), Some(to), "the newest");
    }
    assert_eq!(storage.len(), usize::try_from(places::MOST).unwrap_or(0));
    let order = places::to_write(Some(7), |name| read(&storage, name));
    assert_eq!(order, [7, 3, 4, 5, 6, 8, 1, 2], "its own, then the oldest first");
    assert_eq!(places::to_read(Some(7), |name| read(&storage, name)), Some(7));
    storage.retain(|(name, _)| *name != places::name(KEPT_RUN, 5));
    assert_eq!(places::to_write(None, |name| read(&storage, name))[..2], [5, 3]);
    assert_eq!(places::to_read(Some(5), |name| read(&storage, name)), Some(2));
    // What an older Highwater has kept tells no moment.
    let old = |name: &str| (name == KEPT_RUN).then(|| "scene=task&play=x".to_owned());
    assert_eq!(places::to_read(None, old), Some(1));
    assert_eq!(places::name(KEPT_DAMAGED, 4), KEPT_DAMAGED);
}

/// What a place holds tells when it was written, and is read all the same.
#[test]
fn a_moment_before_the_run() {
    let mut reader = busy();
    let mut kept = kept(&mut reader);
    kept[0].1 = places::written(&kept[0].1, 1_700_000_000_000);
    assert_eq!(state(&again(kept)).0, state(&reader).0);
}
