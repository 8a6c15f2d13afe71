//! Keys to partitions, by all client families.

use super::{assert_failure, number, text};
use crate::partition::{clients, partition};
use crate::value::Value;

const VECTORS: &str = include_str!("../../../../tests/vectors/partition-vectors.json");

/// Which column of the vectors each function has.
fn column(hashes: &str, partitioner: &str) -> &'static str {
    match (hashes, partitioner) {
        ("murmur2", _) => "murmur2",
        ("CRC-32", _) => "crc32",
        ("FNV-1a", "reference-hash") => "fnv1a_masked",
        ("FNV-1a", _) => "fnv1a_abs",
        ("murmur2 in doubles", _) => "kafkajs_legacy",
        _ => panic!("{hashes} is in no column"),
    }
}

/// Every client that hashes agrees with the recorded libraries, and each family is among them.
#[test]
fn all_vectors_of_all_families() {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).unwrap();
    let counts: Vec<u32> = serde_json::from_value(vectors["partition_counts"].clone()).unwrap();
    let mut families: Vec<String> = Vec::new();
    for client in clients() {
        let Some(hashes) = client.hashes else { continue };
        families.push(client.family);
        for row in vectors["vectors"].as_array().unwrap() {
            let hex = row["key_hex"].as_str().unwrap();
            let key: Vec<u8> = (0..hex.len() / 2)
                .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
                .collect();
            let expected = &row[column(&hashes, &client.partitioner)]["partitions"];
            for (count, wanted) in counts.iter().zip(expected.as_array().unwrap()) {
                let choice =
                    partition(&Value::Bytes(key.clone()), &number(*count), &client.name).unwrap();
                match choice.partition {
                    Some(found) => assert_eq!(found, *wanted, "{} {row} {count}", client.name),
                    None => assert!(key.is_empty(), "{} hashes all but an empty key", client.name),
                }
            }
        }
    }
    families.dedup();
    assert_eq!(families.len(), 8, "{families:?}");
}

#[test]
fn a_choice_explains_itself() {
    let choice = partition(&text("locker-9"), &number(3), "java").unwrap();
    assert_eq!(choice.client, "java:default");
    assert_eq!(choice.function.as_deref(), Some("murmur2"));
    assert_eq!(choice.steps.first().map(String::as_str), Some("\"locker-9\""));
    assert_eq!(choice.steps.last().cloned(), choice.partition.map(|it| format!("partition {it}")));
    let keyless = partition(&Value::Missing, &number(3), "librdkafka").unwrap();
    assert_eq!((keyless.partition, keyless.hash), (None, None));
    assert!(!keyless.steps.is_empty());
    assert_eq!(
        partition(&text("a"), &number(3), "kafka-go:round-robin=5").unwrap().partition,
        None
    );
}

#[test]
fn what_cannot_be_is_said() {
    for (key, count, client, name, message, remedy) in [
        (text("a"), number(0), "java", "InvalidPartitions", "the number 0", "1 to 2147483647"),
        (text("a"), Value::Number(1.5), "java", "InvalidPartitions", "1.5", "whole number"),
        (text("a"), text("3"), "java", "InvalidPartitions", "\"3\"", "whole number"),
        (
            text("a"),
            number(3),
            "jaba",
            "HighwaterError",
            "no client `jaba`; there are java",
            "clients()",
        ),
        (text("a"), number(3), "java:x", "HighwaterError", "no partitioner `x`", "clients()"),
        (number(1), number(3), "java", "HighwaterError", "key: this is the number 1", "Uint8Array"),
    ] {
        assert_failure(partition(&key, &count, client), name, message, remedy);
    }
    let long =
        partition(&text("a"), &number(3), &"\u{1b}x".repeat(100_000)).expect_err("no such client");
    assert!(long.message.len() < 3_000 && !long.message.contains('\u{1b}'));
}
