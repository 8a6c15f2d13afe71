//! Records of Kafka's own topics as JSON: which fields stand in their bytes, and what Java says of bytes that
//! are something else (`CoordinatorRecordSerde`, the generated `...JsonConverter`s).
//!
//! The fields of each kind of record are in `schemas`; here they are read, in any version.

pub(crate) mod schemas;

use std::fmt::Write as _;

use highwater_core::ids::TopicId;

use crate::tool::json::Json;
use crate::tool::options::Problem;

/// What Java throws where nothing else fits.
pub(crate) const RUNTIME_EXCEPTION: &str = "java.lang.RuntimeException";

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Int8,
    Int16,
    Int32,
    Int64,
    Uuid,
    Text,
    NullableText,
    Bytes,
    NullableBytes,
    /// A list of numbers.
    Int32s,
    /// A list of names.
    Texts,
    /// A list of things with fields.
    List(&'static [Field]),
    NullableList(&'static [Field]),
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The first version and the last one that have it.
    pub(crate) versions: (i16, i16),
    /// It stands among the tagged fields under this number (KIP-482), and is not printed if that would print
    /// this.
    pub(crate) tag: Option<(u32, &'static str)>,
}

/// What a key or a value is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema {
    pub(crate) fields: &'static [Field],
    /// The highest version that is known; the lowest is 0.
    pub(crate) highest: i16,
    /// The first version that is written in the flexible way.
    pub(crate) flexible: i16,
}

/// A kind of record: the number in front of its key, its key and its value.
pub(crate) type RecordType = (i16, Schema, Schema);

/// A record that could be read.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub(crate) kind: i16,
    pub(crate) key: Json,
    /// The version and what it says; `None`: it is a tombstone.
    pub(crate) value: Option<(i16, Json)>,
}

/// Why a record cannot be read.
#[derive(Clone, Debug)]
pub(crate) enum Unreadable {
    /// No record has such a type.
    UnknownType(i16),
    /// What Java throws.
    Thrown(Problem),
}

/// Reads a record's key and value as one of these types.
pub(crate) fn decode(
    types: &[RecordType],
    key: &[u8],
    value: Option<&[u8]>,
) -> Result<Decoded, Unreadable> {
    let mut bytes = Bytes { rest: key, flexible: false };
    let kind = version_in(&mut bytes, "key")?;
    let found = types.iter().find(|(known, ..)| *known == kind);
    let Some((_, of_key, of_value)) = found else { return Err(Unreadable::UnknownType(kind)) };
    let key = message(*of_key, &mut bytes, kind, "key")?;
    let Some(value) = value else { return Ok(Decoded { kind, key, value: None }) };
    let mut bytes = Bytes { rest: value, flexible: false };
    let version = version_in(&mut bytes, "value")?;
    if !(0..=of_value.highest).contains(&version) {
        let class = "org.apache.kafka.coordinator.common.runtime.\
                     Deserializer$UnknownRecordVersionException";
        let text = format!("Found an unknown record version {version} for {kind} type");
        return Err(Unreadable::Thrown(Problem::new(class, text)));
    }
    let value = message(*of_value, &mut bytes, version, "value")?;
    Ok(Decoded { kind, key, value: Some((version, value)) })
}

/// A message that begins with its version.
pub(crate) fn versioned(schema: Schema, bytes: &[u8]) -> Result<Json, Wrong> {
    let mut bytes = Bytes { rest: bytes, flexible: false };
    let version = bytes.int::<2>()?;
    fields(schema, &mut bytes, i16::try_from(version).unwrap_or(0))
}

fn version_in(bytes: &mut Bytes<'_>, whose: &str) -> Result<i16, Unreadable> {
    let version = bytes.int::<2>().map_err(|_| {
        let text = format!("Could not read version from {whose}'s buffer.");
        Unreadable::Thrown(Problem::new(RUNTIME_EXCEPTION, text))
    })?;
    Ok(i16::try_from(version).unwrap_or(0))
}

fn message(
    schema: Schema,
    bytes: &mut Bytes<'_>,
    version: i16,
    whose: &str,
) -> Result<Json, Unreadable> {
    fields(schema, bytes, version).map_err(|wrong| {
        let said = wrong.message().unwrap_or("null");
        let text = format!(
            "Could not read record with version {version} from {whose}'s buffer due to: {said}."
        );
        let mut problem = Problem::new(RUNTIME_EXCEPTION, text);
        problem.causes.push(wrong.thrown());
        Unreadable::Thrown(problem)
    })
}

/// Why bytes are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// A number needs more bytes than there are.
    Underflow,
    /// In Java's words.
    Said(String),
}

impl Wrong {
    /// The exception's text.
    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Self::Underflow => None,
            Self::Said(text) => Some(text),
        }
    }

    /// The exception with its class.
    fn thrown(&self) -> String {
        match self {
            Self::Underflow => "java.nio.BufferUnderflowException".to_owned(),
            Self::Said(text) => format!("{RUNTIME_EXCEPTION}: {text}"),
        }
    }
}

fn fields(schema: Schema, bytes: &mut Bytes<'_>, version: i16) -> Result<Json, Wrong> {
    bytes.flexible = version >= schema.flexible;
    structure(schema.fields, bytes, version)
}

/// The fields in front, then in a flexible version those with tags; printed in the order of the schema.
fn structure(all: &'static [Field], bytes: &mut Bytes<'_>, version: i16) -> Result<Json, Wrong> {
    let here = |field: &&Field| (field.versions.0..=field.versions.1).contains(&version);
    let mut values: Vec<(&str, Json)> = Vec::new();
    for field in all.iter().filter(here).filter(|field| field.tag.is_none()) {
        values.push((field.name, bytes.value(field, version)?));
    }
    if bytes.flexible {
        for _ in 0..bytes.unsigned_varint()? {
            let tag = bytes.unsigned_varint()?;
            let size = bytes.unsigned_varint()?;
            let mut known = all.iter().filter(here);
            match known.find(|field| field.tag.is_some_and(|(known, _)| known == tag)) {
                None => drop(bytes.array(size.into())?),
                Some(field) => {
                    let value = bytes.value(field, version)?;
                    values.push((field.name, value));
                }
            }
        }
    }
    let mut printed = Vec::new();
    for field in all {
        // Of a tag that is there twice the last one counts.
        let found = values.iter().rfind(|(name, _)| *name == field.name).map(|(_, value)| value);
        let is_plain = |value: &&Json| field.tag.is_some_and(|(_, plain)| plain == value.print());
        if let Some(value) = found.filter(|value| !is_plain(value)) {
            printed.push((field.name.to_owned(), value.clone()));
        }
    }
    Ok(Json::Object(printed))
}

/// Bytes that are read from the front (`ByteBufferAccessor`).
struct Bytes<'a> {
    rest: &'a [u8],
    flexible: bool,
}

impl<'a> Bytes<'a> {
    /// A number of so many bytes.
    fn int<const N: usize>(&mut self) -> Result<i64, Wrong> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(Wrong::Underflow)?;
        self.rest = rest;
        let sign = if taken.first().is_some_and(|byte| *byte >= 0x80) { -1i64 } else { 0 };
        Ok(taken.iter().fold(sign, |number, byte| (number << 8) | i64::from(*byte)))
    }

    fn array(&mut self, count: i64) -> Result<&'a [u8], Wrong> {
        let taken = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let Some((taken, rest)) = taken else {
            let left = self.rest.len();
            let text = format!(
                "Error reading byte array of {count} byte(s): only {left} byte(s) available"
            );
            return Err(Wrong::Said(text));
        };
        self.rest = rest;
        Ok(taken)
    }

    fn unsigned_varint(&mut self) -> Result<u32, Wrong> {
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let byte = u32::try_from(self.int::<1>()? & 0xff).unwrap_or(0);
            value |= (byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Wrong::Said(format!(
            "Varint is too long, the most significant bit in the 5th byte is set, converted value: \
             {value:x}"
        )))
    }

    /// The length of a text or a list; `None`: it is null.
    fn length<const N: usize>(&mut self) -> Result<Option<i64>, Wrong> {
        let length =
            if self.flexible { i64::from(self.unsigned_varint()?) - 1 } else { self.int::<N>()? };
        Ok(Some(length).filter(|length| *length >= 0))
    }

    fn text(&mut self) -> Result<Option<Json>, Wrong> {
        let Some(length) = self.length::<2>()? else { return Ok(None) };
        let text = String::from_utf8_lossy(self.array(length)?).into_owned();
        Ok(Some(Json::Text(text)))
    }

    fn bytes(&mut self) -> Result<Option<Json>, Wrong> {
        let Some(length) = self.length::<4>()? else { return Ok(None) };
        Ok(Some(Json::Text(base64(self.array(length)?))))
    }

    fn list(
        &mut self,
        read: impl Fn(&mut Self) -> Result<Json, Wrong>,
    ) -> Result<Option<Json>, Wrong> {
        let Some(count) = self.length::<4>()? else { return Ok(None) };
        let left = self.rest.len();
        if usize::try_from(count).map_or(true, |count| count > left) {
            return Err(Wrong::Said(format!(
                "Tried to allocate a collection of size {count}, but there are only {left} bytes \
                 remaining."
            )));
        }
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(Some(Json::Array(items)))
    }

    fn value(&mut self, field: &Field, version: i16) -> Result<Json, Wrong> {
        let number = |number: i64| Some(Json::Number(number.to_string()));
        let found = match field.kind {
            Kind::Int8 => number(self.int::<1>()?),
            Kind::Int16 => number(self.int::<2>()?),
            Kind::Int32 => number(self.int::<4>()?),
            Kind::Int64 => number(self.int::<8>()?),
            Kind::Uuid => {
                let (high, low) = (self.int::<8>()?, self.int::<8>()?);
                let halves = [high.to_be_bytes(), low.to_be_bytes()];
                let id = halves.iter().flatten().fold(0, |id, byte| (id << 8) | u128::from(*byte));
                Some(Json::Text(TopicId(id).to_string()))
            }
            Kind::Text | Kind::NullableText => self.text()?,
            Kind::Bytes | Kind::NullableBytes => self.bytes()?,
            Kind::Int32s => self.list(|bytes| Ok(Json::Number(bytes.int::<4>()?.to_string())))?,
            Kind::Texts => {
                let missing = || element_null(field.name);
                self.list(|bytes| bytes.text()?.ok_or_else(missing))?
            }
            Kind::List(fields) | Kind::NullableList(fields) => {
                self.list(|bytes| structure(fields, bytes, version))?
            }
        };
        match (found, field.kind) {
            (Some(found), _) => Ok(found),
            (None, Kind::NullableText | Kind::NullableBytes | Kind::NullableList(_)) => {
                Ok(Json::Null)
            }
            (None, _) => Err(Wrong::Said(format!(
                "non-nullable field {} was serialized as null",
                field.name
            ))),
        }
    }
}

fn element_null(name: &str) -> Wrong {
    Wrong::Said(format!("non-nullable field {name} element was serialized as null"))
}

/// Base64 with the signs of RFC 4648, filled up, as Jackson writes bytes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3)
            .fold(0u32, |bits, at| (bits << 8) | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = usize::try_from((bits >> (18 - 6 * at)) & 63).unwrap_or(0);
            let sign = if at <= chunk.len() { char::from(DIGITS[digit]) } else { '=' };
            text.push(sign);
        }
    }
    text
}

/// The bytes that a base64 text stands for.
pub(crate) fn from_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for sign in text.bytes() {
        let value = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'a'..=b'z' => sign - b'a' + 26,
            b'0'..=b'9' => sign - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            let [.., low] = (bits >> count).to_be_bytes();
            bytes.push(low);
        }
    }
    bytes
}

/// The record as the formatters print it.
pub(crate) fn print(record: &Decoded) -> String {
    let Decoded { kind, key, value } = record;
    let mut text = format!("{{\"key\":{{\"type\":{kind},\"data\":{}}},\"value\":", key.print());
    let written = match value {
        None => write!(text, "null}}"),
        Some((version, data)) => {
            write!(text, "{{\"version\":{version},\"data\":{}}}}}", data.print())
        }
    };
    // A string takes everything.
    debug_assert!(written.is_ok());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// RFC 4648's own examples, there and back.
    #[test]
    fn base64_of_the_standard() {
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), text);
            assert_eq!(from_base64(text), plain.as_bytes());
        }
    }

    /// Whatever the bytes are, reading ends and says something.
    #[test]
    fn any_bytes() {
        let mut seed = 7u64;
        for length in 0..400usize {
            let mut bytes = Vec::new();
            for _ in 0..length % 40 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                bytes.push((seed >> 60) as u8);
            }
            for kind in 0..3u8 {
                let key = [&[0, kind], bytes.as_slice()].concat();
                for types in [schemas::GROUP, schemas::TRANSACTION] {
                    let _ = decode(types, &key, Some(&bytes));
                    let _ = decode(
                        types,
                        &[0, 2, 0, 1, b'g'],
                        Some(&[&[0, kind], bytes.as_slice()].concat()),
                    );
                }
            }
        }
    }
}
