//! Carries out a partitioner's rule where a whole cluster is around it: which partitions have a leader, what
//! waits for each, when a batch is full.

use super::built_in;
use super::java;
use super::rule::{Among, BuiltIn, Keyless, Next, Rule, Turns};
use super::{Choice, Context, KeylessState, Why, partition};
use crate::draw::{Purpose, draw};
use crate::log::record::Record;
use crate::scope::Lab;
use crate::time::SimDuration;

/// What a producer knows of a topic's partitions while it chooses one of them.
pub trait Surroundings {
    /// Whether somebody is known to lead it.
    fn has_leader(&self, partition: u32) -> bool;
    /// Whether its leader is in the client's rack (`client.rack`).
    fn is_near(&self, partition: u32) -> bool;
    /// Whether its leader has taken nothing for longer than that, though something was ready.
    fn is_stuck(&self, partition: u32, timeout: SimDuration) -> bool;
    /// Batches that wait to be sent, the open one included.
    fn waiting_batches(&self, partition: u32) -> u32;
    /// Records in them.
    fn waiting_records(&self, partition: u32) -> u32;
    /// All partitions in the order in which Java's metadata lists them.
    fn listed(&self) -> Vec<u32>;
}

/// What some partitioners remember beside a partition to stay with.
#[derive(Clone, Debug, Default)]
pub struct More {
    /// franz-go: where it was before.
    last: Option<u32>,
    /// kafka-go: bytes given to each partition.
    given: Vec<u64>,
    /// Java: which partitions have ever had a batch.
    pub(super) had_batch: Vec<bool>,
    /// Java: the order in which its metadata lists the partitions.
    listed: Vec<u32>,
}

/// Where a record goes that names no partition.
pub fn choose(
    rule: Rule,
    record: &Record,
    state: &mut KeylessState,
    context: &Context,
    topic: &dyn Surroundings,
) -> Choice {
    if let Some((hashing, key)) = rule.hashed(record.key.as_deref()) {
        return hashing.choose(key, context.partitions);
    }
    let (number, why) = match rule.keyless {
        Keyless::BuiltIn(built_in) => (
            state.sticky.unwrap_or_else(|| state.next_built_in(built_in, context, topic)),
            Why::Sticky,
        ),
        Keyless::StickyByTime(linger) => {
            state.sticky_by_time(linger, record.key.is_some(), rule, context, topic)
        }
        Keyless::StickyByBatch(next) => (state.sticky_by_batch(next, context, topic), Why::Sticky),
        Keyless::UniformBytes { bytes, adaptive } => {
            let size = record.body_size(0, 0);
            (state.uniform_bytes(bytes, adaptive, size, context, topic), Why::Sticky)
        }
        Keyless::LeastBackup => state.least_backup(context, topic),
        Keyless::LeastBytes => (state.least_bytes(record, context), Why::LeastBytes),
        Keyless::Random(among) => (state.random(among, context, topic), Why::Random),
        Keyless::Turns(turns) => (state.take_turns(turns, context, topic), Why::Turn),
        Keyless::Field => (0, Why::Unset),
    };
    Choice { partition: partition(number), why }
}

/// The partitioner is told that the record needs a new batch of its partition (KIP-480). Whether it is to be
/// asked again.
pub fn on_new_batch(
    rule: Rule,
    record: &Record,
    state: &mut KeylessState,
    context: &Context,
    topic: &dyn Surroundings,
) -> bool {
    match rule.keyless {
        // kafka-python tells only of records without a key.
        Keyless::StickyByBatch(Next::OneOfTheOthers) if record.key.is_none() => {
            let led = led(context, topic);
            let others: Vec<u32> =
                led.iter().copied().filter(|which| Some(*which) != state.sticky).collect();
            let drawn = if others.is_empty() || !led.iter().any(|which| topic.has_leader(*which)) {
                state.one_of(&led, context)
            } else {
                state.one_of(&others, context)
            };
            state.sticky = Some(drawn);
            true
        }
        Keyless::StickyByBatch(Next::AnyOrTheOneAfter) => {
            let last = state.sticky.take();
            state.more().last = last;
            true
        }
        Keyless::LeastBackup => {
            state.sticky = None;
            true
        }
        _ => false,
    }
}

/// Java: the producer begins a batch of that partition.
pub fn note_batch(number: u32, state: &mut KeylessState, context: &Context) {
    let had_batch = &mut state.more().had_batch;
    had_batch.resize(context.partitions as usize, false);
    if let Some(had) = had_batch.get_mut(number as usize) {
        *had = true;
    }
}

/// Java: so many bytes went to the sticky partition, which may be enough for it
/// (`BuiltInPartitioner.updatePartitionInfo`). Whether another one was drawn.
pub fn update_partition_info(
    rule: Rule,
    (appended_bytes, batch_size): (u32, u32),
    open_batch_waits: bool,
    state: &mut KeylessState,
    context: &Context,
    topic: &dyn Surroundings,
) -> bool {
    let Keyless::BuiltIn(built_in) = rule.keyless else { return false };
    java::update_partition_info(state, appended_bytes, batch_size, open_batch_waits, |state| {
        state.next_built_in(built_in, context, topic);
    })
}

/// The partitions that have a leader; if there are none, all.
fn led(context: &Context, topic: &dyn Surroundings) -> Vec<u32> {
    let led: Vec<u32> = (0..context.partitions).filter(|which| topic.has_leader(*which)).collect();
    if led.is_empty() { (0..context.partitions).collect() } else { led }
}

/// One of several, by an index that may be too large; 0 if there is none.
fn at(which: &[u32], index: u32) -> u32 {
    let count = u32::try_from(which.len()).unwrap_or(u32::MAX).max(1);
    which.get((index % count) as usize).copied().unwrap_or(0)
}

impl KeylessState {
    fn more(&mut self) -> &mut More {
        if !self.more.is_some() {
            self.more = Lab::new(More::default());
        }
        self.more.get_mut().expect(crate::scope::ABSENT)
    }

    /// A number below a bound that a sum may need more than 32 bits for.
    pub(super) fn number_below(&mut self, bound: u64, context: &Context) -> u64 {
        let drawn = draw(context.seed, Purpose::StickyPartition, context.who, self.draws);
        self.draws += 1;
        let wide = u128::from(drawn) * u128::from(bound);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// One of several, each as likely.
    pub(super) fn one_of(&mut self, which: &[u32], context: &Context) -> u32 {
        let count = which.len() as u64;
        at(which, u32::try_from(self.number_below(count, context)).unwrap_or(0))
    }

    fn next_built_in(
        &mut self,
        built_in: BuiltIn,
        context: &Context,
        topic: &dyn Surroundings,
    ) -> u32 {
        let had_batch = self.more.get().map_or(&[][..], |more| &more.had_batch);
        let drawn = match built_in::loads(built_in, had_batch, context.partitions, topic) {
            Some(loads) => {
                let number = self.number_below(loads.sum(), context);
                loads.at(number)
            }
            None => {
                let available = built_in::available(built_in, context.partitions, topic);
                self.one_of(&available, context)
            }
        };
        self.bytes = 0;
        self.sticky = Some(drawn);
        drawn
    }

    /// `rd_kafka_msg_partitioner`: without stickiness, and for keys that are not hashed, it is random.
    fn sticky_by_time(
        &mut self,
        linger: SimDuration,
        has_key: bool,
        rule: Rule,
        context: &Context,
        topic: &dyn Surroundings,
    ) -> (u32, Why) {
        let is_random = linger.0 == 0 || (has_key && rule.keys.is_none());
        if is_random {
            return (self.random(Among::AllTwice, context, topic), Why::Random);
        }
        let fresh = self.is_fresh(linger, context);
        let current = self.sticky.filter(|which| fresh && topic.has_leader(*which));
        let drawn = current.unwrap_or_else(|| {
            let drawn = self.random(Among::AllTwice, context, topic);
            self.since = context.now;
            self.sticky = Some(drawn);
            drawn
        });
        (drawn, Why::Sticky)
    }

    fn sticky_by_batch(&mut self, next: Next, context: &Context, topic: &dyn Surroundings) -> u32 {
        let led = led(context, topic);
        let count = u32::try_from(led.len()).unwrap_or(u32::MAX);
        match next {
            Next::OneOfTheOthers => {
                let current = self.sticky.filter(|which| led.contains(which));
                let drawn = current.unwrap_or_else(|| self.one_of(&led, context));
                self.sticky = Some(drawn);
                drawn
            }
            // What it remembers are places among those with a leader.
            Next::AnyOrTheOneAfter => {
                let current = self.sticky.filter(|place| *place < count);
                let place = current.unwrap_or_else(|| {
                    let drawn = self.place_below(count, context);
                    let is_last = self.more().last == Some(drawn);
                    if is_last { (drawn + 1) % count.max(1) } else { drawn }
                });
                self.sticky = Some(place);
                at(&led, place)
            }
        }
    }

    fn place_below(&mut self, count: u32, context: &Context) -> u32 {
        u32::try_from(self.number_below(count.into(), context)).unwrap_or(0)
    }

    /// The record that makes it too many is the first of the next.
    fn uniform_bytes(
        &mut self,
        limit: u32,
        adaptive: bool,
        size: u32,
        context: &Context,
        topic: &dyn Surroundings,
    ) -> u32 {
        let led = led(context, topic);
        let count = u32::try_from(led.len()).unwrap_or(u32::MAX);
        self.bytes += u64::from(size);
        if self.bytes >= u64::from(limit) {
            self.bytes = u64::from(size);
            self.sticky = None;
        }
        let current = self.sticky.filter(|place| *place < count);
        let place = match current {
            Some(place) => place,
            None if adaptive => self.place_by_backup(&led, context, topic),
            None => self.place_below(count, context),
        };
        self.sticky = Some(place);
        at(&led, place)
    }

    /// Each as likely as one divided by the records that wait for it, and one more.
    fn place_by_backup(&mut self, led: &[u32], context: &Context, topic: &dyn Surroundings) -> u32 {
        const ONE: u64 = 1 << 32;
        let weight = |which: &u32| ONE / (u64::from(topic.waiting_records(*which)) + 1);
        let mut number = self.number_below(led.iter().map(weight).sum(), context);
        for (place, which) in (0..).zip(led) {
            match number.checked_sub(weight(which)) {
                Some(rest) => number = rest,
                None => return place,
            }
        }
        0
    }

    fn least_backup(&mut self, context: &Context, topic: &dyn Surroundings) -> (u32, Why) {
        let led = led(context, topic);
        let count = u32::try_from(led.len()).unwrap_or(u32::MAX);
        if let Some(place) = self.sticky.filter(|place| *place < count) {
            return (at(&led, place), Why::Sticky);
        }
        let backup = |place: &u32| topic.waiting_records(at(&led, *place));
        let least = (0..count).map(|place| backup(&place)).min();
        let places: Vec<u32> = (0..count).filter(|place| Some(backup(place)) == least).collect();
        let place = self.one_of(&places, context);
        self.sticky = Some(place);
        (at(&led, place), Why::LeastBackup)
    }

    /// `LeastBytes`: the first of those with the fewest. More partitions are a new start.
    fn least_bytes(&mut self, record: &Record, context: &Context) -> u32 {
        let given = &mut self.more().given;
        if given.len() != context.partitions as usize {
            *given = vec![0; context.partitions as usize];
        }
        let bytes = |bytes: Option<&crate::ids::Bytes>| bytes.map_or(0, |bytes| bytes.len() as u64);
        let size = bytes(record.key.as_ref()) + bytes(record.value.as_ref());
        let mut least = 0;
        for (place, count) in given.iter().enumerate() {
            if *count < given[least] {
                least = place;
            }
        }
        if let Some(count) = given.get_mut(least) {
            *count = count.wrapping_add(size);
        }
        u32::try_from(least).unwrap_or(0)
    }

    fn random(&mut self, among: Among, context: &Context, topic: &dyn Surroundings) -> u32 {
        match among {
            Among::Led => self.one_of(&led(context, topic), context),
            Among::All => self.place_below(context.partitions, context),
            Among::AllTwice => {
                let drawn = self.place_below(context.partitions, context);
                if topic.has_leader(drawn) {
                    drawn
                } else {
                    self.place_below(context.partitions, context)
                }
            }
        }
    }

    fn take_turns(&mut self, turns: Turns, context: &Context, topic: &dyn Surroundings) -> u32 {
        match turns {
            Turns::Chunks(chunk) => self.turn(chunk, context),
            Turns::Wrapping => {
                let led = led(context, topic);
                if self.turn as usize >= led.len() {
                    self.turn = 0;
                }
                let turn = self.turn;
                self.turn += 1;
                at(&led, turn)
            }
            Turns::FromRandom => {
                if self.draws == 0 {
                    self.turn = self.place_below(u32::MAX, context);
                }
                self.turn = self.turn.wrapping_add(1);
                at(&led(context, topic), self.turn & 0x7fff_ffff)
            }
            Turns::Listed => {
                let turn = self.turn & 0x7fff_ffff;
                self.turn = self.turn.wrapping_add(1);
                let more = self.more();
                if more.listed.len() != context.partitions as usize {
                    more.listed = topic.listed();
                }
                let led = more.listed.iter().copied().filter(|which| topic.has_leader(*which));
                let led: Vec<u32> = led.collect();
                if led.is_empty() { turn % context.partitions.max(1) } else { at(&led, turn) }
            }
        }
    }
}
