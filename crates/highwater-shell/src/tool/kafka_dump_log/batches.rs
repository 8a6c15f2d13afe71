//! What is printed of a log: a line for each batch, and one for each of its records.

use highwater_core::ids::{Bytes, Offset};
use highwater_core::log::record::Record;
use highwater_core::log::record_batch::{NO_SEQUENCE, RecordBatch};
use highwater_core::log::record_format::{MAGIC, checksum, positions};
use highwater_core::log::segment::Segment;

use super::{Printed, Settings};
use crate::tool::options::Problem;

/// Prints a log. `unstamped` is what stands in the place of the first sequence number in batches of nobody.
/// Returns offsets that do not follow each other, of records that were looked at.
pub(super) fn dump(
    segment: &Segment,
    unstamped: i32,
    settings: &Settings,
    printed: &mut Printed,
) -> Result<Vec<(Offset, Offset)>, Problem> {
    let most = u64::try_from(settings.max_bytes).unwrap_or(0);
    let mut gaps = Vec::new();
    // Kafka takes a log that does not begin with offset 0 for one with a gap, too.
    let mut last = Offset(-1);
    for (position, batch) in positions(segment.batches()) {
        if position.saturating_add(u64::from(batch.size_in_bytes)) > most {
            break;
        }
        print_batch(batch, position, unstamped, printed);
        if !settings.is_deep {
            continue;
        }
        for (offset, record) in batch.iter() {
            if offset != last.plus(1) {
                gaps.push((last, offset));
            }
            last = offset;
            print_record(batch, (offset, record), unstamped, settings, printed)?;
        }
    }
    Ok(gaps)
}

fn first_sequence(batch: &RecordBatch, unstamped: i32) -> i32 {
    batch.producer.map_or(unstamped, |stamp| stamp.base_sequence)
}

/// The sequence number of the record that far after the batch's first.
fn sequence_at(batch: &RecordBatch, delta: u32, unstamped: i32) -> i32 {
    match batch.producer {
        Some(stamp) => stamp.sequence_at(delta),
        None if unstamped == NO_SEQUENCE => NO_SEQUENCE,
        None => unstamped.saturating_add_unsigned(delta),
    }
}

fn print_batch(batch: &RecordBatch, position: u64, unstamped: i32, printed: &mut Printed) {
    let horizon = match batch.delete_horizon_ms {
        None => "OptionalLong.empty".to_owned(),
        Some(at) => format!("OptionalLong[{at}]"),
    };
    let (id, epoch) =
        batch.producer.map_or((-1, -1), |stamp| (stamp.producer_id, stamp.producer_epoch));
    printed.line(&format!(
        "baseOffset: {} lastOffset: {} count: {} baseSequence: {} lastSequence: {} producerId: {id} \
         producerEpoch: {epoch} partitionLeaderEpoch: {} isTransactional: false isControl: {} \
         deleteHorizonMs: {horizon} position: {position} {}: {} size: {} magic: {MAGIC} \
         compresscodec: {} crc: {} isvalid: true",
        batch.base_offset,
        batch.last_offset(),
        batch.count(),
        first_sequence(batch, unstamped),
        sequence_at(batch, batch.last_offset_delta, unstamped),
        batch.leader_epoch,
        batch.control.is_some(),
        batch.timestamp_type.name(),
        batch.max_timestamp_ms(),
        batch.size_in_bytes,
        batch.compression.name(),
        checksum(batch, unstamped),
    ));
}

fn print_record(
    batch: &RecordBatch,
    (offset, record): (Offset, &Record),
    unstamped: i32,
    settings: &Settings,
    printed: &mut Printed,
) -> Result<(), Problem> {
    let mut prefix = "| ";
    if !settings.skips_metadata {
        let delta = u32::try_from(offset.0 - batch.base_offset.0).unwrap_or(0);
        let keys = record.headers.iter().map(|header| String::from_utf8_lossy(&header.key));
        let keys: Vec<_> = keys.collect();
        printed.0.push_str(&format!(
            "| offset: {offset} {}: {} keySize: {} valueSize: {} sequence: {} headerKeys: [{}]",
            batch.timestamp_type.name(),
            batch.timestamp_of(record),
            size(record.key.as_ref()),
            size(record.value.as_ref()),
            sequence_at(batch, delta, unstamped),
            keys.join(","),
        ));
        prefix = " ";
    }
    if settings.prints_contents && batch.control.is_none() {
        let (key, value) = settings.parser.parse(offset, record)?;
        for (name, content) in [("key", key), ("payload", value)] {
            if let Some(content) = content {
                printed.0.push_str(&[prefix, name, ": ", &content].concat());
                prefix = " ";
            }
        }
    }
    printed.0.push('\n');
    Ok(())
}

fn size(bytes: Option<&Bytes>) -> i64 {
    bytes.map_or(-1, |bytes| i64::try_from(bytes.len()).unwrap_or(i64::MAX))
}
