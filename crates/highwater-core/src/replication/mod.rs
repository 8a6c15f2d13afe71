//! What leader and followers of a partition agree on.

pub mod high_watermark;
pub mod partition;
