//! `hw produce --client` and `hw partition`: every partitioner of every client, from the command line to the
//! log.

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::partitioner::rule::Keyless;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A session in which the topic `t` has so many partitions.
fn session(partitions: u32) -> Session {
    let options = ClusterOptions { seed: 5, brokers: 3, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("the options are fine");
    let line = format!(
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions {partitions}"
    );
    assert_eq!(run(&mut session, &line), ("Created topic t.\n".to_owned(), 0));
    session
}

fn run(session: &mut Session, line: &str) -> (String, u8) {
    let answer = session.run(line).expect("the line is taken");
    (answer.output.iter().map(|line| format!("{line}\n")).collect(), answer.exit)
}

/// How many records each partition holds.
fn held(session: &mut Session) -> Vec<u32> {
    let line = "kafka-get-offsets.sh --bootstrap-server localhost:9092 --topic t | cut -d: -f3";
    let (text, _) = run(session, line);
    text.lines().map(|line| line.parse().expect("a number")).collect()
}

/// Each client puts a key where `hw partition` says, whatever its partitioner; one that pays no heed to keys
/// is told so.
#[test]
fn every_partitioner_is_told_and_true() {
    let mut session = session(7);
    let mut count = 0;
    for family in ClientFamily::ALL {
        for partitioner in family.partitioners() {
            let client = format!("{}:{}", family.name(), partitioner.name);
            let line = format!("hw partition --client {client} --partitions 7 locker-7");
            let (told, exit) = run(&mut session, &line);
            assert_eq!(exit, 0, "{told}");
            let line = format!("hw produce --client {client} --topic t --key locker-7 --value v");
            let (sent, exit) = run(&mut session, &line);
            assert_eq!(exit, 0, "{client}: {sent}");
            let place = sent.strip_prefix("t-").and_then(|rest| rest.split_once(',')).expect("t-n");
            if partitioner.rule.keys.is_some() {
                let end = format!("\n  partition {}\n", place.0);
                assert!(told.ends_with(&end), "{client}: {told}{sent}");
            } else {
                assert!(told.starts_with("\"locker-7\"\n  this key does not count\n"), "{told}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 40);
    assert_eq!(held(&mut session).iter().sum::<u32>(), count);
}

/// Records without key, sent by one client: those that take turns fill all partitions alike, those that stay
/// fill one.
#[test]
fn turns_and_bursts() {
    for (client, expected) in [
        ("java:round-robin", Some(vec![3, 3, 3])),
        ("kafka-go:default", Some(vec![3, 3, 3])),
        ("kafka-go:round-robin=4", Some(vec![4, 4, 1])),
        ("kafka-go:least-bytes", Some(vec![3, 3, 3])),
        ("sarama:round-robin", Some(vec![3, 3, 3])),
        ("franz-go:round-robin", Some(vec![3, 3, 3])),
        ("franz-go:manual", Some(vec![9, 0, 0])),
        ("kafkajs", Some(vec![3, 3, 3])),
        ("crc32", Some(vec![3, 3, 3])),
        ("librdkafka:consistent", Some(vec![9, 0, 0])),
        ("java", None),
        ("librdkafka", None),
        ("franz-go", None),
        ("franz-go:sticky", None),
        ("franz-go:least-backup", None),
        ("kafka-python:sticky", None),
    ] {
        let mut session = session(3);
        let line = format!("hw produce --client {client} --topic t --value v --count 9");
        let (sent, exit) = run(&mut session, &line);
        assert_eq!((sent.lines().count(), exit), (9, 0), "{client}: {sent}");
        let mut held = held(&mut session);
        match expected {
            Some(expected) => assert_eq!(held, expected, "{client}"),
            None => {
                held.sort_unstable();
                assert_eq!(held, [0, 0, 9], "{client}");
            }
        }
    }
}

/// Acknowledgements and headers of each client: what is sent stands in the log. With acks=0 nobody knows where.
#[test]
fn acks_and_headers() {
    let mut session = session(3);
    let mut count = 0;
    for family in ClientFamily::ALL {
        for (acks, offset) in [("0", Some("-1")), ("1", None), ("all", None)] {
            let line = format!(
                "hw produce --client {} --topic t --key k{count} --value v --acks {acks} --headers a:1,b:{count}",
                family.name()
            );
            let (sent, exit) = run(&mut session, &line);
            assert_eq!(exit, 0, "{line}: {sent}");
            let told = sent.trim_end().rsplit_once(' ').expect("t-n, offset n").1;
            assert_eq!(told == "-1", offset.is_some(), "{line}: {sent}");
            count += 1;
        }
    }
    run(&mut session, "sleep 1");
    assert_eq!(held(&mut session).iter().sum::<u32>(), count);
    let line = format!(
        "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic t --from-beginning --max-messages {count} \
         --formatter-property print.headers=true --formatter-property print.key=true | sort -t k -k 2n"
    );
    let (read, _) = run(&mut session, &line);
    for n in 0..count {
        assert!(read.contains(&format!("a:1,b:{n}\tk{n}\tv\n")), "{n}: {read}");
    }
}

/// What `hw produce` says of clients, numbers and partitions that it cannot take.
#[test]
fn what_cannot_be() {
    let mut session = session(3);
    for (line, said) in [
        ("hw produce --topic t --client x", "there is no client `x`; there are java, librdkafka"),
        ("hw produce --topic t --client java:x", "java has no partitioner `x`; it has default, "),
        ("hw produce --topic t --count 0", "--count takes a number from 1 to 10000"),
        ("hw produce --topic t --acks 2", "--acks takes 0, 1 or all, not `2`"),
        ("hw produce --topic t --headers a", "`a` in --headers is not NAME:VALUE"),
        ("hw produce --topic t --count x", "--count takes a number from 1 to 10000"),
        ("hw produce --topic t --client sarama --partition 1", "does not look at the partition"),
        ("hw produce --topic t --client kafka-go --partition 1", "does not look at the partition"),
        ("hw partition --client java", "java\n  default (no partitioner.class)"),
        ("hw partition --client java:x", "java has no partitioner `x`; it has default, "),
        ("hw partition a", "--partitions is missing"),
        ("hw partition --partitions 3", "--client is missing"),
        ("hw partition --client java --partitions -1 a", "--partitions takes a number from 1 to"),
        ("hw partition --client java --client java", "--client may be given once"),
        ("hw partition --x 1", "x is not a recognized option"),
        ("hw partition --client java --partitions 3 -- --x", "\"--x\"\n  3 bytes: 2d 2d 78\n"),
    ] {
        let (text, exit) = run(&mut session, line);
        assert!(text.contains(said), "{line}: {text}");
        let is_good = !text.starts_with("hw p");
        assert_eq!(exit, if is_good { 0 } else { 2 }, "{line}");
    }
    let named = "hw produce --topic t --client sarama:manual --partition 2 --value v";
    assert_eq!(run(&mut session, named).0, "t-2, offset 0\n");
    assert!(ClientFamily::Sarama.partitioners().iter().any(|p| p.rule.keyless == Keyless::Field));
}

/// A broker that hangs: with `partitioner.availability.timeout.ms` the producer leaves its partitions out once
/// requests to it have waited for so long; without, they go on to get their share by what waits.
#[test]
fn a_broker_that_hangs_is_left_out() {
    let shares = |settings: &str| {
        let mut session = session(3);
        for line in [
            "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic u \
             --replica-assignment 1,2,3",
            "hw pause 3",
        ] {
            run(&mut session, line);
        }
        let line = format!(
            "kafka-producer-perf-test.sh --topic u --num-records 1500 --record-size 100 --throughput \
             500 --command-property bootstrap.servers=localhost:9092 batch.size=300 linger.ms=0 \
             max.in.flight.requests.per.connection=1 {settings} >/dev/null"
        );
        run(&mut session, &format!("({line}) & sleep 5; hw resume 3; wait"));
        let line = "kafka-get-offsets.sh --bootstrap-server localhost:9092 --topic u | cut -d: -f3";
        let (text, _) = run(&mut session, line);
        let held: Vec<u32> = text.lines().map(|line| line.parse().expect("a number")).collect();
        assert_eq!(held.iter().sum::<u32>(), 1_500, "{text}");
        held[2]
    };
    let plain = shares("partitioner.adaptive.partitioning.enable=false");
    let adaptive = shares("");
    let left_out = shares("partitioner.availability.timeout.ms=50");
    // Even draws give the broker that hangs more than a third: as its batches are not sent, each takes two
    // records, and two of them go by before it is left, while the others are left after two records.
    assert!((600..900).contains(&plain), "{plain}");
    assert!(adaptive * 2 < plain, "{adaptive} of {plain}");
    assert!(left_out < adaptive, "{left_out} of {adaptive}");
}
