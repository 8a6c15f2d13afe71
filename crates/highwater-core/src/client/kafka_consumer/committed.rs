//! Where the group has got to: a member begins at the committed offset, and else where the settings say
//! (`ConsumerCoordinator.initWithCommittedOffsetsIfNeeded`).

use super::coordinator::{GroupCall, is_retriable};
use super::subscription_state::FetchState;
use super::{KafkaConsumer, PollError};
use crate::client::kafka_consumer::config::OffsetReset;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::TopicPartition;
use crate::mutation::Mutation;
use crate::net::group::{FetchedOffset, GroupRequest};
use crate::world::group_hazard::Beginning;
use crate::world::outbox::Outbox;

impl KafkaConsumer {
    /// Asks the coordinator where to begin in each partition that is new.
    pub(super) fn init_with_committed_offsets(&mut self, out: &mut Outbox) {
        let is_new = |state: FetchState| state == FetchState::Initializing;
        let new = self.state.iter().filter(|(_, state)| is_new(state.fetch_state));
        let partitions: Vec<TopicPartition> = new.map(|(which, _)| which.clone()).collect();
        if partitions.is_empty() || self.coordinator.is_fetching_offsets {
            return;
        }
        let now = out.now();
        let Some(group) = self.config.group_id.clone() else {
            for which in &partitions {
                self.state.reset(which, self.config.auto_offset_reset, now);
            }
            return;
        };
        if self.coordinator.node.is_none() {
            return self.look_up_coordinator(out);
        }
        if self.coordinator.fetch_offsets_at > now {
            return self.wake_at(self.coordinator.fetch_offsets_at, out);
        }
        self.coordinator.is_fetching_offsets = true;
        let request = GroupRequest::OffsetFetch { group, partitions: Some(partitions) };
        self.send_to_coordinator(request, GroupCall::OffsetFetch, self.patience(), out);
    }

    /// Whether it does not know yet where to begin somewhere: until then a poll does nothing else
    /// (`ClassicKafkaConsumer.updateFetchPositions`).
    pub(super) fn awaits_committed_offsets(&self) -> bool {
        let mut states = self.state.iter();
        states.any(|(_, state)| state.fetch_state == FetchState::Initializing)
    }

    /// Once more after a while.
    pub(super) fn fetch_offsets_later(&mut self, out: &mut Outbox) {
        let coordinator = &mut self.coordinator;
        coordinator.is_fetching_offsets = false;
        let failures = coordinator.offset_failures;
        coordinator.offset_failures = failures.saturating_add(1);
        self.coordinator.fetch_offsets_at = out.now() + self.backoff(failures);
    }

    pub(super) fn handle_offset_fetch(
        &mut self,
        answer: &Result<Vec<FetchedOffset>, KafkaError>,
        out: &mut Outbox,
    ) {
        self.coordinator.is_fetching_offsets = false;
        let fetched = match answer {
            Ok(fetched) => fetched,
            Err(error) if is_retriable(error.code) => {
                if matches!(
                    error.code,
                    ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator
                ) {
                    self.mark_coordinator_unknown(out);
                }
                return self.fetch_offsets_later(out);
            }
            Err(error) => {
                return self.fail_offset_fetch("in fetch offset response", &error.message);
            }
        };
        self.coordinator.offset_failures = 0;
        let now = out.now();
        for (which, answer) in fetched {
            let state = self.state.get(which).map(|state| state.fetch_state);
            if state != Some(FetchState::Initializing) {
                continue;
            }
            match answer {
                Ok(Some(committed)) => {
                    self.state.restore(which, committed, now);
                    self.tell_position(which, None, committed.offset, out);
                    self.note_began(which, committed.offset, Beginning::Committed, out);
                }
                Ok(None) if self.mutation.is(Mutation::BeginsAtTheEnd) => {
                    self.state.reset(which, OffsetReset::Latest, now);
                }
                Ok(None) => self.state.reset(which, self.config.auto_offset_reset, now),
                Err(error) if error.code == ErrorCode::UnknownTopicOrPartition => {
                    let text = format!("Topic or Partition {which} does not exist");
                    let class = "org.apache.kafka.common.KafkaException";
                    self.failure = Some(PollError { class, message: Some(text) });
                }
                Err(error) => {
                    let what = format!("in fetch offset response for partition {which}");
                    self.fail_offset_fetch(&what, &error.message);
                }
            }
        }
        self.validate_positions();
    }

    fn fail_offset_fetch(&mut self, what: &str, message: &str) {
        let text = ["Unexpected error ", what, ": ", message].concat();
        let class = "org.apache.kafka.common.KafkaException";
        self.failure = Some(PollError { class, message: Some(text) });
    }
}
