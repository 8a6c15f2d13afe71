//! What is printed of the files beside a log: its indexes, and what was known of producers; and where an
//! index and its log do not agree.

use std::rc::Rc;

use highwater_core::broker::data_dir::{Index, OnDisk, producers_in_order};
use highwater_core::ids::Offset;
use highwater_core::log::producer_state::ProducerStateManager;
use highwater_core::log::record_batch::{NO_TIMESTAMP, RecordBatch};
use highwater_core::log::record_format::positions;

use super::{Printed, no_file};
use crate::tool::options::Problem;

/// How much of an index is wanted.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    pub(super) is_sanity_check: bool,
    pub(super) is_verification: bool,
}

/// What does not fit, file by file.
#[derive(Default)]
pub(super) struct IndexErrors {
    /// Of offset indexes: the offset in it, and the one that the batch there ends with.
    mismatches: Vec<(String, Vec<(Offset, Offset)>)>,
    /// Of time indexes: an offset that no batch ends with, and the one found instead.
    not_found: Vec<(String, Vec<(Offset, Offset)>)>,
    /// A timestamp, and that of the entry before it.
    out_of_order: Vec<(String, Vec<(i64, i64)>)>,
    /// A timestamp, and that of the log.
    timestamps: Vec<(String, Vec<(i64, i64)>)>,
}

impl IndexErrors {
    pub(super) fn text(&self) -> String {
        let mut text = Printed::default();
        for (file, pairs) in &self.mismatches {
            text.line(&format!("Mismatches in :{file}"));
            for (index, log) in pairs {
                text.line(&format!("  Index offset: {index}, log offset: {log}"));
            }
        }
        for (file, pairs) in &self.timestamps {
            text.line(&format!("Found timestamp mismatch in :{file}"));
            for (index, log) in pairs {
                text.line(&format!("  Index timestamp: {index}, log timestamp: {log}"));
            }
        }
        for (file, pairs) in &self.out_of_order {
            text.line(&format!("Found out of order timestamp in :{file}"));
            for (index, before) in pairs {
                let before = format!("Previously indexed timestamp: {before}");
                text.line(&format!("  Index timestamp: {index}, {before}"));
            }
        }
        for (file, pairs) in &self.not_found {
            text.line(&format!("The following indexed offsets are not found in :{file}"));
            for (index, log) in pairs {
                text.line(&format!("Indexed offset: {index}, found log offset: {log}"));
            }
        }
        text.0
    }
}

fn note<T>(errors: &mut Vec<(String, Vec<T>)>, file: &str, pair: T) {
    match errors.iter_mut().find(|(known, _)| known == file) {
        Some((_, pairs)) => pairs.push(pair),
        None => errors.push((file.to_owned(), vec![pair])),
    }
}

/// Prints an index, or checks it.
pub(super) fn dump(
    file: &str,
    found: &OnDisk<'_>,
    mode: Mode,
    printed: &mut Printed,
    errors: &mut IndexErrors,
) -> Result<(), Problem> {
    let (index, is_by_time) = match found {
        OnDisk::OffsetIndex(index) => (index, false),
        OnDisk::TimeIndex(index) => (index, true),
        _ => return Err(no_file(file)),
    };
    if index.room == 0 {
        printed.line(&format!("{file} is empty."));
        return Ok(());
    }
    if mode.is_sanity_check {
        if is_by_time {
            check_times(file, index)?;
        }
        printed.line(&format!("{file} passed sanity check."));
        return Ok(());
    }
    if is_by_time {
        dump_times(file, index, mode, printed, errors)
    } else {
        dump_offsets(file, index, mode, printed, errors)
    }
}

/// The entries, up to the first zeros behind them; the first one in any case.
fn entries<T: Copy>(known: &[T], index: &Index<'_>, zeros: T) -> Vec<T> {
    let is_filled_up = known.is_empty() && index.room > 0;
    if is_filled_up { vec![zeros] } else { known.to_vec() }
}

fn dump_offsets(
    file: &str,
    index: &Index<'_>,
    mode: Mode,
    printed: &mut Printed,
    errors: &mut IndexErrors,
) -> Result<(), Problem> {
    let zeros = (index.segment.base_offset(), 0);
    for (offset, position) in entries(&index.entries.offsets, index, zeros) {
        let mut batches = positions(index.segment.batches());
        let Some((_, batch)) = batches.find(|(at, _)| *at >= position) else {
            return Err(Problem::bare("java.util.NoSuchElementException"));
        };
        if batch.last_offset() != offset {
            note(&mut errors.mismatches, file, (offset, batch.last_offset()));
        }
        if !mode.is_verification {
            printed.line(&format!("offset: {offset} position: {position}"));
        }
    }
    Ok(())
}

/// The last entry must not be before the first one (`TimeIndex.sanityCheck`). That of a file that is filled
/// up with zeros is.
fn check_times(file: &str, index: &Index<'_>) -> Result<(), Problem> {
    let known = &index.entries.times;
    let is_filled_up = u32::try_from(known.len()).unwrap_or(u32::MAX) < index.room;
    let first = known.first().map_or(0, |(timestamp, _)| *timestamp);
    if !is_filled_up || first <= 0 {
        return Ok(());
    }
    let class = "org.apache.kafka.storage.internals.log.CorruptIndexException";
    let text = format!(
        "Corrupt time index found, time index file ({file}) has non-zero size but the last timestamp is 0 \
         which is less than the first timestamp {first}"
    );
    Err(Problem::new(class, text))
}

fn dump_times(
    file: &str,
    index: &Index<'_>,
    mode: Mode,
    printed: &mut Printed,
    errors: &mut IndexErrors,
) -> Result<(), Problem> {
    let mut before = NO_TIMESTAMP;
    let zeros = (0, index.segment.base_offset());
    for (timestamp, offset) in entries(&index.entries.times, index, zeros) {
        let mut batches = index.segment.batches_from(offset);
        match batches.next() {
            Some(batch) if batch.last_offset() == offset => {
                let latest = latest_of(batch);
                if latest != timestamp {
                    note(&mut errors.timestamps, file, (timestamp, latest));
                }
                if before >= timestamp {
                    note(&mut errors.out_of_order, file, (timestamp, before));
                }
            }
            other => {
                let found = other.map_or(Offset(-1), |batch| batch.last_offset());
                note(&mut errors.not_found, file, (offset, found));
            }
        }
        if !mode.is_verification {
            printed.line(&format!("timestamp: {timestamp} offset: {offset}"));
        }
        before = timestamp;
    }
    Ok(())
}

/// The largest timestamp of the records that are in a batch.
fn latest_of(batch: &Rc<RecordBatch>) -> i64 {
    let times = batch.iter().map(|(_, record)| batch.timestamp_of(record));
    times.max().unwrap_or(NO_TIMESTAMP)
}

/// Prints what was known of producers.
pub(super) fn dump_snapshot(known: &ProducerStateManager, printed: &mut Printed) {
    for (id, entry) in producers_in_order(known) {
        let mut line = format!(
            "producerId: {id} producerEpoch: {} coordinatorEpoch: -1 currentTxnFirstOffset: \
             OptionalLong.empty lastTimestamp: {}",
            entry.producer_epoch, entry.last_timestamp
        );
        if let Some(last) = entry.batches().last() {
            line.push_str(&format!(
                " firstSequence: {} lastSequence: {} lastOffset: {} offsetDelta: {} timestamp: {}",
                last.first_sequence,
                last.last_sequence,
                last.last_offset,
                last.last_offset.0 - last.first_offset.0,
                last.timestamp,
            ));
        }
        printed.line(&line);
    }
}
