//! A panic becomes an error. In WebAssembly a panic ends in a trap, which JavaScript can catch: so every call goes by way
//! of JavaScript, which calls back.

use std::cell::RefCell;
use std::sync::Once;

use js_sys::Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::Failure;

#[wasm_bindgen]
extern "C" {
    /// `Array.from`, which calls for each item, here for one: a function of JavaScript that calls another one, wherever
    /// it runs.
    #[wasm_bindgen(js_namespace = Array, js_name = from, catch)]
    fn call_for_each(items: &Array, call: &mut dyn FnMut()) -> Result<JsValue, JsValue>;
}

thread_local! {
    /// What the last panic said.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does it. An error: it panicked, and what it worked on is not to be trusted any more.
pub(crate) fn guarded<T>(act: impl FnOnce() -> T) -> Result<T, Failure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|panic| LAST.set(panic.to_string())));
    });
    let (mut act, mut result) = (Some(act), None);
    let mut call = || result = act.take().map(|act| act());
    let caught = call_for_each(&Array::of1(&JsValue::NULL), &mut call).err();
    match (result, caught) {
        (Some(result), None) => Ok(result),
        (_, caught) => Err(fault(caught)),
    }
}

/// What is said of a panic, or of whatever else ended the call: no memory, no more stack.
fn fault(caught: Option<JsValue>) -> Failure {
    let mut said = LAST.with(RefCell::take);
    if said.is_empty() {
        let error =
            caught.and_then(|caught| wasm_bindgen::JsCast::dyn_into::<js_sys::Error>(caught).ok());
        said = error.map(|error| String::from(error.message())).unwrap_or_default();
    }
    let message =
        format!("Highwater has a fault, and this Cluster cannot be used any more: {said}");
    Failure::own(message, MADE_ANEW)
}

/// What to do after a panic.
pub(crate) const MADE_ANEW: &str = "Free this Cluster and make a new one; `transcript()` or `link()` of an earlier moment \
                                    lead there. Please report the message with the lines that led to it.";

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    /// A panic is told, and whoever calls goes on: a hundred times, since a trap leaves the stack where it was.
    #[wasm_bindgen_test]
    fn a_panic_becomes_an_error() {
        for round in 0..100 {
            let failure = guarded(|| {
                let room = std::hint::black_box([round; 10_000]);
                assert!(room.len() < 10_000, "the room of round {round}");
            });
            let failure = failure.expect_err("it panics");
            assert!(failure.message.contains(&format!("the room of round {round}")), "{failure:?}");
            assert_eq!(guarded(|| 7), Ok(7));
        }
    }
}
