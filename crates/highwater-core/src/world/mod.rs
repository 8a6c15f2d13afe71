//! The world: time, the queue of what happens next, and everything that lives in it.

mod checkpoints;
pub mod cluster_event;
pub mod cluster_view;
pub mod compare;
mod descriptors;
mod effects;
pub mod event;
pub mod fault;
pub mod files;
pub mod group_event;
pub mod group_hazard;
pub mod hazard;
pub mod input;
mod lull;
pub mod menu;
pub mod options;
pub mod outbox;
mod place;
pub mod power;
#[cfg(test)]
pub(crate) mod probe;
pub mod process;
mod processes;
mod queue;
pub mod snapshot;
pub mod step;
pub mod stream;
mod suspend;
pub mod timeline;
#[expect(clippy::module_inception, reason = "the world of the world: its state and its steps")]
pub mod world;
