//! The Lab without a DOM: a cluster to play with, what the reader does to it, and the tree of what is to be seen.
//!
//! The page tells it what it has heard ([`Heard`]), draws [`Lab::view`] and does what the Lab wishes ([`Wish`]):
//! move the focus, copy, keep, download. Every deed of the reader becomes a command line in a terminal, so that
//! whatever was touched can be typed, shared and replayed. No rule of Kafka is in here, and no element of a page.

mod acts;
mod bare;
pub mod challenge;
pub mod chart;
pub mod claim;
mod compare;
pub mod deed;
pub mod deeds;
pub mod exhibit;
pub mod figure;
pub mod flight;
pub mod form;
pub mod gate;
pub mod groups;
pub mod heard;
mod keys;
pub mod lab;
pub mod links;
pub mod menu;
pub mod moment;
pub mod partitions;
pub mod places;
pub mod run;
pub mod share;
mod side;
pub mod start;
pub mod story;
pub mod task;
pub mod terminal;
mod told;
pub mod totals;
pub mod transport;
mod view;
pub mod wish;

pub use heard::Heard;
pub use lab::{Lab, Opening, Room};
pub use share::Keeping;
pub use wish::Wish;
