//! A lull: members of groups have nothing to read, and show again and again that they are there. They send
//! heartbeats, fetch in vain, commit what they had committed, ask for metadata that is as it was. While
//! nothing else is due, none of this is played: the world sleeps.
//!
//! Each of these rows has a period of its own and does not depend on the others. Only commits change
//! something, and that again and again in the same way: if two rounds of them began alike, all that
//! follow are alike, too. So what the world is at any later moment follows from how long it slept: rows
//! stand at other moments of theirs, and what the commits of a round appended was appended so often.
//!
//! Whatever happens wakes it: a step, an input, a look at it. It then stands some seconds earlier, at the
//! beginning of a round, and plays from there on.

mod wakes;

use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::group_coordinator::Recommit;
use crate::broker::lull::{Grown, Leap};
use crate::client::Client;
use crate::client::kafka_consumer::KafkaConsumer;
use crate::client::kafka_consumer::lull::Rhythm;
use crate::ids::{BrokerId, ClientId, MessageId, NodeId, Offset, TopicPartition};
use crate::log::record_batch::RecordBatch;
use crate::scope;
use crate::sorted_map::{SortedMap, sort_by_key};
use crate::time::{SimDuration, SimTime, next_of_row};
use crate::world::process::Process;
use crate::world::queue::Scheduled;
use crate::world::step::{Step, Timer};
use crate::world::world::World;

pub(super) use self::wakes::Wakes;

/// The world sleeps no longer than that: whoever looks at it need not make up for more.
const LONGEST: SimDuration = SimDuration::from_millis(3_600_000);
/// So many rounds of commits must be worth it.
const FEWEST_ROUNDS: u64 = 4;

/// What is known of a lull, and whether the world sleeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Lulls {
    last: Option<Round>,
    sleep: Option<Sleep>,
    /// It was woken for what is due then, and may not sleep before.
    awake_until: SimTime,
}

/// The beginning of a round of commits.
#[derive(Clone, Debug)]
struct Round {
    /// Whose commit comes first.
    first: ClientId,
    at: SimTime,
    rest: Rest,
    /// Whether the round before it began alike.
    is_alike: bool,
}

/// A world at rest, at some moment.
#[derive(Clone, Debug)]
struct Rest {
    members: SortedMap<ClientId, Rhythm>,
    period: SimDuration,
    /// When, from that moment on, everything of the round is due, or how long ago it was.
    phases: Vec<u64>,
    /// The logs of the coordinators.
    ends: Vec<(TopicPartition, Offset)>,
    /// When something else is due.
    until: SimTime,
}

/// A world that sleeps.
#[derive(Clone, Debug)]
struct Sleep {
    /// Since the beginning of this round.
    from: SimTime,
    until: SimTime,
    period: SimDuration,
    members: SortedMap<ClientId, Rhythm>,
    /// What the rows have in the queue at the beginning.
    tokens: Vec<Scheduled>,
    /// What is appended to the logs of the coordinators in each round.
    appended: Vec<(TopicPartition, Vec<Recommit>)>,
}

impl Sleep {
    /// How long it takes, at least, until all rows have begun anew.
    fn warm_up(&self) -> SimDuration {
        let rows = self.members.values().flat_map(|it| [it.heartbeat_period, it.fetch_period]);
        let longest = rows.fold(self.period, SimDuration::max);
        SimDuration(2 * longest.0)
    }

    /// After how many rounds the world wakes up, to be played from there until that moment.
    fn rounds_until(&self, moment: SimTime) -> u64 {
        let slept = moment.0.saturating_sub(self.from.0 + self.warm_up().0);
        let mut rounds = slept / self.period.0.max(1);
        while rounds > 0 && self.asks_for_metadata_near(self.after(rounds)) {
            rounds -= 1;
        }
        rounds
    }

    fn after(&self, rounds: u64) -> SimTime {
        SimTime(self.from.0 + rounds * self.period.0)
    }

    /// Whether a member asks for metadata then, or too soon after it to have planned that.
    fn asks_for_metadata_near(&self, moment: SimTime) -> bool {
        self.members.values().any(|it| {
            let on_the_way = it.answer_takes.0 + 1;
            let from = SimTime(moment.0.saturating_sub(on_the_way));
            let next = next_of_row(it.metadata_at, it.metadata_period, from);
            next.0 <= moment.0 + 2 * it.fetch_period.0
        })
    }

    /// Fetches of a member have waited there one after the other for so long: whose, where, and how many.
    fn leap_fetch(
        &self,
        (at, broker): (BrokerId, &mut Broker),
        id: MessageId,
        by: SimDuration,
    ) -> Option<(ClientId, BrokerId, u64)> {
        let NodeId::Client(client) = broker.waiting_fetch_of(id)? else { return None };
        let times = by.0 / self.members.get(&client)?.fetch_period.0.max(1);
        broker.leap_fetch(id, times, by);
        Some((client, at, times))
    }

    /// When a step of a row is due first that is not before `now`.
    fn due(&self, token: &Scheduled, broker: Option<&Broker>, now: SimTime) -> Option<SimTime> {
        let by = now.0 - self.from.0;
        match &token.step {
            Step::FireTimer(NodeId::Client(id), _, timer) => match timer {
                Timer::Heartbeat => {
                    let period = self.members.get(id)?.heartbeat_period;
                    Some(next_of_row(token.due, period, now))
                }
                Timer::RetryBackoff => Some(SimTime(token.due.0 + by)),
                _ => Some(token.due).filter(|due| *due >= now),
            },
            Step::FireTimer(NodeId::Broker(_), _, timer) => match timer {
                Timer::FetchWait(id) => {
                    let NodeId::Client(client) = broker?.waiting_fetch_of(*id)? else {
                        return None;
                    };
                    let period = self.members.get(&client)?.fetch_period;
                    Some(next_of_row(token.due, period, now))
                }
                Timer::GroupWriteExpiry(_) => Some(SimTime(token.due.0 + by)),
                Timer::IsrCheck => Some(token.due).filter(|due| *due >= now),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether that is a step of a row. A member may have other timers that still wait for nothing.
fn is_token(
    members: &SortedMap<ClientId, Rhythm>,
    Scheduled { due, step, .. }: &Scheduled,
) -> bool {
    match step {
        Step::FireTimer(NodeId::Client(id), _, Timer::RetryBackoff) => {
            members.get(id).is_some_and(|it| it.commits_at == *due)
        }
        Step::FireTimer(NodeId::Client(id), _, Timer::Heartbeat | Timer::InFlightExpiry) => {
            members.contains_key(id)
        }
        Step::FireTimer(NodeId::Broker(_), _, timer) => matches!(
            timer,
            Timer::FetchWait(_)
                | Timer::GroupWriteExpiry(_)
                | Timer::GroupDeadline(..)
                | Timer::IsrCheck
        ),
        _ => false,
    }
}

impl<P: Process> World<P> {
    /// Until when it sleeps, if nothing wakes it before.
    pub(super) fn sleeps_until(&self) -> Option<SimTime> {
        if !scope::CLUSTER {
            return None;
        }
        self.lulls.sleep.as_ref().map(|sleep| sleep.until)
    }

    /// Before a step: notes what a round of commits begins with.
    pub(super) fn note_round(&mut self, step: &Step) {
        let Step::FireTimer(NodeId::Client(first), _, Timer::RetryBackoff) = step else { return };
        let (first, at) = (*first, self.now);
        let is_within = self.lulls.last.as_ref().is_some_and(|last| {
            at.0 < last.at.0 + last.rest.period.0 || last.first == first && at == last.at
        });
        if is_within || self.options.show_quiet_traffic {
            return;
        }
        let rest = self.rest(at);
        let rest =
            rest.filter(|rest| rest.members.get(&first).is_some_and(|it| it.commits_at == at));
        let Some(rest) = rest else {
            if self.lulls.last.is_some() {
                self.lulls.last = None;
            }
            return;
        };
        let is_alike = self.lulls.last.take().is_some_and(|last| {
            last.first == first
                && last.at + last.rest.period == at
                && last.rest.period == rest.period
                && last.rest.phases == rest.phases
        });
        self.lulls.last = Some(Round { first, at, rest, is_alike });
    }

    /// After a step: if it is the last one before another round that begins as the one before, the world
    /// falls asleep.
    pub(super) fn maybe_sleep(&mut self) {
        let Some(last) = &self.lulls.last else { return };
        let Some(next) = self.queue.next() else { return };
        let begins = last.at + last.rest.period;
        let is_first = next.due == begins
            && matches!(next.step, Step::FireTimer(NodeId::Client(id), _, Timer::RetryBackoff)
                if id == last.first);
        let may_sleep = self.now < begins && self.now >= self.lulls.awake_until;
        if !is_first || !last.is_alike || !may_sleep {
            return;
        }
        let Some(sleep) = self.sleep_of(last, begins) else { return };
        let tokens = self.queue.take_out(self.now, |scheduled| is_token(&sleep.members, scheduled));
        self.lulls.sleep = Some(Sleep { tokens, ..sleep });
    }

    /// How the world would sleep from that moment on, if it is worth it.
    fn sleep_of(&self, last: &Round, from: SimTime) -> Option<Sleep> {
        let rest = self.rest(from)?;
        let logs = rest.ends.iter().map(|(which, _)| which);
        let is_alike = rest.phases == last.rest.phases
            && rest.period == last.rest.period
            && logs.eq(last.rest.ends.iter().map(|(which, _)| which));
        if !is_alike {
            return None;
        }
        let mut until = rest.until.min(from + LONGEST);
        let (mut appended, mut said) = (Vec::new(), Vec::new());
        for ((which, end), (_, begun)) in rest.ends.iter().zip(&last.rest.ends) {
            let holders = self.brokers.values().filter_map(|it| it.partitions().get(which));
            let leader = holders.into_iter().find(|held| held.is_leader())?;
            let batches = leader.log().read(*begun, *end, u64::MAX);
            let batches: Vec<Rc<RecordBatch>> = batches.map(Rc::clone).collect();
            for broker in self.brokers.values() {
                let rounds = broker.rounds_left(which, &batches, rest.period);
                let end = rounds.saturating_mul(rest.period.0).saturating_add(from.0);
                if !batches.is_empty() {
                    until = until.min(SimTime(end));
                }
            }
            let again = batches.iter().map(Recommit::of).collect::<Option<Vec<_>>>()?;
            said.extend(again.iter().flat_map(Recommit::said).cloned());
            appended.push((which.clone(), again));
        }
        // The last round said what the next one will say.
        let mut wanted = Vec::new();
        for it in rest.members.values() {
            let (group, consumed) = (&it.group, it.consumed.iter().cloned());
            wanted.extend(consumed.map(|(which, offset)| (group.clone(), which, offset)));
        }
        sort_by_key(&mut said, |(group, which, _)| (group.clone(), which.clone()));
        sort_by_key(&mut wanted, |(group, which, _)| (group.clone(), which.clone()));
        if said != wanted {
            return None;
        }
        let (period, members) = (rest.period, rest.members);
        let sleep = Sleep { from, until, period, members, tokens: Vec::new(), appended };
        (sleep.rounds_until(until) >= FEWEST_ROUNDS).then_some(sleep)
    }

    /// What the world looks like when nothing is under way at that moment but the rows of waiting members.
    fn rest(&self, at: SimTime) -> Option<Rest> {
        if !self.is_healthy() {
            return None;
        }
        let (mut members, image) = (SortedMap::new(), self.controller.image());
        for (id, slot) in self.clients.iter() {
            if let Client::KafkaConsumer(consumer) = &slot.client {
                members.insert(*id, consumer.get()?.rhythm(self.options.network_delay, image)?);
            }
        }
        let period = members.values().next().map(|it: &Rhythm| it.commit_period)?;
        let mut phases = Vec::new();
        for it in members.values() {
            // Each commits within the round that begins now.
            let is_within = it.commits_at >= at && it.commits_at.0 < at.0 + period.0;
            if it.commit_period != period || !is_within {
                return None;
            }
            phases.push(it.commits_at.0 - at.0);
        }
        let since = SimTime(at.0.saturating_sub(period.0));
        let (mut ends, mut known) = (Vec::new(), Vec::new());
        for broker in self.brokers.values() {
            let rest = broker.at_rest(since, period)?;
            phases.extend(rest.moments.iter().map(|moment| at.0.wrapping_sub(moment.0)));
            phases.push(u64::MAX);
            ends.extend(rest.ends);
            known.extend(rest.members);
        }
        let mut mine = Vec::new();
        for it in members.values() {
            mine.push((it.group.clone(), it.member.clone(), it.coordinator));
        }
        known.sort_unstable();
        mine.sort_unstable();
        if known != mine {
            return None;
        }
        let mut until = self.until_something_else(at, &members, &mut phases)?;
        for it in members.values().filter(|it| !it.is_current) {
            // It will hear of something new.
            until = until.min(it.metadata_at);
        }
        Some(Rest { members, period, phases, ends, until })
    }

    /// Whether nothing is wrong with the cluster, and nobody wants to see all traffic.
    fn is_healthy(&self) -> bool {
        let faults = &*self.faults;
        !self.options.show_quiet_traffic
            && faults.rules.is_empty()
            && faults.slowed.is_empty()
            && faults.suspended.is_empty()
            && self.slow_disks().is_empty()
            && self.brokers.keys().all(|id| self.is_serving(*id))
    }

    /// When something is due that belongs to no row; `None`: something is under way, or a row is not as it
    /// must be.
    fn until_something_else(
        &self,
        at: SimTime,
        members: &SortedMap<ClientId, Rhythm>,
        phases: &mut Vec<u64>,
    ) -> Option<SimTime> {
        let mut until = SimTime(u64::MAX);
        let mut fetches: SortedMap<ClientId, u32> = SortedMap::new();
        for scheduled in self.queue.in_order() {
            let Scheduled { due, step, .. } = scheduled;
            match step {
                Step::Deliver(_) => return None,
                _ if !is_token(members, scheduled) => until = until.min(*due),
                Step::FireTimer(NodeId::Broker(id), _, Timer::FetchWait(fetch)) => {
                    let client = self.brokers.get(id)?.waiting_fetch_of(*fetch)?;
                    let NodeId::Client(client) = client else { return None };
                    members.get(&client)?;
                    *fetches.get_or_insert_with(client, || 0) += 1;
                }
                Step::FireTimer(_, _, Timer::GroupWriteExpiry(partition)) => {
                    phases
                        .extend([due.0.wrapping_sub(at.0), u64::from(partition.0.unsigned_abs())]);
                }
                _ => {}
            }
        }
        let all =
            members.iter().all(|(id, it)| fetches.get(id).copied().unwrap_or(0) == it.fetches);
        (all && until > at).then_some(until)
    }

    /// Something is about to happen at that moment: a world that sleeps wakes up before it, and goes on by
    /// steps.
    pub(super) fn wake_for(&mut self, moment: SimTime) {
        if !scope::CLUSTER || self.lulls.sleep.is_none() {
            return;
        }
        let Some(sleep) = self.lulls.sleep.take() else { return };
        self.lulls.last = None;
        self.lulls.awake_until = moment;
        let rounds = sleep.rounds_until(moment);
        let now = sleep.after(rounds);
        self.now = self.now.min(now);
        if rounds == 0 {
            for Scheduled { due, cause, step } in sleep.tokens {
                self.schedule(due, cause, step);
            }
            return;
        }
        let mut fetched = Vec::new();
        for token in &sleep.tokens {
            let Scheduled { cause, step, .. } = token;
            let mut broker = match step {
                Step::FireTimer(NodeId::Broker(id), ..) => self.brokers.get_mut(id),
                _ => None,
            };
            let due = sleep.due(token, broker.as_deref(), now);
            if let (
                Some(due),
                Some(broker),
                Step::FireTimer(NodeId::Broker(at), _, Timer::FetchWait(id)),
            ) = (due, &mut broker, step)
            {
                let by = SimDuration(due.0 - token.due.0);
                fetched.extend(sleep.leap_fetch((*at, broker), *id, by));
            }
            if let (None, Some(broker), Step::FireTimer(_, _, Timer::IsrCheck)) =
                (due, broker, step)
            {
                broker.forget_isr_check();
            }
            if let Some(due) = due {
                self.schedule(due, *cause, step.clone());
            }
        }
        self.leap(&sleep, rounds);
        for (client, broker, times) in fetched {
            if let Some(consumer) = self.member_mut(client) {
                consumer.leap_fetches(broker, times);
            }
        }
    }

    /// When it was woken from this sleep, as far as that is recorded.
    pub(super) fn woken_at(&self, wakes: &Wakes) -> Option<SimTime> {
        self.sleeps_until()?;
        wakes.after(self.steps)
    }

    /// Wakes it if that is recorded.
    pub(super) fn wake_as_recorded(&mut self, wakes: &Wakes) {
        if let Some(at) = self.woken_at(wakes) {
            self.wake_for(at);
        }
    }

    /// So many rounds of commits have been, and all else that members do.
    fn leap(&mut self, sleep: &Sleep, rounds: u64) {
        let now = sleep.after(rounds);
        let by = SimDuration(now.0 - sleep.from.0);
        let mut all = Vec::new();
        for (partition, again) in &sleep.appended {
            let each = again.iter().fold(0, |sum: u32, it| sum.saturating_add(it.offsets()));
            let mut batches = Vec::new();
            for round in 1..=rounds {
                let offsets = u32::try_from(round * u64::from(each)).unwrap_or(u32::MAX);
                let later_ms = i64::try_from(round * sleep.period.0 / 1_000).unwrap_or(i64::MAX);
                batches.extend(again.iter().map(|it| it.later(offsets, later_ms)));
            }
            let offsets = u32::try_from(rounds * u64::from(each)).unwrap_or(u32::MAX);
            all.push(Grown { partition: partition.clone(), batches, offsets });
        }
        let since = SimTime(sleep.from.0.saturating_sub(sleep.period.0));
        for broker in self.brokers.values_mut() {
            broker.leap(Leap { since, by, to: now }, &all);
        }
        for (id, rhythm) in sleep.members.iter() {
            if let Some(consumer) = self.member_mut(*id) {
                consumer.leap(rhythm, by, now);
            }
        }
    }

    fn member_mut(&mut self, id: ClientId) -> Option<&mut KafkaConsumer> {
        match &mut self.clients.get_mut(&id)?.client {
            Client::KafkaConsumer(consumer) => consumer.get_mut(),
            _ => None,
        }
    }

    /// The world as it is now, awake, with the events that it has made up for; `None`: it does not sleep.
    pub(super) fn awake(&self) -> Option<Self> {
        if !scope::CLUSTER || self.lulls.sleep.is_none() {
            return None;
        }
        let (mut awake, now) = (self.clone(), self.now);
        awake.wake_for(now);
        while awake.next_due().is_some_and(|due| due <= now) {
            awake.step();
        }
        awake.wait_until(now);
        Some(awake)
    }
}
