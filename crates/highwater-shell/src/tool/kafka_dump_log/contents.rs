//! What keys and values are read as: texts, numbers, or records of one of Kafka's own topics
//! (`DumpLogSegments.MessageParser`).

use highwater_core::ids::Offset;
use highwater_core::log::record::Record;

use crate::tool::json::Json;
use crate::tool::options::{Options, Problem};
use crate::tool::record_json::{
    RUNTIME_EXCEPTION, Unreadable, Wrong, decode, from_base64, schemas, versioned,
};

/// How a record is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parser {
    /// Keys and values by themselves.
    Decoders(Decoder, Decoder),
    /// Records of `__consumer_offsets`.
    Offsets,
    /// Records of `__transaction_state`.
    Transactions,
}

/// A class of `org.apache.kafka.tools.api`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Decoder {
    Text,
    Integer,
    Long,
}

/// A key and a value, as they are printed; those that are not are left out.
type Contents = (Option<String>, Option<String>);

impl Parser {
    pub(super) fn of(options: &Options) -> Result<Self, Problem> {
        if options.has("offsets-decoder") {
            return Ok(Self::Offsets);
        }
        if options.has("transaction-log-decoder") {
            return Ok(Self::Transactions);
        }
        let value = Decoder::named(options.one("value-decoder-class")?)?;
        let key = Decoder::named(options.one("key-decoder-class")?)?;
        Ok(Self::Decoders(key, value))
    }

    /// Whether contents are shown also without being asked for.
    pub(super) fn is_decoder(self) -> bool {
        !matches!(self, Self::Decoders(..))
    }

    pub(super) fn parse(self, offset: Offset, record: &Record) -> Result<Contents, Problem> {
        let (Self::Offsets | Self::Transactions, Some(key)) = (self, &record.key) else {
            return self.parse_plain(offset, record);
        };
        let types =
            if matches!(self, Self::Offsets) { schemas::GROUP } else { schemas::TRANSACTION };
        let skipped =
            |said: &str| Ok((Some(format!("Error at offset {offset}, skipping. {said}")), None));
        let decoded = match decode(types, key, record.value.as_deref()) {
            Ok(decoded) => decoded,
            Err(Unreadable::UnknownType(kind)) => {
                let text = format!("Unknown record type {kind} at offset {offset}, skipping.");
                return Ok((Some(text), None));
            }
            Err(Unreadable::Thrown(problem)) => return skipped(&problem.text),
        };
        let value = match decoded.value {
            None => "<DELETE>".to_owned(),
            Some((version, data)) => match self.shown(decoded.kind, data) {
                Ok(data) => labelled("version", version, data),
                Err(wrong) => return skipped(wrong.message().unwrap_or("null")),
            },
        };
        Ok((Some(labelled("type", decoded.kind, decoded.key)), Some(value)))
    }

    fn parse_plain(self, offset: Offset, record: &Record) -> Result<Contents, Problem> {
        let Self::Decoders(key, value) = self else {
            let text = format!(
                "Failed to decode message at offset {offset} using the specified decoder (message had a \
                 missing key)"
            );
            return Err(Problem::new(RUNTIME_EXCEPTION, text));
        };
        let read = |decoder: Decoder, bytes: &Option<_>| {
            bytes.as_ref().map(|bytes: &highwater_core::ids::Bytes| decoder.text(bytes)).transpose()
        };
        Ok((read(key, &record.key)?, read(value, &record.value)?))
    }

    /// What is printed of a value: members of groups with what they said and got, states by name.
    fn shown(self, kind: i16, mut data: Json) -> Result<Json, Wrong> {
        const GROUP_METADATA: i16 = 2;
        let Json::Object(fields) = &mut data else { return Ok(data) };
        let is_consumer = |(name, value): &(String, Json)| {
            name == "protocolType" && matches!(value, Json::Text(text) if text == "consumer")
        };
        match self {
            Self::Offsets if kind == GROUP_METADATA && fields.iter().any(is_consumer) => {
                for (_, value) in fields.iter_mut().filter(|(name, _)| name == "members") {
                    if let Json::Array(members) = value {
                        members.iter_mut().try_for_each(show_member)?;
                    }
                }
            }
            Self::Transactions => {
                for (_, value) in fields.iter_mut().filter(|(name, _)| name == "transactionStatus")
                {
                    show_state(value)?;
                }
            }
            _ => {}
        }
        Ok(data)
    }
}

fn show_member(member: &mut Json) -> Result<(), Wrong> {
    let Json::Object(fields) = member else { return Ok(()) };
    for (name, value) in fields {
        let schema = match name.as_str() {
            "subscription" => schemas::SUBSCRIPTION,
            "assignment" => schemas::ASSIGNMENT,
            _ => continue,
        };
        if let Json::Text(text) = value {
            *value = versioned(schema, &from_base64(text))?;
        }
    }
    Ok(())
}

/// The states of transactions by their numbers (`TransactionState`).
const STATES: [&str; 8] = [
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
];

fn show_state(value: &mut Json) -> Result<(), Wrong> {
    let Json::Number(number) = value else { return Ok(()) };
    let name = number.parse().ok().and_then(|number: usize| STATES.get(number));
    let Some(name) = name else {
        let text =
            format!("Unknown transaction state id {number} from the transaction status message");
        return Err(Wrong::Said(text));
    };
    *value = Json::Text((*name).to_owned());
    Ok(())
}

fn labelled(label: &str, number: i16, data: Json) -> String {
    let label = (label.to_owned(), Json::Text(number.to_string()));
    Json::Object(vec![label, ("data".to_owned(), data)]).print()
}

impl Decoder {
    fn named(class: Option<&str>) -> Result<Self, Problem> {
        let Some(class) = class else { return Ok(Self::Text) };
        Ok(match class.strip_prefix("org.apache.kafka.tools.api.") {
            Some("StringDecoder") => Self::Text,
            Some("IntegerDecoder") => Self::Integer,
            Some("LongDecoder") => Self::Long,
            Some("DefaultDecoder") => {
                let text = format!("{class} exists in Kafka, but Highwater does not have it yet.");
                return Err(Problem::new("", text));
            }
            _ => {
                let mut problem = Problem::new(RUNTIME_EXCEPTION, "Failed to load decoder class");
                problem.causes.push(format!("java.lang.ClassNotFoundException: {class}"));
                return Err(problem);
            }
        })
    }

    fn text(self, bytes: &[u8]) -> Result<String, Problem> {
        let underflow = Problem::bare("java.nio.BufferUnderflowException");
        Ok(match self {
            Self::Text => String::from_utf8_lossy(bytes).into_owned(),
            Self::Integer => {
                let first = bytes.first_chunk().ok_or(underflow)?;
                i32::from_be_bytes(*first).to_string()
            }
            Self::Long => {
                let first = bytes.first_chunk().ok_or(underflow)?;
                i64::from_be_bytes(*first).to_string()
            }
        })
    }
}
