//! The JavaScript API in Node: what a page or a script would do with it.
#![cfg(target_arch = "wasm32")]

use highwater_js::Cluster;
use js_sys::{BigInt, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

fn get(value: &JsValue, path: &[&str]) -> JsValue {
    path.iter().fold(value.clone(), |value, name| {
        let key = name.parse::<u32>().map_or_else(|_| JsValue::from_str(name), JsValue::from);
        Reflect::get(&value, &key).expect("the property can be read")
    })
}

fn create(cluster: &mut Cluster) {
    let line =
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 3";
    let outcome = cluster.run(line).expect("the line is taken");
    assert_eq!(get(&outcome, &["output", "0"]), JsValue::from_str("Created topic t."));
    assert_eq!(get(&outcome, &["exit"]).as_f64(), Some(0.0));
}

/// A command line gives its output, and the snapshot what came of it, offsets as BigInt.
#[wasm_bindgen_test]
fn lines_run_and_the_snapshot_shows_it() {
    let mut cluster = Cluster::new(Some(1), None).expect("one broker is fine");
    create(&mut cluster);
    let line = "hw produce --client librdkafka --topic t --key locker-9 --value PARCEL_DROPPED";
    cluster.run(line).expect("the line is taken");
    let snapshot = cluster.snapshot().expect("it can be converted");
    let record = get(&snapshot, &["topics", "0", "partitions", "1", "records", "0"]);
    assert_eq!(get(&record, &["key"]), JsValue::from_str("locker-9"));
    let offset: BigInt = get(&record, &["offset"]).dyn_into().expect("a BigInt");
    assert_eq!(offset, BigInt::from(0));
    assert!(cluster.text("t", 10).contains("locker-9"));
}

/// Time goes back, and forth again.
#[wasm_bindgen_test]
fn it_goes_back_in_time() {
    let mut cluster = Cluster::new(Some(1), Some(7)).expect("one broker is fine");
    create(&mut cluster);
    assert_eq!(cluster.commands(), 1);
    cluster.seek(0);
    let topics = get(&cluster.snapshot().expect("it can be converted"), &["topics", "length"]);
    assert_eq!(topics.as_f64(), Some(0.0));
    cluster.seek(1);
    let topics = get(&cluster.snapshot().expect("it can be converted"), &["topics", "length"]);
    assert_eq!(topics.as_f64(), Some(1.0));
}

/// What cannot be is an Error that says what can.
#[wasm_bindgen_test]
fn errors_say_what_is_possible() {
    let error = Cluster::new(Some(0), None).err().expect("no broker is an error");
    assert_eq!(String::from(error.message()), "a cluster has 1 to 9 brokers");
    let mut cluster = Cluster::new(None, None).expect("the defaults are fine");
    assert!(cluster.run(&"x".repeat(2 << 20)).is_err());
}
