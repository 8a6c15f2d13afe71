//! An object that a producer turns into bytes, and what readers with one deserializer or another make of these bytes.
//! The deserializers are those of the console consumer, so their numbers and errors are Kafka's.

use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_shell::tool::json::Json;
use highwater_shell::tool::kafka_console_consumer::deserializer::{Deserializer, Thrown};

/// What can be chosen instead of typing: the words of a button, and the text.
const EXAMPLES: [(&str, &str); 4] = [
    ("The sale", r#"{"order_id": 101, "amount": 49.99}"#),
    ("Eight digits", "12345678"),
    ("Four digits", "1234"),
    ("A word", "Zürich"),
];
/// The most characters.
const MOST: usize = 64;
/// Bytes in a row of the drawing.
const ROW: usize = 8;

/// The readers that do not know that it is JSON.
const READERS: [(&str, Deserializer); 4] = [
    ("StringDeserializer", Deserializer::String),
    ("LongDeserializer", Deserializer::Long),
    ("IntegerDeserializer", Deserializer::Integer),
    ("DoubleDeserializer", Deserializer::Double),
];

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes {
    text: String,
    /// How often an example was chosen: the field is another one then.
    round: u32,
}

impl Default for Bytes {
    fn default() -> Self {
        Self { text: EXAMPLES[0].1.to_owned(), round: 0 }
    }
}

impl Bytes {
    /// Takes another text.
    pub fn set(&mut self, text: &str) {
        self.text = text.chars().take(MOST).collect();
    }

    /// Does what a button says: `example:N`.
    pub fn press(&mut self, does: &str) {
        let number = does.strip_prefix("example:").and_then(|number| number.parse::<usize>().ok());
        if let Some((_, text)) = number.and_then(|number| EXAMPLES.get(number)) {
            self.set(text);
            self.round += 1;
        }
    }

    /// What a producer sends: the text in UTF-8.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// What a reader gets that keeps to the contract, JSON in UTF-8: the object, field by field; or why not.
    ///
    /// # Errors
    /// These bytes are no object in JSON.
    pub fn object(&self) -> Result<String, String> {
        let none = || "an error: this is no object in JSON".to_owned();
        let Some(Json::Object(fields)) = Json::parse(self.bytes()) else { return Err(none()) };
        if fields.is_empty() {
            return Ok("an object without fields".to_owned());
        }
        let field = |(name, value): &(String, Json)| [name, " = ", &value.print()].concat();
        Ok(fields.iter().map(field).collect::<Vec<_>>().join(", "))
    }

    /// What each of the other readers gets, with its name.
    fn readings(&self) -> [(&'static str, Result<String, String>); 4] {
        READERS.map(|(name, deserializer)| {
            let read = deserializer.text(self.bytes());
            let read = read.map(|text| String::from_utf8_lossy(&text).into_owned());
            (name, read.map_err(|thrown| short(&thrown)))
        })
    }

    /// What follows, in one sentence or two.
    #[must_use]
    pub fn sentence(&self) -> String {
        let count = self.bytes().len();
        let unit = if count == 1 { "byte" } else { "bytes" };
        let silent = |(name, read): (&'static str, Result<String, String>)| {
            (name != "StringDeserializer" && read.is_ok()).then_some(name)
        };
        let silent: Vec<&str> = self.readings().into_iter().filter_map(silent).collect();
        if silent.is_empty() {
            return format!(
                "{count} {unit}. Every reader of numbers fails, so somebody will notice."
            );
        }
        let makes = if silent.len() == 1 { "makes" } else { "make" };
        let silent = silent.join(" and ");
        format!(
            "{count} {unit}. {silent} {makes} a number of them without complaint: nobody will notice."
        )
    }

    /// What is to be seen.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        let field = tree(
            "<label class='quiz-field model-field' key='{}'><span>A value, as the producer has it</span>\
             <input type='text' autocomplete='off' autocapitalize='off' spellcheck='false' maxlength='{}' value='{}' \
             data-do='text' readonly='{}'/></label>",
            vec![
                self.round.to_string().into(),
                MOST.to_string().into(),
                self.text.clone().into(),
                (!live).into(),
            ],
        );
        let buttons = (0..).zip(EXAMPLES).map(|(number, (words, _))| {
            tree(
                "<button type='button' class='btn' data-do='{}' disabled='{}'>{}</button>",
                vec![format!("example:{number}").into(), (!live).into(), words.into()],
            )
        });
        let object = row("JSON in UTF-8 (the contract)", self.object());
        let others = self.readings().into_iter().map(|(name, read)| row(name, read));
        let rows: Vec<Node> = std::iter::once(object).chain(others).collect();
        tree(
            "<figure class='fig model' aria-label='A value becomes bytes and is read again' translate='no'>\
             {}<div class='model-buttons'>{}</div>\
             <pre class='model-bytes' tabindex='0' role='group' aria-label='Its bytes, in hexadecimal and as text'>{}</pre>\
             <dl class='model-read'>{}</dl><p class='model-happened' role='status'>{}</p></figure>",
            vec![
                field.into(),
                buttons.collect::<Vec<_>>().into(),
                drawn(self.bytes()).into(),
                rows.into(),
                self.sentence().into(),
            ],
        )
    }
}

/// An exception without its package.
fn short(Thrown { class, text }: &Thrown) -> String {
    let class = class.rsplit('.').next().unwrap_or(class);
    format!("{class}: {text}")
}

fn row(name: &'static str, read: Result<String, String>) -> Node {
    let (class, text) = match read {
        Ok(text) => ("model-got", text),
        Err(error) => ("model-got model-failed", error),
    };
    tree(
        "<div><dt>{}</dt><dd class='{}'>{}</dd></div>",
        vec![name.into(), class.into(), text.into()],
    )
}

/// Bytes in rows, in hexadecimal and as text; what is no sign of ASCII is a dot.
fn drawn(bytes: &[u8]) -> String {
    let mut rows = Vec::new();
    for row in bytes.chunks(ROW) {
        let hex: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        let sign =
            |byte: &u8| if (b' '..=b'~').contains(byte) { char::from(*byte) } else { '\u{b7}' };
        let text: String = row.iter().map(sign).collect();
        rows.push(format!("{:width$}  {text}", hex.join(" "), width = 3 * ROW - 1));
    }
    rows.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Bytes {
        let mut bytes = Bytes::default();
        bytes.set(text);
        bytes
    }

    fn read(text: &str, reader: &str) -> Result<String, String> {
        let readings = of(text).readings();
        readings.into_iter().find(|(name, _)| *name == reader).expect("a reader").1
    }

    /// The object of the lesson: there and back.
    #[test]
    fn the_sale_becomes_34_bytes_and_comes_back() {
        let sale = Bytes::default();
        assert_eq!(sale.bytes().len(), 34);
        assert!(drawn(sale.bytes()).starts_with("7b 22 6f 72 64 65 72 5f  {\"order_\n69 64 22 3a"));
        assert!(drawn(sale.bytes()).ends_with("\n39 7d                    9}"));
        assert_eq!(sale.object().unwrap(), "order_id = 101, amount = 49.99");
        assert!(sale.sentence().starts_with("34 bytes. Every reader of numbers fails"));
    }

    /// What Kafka's deserializers say of the same bytes, as recorded in 28-serialization.console.
    #[test]
    fn the_wrong_readers_say_what_kafkas_say() {
        let sale = EXAMPLES[0].1;
        for (reader, size) in [("LongDeserializer", 8), ("IntegerDeserializer", 4)] {
            let said =
                format!("SerializationException: Size of data received by {reader} is not {size}");
            assert_eq!(read(sale, reader), Err(said));
        }
        let said = "SerializationException: Size of data received by Deserializer is not 8";
        assert_eq!(read(sale, "DoubleDeserializer"), Err(said.to_owned()));
        assert_eq!(read(sale, "StringDeserializer").as_deref(), Ok(sale));
        assert_eq!(read("12345678", "LongDeserializer").as_deref(), Ok("3544952156018063160"));
        assert_eq!(read("1234", "IntegerDeserializer").as_deref(), Ok("825373492"));
        let both = "8 bytes. LongDeserializer and DoubleDeserializer make a number";
        assert!(of("12345678").sentence().starts_with(both));
        assert!(of("1234").sentence().starts_with("4 bytes. IntegerDeserializer makes a number"));
        assert!(of("12345678").object().is_err());
    }

    /// Letters beyond ASCII are more bytes than signs; whatever is typed has bytes and readings, and an end.
    #[test]
    fn anything_can_be_typed() {
        assert_eq!(drawn("Zü".as_bytes()), "5a c3 bc                 Z\u{b7}\u{b7}");
        assert_eq!(of("").sentence().split('.').next(), Some("0 bytes"));
        assert_eq!(of("{}").object().as_deref(), Ok("an object without fields"));
        assert_eq!(of(&"ü".repeat(500)).bytes().len(), 2 * MOST);
        let mut bytes = of("x");
        for does in ["example:1", "example:9", "nope"] {
            bytes.press(does);
            assert_eq!(bytes.bytes(), b"12345678");
        }
        assert!(matches!(bytes, Bytes { round: 1, .. }));
    }
}
