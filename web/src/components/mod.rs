//! Yew components, and what they show.

pub mod app;
mod reading;
pub mod view;
