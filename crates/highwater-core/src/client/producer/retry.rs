//! May a batch that was not taken be tried again, when, and what does Kafka say of it? (The answers of Kafka's
//! `Sender.completeBatch` and `canRetry`.)

use super::Producer;
use super::sender::Batch;
use crate::client::backoff::exponential_backoff;
use crate::error::{ErrorCode, KafkaError};
use crate::mutation::Mutation;
use crate::time::SimDuration;
use crate::world::outbox::Outbox;

/// Whether trying again may help.
fn is_retriable(code: ErrorCode) -> bool {
    is_wrong_leader(code)
        || matches!(
            code,
            ErrorCode::NotEnoughReplicas
                | ErrorCode::NotEnoughReplicasAfterAppend
                | ErrorCode::Timeout
                | ErrorCode::CorruptMessage
        )
}

/// Whether what the producer knows of the topic is out of date (`InvalidMetadataException`).
pub(super) fn is_wrong_leader(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::NotLeaderOrFollower
            | ErrorCode::LeaderNotAvailable
            | ErrorCode::FencedLeaderEpoch
            | ErrorCode::UnknownLeaderEpoch
            | ErrorCode::UnknownTopicOrPartition
            | ErrorCode::UnknownTopicId
            | ErrorCode::Network
    )
}

impl Producer {
    pub(super) fn may_retry(&mut self, batch: &Batch, code: ErrorCode, out: &Outbox) -> bool {
        let is_late = batch.created + self.config.delivery().delivery_timeout <= out.now();
        if is_late || batch.attempts >= self.config.retries {
            return false;
        }
        let transactions = &mut self.accumulator.transactions;
        let about_sequences = batch
            .proposal
            .producer
            .and_then(|stamp| transactions.can_retry(&batch.to, stamp, batch.has_been_reset, code));
        about_sequences.unwrap_or_else(|| is_retriable(code))
    }

    /// Lets a batch wait to be tried again.
    pub(super) fn retry(&mut self, batch: &Batch, error: &KafkaError, out: &mut Outbox) {
        let left = self.config.retries - batch.attempts - 1;
        self.warn(&self.got_error("with", "retrying", batch, left, error), out);
        self.warn_of_metadata(batch, error, out);
        let pauses = self.config.delivery().retry_pauses();
        let pause = match self.has_another_leader(batch) {
            true => SimDuration(0),
            false => self.backoff(pauses, batch.attempts),
        };
        let mut again = Batch { attempts: batch.attempts + 1, ..batch.clone() };
        if self.mutation.is(Mutation::RetriedWithNewSequence)
            && let Some(stamp) = again.proposal.producer.take()
        {
            self.accumulator.transactions.handle_completed(&again.to, stamp);
        }
        self.put_off(again, pause, out);
    }

    /// What Kafka says of a batch that was not taken.
    pub(super) fn got_error(
        &self,
        preposition: &str,
        what_follows: &str,
        batch: &Batch,
        left: u32,
        error: &KafkaError,
    ) -> String {
        let message = match error.code {
            _ if error.message == error.code.default_message() => String::new(),
            _ => format!(". Error Message: {}", error.message),
        };
        // The number that Kafka counts on each connection.
        let number = self.asked;
        format!(
            "Got error produce response {preposition} correlation id {number} on topic-partition {}, \
             {what_follows} ({left} attempts left). Error: {}{message} \
             (org.apache.kafka.clients.producer.internals.Sender)",
            batch.to,
            error.code.name()
        )
    }

    /// How long it waits after so many failures in a row.
    pub(super) fn backoff(&self, bounds: (SimDuration, SimDuration), failures: u32) -> SimDuration {
        exponential_backoff(bounds, failures, (self.seed, self.who))
    }

    /// What Kafka says when it learns from an error that it does not know who leads.
    pub(super) fn warn_of_metadata(&self, batch: &Batch, error: &KafkaError, out: &mut Outbox) {
        let to = &batch.to;
        let text = match error.code {
            ErrorCode::UnknownTopicOrPartition => format!(
                "Received unknown topic or partition error in produce request on partition {to}. The \
                 topic-partition may not exist or the user may not have Describe access to it"
            ),
            code if is_wrong_leader(code) => format!(
                "Received invalid metadata error in produce request on partition {to} due to {}: {} Going \
                 to request metadata update now",
                code.exception(),
                error.message
            ),
            _ => return,
        };
        self.warn(&format!("{text} (org.apache.kafka.clients.producer.internals.Sender)"), out);
    }
}
