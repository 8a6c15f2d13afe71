//! Whether a log still holds what was read of it (KIP-320): when another leader has taken over, or a
//! committed offset is restored, the leader is asked how far the epoch of the last record goes.

use super::coordinator::is_retriable;
use super::subscription_state::FetchState;
use super::{InFlight, KafkaConsumer, Node, PollError};
use crate::client::kafka_consumer::config::OffsetReset;
use crate::ids::{BrokerId, LeaderEpoch, NodeId, Offset, TopicPartition};
use crate::net::message::{EpochAnswers, EpochQuestion, Request};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;

impl KafkaConsumer {
    /// Leaders may have changed: positions that were found in an older epoch are checked again
    /// (`validatePositionsOnMetadataChange`).
    pub(super) fn validate_positions(&mut self) {
        for (which, state) in self.state.iter_mut() {
            let is_known =
                matches!(state.fetch_state, FetchState::Fetching | FetchState::AwaitValidation);
            let current = self.metadata.leader_epoch(which);
            if !is_known || current.is_none() || state.validated >= current {
                continue;
            }
            if state.offset_epoch.is_some() {
                if state.fetch_state == FetchState::Fetching {
                    state.retry_at = SimTime(0);
                }
                state.fetch_state = FetchState::AwaitValidation;
            } else {
                state.fetch_state = FetchState::Fetching;
                state.validated = current;
            }
        }
    }

    /// Asks the leaders about all positions that need it.
    pub(super) fn send_validations(&mut self, out: &mut Outbox) {
        let now = out.now();
        let mut by_leader: SortedMap<BrokerId, Vec<EpochQuestion>> = SortedMap::new();
        let (mut has_no_leader, mut next) = (false, None);
        for (which, state) in self.state.iter() {
            let Some(epoch) = state.offset_epoch else { continue };
            if state.fetch_state != FetchState::AwaitValidation {
                continue;
            }
            if state.retry_at > now {
                next = Some(next.map_or(state.retry_at, |next| state.retry_at.min(next)));
                continue;
            }
            let leader = self.metadata.leader(which).zip(self.metadata.leader_epoch(which));
            let Some((leader, current)) = leader else {
                has_no_leader = true;
                continue;
            };
            let question = EpochQuestion { partition: which.clone(), current, epoch };
            by_leader.get_or_insert_with(leader, Vec::new).push(question);
        }
        if has_no_leader {
            self.note_stale(out);
        }
        if let Some(next) = next {
            self.wake_at(next, out);
        }
        let patience = SimDuration::from_millis(self.config.request_timeout_ms);
        for (leader, questions) in by_leader {
            let mut asked = Vec::new();
            for question in &questions {
                self.state.retry_at(&question.partition, now + patience);
                asked.push((question.partition.clone(), question.current));
            }
            let request = Request::OffsetsForLeaderEpoch(Lab::new(questions));
            let id = out.request(NodeId::Broker(leader), request);
            self.note_request(id, InFlight::Epochs(asked), Node::Broker(leader), out);
        }
    }

    pub(super) fn handle_epochs(
        &mut self,
        asked: &[(TopicPartition, LeaderEpoch)],
        answers: &EpochAnswers,
        out: &mut Outbox,
    ) {
        for ((which, current), (_, answer)) in asked.iter().zip(answers) {
            let Some(state) = self.state.get_mut(which) else { continue };
            if state.fetch_state != FetchState::AwaitValidation {
                continue;
            }
            match answer {
                Ok(Some((_, end))) if state.position.is_some_and(|at| at <= *end) => {
                    state.fetch_state = FetchState::Fetching;
                    state.validated = Some(*current);
                }
                Ok(found) => self.handle_truncation(which, *current, *found, out),
                Err(error) => {
                    let text = error.code.name();
                    if !is_retriable(error.code) {
                        let text = format!(
                            "Not authorized or unexpected error {text} while validating the position \
                             of {which} (org.apache.kafka.clients.consumer.internals.OffsetsForLeaderEpochUtils)"
                        );
                        self.warn(&text, out);
                    }
                    self.look_up_later(which, out);
                }
            }
        }
    }

    /// The log has lost what was read last.
    fn handle_truncation(
        &mut self,
        which: &TopicPartition,
        current: LeaderEpoch,
        found: Option<(LeaderEpoch, Offset)>,
        out: &mut Outbox,
    ) {
        let reset = self.config.auto_offset_reset;
        let Some(state) = self.state.get_mut(which) else { return };
        let Some(position) = state.position else { return };
        if reset != OffsetReset::None {
            match found {
                Some((epoch, end)) => {
                    state.offset_epoch = Some(epoch);
                    state.validated = Some(current);
                    self.move_to(which, end, out);
                    // The end of that epoch need not be committed yet.
                    if let Some(state) = self.state.get_mut(which) {
                        state.is_named = true;
                    }
                }
                None => self.state.reset(which, reset, out.now()),
            }
            return;
        }
        let end = found.map(|(epoch, end)| {
            format!("OffsetAndMetadata{{offset={end}, leaderEpoch={epoch}, metadata=''}}")
        });
        let (bound, diverging) = match end {
            Some(end) => {
                (format!(" (the end offset from the broker is {end})"), format!("{which}={end}"))
            }
            None => (String::new(), String::new()),
        };
        let place = self.position_text(which, position);
        let text = format!(
            "Truncation detected for partition {which} at offset {place}{bound}, but no reset policy \
             is set (org.apache.kafka.clients.consumer.internals.SubscriptionState)"
        );
        self.warn(&text, out);
        self.failure = Some(PollError {
            class: "org.apache.kafka.clients.consumer.LogTruncationException",
            message: Some(format!(
                "Truncated partitions detected with divergent offsets {{{diverging}}}"
            )),
        });
    }
}
