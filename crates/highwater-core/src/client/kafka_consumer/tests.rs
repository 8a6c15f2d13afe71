//! A member of a group, whose coordinator is played by the test.

mod answers;
mod bench;
mod commits;
mod listener;
mod rebalances;
mod sessions;
