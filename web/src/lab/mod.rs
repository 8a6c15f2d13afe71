//! The Lab's page: draws `highwater_lab::Lab`, tells it what the reader, the browser and the clock do, and
//! grants what it wishes.

mod app;
mod desk;
mod files;
mod hearing;
mod lesson;
mod places;
mod view;
mod watch;
mod wishes;

pub use desk::Desk;
pub use view::{mount, mount_all, mount_into};
