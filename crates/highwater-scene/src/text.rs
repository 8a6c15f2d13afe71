//! The log figure as plain text, for terminals and tests.

use highwater_core::world::snapshot::Snapshot;

use crate::digits::int;
use crate::keys::Keys;
use crate::lanes::{Lane, Placed, lanes, learn, window};
use crate::words;

/// Draws a topic's partitions, a line each, with at most `most` of the newest records, and a line
/// for each reader: `partition 0 | 0 A locker-7 PARCEL_DROPPED | next 1`.
#[must_use]
pub fn render(snapshot: &Snapshot, topic: &str, keys: &Keys, most: u32) -> String {
    let Some(view) = snapshot.topic(topic) else { return words::no_topic(topic) + "\n" };
    let lanes = lanes(snapshot, view, None);
    let mut shown: Vec<Vec<Placed>> = lanes
        .iter()
        .zip(&view.partitions)
        .map(|(lane, view)| window(view, lane.start.max(lane.end - i64::from(most)), lane.end))
        .collect();
    let mut keys = keys.clone();
    let mut all: Vec<&mut Placed> = shown.iter_mut().flatten().collect();
    learn(&mut all, &mut keys);
    let mut out = String::new();
    for (lane, records) in lanes.iter().zip(&shown) {
        write_lane(lane, records, &mut out);
    }
    out
}

fn write_lane(lane: &Lane, records: &[Placed], out: &mut String) {
    out.push_str(&words::partition(lane.partition));
    if !lane.has_leader {
        out.push_str(" | ");
        out.push_str(words::no_leader());
        return out.push('\n');
    }
    let first = records.first().map_or(lane.end, |record| record.offset);
    if first > lane.start {
        out.push_str(" | ");
        let (count, older) = words::older(first - lane.start);
        out.push_str(&[&count, " ", older].concat());
    }
    for record in records {
        // Two lines: up to here readers see.
        let border = record.offset == lane.high_watermark && lane.high_watermark < lane.end;
        out.push_str(if border { " || " } else { " | " });
        out.push_str(&int(record.offset));
        let letter = record.mark.letter();
        let key = record.key.as_deref().map(words::shown);
        let value = record.value.as_deref().map(words::shown);
        for word in [
            letter.as_str(),
            key.as_deref().unwrap_or(words::no_key()),
            value.as_deref().unwrap_or(words::no_value()),
        ] {
            if !word.is_empty() {
                out.push(' ');
                out.push_str(word);
            }
        }
    }
    out.push_str(&[" | ", words::next(), " ", &int(lane.end), "\n"].concat());
    for reader in &lane.readers {
        let says = reader.words();
        out.push_str(&["  ^ ", &says, ", ", &words::behind(lane.end - reader.at())].concat());
        out.push('\n');
    }
}
