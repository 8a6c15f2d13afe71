//! Every word that a person reads or hears in a figure, in one place, so that a page can be
//! translated. Functions get names and numbers and decide how a sentence is built of them.
//!
//! A *record* is what is stored, an *event* what happened in the world outside, a *step* what the
//! timeline counts. Digits in a figure are offsets and nothing else.

use highwater_core::client::partitioner::Why;
use highwater_core::number;
use highwater_core::scope;
use highwater_core::time::SimTime;

use crate::digits::int;
use crate::fill::Arg::{N, S};
use crate::fill::fill;
use crate::node::turns;

pub mod ask;
pub mod chrome;
pub mod cluster;
pub mod differences;
pub mod groups;
pub mod lab;
pub mod reason;
pub mod replicas;
pub mod say;

/// The longest piece of a key or value that a sentence or a table quotes, in characters.
const QUOTED: usize = 60;

/// Bytes as people can read them: U+FFFD for what is no text, cut where it gets long.
#[must_use]
pub fn shown(bytes: &[u8]) -> String {
    // Four bytes a character at most: more is never looked at.
    let head = &bytes[..bytes.len().min(QUOTED * 4 + 4)];
    let text = String::from_utf8_lossy(head);
    let mut out = String::new();
    let mut cut = head.len() < bytes.len();
    for (n, c) in text.chars().enumerate() {
        if n == QUOTED {
            cut = true;
            break;
        }
        out.push(visible(c));
    }
    if cut {
        out.push('\u{2026}');
    }
    out
}

/// A line of text without marks that would scramble what stands around it.
#[must_use]
pub fn harmless(text: &str) -> String {
    text.chars().map(visible).collect()
}

fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => ' ',
        // Marks that turn the direction of a line would scramble what stands around them.
        c if turns(c) || c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// A name in capitals as words: `PARCEL_DROPPED` becomes "parcel dropped". Other text stays.
#[must_use]
pub fn plain(text: &str) -> String {
    let constant = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    if text.len() > 1 && text.bytes().all(constant) && text.bytes().any(|b| b.is_ascii_uppercase())
    {
        let mut out = String::new();
        for byte in text.bytes() {
            out.push(if byte == b'_' { ' ' } else { char::from(byte.to_ascii_lowercase()) });
        }
        out.trim().to_owned()
    } else {
        text.to_owned()
    }
}

/// "1 record", "2 records".
#[must_use]
pub fn records(count: i64) -> String {
    counted(count, "record")
}

/// "1 partition", "2 partitions".
#[must_use]
pub fn partitions(count: i64) -> String {
    counted(count, "partition")
}

fn counted(count: i64, what: &str) -> String {
    let template = if count == 1 { "{0} {1}" } else { "{0} {1}s" };
    fill(template, &[N(count), S(what)])
}

/// "a", "a and b", "a, b and c".
#[must_use]
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => fill("{0} and {1}", &[S(&number::join(first, ", ")), S(last)]),
    }
}

/// The offsets from `from` up to but without `to`: "offset 3", "offsets 3 to 5".
#[must_use]
pub fn offsets(from: i64, to: i64) -> String {
    let template = if to - from == 1 { "offset {0}" } else { "offsets {0} to {1}" };
    fill(template, &[N(from), N(to - 1)])
}

/// The name of a lane.
#[must_use]
pub fn partition(number: i32) -> String {
    fill("partition {0}", &[N(number.into())])
}

/// An item of the legend.
#[must_use]
pub fn legend(letter: &str, key: &str) -> String {
    fill("{0} = {1}", &[S(letter), S(key)])
}

/// A record without key.
#[must_use]
pub fn no_key() -> &'static str {
    "no key"
}

/// A record whose value is null.
#[must_use]
pub fn no_value() -> &'static str {
    "no value"
}

/// The slot where the next record goes.
#[must_use]
pub fn next() -> &'static str {
    "next"
}

/// The two lines of the button to records before those shown.
#[must_use]
pub fn older(count: i64) -> (String, &'static str) {
    (fill("\u{2039} {0}", &[S(&short(count))]), "older")
}

/// The two lines of the button to records after those shown.
#[must_use]
pub fn newer(count: i64) -> (String, &'static str) {
    (fill("{0} \u{203a}", &[S(&short(count))]), "newer")
}

/// "9999", then "12k".
fn short(count: i64) -> String {
    if count < 10_000 { int(count) } else { fill("{0}k", &[N(count / 1_000)]) }
}

/// What the button to other records of a partition does.
#[must_use]
pub fn show_more(count: i64, older: bool, number: i32) -> String {
    let template = if older {
        "Show older records of partition {0}; {1} are hidden"
    } else {
        "Show newer records of partition {0}; {1} are hidden"
    };
    fill(template, &[N(number.into()), N(count)])
}

/// What the tide line says.
#[must_use]
pub fn readers_see(start: i64, high_watermark: i64) -> String {
    if high_watermark <= start {
        "readers see nothing yet".to_owned()
    } else {
        fill("readers see up to {0}", &[N(high_watermark - 1)])
    }
}

/// The same, where there is little room.
#[must_use]
pub fn readers_see_short(start: i64, high_watermark: i64) -> String {
    if high_watermark <= start {
        "nothing yet".to_owned()
    } else {
        fill("up to {0}", &[N(high_watermark - 1)])
    }
}

/// What the tide line says, with Kafka's word for it.
#[must_use]
pub fn tide_label(says: &str, high_watermark: i64) -> String {
    fill("{0} (high watermark {1})", &[S(says), N(high_watermark)])
}

/// A reader and its position.
#[must_use]
pub fn reader_next(name: &str, next: i64) -> String {
    fill("{0}, next {1}", &[S(name), N(next)])
}

/// A reader that reads for a group.
#[must_use]
pub fn of_group(group: &str, reader: &str) -> String {
    fill("{0} / {1}", &[S(group), S(reader)])
}

/// What a group has committed, behind its reader's position.
#[must_use]
pub fn and_committed(reader: &str, committed: i64) -> String {
    fill("{0}, committed {1}", &[S(reader), N(committed)])
}

/// A group that nobody reads for.
#[must_use]
pub fn nobody_reads(group: &str, committed: i64) -> String {
    fill("{0}, committed {1}, nobody reads", &[S(group), N(committed)])
}

/// A reader's lag.
#[must_use]
pub fn behind(lag: i64) -> String {
    let template = if lag < 0 { "{0} past the end" } else { "{0} behind the end" };
    fill(template, &[N(lag.abs())])
}

/// What is said beside something, set off from it.
#[must_use]
pub fn in_brackets(text: &str) -> String {
    fill(" ({0})", &[S(text)])
}

/// A reader, by ear.
#[must_use]
pub fn reader_label(name: &str, partition: i32, next: i64, lag: i64) -> String {
    let template = "{0} in partition {1}: next offset {2}, {3}";
    fill(template, &[S(name), N(partition.into()), N(next), S(&behind(lag))])
}

/// Who stands at an offset.
#[must_use]
pub fn read_next_by(readers: &[String]) -> String {
    fill("next for {0}", &[S(&list(readers))])
}

/// Whether consumers may read a record.
#[must_use]
pub fn readable(yes: bool) -> &'static str {
    if yes { "readable" } else { "not readable yet" }
}

/// "yes", "not yet": as [`readable`], in a column of that name.
#[must_use]
pub fn readable_cell(yes: bool) -> &'static str {
    if yes { "yes" } else { "not yet" }
}

/// A cell, by ear.
#[must_use]
pub fn cell_label(partition: i32, offset: i64, key: Option<&str>, value: Option<&str>) -> String {
    let template = match key {
        Some(_) => "partition {0}, offset {1}: key {2}, {3}",
        None => "partition {0}, offset {1}: {2}, {3}",
    };
    let key = key.unwrap_or(no_key());
    fill(template, &[N(partition.into()), N(offset), S(key), S(value.unwrap_or(no_value()))])
}

/// A lane, by ear.
#[must_use]
pub fn lane_label(partition: i32, start: i64, end: i64) -> String {
    let template = if start == end {
        "partition {0}: empty, next offset {2}"
    } else {
        "partition {0}: {1}, next {2}"
    };
    fill(template, &[N(partition.into()), S(&offsets(start, end)), N(end)])
}

/// A partition that nobody leads.
#[must_use]
pub fn no_leader() -> &'static str {
    "no leader: it can be neither read nor written"
}

/// A lane that nobody leads, by ear.
#[must_use]
pub fn leaderless_label(partition: i32) -> String {
    fill("partition {0}: {1}", &[N(partition.into()), S(no_leader())])
}

/// A figure of a topic, by ear.
#[must_use]
pub fn figure_label(topic: &str, count: i64) -> String {
    fill("The log of topic {0}: {1}", &[S(topic), S(&partitions(count))])
}

/// A figure of a topic that is not there.
#[must_use]
pub fn no_topic(topic: &str) -> String {
    fill("There is no topic {0} yet.", &[S(topic)])
}

/// A cluster without topics.
#[must_use]
pub fn no_topics() -> &'static str {
    "There is no topic yet."
}

/// A partition with its topic, as Kafka writes it.
#[must_use]
pub fn partition_name(topic: &str, partition: i32) -> String {
    fill("{0}-{1}", &[S(topic), N(partition.into())])
}

/// A partition that a topic does not have.
#[must_use]
pub fn no_partition(partition: i32) -> String {
    fill("There is no partition {0}.", &[N(partition.into())])
}

/// What stands above a picture.
#[must_use]
pub fn picture_heading(at: SimTime) -> String {
    fill("After {0}", &[S(&moment(at))])
}

/// The caption of the table.
#[must_use]
pub fn table_caption(topic: &str, hidden: i64) -> String {
    let template = match hidden {
        0 => "Topic {0}, record by record.",
        _ => "Topic {0}, record by record. {1} not shown.",
    };
    fill(template, &[S(topic), S(&records(hidden))])
}

/// The columns of the table; the last one holds a button where the figure is live.
#[must_use]
pub fn table_columns() -> [&'static str; 6] {
    ["partition", "offset", "key", "value", "readable", "next for"]
}

/// The button that asks about a record, and the head of its column.
#[must_use]
pub fn why() -> &'static str {
    "why?"
}

/// That button, by ear.
#[must_use]
pub fn why_label(partition: i32, offset: i64) -> String {
    let template = "Why is there a record in partition {0} at offset {1}?";
    fill(template, &[N(partition.into()), N(offset)])
}

/// The row of the slot after the last record.
#[must_use]
pub fn next_row() -> &'static str {
    "where the next record goes"
}

/// A moment, in seconds since the cluster's start, with as many digits as say something.
#[must_use]
pub fn moment(at: SimTime) -> String {
    let millis = i64::try_from(at.0 / 1_000).unwrap_or(i64::MAX / 2);
    let digits = int(1_000 + millis % 1_000);
    let digits = digits[1..].trim_end_matches('0');
    let template = if digits.is_empty() { "{0} s" } else { "{0}.{1} s" };
    fill(template, &[N(millis / 1_000), S(digits)])
}

/// "1 byte", "8 bytes".
#[must_use]
pub fn bytes(count: i64) -> String {
    counted(count, "byte")
}

/// Why a record goes where it goes, when no key decided it.
#[must_use]
pub fn partition_reason(why: &Why) -> &'static str {
    match why {
        Why::Given => "the sender named the partition",
        Why::Sticky => "the client stays with one partition for a while",
        Why::Random if scope::CLUSTER => "one is drawn for this record",
        Why::LeastBytes if scope::CLUSTER => "the one that was given the fewest bytes",
        Why::LeastBackup if scope::CLUSTER => "the one with the fewest records that wait",
        Why::Unset if scope::CLUSTER => "the record's number, which nobody set",
        _ => "the partitions take turns",
    }
}

/// A negative number loses its sign.
#[must_use]
pub fn without_sign(number: &str) -> String {
    fill("without its sign {0}", &[S(number)])
}

/// "parcel-events-0, offset 6": a record's address.
#[must_use]
pub fn address(place: &str, from: i64, to: i64) -> String {
    fill("{0}, {1}", &[S(place), S(&offsets(from, to))])
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Constants become words, other text stays as it is.
    #[test]
    fn plain_words() {
        assert_eq!(plain("PARCEL_DROPPED"), "parcel dropped");
        assert_eq!(plain("DOOR_2_JAMMED"), "door 2 jammed");
        for same in ["open", "A", "42", "Door", "{\"a\": 1}", ""] {
            assert_eq!(plain(same), same);
        }
    }

    /// What is shown is short and has no control characters.
    #[test]
    fn shown_bytes() {
        assert_eq!(shown(b"locker-7"), "locker-7");
        assert_eq!(shown(b"a\xff\x1b\nb"), "a\u{fffd}\u{fffd} b");
        assert_eq!(shown(&[b'x'; 61]), ["x".repeat(60).as_str(), "\u{2026}"].concat());
        assert_eq!(shown("ß".repeat(5_000).as_bytes()).chars().count(), 61);
        assert_eq!(shown("evil \u{202e}".as_bytes()), "evil \u{fffd}");
    }

    /// Numbers agree with their words.
    #[test]
    fn numbers() {
        assert_eq!(records(1), "1 record");
        assert_eq!(partitions(3), "3 partitions");
        assert_eq!(offsets(2, 3), "offset 2");
        assert_eq!(offsets(0, 5), "offsets 0 to 4");
        assert_eq!(moment(SimTime(12_310_000)), "12.31 s");
        assert_eq!(moment(SimTime(2_000_000)), "2 s");
        assert_eq!(moment(SimTime(1_500)), "0.001 s");
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!(list(&names), "a, b and c");
    }
}
