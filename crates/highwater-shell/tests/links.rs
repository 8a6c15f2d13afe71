//! Links: sessions there and back, their length, damage of every kind, and the scripts that are made of them.

use std::rc::Rc;

use highwater_core::ids::{BrokerId, TerminalId};
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::fault::Fault;
use highwater_core::world::input::{Input, InputKind};
use highwater_core::world::options::{ClusterOptions, OwnSetting};
use highwater_shell::link::{
    LINK_CHARS_MAX, LinkError, LinkNote, SessionLog, decode, encode, replay, script,
};
use highwater_shell::session::{Session, session_of};
use highwater_shell::transcript::Transcript;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const TWO_READERS: &str = include_str!("../../../tests/transcripts/kafka/06-two-readers.console");
const ASSIGNORS: &str = include_str!("../../../tests/transcripts/kafka/09-assignors.console");
const FAILOVER: &str = include_str!("../../../tests/transcripts/kafka/11-failover.console");
const SINGLE: &str = include_str!("../../../tests/transcripts/kafka/26-single-broker.console");
const SETTINGS: &str =
    include_str!("../../../tests/transcripts/recorded/server-properties.console");

/// Transcripts with commands of every tool, for a long session.
const OWN_SETTINGS: &str = include_str!("../../../tests/transcripts/recorded/racks-some.console");
const MANY: [&str; 16] = [
    include_str!("../../../tests/transcripts/kafka/01-topics.console"),
    include_str!("../../../tests/transcripts/kafka/02-topic-errors.console"),
    include_str!("../../../tests/transcripts/kafka/03-keys.console"),
    include_str!("../../../tests/transcripts/kafka/04-producer.console"),
    include_str!("../../../tests/transcripts/kafka/05-get-offsets.console"),
    TWO_READERS,
    include_str!("../../../tests/transcripts/kafka/07-group-range.console"),
    include_str!("../../../tests/transcripts/kafka/10-reset-offsets.console"),
    FAILOVER,
    include_str!("../../../tests/transcripts/kafka/12-min-isr.console"),
    include_str!("../../../tests/transcripts/kafka/15-delete-records.console"),
    include_str!("../../../tests/transcripts/kafka/18-configs.console"),
    include_str!("../../../tests/transcripts/kafka/16-retention.console"),
    include_str!("../../../tests/transcripts/kafka/20-reassign.console"),
    include_str!("../../../tests/transcripts/kafka/21-quorum-and-logs.console"),
    include_str!("../../../tests/transcripts/kafka/28-serialization.console"),
];

fn parsed(text: &str) -> Transcript {
    Transcript::parse(text).expect("the transcript can be read")
}

fn options(transcript: &Transcript) -> ClusterOptions {
    ClusterOptions {
        seed: 7,
        brokers: transcript.brokers,
        broker_settings: Rc::new(transcript.broker_properties.clone()),
        ..ClusterOptions::default()
    }
    .with_own_settings(transcript.own_properties.clone())
}

/// The log of a transcript that was played.
fn log_of(text: &str) -> SessionLog {
    let transcript = parsed(text);
    let (session, _) = session_of(&transcript, options(&transcript)).expect("it plays");
    SessionLog::of(session.timeline())
}

fn commands(transcript: &Transcript) -> Vec<&str> {
    transcript.blocks.iter().map(|block| block.command.as_str()).collect()
}

/// A link carries the whole session, which goes the same way again, and its script is what was typed.
#[test]
fn there_and_back() {
    for text in [TWO_READERS, ASSIGNORS, FAILOVER, SINGLE, SETTINGS, OWN_SETTINGS] {
        let log = log_of(text);
        let opened = decode(&encode(&log).expect("it fits")).expect("it can be read");
        assert_eq!(opened.log, log);
        assert_eq!(opened.notes, []);
        assert_eq!(replay(&log).expect("a cluster").notes, []);
        let transcript = parsed(text);
        let again = parsed(&script(&log).expect("a cluster"));
        assert_eq!(commands(&again), commands(&transcript));
        assert_eq!(options(&again), options(&transcript));
    }
}

/// 300 commands of the given transcripts fit 8 kB.
#[test]
fn a_long_session_fits() {
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    let mut count = 0;
    'all: for text in MANY {
        for block in parsed(text).blocks {
            session.run(&block.command).expect("it runs");
            count += 1;
            if count == 300 {
                break 'all;
            }
        }
    }
    assert_eq!(count, 300, "there are more commands");
    let link = encode(&SessionLog::of(session.timeline())).expect("it fits");
    assert!(link.len() <= 8_000, "{} characters", link.len());
}

/// Every input that a person can make, at two terminals, at the ends of their ranges.
fn odd_log() -> SessionLog {
    let lines = ["", "echo 'a\tb' | cat <<X\nä…\u{1f980}\nX", "\0"];
    let mut kinds: Vec<InputKind> =
        lines.iter().map(|line| InputKind::Line((*line).to_owned())).collect();
    kinds.extend([InputKind::EndOfInput, InputKind::Interrupt]);
    kinds.push(InputKind::fault(Fault::PowerLoss(BrokerId(3))));
    kinds.push(InputKind::fault(Fault::SlowDisk(BrokerId(1), SimDuration(1_501))));
    let mut inputs = Vec::new();
    for round in 0..5_u32 {
        for kind in &kinds {
            let at = SimTime(u64::from(round) * 7_919_000_003);
            inputs.push(Input { at, terminal: TerminalId(round), kind: kind.clone() });
        }
    }
    inputs.push(Input {
        at: SimTime(u64::MAX),
        terminal: TerminalId(u32::MAX),
        kind: InputKind::EndOfInput,
    });
    let settings = vec![("a.b".to_owned(), "x=y".to_owned())];
    let own = |id: i32, key: &str, value: &str| OwnSetting {
        broker: BrokerId(id),
        key: key.to_owned(),
        value: value.to_owned(),
    };
    let own = vec![own(9, "broker.rack", "x y=z"), own(1, "a.b", ""), own(i32::MAX, "c", "d")];
    SessionLog {
        engine: "9.9.9".to_owned(),
        options: ClusterOptions {
            seed: u64::MAX,
            brokers: 9,
            tool_start: SimDuration(600_001),
            network_delay: SimDuration(0),
            broker_settings: Rc::new(settings),
            show_quiet_traffic: true,
            ..ClusterOptions::default()
        }
        .with_own_settings(own),
        inputs,
        until: SimTime(u64::MAX),
        trace: u64::MAX - 1,
    }
}

#[test]
fn every_kind_of_input_and_option() {
    let log = odd_log();
    let opened = decode(&encode(&log).expect("it fits")).expect("it can be read");
    assert_eq!((opened.log, opened.notes), (log, vec![]));
}

/// Whatever is cut off or altered: what is kept is what was there, and what is missing is told.
#[test]
fn damage_keeps_the_beginning_and_tells() {
    let log = odd_log();
    let link = encode(&log).expect("it fits");
    let mut kept_most = 0;
    let cut = (0..link.len()).map(|end| link.get(..end).unwrap_or_default().to_owned());
    let altered = (0..link.len()).map(|place| {
        let other = |(at, c): (usize, char)| match c {
            _ if at != place => c,
            'A' => 'B',
            _ => 'A',
        };
        link.chars().enumerate().map(other).collect::<String>()
    });
    for damaged in cut.chain(altered) {
        let Ok(opened) = decode(&damaged) else { continue };
        let kept = opened.log.inputs.len();
        assert_eq!(Some(&*opened.log.inputs), log.inputs.get(..kept), "{damaged}");
        assert_eq!(opened.log.options, log.options);
        let is_whole = kept == log.inputs.len();
        let is_told = opened
            .notes
            .iter()
            .any(|note| matches!(note, LinkNote::Damaged { kept: k, .. } if *k as usize == kept));
        assert!(is_whole || is_told, "{damaged}: {:?}", opened.notes);
        if !is_whole {
            kept_most = kept_most.max(kept);
        }
    }
    assert!(kept_most >= 16, "most of a link is kept when its end is missing: {kept_most}");
}

#[test]
fn links_that_are_none() {
    let link = encode(&odd_log()).expect("it fits");
    for (text, error) in [
        ("", LinkError::NotALink),
        ("https://example.org/lab/", LinkError::NotALink),
        ("https://example.org/lab/#a-heading", LinkError::NotALink),
        ("play=x.AAAA", LinkError::NotALink),
        ("play=0.AAAA", LinkError::NotALink),
        ("play=99999999999999.AAAA", LinkError::NotALink),
        ("play=2.AAAA", LinkError::NewerForm(2)),
        ("play=1.", LinkError::Damaged),
        ("play=1.AAAA", LinkError::Damaged),
        ("play=1.ä", LinkError::Damaged),
    ] {
        assert_eq!(decode(text), Err(error), "{text}");
    }
    let long = "A".repeat(LINK_CHARS_MAX * 2);
    assert!(matches!(decode(&format!("play=1.{long}")), Err(LinkError::TooLong { .. })));
    // What mail and chat do to links.
    let (head, tail) = link.split_at(70);
    let broken = format!("https://example.org/lab/#{head}\n  {tail}).");
    let opened = decode(&broken).expect("it can be read");
    assert_eq!(opened.log, odd_log());
    assert_eq!(opened.notes, [LinkNote::TextBehind(").".to_owned())]);
}

#[test]
fn a_session_that_is_too_long_is_refused() {
    let mut log = odd_log();
    let mut noise = 1_u64;
    let mut word = || {
        noise =
            noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{noise:x}")
    };
    let line = (0..10_000).map(|_| word()).collect::<String>();
    log.inputs.push(Input {
        at: SimTime(u64::MAX),
        terminal: TerminalId(1),
        kind: InputKind::Line(line),
    });
    assert!(matches!(encode(&log), Err(LinkError::TooLong { chars }) if chars > LINK_CHARS_MAX));
}

/// What this version does not know is named, and what it knows is kept.
#[test]
fn inputs_that_are_refused_end_the_replay() {
    let mut log = log_of(TWO_READERS);
    let fault = InputKind::fault(Fault::Start(BrokerId(1)));
    let at = log.until;
    let of = u32::try_from(log.inputs.len()).expect("few") + 1;
    log.inputs.push(Input { at, terminal: TerminalId(1), kind: fault });
    let notes = replay(&log).expect("a cluster").notes;
    let [LinkNote::Refused { kept, of: all, .. }] = &*notes else { panic!("{notes:?}") };
    assert_eq!((*kept, *all), (of - 1, of));
}

#[test]
fn another_outcome_is_told() {
    let mut log = log_of(TWO_READERS);
    log.trace ^= 1;
    log.engine = "0.0.1".to_owned();
    let notes = replay(&log).expect("a cluster").notes;
    assert_eq!(notes, [LinkNote::WentAnotherWay { engine: "0.0.1".to_owned() }]);
}

/// Lines typed at a tool, a fault in between, Ctrl-C, time that passes: the script does the same.
#[test]
fn a_script_of_what_was_done_by_hand() {
    const SERVER: &str = "--bootstrap-server localhost:9092 --topic t";
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    let terminal = session.terminal();
    let mut give = |kind: InputKind, millis: u64| {
        let timeline = session.timeline_mut();
        timeline.input(terminal, kind, SimDuration(0)).expect("it is taken");
        timeline.run_for(SimDuration::from_millis(millis));
    };
    let line = |text: &str| InputKind::Line(text.to_owned());
    give(line(&format!("kafka-topics.sh {SERVER} --create --replica-assignment 1:2:3")), 4_000);
    give(line(&format!("kafka-console-producer.sh {SERVER}")), 2_000);
    give(line("it's"), 500);
    give(line("here"), 1_500);
    give(InputKind::EndOfInput, 3_000);
    give(line(&format!("kafka-console-consumer.sh {SERVER} --from-beginning")), 5_000);
    give(InputKind::fault(Fault::Crash(BrokerId(1))), 20_000);
    give(InputKind::Interrupt, 2_000);
    give(line("cat <<X"), 100);
    give(line("a"), 100);
    give(line("X"), 100);
    give(line("kafka-topics.sh --bootstrap-server localhost:9093 --describe --topic t"), 4_000);
    let log = SessionLog::of(session.timeline());
    let text = script(&log).expect("a cluster");
    let again = parsed(&text);
    let (other, outcomes) = session_of(&again, log.options.clone()).expect("it plays");
    let printed: Vec<String> = outcomes.into_iter().flat_map(|outcome| outcome.output).collect();
    assert!(text.contains("$ hw crash 1\n"), "{text}");
    assert!(text.contains(r"echo 'it'\''s'; sleep 0.5; echo 'here'"), "{text}");
    for wanted in ["Created topic t.", "it's", "here", "a"] {
        assert!(printed.iter().any(|line| line == wanted), "{wanted} in {printed:?} of\n{text}");
    }
    let end = |session: &Session| {
        let topics = session.timeline().snapshot().topics;
        let topic = topics.iter().find(|topic| topic.name.as_str() == "t").expect("it is there");
        let first = topic.image.partitions.first().expect("it has one");
        let log = topic.partitions.first().and_then(|partition| partition.replica.clone());
        let end = log.map(|log| log.log().log_end_offset());
        (first.leader, first.isr.clone(), first.leader_epoch, end)
    };
    assert_eq!(end(&other), end(&session), "{text}");
}
