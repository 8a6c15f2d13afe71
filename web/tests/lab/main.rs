//! The Lab's page in a real DOM, with a stand-in for the Lab. What a reader does with the built page is tested
//! in tests/e2e.

mod heard;
#[path = "../helpers/mod.rs"]
mod helpers;
mod kept;
mod stand_in;
mod wished;

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);
