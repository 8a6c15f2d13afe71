//! What JavaScript gives, as plain values, and what is asked of it: so what is taken, and what is said of the rest,
//! needs no JavaScript to be tested.

use highwater_core::number;

use crate::failure::Failure;

/// A value of JavaScript.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `undefined` or `null`.
    Missing,
    Bool(bool),
    Number(f64),
    /// A `BigInt`.
    Big(i128),
    Text(String),
    /// A `Uint8Array`.
    Bytes(Vec<u8>),
    List(Vec<Value>),
    /// An object's own properties, in their order.
    Object(Vec<(String, Value)>),
    /// Anything else, by its kind: a function, a symbol.
    Other(String),
}

/// The largest whole number that a `Number` holds exactly.
const SAFE: f64 = 9_007_199_254_740_991.0;

impl Value {
    /// What it is, in words.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Missing => "nothing".to_owned(),
            Self::Bool(is) => is.to_string(),
            Self::Number(number) => format!("the number {number}"),
            Self::Big(number) => format!("the number {number}"),
            Self::Text(text) => format!("the text \"{}\"", short(text)),
            Self::Bytes(_) => "bytes".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Object(_) => "an object".to_owned(),
            Self::Other(kind) => format!("a {kind}"),
        }
    }

    /// A whole number, of a `Number` or a `BigInt`.
    pub(crate) fn whole(&self) -> Option<i128> {
        match self {
            Self::Big(number) => Some(*number),
            // Exact: it is whole and within 2^53.
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and within 2^53")]
            Self::Number(number) if number.fract() == 0.0 && number.abs() <= SAFE => {
                Some(*number as i128)
            }
            _ => None,
        }
    }
}

/// Text that may be long, for a message.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().count() > MOST {
        shown.push('\u{2026}');
    }
    shown
}

/// The named options of a call.
pub(crate) struct Options<'a> {
    given: Vec<(String, Value)>,
    known: &'a [&'a str],
}

impl<'a> Options<'a> {
    /// The options that were given, if these are all that there are.
    pub(crate) fn read(value: Value, known: &'a [&'a str]) -> Result<Self, Failure> {
        let possible = || format!("There are {}.", number::join(known, ", "));
        let given = match value {
            Value::Missing => Vec::new(),
            Value::Object(given) => given,
            other => {
                let message = format!("options are an object, not {}", other.kind());
                return Err(Failure::own(message, possible()));
            }
        };
        if let Some((name, _)) = given.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let message = format!("there is no option `{}`", short(name));
            return Err(Failure::own(message, possible()));
        }
        Ok(Self { given, known })
    }

    /// An option that was given; `None`: it was not.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        debug_assert!(self.known.contains(&name), "{name} is not offered");
        let found = self.given.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value).filter(|value| **value != Value::Missing)
    }

    /// A whole number in a range.
    pub(crate) fn whole(
        &self,
        name: &str,
        least: i128,
        most: i128,
    ) -> Result<Option<i128>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.whole().filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(wrong(name, value, &format!("a whole number from {least} to {most}"))),
        }
    }

    /// The same as a type that holds all of the range.
    pub(crate) fn number<T: TryFrom<i128>>(
        &self,
        name: &str,
        least: i128,
        most: i128,
    ) -> Result<Option<T>, Failure> {
        Ok(self.whole(name, least, most)?.and_then(|number| T::try_from(number).ok()))
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(is)) => Ok(Some(*is)),
            Some(other) => Err(wrong(name, other, "true or false")),
        }
    }

    /// One of some words.
    pub(crate) fn one_of<T: Copy>(
        &self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let found = match value {
            Value::Text(text) => words.iter().find(|(word, _)| word == text),
            _ => None,
        };
        let names: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match found {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => Err(wrong(name, value, &number::join(&names, " or "))),
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Failure> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = |item: &Value| match item {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        let texts = match value {
            Value::List(items) => items.iter().map(text).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        texts.map(Some).ok_or_else(|| wrong(name, value, "a list of texts"))
    }

    /// Names with values, as lines of a configuration file have them.
    pub(crate) fn lines(&self, name: &str) -> Result<Vec<(String, String)>, Failure> {
        self.get(name).map_or_else(|| Ok(Vec::new()), |value| lines_of(name, value))
    }
}

/// Names with values: texts, numbers, true or false.
pub(crate) fn lines_of(name: &str, value: &Value) -> Result<Vec<(String, String)>, Failure> {
    let what = "an object of settings: `{ \"min.insync.replicas\": 2 }`";
    let Value::Object(given) = value else { return Err(wrong(name, value, what)) };
    let line = |(key, value): &(String, Value)| match (value, value.whole()) {
        (Value::Text(text), _) => Ok((key.clone(), text.clone())),
        (Value::Bool(is), _) => Ok((key.clone(), is.to_string())),
        (_, Some(number)) => Ok((key.clone(), number.to_string())),
        (Value::Number(number), _) if number.is_finite() => Ok((key.clone(), number.to_string())),
        _ => Err(wrong(&format!("{name}[\"{}\"]", short(key)), value, "a text or a number")),
    };
    given.iter().map(line).collect()
}

/// Something else was expected.
pub(crate) fn wrong(name: &str, value: &Value, expected: &str) -> Failure {
    let message = format!("{name}: this is {}", value.kind());
    Failure::own(message, format!("Give {expected}."))
}
