//! The front end: mounts into the islands of a static page and hands what the reader does to the
//! figure and the questions of `highwater-lesson`, which know what to show; with the feature `lab`,
//! to `highwater-lab`. With the feature `quiz` come the questions and cards that need no engine.
//!
//! It holds no rule of Kafka and no geometry: it turns node trees into Yew's, and DOM events into
//! `Act`s. Only this crate and `highwater-js` know the DOM.

pub mod adapter;
pub mod components;
pub mod island;
#[cfg(feature = "lab")]
pub mod lab;
pub mod panic;
#[cfg(feature = "lab")]
pub mod piece;
#[cfg(feature = "quiz")]
pub mod quiz;
pub mod room;

/// An allocator for small code: 5 kB less than the standard library's in every program of the site.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
