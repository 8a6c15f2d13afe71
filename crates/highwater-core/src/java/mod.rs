//! What Java decides for Kafka: hash codes and the order of hash maps.

pub mod hash_map;
