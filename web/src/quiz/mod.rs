//! Questions, recall cards, progress and the page about a key, where they stand in a page.
//!
//! `read` takes them from the static page, `app` holds their state, `hearing` says what a DOM event means, and `view`
//! draws. What follows from an answer is decided in `highwater_lesson::quiz`.

mod app;
mod browser;
mod hearing;
mod read;
mod view;

pub use view::{mount, mount_all};
