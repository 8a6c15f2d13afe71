//! What travels between nodes.

pub mod message;
