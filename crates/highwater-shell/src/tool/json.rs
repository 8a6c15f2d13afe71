//! JSON as Kafka's tools read it from files: a small strict reader, and the words in which they say
//! what is missing or of the wrong kind (Kafka's `Json` and `JsonValue`, over Jackson).

use highwater_core::number;

/// How deep arrays and objects may stand in each other, as in Jackson.
const MOST_DEPTH: usize = 1_000;

/// What Java throws when a value is missing or of the wrong kind.
pub(crate) const MAPPING_EXCEPTION: &str = "com.fasterxml.jackson.databind.JsonMappingException";

/// How many characters a number may have, as in Jackson.
const LONGEST_NUMBER: usize = 1_000;

/// A value. Numbers keep their text: what they may be depends on who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// What an empty file holds, to Jackson.
    Missing,
    /// `null`
    Null,
    /// `true` and `false`.
    Boolean(bool),
    /// A number as it stands there.
    Number(String),
    /// A text.
    Text(String),
    /// Values in a row.
    Array(Vec<Json>),
    /// Values by name, in order; of equal names the last one counts.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value. What stands behind it is not looked at, as Jackson does by default.
    ///
    /// `None`: this is not JSON. Kafka's tools do not say where it goes wrong.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let mut reader = Reader { rest: text.as_bytes() };
        reader.skip_blanks();
        if reader.rest.is_empty() { Some(Self::Missing) } else { reader.value(0) }
    }

    /// The fields of an object.
    pub(crate) fn object(&self) -> Result<&[(String, Json)], String> {
        match self {
            Self::Object(fields) => Ok(fields),
            other => Err(format!("Expected JSON object, received {}", other.print())),
        }
    }

    /// The values of an array.
    pub(crate) fn array(&self) -> Result<&[Json], String> {
        match self {
            Self::Array(values) => Ok(values),
            other => Err(format!("Expected JSON array, received {}", other.print())),
        }
    }

    /// The values of an array that a field must be (`DecodeJson.decodeList`).
    pub(crate) fn list(&self) -> Result<&[Json], String> {
        match self {
            Self::Array(values) => Ok(values),
            other => Err(other.is_not("JSON array")),
        }
    }

    /// A field of an object, if there is one of that name.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&Json>, String> {
        let fields = self.object()?;
        Ok(fields.iter().find(|(known, _)| known == name).map(|(_, value)| value))
    }

    /// A field that must be there.
    pub(crate) fn field(&self, name: &str) -> Result<&Json, String> {
        self.get(name)?.ok_or_else(|| format!("No such field exists: `{name}`"))
    }

    /// The text that it is.
    pub(crate) fn text(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(other.is_not("String")),
        }
    }

    /// The whole number of 32 bits that it is.
    pub(crate) fn int(&self) -> Result<i32, String> {
        self.number(number::int).ok_or_else(|| self.is_not("Integer"))
    }

    /// The whole number of 64 bits that it is.
    pub(crate) fn long(&self) -> Result<i64, String> {
        self.number(number::signed).ok_or_else(|| self.is_not("Long"))
    }

    fn number<T>(&self, read: fn(&str) -> Option<T>) -> Option<T> {
        match self {
            Self::Number(digits) => read(digits),
            _ => None,
        }
    }

    fn is_not(&self, class: &str) -> String {
        format!("Expected `{class}` value, received {}", self.print())
    }

    /// As Jackson prints it, without blanks.
    #[must_use]
    pub fn print(&self) -> String {
        let joined = |parts: Vec<String>| parts.join(",");
        match self {
            Self::Missing => String::new(),
            Self::Null => "null".to_owned(),
            Self::Boolean(truth) => truth.to_string(),
            Self::Number(digits) => digits.clone(),
            Self::Text(text) => quoted(text),
            Self::Array(values) => {
                format!("[{}]", joined(values.iter().map(Self::print).collect()))
            }
            Self::Object(fields) => {
                let field =
                    |(name, value): &(String, Self)| [&quoted(name), ":", &value.print()].concat();
                format!("{{{}}}", joined(fields.iter().map(field).collect()))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            control if control < ' ' => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(control)));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// What is still to be read.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Takes a byte if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        match self.rest.split_first() {
            Some((first, rest)) if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.rest = self.rest.strip_prefix(word.as_bytes())?;
        // A word ends where no name could go on.
        let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        (!self.rest.first().is_some_and(goes_on)).then_some(value)
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        match self.rest.first()? {
            b'{' if depth < MOST_DEPTH => self.fields(depth),
            b'[' if depth < MOST_DEPTH => self.values(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.word("true", Json::Boolean(true)),
            b'f' => self.word("false", Json::Boolean(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.digits(),
        }
    }

    fn values(&mut self, depth: usize) -> Option<Json> {
        self.take(b'[');
        let mut values = Vec::new();
        self.skip_blanks();
        if self.take(b']') {
            return Some(Json::Array(values));
        }
        loop {
            self.skip_blanks();
            values.push(self.value(depth + 1)?);
            self.skip_blanks();
            if self.take(b']') {
                return Some(Json::Array(values));
            }
            self.take(b',').then_some(())?;
        }
    }

    fn fields(&mut self, depth: usize) -> Option<Json> {
        self.take(b'{');
        let mut fields: Vec<(String, Json)> = Vec::new();
        self.skip_blanks();
        if self.take(b'}') {
            return Some(Json::Object(fields));
        }
        loop {
            self.skip_blanks();
            let name = self.string()?;
            self.skip_blanks();
            self.take(b':').then_some(())?;
            self.skip_blanks();
            let value = self.value(depth + 1)?;
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, before)) => *before = value,
                None => fields.push((name, value)),
            }
            self.skip_blanks();
            if self.take(b'}') {
                return Some(Json::Object(fields));
            }
            self.take(b',').then_some(())?;
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"').then_some(())?;
        let mut bytes = Vec::new();
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'"' => return Some(String::from_utf8_lossy(&bytes).into_owned()),
                b'\\' => {
                    let character = self.escaped()?;
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                control if *control < b' ' => return None,
                other => bytes.push(*other),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match first {
            b'"' | b'\\' | b'/' => char::from(*first),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.unit()?;
                // Half of a pair needs its other half; alone it is no character.
                let pair = (0xd800..0xdc00).contains(&high) && self.rest.starts_with(b"\\u");
                if pair {
                    self.rest = self.rest.get(2..)?;
                    let low = self.unit()?;
                    let both = char::decode_utf16([high, low]).next()?;
                    both.unwrap_or(char::REPLACEMENT_CHARACTER)
                } else {
                    char::from_u32(u32::from(high)).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
            }
            _ => return None,
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u16> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        digits.iter().try_fold(0u16, |unit, digit| {
            let digit = char::from(*digit).to_digit(16)?;
            Some(unit << 4 | u16::try_from(digit).ok()?)
        })
    }

    fn digits(&mut self) -> Option<Json> {
        let text = self.rest;
        let minus = usize::from(text.first() == Some(&b'-'));
        let mut end = minus + run(text.get(minus..)?);
        let leads_with_zero = text.get(minus) == Some(&b'0') && end > minus + 1;
        if end == minus || leads_with_zero {
            return None;
        }
        if text.get(end) == Some(&b'.') {
            let fraction = run(text.get(end + 1..)?);
            (fraction > 0).then_some(())?;
            end += 1 + fraction;
        }
        if matches!(text.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
            let exponent = run(text.get(end + 1 + sign..)?);
            (exponent > 0).then_some(())?;
            end += 1 + sign + exponent;
        }
        let (number, rest) = text.split_at_checked(end)?;
        // Jackson wants a blank or punctuation behind a number that stands alone.
        if rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.') {
            return None;
        }
        if number.len() > LONGEST_NUMBER {
            return None;
        }
        self.rest = rest;
        Some(Json::Number(String::from_utf8_lossy(number).into_owned()))
    }
}

/// How many digits stand at the beginning.
fn run(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn printed(text: &str) -> Option<String> {
        Json::parse(text.as_bytes()).map(|json| json.print())
    }

    /// What is read, as Jackson prints it again; what stands behind the value does not count.
    #[test]
    fn values() {
        for (text, read) in [
            ("", Some("")),
            (" \n", Some("")),
            (" null ", Some("null")),
            ("[ 1 , -0.5e+3, true,false ]", Some("[1,-0.5e+3,true,false]")),
            ("{ \"a\" : [ ] , \"b\" : { } }", Some("{\"a\":[],\"b\":{}}")),
            ("\"\\u00e9\\ud83d\\ude00\\n\\/\"", Some("\"\u{e9}\u{1f600}\\n/\"")),
            ("\"\\ud83d\"", Some("\"\u{fffd}\"")),
            ("{} x", Some("{}")),
            ("1]", Some("1")),
        ] {
            assert_eq!(printed(text).as_deref(), read, "{text}");
        }
    }

    /// What is no JSON (recorded/delete-records.console and more).
    #[test]
    fn no_values() {
        for text in [
            "hello",
            "-",
            "1.",
            "01",
            "1e",
            ".5",
            "+1",
            "1x",
            "tru",
            "nulls",
            "[",
            "[1 2]",
            "[1,]",
            "[,1]",
            "{",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{'a':1}",
            "// {}",
            "\"a",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12\u{e9}4\"",
            "\"\n\"",
            "\u{feff}{}",
        ] {
            assert_eq!(printed(text), None, "{text}");
        }
    }

    /// Depth and numbers at their limits; every beginning of a text, and bytes that are no UTF-8.
    #[test]
    fn limits() {
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(printed(&nested(1_000)).is_some());
        assert!(printed(&nested(1_001)).is_none());
        assert!(printed(&"[{\"a\":".repeat(100_000)).is_none());
        assert!(printed(&"9".repeat(1_000)).is_some());
        assert!(printed(&"9".repeat(1_001)).is_none());
        let number = |text: &str| Json::Number(text.to_owned());
        assert_eq!(number("2147483647").int(), Ok(i32::MAX));
        assert!(number("2147483648").int().is_err());
        assert_eq!(number("-9223372036854775808").long(), Ok(i64::MIN));
        assert!(number("9223372036854775808").long().is_err());
        assert!(number("1.0").long().is_err() && number("1e2").int().is_err());
        let text = "{\"a\":[1.5e-7,\"\\u00e9\",null,{\"b\":true}]}".as_bytes();
        for end in 1..text.len() {
            assert_eq!(Json::parse(&text[..end]), None, "{end}");
        }
        assert!(Json::parse(b"\"\xff\xfe\"").is_some());
        assert!(Json::parse(b"\xff").is_none());
    }

    /// What is said of something missing or of another kind.
    #[test]
    fn words_are_kafkas() {
        let json = Json::parse(b"{\"a\":[\"x\"],\"a\":7}").unwrap();
        assert_eq!(json.field("a").unwrap().int(), Ok(7));
        assert_eq!(json.field("b").err().as_deref(), Some("No such field exists: `b`"));
        let text = json.field("a").unwrap().text();
        assert_eq!(text.err().as_deref(), Some("Expected `String` value, received 7"));
        assert_eq!(
            Json::Missing.object().err().as_deref(),
            Some("Expected JSON object, received ")
        );
        assert_eq!(json.array().err().as_deref(), Some("Expected JSON array, received {\"a\":7}"));
    }
}
