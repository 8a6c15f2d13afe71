//! What measurements and tests share. See docs/ARCHITECTURE.md.

pub mod kept;
pub mod load;
