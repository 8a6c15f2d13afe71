//! Does a batch that a leader appends stand in its log already, or behind batches that its producer made
//! later? No broker of Kafka asks that; here it is noticed.

use std::rc::Rc;

use crate::ids::{ClientId, Offset};
use crate::log::record_batch::{Origin, RecordBatch};
use crate::log::unified_log::UnifiedLog;
use crate::sorted_map::SortedMap;

/// The most producers that are remembered for one partition. Of others the log is searched.
const MOST: usize = 32;

/// What is wrong with the place of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misplaced {
    /// It stands there already.
    Twice(Offset),
    /// There stands one that its producer made later.
    Behind(Offset),
}

/// The newest batch of each producer that is in a leader's log, since it leads; or a newer one.
#[derive(Clone, Debug, Default)]
pub struct NewestBatches(SortedMap<ClientId, (u32, u32)>);

impl NewestBatches {
    /// Looks at a batch that was just appended. Only if it is not newer than all others of its producer,
    /// or nothing is known of that, the log is searched.
    pub fn judge(&mut self, log: &UnifiedLog, batch: &RecordBatch) -> Option<Misplaced> {
        let Origin { client, number, .. } = batch.origin()?;
        match self.0.get_mut(&client) {
            Some(newest) if *newest < number => {
                *newest = number;
                None
            }
            known => {
                let (found, newest) = search(log, batch)?;
                match known {
                    Some(known) => *known = newest.max(*known),
                    None => self.remember(client, newest),
                }
                found
            }
        }
    }

    fn remember(&mut self, client: ClientId, newest: (u32, u32)) {
        if self.0.len() >= MOST {
            // Clients are numbered in the order in which they came.
            let oldest = self.0.keys().next().copied();
            oldest.map(|oldest| self.0.remove(&oldest));
        }
        self.0.insert(client, newest);
    }
}

/// What is wrong with the place of a batch in this log.
#[must_use]
pub fn misplaced(log: &UnifiedLog, batch: &RecordBatch) -> Option<Misplaced> {
    search(log, batch)?.0
}

/// The same, with the newest batch of its producer up to there.
fn search(log: &UnifiedLog, batch: &RecordBatch) -> Option<(Option<Misplaced>, (u32, u32))> {
    let number = batch.origin()?.number;
    let (mut newest, mut twin, mut later) = (number, None, None);
    for (other, it) in of_its_producer(log, batch, batch.base_offset) {
        if other == number {
            twin.get_or_insert(Misplaced::Twice(it.base_offset));
        } else if other > number {
            later = Some(Misplaced::Behind(it.base_offset));
        }
        newest = newest.max(other);
    }
    Some((twin.or(later), newest))
}

/// Whether that batch stands anywhere in a log.
#[must_use]
pub fn is_anywhere(log: &UnifiedLog, batch: &RecordBatch) -> bool {
    let number = batch.origin().map(|origin| origin.number);
    let mut others = of_its_producer(log, batch, log.log_end_offset());
    others.any(|(other, _)| Some(other) == number)
}

/// The batches of the same producer that may be the same or later, before that offset, with their numbers.
fn of_its_producer<'a>(
    log: &'a UnifiedLog,
    batch: &RecordBatch,
    before: Offset,
) -> impl Iterator<Item = ((u32, u32), &'a Rc<RecordBatch>)> {
    let client = batch.origin().map(|origin| origin.client);
    // Neither a copy nor a later batch stands before records that are older than its own.
    let made = batch.records.first().map_or(0, |first| first.timestamp);
    let from = log.offset_for_timestamp(made).map_or(before, |(_, from)| from);
    log.read(from, before, u64::MAX).filter_map(move |other| {
        let origin = other.origin().filter(|origin| Some(origin.client) == client)?;
        Some((origin.number, other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LeaderEpoch;
    use crate::log::record::Record;
    use crate::log::record_batch::Proposal;
    use crate::log::unified_log::LogConfig;
    use crate::net::message::Acks;
    use crate::scope::Always;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Appends one record of that batch, made at that time; what is wrong with its place.
    fn append(
        (log, newest): (&mut UnifiedLog, &mut NewestBatches),
        client: u32,
        number: u32,
        made: i64,
    ) -> Option<Misplaced> {
        let record = Record { key: None, value: None, timestamp: made, headers: Vec::new() };
        let records: Rc<[Record]> = Rc::from([record]);
        let (client, number, acks) = (ClientId(client), (number, 0), Acks::All);
        let origin = Always::new(Some(Origin { client, number, acks }));
        let proposal = Proposal { origin, ..Proposal::from(records) };
        let appended = log.append_as_leader(&proposal, LeaderEpoch(0), made, &"t-0", None);
        let batch = appended.expect("it is valid").batch;
        let found = newest.judge(log, &batch);
        assert_eq!(found, misplaced(log, &batch), "what is remembered is what stands there");
        found
    }

    /// Copies and batches behind later ones are found, of each producer by itself.
    #[test]
    fn places() {
        let (mut log, mut newest) =
            (UnifiedLog::new(LogConfig::default()), NewestBatches::default());
        let mut next = |client, number, made| append((&mut log, &mut newest), client, number, made);
        assert_eq!(next(1, 1, 10), None);
        assert_eq!(next(2, 1, 11), None);
        assert_eq!(next(1, 3, 13), None);
        assert_eq!(next(1, 2, 12), Some(Misplaced::Behind(Offset(2))));
        assert_eq!(next(1, 1, 10), Some(Misplaced::Twice(Offset(0))));
        assert_eq!(next(1, 3, 13), Some(Misplaced::Twice(Offset(2))));
        assert_eq!(next(2, 2, 14), None);
        assert_eq!(next(1, 4, 15), None);
    }

    /// Few producers are remembered; of the others the log tells the same.
    #[test]
    fn many_producers() {
        let (mut log, mut newest) =
            (UnifiedLog::new(LogConfig::default()), NewestBatches::default());
        for client in 0..100 {
            assert_eq!(append((&mut log, &mut newest), client, 2, 20), None);
        }
        assert_eq!(newest.0.len(), MOST);
        for client in 0..100 {
            let found = append((&mut log, &mut newest), client, 1, 10);
            assert_eq!(found, Some(Misplaced::Behind(Offset(client.into()))));
        }
        assert_eq!(newest.0.len(), MOST);
    }
}
