//! What is said, and what a thing is called: each once, each by one name, and nothing is left unsaid.

use highwater_lab::heard::Heard::Tick;
use highwater_lab::heard::Key;
use highwater_lab::{Heard, Opening, Wish};
use highwater_scene::node::{Element, Node};

use crate::Reader;
use crate::reader::walk;

const REPLICATED: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t \
                          --replica-assignment 1:2,2:1 --config min.insync.replicas=2";
const RECORDS: &str = "hw produce --topic t --count 6";
const WORK: &str = "hw work --group orders --topic t --from-beginning";

fn typed(lines: &[&str]) -> Reader {
    let mut reader = Reader::new();
    for line in lines {
        reader.types(line);
    }
    reader
}

/// The text of the first element that fits.
fn text_of(reader: &mut Reader, fits: impl Fn(&Element) -> bool) -> String {
    let mut found = None;
    walk(&reader.lab.view(), &mut |element| {
        if found.is_none() && fits(element) {
            found = Some(element.children.iter().map(Node::text_content).collect());
        }
    });
    found.unwrap_or_default()
}

fn of_class(class: &'static str) -> impl Fn(&Element) -> bool {
    move |element| {
        let classes = element.get("class").unwrap_or_default();
        classes.split(' ').any(|known| known == class)
    }
}

/// What a reader by ear hears, with what makes it look new.
fn status(reader: &mut Reader) -> String {
    text_of(reader, |element| element.get("role") == Some("status"))
}

fn ask(reader: &mut Reader, thing: &str) {
    reader.hears(Heard::Press(format!("ask:{thing}")));
}

fn panel(reader: &mut Reader) -> String {
    text_of(reader, of_class("lab-asked"))
}

/// Plays until nothing moves any more.
fn play(reader: &mut Reader) {
    reader.press("play");
    let mut ticks = 0;
    while reader.lab.delay().is_some() {
        reader.hears(Tick);
        ticks += 1;
        assert!(ticks < 2_000, "it plays for ever");
    }
}

fn members(reader: &Reader) -> Vec<(String, String)> {
    let snapshot = reader.lab.run().snapshot();
    let members = &snapshot.cluster.get().expect("a cluster").members;
    members.iter().map(|view| (view.reader.clone(), view.member.to_string())).collect()
}

/// The same words once more are another text, so that they are heard again.
#[test]
fn what_is_said_again_is_heard_again() {
    let mut reader = typed(&["hw stop 9", "hw stop 9"]);
    let second = status(&mut reader);
    reader.types("hw stop 9");
    let third = status(&mut reader);
    assert_ne!(second, third);
    assert_eq!(second.trim(), third.trim());
    reader.hears(Heard::Key(Key::default()));
    assert_eq!(status(&mut reader), third, "a key that says nothing repeats nothing");
}

/// A challenge that is met is said once, and stands above what was asked about.
#[test]
fn a_challenge_is_met_while_something_is_asked() {
    let mut reader = Reader::new();
    reader.send("begin", &[("start", "refuse-a-write")]);
    let begun = reader.lab.announced().to_owned();
    assert!(begun.starts_with("Stop a producer") && begun.contains("Watch: "), "{begun}");
    reader.types(REPLICATED);
    ask(&mut reader, "broker:2");
    reader.types("hw stop 2");
    assert!(!panel(&mut reader).contains("done, in"));
    reader.types(RECORDS);
    let said = reader.lab.announced().to_owned();
    assert_eq!(said.matches("done, in 3 commands").count(), 1, "{said}");
    assert!(panel(&mut reader).starts_with("Let Kafka refuse"), "{}", panel(&mut reader));
    ask(&mut reader, "replica:t-0@1");
    assert!(!reader.lab.announced().contains("done, in"), "{}", reader.lab.announced());
    let leader = panel(&mut reader);
    assert!(leader.contains("refused with NOT_ENOUGH_REPLICAS"), "{leader}");
}

/// When nothing more happens by itself, all have heard of what has happened; the worst on the way is said too.
#[test]
fn play_ends_when_all_is_done() {
    let topic = REPLICATED.replace("=2", "=1");
    let mut reader = typed(&[&topic, RECORDS, "hw crash 1"]);
    play(&mut reader);
    ask(&mut reader, "partition:t-0");
    let said = panel(&mut reader);
    assert!(!said.contains("has not heard of it yet"), "{said}");

    reader.hears(Heard::Value { does: "seek".to_owned(), value: "0".to_owned() });
    play(&mut reader);
    let said = reader.lab.announced();
    assert!(said.contains("On the way: ") && said.contains("roker 1"), "{said}");
}

/// Two members with one `client.id` have two names, the same in each figure and each panel; who comes is told.
#[test]
fn two_members_of_one_client_id() {
    let mut reader = typed(&[REPLICATED, RECORDS, WORK, WORK]);
    let said = reader.lab.announced().to_owned();
    let members = members(&reader);
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_ne!(names[0], names[1]);
    assert!(said.contains(&format!("{} joined group orders", names[1])), "{said}");
    assert!(said.contains(&format!("{} in group orders got t-", names[1])), "{said}");
    for (_, id) in &members {
        assert!(!said.contains(id.as_str()), "an id in place of a name: {said}");
    }
    reader.press("view:groups");
    let groups = text_of(&mut reader, of_class("lab-groups"));
    reader.press("view:records");
    let records = text_of(&mut reader, of_class("lab-draw"));
    for (name, id) in &members {
        assert!(groups.contains(name.as_str()) && records.contains(name.as_str()), "{name}");
        ask(&mut reader, &format!("member:orders/{id}"));
        let title = text_of(&mut reader, of_class("ask-title"));
        assert!(title.contains(name.as_str()), "{title}");
    }
    // A lag is what is not committed, in each panel and in the table; a position has another word.
    reader.types("hw produce --topic t --count 3");
    let id = &members[1].1;
    ask(&mut reader, &format!("member:orders/{id}"));
    let member = panel(&mut reader);
    assert!(member.contains("What it has committed is") && !member.contains("lag "), "{member}");
    ask(&mut reader, "group:orders");
    let group = panel(&mut reader);
    assert!(names.iter().all(|name| group.contains(name)), "{group}");
}

/// Two groups that read the same partitions, with one `client.id`: what one of them has read is not said of the other.
#[test]
fn two_groups_of_one_client_id() {
    let mut reader = typed(&[REPLICATED, RECORDS, WORK]);
    reader.types(&WORK.replace("orders", "shipping"));
    let said = reader.lab.announced().to_owned();
    assert!(said.contains("shipping / worker 2 has read offsets 0 to"), "{said}");
    assert!(!said.contains("orders"), "nothing new is there for the first group: {said}");
    for (name, other) in [("worker", "worker 2 "), ("worker 2", "worker ")] {
        ask(&mut reader, &format!("reader:{name}"));
        let said = panel(&mut reader);
        let chain = said.split("Why?").nth(1).unwrap_or_default();
        assert!(chain.contains(&format!("{name} read offsets 0 to")), "{name}: {said}");
        assert!(!chain.contains(&format!("{other}read")), "{name}: {said}");
    }
}

/// A member that was put out: its panel has its name, says since when, and who has its partitions now.
#[test]
fn a_member_that_is_gone() {
    let mut reader = typed(&[REPLICATED, RECORDS, WORK, WORK]);
    let (name, id) = members(&reader)[1].clone();
    ask(&mut reader, &format!("member:orders/{id}"));
    let snapshot = reader.lab.run().snapshot();
    let processes = snapshot.cluster.get().expect("a cluster").reader_processes.clone();
    let process = processes.iter().find(|(reader, ..)| *reader == name).expect("a process").1;
    let offers = |reader: &mut Reader, signal: &str| {
        reader.seen().contains(&format!("type:kill -{signal} {process}"))
    };
    assert!(offers(&mut reader, "STOP") && !offers(&mut reader, "CONT"), "it is not frozen");
    reader.types(&format!("kill -STOP {process}"));
    assert!(!offers(&mut reader, "STOP") && offers(&mut reader, "CONT"), "it is frozen");
    reader.types(&format!("kill -9 {process}"));
    let killed = panel(&mut reader);
    assert!(killed.contains("assigned, but nobody reads"), "{killed}");
    play(&mut reader);
    let said = panel(&mut reader);
    assert!(said.contains("gone since"), "{said}");
    assert!(said.contains(" has it now"), "{said}");
    // The dead have no name of a living one.
    assert!(said.starts_with(&id[..15]) && !said[15..].starts_with(&id[15..]), "{said}");
    assert!(said.contains("worker has it now"), "{said}");
    assert!(said.contains(&format!("{}\u{2026} is out of", &id[..15])), "{said}");

    // Whoever lives on keeps its name when an older one goes.
    let mut other = typed(&[REPLICATED, RECORDS, WORK, WORK]);
    let snapshot = other.lab.run().snapshot();
    let process = snapshot.cluster.get().expect("a cluster").reader_processes[0].1;
    other.types(&format!("kill -9 {process}"));
    assert_eq!(members(&other)[0].0, name);

    ask(&mut reader, "broker:77");
    let said = panel(&mut reader);
    assert!(said.contains("roker 77") && said.contains("does not exist"), "{said}");
}

/// Close stands right behind the title; the way back from a Groups view leads to what was pressed there.
#[test]
fn the_way_back() {
    let mut reader = typed(&[REPLICATED, RECORDS, WORK]);
    reader.press("view:groups");
    ask(&mut reader, "group:orders");
    let seen = reader.seen();
    let panel: Vec<&String> = seen.iter().skip_while(|does| *does != "let-go").collect();
    assert!(panel.len() > 2, "{seen:?}");
    // From the panel to another thing, whose title is read next.
    ask(&mut reader, "broker:1");
    assert!(reader.wishes.contains(&Wish::Focus("#ask-title".to_owned())));
    let key = Key { place: "side".to_owned(), key: "Escape".to_owned(), ..Key::default() };
    assert!(reader.hears(Heard::Key(key)));
    let Some(Wish::Focus(to)) = reader.wishes.last() else { panic!("{:?}", reader.wishes) };
    assert!(to.contains(":is(button, [tabindex])[data-do='ask:group:orders']"), "{to}");
}

/// A menu closes when the focus leaves it behind its last button, or before its first.
#[test]
fn a_menu_that_is_left() {
    let key = |does: &str, shift: bool| {
        let (place, key, does) = ("menu".to_owned(), "Tab".to_owned(), does.to_owned());
        Heard::Key(Key { place, key, does, shift, ..Key::default() })
    };
    let mut reader = Reader::new();
    let is_open = |reader: &mut Reader| reader.seen().contains(&"jump:failure".to_owned());
    for (does, shift, stays) in [
        ("menu:jump", false, true),
        ("menu:jump", true, false),
        ("jump:append", false, true),
        ("jump:failure", true, true),
        ("jump:failure", false, false),
    ] {
        if !is_open(&mut reader) {
            reader.hears(Heard::Press("menu:jump".to_owned()));
        }
        assert!(!reader.hears(key(does, shift)), "the browser moves the focus");
        assert_eq!(is_open(&mut reader), stays, "{does} {shift}");
    }
}

/// Two futures: how they differ is said, too.
#[test]
fn a_comparison_is_heard() {
    let mut reader = typed(&[REPLICATED]);
    reader.press("fork");
    reader.types(RECORDS);
    reader.press("compare");
    let said = reader.lab.announced().to_owned();
    assert!(said.contains("difference") && said.contains("t-"), "{said}");
}

/// A run from a link says what it is, not what an empty cluster is.
#[test]
fn an_opened_run_has_its_own_title() {
    let mut reader = Reader::new();
    reader.send("begin", &[("start", "refuse-a-write")]);
    for line in [REPLICATED, "hw stop 2", RECORDS] {
        reader.types(line);
    }
    reader.press("copy:link");
    let link = reader.wishes.iter().rev().find_map(|wish| match wish {
        Wish::CopyLink(fragment) => Some(fragment.clone()),
        _ => None,
    });
    let fragment = link.expect("a link");
    let run = fragment.rsplit('&').next().unwrap_or_default().to_owned();
    for (fragment, title) in [(fragment, "Stop a producer"), (run, "An opened run")] {
        let mut other = Reader::with(Opening { fragment, ..Opening::default() });
        let scene = text_of(&mut other, of_class("lab-scene"));
        assert!(scene.starts_with(title) && !scene.contains("Whatever you like"), "{scene}");
        let mut chosen = Vec::new();
        walk(&other.lab.view(), &mut |element| {
            if element.tag == "option" && element.get("selected").is_some() {
                chosen.extend(element.children.iter().map(Node::text_content));
            }
        });
        assert!(chosen.iter().any(|text| text.starts_with(title)), "{chosen:?}");
    }
}
