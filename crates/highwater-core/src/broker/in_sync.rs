//! The leader watches its followers and proposes to the controller who is in sync
//! (`Partition.maybeExpandIsr`, `maybeShrinkIsr`, `AlterPartitionManager`).

use crate::broker::{Broker, at};
use crate::controller::records::{MetadataImage, PartitionImage};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, TopicPartition};
use crate::mutation::Mutation;
use crate::net::internal::{AlteredPartition, InternalRequest, IsrProposal};
use crate::replication::fetch_session::FetchSession;
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::ClusterEvent;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// Between two attempts to reach the controller.
const RETRY: SimDuration = SimDuration::from_millis(50);

/// Proposals on their way: one request at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct AlterPartitionManager {
    pending: Vec<TopicPartition>,
    in_flight: Option<MessageId>,
    sent: Vec<TopicPartition>,
    check_planned: bool,
}

impl AlterPartitionManager {
    /// Whether nothing is proposed.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.in_flight.is_none()
    }

    /// The look that was planned is over.
    pub(super) fn forget_check(&mut self) {
        self.check_planned = false;
    }
}

/// Whether a follower may be in sync: it is there, not leaving, and what the leader knows of it comes from
/// the process that is registered now (`isReplicaIsrEligible`; KIP-841, KIP-903).
pub(super) fn is_isr_eligible(
    image: &MetadataImage,
    sessions: &SortedMap<BrokerId, FetchSession>,
    mutation: Mutation,
    follower: BrokerId,
) -> bool {
    let registered = image.brokers.get(&follower).map(|known| known.epoch);
    let fetches = sessions.get(&follower).and_then(|session| session.broker_epoch);
    let is_known = registered == fetches || mutation.is(Mutation::BrokerEpochIgnored);
    image.is_active(follower) && is_known
}

impl Broker {
    /// A follower may have caught up with what is committed: it joins.
    pub(super) fn maybe_expand_isr(
        &mut self,
        which: &TopicPartition,
        follower: BrokerId,
        out: &mut Outbox,
    ) {
        let (image, sessions) = (&self.image, &self.replication.sessions);
        let mutation = self.life.mutation;
        let is_eligible = |broker| is_isr_eligible(image, sessions, mutation, broker);
        let here = at(out.now(), &self.life, &is_eligible);
        let Some(held) = self.partitions.get(which) else { return };
        if held.needs_expand_isr(follower, here) {
            let isr = held.isr().with(follower);
            self.propose(which, isr, Vec::new(), out);
        }
    }

    /// Plans the next look at the followers, if one of them does not have all.
    pub(super) fn maybe_plan_isr_check(&mut self, which: &TopicPartition, out: &mut Outbox) {
        if self.replication.alter_partition.check_planned {
            return;
        }
        if self.partitions.get(which).is_some_and(|held| held.has_lag()) {
            self.replication.alter_partition.check_planned = true;
            // Looks come every half of `replica.lag.time.max.ms`.
            let interval = (self.config().replica_lag_time_max.0 / 2).max(1);
            let into = out.now().0.saturating_sub(self.life.started.0) % interval;
            out.timer(SimDuration(interval - into), Timer::IsrCheck);
        }
    }

    /// Looks at all followers; those that have lagged for too long leave.
    pub(super) fn handle_isr_check(&mut self, out: &mut Outbox) {
        self.replication.alter_partition.check_planned = false;
        let lagging = self.partitions.iter().filter(|(_, held)| held.has_lag());
        let lagging: Vec<TopicPartition> = lagging.map(|(which, _)| which.clone()).collect();
        for which in lagging {
            let Some(held) = self.partitions.get(&which) else { continue };
            let gone = held.out_of_sync_replicas(at(out.now(), &self.life, &|_| false));
            if !gone.is_empty() {
                let isr = held.isr().without(|id| gone.iter().any(|(lagging, _)| *lagging == id));
                self.propose(&which, isr, gone, out);
            }
            self.maybe_plan_isr_check(&which, out);
        }
    }

    fn propose(
        &mut self,
        which: &TopicPartition,
        isr: Vec<BrokerId>,
        lagging_since: Vec<(BrokerId, Option<SimTime>)>,
        out: &mut Outbox,
    ) {
        let broker = self.id;
        let Some(held) = Self::holding(&mut self.partitions, which) else { return };
        let (partition, from) = (which.clone(), held.isr().committed.clone());
        held.propose_isr(isr.clone());
        out.emit_beside(ClusterEvent::IsrProposed {
            partition,
            broker,
            from,
            to: isr,
            lagging_since,
        });
        self.replication.alter_partition.pending.push(which.clone());
        self.send_alter_partition(out);
    }

    /// Sends what is proposed, if nothing is on its way.
    pub(super) fn send_alter_partition(&mut self, out: &mut Outbox) {
        if self.replication.alter_partition.in_flight.is_some() {
            return;
        }
        let mut partitions = Vec::new();
        let pending = std::mem::take(&mut self.replication.alter_partition.pending);
        for which in &pending {
            let Some(held) = self.partitions.get(which) else { continue };
            if let Some(new_isr) = held.isr().proposed.clone() {
                let mut broker_epochs = Vec::new();
                for member in &new_isr {
                    let session = self.replication.sessions.get(member);
                    let fetches = session.and_then(|session| session.broker_epoch);
                    broker_epochs.push(if *member == self.id {
                        Some(self.life.epoch)
                    } else {
                        fetches
                    });
                }
                partitions.push(IsrProposal {
                    partition: which.clone(),
                    leader_epoch: held.leader_epoch(),
                    partition_epoch: held.isr().partition_epoch,
                    new_isr,
                    broker_epochs,
                });
            }
        }
        if partitions.is_empty() {
            return;
        }
        self.replication.alter_partition.sent =
            partitions.iter().map(|proposal| proposal.partition.clone()).collect();
        let (broker, epoch) = (self.id, self.life.epoch);
        let partitions = Lab::new(partitions);
        let request = InternalRequest::AlterPartition { broker, epoch, partitions };
        let id = self.ask_controller(request, out);
        self.replication.alter_partition.in_flight = Some(id);
        if !out.is_quiet() {
            out.timer(self.config().controller_socket_timeout, Timer::RequestTimeout(id));
        }
    }

    /// The answer may be lost from now on.
    pub(super) fn watch_alter_partition(&self, out: &mut Outbox) {
        if let Some(id) = self.replication.alter_partition.in_flight {
            out.timer(self.config().controller_socket_timeout, Timer::RequestTimeout(id));
        }
    }

    pub(super) fn handle_altered(
        &mut self,
        correlation: MessageId,
        result: &Result<Vec<AlteredPartition>, KafkaError>,
        out: &mut Outbox,
    ) {
        if self.replication.alter_partition.in_flight != Some(correlation) {
            return;
        }
        self.replication.alter_partition.in_flight = None;
        let sent = std::mem::take(&mut self.replication.alter_partition.sent);
        match result {
            Ok(answers) => {
                for (which, answer) in answers {
                    self.settle(which, answer.as_ref().map(|image| &**image), out);
                }
                self.send_alter_partition(out);
            }
            Err(_) => {
                self.replication.alter_partition.pending.extend(sent);
                out.timer(RETRY, Timer::AlterPartitionRetry);
            }
        }
    }

    /// The answer about one partition. What it does not know of comes with the metadata log.
    fn settle(
        &mut self,
        which: &TopicPartition,
        answer: Result<&PartitionImage, &KafkaError>,
        out: &mut Outbox,
    ) {
        if answer.is_err_and(|error| error.code == ErrorCode::NotController) {
            self.replication.alter_partition.pending.push(which.clone());
            return out.timer(RETRY, Timer::AlterPartitionRetry);
        }
        let (image, sessions) = (&self.image, &self.replication.sessions);
        let mutation = self.life.mutation;
        let is_eligible = |broker| is_isr_eligible(image, sessions, mutation, broker);
        let here = at(out.now(), &self.life, &is_eligible);
        let advance = Self::change(&mut self.partitions, which, |held| {
            if !held.is_leader() {
                return (false, None);
            }
            let before = held.isr().clone();
            let advance = held.settle_isr(answer.ok(), here);
            (advance.is_some() || *held.isr() != before, advance)
        });
        self.note_high_watermark(which, advance.flatten(), out);
    }

    /// The answer to a proposal was lost: it is made again.
    pub(super) fn maybe_retry_alter_partition(&mut self, request: MessageId, out: &mut Outbox) {
        if self.replication.alter_partition.in_flight == Some(request) {
            self.replication.alter_partition.in_flight = None;
            let sent = std::mem::take(&mut self.replication.alter_partition.sent);
            self.replication.alter_partition.pending.extend(sent);
            self.send_alter_partition(out);
        }
    }
}
