//! What nodes say to each other, and what becomes of it on the way.

pub mod admin;
pub mod group;
pub mod internal;
pub mod log_dirs;
pub mod message;
pub mod rule;
