//! What a reader sees and hears of a snapshot, as values: geometry, marks, words and a text twin.
//!
//! A figure becomes a tree of [`node::Node`]s; one writer turns it into SVG or HTML text, and the
//! page walks the same tree. There is no DOM in here, no colour (classes name them, style sheets
//! decide) and no rule of Kafka: numbers come from snapshots and events.

pub mod arithmetic;
pub mod ask;
pub mod cluster_figure;
pub mod coordinated;
pub mod digits;
mod fill;
pub mod frame;
pub mod hit;
pub mod icon;
pub mod keys;
mod lanes;
mod layout;
pub mod log_figure;
pub mod measure;
pub mod names;
pub mod narration;
pub mod node;
pub mod partition_figure;
pub mod picture;
pub mod replicas;
mod shapes;
pub mod template;
pub mod terminal;
pub mod text;
pub mod thing;
pub mod why;
pub mod words;
