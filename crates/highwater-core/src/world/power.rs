//! Whether a broker's process runs, and what is done to it and to the network.

use crate::broker::Broker;
use crate::ids::{BrokerId, EventId, MessageId, NodeId, ProcessId};
use crate::net::message::Body;
use crate::net::rule::{Effect, Party, Rule};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::ClusterEvent;
use crate::world::fault::{Fault, Impossible, MOST_DELAY};
use crate::world::hazard::Unanswered;
use crate::world::process::{Process, ProcessInput};
use crate::world::step::Step;
use crate::world::suspend::Suspended;
use crate::world::world::World;

/// Whether a process runs.
#[derive(Clone, Debug)]
pub enum Power {
    /// It runs.
    On,
    /// It was stopped in the middle of whatever it did; what comes waits, in this order.
    Paused(Vec<(Option<EventId>, Step)>),
    /// There is none.
    Off,
}

/// What is wrong with a cluster at the moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults {
    /// Brokers whose processes do not run.
    power: SortedMap<BrokerId, Power>,
    /// What the network does to messages.
    pub(super) rules: Vec<Rule>,
    /// The events that made those rules.
    made: Vec<(Rule, EventId)>,
    /// What stopped each broker's process last, or halted it.
    ended: SortedMap<BrokerId, EventId>,
    /// Links on which slowed messages are on their way, with the moment at which the last one
    /// arrives: a connection keeps its order.
    pub(super) slowed: SortedMap<(NodeId, NodeId), SimTime>,
    /// Brokers with a slow disk, and how long each write takes there.
    disks: SortedMap<BrokerId, SimDuration>,
    /// Processes that are stopped.
    pub(super) suspended: Suspended,
    /// Who waits for a broker's process to end.
    stoppers: Vec<(BrokerId, ProcessId)>,
}

impl Faults {
    /// The event since which the network treats messages from one to the other as it does.
    pub(super) fn on_the_way(&self, from: NodeId, to: NodeId) -> Option<EventId> {
        let mut made = self.made.iter().rev();
        made.find(|(rule, _)| rule.is_for(from, to)).map(|(_, event)| *event)
    }

    /// What stopped a broker's process last, or halted it.
    pub(super) fn ended(&self, broker: BrokerId) -> Option<EventId> {
        self.ended.get(&broker).copied()
    }
}

impl<P: Process> World<P> {
    /// Whether a broker's process runs; `None`: there is no such broker.
    #[must_use]
    pub fn power(&self, broker: BrokerId) -> Option<&Power> {
        self.brokers().get(&broker)?;
        Some(self.faults.power.get(&broker).unwrap_or(&Power::On))
    }

    /// Whether a broker's process serves and is not paused.
    pub(super) fn is_serving(&self, broker: BrokerId) -> bool {
        let listens = self.brokers().get(&broker).is_some_and(Broker::is_listening);
        listens && matches!(self.power(broker), Some(Power::On))
    }

    /// What the network does to messages.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.faults.rules
    }

    /// Brokers with a slow disk, and how long each write takes there.
    #[must_use]
    pub fn slow_disks(&self) -> &SortedMap<BrokerId, SimDuration> {
        &self.faults.disks
    }

    /// Does something to the cluster. `by`, if it is a process that asks, is told when it is done.
    pub(super) fn inject(&mut self, fault: Fault, by: Option<ProcessId>, cause: Option<EventId>) {
        if let Err(why) = self.check(fault) {
            return self.tell(by, Err(why), cause);
        }
        let event = self.emit(cause, ClusterEvent::FaultInjected { fault });
        let cause = Some(event);
        match fault {
            Fault::Crash(broker) => self.crash(broker, false, cause),
            Fault::PowerLoss(broker) => self.crash(broker, true, cause),
            Fault::Stop(broker) => {
                self.faults.ended.insert(broker, event);
                self.faults.stoppers.extend(by.map(|by| (broker, by)));
                self.end_quiet_of(broker, cause);
                // It may end at once.
                self.note_committed(broker);
                return self.let_broker(broker, cause, Broker::begin_shutdown);
            }
            Fault::Start(broker) => {
                self.faults.power.insert(broker, Power::On);
                self.let_broker(broker, cause, Broker::start);
            }
            Fault::Pause(broker) => {
                self.end_quiet_of(broker, cause);
                self.let_broker(broker, cause, Broker::end_quiet_lifecycle);
                self.faults.power.insert(broker, Power::Paused(Vec::new()));
                self.faults.ended.insert(broker, event);
            }
            Fault::Resume(broker) => {
                let before = self.faults.power.get_mut(&broker);
                let before = before.map(|power| std::mem::replace(power, Power::On));
                if let Some(Power::Paused(held)) = before {
                    for (cause, step) in held {
                        self.schedule(self.now(), cause, step);
                    }
                }
            }
            Fault::AddRule(rule) => {
                self.faults.rules.push(rule);
                self.faults.made.push((rule, event));
                self.end_all_quiet(cause);
            }
            Fault::Heal(one, other) => self.remove_rules(|rule| is_between(rule, one, other)),
            Fault::HealOneWay(from, to) => {
                self.remove_rules(|rule| (rule.from, rule.to) == (from, to));
            }
            Fault::SlowDisk(broker, delay) => {
                self.faults.disks.insert(broker, delay);
                self.let_broker(broker, cause, |it, _| it.set_disk_delay(delay));
            }
            Fault::HealDisk(broker) => self.heal_disk(broker, cause),
            Fault::HealAll => {
                self.remove_rules(|_| true);
                for broker in self.ids() {
                    self.heal_disk(broker, cause);
                }
            }
            Fault::Drop(message) => {
                self.lose(message, event);
                self.end_all_quiet(cause);
            }
        }
        self.tell(by, Ok(()), cause);
    }

    fn tell(
        &mut self,
        by: Option<ProcessId>,
        done: Result<(), Impossible>,
        cause: Option<EventId>,
    ) {
        if let Some(by) = by {
            self.later(by, ProcessInput::FaultDone(done), cause);
        }
    }

    /// Whether it can be done.
    pub(super) fn check(&self, fault: Fault) -> Result<(), Impossible> {
        let power = |id| self.power(id).ok_or(Impossible::NoSuchBroker(id));
        match fault {
            Fault::Crash(id) | Fault::PowerLoss(id) => match power(id)? {
                Power::Off => Err(Impossible::NotRunning(id)),
                Power::On | Power::Paused(_) => Ok(()),
            },
            Fault::Stop(id) | Fault::Pause(id) => match power(id)? {
                Power::Off => Err(Impossible::NotRunning(id)),
                Power::Paused(_) => Err(Impossible::Paused(id)),
                Power::On => Ok(()),
            },
            Fault::Start(id) => match power(id)? {
                Power::Off => Ok(()),
                Power::On => Err(Impossible::Running(id)),
                Power::Paused(_) => Err(Impossible::Paused(id)),
            },
            Fault::Resume(id) => match power(id)? {
                Power::Paused(_) => Ok(()),
                Power::On | Power::Off => Err(Impossible::NotPaused(id)),
            },
            Fault::AddRule(rule) => {
                for party in [rule.from, rule.to] {
                    if let Party::Broker(id) = party {
                        power(id)?;
                    }
                }
                if rule.from == rule.to {
                    return Err(Impossible::OneEnd);
                }
                match rule.effect {
                    Effect::Slow(span) => check_delay(span),
                    Effect::Cut => Ok(()),
                }
            }
            Fault::Heal(one, other) | Fault::HealOneWay(one, other) => {
                for party in [one, other] {
                    if let Party::Broker(id) = party {
                        power(id)?;
                    }
                }
                let both_ways = matches!(fault, Fault::Heal(..));
                let any = self.faults.rules.iter().any(|rule| {
                    (rule.from, rule.to) == (one, other)
                        || both_ways && is_between(rule, one, other)
                });
                if any { Ok(()) } else { Err(Impossible::NothingToHeal) }
            }
            Fault::SlowDisk(id, span) => power(id).and_then(|_| check_delay(span)),
            Fault::HealDisk(id) => {
                power(id)?;
                let is_slow = self.faults.disks.contains_key(&id);
                if is_slow { Ok(()) } else { Err(Impossible::NothingToHeal) }
            }
            Fault::HealAll if self.faults.rules.is_empty() && self.faults.disks.is_empty() => {
                Err(Impossible::NothingToHeal)
            }
            Fault::HealAll => Ok(()),
            Fault::Drop(message) => {
                let mut on_its_way = self.pending().filter_map(|(_, step)| match step {
                    Step::Deliver(message) => Some(message.id),
                    _ => None,
                });
                let there = on_its_way.any(|id| id == message);
                if there { Ok(()) } else { Err(Impossible::NoSuchMessage(message)) }
            }
        }
    }

    fn heal_disk(&mut self, broker: BrokerId, cause: Option<EventId>) {
        if self.faults.disks.remove(&broker).is_some() {
            self.let_broker(broker, cause, |it, _| it.set_disk_delay(SimDuration(0)));
        }
    }

    fn remove_rules(&mut self, which: impl Fn(&Rule) -> bool) {
        self.faults.rules.retain(|rule| !which(rule));
        self.faults.made.retain(|(rule, _)| !which(rule));
    }

    fn crash(&mut self, broker: BrokerId, power_loss: bool, cause: Option<EventId>) {
        self.end_quiet_of(broker, cause);
        let now = self.now();
        let held = self.close(broker, cause);
        if let Some(cause) = cause {
            self.faults.ended.insert(broker, cause);
        }
        self.note_committed(broker);
        self.let_broker(broker, cause, |it, out| {
            it.crash(power_loss, now, out);
            for (asker, correlation) in held {
                out.disconnect(asker, correlation, false);
            }
        });
        self.note_off(broker, cause);
    }

    /// The process of a broker has ended by itself.
    pub(super) fn note_stopped(&mut self, broker: BrokerId, cause: Option<EventId>) {
        self.emit(cause, ClusterEvent::BrokerStopped { broker });
        self.note_off(broker, cause);
    }

    fn note_off(&mut self, broker: BrokerId, cause: Option<EventId>) {
        self.faults.power.insert(broker, Power::Off);
        let (done, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.faults.stoppers)
            .into_iter()
            .partition(|(id, _)| *id == broker);
        self.faults.stoppers = waiting;
        for (_, process) in done {
            self.tell(Some(process), Ok(()), cause);
        }
    }

    /// The requests that a broker's process will not answer any more: those it holds, and those that
    /// have not reached it because it is paused.
    fn close(&mut self, broker: BrokerId, cause: Option<EventId>) -> Vec<(NodeId, MessageId)> {
        let mut held = self.brokers.get(&broker).map_or_else(Vec::new, Broker::held_requests);
        let paused = self.faults.power.get_mut(&broker).map(|it| std::mem::replace(it, Power::On));
        let Some(Power::Paused(waiting)) = paused else { return held };
        for (_, step) in &waiting {
            if let Step::Deliver(message) = step
                && matches!(message.body, Body::Request(_))
            {
                held.push((message.from, message.correlation));
                self.note_unanswered(&message.body, Unanswered::EndedBefore(broker), cause);
            }
        }
        held
    }

    /// What others know of this broker without being told is settled: from now on it is played.
    fn end_quiet_of(&mut self, broker: BrokerId, cause: Option<EventId>) {
        let mut out = self.outbox(cause);
        self.controller.end_quiet(broker, &mut out);
        self.carry_out_of(NodeId::Controller, cause, out);
        for other in self.ids() {
            let with = (other != broker).then_some(broker);
            self.let_broker(other, cause, |it, out| it.end_quiet(with, out));
        }
    }

    /// All traffic is played from now on.
    fn end_all_quiet(&mut self, cause: Option<EventId>) {
        for broker in self.ids() {
            let mut out = self.outbox(cause);
            self.controller.end_quiet(broker, &mut out);
            self.carry_out_of(NodeId::Controller, cause, out);
            self.let_broker(broker, cause, |it, out| {
                it.end_quiet_lifecycle(out);
                it.end_quiet(None, out);
            });
        }
    }

    fn ids(&self) -> Vec<BrokerId> {
        self.brokers.keys().copied().collect()
    }

    /// Keeps a step for later if it is for a process that is paused; a process that is off gets only
    /// requests, which are refused.
    pub(super) fn hold_if_paused(&mut self, step: &Step, cause: Option<EventId>) -> bool {
        let node = match step {
            Step::Deliver(message) => message.to,
            Step::FireTimer(node, ..) => *node,
            Step::Notify(..) | Step::Command(..) => return false,
        };
        let NodeId::Broker(id) = node else { return false };
        match self.faults.power.get(&id) {
            Some(Power::Paused(_)) => {
                if let Step::Deliver(message) = step {
                    self.note_waiting(message, id);
                }
                if let Some(Power::Paused(held)) = self.faults.power.get_mut(&id) {
                    held.push((cause, step.clone()));
                }
                true
            }
            Some(Power::Off) => {
                !matches!(step, Step::Deliver(m) if matches!(m.body, Body::Request(_)))
            }
            _ => false,
        }
    }
}

fn is_between(rule: &Rule, one: Party, other: Party) -> bool {
    (rule.from, rule.to) == (one, other) || (rule.from, rule.to) == (other, one)
}

fn check_delay(span: SimDuration) -> Result<(), Impossible> {
    let fits = span > SimDuration(0) && span <= MOST_DELAY;
    if fits { Ok(()) } else { Err(Impossible::BadDelay(span)) }
}
