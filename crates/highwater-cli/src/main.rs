//! The `highwater` command.

fn main() {}
