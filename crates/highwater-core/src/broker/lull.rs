//! What a broker looks like while nobody does anything but show that he is there, and what it is after that
//! has gone on for a while (`world/lull.rs`).

use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::group_coordinator::find::offsets_partition;
use crate::ids::{BrokerId, GroupId, MemberId, MessageId, NodeId, Offset, TopicPartition};
use crate::log::record_batch::RecordBatch;
use crate::time::{SimDuration, SimTime};

/// A broker at rest.
#[derive(Debug, Default)]
pub(crate) struct BrokerAtRest {
    /// The partitions of `__consumer_offsets` that it leads and coordinates, with their ends.
    pub(crate) ends: Vec<(TopicPartition, Offset)>,
    /// The members of its groups, each with this broker.
    pub(crate) members: Vec<(GroupId, MemberId, BrokerId)>,
    /// When fetches of followers began that began since the given moment.
    pub(crate) moments: Vec<SimTime>,
}

/// What was done since a moment was done again and again, for so much longer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leap {
    pub(crate) since: SimTime,
    pub(crate) by: SimDuration,
    /// Now.
    pub(crate) to: SimTime,
}

/// What was appended to a partition by that: all of it, and with how many offsets.
#[derive(Debug)]
pub(crate) struct Grown {
    pub(crate) partition: TopicPartition,
    pub(crate) batches: Vec<Rc<RecordBatch>>,
    pub(crate) offsets: u32,
}

impl Broker {
    /// The client whose fetch waits here under that number, in vain.
    pub(crate) fn waiting_fetch_of(&self, correlation: MessageId) -> Option<NodeId> {
        let fetch = self.delayed_fetches.get(&correlation)?;
        self.has_nothing_for(&fetch.request).then_some(fetch.from)
    }

    /// What it looks like, if nothing is under way in it but fetches that wait. A round of commits, which
    /// takes `period`, has begun after `since`.
    pub(crate) fn at_rest(&self, since: SimTime, period: SimDuration) -> Option<BrokerAtRest> {
        let replication = &*self.replication;
        let mut rest = BrokerAtRest::default();
        for session in replication.sessions.values() {
            let (waits, fetched) = session.rest()?;
            rest.moments.extend([waits, fetched].into_iter().filter(|at| *at >= since));
        }
        for fetcher in replication.fetchers.values() {
            let is_still = fetcher.in_flight.is_some()
                && fetcher.backing_off.is_none()
                && fetcher.writes == 0
                && !fetcher.has_changes();
            if !is_still {
                return None;
            }
            rest.moments.extend(Some(fetcher.sent).filter(|at| *at >= since));
        }
        for (partition, shard) in self.group_shards() {
            let which = offsets_partition(partition);
            let held = self.leading(&which).ok().filter(|held| held.is_at_rest())?;
            let members = shard.members_at_rest()?.into_iter();
            rest.members.extend(members.map(|(group, member)| (group, member, self.id)));
            rest.ends.push((which, held.log().log_end_offset()));
        }
        let waiting = self.delayed_fetches.len() + replication.sessions.len();
        // The file with the high watermarks is written between two rounds, or always at the same moment of
        // a round.
        let written = self.config().high_watermark_checkpoint_interval;
        let is_in_step = written == period || 2 * written.0 <= period.0;
        let is_still = self.held_requests().len() == waiting
            && replication.alter_partition.is_idle()
            && self.life.disk_delay.0 == 0;
        (is_still && is_in_step).then_some(rest)
    }

    /// How often what was appended there surely fits in, so much time apart.
    pub(crate) fn rounds_left(
        &self,
        which: &TopicPartition,
        batches: &[Rc<RecordBatch>],
        apart: SimDuration,
    ) -> u64 {
        let apart_ms = i64::try_from(apart.0 / 1_000).unwrap_or(i64::MAX);
        let held = self.partitions.get(which);
        held.map_or(u64::MAX, |held| held.log().rounds_left(batches, apart_ms))
    }

    /// What happened since a moment has happened again and again.
    pub(crate) fn leap(&mut self, leap: Leap, all: &[Grown]) {
        let Leap { since, by, to } = leap;
        let replication = &mut *self.replication;
        for session in replication.sessions.values_mut() {
            session.leap_fetches(since, by);
            for grown in all {
                session.leap(&grown.partition, grown.offsets);
            }
        }
        for fetcher in replication.fetchers.values_mut() {
            if fetcher.sent >= since {
                fetcher.sent = fetcher.sent + by;
            }
        }
        for Grown { partition, batches, offsets } in all {
            if let Some(held) = Self::holding(&mut self.partitions, partition) {
                held.leap(since, by, (batches, *offsets));
            }
        }
        if self.group_shards().next().is_some() {
            self.replication.groups.leap(since, by, to);
        }
    }

    /// The look at the followers that was planned has come to nothing.
    pub(crate) fn forget_isr_check(&mut self) {
        self.replication.alter_partition.forget_check();
    }
}
