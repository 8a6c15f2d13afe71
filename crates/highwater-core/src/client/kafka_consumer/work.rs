//! What its application has got of a consumer in a group, and what it has worked on: the consumer notes
//! both for the count of records that a group gets again or skips.

use std::rc::Rc;

use crate::client::ClientReply;
use crate::client::kafka_consumer::config::Subscription;
use crate::client::kafka_consumer::{ConsumedRecord, KafkaConsumer};
use crate::ids::{Offset, TopicPartition};
use crate::scope::Lab;
use crate::world::group_hazard::{Beginning, GroupNote, Work};
use crate::world::hazard::Note;
use crate::world::outbox::Outbox;

impl KafkaConsumer {
    /// The poll is over, with these records.
    pub(super) fn hand_out(&mut self, records: Vec<ConsumedRecord>, out: &mut Outbox) {
        self.poll = None;
        let records = Rc::new(records);
        if self.is_member() {
            let (group, pieces) = (self.group(), Work::pieces_of(&records));
            self.at_work.extend(pieces.iter().cloned());
            let records = Rc::clone(&records);
            out.note(Note::Group(GroupNote::HandedOut { group, records, pieces }));
        }
        out.reply(ClientReply::Polled(Lab::new(records)));
    }

    /// The application has done its work on these.
    pub(super) fn note_worked(&self, done: Vec<Work>, out: &mut Outbox) {
        if self.is_member() && !done.is_empty() {
            out.note(Note::Group(GroupNote::Worked(self.group(), done)));
        }
    }

    /// An application that closes its consumer has worked on all before the positions.
    pub(super) fn note_worked_before_close(&mut self, out: &mut Outbox) {
        if self.config.reports_work {
            return;
        }
        let mut done = std::mem::take(&mut self.at_work);
        done.retain_mut(|piece| {
            let position = self.state.position(&piece.partition);
            piece.to = position.map_or(piece.to, |position| piece.to.min(position));
            piece.from < piece.to
        });
        self.note_worked(done, out);
    }

    /// It begins to read a partition there.
    pub(super) fn note_began(
        &self,
        which: &TopicPartition,
        at: Offset,
        place: Beginning,
        out: &mut Outbox,
    ) {
        if self.is_member() {
            let (group, partition) = (self.group(), which.clone());
            out.note(Note::Group(GroupNote::Began { group, partition, at, place }));
        }
    }

    pub(super) fn is_member(&self) -> bool {
        matches!(self.subscription, Some(Subscription::Subscribed(_)))
    }
}
