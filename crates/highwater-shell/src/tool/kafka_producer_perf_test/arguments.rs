//! The options of `kafka-producer-perf-test.sh`, which reads them by other rules than Kafka's other
//! tools (argparse4j): what it takes, and how it breaks its complaints into lines.

use highwater_core::number;
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::{Ended, argparse, refuse};

const NAME: &str = "kafka-producer-perf-test";

pub(in crate::tool) const USAGE: &str = "usage: kafka-producer-perf-test\n       \
    [-h] [--bootstrap-server BOOTSTRAP-SERVER] --topic TOPIC\n       \
    --num-records NUM-RECORDS --throughput THROUGHPUT\n       \
    [--producer-props PROP-NAME=PROP-VALUE [PROP-NAME=PROP-VALUE ...]]\n       \
    [--command-property PROP-NAME=PROP-VALUE [PROP-NAME=PROP-VALUE ...]]\n       \
    [--reporting-interval INTERVAL-MS] (--record-size RECORD-SIZE |\n       \
    --payload-monotonic)\n";

/// Options with one value, and those with several.
const ONE: &[&str] = &[
    "bootstrap-server",
    "topic",
    "num-records",
    "throughput",
    "record-size",
    "reporting-interval",
];
const SEVERAL: &[&str] = &["producer-props", "command-property"];
/// What real Kafka has and Highwater does not.
const NOT_YET: &[&str] = &[
    "command-config",
    "key-distribution",
    "payload-delimiter",
    "payload-file",
    "print-metrics",
    "producer.config",
    "random-seed",
    "record-key-range",
    "transaction-duration-ms",
    "transactional-id",
    "warmup-records",
];

/// How fast it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Throughput {
    /// As fast as it can.
    Unlimited,
    /// So many thousandths of a record each second; 0: nothing after the first.
    PerSecond(u64),
}

/// What was asked for.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) topic: String,
    pub(super) num_records: u64,
    /// `None`: numbers that count up.
    pub(super) record_size: Option<u32>,
    pub(super) throughput: Throughput,
    pub(super) reporting_interval_ms: u64,
    /// Settings of the producer; the later one counts.
    pub(super) properties: Vec<(String, String)>,
}

/// Options as they were given.
#[derive(Default)]
struct Given {
    values: Vec<(String, String)>,
    is_monotonic: bool,
}

impl Given {
    fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// Reads them.
pub(super) fn read(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Arguments, Ended> {
    let given = given(arguments, out)?;
    for name in ["topic", "num-records", "throughput"] {
        if !given.has(name) {
            return Err(complain(&format!("argument --{name} is required"), out));
        }
    }
    if !given.has("record-size") && !given.is_monotonic {
        let text =
            "one of the arguments --record-size --payload-file --payload-monotonic is required";
        return Err(complain(text, out));
    }
    let whole = |name: &str, class: &str, most: i64, out: &mut Out<'_>| {
        let Some(text) = given.get(name) else { return Ok(None) };
        let number = number::signed(text).filter(|number| (-most - 1..=most).contains(number));
        number.map(Some).ok_or_else(|| not_converted(name, text, class, out))
    };
    let num_records = whole("num-records", "Long", i64::MAX, out)?.unwrap_or(0);
    let record_size = whole("record-size", "Integer", i64::from(i32::MAX), out)?;
    let interval = whole("reporting-interval", "Long", i64::MAX, out)?.unwrap_or(5_000);
    let throughput = throughput(given.get("throughput").unwrap_or_default(), out)?;
    for (name, number) in [("num-records", Some(num_records)), ("record-size", record_size)] {
        if number.is_some_and(|number| number <= 0) {
            return Err(complain(&format!("--{name} should be greater than zero."), out));
        }
    }
    if !SEVERAL.iter().any(|name| given.has(name)) && !given.has("bootstrap-server") {
        let text = "At least one of --bootstrap-server, --command-property, --producer-props, \
            --producer.config or --command-config must be specified.";
        return Err(complain(text, out));
    }
    Ok(Arguments {
        topic: given.get("topic").unwrap_or_default().to_owned(),
        num_records: u64::try_from(num_records).unwrap_or(0),
        record_size: record_size.and_then(|size| u32::try_from(size).ok()),
        throughput,
        reporting_interval_ms: u64::try_from(interval).unwrap_or(0),
        properties: properties(&given, out)?,
    })
}

fn given(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Given, Ended> {
    let mut given = Given::default();
    let words: Vec<String> =
        arguments.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    if words.is_empty() || words.iter().any(|word| word == "-h" || word == "--help") {
        out.write(Fd::Stdout, USAGE);
        return Err(Ended(u8::from(words.is_empty())));
    }
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        let name = name.strip_prefix("--").unwrap_or("");
        if NOT_YET.contains(&name) {
            let text =
                format!("Option --{name} exists in Kafka, but Highwater does not have it yet.");
            return Err(refuse(format_args!("{text}"), 1, out));
        }
        if name == "payload-monotonic" && attached.is_none() {
            exclude(given.has("record-size"), name, "record-size", out)?;
            given.is_monotonic = true;
            continue;
        }
        if !ONE.contains(&name) && !SEVERAL.contains(&name) {
            return Err(complain(&format!("unrecognized arguments: '{word}'"), out));
        }
        if name == "record-size" {
            exclude(given.is_monotonic, name, "payload-monotonic", out)?;
        }
        // argparse4j keeps the last list of an option that comes again, and no word of the one before.
        given.values.retain(|(known, _)| known != name);
        let mut count = 0;
        if let Some(value) = attached {
            given.values.push((name.to_owned(), value.to_owned()));
            count = 1;
        }
        let most = if SEVERAL.contains(&name) && attached.is_none() { usize::MAX } else { 1 };
        while count < most
            && let Some(value) = rest.next_if(|next| argparse::is_value(next))
        {
            given.values.push((name.to_owned(), value.clone()));
            count += 1;
        }
        if count == 0 {
            let wanted =
                if most == 1 { "expected one argument" } else { "expected at least one argument" };
            return Err(complain(&format!("argument --{name}: {wanted}"), out));
        }
    }
    Ok(given)
}

fn exclude(is_there: bool, name: &str, other: &str, out: &mut Out<'_>) -> Result<(), Ended> {
    if !is_there {
        return Ok(());
    }
    Err(complain(&format!("argument --{name}: not allowed with argument --{other}"), out))
}

fn not_converted(name: &str, text: &str, class: &str, out: &mut Out<'_>) -> Ended {
    let complaint = format!(
        "argument --{name}: could not convert '{text}' to {class} (For input string: \"{text}\")"
    );
    complain(&complaint, out)
}

/// Thousandths are fine enough, and a whole number of them can be reckoned with.
fn throughput(text: &str, out: &mut Out<'_>) -> Result<Throughput, Ended> {
    match thousandths(text) {
        Some(Some(thousandths)) => Ok(Throughput::PerSecond(thousandths)),
        Some(None) => Ok(Throughput::Unlimited),
        None => Err(not_converted("throughput", text, "Double", out)),
    }
}

/// The most that is a limit, in thousandths: above that nothing is held back.
const MOST: u128 = 1_000_000_000_000_000;

/// A number as `Double.valueOf` reads decimal ones, in thousandths; `Some(None)`: below 0, too great, or none at all
/// (`NaN`). Reading it as a float would bring 10 kB of tables into every page that has this tool.
fn thousandths(text: &str) -> Option<Option<u64>> {
    let text = text.trim();
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if matches!(unsigned, "NaN" | "Infinity") {
        return Some(None);
    }
    let unsigned = unsigned.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(unsigned);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent: i64 = exponent.parse().ok()?;
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if is_negative && !digits.is_empty() {
        return Some(None);
    }
    // Where the point stands behind the first digit of the thousandths.
    let places = exponent - i64::try_from(fraction.len()).ok()? + 3;
    let length = i64::try_from(digits.len()).ok()? + places;
    if digits.is_empty() || length < 0 {
        return Some(Some(0));
    }
    if length > 16 {
        return Some(None);
    }
    let (kept, rest) =
        digits.split_at_checked(usize::try_from(length).ok()?).unwrap_or((digits, ""));
    let zeros = u32::try_from(places.max(0)).ok()?;
    let kept = if kept.is_empty() { 0 } else { kept.parse::<u128>().ok()? };
    let rounded =
        kept * 10_u128.pow(zeros) + u128::from(rest.starts_with(['5', '6', '7', '8', '9']));
    Some(u64::try_from(rounded).ok().filter(|_| rounded <= MOST))
}

fn properties(given: &Given, out: &mut Out<'_>) -> Result<Vec<(String, String)>, Ended> {
    if given.has("producer-props") {
        out.write(
            Fd::Stdout,
            "Option --producer-props has been deprecated and will be removed in a future version. \
             Use --command-property instead.\n",
        );
    }
    let mut properties = Vec::new();
    for (name, entry) in &given.values {
        if !SEVERAL.contains(&name.as_str()) {
            continue;
        }
        match entry.split_once('=') {
            Some((key, value)) if !value.is_empty() && !value.contains('=') => {
                properties.push((key.to_owned(), value.to_owned()));
            }
            _ => {
                let text = format!(
                    "Exception in thread \"main\" java.lang.IllegalArgumentException: Invalid \
                     property: {entry}"
                );
                return Err(refuse(format_args!("{text}"), 1, out));
            }
        }
    }
    if let Some(servers) = given.get("bootstrap-server") {
        properties.push(("bootstrap.servers".to_owned(), servers.to_owned()));
    }
    Ok(properties)
}

/// Says what is wrong, exit 1.
pub(super) fn complain(text: &str, out: &mut Out<'_>) -> Ended {
    argparse::complain(NAME, USAGE, text, out)
}

#[cfg(test)]
mod tests {
    use super::thousandths;

    #[test]
    fn numbers_are_read_as_java_reads_them() {
        for (text, expected) in [
            ("10", 10_000),
            ("2.5", 2_500),
            (" +0.0005 ", 1),
            ("0.0004", 0),
            ("1e3", 1_000_000),
            ("12.5E-1", 1_250),
            (".5", 500),
            ("5.", 5_000),
            ("7d", 7_000),
            ("0", 0),
            ("-0", 0),
            ("1e12", 1_000_000_000_000_000),
            ("1e-400", 0),
            ("123456.7894", 123_456_789),
        ] {
            assert_eq!(thousandths(text), Some(Some(expected)), "{text}");
        }
        for text in ["-1", "-0.1", "NaN", "Infinity", "-Infinity", "1e13", "1e400"] {
            assert_eq!(thousandths(text), Some(None), "{text}");
        }
        for text in ["", ".", "ten", "1,5", "1e", "1e1.5", "--1", "0x10", "inf", "1 2"] {
            assert_eq!(thousandths(text), None, "{text}");
        }
    }
}
