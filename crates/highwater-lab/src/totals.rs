//! Running totals of a run, kept for each stop: what was produced and read, how far groups are behind, how many
//! partitions have too few replicas in sync.

use std::collections::{BTreeMap, BTreeSet};

use highwater_core::controller::topic_name::is_internal;
use highwater_core::ids::{GroupId, Offset, TopicPartition};
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::group_event::GroupEvent;
use highwater_core::world::snapshot::Snapshot;

/// The totals at one stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Records that leaders have appended.
    pub produced: i64,
    /// Records that readers got.
    pub consumed: i64,
    /// Records that groups have not committed yet, all of them together.
    pub lag: i64,
    /// Partitions whose ISR is smaller than their list of replicas.
    pub under_replicated: i64,
}

/// What the totals are counted from.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    sample: Sample,
    high_watermarks: BTreeMap<TopicPartition, Offset>,
    committed: BTreeMap<(GroupId, TopicPartition), Offset>,
    under: BTreeSet<TopicPartition>,
}

impl Totals {
    /// Counts on from another moment.
    #[must_use]
    pub fn at(snapshot: &Snapshot, sample: Sample) -> Self {
        let mut totals = Self { sample, ..Self::default() };
        for topic in snapshot.topics.iter().filter(|topic| !is_internal(topic.name.as_str())) {
            for (view, image) in topic.partitions.iter().zip(&topic.image.partitions) {
                let which = TopicPartition::new(&topic.name, view.id);
                if let Some(replica) = &view.replica {
                    totals.high_watermarks.insert(which.clone(), replica.high_watermark());
                }
                if image.isr.len() < image.replicas.len() {
                    totals.under.insert(which);
                }
            }
        }
        for (_, id, entry) in snapshot
            .cluster
            .get()
            .into_iter()
            .flat_map(highwater_core::world::cluster_view::ClusterView::groups)
        {
            for (which, offset) in entry.offsets.iter() {
                totals.committed.insert((id.clone(), which.clone()), offset.committed.offset);
            }
        }
        totals
    }

    /// The totals now.
    #[must_use]
    pub fn sample(&self) -> Sample {
        let lag = self.committed.iter().filter_map(|((_, which), committed)| {
            let end = self.high_watermarks.get(which)?;
            Some((end.0 - committed.0).max(0))
        });
        let under_replicated = i64::try_from(self.under.len()).unwrap_or(i64::MAX);
        Sample { lag: lag.sum(), under_replicated, ..self.sample }
    }

    /// Whether a commit says something new: a member commits every few seconds, mostly the same.
    #[must_use]
    pub fn is_new(&self, group: &GroupId, offsets: &[(TopicPartition, Offset)]) -> bool {
        offsets
            .iter()
            .any(|(which, at)| self.committed.get(&(group.clone(), which.clone())) != Some(at))
    }

    /// Counts an event.
    pub fn count(&mut self, event: &EventKind) {
        match event {
            EventKind::BatchAppended { partition, count, .. } if is_own(partition) => {
                self.sample.produced += i64::from(*count);
            }
            EventKind::HighWatermarkAdvanced { partition, to, .. } if is_own(partition) => {
                self.high_watermarks.insert(partition.clone(), *to);
            }
            EventKind::PositionMoved { partition, from: Some(from), to, .. }
                if is_own(partition) =>
            {
                self.sample.consumed += (to.0 - from.0).max(0);
            }
            EventKind::Cluster(news) => match news.event() {
                Some(ClusterEvent::PartitionChanged { partition, after, .. })
                    if is_own(partition) =>
                {
                    if after.isr.len() < after.replicas.len() {
                        self.under.insert(partition.clone());
                    } else {
                        self.under.remove(partition);
                    }
                }
                Some(ClusterEvent::TopicDeleted { topic }) => {
                    self.high_watermarks.retain(|which, _| which.topic != *topic);
                    self.under.retain(|which| which.topic != *topic);
                    self.committed.retain(|(_, which), _| which.topic != *topic);
                }
                Some(ClusterEvent::Group(event)) => self.count_group(event),
                _ => {}
            },
            _ => {}
        }
    }

    fn count_group(&mut self, event: &GroupEvent) {
        match event {
            GroupEvent::OffsetsCommitted { group, offsets, .. } => {
                let new = offsets.iter().map(|(which, at)| ((group.clone(), which.clone()), *at));
                self.committed.extend(new);
            }
            GroupEvent::OffsetsRemoved { group, partitions, .. } => {
                self.committed.retain(|(of, which), _| of != group || !partitions.contains(which));
            }
            GroupEvent::GroupRemoved { group, .. } => {
                self.committed.retain(|(of, _), _| of != group);
            }
            _ => {}
        }
    }
}

fn is_own(partition: &TopicPartition) -> bool {
    !is_internal(partition.topic.as_str())
}
