//! Who sent which batch, in which order, and what was answered? Not a rule itself: what the rules about
//! producers need to know. A batch that is sent again is the same batch: its records are shared.

use std::rc::Rc;

use crate::ids::{BrokerId, ClientId, MessageId, NodeId, Offset, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::RecordBatch;
use crate::net::message::{Acks, Body, Message, Request, Response};
use crate::sorted_map::SortedMap;
use crate::world::process::Process;
use crate::world::world::World;

/// A batch that a producer has made.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) records: Rc<[Record]>,
    pub(super) to: TopicPartition,
    pub(super) client: ClientId,
    pub(super) acks: Acks,
}

/// A broker has told a producer that it has a batch.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) sent: Sent,
    pub(super) by: BrokerId,
    pub(super) base_offset: Offset,
}

impl Answer {
    /// The offset after the last record.
    pub(super) fn end(&self) -> Offset {
        self.base_offset.plus(count(&self.sent.records))
    }
}

pub(super) fn count(records: &[Record]) -> u32 {
    u32::try_from(records.len()).unwrap_or(u32::MAX)
}

/// All batches so far, in the order in which their producers made them.
#[derive(Clone, Debug, Default)]
pub(super) struct Batches {
    sent: Vec<Sent>,
    /// The batches of requests that may be answered.
    requests: SortedMap<MessageId, Vec<Sent>>,
    /// How many records each producer has sent with acks=0.
    unanswered: SortedMap<ClientId, u64>,
    /// The numbers of those batches of them that got into a log, and how many records are in each.
    appended: SortedMap<u64, u32>,
}

impl Batches {
    /// The batch with these records, and its number: a later one of the same producer has a larger one.
    pub(super) fn find(&self, records: &Rc<[Record]>) -> Option<(u64, &Sent)> {
        let mut all = self.sent.iter().enumerate().rev();
        let (number, sent) = all.find(|(_, sent)| Rc::ptr_eq(&sent.records, records))?;
        Some((number as u64, sent))
    }

    /// A leader has appended a batch. If nobody is told, that is all that one hears of it.
    pub(super) fn note_appended(
        &mut self,
        batch: &RecordBatch,
        to: &TopicPartition,
        by: BrokerId,
    ) -> Option<Answer> {
        let (number, sent) = self.find(&batch.records)?;
        let sent = (sent.acks == Acks::None && sent.to == *to).then(|| sent.clone())?;
        self.appended.insert(number, count(&sent.records));
        Some(Answer { sent, by, base_offset: batch.base_offset })
    }

    /// How many records that were sent with acks=0 never got into a log.
    pub(super) fn never_appended(&self) -> u64 {
        let sent: u64 = self.unanswered.values().sum();
        sent.saturating_sub(self.appended.values().map(|count| u64::from(*count)).sum())
    }

    /// Takes note of what producers have made and sent since the last look; `messages` are the new ones.
    /// Returns what was answered.
    pub(super) fn observe<P: Process>(
        &mut self,
        world: &World<P>,
        messages: &[&Message],
    ) -> Vec<Answer> {
        // What is on its way was made before what still waits.
        self.note_unanswered(messages);
        for (client, producer) in world.producers() {
            if producer.unanswered() > 0 {
                self.unanswered.insert(client, producer.unanswered());
            }
            for (request, acks, batches) in producer.requests() {
                if self.requests.contains_key(&request) {
                    continue;
                }
                let mut named = Vec::new();
                for (to, records) in batches {
                    let (to, records) = (to.clone(), Rc::clone(records));
                    let sent = Sent { records, to, client, acks };
                    self.note(&sent);
                    named.push(sent);
                }
                self.requests.insert(request, named);
            }
            for (to, records) in producer.waiting() {
                let (to, records) = (to.clone(), Rc::clone(records));
                self.note(&Sent { records, to, client, acks: producer.acks() });
            }
        }
        self.observe_answers(messages)
    }

    fn note(&mut self, sent: &Sent) {
        if self.find(&sent.records).is_none() {
            self.sent.push(sent.clone());
        }
    }

    fn note_unanswered(&mut self, messages: &[&Message]) {
        for message in messages {
            if let (
                Body::Request(Request::Produce { acks: Acks::None, batches, .. }),
                NodeId::Client(client),
            ) = (&message.body, message.from)
            {
                for (to, proposal) in batches.iter() {
                    let (to, records) = (to.clone(), Rc::clone(&proposal.records));
                    self.note(&Sent { records, to, client, acks: Acks::None });
                }
            }
        }
    }

    fn observe_answers(&self, messages: &[&Message]) -> Vec<Answer> {
        let mut answers = Vec::new();
        for message in messages {
            if let (Body::Response(Response::Produce(..)), NodeId::Broker(by)) =
                (&message.body, message.from)
            {
                self.note_answers(message, by, &mut answers);
            }
        }
        answers
    }

    fn note_answers(&self, message: &Message, by: BrokerId, answers: &mut Vec<Answer>) {
        let Body::Response(Response::Produce(outcomes, _)) = &message.body else { return };
        let Some(named) = self.requests.get(&message.correlation) else { return };
        for (which, outcome) in outcomes {
            let sent = named.iter().find(|sent| sent.to == *which);
            if let (Some(sent), Ok(base_offset)) = (sent, outcome) {
                answers.push(Answer { sent: sent.clone(), by, base_offset: *base_offset });
            }
        }
    }
}
