//! Whatever is produced over several partitions and segments is consumed once, and in order within
//! each partition; and bad input never stops the simulator.

use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const BOOTSTRAP: &str = "--bootstrap-server localhost:9092";

fn session(seed: u64) -> Session {
    let options = ClusterOptions { seed, ..ClusterOptions::default() };
    Session::new(options).expect("the options are fine")
}

fn run(session: &mut Session, line: &str) -> Vec<String> {
    session.run(line).expect("the line is taken").output
}

/// A number from 0 to `bound` - 1, different for each seed and purpose.
fn pick(seed: u64, purpose: u64, bound: u64) -> u64 {
    (seed * 0x9e37_79b9 + purpose * 0x85eb_ca6b).wrapping_mul(0xc2b2_ae35) % 0xffff_fffb % bound
}

/// `Partition:P`, `Offset:O` and the value of a printed line.
fn place(line: &str) -> (usize, u64, &str) {
    let mut parts = line.split('\t');
    let partition = parts.next().and_then(|part| part.strip_prefix("Partition:"));
    let offset = parts.next().and_then(|part| part.strip_prefix("Offset:"));
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
    let (partition, offset) = number(partition).zip(number(offset)).expect("a printed record");
    (usize::try_from(partition).expect("a small number"), offset, parts.next().expect("a value"))
}

/// 1 to 5 partitions on three brokers, records large enough for several segments, and any limits of
/// fetches and polls: nothing is missing, nothing comes twice, and each partition is in order.
#[test]
fn everything_is_consumed_once_and_in_order() {
    for seed in 1..=12 {
        let mut session = session(seed);
        let partitions = usize::try_from(1 + pick(seed, 1, 5)).expect("a small number");
        let (one, two) = (["1", "2", "3", "1", "2"], ["1:2", "2:3", "3:1", "1:3", "2:1"]);
        let replicas = if seed % 2 == 0 { two } else { one }[..partitions].join(",");
        run(
            &mut session,
            &format!(
                "kafka-topics.sh {BOOTSTRAP} --create --topic t --replica-assignment {replicas} \
                 --config segment.bytes=1048576"
            ),
        );
        let count = 20 + pick(seed, 2, 60);
        let keys = 1 + pick(seed, 3, 20);
        let padding = "x".repeat(usize::try_from(pick(seed, 4, 3) * 70_000).expect("small"));
        // One batch for each record, so that segments roll.
        let lines: Vec<String> =
            (0..count).map(|n| format!("k{}:{n}-{padding}", pick(n, 5, keys))).collect();
        // A command line has room for a megabyte.
        for lines in lines.chunks(if padding.is_empty() { 100 } else { 6 }) {
            run(
                &mut session,
                &format!(
                    "kafka-console-producer.sh {BOOTSTRAP} --topic t --batch-size 1 \
                     --reader-property parse.key=true --reader-property key.separator=: <<X\n{}\nX",
                    lines.join("\n")
                ),
            );
        }
        let settings = [
            format!("max.poll.records={}", 1 + pick(seed, 6, 9)),
            format!("fetch.max.bytes={}", pick(seed, 7, 300_000)),
            format!("max.partition.fetch.bytes={}", pick(seed, 8, 200_000)),
            format!("fetch.min.bytes={}", pick(seed, 9, 2_000)),
        ]
        .map(|setting| format!("--command-property {setting}"))
        .join(" ");
        let read = run(
            &mut session,
            &format!(
                "kafka-console-consumer.sh {BOOTSTRAP} --topic t --from-beginning --timeout-ms \
                 9000 --formatter-property print.partition=true --formatter-property \
                 print.offset=true {settings} 2>/dev/null"
            ),
        );
        check_read(seed, partitions, count, &read);
    }
}

fn check_read(seed: u64, partitions: usize, count: u64, read: &[String]) {
    assert_eq!(read.len() as u64, count, "seed {seed}: as many as were produced");
    let mut next = vec![0; partitions];
    let mut last: Vec<Option<u64>> = vec![None; partitions];
    let mut seen = Vec::new();
    for line in read {
        let (partition, offset, value) = place(line);
        assert_eq!(offset, next[partition], "seed {seed}: offsets of partition {partition}");
        next[partition] += 1;
        let number = value.split('-').next().and_then(|text| text.parse::<u64>().ok());
        assert!(last[partition] < number, "seed {seed}: the order of partition {partition}");
        last[partition] = number;
        seen.extend(number);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..count).collect::<Vec<u64>>(), "seed {seed}: each once");
}

/// A broker dies while a consumer reads: it goes on with the new leader, where it was.
#[test]
fn a_consumer_survives_its_leader() {
    for seed in 1..=4 {
        let mut session = session(seed);
        for line in [
            "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 2:3:1",
            "seq 1 5 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t",
            "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --partition 0 \
             --offset earliest --timeout-ms 40000 > read.txt 2>&1 &",
            "sleep 4; hw crash 2; sleep 15",
            "seq 6 9 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t",
        ] {
            run(&mut session, line);
        }
        let read = run(&mut session, "sleep 45; grep -v WARN read.txt | head -9");
        assert_eq!(read, ["1", "2", "3", "4", "5", "6", "7", "8", "9"], "seed {seed}");
    }
}

/// Retention has moved the log start past a consumer's place, or there never was such an offset.
#[test]
fn an_offset_that_is_not_there() {
    let mut session = session(1);
    run(
        &mut session,
        &format!("kafka-topics.sh {BOOTSTRAP} --create --topic t --replica-assignment 1"),
    );
    run(&mut session, &format!("seq 1 3 | kafka-console-producer.sh {BOOTSTRAP} --topic t"));
    let mut read = |setting: &str| {
        let line = format!(
            "kafka-console-consumer.sh {BOOTSTRAP} --topic t --partition 0 --offset 7 --timeout-ms \
             3000 --command-property auto.offset.reset={setting} 2>&1 | grep -v '^.20' | head -2"
        );
        run(&mut session, &line)
    };
    assert_eq!(read("earliest"), ["1", "2"]);
    assert_eq!(read("by_duration:PT1H"), ["1", "2"]);
    let timeout = "org.apache.kafka.common.errors.TimeoutException";
    assert_eq!(read("latest")[0], timeout);
    assert_eq!(read("by_duration:PT0S")[0], timeout);
    assert!(read("none")[0].starts_with("org.apache.kafka.clients.consumer.OffsetOutOfRange"));
}

/// The newer group protocol cannot be modelled yet, and is refused by name.
#[test]
fn the_newer_protocol_is_refused_by_name() {
    let mut session = session(1);
    for option in ["--group g", "--command-property group.id=g"] {
        let line = format!(
            "kafka-console-consumer.sh {BOOTSTRAP} --topic t {option} --command-property \
             group.protocol=consumer"
        );
        let outcome = session.run(&line).expect("the line is taken");
        assert_eq!(outcome.exit, 1);
        assert!(outcome.output[0].contains("does not model the consumer rebalance protocol"));
    }
}

/// A group goes on after the last record that was printed, however its member ended in good order; after
/// `kill -9` it goes on where it had committed.
#[test]
fn a_group_goes_on_where_it_was() {
    for seed in 1..=3 {
        let mut session = session(seed);
        for line in [
            "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3",
            "seq 1 9 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic t",
        ] {
            run(&mut session, line);
        }
        let tool = format!("kafka-console-consumer.sh {BOOTSTRAP} --topic t --group g");
        let first = format!("{tool} --from-beginning --max-messages 4 2>/dev/null");
        assert_eq!(run(&mut session, &first), ["1", "2", "3", "4"]);
        for signal in ["-INT", "-TERM", "-KILL"] {
            run(&mut session, &format!("{tool} > read.txt 2>/dev/null &"));
            run(&mut session, &format!("sleep 7; kill {signal} %1; sleep 50"));
            let read = run(&mut session, "cat read.txt");
            let wanted: &[&str] = match signal {
                "-INT" => &["5", "6", "7", "8", "9"],
                _ => &[],
            };
            assert_eq!(read, wanted, "seed {seed}, {signal}");
        }
    }
}

/// Members that come, go and are killed, with each assignor: every record is read, and none twice by
/// members that end in good order.
#[test]
fn members_share_the_records() {
    for (seed, class) in (1..).zip(["Range", "RoundRobin", "Sticky", "CooperativeSticky"]) {
        let mut session = session(seed);
        run(
            &mut session,
            &format!("kafka-topics.sh {BOOTSTRAP} --create --topic t --replica-assignment 1,2,3,1"),
        );
        let member = |number: u32| {
            format!(
                "kafka-console-consumer.sh {BOOTSTRAP} --topic t --group g --from-beginning \
                 --command-property partition.assignment.strategy=org.apache.kafka.clients.consumer.\
                 {class}Assignor > read{number}.txt 2>/dev/null &"
            )
        };
        let write = |from: u32, to: u32| {
            format!(
                "for n in $(seq {from} {to}); do echo k$n:$n; done | kafka-console-producer.sh \
                 {BOOTSTRAP} --topic t --reader-property parse.key=true --reader-property \
                 key.separator=:"
            )
        };
        run(&mut session, &member(1));
        run(&mut session, "sleep 6");
        run(&mut session, &write(1, 40));
        run(&mut session, &member(2));
        run(&mut session, "sleep 12");
        run(&mut session, &write(41, 80));
        run(&mut session, "sleep 3; kill %1; sleep 12");
        run(&mut session, &write(81, 120));
        run(&mut session, &member(3));
        run(&mut session, "sleep 12; kill %2 %3; sleep 4");
        let read = run(&mut session, "cat read1.txt read2.txt read3.txt | sort -n | uniq -c");
        assert_eq!(read.len(), 120, "{class}: all of them");
        let twice: Vec<&String> =
            read.iter().filter(|line| !line.trim_start().starts_with("1 ")).collect();
        assert!(twice.is_empty(), "{class}: {twice:?}");
    }
}

/// Numbers at their limits, empty words and odd bytes: each line ends, none panics.
#[test]
fn bad_input() {
    let numbers = [
        "",
        "-1",
        "0",
        "1",
        "2147483647",
        "2147483648",
        "-2147483649",
        "9223372036854775807",
        "9223372036854775808",
        "1e3",
        "NaN",
        "0x1",
        " 1",
        "+1",
        "\u{663}",
    ];
    let options = [
        "partition",
        "offset",
        "max-messages",
        "command-property",
        "formatter-property",
        "value-deserializer",
        "formatter",
        "isolation-level",
        "include",
        "topic",
    ];
    let mut session = session(1);
    run(
        &mut session,
        &format!("kafka-topics.sh {BOOTSTRAP} --create --topic t --replica-assignment 1"),
    );
    for number in numbers {
        for option in options {
            run(
                &mut session,
                &format!(
                    "kafka-console-consumer.sh {BOOTSTRAP} --topic t --partition 0 --timeout-ms 10 \
                     '--{option}={number}'"
                ),
            );
        }
        run(
            &mut session,
            &format!(
                "kafka-console-consumer.sh {BOOTSTRAP} --topic t --partition 0 --max-messages 0 \
                 '--timeout-ms={number}'"
            ),
        );
        for option in ["record-size", "reporting-interval", "throughput", "topic", "producer-props"]
        {
            let lesser = if option == "record-size" && number.len() > 9 { "7" } else { number };
            run(
                &mut session,
                &format!(
                    "kafka-producer-perf-test.sh {BOOTSTRAP} --topic t --num-records 1 \
                     --record-size 3 --throughput -1 '--{option}={lesser}'"
                ),
            );
        }
    }
}
