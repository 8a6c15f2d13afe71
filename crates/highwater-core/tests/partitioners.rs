//! Every test vector of every client family: key to hash to partition, and the steps between.

use highwater_core::client::partitioner::catalogue::{Client, Partitioner};
use highwater_core::client::partitioner::hashing::Hashing;
use highwater_core::client::partitioner::rule::HashedKeys;
use highwater_core::client::partitioner::steps::Step;
use highwater_core::client::partitioner::{
    Choice, ClientFamily, HashFunction, SignRule, Why, java, kafka_go, kafkajs, librdkafka,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const VECTORS: &str = include_str!("../../../tests/vectors/partition-vectors.json");

/// All partitioners that hash keys, by the recorded numbers that they must give. Nothing hashes that is not
/// in this table.
const HASHING: &[(&str, &[&str])] = &[
    (
        "murmur2",
        &[
            "java:default",
            "librdkafka:murmur2",
            "librdkafka:murmur2_random",
            "kafka-go:murmur2",
            "kafka-go:murmur2-consistent",
            "sarama:murmur2",
            "franz-go:uniform-bytes",
            "franz-go:uniform-bytes-even",
            "franz-go:sticky-key",
            "kafkajs:default",
            "kafka-python:default",
            "kafka-python:sticky",
        ],
    ),
    (
        "crc32",
        &[
            "librdkafka:consistent_random",
            "librdkafka:consistent",
            "kafka-go:crc32",
            "kafka-go:crc32-consistent",
            "sarama:consistent-crc",
            "franz-go:sticky-key-crc32",
            "crc32:modulo",
        ],
    ),
    (
        "fnv1a_abs",
        &[
            "librdkafka:fnv1a",
            "librdkafka:fnv1a_random",
            "kafka-go:hash",
            "sarama:hash",
            "franz-go:sticky-key-sarama",
        ],
    ),
    ("fnv1a_masked", &["kafka-go:reference-hash", "sarama:reference-hash"]),
    ("kafkajs_legacy", &["kafkajs:legacy"]),
];

fn vectors() -> serde_json::Value {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).expect("JSON");
    assert_eq!(vectors["vectors"].as_array().expect("a list").len(), 78);
    vectors
}

/// Every partitioner that hashes agrees with the recorded libraries on all keys, for all partition counts:
/// hash, what is divided, partition.
#[test]
fn all_vectors_agree() {
    let vectors = vectors();
    let counts: Vec<u32> = numbers(&vectors["partition_counts"]);
    for (column, names) in HASHING {
        for name in *names {
            let (hashing, _) =
                Client::from_name(name).expect("a client of that name").rule.keys.expect(name);
            for row in vectors["vectors"].as_array().expect("a list") {
                let key = bytes_of_hex(row["key_hex"].as_str().expect("a text"));
                let expected: Vec<u32> = numbers(&row[column]["partitions"]);
                for (&count, &partition) in counts.iter().zip(&expected) {
                    let choice = hashing.choose(&key, count);
                    assert_eq!(
                        choice.partition.0.unsigned_abs(),
                        partition,
                        "{name} {row} {count}"
                    );
                    check_numbers(&choice, &row[column], &key);
                }
            }
        }
    }
}

/// The numbers of a choice are the recorded ones, and its steps go from one to the next.
fn check_numbers(choice: &Choice, recorded: &serde_json::Value, key: &[u8]) {
    let Why::Hashed { hash, dividend, partitions, .. } = choice.why else {
        panic!("a key is hashed")
    };
    for (form, value) in [
        ("unsigned", i64::from(hash)),
        ("signed", i64::from(hash.cast_signed())),
        ("hash", i64::from(hash.cast_signed())),
        ("masked", i64::from(dividend)),
    ] {
        if let Some(number) = recorded[form].as_i64() {
            assert_eq!(number, value, "{form} of {recorded}");
        }
    }
    let steps = choice.steps(Some(key));
    assert_eq!(steps[0], Step::Bytes(u32::try_from(key.len()).expect("a small number")));
    let Step::Hash(_, shown) = steps[1] else { panic!("{steps:?}") };
    let mut value = shown;
    for step in &steps[2..steps.len() - 2] {
        value = match *step {
            Step::Masked(number) => {
                assert_eq!(i64::from(number), value & 0x7fff_ffff);
                number.into()
            }
            Step::Negated(number) => {
                assert_eq!(i64::from(number), -value);
                number.into()
            }
            _ => panic!("{steps:?}"),
        };
    }
    let rest = u32::try_from(value % i64::from(partitions)).expect("a small number");
    let end = [Step::Remainder { partitions, rest }, Step::Partition(choice.partition)];
    assert_eq!(steps[steps.len() - 2..], end);
    assert_eq!(choice.partition.0.unsigned_abs(), rest);
}

/// The table above has every partitioner that hashes, and only those.
#[test]
fn no_partitioner_is_left_out() {
    let mut listed: Vec<String> =
        HASHING.iter().flat_map(|(_, names)| names.iter().map(|name| (*name).to_owned())).collect();
    let hashes = |partitioner: &&Partitioner| partitioner.rule.keys.is_some();
    let mut hashing = Vec::new();
    for family in ClientFamily::ALL {
        let name = |partitioner: &Partitioner| format!("{}:{}", family.name(), partitioner.name);
        hashing.extend(family.partitioners().iter().filter(hashes).map(name));
    }
    listed.sort();
    hashing.sort();
    assert_eq!(listed, hashing);
}

/// kafkajs's old murmur2 is another function than Java's on each recorded key, as was found when they were
/// recorded; the functions by themselves are what the partitioners use.
#[test]
fn the_hash_functions() {
    let vectors = vectors();
    for row in vectors["vectors"].as_array().expect("a list") {
        let key = bytes_of_hex(row["key_hex"].as_str().expect("a text"));
        let legacy = kafkajs::murmur2_in_doubles(&key);
        assert_eq!(Some(i64::from(legacy)), row["kafkajs_legacy"]["hash"].as_i64(), "{row}");
        assert_ne!(legacy, java::murmur2(&key), "{row}");
        assert_eq!(HashFunction::Murmur2InDoubles.of(&key), legacy.cast_unsigned());
        assert_eq!(HashFunction::Murmur2.of(&key), java::murmur2(&key).cast_unsigned());
        assert_eq!(HashFunction::Crc32.of(&key), librdkafka::crc32(&key));
        assert_eq!(HashFunction::Fnv1a.of(&key), kafka_go::fnv1a(&key));
        // What a page about one broker calls.
        for (name, choose) in [
            ("java", java::choose_by_key as fn(&[u8], u32) -> Choice),
            ("librdkafka", librdkafka::choose_by_key),
            ("kafka-go", kafka_go::choose_by_key),
        ] {
            let (hashing, _) =
                Client::from_name(name).expect("a client of that name").rule.keys.unwrap();
            assert_eq!(choose(&key, 7), hashing.choose(&key, 7));
        }
    }
}

/// Which of an empty and a missing key are hashed, as the facts list it for each partitioner.
#[test]
fn empty_and_missing_keys() {
    for (which, names) in [
        (HashedKeys::NotEmpty, &["librdkafka:consistent_random", "kafka-go:crc32"][..]),
        (
            HashedKeys::Missing,
            &[
                "librdkafka:consistent",
                "librdkafka:murmur2",
                "librdkafka:fnv1a",
                "kafka-go:crc32-consistent",
                "kafka-go:murmur2-consistent",
            ],
        ),
    ] {
        let mut found = Vec::new();
        for family in ClientFamily::ALL {
            for partitioner in family.partitioners() {
                if partitioner.rule.keys.is_some_and(|(_, keys)| keys == which) {
                    found.push(format!("{}:{}", family.name(), partitioner.name));
                }
            }
        }
        assert_eq!(found, names, "{which:?}");
    }
}

/// Names on the command line: what each stands for, and what is said of others.
#[test]
fn names() {
    for family in ClientFamily::ALL {
        let alone = Client::from_name(family.name()).expect("a client of that name");
        assert_eq!((alone.family, alone.rule), (*family, family.partitioners()[0].rule));
        for partitioner in family.partitioners() {
            let full = format!("{}:{}", family.name(), partitioner.name);
            assert_eq!(
                Client::from_name(&full).expect("a client of that name").rule,
                partitioner.rule,
                "{full}"
            );
            let twins = family.partitioners().iter().filter(|other| other.name == partitioner.name);
            assert_eq!(twins.count(), 1, "{full}");
        }
    }
    // Only kafka-go's name alone does not stand for what its users get: that pays no heed to keys.
    assert_eq!(Client::from_name("kafka-go"), Client::from_name("kafka-go:hash"));
    let said = |name: &str| Client::from_name(name).unwrap_err();
    assert_eq!(
        said("kafka"),
        "there is no client `kafka`; there are java, librdkafka, kafka-go, sarama, franz-go, kafkajs, \
         kafka-python, crc32"
    );
    assert_eq!(
        said("sarama:Hash"),
        "sarama has no partitioner `Hash`; it has hash, reference-hash, consistent-crc, murmur2, \
         round-robin, random, manual"
    );
    assert_eq!(said("java:default=3"), "java:default takes no number");
    assert_eq!(said("kafka-go:hash=3"), "kafka-go:hash takes no number");
    assert_eq!(said("kafka-go:round-robin=x"), "`x` is not a number from 0 to 4294967295");
    assert!(said("kafka-go:round-robin=99999999999").starts_with("`99999999999` is not"));
    assert!(said(":").starts_with("there is no client ``;"));
    let chunks = |name: &str| Client::from_name(name).expect("a client of that name").rule;
    assert_eq!(chunks("kafka-go:round-robin"), chunks("kafka-go:round-robin=0"));
    assert_ne!(chunks("kafka-go:round-robin"), chunks("kafka-go:round-robin=2"));
}

/// Each sign rule as the libraries' languages compute it.
#[test]
fn sign_rules() {
    let (function, partitions) = (HashFunction::Fnv1a, 7);
    for key in [&b"locker-7"[..], b"abc", b""] {
        let hash = function.of(key);
        for (sign, expected) in [
            (SignRule::Masked, i64::from(hash & 0x7fff_ffff) % 7),
            (SignRule::Unsigned, i64::from(hash) % 7),
            (SignRule::AbsoluteRemainder, (i64::from(hash.cast_signed()) % 7).abs()),
            (SignRule::Absolute, i64::from(hash.cast_signed()).abs() % 7),
        ] {
            let hashing = Hashing { function, sign };
            let choice = hashing.choose(key, partitions);
            assert_eq!(i64::from(choice.partition.0), expected, "{sign:?}");
        }
    }
}

fn numbers(value: &serde_json::Value) -> Vec<u32> {
    let list = value.as_array().expect("a list");
    list.iter().map(|n| n.as_u64().and_then(|n| u32::try_from(n).ok()).expect("a number")).collect()
}

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    (0..hex.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex"))
        .collect()
}
