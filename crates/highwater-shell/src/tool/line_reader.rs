//! How the console producer makes records of lines (Kafka's `LineMessageReader`).

use std::rc::Rc;

use highwater_core::ids::Bytes;
use highwater_core::log::record::Header;

use super::options::Problem;

/// What Kafka throws for a line that it cannot cut.
pub(crate) const KAFKA_EXCEPTION: &str = "org.apache.kafka.common.KafkaException";

/// `--reader-property`: how a line is cut.
#[derive(Debug)]
pub(crate) struct LineRules {
    parse_key: bool,
    parse_headers: bool,
    key_separator: String,
    headers_delimiter: String,
    headers_separator: String,
    headers_key_separator: String,
    ignore_error: bool,
    null_marker: Option<String>,
}

/// Cuts lines, and counts them.
#[derive(Clone, Debug)]
pub(crate) struct LineReader {
    rules: Rc<LineRules>,
    line_number: u64,
}

/// What stands before a separator, and what behind it.
type Sides<'a> = (&'a [u8], &'a [u8]);

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParsedLine {
    pub(crate) key: Option<Bytes>,
    pub(crate) value: Option<Bytes>,
    pub(crate) headers: Vec<Header>,
}

impl Default for LineRules {
    fn default() -> Self {
        Self {
            parse_key: false,
            parse_headers: false,
            key_separator: "\t".to_owned(),
            headers_delimiter: "\t".to_owned(),
            headers_separator: ",".to_owned(),
            headers_key_separator: ":".to_owned(),
            ignore_error: false,
            null_marker: None,
        }
    }
}

impl LineRules {
    /// Takes one property. What the reader does not know it passes over, as Kafka's does.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        let is_true = value.trim().eq_ignore_ascii_case("true");
        match name {
            "parse.key" => self.parse_key = is_true,
            "parse.headers" => self.parse_headers = is_true,
            "key.separator" => value.clone_into(&mut self.key_separator),
            "headers.delimiter" => value.clone_into(&mut self.headers_delimiter),
            "headers.separator" => value.clone_into(&mut self.headers_separator),
            "headers.key.separator" => value.clone_into(&mut self.headers_key_separator),
            "ignore.error" => self.ignore_error = is_true,
            "null.marker" => self.null_marker = Some(value.to_owned()),
            _ => {}
        }
    }

    /// Separators that would be mistaken for each other, in the order in which Kafka looks.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        let named = [
            ("headers.delimiter", Some(&self.headers_delimiter)),
            ("headers.separator", Some(&self.headers_separator)),
            ("headers.key.separator", Some(&self.headers_key_separator)),
            ("key.separator", Some(&self.key_separator)),
            ("null.marker", self.null_marker.as_ref()),
        ];
        for (one, other) in [(0, 1), (0, 2), (1, 2), (4, 3), (4, 1), (4, 0), (4, 2)] {
            let ((one, text), (other, same)) = (named[one], named[other]);
            if text == same {
                let text = format!("{one} and {other} may not be equal");
                return Err(Problem::new(KAFKA_EXCEPTION, text));
            }
        }
        let is_special = |byte| b".*+?()[]{}|^$\\".contains(&byte);
        if self.parse_headers && self.headers_separator.bytes().any(is_special) {
            let text = "headers.separator cannot be a regular expression here yet; use plain \
                        characters"
                .to_owned();
            return Err(Problem::new("highwater", text));
        }
        Ok(())
    }

    fn is_null(&self, part: &[u8]) -> bool {
        self.null_marker.as_ref().is_some_and(|marker| marker.as_bytes() == part)
    }
}

impl LineReader {
    /// A reader that has read nothing yet.
    pub(crate) fn new(rules: LineRules) -> Self {
        Self { rules: Rc::new(rules), line_number: 0 }
    }

    /// Cuts one line into headers, key and value: each ends at the first separator.
    pub(crate) fn read(&mut self, line: &[u8]) -> Result<ParsedLine, String> {
        self.line_number += 1;
        let rules = Rc::clone(&self.rules);
        let mut rest = line;
        let mut headers = Vec::new();
        if rules.parse_headers {
            let missing = "No headers delimiter found";
            if let Some((part, after)) =
                self.split(line, rest, &rules.headers_delimiter, missing)?
            {
                rest = after;
                if !rules.is_null(part) {
                    headers = self.headers(part)?;
                }
            }
        }
        let mut key = None;
        if rules.parse_key {
            let missing = "No key separator found";
            if let Some((part, after)) = self.split(line, rest, &rules.key_separator, missing)? {
                rest = after;
                key = (!rules.is_null(part)).then(|| Bytes::from(part));
            }
        }
        let value = (!rules.is_null(rest)).then(|| Bytes::from(rest));
        Ok(ParsedLine { key, value, headers })
    }

    /// The two sides of the first separator of the rest of a line. Without one: an error, or
    /// nothing if errors are ignored.
    fn split<'a>(
        &self,
        line: &[u8],
        rest: &'a [u8],
        separator: &str,
        complaint: &str,
    ) -> Result<Option<Sides<'a>>, String> {
        match find(rest, separator.as_bytes()) {
            Some(at) => Ok(Some((&rest[..at], &rest[at + separator.len()..]))),
            None if self.rules.ignore_error => Ok(None),
            None => {
                let number = self.line_number;
                let text = String::from_utf8_lossy(line);
                Err(format!("{complaint} on line number {number}: '{text}'"))
            }
        }
    }

    fn headers(&self, part: &[u8]) -> Result<Vec<Header>, String> {
        let mut headers = Vec::new();
        // Java's split drops what is empty at the end.
        let separator = self.rules.headers_separator.as_bytes();
        let mut kept = part;
        while let Some(cut) = kept.strip_suffix(separator).filter(|_| !separator.is_empty()) {
            kept = cut;
        }
        let mut rest = Some(kept).filter(|kept| !kept.is_empty() || part.is_empty());
        while let Some(text) = rest {
            let (pair, after) = match find(text, separator) {
                Some(at) if !separator.is_empty() => {
                    (&text[..at], Some(&text[at + separator.len()..]))
                }
                _ => (text, None),
            };
            rest = after;
            let key_separator = self.rules.headers_key_separator.as_bytes();
            match find(pair, key_separator) {
                Some(at) if self.rules.is_null(&pair[..at]) => {
                    return Err(format!(
                        "Header keys should not be equal to the null marker '{}' as they can't be \
                         null",
                        self.rules.null_marker.as_deref().unwrap_or_default()
                    ));
                }
                Some(at) => {
                    let value = &pair[at + key_separator.len()..];
                    let value = (!self.rules.is_null(value)).then(|| Bytes::from(value));
                    headers.push(Header { key: Bytes::from(&pair[..at]), value });
                }
                None if self.rules.ignore_error => {
                    headers.push(Header { key: Bytes::from(pair), value: None });
                }
                None => {
                    let text = String::from_utf8_lossy(pair);
                    let number = self.line_number;
                    return Err(format!(
                        "No header key separator found in pair '{text}' on line number {number}"
                    ));
                }
            }
        }
        Ok(headers)
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    if needle.is_empty() {
        return Some(0);
    }
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// Bytes that come in pieces, handed out line by line (Java's `BufferedReader.readLine`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    pending: Vec<u8>,
    /// The last line ended with a return, to which a line feed may still belong.
    after_return: bool,
}

impl Lines {
    /// Takes a piece; none: the end, and a last line without line end counts. What is no UTF-8
    /// becomes U+FFFD, as it does when Java reads characters.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<Bytes> {
        let mut lines = Vec::new();
        if bytes.is_empty() && !self.pending.is_empty() {
            lines.push(self.end_line());
        }
        for &byte in bytes {
            let belongs = byte == b'\n' && std::mem::take(&mut self.after_return);
            self.after_return = byte == b'\r';
            if byte == b'\r' || byte == b'\n' && !belongs {
                lines.push(self.end_line());
            } else if !belongs {
                self.pending.push(byte);
            }
        }
        lines
    }

    fn end_line(&mut self) -> Bytes {
        let line = std::mem::take(&mut self.pending);
        Bytes::from(String::from_utf8_lossy(&line).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn reader(properties: &[(&str, &str)]) -> LineReader {
        let mut rules = LineRules::default();
        for (name, value) in properties {
            rules.set(name, value);
        }
        LineReader::new(rules)
    }

    fn parsed(key: Option<&str>, value: Option<&str>, headers: &[(&str, &str)]) -> ParsedLine {
        let bytes = |text: &str| Bytes::from(text.as_bytes());
        let headers = headers.iter().map(|(k, v)| Header { key: bytes(k), value: Some(bytes(v)) });
        ParsedLine { key: key.map(bytes), value: value.map(bytes), headers: headers.collect() }
    }

    /// The lines of 04-producer.console, as real Kafka read them.
    #[test]
    fn lines_of_a_recording() {
        let mut with_headers = reader(&[
            ("parse.headers", "true"),
            ("parse.key", "true"),
            ("headers.delimiter", "|"),
            ("key.separator", ":"),
        ]);
        assert_eq!(
            with_headers.read(b"trace:1,site:paris|k1:v1"),
            Ok(parsed(Some("k1"), Some("v1"), &[("trace", "1"), ("site", "paris")]))
        );
        let keyed = &[("parse.key", "true"), ("key.separator", ":"), ("null.marker", "NULL")];
        let mut keyed = reader(keyed);
        assert_eq!(keyed.read(b"k2:NULL"), Ok(parsed(Some("k2"), None, &[])));
        assert_eq!(keyed.read(b"NULL:no key"), Ok(parsed(None, Some("no key"), &[])));
        assert_eq!(keyed.read(b"k3:a:b:c"), Ok(parsed(Some("k3"), Some("a:b:c"), &[])));
        assert_eq!(keyed.read(b"k4:"), Ok(parsed(Some("k4"), Some(""), &[])));
        assert_eq!(
            keyed.read(b"no separator here"),
            Err("No key separator found on line number 5: 'no separator here'".to_owned())
        );
        let mut keyed =
            reader(&[("parse.key", "true"), ("key.separator", ":"), ("ignore.error", "true")]);
        assert_eq!(keyed.read(b"no separator"), Ok(parsed(None, Some("no separator"), &[])));
    }

    /// Pieces may break anywhere; the last line needs no line end.
    #[test]
    fn lines_from_pieces() {
        let mut lines = Lines::default();
        let line = |text: &str| Bytes::from(text.as_bytes());
        assert_eq!(lines.take(b"one\ntw"), [line("one")]);
        assert_eq!(lines.take(b"o\r\n\na\rb\r"), [line("two"), line(""), line("a"), line("b")]);
        assert_eq!(lines.take(b"\n\rthr\xff"), [line("")]);
        assert_eq!(lines.take(b""), [line("thr\u{fffd}")]);
        assert_eq!(lines.take(b""), []);
    }
}
