//! The order in which `java.util.HashMap` hands out its keys. Kafka's tools print rows in it.
//!
//! Treeified bins (8 and more keys in one bucket) are left out: they need names made to collide.

use crate::ids::TopicPartition;
use crate::sorted_map::sort_by_key;

/// `String.hashCode()`: over UTF-16 units, wrapping.
#[must_use]
pub fn string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// `Long.hashCode()`.
#[must_use]
pub fn long_hash(value: i64) -> i32 {
    let [.., a, b, c, d] = (value ^ (value >> 32)).to_be_bytes();
    i32::from_be_bytes([a, b, c, d])
}

/// `TopicPartition.hashCode()`.
#[must_use]
pub fn partition_hash(which: &TopicPartition) -> i32 {
    let topic = string_hash(which.topic.as_str());
    which.partition.0.wrapping_add(31).wrapping_mul(31).wrapping_add(topic)
}

/// How the map was made, which sets its number of buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// `new HashMap()`, then filled.
    Empty,
    /// `new HashMap(n)`, then filled.
    WithCapacity(u32),
    /// `new HashMap(otherMap)`.
    CopyOf(u32),
}

/// The order of iteration of a map that was made so and filled with keys of these hash codes in
/// this order. Returns indices into `hashes`.
#[must_use]
pub fn iteration_order(hashes: &[i32], made: Made) -> Vec<u32> {
    let count = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
    let buckets = buckets(count, made);
    let mut order: Vec<u32> = (0..count).collect();
    // Stable: keys of one bucket stay in the order of insertion, also through a resize.
    sort_by_key(&mut order, |&index| {
        let hash = hashes[index as usize].cast_unsigned();
        (hash ^ (hash >> 16)) & (buckets - 1)
    });
    order
}

fn buckets(count: u32, made: Made) -> u32 {
    let at_least = match made {
        Made::Empty => 16,
        Made::WithCapacity(capacity) => capacity.max(1),
        // `HashMap.putMapEntries`: size / 0.75 + 1, rounded down.
        Made::CopyOf(size) => size.saturating_mul(4) / 3 + 1,
    };
    let mut buckets = at_least.min(1 << 30).next_power_of_two();
    // A resize doubles the table once there are more than three quarters as many keys as buckets.
    while u64::from(count) * 4 > u64::from(buckets) * 3 && buckets < 1 << 30 {
        buckets *= 2;
    }
    buckets
}

/// Things in the order of a `HashSet` of them, or of the keys of a map, that was filled with them in this
/// order.
#[must_use]
pub fn in_set_order<T: Clone>(items: &[T], hash: impl Fn(&T) -> i32) -> Vec<T> {
    let hashes: Vec<i32> = items.iter().map(hash).collect();
    let order = iteration_order(&hashes, Made::Empty);
    order.iter().filter_map(|place| items.get(*place as usize).cloned()).collect()
}

/// The order in which keys come out of a chain of maps, each filled from the one before.
#[must_use]
pub fn chained_order(hashes: &[i32], chain: &[Made]) -> Vec<u32> {
    let count = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
    chain.iter().fold((0..count).collect(), |order: Vec<u32>, made| {
        let inserted: Vec<i32> = order.iter().map(|&index| hashes[index as usize]).collect();
        iteration_order(&inserted, *made).iter().map(|&place| order[place as usize]).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Hash codes of strings as Java's documentation defines them.
    #[test]
    fn string_hashes() {
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("a"), 97);
        assert_eq!(string_hash("parcel-events"), {
            let mut hash = 0i64;
            for byte in b"parcel-events" {
                hash = (hash * 31 + i64::from(*byte)) & 0xffff_ffff;
            }
            u32::try_from(hash).map(u32::cast_signed).unwrap_or_default()
        });
    }

    /// The order that real Kafka printed for three topics (01-topics.console).
    #[test]
    fn order_of_a_recorded_describe() {
        let names = ["audit", "my_topic", "parcel-events"];
        let hashes: Vec<i32> = names.iter().map(|name| string_hash(name)).collect();
        let chain = [Made::WithCapacity(3), Made::CopyOf(3), Made::WithCapacity(3)];
        let order = chained_order(&hashes, &chain);
        let named: Vec<&str> = order.iter().map(|&i| names[i as usize]).collect();
        assert_eq!(named, ["my_topic", "parcel-events", "audit"]);
    }
}
