//! Yew components.

pub mod app;
mod reading;
