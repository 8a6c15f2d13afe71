//! Whoever makes clusters and frees them gets all memory back.
#![cfg(target_arch = "wasm32")]

#[expect(dead_code, reason = "other tests use the rest")]
mod js;

use js_sys::{ArrayBuffer, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::js::{CREATE, PRODUCE, after, object};

/// The size of the memory, in bytes. It never shrinks, so that it is the most that was ever in use.
fn memory() -> f64 {
    let buffer =
        Reflect::get(&wasm_bindgen::memory(), &"buffer".into()).expect("a memory has a buffer");
    buffer.unchecked_into::<ArrayBuffer>().byte_length().into()
}

/// One life of a cluster, with everything that gives something out, and errors.
fn cycle() {
    let mut cluster = after(&[CREATE, PRODUCE]);
    let mut fork = cluster.fork().expect("a fork");
    fork.seek(&object(&[("command", 1.into())])).expect("it was played");
    fork.step().expect("a step");
    fork.back().expect("a step back");
    cluster.snapshot(JsValue::UNDEFINED).expect("a snapshot");
    cluster.why(&"record:t-1:0".into()).expect("it is there");
    cluster.why(&"topic:none".into()).expect_err("it is not there");
    cluster.run(&JsValue::NULL).expect_err("no line");
    cluster.svg(JsValue::UNDEFINED).expect("a picture");
    cluster.link().expect("a link");
}

/// The memory after 1,000 cycles is within 1 % of that after 100, and no object of JavaScript is held.
#[wasm_bindgen_test]
fn a_thousand_cycles_leak_nothing() {
    (0..100).for_each(|_| cycle());
    let (hundred, held) = (memory(), wasm_bindgen::externref_heap_live_count());
    (100..1_000).for_each(|_| cycle());
    let thousand = memory();
    assert!(thousand <= hundred * 1.01, "{hundred} bytes after 100 cycles, {thousand} after 1,000");
    assert_eq!(wasm_bindgen::externref_heap_live_count(), held);
}
