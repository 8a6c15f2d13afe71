//! The Lab's page.
#![cfg_attr(target_arch = "wasm32", no_main)]

use wasm_bindgen::prelude::wasm_bindgen;

/// An allocator for small code, as in the lesson page.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[wasm_bindgen(start)]
fn start() {
    highwater_web::panic::install(highwater_web::panic::FIGURES);
    highwater_web::lab::mount();
}

/// A browser calls `start`.
#[cfg(not(target_arch = "wasm32"))]
fn main() {}
