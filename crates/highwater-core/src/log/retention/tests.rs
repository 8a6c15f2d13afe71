//! Retention: which segments go, in which order, and when a check could first find one.
