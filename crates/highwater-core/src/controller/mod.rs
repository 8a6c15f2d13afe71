//! The KRaft controller: decides by appending metadata records; state changes only in `replay`.

pub mod placement;
pub mod quorum_controller;
pub mod records;
pub mod replication_control;
pub mod topic_config;
pub mod topic_name;
