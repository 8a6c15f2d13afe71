//! Whatever is pressed is typed, and typed by hand it does the same.

use highwater_core::world::stream::{OutputChunk, OutputKind};
use highwater_lab::run::Run;

use crate::Reader;

/// What all terminals show.
fn screens(run: &Run) -> Vec<Vec<OutputChunk>> {
    let views = run.timeline().world().terminal_views();
    views.iter().map(|view| view.output.iter().map(|chunk| (**chunk).clone()).collect()).collect()
}

fn last_command(run: &Run) -> (u32, String) {
    let views = run.timeline().world().terminal_views();
    let commands = views.iter().flat_map(|view| {
        let own = view.output.iter().filter(|chunk| chunk.kind == OutputKind::Command);
        own.map(move |chunk| (chunk.at, chunk.cause, view.id.0, chunk.bytes.clone()))
    });
    let (_, _, terminal, bytes) =
        commands.max_by_key(|(at, cause, ..)| (*at, *cause)).expect("a command");
    (terminal, String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// Does something by touch on one cluster, and types what appeared on another: both are the same then.
fn both_ways(prepare: &[&str], touch: impl Fn(&mut Reader)) -> String {
    let (mut by_touch, mut by_hand) = (Reader::new(), Reader::new());
    for line in prepare {
        by_touch.types(line);
        by_hand.types(line);
    }
    let before = by_touch.lab.run().timeline().inputs().count();
    touch(&mut by_touch);
    assert_eq!(
        by_touch.lab.run().timeline().inputs().count(),
        before + 1,
        "{:?}",
        by_touch.lab.note()
    );
    let (terminal, command) = last_command(by_touch.lab.run());
    if terminal != by_hand.lab.terminal().0 {
        by_hand.press("new-tab");
        assert_eq!(by_hand.lab.terminal().0, terminal);
    }
    by_hand.types(&command);
    let hash = |reader: &Reader| reader.lab.run().timeline().world().trace_hash();
    assert_eq!(hash(&by_touch), hash(&by_hand), "{command}");
    assert_eq!(screens(by_touch.lab.run()), screens(by_hand.lab.run()), "{command}");
    command
}

const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3,2:3:1";
const RECORDS: &str =
    "seq 1 4 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t";

/// A form, what is filled in, and the command that it makes.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str);

#[test]
fn forms_are_typed() {
    let cases: &[Case] = &[
        (
            "topic",
            &[("topic", "orders"), ("partitions", "3"), ("factor", "2"), ("min", "2")],
            "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders --partitions 3 \
          --replication-factor 2 --config min.insync.replicas=2",
        ),
        (
            "send",
            &[
                ("key", "it's"),
                ("value", "two words"),
                ("client", "sarama"),
                ("acks", "1"),
                ("count", "3"),
            ],
            "hw produce --topic t --key 'it'\\''s' --value 'two words' --client sarama --acks 1 --count 3",
        ),
        (
            "send",
            &[("key", ""), ("partition", "1")],
            "hw produce --topic t --value CODE_SENT --partition 1",
        ),
        (
            "read",
            &[("group", "billing")],
            "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --group billing --from-beginning \
          --formatter-property print.partition=true --formatter-property print.offset=true \
          --formatter-property print.key=true",
        ),
        (
            "work",
            &[("group", "g"), ("time", "200"), ("commit", "after")],
            "hw work --group g --topic t --time 200 --commit after --from-beginning",
        ),
        (
            "partitions",
            &[("partitions", "4")],
            "kafka-topics.sh --bootstrap-server localhost:9092 --alter --topic t --partitions 4",
        ),
        (
            "link",
            &[("what", "cut"), ("from", "1"), ("to", "controller"), ("oneway", "yes")],
            "hw cut 1 controller --one-way",
        ),
        (
            "link",
            &[("what", "slow"), ("from", "1"), ("to", "clients"), ("ms", "50")],
            "hw slow 1 clients 50",
        ),
        ("disk", &[("broker", "3"), ("ms", "250")], "hw slow --disk 3 250"),
        (
            "delete",
            &[("partition", "0"), ("before", "1")],
            "echo '{\"partitions\":[{\"topic\":\"t\",\"partition\":0,\"offset\":1}],\"version\":1}' > delete.json; \
          kafka-delete-records.sh --bootstrap-server localhost:9092 --offset-json-file delete.json",
        ),
        (
            "elect",
            &[("partition", "1"), ("kind", "preferred")],
            "kafka-leader-election.sh --bootstrap-server localhost:9092 --election-type preferred --topic t --partition 1",
        ),
        ("wait", &[("seconds", "12")], "sleep 12"),
    ];
    for (form, values, expected) in cases {
        let typed = both_ways(&[TOPIC, RECORDS], |reader| reader.does(form, values));
        assert_eq!(typed, *expected);
    }
}

#[test]
fn a_group_is_moved_by_touch() {
    let read = "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --group g --from-beginning \
                --timeout-ms 9000";
    let typed = both_ways(&[TOPIC, RECORDS, read], |reader| {
        reader.does("reset", &[("to", "--to-earliest")]);
    });
    assert_eq!(
        typed,
        "kafka-consumer-groups.sh --bootstrap-server localhost:9092 --group g --topic t --reset-offsets --to-earliest --execute"
    );
}

/// What can be done with a thing that was asked about.
#[test]
fn things_are_touched() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&[], "ask:broker:2", "type:hw crash 2"),
        (&[], "ask:broker:2", "type:hw stop 2"),
        (&[], "ask:broker:2", "type:hw pause 2"),
        (&[], "ask:broker:2", "type:hw crash 2 --power-loss"),
        (&["hw pause 2"], "ask:broker:2", "type:hw resume 2"),
        (&["hw crash 2"], "ask:broker:2", "type:hw start 2"),
        (&[], "ask:replica:t-0@2", "type:hw stop 2"),
        (
            &[],
            "ask:topic:t",
            "type:kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic t",
        ),
        (
            &[],
            "ask:topic:t",
            "type:kafka-topics.sh --bootstrap-server localhost:9092 --delete --topic t",
        ),
        (
            &[],
            "ask:record:t-1:0",
            "type:kafka-leader-election.sh --bootstrap-server localhost:9092 --election-type unclean --topic t --partition 1",
        ),
        (
            &["hw crash 1"],
            "ask:partition:t-0",
            "type:kafka-topics.sh --bootstrap-server localhost:9093 --describe --topic t",
        ),
        (
            &[],
            "ask:controller",
            "type:kafka-metadata-quorum.sh --bootstrap-server localhost:9092 describe --status",
        ),
    ];
    for (more, thing, deed) in cases {
        let prepare = [&[TOPIC, RECORDS], *more].concat();
        let typed = both_ways(&prepare, |reader| {
            reader.hears(highwater_lab::Heard::Press((*thing).to_owned()));
            reader.press(deed);
        });
        assert_eq!(Some(typed.as_str()), deed.strip_prefix("type:"));
    }
}

/// A reader is a process, and can be stopped, killed and frozen like one; it is in a terminal of its own.
#[test]
fn readers_are_touched() {
    let work = "hw work --group g --topic t --time 300 --from-beginning";
    for (label, signal) in [("Stop", "kill "), ("Kill", "kill -9 "), ("Freeze", "kill -STOP ")] {
        let typed = both_ways(&[TOPIC, RECORDS, work], |reader| {
            let views = reader.lab.run().snapshot();
            let name = views.readers.last().expect("a reader").name.clone();
            reader.hears(highwater_lab::Heard::Press(format!("ask:reader:{name}")));
            let seen = reader.seen();
            let does = seen.iter().find(|does| does.starts_with(&format!("type:{signal}")));
            let does = does.unwrap_or_else(|| panic!("no {label} in {seen:#?}")).clone();
            reader.press(&does);
        });
        assert!(typed.starts_with(signal), "{label}: {typed}");
    }
}

/// A consumer is killed in the terminal where it runs, from another one.
#[test]
fn a_reader_in_another_terminal_is_killed() {
    let mut reader = Reader::new();
    for line in [TOPIC, RECORDS, "hw work --group g --topic t --from-beginning"] {
        reader.types(line);
    }
    let cluster = reader.lab.run().snapshot().cluster;
    let process =
        cluster.get().and_then(|it| it.reader_processes.first().cloned()).expect("a reader");
    reader.hears(highwater_lab::Heard::Press(format!("ask:reader:{}", process.0)));
    reader.press(&format!("type:kill -9 {}", process.1));
    let shown = screens(reader.lab.run());
    let second: String =
        shown[1].iter().map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect();
    assert!(!second.contains("No such process"), "{second}");
    let cluster = reader.lab.run().snapshot().cluster;
    assert_eq!(cluster.get().map(|it| it.reader_processes.len()), Some(0));
}

/// A setting is changed where it is explained, and Kafka says what it thinks of the value.
#[test]
fn settings_are_touched() {
    let typed = both_ways(&[TOPIC], |reader| {
        reader.hears(highwater_lab::Heard::Press("ask:topic:t".to_owned()));
        let values = [
            ("entity-type", "topics"),
            ("entity-name", "t"),
            ("key", "retention.ms"),
            ("value", "1000"),
            ("do", "set"),
        ];
        reader.send("config", &values);
    });
    assert_eq!(
        typed,
        "kafka-configs.sh --bootstrap-server localhost:9092 --alter --entity-type topics --entity-name t --add-config retention.ms=1000"
    );
}

/// Every form of `hw` that a touch uses stands in the table of `hw help`.
#[test]
fn the_table_of_hw_help_names_them_all() {
    let mut reader = Reader::new();
    reader.types("hw help");
    let shown = screens(reader.lab.run());
    let help: String =
        shown[0].iter().map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect();
    for form in [
        "crash", "stop", "start", "pause", "resume", "cut", "heal", "slow", "drop", "produce",
        "work",
    ] {
        assert!(help.contains(&format!("  hw {form} ")), "hw {form} is not in the table");
    }
    for tool in [
        "kafka-topics.sh",
        "kafka-configs.sh",
        "kafka-console-consumer.sh",
        "kafka-delete-records.sh",
        "kafka-leader-election.sh",
        "kafka-consumer-groups.sh",
    ] {
        assert!(help.contains(tool), "{tool} is not in the table");
    }
}

/// The table is short, each of its lines is a form that there is, and `hw help NAME` tells all about it.
#[test]
fn hw_help_is_short_and_tells_more_of_each() {
    let run = |line: &str| {
        let mut reader = Reader::new();
        reader.types(line);
        let shown = screens(reader.lab.run());
        let chunks = shown[0].iter().skip(1);
        chunks.map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect::<String>()
    };
    let table = run("hw help");
    assert!(table.lines().count() < 50, "{}", table.lines().count());
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
    assert_eq!(run("hw"), table);
    let names: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("  hw ")?.split(' ').next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let more = run(&format!("hw help {name}"));
        assert!(more.starts_with(&format!("hw {name}")), "{name}: {more}");
        let typed = run(&format!("hw {name}"));
        assert!(!typed.contains("there is no"), "{name}: {typed}");
    }
    let produce = run("hw help produce");
    assert!(produce.contains("[--headers NAME:VALUE") && !table.contains("--headers"), "{produce}");
    assert_eq!(run("hw help heal").matches("hw heal").count(), 3, "every form of it");
    assert!(run("hw help kafka-topics.sh").contains("--create|--describe"));
    assert_eq!(run("hw help nothing"), "hw: there is no `nothing`; `hw help` lists all\n");
}

/// What is missing or out of range is said before anything is done.
#[test]
fn forms_are_checked() {
    let cases: [(&str, (&str, &str), &str); 7] = [
        ("topic", ("topic", ""), "Give the topic a name."),
        ("topic", ("partitions", ""), "Partitions: fill in a number from 1 to 100."),
        ("topic", ("factor", "12"), "Replication factor: fill in a number from 1 to 9."),
        ("send", ("count", "0"), "How many: fill in a number from 1 to 10000."),
        ("delete", ("before", "-1"), "All records before offset: fill in a number from 0 on."),
        ("link", ("to", "1"), "A link has two different ends."),
        ("work", ("group", ""), "Name a group."),
    ];
    for (form, value, says) in cases {
        let mut reader = Reader::new();
        reader.types(TOPIC);
        let before = reader.lab.run().timeline().inputs().count();
        reader.hears(highwater_lab::Heard::Press(format!("form:{form}")));
        reader.send(&format!("form:{form}"), &[value]);
        assert_eq!(reader.lab.announced(), says);
        assert_eq!(reader.lab.run().timeline().inputs().count(), before);
    }
    let mut empty = Reader::new();
    empty.does("partitions", &[]);
    empty.hears(highwater_lab::Heard::Press("form:send".to_owned()));
    empty.send("form:send", &[]);
    assert!(empty.lab.announced().contains("There is no topic yet"));
}
