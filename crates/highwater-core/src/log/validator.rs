//! May this be appended as it is? What a leader checks of the records themselves, in the order of
//! Kafka's `UnifiedLog.analyzeAndValidateRecords` and `LogValidator`.

use std::fmt::Display;

use crate::error::{ErrorCode, KafkaError};
use crate::log::log_config::{LogConfig, NO_LIMIT};
use crate::log::record::Record;
use crate::log::record_batch::{
    Compression, Measured, NO_TIMESTAMP, Proposal, TimestampType, measure,
};
use crate::scope::{self, Lab};

/// Checks a proposal; returns what its records measure, and the batch as it is to stand in the log if that
/// is compressed in another way. `partition` goes into texts.
///
/// # Errors
/// `MESSAGE_TOO_LARGE`, `INVALID_RECORD`, `INVALID_TIMESTAMP`, `RECORD_LIST_TOO_LARGE`.
pub(super) fn validate(
    proposal: &Proposal,
    config: &LogConfig,
    now_ms: i64,
    partition: &dyn Display,
) -> Result<(Measured, Lab<Proposal>), KafkaError> {
    let measured = measure(&proposal.records);
    let mut repacked = Lab::default();
    let mut size = proposal.compressed_size.unwrap_or(measured.size_in_bytes);
    if size > config.max_message_bytes {
        return Err(KafkaError::plain(ErrorCode::MessageTooLarge));
    }
    if scope::CLUSTER {
        validate_batch(proposal, partition)?;
        if has_large_record(proposal, config) {
            return Err(KafkaError::plain(ErrorCode::InvalidRecord));
        }
        if has_refused_key(&measured, config) || has_refused_timestamp(&measured, config, now_ms) {
            validate_records(&proposal.records, config, now_ms, partition)?;
        }
        if let Some(codec) = config.recompression(proposal.compression) {
            size = codec.size_of(&proposal.records);
            if size > config.max_message_bytes {
                return Err(KafkaError::plain(ErrorCode::MessageTooLarge));
            }
            let (compression, compressed_size) = (codec.compression, Some(size));
            repacked = Lab::new(Proposal { compression, compressed_size, ..proposal.clone() });
        }
        if u64::from(size) > config.segment_bytes {
            return Err(KafkaError::plain(ErrorCode::RecordListTooLarge));
        }
    }
    Ok((measured, repacked))
}

/// What no client of Kafka sends (`LogValidator.validateBatch`).
fn validate_batch(proposal: &Proposal, partition: &dyn Display) -> Result<(), KafkaError> {
    if proposal.records.is_empty() {
        let text =
            format!("Invalid reported count for record batch: 0 in topic partition {partition}");
        return Err(KafkaError::new(ErrorCode::InvalidRecord, text));
    }
    if let Some(stamp) = proposal.producer
        && stamp.base_sequence < 0
    {
        let text = format!(
            "Invalid sequence number {} in record batch with producerId {} in topic partition \
             {partition}",
            stamp.base_sequence, stamp.producer_id
        );
        return Err(KafkaError::new(ErrorCode::InvalidRecord, text));
    }
    Ok(())
}

/// Whether some record of a compressed batch is larger than allowed once it is decompressed, without the
/// length in front of it (4.4; recorded/decompressed.console).
fn has_large_record(proposal: &Proposal, config: &LogConfig) -> bool {
    let base = proposal.records.first().map_or(0, |first| first.timestamp);
    let is_large = |(number, record): (u32, &Record)| {
        let size = record.body_size(record.timestamp.wrapping_sub(base), number);
        size > config.max_decompressed_message_bytes
    };
    let is_limited = config.max_decompressed_message_bytes < NO_LIMIT;
    is_limited
        && proposal.compression != Compression::None
        && (0..).zip(proposal.records.iter()).any(is_large)
}

fn has_refused_key(measured: &Measured, config: &LogConfig) -> bool {
    config.compact && measured.has_null_key
}

/// Whether some record may have a timestamp that is refused: the extremes tell, except that a
/// record without timestamp is not refused.
fn has_refused_timestamp(measured: &Measured, config: &LogConfig, now_ms: i64) -> bool {
    config.message_timestamp_type == TimestampType::CreateTime
        && (!is_in_range(measured.max_timestamp.0, config, now_ms)
            || !is_in_range(measured.min_timestamp, config, now_ms))
}

/// From `now - before.max` to `now + after.max`; no timestamp is as good as one in the range.
fn is_in_range(timestamp: i64, config: &LogConfig, now_ms: i64) -> bool {
    timestamp == NO_TIMESTAMP
        || (now_ms.saturating_sub(timestamp) <= config.message_timestamp_before_max_ms
            && timestamp.saturating_sub(now_ms) <= config.message_timestamp_after_max_ms)
}

/// One refused record refuses the batch. The error is that of the first such record, except that
/// one timestamp out of range makes it `INVALID_TIMESTAMP`.
fn validate_records(
    records: &[Record],
    config: &LogConfig,
    now_ms: i64,
    partition: &dyn Display,
) -> Result<(), KafkaError> {
    let mut first: Option<KafkaError> = None;
    for (number, record) in (0u32..).zip(records) {
        let error = if config.compact && record.key.is_none() {
            let text = format!(
                "Compacted topic cannot accept message without key in topic partition {partition}"
            );
            KafkaError::new(ErrorCode::InvalidRecord, text)
        } else if config.message_timestamp_type == TimestampType::CreateTime
            && !is_in_range(record.timestamp, config, now_ms)
        {
            KafkaError::new(
                ErrorCode::InvalidTimestamp,
                out_of_range(number, record, config, now_ms),
            )
        } else {
            continue;
        };
        let code = error.code;
        let found = first.get_or_insert(error);
        if code == ErrorCode::InvalidTimestamp {
            found.code = code;
            break;
        }
    }
    first.map_or(Ok(()), Err)
}

fn out_of_range(number: u32, record: &Record, config: &LogConfig, now_ms: i64) -> String {
    format!(
        "Timestamp {} of message with offset {number} is out of range. The timestamp should be \
         within [{}, {}]",
        record.timestamp,
        now_ms.wrapping_sub(config.message_timestamp_before_max_ms),
        now_ms.wrapping_add(config.message_timestamp_after_max_ms)
    )
}

#[cfg(test)]
mod tests;
