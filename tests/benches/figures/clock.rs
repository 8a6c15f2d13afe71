//! What is the time, natively and in Node?

/// Seconds since some moment.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn seconds() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;

    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed().as_secs_f64()
}

/// Seconds since some moment: `performance.now()`, which Node has as browsers do.
#[cfg(target_arch = "wasm32")]
pub(crate) fn seconds() -> f64 {
    let performance = of(&js_sys::global(), "performance");
    let now = js_sys::Function::from(of(&performance, "now")).call0(&performance);
    now.ok().and_then(|now| now.as_f64()).expect("a number") / 1_000.0
}

/// A variable of the environment in which Node was started.
#[cfg(target_arch = "wasm32")]
pub(crate) fn variable(name: &str) -> Option<String> {
    of(&of(&of(&js_sys::global(), "process"), "env"), name).as_string()
}

#[cfg(target_arch = "wasm32")]
fn of(object: &js_sys::wasm_bindgen::JsValue, name: &str) -> js_sys::wasm_bindgen::JsValue {
    js_sys::Reflect::get(object, &name.into()).expect("Node has it")
}
