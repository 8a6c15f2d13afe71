//! How long does a write take? A broker whose disk is slow answers what it appends later: one write after
//! the other. What it only reads is answered as usual.

use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::group_coordinator::Write as GroupWrite;
use crate::error::KafkaError;
use crate::ids::{BrokerId, LeaderEpoch, MessageId, NodeId, Offset, PartitionId, TopicPartition};
use crate::net::internal::ReplicaFetched;
use crate::net::message::{Acks, ProducerBatch};
use crate::time::SimDuration;
use crate::world::hazard::{Note, Unanswered};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// What a leader has sent to a follower: for each partition news, or why there is none.
pub(super) type Found = Vec<(TopicPartition, Result<ReplicaFetched, KafkaError>)>;

/// A produce request that has arrived.
#[derive(Clone, Debug)]
pub(super) struct Produce {
    pub(super) from: NodeId,
    pub(super) correlation: MessageId,
    pub(super) acks: Acks,
    pub(super) timeout_ms: u64,
    pub(super) batches: Rc<Vec<ProducerBatch>>,
}

/// Something that is being written.
#[derive(Clone, Debug)]
enum Write {
    /// What a producer sent.
    Produce(Produce),
    /// What the leader sent, and where each replica stood when it came.
    Copy { leader: BrokerId, found: Found, stood: Vec<(TopicPartition, Place)> },
    /// What groups of that partition have come to.
    Groups(PartitionId, Vec<GroupWrite>),
}

/// The epoch of a replica's leader, and the replica's log end.
type Place = (LeaderEpoch, Offset);

/// The writes that a broker's disk has not done yet, first come, first served. It is busy with the first;
/// how long the next one takes is known when that begins, so that those that wait for a disk that is slow
/// no more are done at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    writes: Vec<Write>,
}

impl Disk {
    /// Requests of producers that wait for it.
    pub(super) fn held(&self) -> impl Iterator<Item = (NodeId, MessageId)> {
        self.writes.iter().flat_map(|write| {
            let (produce, groups): (_, &[GroupWrite]) = match write {
                Write::Produce(produce) => (Some((produce.from, produce.correlation)), &[]),
                Write::Copy { .. } => (None, &[]),
                Write::Groups(_, writes) => (None, writes),
            };
            produce.into_iter().chain(groups.iter().filter_map(GroupWrite::asker))
        })
    }
}

impl Broker {
    /// The process ends: what producers sent with acks=0 and is not written yet, nobody sends again.
    pub(super) fn note_unwritten(&self, out: &mut Outbox) {
        for write in &self.replication.disk.writes {
            let Write::Produce(Produce { acks: Acks::None, batches, .. }) = write else { continue };
            for (which, proposal) in batches.iter() {
                let count = u32::try_from(proposal.records.len()).unwrap_or(u32::MAX);
                let why = Unanswered::EndedBefore(self.id);
                out.note(Note::Unanswered(which.clone(), count, why));
            }
        }
    }

    /// Each write that begins from now on takes so long.
    pub fn set_disk_delay(&mut self, delay: SimDuration) {
        self.life.disk_delay = delay;
    }

    /// Whether a write must wait.
    fn is_disk_slow(&self) -> bool {
        self.life.disk_delay.0 > 0 || !self.replication.disk.writes.is_empty()
    }

    /// Whether what a producer sent must wait for the disk; then it is kept until it is done.
    pub(super) fn maybe_delay_produce(&mut self, produce: &Produce, out: &mut Outbox) -> bool {
        let is_written = produce.batches.iter().any(|(to, _)| self.leading(to).is_ok());
        let waits = self.is_disk_slow() && is_written;
        if waits {
            self.write(Write::Produce(produce.clone()), out);
        }
        waits
    }

    /// The same for what the leader sent.
    pub(super) fn maybe_delay_copy(
        &mut self,
        leader: BrokerId,
        found: &[(TopicPartition, Result<ReplicaFetched, KafkaError>)],
        out: &mut Outbox,
    ) -> bool {
        let brings = |news: &Result<ReplicaFetched, KafkaError>| {
            news.as_ref().is_ok_and(|news| !news.batches.is_empty())
        };
        if !self.is_disk_slow() || !found.iter().any(|(_, news)| brings(news)) {
            return false;
        }
        let stood = found.iter().filter_map(|(which, _)| Some((which.clone(), self.place(which)?)));
        let stood = stood.collect();
        if let Some(fetcher) = self.replication.fetchers.get_mut(&leader) {
            fetcher.writes += 1;
        }
        self.write(Write::Copy { leader, found: found.to_vec(), stood }, out);
        true
    }

    /// The same for what groups of a partition have come to.
    pub(super) fn maybe_delay_groups(
        &mut self,
        partition: PartitionId,
        writes: &[GroupWrite],
        out: &mut Outbox,
    ) -> bool {
        let waits = self.is_disk_slow() && writes.iter().any(GroupWrite::has_records);
        if waits {
            self.write(Write::Groups(partition, writes.to_vec()), out);
        }
        waits
    }

    /// Whether something that groups of that partition have come to is not written yet.
    pub(super) fn is_writing_groups(&self, partition: PartitionId) -> bool {
        self.replication.disk.writes.iter().any(
            |write| matches!(write, Write::Groups(which, writes) if *which == partition && !writes.is_empty()),
        )
    }

    /// What groups of that partition have come to, and is not written: it will not be.
    pub(super) fn take_group_writes(&mut self, partition: PartitionId) -> Vec<GroupWrite> {
        let mut taken = Vec::new();
        for write in &mut self.replication.disk.writes {
            if let Write::Groups(which, writes) = write
                && *which == partition
            {
                taken.append(writes);
            }
        }
        taken
    }

    fn place(&self, which: &TopicPartition) -> Option<Place> {
        let held = self.partitions.get(which)?;
        Some((held.leader_epoch(), held.log().log_end_offset()))
    }

    fn write(&mut self, write: Write, out: &mut Outbox) {
        let writes = &mut self.replication.disk.writes;
        if writes.is_empty() {
            out.timer(self.life.disk_delay, Timer::DiskWrite);
        }
        writes.push(write);
    }

    /// The oldest write is done.
    pub(super) fn handle_disk_write(&mut self, out: &mut Outbox) {
        let writes = &mut self.replication.disk.writes;
        if writes.is_empty() {
            return;
        }
        let done = writes.remove(0);
        if !writes.is_empty() {
            out.timer(self.life.disk_delay, Timer::DiskWrite);
        }
        match done {
            Write::Produce(produce) => self.take_produce(&produce, out),
            Write::Groups(partition, writes) => self.finish_group_writes(partition, writes, out),
            Write::Copy { leader, found, stood } => {
                if let Some(fetcher) = self.replication.fetchers.get_mut(&leader) {
                    fetcher.writes = fetcher.writes.saturating_sub(1);
                }
                let (mut fresh, mut stale) = (Found::new(), Vec::new());
                for (which, news) in found {
                    let before = stood.iter().find(|(known, _)| *known == which);
                    if before.map(|(_, place)| *place) == self.place(&which) {
                        fresh.push((which, news));
                    } else {
                        stale.push(which);
                    }
                }
                // What has another leader now, or was cut off meanwhile, is asked for anew.
                if let Some(fetcher) = self.replication.fetchers.get_mut(&leader) {
                    for which in &stale {
                        fetcher.note_change(which);
                    }
                }
                self.take_found(leader, &fresh, out);
            }
        }
    }
}
