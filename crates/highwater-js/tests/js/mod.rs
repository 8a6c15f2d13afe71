//! What tests of the JavaScript API share.

use highwater_js::Cluster;
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

pub(crate) const CREATE: &str =
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 3";
pub(crate) const PRODUCE: &str =
    "hw produce --client librdkafka --topic t --key locker-9 --value PARCEL_DROPPED";

/// A property of a property of a value; numbers are places in lists.
pub(crate) fn get(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, name| {
        let key = name.parse::<u32>().map_or_else(|_| JsValue::from_str(name), JsValue::from);
        Reflect::get(&value, &key).expect("the property can be read")
    })
}

pub(crate) fn text_at(value: &JsValue, path: &str) -> String {
    get(value, path).as_string().unwrap_or_else(|| panic!("{path} is no text in {value:?}"))
}

pub(crate) fn number_at(value: &JsValue, path: &str) -> f64 {
    get(value, path).as_f64().unwrap_or_else(|| panic!("{path} is no number in {value:?}"))
}

/// An object with these properties.
pub(crate) fn object(given: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in given {
        Reflect::set(&object, &JsValue::from_str(name), value).expect("a new object takes it");
    }
    object.into()
}

/// A new cluster in which these lines were run.
pub(crate) fn after(lines: &[&str]) -> Cluster {
    let mut cluster = Cluster::new(JsValue::UNDEFINED).expect("the defaults are fine");
    for line in lines {
        let outcome = JsValue::from(cluster.run(&JsValue::from_str(line)).expect("it is taken"));
        assert_eq!(number_at(&outcome, "exit"), 0.0, "{line}: {outcome:?}");
    }
    cluster
}
