//! Looking up where to begin (`OffsetFetcher`): after an assignment, and when the position is not in
//! the log.

use super::subscription_state::FetchState;
use super::{InFlight, KafkaConsumer, Node};
use crate::client::OffsetAnswers;
use crate::client::kafka_consumer::config::OffsetReset;
use crate::error::ErrorCode;
use crate::ids::{BrokerId, NodeId, Offset, TopicPartition};
use crate::net::message::{OffsetQuestion, OffsetSpec, Request};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::time::SimDuration;
use crate::world::event::EventKind;
use crate::world::group_hazard::Beginning;
use crate::world::outbox::Outbox;

impl KafkaConsumer {
    /// Asks the leaders about every partition without a position.
    pub(super) fn look_up_positions(&mut self, out: &mut Outbox) {
        let now = out.now();
        let mut by_leader: SortedMap<BrokerId, Vec<OffsetQuestion>> = SortedMap::new();
        let (mut lost, mut next, mut has_no_leader) = (Vec::new(), None, false);
        for (which, state) in self.state.iter() {
            let FetchState::AwaitReset(reset) = state.fetch_state else { continue };
            let spec = match reset {
                OffsetReset::Earliest => OffsetSpec::Earliest,
                OffsetReset::Latest => OffsetSpec::Latest,
                OffsetReset::ByDuration(millis) => {
                    OffsetSpec::Timestamp(now.epoch_millis().saturating_sub(millis).max(0))
                }
                OffsetReset::None => {
                    lost.push(which.to_string());
                    continue;
                }
            };
            if state.retry_at > now {
                next = Some(next.map_or(state.retry_at, |next| state.retry_at.min(next)));
                continue;
            }
            match self.metadata.leader(which) {
                Some(leader) => {
                    by_leader.get_or_insert_with(leader, Vec::new).push((which.clone(), spec));
                }
                None => has_no_leader = true,
            }
        }
        if has_no_leader {
            self.note_stale(out);
        }
        if let Some(next) = next {
            self.wake_at(next, out);
        }
        if !lost.is_empty() {
            return self.fail_without_offset(&lost.join(", "));
        }
        // An answer without an offset is not asked for again before the request would time out.
        let patience = SimDuration::from_millis(self.config.request_timeout_ms);
        for (leader, partitions) in by_leader {
            let asked: Vec<TopicPartition> =
                partitions.iter().map(|(which, _)| which.clone()).collect();
            for which in &asked {
                self.state.retry_at(which, now + patience);
            }
            let id = out.request(NodeId::Broker(leader), Request::ListOffsets { partitions });
            self.note_request(id, InFlight::Offsets(asked), Node::Broker(leader), out);
        }
    }

    pub(super) fn handle_offsets(&mut self, answers: &OffsetAnswers, out: &mut Outbox) {
        for (which, answer) in answers.iter() {
            match answer {
                Ok(Some((_, offset))) => {
                    let state = self.state.get(which).map(|state| state.fetch_state);
                    if let Some(FetchState::AwaitReset(_)) = state {
                        self.move_to(which, *offset, out);
                        self.note_began(which, *offset, Beginning::Reset, out);
                    }
                }
                Ok(None) => {}
                Err(error) => {
                    if error.code == ErrorCode::UnknownTopicOrPartition {
                        let text = format!(
                            "Received unknown topic or partition error in ListOffset request for \
                             partition {which} \
                             (org.apache.kafka.clients.consumer.internals.OffsetFetcherUtils)"
                        );
                        self.warn(&text, out);
                    }
                    self.look_up_later(which, out);
                }
            }
        }
    }

    /// The leader did not answer, or is another one: once more after a while.
    pub(super) fn look_up_later(&mut self, which: &TopicPartition, out: &mut Outbox) {
        self.note_stale(out);
        self.state.retry_at(which, out.now() + self.backoff(0));
    }

    /// Moves the position, and says so.
    pub(super) fn move_to(&mut self, which: &TopicPartition, to: Offset, out: &mut Outbox) {
        let from = self.state.move_to(which, to, self.metadata.leader_epoch(which));
        self.tell_position(which, from, to, out);
    }

    /// Says that the position has moved.
    pub(super) fn tell_position(
        &self,
        which: &TopicPartition,
        from: Option<Offset>,
        to: Offset,
        out: &mut Outbox,
    ) {
        if from != Some(to) {
            out.emit(EventKind::PositionMoved {
                reader: self.config.client_id.clone(),
                member: Lab::new(self.coordinator.generation.member.clone()),
                partition: which.clone(),
                from,
                to,
            });
        }
    }
}
