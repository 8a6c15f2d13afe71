//! The lesson page: mounts every figure with its questions.
//!
//! What the standard library does around a `main` is for programs with threads and an output, and half a
//! kB: the page has the glue call its beginning itself.
#![cfg_attr(target_arch = "wasm32", no_main)]

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(start)]
fn start() {
    highwater_web::panic::install(highwater_web::panic::FIGURES);
    highwater_web::components::view::mount_all();
}

/// A browser calls `start`.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
