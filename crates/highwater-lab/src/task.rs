//! The task for beginners: five steps, each ticked off when it has come true, however it was done.

use highwater_core::broker::lifecycle::Stage;
use highwater_core::world::cluster_view::BrokerView;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::words::lab as words;

use crate::figure::own_topics;

/// How far the task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Steps that are done, by their place.
    pub done: [bool; 5],
    /// Whether something was asked about.
    pub asked: bool,
}

impl Task {
    /// Looks at the moment; what was done once stays done. Which steps are new.
    pub fn follow(&mut self, snapshot: &Snapshot) -> Vec<usize> {
        let now = [
            has_topic(snapshot),
            has_records(snapshot),
            has_reader(snapshot),
            has_crash(snapshot),
            // Only what is asked about when there is something to find out.
            self.asked && self.done[3],
        ];
        if !self.done[3] {
            self.asked = false;
        }
        let mut new = Vec::new();
        for (place, (done, now)) in self.done.iter_mut().zip(now).enumerate() {
            if now && !*done {
                *done = true;
                new.push(place);
            }
        }
        new
    }

    /// The steps that are done, to be kept: `11010`.
    #[must_use]
    pub fn text(&self) -> String {
        self.done.iter().map(|done| if *done { '1' } else { '0' }).collect()
    }

    /// Reads that.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut task = Self::default();
        for (done, digit) in task.done.iter_mut().zip(text.chars()) {
            *done = digit == '1';
        }
        task
    }

    /// The first step that is not done.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        self.done.iter().position(|done| !done)
    }

    /// What the steps say.
    #[must_use]
    pub fn steps() -> [&'static str; 5] {
        words::TASK
    }
}

fn has_topic(snapshot: &Snapshot) -> bool {
    !own_topics(snapshot).is_empty()
}

fn has_records(snapshot: &Snapshot) -> bool {
    let own = own_topics(snapshot);
    let mut records = 0;
    for topic in own.iter().filter_map(|name| snapshot.topic(name)) {
        for replica in topic.partitions.iter().filter_map(|view| view.replica.as_ref()) {
            records += replica.log().log_end_offset().0;
        }
    }
    records >= 3
}

/// Somebody has read something.
fn has_reader(snapshot: &Snapshot) -> bool {
    let own = own_topics(snapshot);
    snapshot.readers.iter().any(|reader| {
        let read = |(partition, at): &(_, highwater_core::ids::Offset)| -> bool {
            let partition: &highwater_core::ids::TopicPartition = partition;
            own.contains(&partition.topic.as_str()) && at.0 > 0
        };
        reader.positions.iter().any(read)
    })
}

fn has_crash(snapshot: &Snapshot) -> bool {
    let brokers = snapshot.cluster.get().map_or(&[][..], |cluster| &cluster.brokers);
    let is_down = |broker: &BrokerView| broker.stage == Stage::Down || broker.paused.is_some();
    brokers.iter().any(is_down)
}
