//! What is committed stays: every in-sync replica has it, and every later leader (StrongIsr and
//! LeaderCompleteness of the TLA+ specification of Kafka replication; KIP-966). Only an unclean election
//! may lose it, and that is counted. What a producer was told is in a log is there; what only the leader
//! had may be lost with it, and what a leader tells that an unclean election has overtaken, and that is
//! counted. Of what was sent with acks=0 nobody is told anything; what is lost of it is counted.

use std::rc::Rc;

use super::sent::{Answer, Sent, count};
use super::{Change, Violation};
use crate::controller::records::{PartitionImage, TopicImage};
use crate::ids::{BrokerId, LeaderEpoch, Offset, TopicId, TopicName, TopicPartition};
use crate::log::record::RecordBatch;
use crate::log::unified_log::UnifiedLog;
use crate::net::message::Acks;
use crate::replication::partition::Partition;
use crate::sorted_map::SortedMap;
use crate::world::process::Process;
use crate::world::world::World;

/// What was allowed to go wrong, and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hazards {
    /// Elections of a leader that may lack committed records.
    pub unclean_elections: u64,
    /// Committed records that an unclean election has lost.
    pub committed_records_lost: u64,
    /// Records that the leader alone had, as their producer was told (acks=1), and that are lost.
    pub acknowledged_records_lost: u64,
    /// Records that a leader acknowledged (acks=all) after an unclean election had overtaken it, and that the
    /// new leader lacks.
    pub overtaken_records_lost: u64,
    /// Records that were sent with acks=0 and are lost, in a log or on their way into one.
    pub unanswered_records_lost: u64,
    /// Records that stand in a log once more, because their producer sent them again.
    pub duplicate_records: u64,
    /// Records that stand behind later ones of the same producer.
    pub reordered_records: u64,
}

impl Hazards {
    /// Adds those of another run.
    pub fn add(&mut self, other: &Self) {
        self.unclean_elections += other.unclean_elections;
        self.committed_records_lost += other.committed_records_lost;
        self.acknowledged_records_lost += other.acknowledged_records_lost;
        self.overtaken_records_lost += other.overtaken_records_lost;
        self.unanswered_records_lost += other.unanswered_records_lost;
        self.duplicate_records += other.duplicate_records;
        self.reordered_records += other.reordered_records;
    }
}

/// The committed batches of a partition.
#[derive(Clone, Debug)]
struct Ledger {
    topic: TopicId,
    /// Who leads: the last broker that has heard of its election. It goes on to append, to commit and to
    /// answer until somebody else does.
    leader: (LeaderEpoch, BrokerId),
    batches: Vec<Rc<RecordBatch>>,
    end: Offset,
    /// What producers were told is in the log, as long as it is not committed, and the epoch in which it
    /// was appended.
    answers: Vec<(Answer, LeaderEpoch)>,
    /// The epochs that unclean elections have begun.
    begun_uncleanly: Vec<LeaderEpoch>,
    /// The epoch of the last leader that was compared with the ledger.
    settled: LeaderEpoch,
    /// Whether something like an unclean election has happened within that epoch.
    excused: bool,
}

/// The ledgers of all partitions.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledgers {
    ledgers: SortedMap<TopicPartition, Ledger>,
    /// Brokers that are eligible although a reassignment has taken their logs away.
    strangers: SortedMap<TopicPartition, Vec<BrokerId>>,
    pub(super) hazards: Hazards,
}

impl Ledgers {
    /// Takes note of unclean elections.
    pub(super) fn note_topic(
        &mut self,
        name: &TopicName,
        before: Option<&Rc<TopicImage>>,
        topic: &TopicImage,
    ) {
        for (number, now) in topic.numbered() {
            let old = before.and_then(|before| before.partition(number));
            let begins = now.recovering
                && old.is_none_or(|old| old.leader_epoch != now.leader_epoch || !old.recovering);
            let which = TopicPartition::new(name, number);
            let strange = self.note_strangers(&which, now);
            if begins || strange || old.is_some_and(|old| is_called_off_uncleanly(old, now)) {
                self.hazards.unclean_elections += 1;
                if let Some(ledger) = self.ledgers.get_mut(&which) {
                    ledger.excused |= now.leader_epoch <= ledger.settled;
                    ledger.begun_uncleanly.push(now.leader_epoch);
                }
            }
        }
    }

    /// Below the minimum of in-sync replicas, one that a reassignment takes away stays eligible
    /// (recorded/reassign-stranger.console). If it is made a replica again while it is fenced, Kafka
    /// elects it, with an empty log, as soon as it is there.
    /// Returns whether this has happened.
    fn note_strangers(&mut self, which: &TopicPartition, now: &PartitionImage) -> bool {
        let mut strangers = self.strangers.remove(which).unwrap_or_default();
        let leads = now.leader.is_some_and(|leader| strangers.contains(&leader));
        strangers.retain(|broker| now.elr.contains(broker));
        for broker in &now.elr {
            if !now.replicas.contains(broker) && !strangers.contains(broker) {
                strangers.push(*broker);
            }
        }
        if !strangers.is_empty() {
            self.strangers.insert(which.clone(), strangers);
        }
        leads
    }

    pub(super) fn note_replica<P: Process>(
        &mut self,
        change: &Change<'_>,
        world: &World<P>,
        violations: &mut Vec<Violation>,
    ) {
        let (which, replica) = (change.which, change.now);
        let image = world.controller().image();
        let Some(topic) = image.topics.get(&which.topic) else { return };
        let Some(partition) = topic.partition(which.partition) else { return };
        // What compaction and deletion take away is not lost.
        if topic.id != replica.topic_id() || replica.log().config().compact {
            return;
        }
        let fresh = || Ledger {
            topic: topic.id,
            leader: (LeaderEpoch(-1), change.broker),
            batches: Vec::new(),
            end: Offset(0),
            answers: Vec::new(),
            begun_uncleanly: Vec::new(),
            settled: LeaderEpoch(-1),
            excused: false,
        };
        let ledger = self.ledgers.get_or_insert_with(which.clone(), fresh);
        if ledger.topic != topic.id {
            *ledger = fresh();
        }
        if replica.is_leader() && replica.leader_epoch() > ledger.leader.0 {
            ledger.leader = (replica.leader_epoch(), change.broker);
        }
        if ledger.is_led_by(change.broker, replica) {
            let excused = ledger.excuses(replica.leader_epoch());
            self.hazards.committed_records_lost += ledger.take_over(change, excused, violations);
            ledger.extend(replica);
            ledger.settle_answers(change, excused, &mut self.hazards, violations);
        }
        check_in_sync(which, ledger, world, partition, violations);
    }
}

impl Ledgers {
    /// Whether that is the leader of a partition.
    pub(super) fn is_leader(
        &self,
        broker: BrokerId,
        which: &TopicPartition,
        held: &Partition,
    ) -> bool {
        self.ledgers.get(which).is_some_and(|ledger| ledger.is_led_by(broker, held))
    }

    /// A producer was told that a batch is in the log, or it is there and nobody asked. With acks=all it
    /// is committed.
    pub(super) fn note_answer<P: Process>(
        &mut self,
        answer: Answer,
        world: &World<P>,
        violations: &mut Vec<Violation>,
    ) {
        let which = &answer.sent.to;
        let Some(ledger) = self.ledgers.get_mut(which) else { return };
        let replica = |id| world.brokers().get(&id).and_then(|it| it.partitions().get(which));
        let Some(held) = replica(answer.by) else { return };
        let mut break_rule = |rule| {
            let (by, from, end) = (answer.by, answer.base_offset, answer.end());
            let found = format!("{which}: broker {by} told offsets {from} to before {end}");
            violations.push(Violation { rule, found });
        };
        let epoch = epoch_of(held.log(), &answer);
        if epoch.is_none() && answer.base_offset >= held.log().log_start_offset() {
            break_rule("AnswersNameWhatWasAppended");
        }
        if answer.sent.acks == Acks::All && held.high_watermark() < answer.end() {
            break_rule("AnsweredToAllIsCommitted");
        }
        let epoch = epoch.unwrap_or(held.leader_epoch());
        let leader = replica(ledger.leader.1).filter(|leader| leader.topic_id() == ledger.topic);
        let is_of = held.topic_id() == ledger.topic;
        let overtaken_by = leader.filter(|_| is_of && !ledger.is_led_by(answer.by, held));
        if overtaken_by.is_some_and(|leader| !has_records(leader.log(), &answer)) {
            if answer.sent.acks == Acks::All && !ledger.excuses_loss(epoch) {
                break_rule("AnsweredToAllIsKept");
            }
            return count_lost(&answer.sent, &mut self.hazards);
        }
        if answer.end() > ledger.end {
            ledger.answers.push((answer, epoch));
        }
    }
}

/// One more batch is lost, of which its producer was told what it asked for.
fn count_lost(sent: &Sent, hazards: &mut Hazards) {
    let counter = match sent.acks {
        Acks::None => &mut hazards.unanswered_records_lost,
        Acks::Leader => &mut hazards.acknowledged_records_lost,
        Acks::All => &mut hazards.overtaken_records_lost,
    };
    *counter += u64::from(count(&sent.records));
}

/// In which epoch those records were appended, if the log has them at that offset.
fn epoch_of(log: &UnifiedLog, answer: &Answer) -> Option<LeaderEpoch> {
    let (from, end) = (answer.base_offset, Offset(answer.base_offset.0.saturating_add(1)));
    let found = log.read(from, end, u64::MAX).next().filter(|found| {
        found.base_offset == from && Rc::ptr_eq(&found.records, &answer.sent.records)
    });
    found.map(|found| found.leader_epoch)
}

/// Whether the log has those records at that offset, or had them there and deleted them since.
fn has_answered(log: &UnifiedLog, answer: &Answer) -> bool {
    answer.base_offset < log.log_start_offset() || epoch_of(log, answer).is_some()
}

/// The same, or whether it has them elsewhere, because their producer sent them again.
fn has_records(log: &UnifiedLog, answer: &Answer) -> bool {
    let mut all = log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX);
    has_answered(log, answer) || all.any(|batch| Rc::ptr_eq(&batch.records, &answer.sent.records))
}

/// Whether a reassignment was called off while nobody but replicas that it added was in sync: the first of
/// the old replicas is taken for in sync, where unclean elections are allowed.
fn is_called_off_uncleanly(old: &PartitionImage, now: &PartitionImage) -> bool {
    let is_added = |broker: &BrokerId| old.adding.contains(broker);
    let called_off = old.is_reassigning()
        && !now.is_reassigning()
        && !old.adding.is_empty()
        && !now.replicas.iter().any(is_added);
    called_off && old.isr.iter().all(is_added)
}

impl Ledger {
    fn is_led_by(&self, broker: BrokerId, held: &Partition) -> bool {
        let is_of = held.topic_id() == self.topic;
        is_of && held.is_leader() && self.leader == (held.leader_epoch(), broker)
    }

    /// Whether a leader of that epoch may lack what is committed.
    fn excuses(&self, epoch: LeaderEpoch) -> bool {
        let mut begun = self.begun_uncleanly.iter();
        self.excused || begun.any(|begun| self.settled < *begun && *begun <= epoch)
    }

    /// Whether a later leader may lack what was told in that epoch.
    fn excuses_loss(&self, epoch: LeaderEpoch) -> bool {
        self.begun_uncleanly.iter().any(|begun| epoch < *begun)
    }

    /// A leader must have all that is committed. Returns how many records it lacks, when that is excused;
    /// they are struck off.
    fn take_over(
        &mut self,
        change: &Change<'_>,
        excused: bool,
        violations: &mut Vec<Violation>,
    ) -> u64 {
        let log = change.now.log();
        self.batches.retain(|batch| batch.next_offset() > log.log_start_offset());
        let kept = self.batches.iter().take_while(|batch| holds(log, batch)).count();
        let mut lost = 0;
        if kept < self.batches.len() {
            let missing = self.batches.split_off(kept);
            if excused {
                lost = missing.iter().map(|batch| u64::from(batch.count())).sum();
            } else {
                violations.push(Violation {
                    rule: "CommittedRecordsAreKept",
                    found: format!(
                        "{}: leader {} in epoch {} lacks offset {}, which was committed",
                        change.which,
                        change.broker,
                        change.now.leader_epoch(),
                        missing.first().map_or(Offset(-1), |batch| batch.base_offset)
                    ),
                });
            }
            self.end = self.batches.last().map_or(log.log_start_offset(), |b| b.next_offset());
        }
        (self.excused, self.settled) = (false, change.now.leader_epoch());
        lost
    }

    /// What producers were told is in the leader's log, too; what is committed need not be looked at again.
    /// What an earlier leader alone had is lost.
    fn settle_answers(
        &mut self,
        change: &Change<'_>,
        excused: bool,
        hazards: &mut Hazards,
        violations: &mut Vec<Violation>,
    ) {
        let (log, committed) = (change.now.log(), self.end);
        let mut answers = std::mem::take(&mut self.answers);
        answers.retain(|(answer, epoch)| {
            let is_there = has_answered(log, answer);
            let to_all = answer.sent.acks == Acks::All;
            if !is_there && to_all && !excused && !self.excuses_loss(*epoch) {
                let (which, from) = (change.which, answer.base_offset);
                violations.push(Violation {
                    rule: "AnsweredToAllIsKept",
                    found: format!("{which}: leader {} lacks offset {from}", change.broker),
                });
            } else if !has_records(log, answer) {
                count_lost(&answer.sent, hazards);
            }
            is_there && answer.end() > committed
        });
        self.answers = answers;
    }

    /// What the leader has committed since.
    fn extend(&mut self, leader: &Partition) {
        let committed = leader.high_watermark();
        if committed > self.end {
            let log = leader.log();
            let from = self.end.max(log.log_start_offset());
            self.batches.extend(log.read(from, committed, u64::MAX).cloned());
            self.end = committed;
        }
    }
}

/// Every in-sync replica has all that is committed.
fn check_in_sync<P: Process>(
    which: &TopicPartition,
    ledger: &Ledger,
    world: &World<P>,
    partition: &PartitionImage,
    violations: &mut Vec<Violation>,
) {
    if ledger.excused || ledger.excuses_loss(ledger.settled) {
        return;
    }
    for member in &partition.isr {
        let Some(broker) = world.brokers().get(member) else { continue };
        // A process that is down or has just started may have lost its disk's tail with the power; it
        // must not lead before the controller has heard of that.
        let serves = broker.is_listening();
        let Some(replica) = broker.partitions().get(which).filter(|_| serves) else { continue };
        let log = replica.log();
        let behind = ledger
            .batches
            .iter()
            .find(|batch| batch.next_offset() > log.log_start_offset() && !holds(log, batch));
        if let Some(batch) = behind {
            violations.push(Violation {
                rule: "InSyncReplicasHaveWhatIsCommitted",
                found: format!(
                    "{which}: broker {member} is in sync and lacks offset {}; its log ends at {}",
                    batch.base_offset,
                    log.log_end_offset()
                ),
            });
        }
    }
}

/// Whether that very batch stands in the log.
pub(super) fn holds(log: &UnifiedLog, batch: &Rc<RecordBatch>) -> bool {
    let end = Offset(batch.base_offset.0.saturating_add(1));
    let found = log.read(batch.base_offset, end, u64::MAX).next();
    found.is_some_and(|found| Rc::ptr_eq(found, batch) || **found == **batch)
}
