//! The program of questions and recall cards, and of the page about a key.
#![cfg_attr(target_arch = "wasm32", no_main)]

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(start)]
fn start() {
    highwater_web::panic::install(highwater_web::panic::QUESTIONS);
    highwater_web::quiz::mount_all();
}

/// A browser calls `start`.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
