//! Every test vector of the client families that are built: key to hash to partition.

use highwater_core::client::partitioner::{Choice, Why, java, kafka_go, librdkafka};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const VECTORS: &str = include_str!("../../../tests/vectors/partition-vectors.json");

type Chooser = fn(&[u8], u32) -> Choice;

/// Java's murmur2, librdkafka's CRC-32 and kafka-go's FNV-1a agree with the recorded libraries on
/// all keys, for all partition counts, hash and partition.
#[test]
fn all_vectors_agree() {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).unwrap();
    let counts: Vec<u32> = numbers(&vectors["partition_counts"]);
    let families: [(&str, Chooser); 3] = [
        ("murmur2", java::choose_by_key),
        ("crc32", librdkafka::choose_by_key),
        ("fnv1a_abs", kafka_go::choose_by_key),
    ];
    let rows = vectors["vectors"].as_array().unwrap();
    assert_eq!(rows.len(), 78);
    for row in rows {
        let key = bytes_of_hex(row["key_hex"].as_str().unwrap());
        for (name, choose) in families {
            let expected: Vec<u32> = numbers(&row[name]["partitions"]);
            for (&count, &partition) in counts.iter().zip(&expected) {
                let choice = choose(&key, count);
                assert_eq!(
                    choice.partition.0.unsigned_abs(),
                    partition,
                    "{name} {row} mod {count}"
                );
                let Why::Hashed { hash, dividend, partitions, .. } = choice.why else {
                    panic!("a key is hashed")
                };
                assert_eq!(
                    u64::from(hash),
                    row[name]["unsigned"].as_u64().unwrap(),
                    "{name} {row}"
                );
                assert_eq!(
                    dividend % partitions,
                    partition,
                    "the arithmetic shown is the real one"
                );
            }
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
