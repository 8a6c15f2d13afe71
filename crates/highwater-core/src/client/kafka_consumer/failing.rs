//! What makes a poll fail: topics that cannot be, and positions for which there is no other (what Java throws).

use super::{KafkaConsumer, PollError};
use crate::client::LogLevel;
use crate::client::connection;
use crate::client::kafka_consumer::config::OffsetReset;
use crate::ids::{Offset, TopicPartition};
use crate::world::outbox::Outbox;

impl KafkaConsumer {
    pub(super) fn fail_invalid_topics(&mut self, topics: &str, out: &mut Outbox) {
        let text = format!(
            "Metadata response reported invalid topics [{topics}] (org.apache.kafka.clients.Metadata)"
        );
        self.log(LogLevel::Error, &text, out);
        self.failure = Some(PollError {
            class: "org.apache.kafka.common.errors.InvalidTopicException",
            message: Some(format!("Invalid topics: [{topics}]")),
        });
    }

    pub(super) fn fail_without_offset(&mut self, partitions: &str) {
        self.failure = Some(PollError {
            class: "org.apache.kafka.clients.consumer.NoOffsetForPartitionException",
            message: Some(format!(
                "Undefined offset with no reset policy for partitions: [{partitions}]"
            )),
        });
    }

    /// The position is not in the log: another one is looked up, if the settings allow it.
    pub(super) fn reset_out_of_range(
        &mut self,
        which: &TopicPartition,
        from: Offset,
        out: &mut Outbox,
    ) {
        let reset = self.config.auto_offset_reset;
        if reset != OffsetReset::None {
            return self.state.reset(which, reset, out.now());
        }
        let place = self.position_text(which, from);
        self.failure = Some(PollError {
            class: "org.apache.kafka.clients.consumer.OffsetOutOfRangeException",
            message: Some(format!("Fetch position {place} is out of range for partition {which}")),
        });
    }

    /// A position as Java prints it (`FetchPosition`).
    pub(super) fn position_text(&self, which: &TopicPartition, at: Offset) -> String {
        let epoch = self.state.get(which).and_then(|state| state.offset_epoch);
        let epoch =
            epoch.map_or_else(|| "Optional.empty".to_owned(), |at| format!("Optional[{at}]"));
        let current = self.metadata.leader_epoch(which).unwrap_or_default();
        let node = |leader| connection::node_text(leader, &self.metadata.rack(leader));
        let leader = self.metadata.leader(which).map(node).unwrap_or_default();
        format!(
            "FetchPosition{{offset={at}, offsetEpoch={epoch}, \
             currentLeader=LeaderAndEpoch{{leader=Optional[{leader}], epoch={current}}}}}"
        )
    }
}
