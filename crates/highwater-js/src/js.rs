//! The border to JavaScript: values in, objects and errors out.

use js_sys::{Array, BigInt, JsString, Object, Reflect, Uint8Array};
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::failure::Failure;
use crate::value::{Value, wrong};

/// Objects within objects are read so deep.
const DEPTH: u32 = 4;
/// Longest list, and most properties, that are read.
const ITEMS: u32 = 100_000;
/// Longest text that is read, in UTF-16 units.
const TEXT: u32 = 32 << 20;

#[wasm_bindgen(typescript_custom_section)]
const ERRORS: &str = r#"
/**
 * What every call throws that cannot be done. Nothing has changed then.
 */
export interface HighwaterError extends Error {
    /**
     * Kafka's name, such as "UnknownTopicOrPartition"; "HighwaterError" where Kafka has none.
     */
    name: string;
    /**
     * Kafka's name in the protocol, such as "UNKNOWN_TOPIC_OR_PARTITION".
     */
    code: string | null;
    /**
     * What to do.
     */
    remedy: string;
}
"#;

/// What was given, as a plain value.
pub(crate) fn value(given: &JsValue) -> Value {
    value_within(given, DEPTH)
}

fn value_within(given: &JsValue, depth: u32) -> Value {
    if given.is_undefined() || given.is_null() {
        return Value::Missing;
    }
    if let Some(is) = given.as_bool() {
        return Value::Bool(is);
    }
    if let Some(number) = given.as_f64() {
        return Value::Number(number);
    }
    if let Some(text) = given.dyn_ref::<JsString>() {
        return if text.length() > TEXT {
            Value::Other("text too long".to_owned())
        } else {
            Value::Text(text.into())
        };
    }
    if let Some(number) = given.dyn_ref::<BigInt>() {
        let digits = number.to_string(10).ok().map(String::from);
        let number = digits.and_then(|digits| digits.parse().ok());
        return number.map_or_else(|| Value::Other("number too large".to_owned()), Value::Big);
    }
    if let Some(bytes) = given.dyn_ref::<Uint8Array>() {
        let is_long = bytes.length() > TEXT;
        return if is_long {
            Value::Other("array too long".to_owned())
        } else {
            Value::Bytes(bytes.to_vec())
        };
    }
    if !given.is_object() || given.is_function() {
        let kind = given.js_typeof().as_string().unwrap_or_default();
        return Value::Other(kind);
    }
    if depth == 0 {
        return Value::Other("object too deep".to_owned());
    }
    if Array::is_array(given) {
        let list = given.unchecked_ref::<Array>();
        if list.length() > ITEMS {
            return Value::Other("list too long".to_owned());
        }
        return Value::List(list.iter().map(|item| value_within(&item, depth - 1)).collect());
    }
    object(given, depth)
}

fn object(given: &JsValue, depth: u32) -> Value {
    let names = Object::keys(given.unchecked_ref::<Object>());
    if names.length() > ITEMS {
        return Value::Other("object too large".to_owned());
    }
    let property = |name: JsValue| {
        let value = match Reflect::get(given, &name) {
            Ok(value) => value_within(&value, depth - 1),
            Err(_) => Value::Other("property that throws".to_owned()),
        };
        (name.as_string().unwrap_or_default(), value)
    };
    Value::Object(names.iter().map(property).collect())
}

/// A text that was given.
pub(crate) fn text(name: &str, given: &JsValue) -> Result<String, Failure> {
    match value(given) {
        Value::Text(text) => Ok(text),
        other => Err(wrong(name, &other, "a text")),
    }
}

/// An object for JavaScript.
pub(crate) fn give<T: Tsify + Serialize>(value: &T) -> Result<Ts<T>, Failure> {
    let given = value.into_ts();
    given.map_err(|error| Failure::own(error.to_string(), crate::guard::MADE_ANEW))
}

/// A failure as an `Error`.
#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
pub(crate) fn error(failure: Failure) -> js_sys::Error {
    let error = js_sys::Error::new(&failure.message);
    error.set_name(&failure.name);
    let code = failure.code.map_or(JsValue::NULL, JsValue::from_str);
    // A new object takes new properties.
    let _ = Reflect::set(&error, &"code".into(), &code);
    let _ = Reflect::set(&error, &"remedy".into(), &failure.remedy.as_str().into());
    error
}
