//! A whole consumer (`KafkaConsumer` with the classic protocol, as far as it needs no coordinator):
//! several partitions and leaders, fetching ahead, resets, and what it does when a leader changes or
//! does not answer. The readers of a page about one broker are simpler: they are in `consumer`.

pub mod config;
mod fetcher;
mod metadata;
mod offsets;
mod subscription_state;

use std::rc::Rc;

use crate::client::connection::{self, Connection};
use crate::client::kafka_consumer::config::{ConsumerConfig, OffsetReset, Subscription};
use crate::client::kafka_consumer::fetcher::CompletedFetch;
use crate::client::kafka_consumer::metadata::Metadata;
use crate::client::kafka_consumer::subscription_state::SubscriptionState;
use crate::client::{ClientCommand, ClientReply, LogLevel};
use crate::draw::{Purpose, draw_below};
use crate::ids::{BrokerId, MessageId, Offset, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::TimestampType;
use crate::net::message::{Body, FetchRequest, Message, Response};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// A record as an application gets it. Its timestamp is the one that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumedRecord {
    /// Where it was read.
    pub partition: TopicPartition,
    /// At which offset.
    pub offset: Offset,
    /// Whose clock gave the timestamp.
    pub timestamp_type: TimestampType,
    /// What it says.
    pub record: Record,
}

/// Why a poll failed: what Java throws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PollError {
    /// The class.
    pub class: &'static str,
    /// The text, if there is one.
    pub message: Option<String>,
}

/// A request that waits for its answer.
#[derive(Clone, Debug)]
enum InFlight {
    Metadata,
    Offsets(Vec<TopicPartition>),
    Fetch(BrokerId, Rc<FetchRequest>),
}

/// To whom a request went, and until when it is waited for.
#[derive(Clone, Copy, Debug)]
struct Sent {
    to: BrokerId,
    deadline: SimTime,
}

/// A consumer.
#[derive(Clone, Debug)]
pub struct KafkaConsumer {
    config: Rc<ConsumerConfig>,
    connection: Connection,
    seed: u64,
    who: u64,
    subscription: Option<Subscription>,
    state: SubscriptionState,
    metadata: Metadata,
    /// Metadata requests so far, which its log counts by.
    asked: u32,
    in_flight: SortedMap<MessageId, (InFlight, Sent)>,
    /// Brokers that have answered since they were last lost.
    connected: Vec<BrokerId>,
    /// Brokers that are left alone for a while, each with its failures in a row.
    pauses: SortedMap<BrokerId, (SimTime, u32)>,
    completed: Vec<CompletedFetch>,
    /// The number of the poll that waits for records.
    poll: Option<u32>,
    polls: u32,
    failure: Option<PollError>,
    /// When it will wake up to try again.
    wakes: Option<SimTime>,
    /// Whether a timer for the oldest request in flight is on its way.
    is_watching: bool,
}

impl KafkaConsumer {
    /// A consumer that reads nothing yet.
    #[must_use]
    pub fn new(config: Rc<ConsumerConfig>, connection: Connection, seed: u64, who: u64) -> Self {
        Self {
            config,
            connection,
            seed,
            who,
            subscription: None,
            state: SubscriptionState::default(),
            metadata: Metadata::default(),
            asked: 0,
            in_flight: SortedMap::new(),
            connected: Vec::new(),
            pauses: SortedMap::new(),
            completed: Vec::new(),
            poll: None,
            polls: 0,
            failure: None,
            wakes: None,
            is_watching: false,
        }
    }

    /// Its `client.id`.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.config.client_id
    }

    /// Each partition with the next offset that it will hand out, and whether a person named it.
    #[must_use]
    pub fn positions(&self) -> Vec<(TopicPartition, Offset, bool)> {
        let mut positions = Vec::new();
        for (partition, state) in self.state.iter() {
            if let Some(position) = state.position {
                positions.push((partition.clone(), position, state.is_named));
            }
        }
        positions
    }

    /// Handles `Subscribe` and `PollFor`.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        match command {
            ClientCommand::Subscribe(subscription) => {
                let subscription = subscription.known();
                if let Subscription::Assigned(partition, start) = subscription {
                    self.state.seek(partition.clone(), *start, out.now());
                }
                self.metadata.is_stale = true;
                self.subscription = Some(subscription.clone());
            }
            ClientCommand::PollFor(timeout) => {
                self.polls = self.polls.wrapping_add(1);
                self.poll = Some(self.polls);
                if let Some(timeout) = timeout {
                    out.timer(*timeout, Timer::PollExpiry(self.polls));
                }
                self.go_on(out);
            }
            _ => {}
        }
    }

    /// Handles an answer.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        let Some((_, sent)) = self.in_flight.get(&message.correlation) else { return };
        let to = sent.to;
        let Some(request) = self.answered(message.correlation) else { return };
        match (&message.body, &request) {
            (Body::Response(response), request) => {
                if !self.connected.contains(&to) {
                    self.connected.push(to);
                }
                self.pauses.remove(&to);
                match (response, request) {
                    (Response::Metadata { brokers, topics }, _) => {
                        self.handle_metadata(brokers, topics, out);
                    }
                    (Response::ListOffsets(answers), _) => self.handle_offsets(answers, out),
                    (Response::Fetch(answers), InFlight::Fetch(_, request)) => {
                        self.handle_fetched(request, answers, out);
                    }
                    _ => {}
                }
            }
            _ => self.handle_disconnect(request, to, out),
        }
        self.go_on(out);
    }

    /// Handles a timer it set.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match timer {
            Timer::PollExpiry(number) if self.poll == Some(*number) => {
                self.poll = None;
                out.reply(ClientReply::Polled(Lab::new(Rc::default())));
            }
            Timer::RetryBackoff => {
                self.wakes = self.wakes.filter(|at| *at > out.now());
                self.assign_all(out);
                self.go_on(out);
            }
            Timer::InFlightExpiry => self.expire_in_flight(out),
            _ => {}
        }
    }

    /// Does what a poll does: hands out what is there, and asks for whatever is missing. It does
    /// nothing while nobody polls.
    fn go_on(&mut self, out: &mut Outbox) {
        if self.poll.is_none() {
            return;
        }
        let records = self.collect(out);
        if records.is_empty()
            && let Some(failure) = self.failure.take()
        {
            self.poll = None;
            return out.reply(ClientReply::PollFailed(Lab::new(failure)));
        }
        self.maybe_update_metadata(out);
        self.look_up_positions(out);
        self.send_fetches(out);
        if !records.is_empty() {
            self.poll = None;
            out.reply(ClientReply::Polled(Lab::new(Rc::new(records))));
        } else if self.failure.is_some() {
            self.go_on(out);
        }
    }

    /// A request was sent: it is waited for, but not forever.
    fn note_request(&mut self, id: MessageId, what: InFlight, to: BrokerId, out: &mut Outbox) {
        let patience = SimDuration::from_millis(self.config.request_timeout_ms);
        self.in_flight.insert(id, (what, Sent { to, deadline: out.now() + patience }));
        if !self.is_watching {
            self.is_watching = true;
            out.timer(patience, Timer::InFlightExpiry);
        }
    }

    fn expire_in_flight(&mut self, out: &mut Outbox) {
        self.is_watching = false;
        let now = out.now();
        let late = self.in_flight.iter().filter(|(_, (_, sent))| sent.deadline <= now);
        let late: Vec<(MessageId, BrokerId)> = late.map(|(id, (_, sent))| (*id, sent.to)).collect();
        for (id, to) in late {
            if let Some(request) = self.answered(id) {
                self.handle_disconnect(request, to, out);
            }
        }
        let next = self.in_flight.values().map(|(_, sent)| sent.deadline).min();
        if let Some(next) = next {
            self.is_watching = true;
            out.timer(SimDuration(next.0 - now.0), Timer::InFlightExpiry);
        }
        self.go_on(out);
    }

    /// There will be no answer: other brokers may know who leads now.
    fn handle_disconnect(&mut self, request: InFlight, from: BrokerId, out: &mut Outbox) {
        let was_connected = self.connected.contains(&from);
        self.connected.retain(|broker| *broker != from);
        // Only a connection that cannot be made is worth a warning; the others are Kafka's INFO.
        let is_first = !self.pauses.contains_key(&from);
        self.pause(from, out);
        match request {
            InFlight::Metadata => {
                if !was_connected && is_first {
                    self.warn(&self.connection.failure(), out);
                }
                let next = self.connection.note_failure();
                let pause = if next { SimDuration(0) } else { self.backoff(u32::MAX) };
                self.metadata.is_stale = true;
                self.metadata.retry_at = out.now() + pause;
                return;
            }
            InFlight::Offsets(asked) => {
                for which in &asked {
                    self.look_up_later(which, out);
                }
            }
            InFlight::Fetch(..) => {}
        }
        if !was_connected && is_first {
            self.warn(&connection::unreachable_broker(from), out);
        }
        self.note_stale(out);
    }

    /// Leaves a broker alone for a while.
    fn pause(&mut self, broker: BrokerId, out: &Outbox) {
        let failures = self.pauses.get(&broker).map_or(0, |(_, failures)| *failures);
        let until = out.now() + self.backoff(failures);
        self.pauses.insert(broker, (until, failures.saturating_add(1)));
    }

    /// Twice as long after each failure, within a fifth more or less (KIP-580).
    fn backoff(&self, failures: u32) -> SimDuration {
        let config = &self.config;
        let doubled = config.retry_backoff_ms.saturating_mul(1 << failures.min(16));
        let base = SimDuration::from_millis(doubled.min(config.retry_backoff_max_ms)).0;
        let jitter = draw_below(self.seed, Purpose::RetryJitter, self.who, failures.into(), 401);
        SimDuration(base.saturating_mul(800 + u64::from(jitter)) / 1_000)
    }

    /// Wakes up at that time, unless it does so before.
    fn wake_at(&mut self, at: SimTime, out: &mut Outbox) {
        let now = out.now();
        if self.wakes.is_some_and(|wakes| wakes > now && wakes <= at) {
            return;
        }
        self.wakes = Some(at);
        out.timer(SimDuration(at.0.saturating_sub(now.0)), Timer::RetryBackoff);
    }

    fn log(&self, level: LogLevel, text: &str, out: &mut Outbox) {
        let ConsumerConfig { client_id, group_id, .. } = &*self.config;
        let text = format!("[Consumer clientId={client_id}, groupId={group_id}] {text}");
        out.reply(ClientReply::Log(level, text));
    }

    fn warn(&self, text: &str, out: &mut Outbox) {
        self.log(LogLevel::Warn, text, out);
    }

    fn fail_invalid_topics(&mut self, topics: &str, out: &mut Outbox) {
        let text = format!(
            "Metadata response reported invalid topics [{topics}] (org.apache.kafka.clients.Metadata)"
        );
        self.log(LogLevel::Error, &text, out);
        self.failure = Some(PollError {
            class: "org.apache.kafka.common.errors.InvalidTopicException",
            message: Some(format!("Invalid topics: [{topics}]")),
        });
    }

    fn fail_without_offset(&mut self, partitions: &str) {
        self.failure = Some(PollError {
            class: "org.apache.kafka.clients.consumer.NoOffsetForPartitionException",
            message: Some(format!(
                "Undefined offset with no reset policy for partitions: [{partitions}]"
            )),
        });
    }

    /// The position is not in the log: another one is looked up, if the settings allow it.
    fn reset_out_of_range(&mut self, which: &TopicPartition, from: Offset, out: &mut Outbox) {
        let reset = self.config.auto_offset_reset;
        if reset != OffsetReset::None {
            return self.state.reset(which, reset, out.now());
        }
        self.failure = Some(PollError {
            class: "org.apache.kafka.clients.consumer.OffsetOutOfRangeException",
            message: Some(format!(
                "Fetch position FetchPosition{{offset={from}, offsetEpoch=Optional.empty, \
                 currentLeader=LeaderAndEpoch{{leader=Optional[{}], epoch=0}}}} is out of range for \
                 partition {which}",
                self.leader_text(which)
            )),
        });
    }

    fn leader_text(&self, which: &TopicPartition) -> String {
        match self.metadata.leader(which) {
            Some(leader) => connection::node_text(leader),
            None => String::new(),
        }
    }
}
