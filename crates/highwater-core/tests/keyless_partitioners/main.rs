//! What partitioners do with records that no key places: who stays where and for how long, whose turn it is,
//! what draws look at.

mod bench;

use bench::{Bench, assert_shares};
use highwater_core::client::partitioner::rule::{BuiltIn, Rule};
use highwater_core::client::partitioner::{Choice, Why, java};
use highwater_core::time::SimDuration;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Java: `batch.size` bytes in one partition, while the last batch is not full up to twice as much.
#[test]
fn java_stays_for_batch_size() {
    let mut bench = Bench::new("java", 50);
    let first = bench.choose(None, 10);
    assert_eq!(first.why, Why::Sticky);
    assert!(!bench.append(16_383, false));
    assert_eq!(bench.next(), first.partition.0);
    assert!(bench.append(1, false));
    let second = bench.next();
    assert!(!bench.append(32_767, true));
    assert_eq!(bench.next(), second);
    assert!(bench.append(1, true));
    // A key is hashed all the while; with `partitioner.ignore.keys` it is not.
    assert_eq!(bench.choose(Some("abc"), 1), java::choose_by_key(b"abc", 50));
    let mut bench = Bench::new("java:ignore-keys", 50);
    assert_eq!(bench.choose(Some("abc"), 1).why, Why::Sticky);
}

/// Java draws evenly among partitions with a leader, and among all if there is none; with rack awareness
/// among those of the rack, if any.
#[test]
fn java_draws_among_those_with_leaders() {
    let mut bench = Bench::new("java", 4);
    assert_shares(&bench.draws(4_000), &[1, 1, 1, 1]);
    bench.led = vec![true, false, true, true];
    assert_shares(&bench.draws(3_000), &[1, 0, 1, 1]);
    bench.led = vec![false; 4];
    assert_shares(&bench.draws(4_000), &[1, 1, 1, 1]);
    let aware = BuiltIn { rack_aware: true, ..BuiltIn::DEFAULT };
    let mut bench = Bench::of(Rule::java(true, aware), 4);
    bench.led[0] = false;
    assert_shares(&bench.draws(3_000), &[0, 1, 1, 1]);
    bench.near = vec![true, true, false, true];
    assert_shares(&bench.draws(2_000), &[0, 1, 0, 1]);
    // What waits counts within the rack: the longest queue of all is elsewhere.
    bench.note_batches(4);
    bench.batches = vec![0, 3, 9, 1];
    assert_shares(&bench.draws(4_000), &[0, 1, 0, 3]);
    bench.near = vec![true, false, false, false];
    assert_shares(&bench.draws(16_000), &[0, 7, 1, 9]);
}

/// A key counts all partitions, also those that nobody leads: the record waits for its own.
#[test]
fn keys_do_not_look_at_leaders() {
    for name in
        ["java", "librdkafka", "sarama", "kafka-go:hash", "franz-go", "kafkajs", "kafka-python"]
    {
        let mut bench = Bench::new(name, 6);
        let whole = bench.choose(Some("locker-7"), 10).partition;
        bench.led = vec![false; 6];
        assert_eq!(bench.choose(Some("locker-7"), 10).partition, whole, "{name}");
        if name == "java" {
            assert_eq!(whole.0, 3, "the example of the facts");
        }
    }
}

/// Java, adaptive: the longest queue plus one, less one's own; only when every partition has had a batch, and
/// not when all are alike.
#[test]
fn java_adapts_to_queues() {
    let mut bench = Bench::new("java", 3);
    bench.batches = vec![0, 1, 3];
    bench.note_batches(2);
    assert_shares(&bench.draws(3_000), &[1, 1, 1]);
    bench.note_batches(3);
    assert_shares(&bench.draws(7_000), &[4, 3, 1]);
    bench.batches = vec![2; 3];
    assert_shares(&bench.draws(3_000), &[1, 1, 1]);
    // A partition without leader has no share, and makes the others' count.
    bench.batches = vec![5, 1, 3];
    bench.led[0] = false;
    assert_shares(&bench.draws(4_000), &[0, 3, 1]);
    let settings = BuiltIn { adaptive: false, ..BuiltIn::DEFAULT };
    let mut bench = Bench::of(Rule::java(true, settings), 3);
    bench.note_batches(3);
    bench.batches = vec![0, 1, 3];
    assert_shares(&bench.draws(3_000), &[1, 1, 1]);
}

/// Java, `partitioner.availability.timeout.ms`: no share for what waits for a broker that takes nothing, even
/// if the queues are alike. Where nothing waits nobody notices.
#[test]
fn java_leaves_out_the_stuck() {
    let availability_timeout = SimDuration::from_millis(5);
    let settings = BuiltIn { availability_timeout, ..BuiltIn::DEFAULT };
    let mut bench = Bench::of(Rule::java(true, settings), 4);
    bench.stuck = vec![false, true, false, true];
    bench.batches = vec![1, 1, 1, 1];
    bench.note_batches(4);
    assert_shares(&bench.draws(2_000), &[1, 0, 1, 0]);
    bench.batches = vec![1, 1, 1, 0];
    assert_shares(&bench.draws(4_000), &[1, 0, 1, 2]);
    // Kafka's own slip: an empty queue after a stuck one counts as long as that.
    bench.batches = vec![0, 4, 0, 0];
    bench.stuck = vec![false, true, false, false];
    assert_shares(&bench.draws(11_000), &[5, 0, 1, 5]);
    // All are stuck: as if nothing were known.
    bench.stuck = vec![true; 4];
    bench.batches = vec![1; 4];
    assert_shares(&bench.draws(4_000), &[1, 1, 1, 1]);
}

/// Java's class: the order of a hash map, without those that nobody leads; keys do not count.
#[test]
fn java_round_robin() {
    let mut bench = Bench::new("java:round-robin", 3);
    assert_eq!(bench.many(7), [2, 1, 0, 2, 1, 0, 2]);
    assert_eq!(bench.choose(Some("abc"), 1).why, Why::Turn);
    bench.led[1] = false;
    assert_eq!(bench.many(4), [2, 0, 2, 0]);
    bench.led = vec![false; 3];
    assert_eq!(bench.many(3), [0, 1, 2]);
    // More partitions are another map: 2, 1, 0, 3, of which the first has had its turn.
    let mut bench = Bench::new("java:round-robin", 3);
    bench.next();
    bench.led = vec![true; 4];
    assert_eq!(bench.many(4), [1, 0, 3, 2]);
}

/// librdkafka: one partition for 10 ms and not a microsecond longer, unless its leader goes; whom it hashes
/// and whom it places at random.
#[test]
fn librdkafka_stays_for_a_while() {
    let mut bench = Bench::new("librdkafka", 1_000);
    let first = bench.choose(None, 10);
    assert_eq!(first.why, Why::Sticky);
    bench.now += 10_000;
    assert_eq!(bench.choose(Some(""), 10), first);
    bench.now += 1;
    let second = bench.next();
    assert_ne!(second, first.partition.0);
    bench.led[usize::try_from(second).expect("a small number")] = false;
    assert_ne!(bench.next(), second);
    for (name, key, why) in [
        ("librdkafka:random", None, Some(Why::Sticky)),
        ("librdkafka:random", Some(""), Some(Why::Random)),
        ("librdkafka:random", Some("a"), Some(Why::Random)),
        ("librdkafka:random=0", None, Some(Why::Random)),
        ("librdkafka:consistent_random=0", Some(""), Some(Why::Random)),
        ("librdkafka:consistent", None, None),
        ("librdkafka:murmur2", None, None),
        ("librdkafka:murmur2_random", None, Some(Why::Sticky)),
        ("librdkafka:murmur2_random", Some(""), None),
        ("librdkafka:fnv1a", None, None),
        ("librdkafka:fnv1a_random", None, Some(Why::Sticky)),
        ("librdkafka:fnv1a_random", Some(""), None),
    ] {
        let choice = Bench::new(name, 3).choose(key, 1);
        let hashed = matches!(choice.why, Why::Hashed { .. });
        assert_eq!(why, (!hashed).then_some(choice.why), "{name} {key:?}");
    }
    assert_eq!(Bench::new("librdkafka:consistent", 50).next(), 0);
    assert_eq!(Bench::new("librdkafka:murmur2", 50).next(), 31);
    assert_eq!(Bench::new("librdkafka:fnv1a", 50).next(), 35);
    let mut bench = Bench::new("librdkafka:random=3", 1_000);
    let first = bench.next();
    bench.now += 3_000;
    assert_eq!(bench.next(), first);
    bench.now += 1;
    assert_ne!(bench.next(), first);
    // A partition without leader gets half of what it would: it is drawn twice in a row, or not at all.
    let mut bench = Bench::new("librdkafka:random=0", 2);
    bench.led[0] = false;
    let none = bench.many(8_000).iter().filter(|which| **which == 0).count();
    assert!((1_800..2_200).contains(&none), "{none}");
}

/// kafka-go: turns of all partitions, so many records each; the fewest bytes, the first of equals.
#[test]
fn kafka_go() {
    for name in ["kafka-go:default", "kafka-go:round-robin", "kafka-go:hash", "crc32"] {
        let mut bench = Bench::new(name, 3);
        bench.led[1] = false;
        assert_eq!(bench.many(5), [0, 1, 2, 0, 1], "{name}");
    }
    assert_eq!(Bench::new("kafka-go:default", 3).choose(Some("abc"), 1).why, Why::Turn);
    assert_eq!(Bench::new("kafka-go:round-robin=2", 3).many(7), [0, 0, 1, 1, 2, 2, 0]);
    let mut bench = Bench::new("kafka-go:least-bytes", 3);
    let sizes = [(None, 5), (None, 1), (Some("key"), 1), (None, 2), (None, 2), (None, 1)];
    let given: Vec<Choice> = sizes.iter().map(|(key, value)| bench.choose(*key, *value)).collect();
    assert!(given.iter().all(|choice| choice.why == Why::LeastBytes));
    let places: Vec<i32> = given.iter().map(|choice| choice.partition.0).collect();
    assert_eq!(places, [0, 1, 2, 1, 1, 2]);
    bench.led.push(true);
    assert_eq!(bench.many(4), [0, 1, 2, 3]);
    for (name, key, random) in [
        ("kafka-go:reference-hash", None, true),
        ("kafka-go:reference-hash", Some(""), false),
        ("kafka-go:crc32", None, true),
        ("kafka-go:crc32", Some(""), true),
        ("kafka-go:crc32-consistent", None, false),
        ("kafka-go:crc32-consistent", Some(""), false),
        ("kafka-go:murmur2", None, true),
        ("kafka-go:murmur2", Some(""), false),
        ("kafka-go:murmur2-consistent", None, false),
    ] {
        let is_random = Bench::new(name, 3).choose(key, 1).why == Why::Random;
        assert_eq!(is_random, random, "{name} {key:?}");
    }
}

/// Sarama and franz-go: turns begin anew when they are over the end, and skip what has no leader; at random
/// too. A number that nobody set is 0.
#[test]
fn sarama_and_turns() {
    for name in ["sarama:round-robin", "franz-go:round-robin"] {
        let mut bench = Bench::new(name, 4);
        assert_eq!(bench.many(6), [0, 1, 2, 3, 0, 1], "{name}");
        bench.led[1] = false;
        assert_eq!(bench.many(4), [3, 0, 2, 3], "{name}");
        bench.led = vec![true, false, false, false];
        assert_eq!(bench.many(2), [0, 0], "{name}");
    }
    for name in ["sarama:random", "sarama:hash", "kafka-python"] {
        let mut bench = Bench::new(name, 3);
        bench.led[0] = false;
        let drawn = bench.many(2_000);
        let count = |which| {
            u32::try_from(drawn.iter().filter(|n| **n == which).count()).expect("a small number")
        };
        assert_shares(&[count(0), count(1), count(2)], &[0, 1, 1]);
    }
    assert_eq!(Bench::new("sarama:random", 3).choose(Some("abc"), 1).why, Why::Random);
    for name in ["sarama:manual", "franz-go:manual"] {
        let choice = Bench::new(name, 3).choose(Some("abc"), 1);
        assert_eq!((choice.partition.0, choice.why), (0, Why::Unset));
    }
}

/// One partition until a new batch is needed: kafka-python then takes another one, franz-go's next is the one
/// after if it draws the same. A key that needs a new batch moves franz-go too, kafka-python not.
#[test]
fn sticky_by_batch() {
    for name in ["franz-go:sticky", "franz-go:sticky-key", "kafka-python:sticky"] {
        let mut bench = Bench::new(name, 3);
        let mut counts = [0; 3];
        let mut last = bench.next();
        for _ in 0..3_000 {
            assert_eq!(bench.many(3), [last; 3], "{name}");
            let next = bench.next_batch(None);
            assert_ne!(next, last, "{name}");
            counts[usize::try_from(next).expect("a small number")] += 1;
            last = next;
        }
        assert_shares(&counts, &[1, 1, 1]);
    }
    // Where franz-go goes from partition 0: to 1 if it draws 0 or 1.
    let mut after_0 = [0; 3];
    let mut bench = Bench::new("franz-go:sticky", 3);
    let mut last = bench.next();
    for _ in 0..9_000 {
        let next = bench.next_batch(None);
        if last == 0 {
            after_0[usize::try_from(next).expect("a small number")] += 1;
        }
        last = next;
    }
    assert_shares(&after_0, &[0, 2, 1]);
    for (name, moves) in [("franz-go:sticky-key", true), ("kafka-python:sticky", false)] {
        let mut bench = Bench::new(name, 3);
        let before = bench.next();
        let keyed = bench.choose(Some("abc"), 10).partition.0;
        assert_eq!(bench.next_batch(Some("abc")), keyed);
        assert_eq!(bench.next() != before, moves, "{name}");
    }
    // A leader that is gone: another partition at once.
    let mut bench = Bench::new("kafka-python:sticky", 3);
    let before = bench.next();
    bench.led[usize::try_from(before).expect("a small number")] = false;
    assert_ne!(bench.next(), before);
    // One partition alone is always the next.
    assert_eq!(Bench::new("kafka-python:sticky", 1).next_batch(None), 0);
    assert_eq!(Bench::new("franz-go:sticky", 1).next_batch(None), 0);
}

/// franz-go's default: the record that would make it too many bytes is the first elsewhere; the next is drawn
/// by one over what waits. A batch that ends changes nothing.
#[test]
fn franz_go_uniform_bytes() {
    // With a value of 90 bytes a record has 1 + 1 + 1 + 1 + 2 + 90 + 1 = 97: three are 291.
    let mut bench = Bench::new("franz-go:uniform-bytes=291", 1_000);
    let mut runs = Vec::new();
    for _ in 0..7 {
        runs.push(bench.choose(None, 90).partition.0);
    }
    assert!(runs[0] == runs[1] && runs[1] != runs[2], "{runs:?}");
    assert!(runs[2] == runs[3] && runs[3] != runs[4], "{runs:?}");
    let before = bench.choose(None, 90).partition.0;
    assert_eq!(bench.next_batch(None), before);
    assert!(matches!(bench.choose(Some("abc"), 1).why, Why::Hashed { .. }));
    let drawn = |name: &str| {
        let mut bench = Bench::new(name, 3);
        bench.records = vec![0, 1, 5];
        let mut drawn = [0; 3];
        for _ in 0..10_000 {
            drawn[usize::try_from(bench.next()).expect("a small number")] += 1;
        }
        drawn
    };
    assert_shares(&drawn("franz-go:uniform-bytes=1"), &[6, 3, 1]);
    assert_shares(&drawn("franz-go:uniform-bytes-even=1"), &[1, 1, 1]);
}

/// franz-go's least backup: where the fewest records wait, for a batch; one of several at random.
#[test]
fn franz_go_least_backup() {
    let mut bench = Bench::new("franz-go:least-backup", 4);
    bench.records = vec![3, 1, 1, 0];
    bench.led[3] = false;
    let mut drawn = [0; 4];
    for _ in 0..2_000 {
        let next = bench.next_batch(None);
        drawn[usize::try_from(next).expect("a small number")] += 1;
        assert_eq!(bench.many(2), [next; 2]);
    }
    assert_shares(&drawn, &[0, 1, 1, 0]);
    bench.records = vec![0, 1, 1, 0];
    assert_eq!(bench.next_batch(None), 0);
}

/// kafkajs begins anywhere and goes on in turn, without those that nobody leads.
#[test]
fn kafkajs_turns() {
    let mut starts = [0; 3];
    for seed in 0..3_000 {
        let mut bench = Bench::new("kafkajs", 3);
        bench.seed = seed;
        let turns = bench.many(3);
        starts[usize::try_from(turns[0]).expect("a small number")] += 1;
        assert_eq!([(turns[0] + 1) % 3, (turns[0] + 2) % 3], turns[1..]);
    }
    assert_shares(&starts, &[1, 1, 1]);
    let mut bench = Bench::new("kafkajs:legacy", 3);
    bench.led[0] = false;
    let turns = bench.many(4);
    assert!(turns == [1, 2, 1, 2] || turns == [2, 1, 2, 1], "{turns:?}");
    assert!(matches!(bench.choose(Some(""), 1).why, Why::Hashed { .. }));
}

/// No partitioner fails on a topic of one partition, or of none, or one that nobody leads.
#[test]
fn small_topics() {
    use highwater_core::client::partitioner::ClientFamily;
    for family in ClientFamily::ALL {
        for partitioner in family.partitioners() {
            for partitions in 0..=2 {
                let mut bench = Bench::of(partitioner.rule, partitions);
                bench.led = vec![false; partitions];
                for key in [None, Some(""), Some("key")] {
                    let chosen = bench.choose(key, 100_000).partition.0.unsigned_abs();
                    assert!((chosen as usize) < partitions.max(1), "{}", partitioner.name);
                    bench.next_batch(key);
                    bench.append(100_000, false);
                }
            }
        }
    }
}
