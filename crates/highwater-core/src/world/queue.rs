//! What happens next, and in which order: by due time, and among equal ones in the order in which they
//! were planned.

use crate::ids::{EventId, MessageId};
use crate::scope::{self, Lab};
use crate::time::SimTime;
use crate::world::step::{Step, Timer};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// A step that will be taken.
#[derive(Clone, Debug)]
pub(super) struct Scheduled {
    pub(super) due: SimTime,
    pub(super) cause: Option<EventId>,
    pub(super) step: Step,
}

/// The steps that will be taken. A page about one broker has few of them; a cluster under load has
/// thousands.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// A page about one broker: the next one is the last.
    few: Vec<Scheduled>,
    many: Lab<Many>,
}

/// Most steps are due at once, or are messages or the ends of fetches' waits, which all take equally
/// long: each of these kinds is planned in the order in which it is due, and waits in a row. All others
/// are in a heap.
#[derive(Clone, Debug, Default)]
struct Many {
    at_once: VecDeque<Numbered>,
    messages: VecDeque<Numbered>,
    waits: VecDeque<Numbered>,
    others: BinaryHeap<Numbered>,
    planned: u64,
}

/// A step with its place among those that are due at the same time.
#[derive(Clone, Debug)]
struct Numbered {
    number: u64,
    it: Scheduled,
}

impl Numbered {
    fn key(&self) -> (SimTime, u64) {
        (self.it.due, self.number)
    }
}

impl PartialEq for Numbered {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Numbered {}

impl PartialOrd for Numbered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Numbered {
    /// What is due first is the greatest: a heap hands that out.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

/// Where the next step waits.
#[derive(Clone, Copy)]
enum Row {
    AtOnce,
    Messages,
    Waits,
    Others,
}

impl Many {
    fn push(&mut self, now: SimTime, it: Scheduled) {
        let added = Numbered { number: self.planned, it };
        self.planned += 1;
        let due = added.it.due;
        if due <= now {
            return self.at_once.push_back(added);
        }
        let row = match added.it.step {
            Step::Deliver(_) => &mut self.messages,
            Step::FireTimer(_, _, Timer::FetchWait(_)) => &mut self.waits,
            _ => return self.others.push(added),
        };
        if row.back().is_none_or(|last| last.it.due <= due) {
            row.push_back(added);
        } else {
            self.others.push(added);
        }
    }

    #[inline]
    fn next(&self) -> Option<(Row, &Numbered)> {
        let at_once = self.at_once.front().map(|first| (Row::AtOnce, first));
        let messages = self.messages.front().map(|first| (Row::Messages, first));
        let waits = self.waits.front().map(|first| (Row::Waits, first));
        let others = self.others.peek().map(|first| (Row::Others, first));
        let mut best = at_once;
        for other in [messages, waits, others].into_iter().flatten() {
            if best.is_none_or(|(_, best)| other.1.key() < best.key()) {
                best = Some(other);
            }
        }
        best
    }

    fn pop(&mut self) -> Option<Scheduled> {
        let next = match self.next()?.0 {
            Row::AtOnce => self.at_once.pop_front(),
            Row::Messages => self.messages.pop_front(),
            Row::Waits => self.waits.pop_front(),
            Row::Others => self.others.pop(),
        };
        next.map(|next| next.it)
    }

    fn in_order(&self) -> Vec<&Scheduled> {
        let mut all: Vec<&Numbered> = self.at_once.iter().chain(&self.messages).collect();
        all.extend(self.waits.iter().chain(&self.others));
        all.sort_unstable_by_key(|step| step.key());
        all.into_iter().map(|step| &step.it).collect()
    }

    fn remove(&mut self, message: MessageId) -> bool {
        let before = self.len();
        self.at_once.retain(|step| !step.it.brings(message));
        self.messages.retain(|step| !step.it.brings(message));
        self.others.retain(|step| !step.it.brings(message));
        self.len() < before
    }

    fn len(&self) -> usize {
        self.at_once.len() + self.messages.len() + self.waits.len() + self.others.len()
    }
}

impl Scheduled {
    fn brings(&self, message: MessageId) -> bool {
        matches!(&self.step, Step::Deliver(on_its_way) if on_its_way.id == message)
    }
}

impl Queue {
    /// Nothing will happen.
    pub(super) fn new() -> Self {
        let many = if scope::CLUSTER { Lab::new(Many::default()) } else { Lab::default() };
        Self { few: Vec::new(), many }
    }

    /// Puts a step behind all others that are due at the same moment.
    pub(super) fn push(&mut self, now: SimTime, it: Scheduled) {
        match self.many.get_mut() {
            Some(many) if scope::CLUSTER => many.push(now, it),
            _ => {
                let place = self.few.partition_point(|later| later.due > it.due);
                self.few.insert(place, it);
            }
        }
    }

    /// Takes the next step out.
    pub(super) fn pop(&mut self) -> Option<Scheduled> {
        match self.many.get_mut() {
            Some(many) if scope::CLUSTER => many.pop(),
            _ => self.few.pop(),
        }
    }

    /// The next step.
    pub(super) fn next(&self) -> Option<&Scheduled> {
        match self.many.get() {
            Some(many) if scope::CLUSTER => many.next().map(|(_, next)| &next.it),
            _ => self.few.last(),
        }
    }

    /// All steps, in order.
    pub(super) fn in_order(&self) -> Vec<&Scheduled> {
        match self.many.get() {
            Some(many) if scope::CLUSTER => many.in_order(),
            _ => self.few.iter().rev().collect(),
        }
    }

    /// Takes out what is wanted, in order. What is left stays in order, too.
    pub(super) fn take_out(
        &mut self,
        now: SimTime,
        is_wanted: impl Fn(&Scheduled) -> bool,
    ) -> Vec<Scheduled> {
        let mut taken = Vec::new();
        let mut left = std::mem::replace(self, Self::new());
        while let Some(next) = left.pop() {
            if is_wanted(&next) {
                taken.push(next);
            } else {
                self.push(now, next);
            }
        }
        taken
    }

    /// Takes a message that is on its way out. Whether there was one.
    pub(super) fn remove(&mut self, message: MessageId) -> bool {
        self.many.get_mut().is_some_and(|many| scope::CLUSTER && many.remove(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    use crate::draw::{Purpose, draw_below};
    use crate::ids::{BrokerId, NodeId};
    use crate::net::message::{Body, Message};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn scheduled(number: u64, due: SimTime, is_message: bool) -> Scheduled {
        let node = NodeId::Broker(BrokerId(1));
        let step = if is_message {
            Step::Deliver(Rc::new(Message {
                id: MessageId(number),
                from: node,
                to: node,
                sent: SimTime(0),
                due,
                cause: None,
                correlation: MessageId(number),
                body: Body::Disconnect { refused: false },
            }))
        } else {
            Step::FireTimer(node, 0, Timer::FetchWait(MessageId(number)))
        };
        Scheduled { due, cause: Some(EventId(number)), step }
    }

    /// Whatever is planned, lost and taken, the order is that of a list that is sorted by due time
    /// and keeps equal ones in the order in which they came.
    #[test]
    fn it_is_a_sorted_list() {
        let mut queue = Queue::new();
        let mut model: Vec<(SimTime, u64, bool)> = Vec::new();
        let mut now = SimTime(0);
        for number in 0..20_000u64 {
            let dice = |what, sides| draw_below(1, Purpose::Placement, what, number, sides);
            match dice(1, 10) {
                0..=3 => {
                    let taken = queue.pop();
                    let first = if model.is_empty() { None } else { Some(model.remove(0)) };
                    assert_eq!(
                        taken.as_ref().and_then(|step| step.cause),
                        first.map(|(_, number, _)| EventId(number))
                    );
                    now = taken.map_or(now, |step| step.due);
                }
                4 => {
                    let place = dice(2, 40) as usize;
                    let lost = model.get(place).filter(|(_, _, is_message)| *is_message).copied();
                    let number = lost.map_or(u64::MAX, |(_, number, _)| number);
                    assert_eq!(queue.remove(MessageId(number)), lost.is_some());
                    model.retain(|(_, other, _)| *other != number);
                }
                _ => {
                    let after = [0, 0, 5, 5, 5, 7, 100][dice(3, 7) as usize];
                    let (due, is_message) = (SimTime(now.0 + after), dice(4, 2) == 0);
                    queue.push(now, scheduled(number, due, is_message));
                    let place = model.partition_point(|(other, ..)| *other <= due);
                    model.insert(place, (due, number, is_message));
                }
            }
            assert_eq!(queue.next().map(|next| next.due), model.first().map(|first| first.0));
        }
        let order: Vec<Option<EventId>> = queue.in_order().iter().map(|step| step.cause).collect();
        let wanted: Vec<Option<EventId>> =
            model.iter().map(|(_, number, _)| Some(EventId(*number))).collect();
        assert_eq!(order, wanted);
    }
}
