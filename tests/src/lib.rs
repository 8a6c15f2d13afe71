//! What measurements and tests share. See docs/ARCHITECTURE.md.

pub mod groups;
pub mod kept;
pub mod load;
