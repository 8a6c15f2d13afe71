//! What clients compute for each record.

use std::hint::black_box;

use highwater_core::client::partitioner::java::murmur2;

use crate::{Done, Work};

const KEYS: u64 = 10_000_000;

/// The hash that Kafka's Java client takes of a key, over keys as long as people write them.
pub(crate) fn murmur2_short_keys() -> Work {
    // The value that the Java client computes for these bytes.
    assert_eq!(murmur2(b"21"), -973_932_308);
    let keys: Vec<String> = (0..1000).map(|n| format!("locker-{n}")).collect();
    Box::new(move || {
        let mut sum = 0_i32;
        for _ in 0..KEYS / 1000 {
            for key in &keys {
                sum = sum.wrapping_add(murmur2(black_box(key.as_bytes())));
            }
        }
        black_box(sum);
        Done::new(KEYS, || {})
    })
}
