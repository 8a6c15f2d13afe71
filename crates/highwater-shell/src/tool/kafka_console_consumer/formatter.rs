//! How records are written (`DefaultMessageFormatter` and its kin): which parts, in which order, with
//! what between them.

use highwater_core::client::kafka_consumer::ConsumedRecord;
use highwater_core::ids::Bytes;

use super::deserializer::{Deserializer, Thrown};
use super::options::MANUAL;
use crate::process::Out;
use crate::tool::options::Options;
use crate::tool::record_json::schemas;
use crate::tool::record_json::{self, RUNTIME_EXCEPTION, RecordType, Unreadable, decode};
use crate::tool::{Ended, log_line, refuse};

/// A formatter.
#[derive(Clone, Debug)]
pub(super) enum Formatter {
    /// `DefaultMessageFormatter`; `LoggingMessageFormatter` writes the same, and more to a log that
    /// Kafka's tools do not show.
    Default(DefaultFormat),
    /// `NoOpMessageFormatter`
    Nothing,
    /// A formatter of one of Kafka's own topics: the types that may stand there, and those it prints.
    Records(&'static [RecordType], &'static [i16]),
}

/// `--formatter-property`, as far as a formatter knows it.
#[derive(Clone, Debug)]
pub(super) struct DefaultFormat {
    timestamp: bool,
    key: bool,
    value: bool,
    partition: bool,
    offset: bool,
    delivery: bool,
    epoch: bool,
    headers: bool,
    key_separator: String,
    line_separator: String,
    headers_separator: String,
    null_literal: String,
    key_deserializer: Option<Deserializer>,
    value_deserializer: Option<Deserializer>,
    headers_deserializer: Option<Deserializer>,
}

impl Default for DefaultFormat {
    fn default() -> Self {
        Self {
            timestamp: false,
            key: false,
            value: true,
            partition: false,
            offset: false,
            delivery: false,
            epoch: false,
            headers: false,
            key_separator: "\t".to_owned(),
            line_separator: "\n".to_owned(),
            headers_separator: ",".to_owned(),
            null_literal: "null".to_owned(),
            key_deserializer: None,
            value_deserializer: None,
            headers_deserializer: None,
        }
    }
}

impl DefaultFormat {
    /// Takes one property; those it does not know are left alone, as Kafka does.
    fn set(&mut self, name: &str, value: &str) {
        let flag = value.trim().eq_ignore_ascii_case("true");
        match name {
            "print.timestamp" => self.timestamp = flag,
            "print.key" => self.key = flag,
            "print.value" => self.value = flag,
            "print.partition" => self.partition = flag,
            "print.offset" => self.offset = flag,
            "print.delivery" => self.delivery = flag,
            "print.epoch" => self.epoch = flag,
            "print.headers" => self.headers = flag,
            "key.separator" => value.clone_into(&mut self.key_separator),
            "line.separator" => value.clone_into(&mut self.line_separator),
            "headers.separator" => value.clone_into(&mut self.headers_separator),
            "null.literal" => value.clone_into(&mut self.null_literal),
            _ => {}
        }
    }

    /// Writes a record. What was written before something cannot be read stays written.
    fn write(&self, from: &ConsumedRecord, text: &mut Vec<u8>) -> Result<(), Thrown> {
        let parts = [
            self.timestamp,
            self.partition,
            self.offset,
            self.delivery,
            self.epoch,
            self.headers,
            self.key,
            self.value,
        ];
        let record = &from.record;
        for (number, _) in parts.iter().enumerate().filter(|(_, is_on)| **is_on) {
            match number {
                0 => text.extend(timestamp(from).into_bytes()),
                1 => text.extend(format!("Partition:{}", from.partition.partition).into_bytes()),
                2 => text.extend(format!("Offset:{}", from.offset).into_bytes()),
                3 => text.extend(b"Delivery:NOT_PRESENT"),
                4 => text.extend(b"Epoch:NOT_PRESENT"),
                5 => self.write_headers(from, text)?,
                6 => self.write_bytes(self.key_deserializer, record.key.as_ref(), text)?,
                _ => self.write_bytes(self.value_deserializer, record.value.as_ref(), text)?,
            }
            let is_last = !parts[number + 1..].contains(&true);
            let separator = if is_last { &self.line_separator } else { &self.key_separator };
            text.extend(separator.as_bytes());
        }
        Ok(())
    }

    fn write_headers(&self, from: &ConsumedRecord, text: &mut Vec<u8>) -> Result<(), Thrown> {
        if from.record.headers.is_empty() {
            text.extend(b"NO_HEADERS");
        }
        for (number, header) in from.record.headers.iter().enumerate() {
            if number > 0 {
                text.extend(self.headers_separator.as_bytes());
            }
            text.extend(String::from_utf8_lossy(&header.key).into_owned().into_bytes());
            text.push(b':');
            self.write_bytes(self.headers_deserializer, header.value.as_ref(), text)?;
        }
        Ok(())
    }

    /// A null is read as if it were the text that stands for it.
    fn write_bytes(
        &self,
        deserializer: Option<Deserializer>,
        bytes: Option<&Bytes>,
        text: &mut Vec<u8>,
    ) -> Result<(), Thrown> {
        let bytes = bytes.map_or(self.null_literal.as_bytes(), |bytes| bytes);
        match deserializer {
            Some(deserializer) => text.extend(deserializer.text(bytes)?),
            None => text.extend(bytes),
        }
        Ok(())
    }
}

/// Whose clock, and what it said.
fn timestamp(from: &ConsumedRecord) -> String {
    let millis = from.record.timestamp;
    format!("{}:{millis}", from.timestamp_type.name())
}

/// The formatter that is used unless another one is named, and the class that makes deserializers.
const DEFAULT: &str = "org.apache.kafka.tools.consumer.DefaultMessageFormatter";
/// Settings that name deserializers.
const DESERIALIZERS: [&str; 3] = ["key.deserializer", "value.deserializer", "headers.deserializer"];

/// The formatter that the options ask for.
pub(super) fn build(options: &Options, out: &mut Out<'_>) -> Result<Formatter, Ended> {
    let mut format = DefaultFormat::default();
    let mut deserializers = [None, None, None];
    for entry in options.all("property").chain(options.all("formatter-property")) {
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        match DESERIALIZERS.iter().position(|known| *known == name) {
            Some(place) => deserializers[place] = Some(value),
            None => format.set(name, value),
        }
    }
    for (place, name) in ["key-deserializer", "value-deserializer"].iter().enumerate() {
        deserializers[place] = options.all(name).last().or(deserializers[place]);
    }
    match options.all("formatter").last() {
        None | Some(DEFAULT | "org.apache.kafka.tools.consumer.LoggingMessageFormatter") => {}
        Some("org.apache.kafka.tools.consumer.NoOpMessageFormatter") => {
            return Ok(Formatter::Nothing);
        }
        Some("org.apache.kafka.tools.consumer.OffsetsMessageFormatter") => {
            return Ok(Formatter::Records(schemas::GROUP, &[0, 1]));
        }
        Some("org.apache.kafka.tools.consumer.GroupMetadataMessageFormatter") => {
            return Ok(Formatter::Records(schemas::GROUP, &[2]));
        }
        Some("org.apache.kafka.tools.consumer.TransactionLogMessageFormatter") => {
            return Ok(Formatter::Records(schemas::TRANSACTION, &[0]));
        }
        Some(
            class @ "org.apache.kafka.tools.consumer.group.share.ShareGroupStateMessageFormatter",
        ) => {
            let text = format_args!("{class} exists in Kafka, but Highwater does not have it yet.");
            return Err(refuse(text, 1, out));
        }
        Some(other) => return Err(MANUAL.refuse(format_args!("{other}"), out)),
    }
    let [key, value, headers] = deserializers.map(|class| deserializer(class, out));
    format.key_deserializer = key;
    format.value_deserializer = value;
    format.headers_deserializer = headers;
    Ok(Formatter::Default(format))
}

/// The deserializer of that class. Without such a class Kafka says so, and shows the bytes.
fn deserializer(class: Option<&str>, out: &mut Out<'_>) -> Option<Deserializer> {
    let class = class.filter(|class| !class.is_empty())?;
    let found = Deserializer::of_class(class);
    if found.is_none() {
        let text = format!(
            "Unable to instantiate a deserializer from {class} ({DEFAULT})\n\
             java.lang.ClassNotFoundException: {class}"
        );
        log_line("ERROR", format_args!("{text}"), out);
    }
    found
}

impl Formatter {
    /// Writes a record.
    pub(super) fn write(&self, record: &ConsumedRecord, text: &mut Vec<u8>) -> Result<(), Thrown> {
        match self {
            Self::Nothing => Ok(()),
            Self::Default(format) => format.write(record, text),
            Self::Records(types, printed) => write_record(types, printed, record, text),
        }
    }
}

/// Writes one of Kafka's own records, without a line end (`CoordinatorRecordMessageFormatter`). Without a
/// key, or of another type, it is passed over.
fn write_record(
    types: &[RecordType],
    printed: &[i16],
    from: &ConsumedRecord,
    text: &mut Vec<u8>,
) -> Result<(), Thrown> {
    let Some(key) = &from.record.key else { return Ok(()) };
    match decode(types, key, from.record.value.as_deref()) {
        Ok(record) => {
            if printed.contains(&record.kind) {
                text.extend(record_json::print(&record).into_bytes());
            }
            Ok(())
        }
        Err(Unreadable::UnknownType(_)) => Ok(()),
        Err(Unreadable::Thrown(problem)) => {
            let said = &problem.text;
            let text = format!(
                "Could not read record at offset {} due to: {said}\nCaused by: {}",
                from.offset,
                problem.stack()
            );
            Err(Thrown { class: RUNTIME_EXCEPTION, text })
        }
    }
}
