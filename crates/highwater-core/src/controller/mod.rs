//! The controller: decides by appending to the metadata log.

pub mod alter_partition;
pub mod balancing;
pub mod broker_config;
pub mod cluster_control;
pub mod config_control;
pub mod leadership;
pub mod partition_change;
pub mod placement;
pub mod producer_ids;
pub mod quorum;
pub mod quorum_controller;
pub mod reassignment;
pub mod records;
pub mod replication_control;
pub mod server_config;
pub mod topic_config;
pub mod topic_name;
