//! Compaction: the recorded examples, and each rule at its edge.
