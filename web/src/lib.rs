//! The front end: mounts into the islands of a static page and hands what the reader does to the
//! figure and the questions of `highwater-lesson`, which know what to show.
//!
//! It holds no rule of Kafka and no geometry: it turns node trees into Yew's, and DOM events into
//! `Act`s. Only this crate and `highwater-js` know the DOM.

pub mod adapter;
pub mod components;
pub mod island;
pub mod panic;
