//! What a client remembers of its fetch session on a broker (`FetchSessionHandler`, KIP-227): what the broker knows
//! already need not be said again.

use crate::error::ErrorCode;
use crate::ids::{LeaderEpoch, Offset, TopicPartition};
use crate::net::message::{FetchMetadata, FetchSessionAnswer, SessionId};
use crate::replication::fetch_session_cache::epoch_after;

/// A partition with what a fetch says of it.
pub type Place = (TopicPartition, Offset, Option<LeaderEpoch>);

/// What a fetch says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchData {
    /// Of which partitions it says something.
    pub named: Vec<Place>,
    /// Which are not fetched any more.
    pub forgotten: Vec<TopicPartition>,
    /// Which fetch of which session it is.
    pub session: FetchMetadata,
}

/// The session on one broker.
#[derive(Clone, Debug, Default)]
pub struct FetchSessionHandler {
    next: FetchMetadata,
    /// All that the fetch under way reads, sorted.
    places: Vec<Place>,
}

impl FetchSessionHandler {
    /// The next fetch, which reads all this; it is sorted (`Builder.build`).
    pub fn build(&mut self, wanted: Vec<Place>) -> FetchData {
        let session = self.next;
        if session.is_full() {
            self.places.clone_from(&wanted);
            return FetchData { named: wanted, forgotten: Vec::new(), session };
        }
        let (mut added, mut altered, mut forgotten) = (Vec::new(), Vec::new(), Vec::new());
        let before = std::mem::take(&mut self.places);
        let mut before = before.into_iter().peekable();
        for place in &wanted {
            while let Some((which, ..)) = before.next_if(|known| known.0 < place.0) {
                forgotten.push(which);
            }
            match before.next_if(|known| known.0 == place.0) {
                Some(known) if known == *place => {}
                Some(_) => altered.push(place.clone()),
                None => added.push(place.clone()),
            }
        }
        forgotten.extend(before.map(|(which, ..)| which));
        self.places = wanted;
        added.append(&mut altered);
        FetchData { named: added, forgotten, session }
    }

    /// From where the fetch under way reads a partition.
    #[must_use]
    pub fn fetched_from(&self, which: &TopicPartition) -> Option<Offset> {
        let place = self.places.binary_search_by(|known| known.0.cmp(which)).ok()?;
        self.places.get(place).map(|known| known.1)
    }

    /// An answer has come; whether it brings anything (`handleResponse`).
    pub fn handle_response(&mut self, answer: FetchSessionAnswer) -> bool {
        match answer {
            Ok(id) if id == SessionId::default() => self.next = FetchMetadata::default(),
            Ok(session) if self.next.is_full() => self.next = FetchMetadata { session, epoch: 1 },
            Ok(_) => self.next.epoch = FetchMetadata::next_epoch(self.next.epoch),
            Err(ErrorCode::FetchSessionIdNotFound) => {
                self.next = FetchMetadata::default();
                return false;
            }
            Err(_) => {
                self.handle_error();
                return false;
            }
        }
        true
    }

    /// No answer has come: what the broker knows of the session is not known. Another one takes its place
    /// (`nextCloseExistingAttemptNew`).
    pub fn handle_error(&mut self) {
        self.next.epoch = FetchMetadata::INITIAL_EPOCH;
    }

    /// The last fetch, which ends the session (`notifyClose`).
    pub fn close(&mut self) -> FetchData {
        self.next.epoch = FetchMetadata::FINAL_EPOCH;
        FetchData { named: Vec::new(), forgotten: Vec::new(), session: self.next }
    }

    /// Whether there is a session, in which nothing needs to be said.
    pub(crate) fn is_open(&self) -> bool {
        !self.next.is_full()
    }

    /// So many fetches have come and gone, in vain.
    pub(crate) fn leap(&mut self, times: u64) {
        if self.is_open() {
            self.next.epoch = epoch_after(self.next.epoch, times);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{PartitionId, TopicName};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn place(partition: i32, offset: i64) -> Place {
        let which = TopicPartition::new(&TopicName::new("t"), PartitionId(partition));
        (which, Offset(offset), Some(LeaderEpoch(0)))
    }

    /// Partitions with offsets, forgotten ones, the session and its epoch.
    type Said = (Vec<(i32, i64)>, Vec<i32>, (u32, i32));

    fn said(data: &FetchData) -> Said {
        let named = data.named.iter().map(|(which, offset, _)| (which.partition.0, offset.0));
        let forgotten = data.forgotten.iter().map(|which| which.partition.0).collect();
        (named.collect(), forgotten, (data.session.session.0, data.session.epoch))
    }

    /// The first fetch names all; the others what is new, then what has moved, and what is left out.
    #[test]
    fn a_session_says_what_has_changed() {
        let mut handler = FetchSessionHandler::default();
        let first = handler.build(vec![place(0, 0), place(1, 0), place(2, 0)]);
        assert_eq!(said(&first), (vec![(0, 0), (1, 0), (2, 0)], vec![], (0, 0)));
        assert!(handler.handle_response(Ok(SessionId(7))));
        let second = handler.build(vec![place(0, 4), place(2, 0), place(3, 1)]);
        assert_eq!(said(&second), (vec![(3, 1), (0, 4)], vec![1], (7, 1)));
        assert_eq!(handler.fetched_from(&place(0, 0).0), Some(Offset(4)));
        assert_eq!(handler.fetched_from(&place(1, 0).0), None);
        assert!(handler.handle_response(Ok(SessionId(7))));
        let third = handler.build(vec![place(0, 4), place(2, 0), place(3, 1)]);
        assert_eq!(said(&third), (vec![], vec![], (7, 2)));
        handler.leap(5);
        let later = handler.build(vec![place(0, 4)]);
        assert_eq!(said(&later), (vec![], vec![2, 3], (7, 7)));
        assert_eq!(said(&handler.close()), (vec![], vec![], (7, -1)));
    }

    /// What follows when there is no session, it is gone, was lost, or the broker takes the fetch for another one.
    #[test]
    fn a_session_that_ends_is_opened_anew() {
        let wanted = || vec![place(0, 3)];
        let full = |number| (vec![(0, 3)], vec![], number);
        let mut handler = FetchSessionHandler::default();
        let _ = handler.build(wanted());
        assert!(handler.handle_response(Ok(SessionId(0))), "no room for one");
        assert_eq!(said(&handler.build(wanted())), full((0, 0)));
        assert!(handler.handle_response(Ok(SessionId(5))));
        assert_eq!(said(&handler.build(wanted())), (vec![], vec![], (5, 1)));
        assert!(!handler.handle_response(Err(ErrorCode::InvalidFetchSessionEpoch)));
        assert_eq!(said(&handler.build(wanted())), full((5, 0)), "the old one is closed");
        assert!(handler.handle_response(Ok(SessionId(6))));
        let _ = handler.build(wanted());
        handler.handle_error();
        assert_eq!(said(&handler.build(wanted())), full((6, 0)));
        assert!(handler.handle_response(Ok(SessionId(8))));
        let _ = handler.build(wanted());
        assert!(!handler.handle_response(Err(ErrorCode::FetchSessionIdNotFound)));
        assert_eq!(said(&handler.build(wanted())), full((0, 0)));
        assert!(handler.handle_response(Ok(SessionId(9))));
        let _ = handler.build(wanted());
        assert!(handler.handle_response(Ok(SessionId(0))), "closed by the broker");
        assert_eq!(said(&handler.build(wanted())), full((0, 0)));
    }
}
