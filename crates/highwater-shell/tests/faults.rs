//! `hw`'s faults as a person uses them: what they say of nonsense, that each can be taken away again, and
//! how slow a slow disk is.

use highwater_core::ids::BrokerId;
use highwater_core::net::rule::Party;
use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SERVERS: &str = "--bootstrap-server localhost:9092,localhost:9093,localhost:9094";

fn session() -> Session {
    let options =
        ClusterOptions { tool_start: SimDuration::from_millis(0), ..ClusterOptions::default() };
    Session::new(options).expect("a cluster")
}

/// What a line prints, lines parted by `|`, and its exit status.
fn run(session: &mut Session, line: &str) -> (String, u8) {
    let line = line.replace("SERVERS", SERVERS);
    let outcome = session.run(&line).expect("it is taken");
    (outcome.output.join("|"), outcome.exit)
}

/// How many milliseconds a line takes.
fn time(session: &mut Session, line: &str) -> u64 {
    let before = session.timeline().world().now();
    let (output, exit) = run(session, line);
    assert_eq!(exit, 0, "{line}: {output}");
    (session.timeline().world().now().0 - before.0) / 1_000
}

/// Nonsense is named, with the forms that there are, and changes nothing.
#[test]
fn nonsense_is_refused() {
    let slow = "usage: hw slow A B MS [--one-way]|       hw slow --disk N MS";
    let heal = "usage: hw heal [A B]|       hw heal A B --one-way|       hw heal --disk N";
    let cut = "usage: hw cut A B [--one-way]";
    let broker = |word: &str| format!("`{word}` is not the number of a broker");
    let party = |word: &str| format!("`{word}` is not a broker's number, controller or clients");
    let millis =
        |word: &str| format!("`{word}` is not a number of milliseconds from 0.001 to 3600000");
    for (line, says) in [
        ("hw slow", format!("hw slow: something is missing|{slow}")),
        ("hw slow 1 2", format!("hw slow: `1 2` is not understood|{slow}")),
        ("hw slow 1 2 0", format!("hw slow: {}|{slow}", millis("0"))),
        ("hw slow 1 2 0.0001", format!("hw slow: {}|{slow}", millis("0.0001"))),
        ("hw slow 1 2 1.", format!("hw slow: {}|{slow}", millis("1."))),
        ("hw slow 1 2 .5", format!("hw slow: {}|{slow}", millis(".5"))),
        ("hw slow 1 2 -5", format!("hw slow: {}|{slow}", millis("-5"))),
        ("hw slow 1 2 3600001", format!("hw slow: {}|{slow}", millis("3600001"))),
        (
            "hw slow 1 2 18446744073709551616",
            format!("hw slow: {}|{slow}", millis("18446744073709551616")),
        ),
        ("hw slow 1 two 5", format!("hw slow: {}|{slow}", party("two"))),
        ("hw slow 1 1 5", format!("hw slow: a link has two different ends|{slow}")),
        ("hw slow 1 2 5 --both", format!("hw slow: `1 2 5 --both` is not understood|{slow}")),
        ("hw slow --disk", format!("hw slow: `--disk` is not understood|{slow}")),
        ("hw slow --disk 1", format!("hw slow: `--disk 1` is not understood|{slow}")),
        ("hw slow --disk 0 5", format!("hw slow: {}|{slow}", broker("0"))),
        ("hw slow --disk -1 5", format!("hw slow: {}|{slow}", broker("-1"))),
        ("hw slow --disk 2147483648 5", format!("hw slow: {}|{slow}", broker("2147483648"))),
        ("hw slow --disk clients 5", format!("hw slow: {}|{slow}", broker("clients"))),
        ("hw slow --disk 1 0", format!("hw slow: {}|{slow}", millis("0"))),
        ("hw slow --disk 1 1e3", format!("hw slow: {}|{slow}", millis("1e3"))),
        ("hw cut 1", format!("hw cut: `1` is not understood|{cut}")),
        ("hw cut 1 -2", format!("hw cut: {}|{cut}", party("-2"))),
        ("hw cut clients clients", format!("hw cut: a link has two different ends|{cut}")),
        ("hw heal 1", format!("hw heal: `1` is not understood|{heal}")),
        ("hw heal --disk x", format!("hw heal: {}|{heal}", broker("x"))),
        ("hw drop", "hw drop: something is missing|usage: hw drop ID".to_owned()),
        ("hw drop -1", "hw drop: `-1` is not the number of a message|usage: hw drop ID".to_owned()),
        (
            "hw drop 18446744073709551616",
            "hw drop: `18446744073709551616` is not the number of a message|usage: hw drop ID"
                .to_owned(),
        ),
    ] {
        let mut session = session();
        assert_eq!(run(&mut session, line), (says, 2), "{line}");
        assert!(session.timeline().world().rules().is_empty(), "{line}");
        assert!(session.timeline().world().slow_disks().is_empty(), "{line}");
    }
}

/// What cannot be done to this cluster is named.
#[test]
fn impossible_faults_are_refused() {
    for (line, says) in [
        ("hw slow 1 9 5", "hw slow: there is no broker 9"),
        ("hw slow --disk 9 5", "hw slow: there is no broker 9"),
        ("hw cut 9 controller", "hw cut: there is no broker 9"),
        ("hw heal", "hw heal: nothing is cut or slow there"),
        ("hw heal 1 2", "hw heal: nothing is cut or slow there"),
        ("hw heal 1 9", "hw heal: there is no broker 9"),
        ("hw heal 1 2 --one-way", "hw heal: nothing is cut or slow there"),
        ("hw heal 9 1 --one-way", "hw heal: there is no broker 9"),
        ("hw heal --disk 1", "hw heal: nothing is cut or slow there"),
        ("hw heal --disk 9", "hw heal: there is no broker 9"),
        ("hw drop 123456789", "hw drop: no message 123456789 is on its way"),
    ] {
        assert_eq!(run(&mut session(), line), (says.to_owned(), 1), "{line}");
    }
}

/// Each standing fault can be taken away alone, and all at once.
#[test]
fn faults_are_removable() {
    let mut session = session();
    for line in ["hw cut 1 2", "hw cut 1 3 --one-way", "hw slow 2 clients 7", "hw slow --disk 3 9"]
    {
        assert_eq!(run(&mut session, line), (String::new(), 0), "{line}");
    }
    let counts = |session: &Session| {
        let world = session.timeline().world();
        (world.rules().len(), world.slow_disks().len())
    };
    assert_eq!(counts(&session), (5, 1));
    for (line, left) in [
        ("hw heal 2 1", (3, 1)),
        ("hw heal 3 1", (2, 1)),
        ("hw heal clients 2", (0, 1)),
        ("hw heal --disk 3", (0, 0)),
    ] {
        assert_eq!(run(&mut session, line), (String::new(), 0), "{line}");
        assert_eq!(counts(&session), left, "{line}");
    }
    run(&mut session, "hw cut 1 2; hw slow 1 2 5");
    assert_eq!(counts(&session), (4, 0));
    assert_eq!(run(&mut session, "hw heal 1 2 --one-way"), (String::new(), 0));
    let world = session.timeline().world();
    assert!(world.rules().iter().all(|rule| rule.from == Party::Broker(BrokerId(2))));
    assert_eq!(counts(&session), (2, 0));
    run(&mut session, "hw heal 2 1");
    run(&mut session, "hw slow --disk 1 5; hw slow --disk 2 6; hw slow --disk 2 7; hw cut 1 2");
    assert_eq!(counts(&session), (2, 2));
    let slow = session.timeline().world().slow_disks().get(&BrokerId(2)).copied();
    assert_eq!(slow, Some(SimDuration::from_millis(7)));
    assert_eq!(run(&mut session, "hw heal"), (String::new(), 0));
    assert_eq!(counts(&session), (0, 0));
}

const PRODUCE: &str = "hw produce --topic t --value v";

fn with_topic(assignment: &str, config: &str) -> Session {
    let mut session = session();
    let line = format!(
        "kafka-topics.sh SERVERS --create --topic t --replica-assignment {assignment} {config}; {PRODUCE}"
    );
    let (output, exit) = run(&mut session, &line);
    assert_eq!(exit, 0, "{output}");
    session
}

/// The leader's disk makes every producer wait, a follower's those who wait for all.
#[test]
fn slow_disks_make_producers_wait() {
    let mut session = with_topic("1:2", "");
    assert!(time(&mut session, PRODUCE) < 20);
    run(&mut session, "hw slow --disk 1 400");
    assert!((400..450).contains(&time(&mut session, PRODUCE)));
    run(&mut session, "hw heal --disk 1; hw slow --disk 2 700");
    assert!((700..750).contains(&time(&mut session, PRODUCE)));
    // Reading is as fast as ever, and so is a topic that is elsewhere.
    let read = "hw consume --as r --topic t --partition 0 --max 3";
    assert!(time(&mut session, read) < 20);
    // Both: one after the other.
    run(&mut session, "hw slow --disk 1 400");
    assert!((1_100..1_200).contains(&time(&mut session, PRODUCE)));
    run(&mut session, "hw heal");
    assert!(time(&mut session, PRODUCE) < 20);
    // A disk does one write after the other.
    run(&mut session, "hw slow --disk 1 400");
    let three = format!("{PRODUCE} & {PRODUCE} & {PRODUCE} & wait");
    assert!((1_200..1_300).contains(&time(&mut session, &three)));
}

/// What waits for a disk is written at once when that is slow no more; what it is busy with takes its time.
#[test]
fn a_healed_disk_has_done_all_soon() {
    let mut session = with_topic("1:2", "");
    run(&mut session, "hw slow --disk 1 400");
    let three = format!("{PRODUCE} & {PRODUCE} & {PRODUCE} & sleep 0.1; hw heal --disk 1; wait");
    assert!((400..450).contains(&time(&mut session, &three)));
    // The other way round: what waits takes as long as the disk needs when it comes to it.
    let slower = "sleep 0.1; hw slow --disk 1 700; wait";
    run(&mut session, "hw slow --disk 1 400");
    let two = format!("{PRODUCE} & {PRODUCE} & {slower}");
    assert!((1_100..1_150).contains(&time(&mut session, &two)));
    let (offsets, _) = run(&mut session, "kafka-get-offsets.sh SERVERS --topic t");
    assert_eq!(offsets, "t:0:6");
}

fn in_sync(session: &mut Session) -> String {
    let (output, _) = run(session, "kafka-topics.sh SERVERS --describe --topic t");
    output.split("Isr: ").nth(1).and_then(|rest| rest.split('\t').next()).unwrap_or("?").to_owned()
}

/// A follower that does not get done within `replica.lag.time.max.ms` leaves the in-sync replicas, and
/// comes back when it can.
#[test]
fn a_follower_that_is_too_slow_falls_behind() {
    let acks = "kafka-producer-perf-test.sh --topic t --num-records 40 --record-size 10 --throughput 1 \
        --command-property bootstrap.servers=localhost:9092 acks=1 >/dev/null";
    // It gets done: 1 s for what came in the last second.
    let mut session = with_topic("1:2", "");
    run(&mut session, "hw slow --disk 2 1000");
    run(&mut session, acks);
    assert_eq!(in_sync(&mut session), "1,2");
    // It does not.
    run(&mut session, "hw slow --disk 2 45000");
    run(&mut session, acks);
    assert_eq!(in_sync(&mut session), "1");
    run(&mut session, "hw heal; sleep 60");
    assert_eq!(in_sync(&mut session), "1,2");
    let (offsets, _) = run(&mut session, "kafka-get-offsets.sh SERVERS --topic t");
    assert_eq!(offsets, "t:0:81");
}

/// What is still being written when the process is killed was not written; the producer hears that the
/// connection is gone and sends it again.
#[test]
fn a_crash_loses_what_is_being_written() {
    let mut session = with_topic("1:2", "");
    run(&mut session, "hw slow --disk 1 5000");
    run(&mut session, &format!("{PRODUCE} > answer &"));
    run(&mut session, "sleep 1; hw crash 1; wait");
    assert_eq!(run(&mut session, "cat answer"), ("t-0, offset 1".to_owned(), 0));
    run(&mut session, "hw heal; hw start 1; sleep 5");
    let (offsets, _) = run(&mut session, "kafka-get-offsets.sh SERVERS --topic t");
    assert_eq!(offsets, "t:0:2");
    // The slowness is the disk's, not the process's.
    run(&mut session, "hw slow --disk 2 300; hw stop 2; hw start 2; sleep 5");
    assert!(time(&mut session, PRODUCE) >= 300);
}
/// A fetch that opens a session is lost, and the follower has something new to fetch before it hears of
/// that: the leader tells it to begin anew, so that it fetches both.
#[test]
fn a_lost_fetch_is_noticed() {
    let mut session = session();
    let create = |topic: &str| {
        format!("kafka-topics.sh SERVERS --create --topic {topic} --replica-assignment 1:2")
    };
    run(&mut session, "hw cut 1 2");
    run(&mut session, &create("t"));
    run(&mut session, "hw heal");
    run(&mut session, &create("u"));
    assert!(time(&mut session, PRODUCE) < 5_000);
}

/// Nobody leads, and then the topic allows anybody to: the controller looks every five minutes
/// (`unclean.leader.election.interval.ms`).
#[test]
fn unclean_elections_that_are_allowed_late() {
    let mut session = session();
    for line in [
        "kafka-topics.sh SERVERS --create --topic t --replica-assignment 1:2",
        "hw stop 2",
        "hw produce --topic t --value v",
        "hw crash 1",
        "hw start 2",
        "sleep 12",
        "kafka-configs.sh SERVERS --alter --topic t --add-config unclean.leader.election.enable=true",
    ] {
        assert_eq!(run(&mut session, line).1, 0, "{line}");
    }
    let leader = |session: &mut Session| {
        let line = "kafka-topics.sh SERVERS --describe --topic t";
        let (output, _) = run(session, line);
        output.split("Leader: ").nth(1).and_then(|rest| rest.split('\t').next()).map(str::to_owned)
    };
    assert_eq!(leader(&mut session).as_deref(), Some("none"));
    run(&mut session, "sleep 200");
    assert_eq!(leader(&mut session).as_deref(), Some("none"), "too early");
    run(&mut session, "sleep 100");
    assert_eq!(leader(&mut session).as_deref(), Some("2"));
}
