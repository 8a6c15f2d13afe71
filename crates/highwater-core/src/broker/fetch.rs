//! Reads of consumers, and questions about offsets (`ReplicaManager.fetchMessages`, `DelayedFetch`).

use std::rc::Rc;

use crate::broker::Broker;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{MessageId, NodeId, Offset, TopicPartition};
use crate::net::message::{Fetched, Message, OffsetSpec, Response};
use crate::time::SimDuration;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// A fetch of a consumer that found nothing and waits (the delayed fetch purgatory).
#[derive(Clone, Debug)]
pub(super) struct DelayedFetch {
    pub(super) from: NodeId,
    partition: TopicPartition,
    offset: Offset,
    max_bytes: u64,
}

impl Broker {
    /// A fetch has waited long enough.
    pub(super) fn handle_fetch_wait(&mut self, correlation: MessageId, out: &mut Outbox) {
        if let Some(fetch) = self.delayed_fetches.remove(&correlation) {
            let result = self.read(&fetch.partition, fetch.offset, fetch.max_bytes);
            out.respond_to(fetch.from, correlation, Response::Fetch(result));
        }
    }

    pub(super) fn list_offset(
        &self,
        partition: &TopicPartition,
        spec: OffsetSpec,
    ) -> Result<Option<(i64, Offset)>, KafkaError> {
        let partition = self.leading(partition)?;
        let log = partition.log();
        let committed = partition.high_watermark();
        let found = match spec {
            OffsetSpec::Latest => Some((-1, committed)),
            OffsetSpec::Earliest | OffsetSpec::EarliestLocal => Some((-1, log.log_start_offset())),
            OffsetSpec::MaxTimestamp => log.max_timestamp(),
            OffsetSpec::Tiered => None,
            OffsetSpec::Timestamp(millis) if millis < 0 => {
                return Err(KafkaError::plain(ErrorCode::UnsupportedVersion));
            }
            OffsetSpec::Timestamp(millis) => {
                log.offset_for_timestamp(millis).filter(|(_, offset)| *offset < committed)
            }
        };
        Ok(found)
    }

    pub(super) fn handle_fetch(
        &mut self,
        message: &Message,
        partition: &TopicPartition,
        offset: Offset,
        max_wait_ms: u64,
        max_bytes: u64,
        out: &mut Outbox,
    ) {
        let result = self.read(partition, offset, max_bytes);
        let nothing = matches!(&result, Ok(fetched) if fetched.batches.is_empty());
        if nothing && max_wait_ms > 0 {
            let fetch = DelayedFetch {
                from: message.from,
                partition: partition.clone(),
                offset,
                max_bytes,
            };
            self.delayed_fetches.insert(message.correlation, fetch);
            out.timer(SimDuration::from_millis(max_wait_ms), Timer::FetchWait(message.correlation));
        } else {
            out.respond(message, Response::Fetch(result));
        }
    }

    /// Answers waiting fetches of a partition that have something to read now, or an error.
    pub(super) fn complete_delayed_fetches(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let waiting = self.delayed_fetches.iter().filter(|(_, fetch)| fetch.partition == *which);
        let waiting: Vec<MessageId> = waiting.map(|(correlation, _)| *correlation).collect();
        for correlation in waiting {
            let Some(fetch) = self.delayed_fetches.get(&correlation) else { continue };
            let result = self.read(&fetch.partition, fetch.offset, fetch.max_bytes);
            if !matches!(&result, Ok(fetched) if fetched.batches.is_empty()) {
                let to = fetch.from;
                self.delayed_fetches.remove(&correlation);
                out.respond_to(to, correlation, Response::Fetch(result));
            }
        }
    }

    /// What a consumer may read from `offset` on: whole batches below the high watermark.
    fn read(
        &self,
        partition: &TopicPartition,
        offset: Offset,
        max_bytes: u64,
    ) -> Result<Fetched, KafkaError> {
        let replica = self.leading(partition)?;
        let (log, high_watermark) = (replica.log(), replica.high_watermark());
        if offset < log.log_start_offset() || offset > log.log_end_offset() {
            return Err(KafkaError::plain(ErrorCode::OffsetOutOfRange));
        }
        let batches = log.read(offset, high_watermark, max_bytes).map(Rc::clone).collect();
        Ok(Fetched { partition: partition.clone(), batches, high_watermark })
    }
}
