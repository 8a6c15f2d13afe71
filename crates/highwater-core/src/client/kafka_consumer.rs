//! A whole consumer (`KafkaConsumer` with the classic protocol, `ClassicKafkaConsumer`): a member of a
//! group or for itself, several partitions and leaders, fetching ahead, resets, commits, and what it does
//! when a leader or a coordinator changes or does not answer. The readers of a page about one broker are
//! simpler: they are in `consumer`.

mod closing;
pub mod command;
mod commit;
mod committed;
pub mod config;
pub mod coordinator;
mod fetcher;
mod heartbeat;
mod join;
mod listener;
pub(crate) mod lull;
mod metadata;
mod network;
mod offsets;
mod rebalance;
mod subscription_state;
#[cfg(test)]
mod tests;
mod truncation;
pub mod view;
mod work;

use std::rc::Rc;

use crate::client::cluster_connection_states::{ClusterConnectionStates, Node};
use crate::client::connection::{self, Connection};
use crate::client::kafka_consumer::closing::Closing;
use crate::client::kafka_consumer::command::{ConsumerCommand, GroupMembershipOperation};
use crate::client::kafka_consumer::config::{ConsumerConfig, OffsetReset, Subscription, Topics};
use crate::client::kafka_consumer::coordinator::{Coordinator, GroupCall};
use crate::client::kafka_consumer::fetcher::CompletedFetch;
use crate::client::kafka_consumer::join::Progress;
use crate::client::kafka_consumer::listener::Then;
use crate::client::kafka_consumer::metadata::Metadata;
use crate::client::kafka_consumer::rebalance::Snapshot;
use crate::client::kafka_consumer::subscription_state::SubscriptionState;
use crate::client::{ClientCommand, ClientReply, LogLevel, StartAt};
use crate::ids::{BrokerId, LeaderEpoch, MessageId, Offset, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::TimestampType;
use crate::net::message::{Body, FetchRequest, Message, Response};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::group_hazard::{Beginning, Work};
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
    Epochs(Vec<(TopicPartition, LeaderEpoch)>),
    FindCoordinator,
    Group(GroupCall),
}

/// To whom a request went, and until when it is waited for.
#[derive(Clone, Copy, Debug)]
struct Sent {
    to: Node,
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
    /// The topics that it subscribes to, sorted; of a pattern those that are known to fit.
    subscribed: Rc<Vec<TopicName>>,
    /// As the leader of its group: the topics of all members.
    group_topics: Rc<Vec<TopicName>>,
    /// How many partitions those topics have.
    snapshot: Rc<Snapshot>,
    coordinator: Coordinator,
    closing: Option<Closing>,
    /// Somebody has called `wakeup` while nobody polled.
    is_woken: bool,
    state: SubscriptionState,
    metadata: Metadata,
    /// Metadata requests so far, which its log counts by.
    asked: u32,
    in_flight: SortedMap<MessageId, (InFlight, Sent)>,
    links: ClusterConnectionStates,
    /// How many random numbers the waits between requests for metadata have taken.
    draws: u32,
    /// Leaders that are not asked for records for a while, since they were no leaders when asked last.
    pauses: SortedMap<BrokerId, SimTime>,
    completed: Vec<CompletedFetch>,
    /// The number of the poll that waits for records.
    poll: Option<u32>,
    polls: u32,
    /// What the application has got and, as far as is known, not worked on yet.
    at_work: Vec<Work>,
    failure: Option<PollError>,
    /// Its thread is in the rebalance listener; what follows then.
    listener: Option<Then>,
    /// The poll under way has lasted long enough, but its thread is in the listener.
    is_poll_over: bool,
    /// When it will wake up to try again.
    wakes: Option<SimTime>,
    /// When the timer for the oldest request in flight fires.
    watches: Option<SimTime>,
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
            subscribed: Rc::default(),
            group_topics: Rc::default(),
            snapshot: Rc::default(),
            coordinator: Coordinator::new(),
            closing: None,
            is_woken: false,
            state: SubscriptionState::default(),
            metadata: Metadata::default(),
            asked: 0,
            in_flight: SortedMap::new(),
            links: ClusterConnectionStates::default(),
            draws: 0,
            pauses: SortedMap::new(),
            completed: Vec::new(),
            poll: None,
            polls: 0,
            at_work: Vec::new(),
            failure: None,
            listener: None,
            is_poll_over: false,
            wakes: None,
            watches: None,
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

    /// Handles what its process asks.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        if self.is_closing() && !self.is_in_listener() {
            return;
        }
        match command {
            ClientCommand::Subscribe(subscription) => self.subscribe(subscription.known(), out),
            ClientCommand::PollFor(timeout) => {
                if !self.config.reports_work {
                    let done = std::mem::take(&mut self.at_work);
                    self.note_worked(done, out);
                }
                self.polls = self.polls.wrapping_add(1);
                self.poll = Some(self.polls);
                if let Some(timeout) = timeout {
                    out.timer(*timeout, Timer::PollExpiry(self.polls));
                }
                self.go_on(out);
            }
            ClientCommand::Consume(command) => self.handle_consumer_command(command.known(), out),
            _ => {}
        }
    }

    fn subscribe(&mut self, subscription: &Subscription, out: &mut Outbox) {
        let now = out.now();
        self.subscribed = match subscription {
            Subscription::Assigned(partitions) => {
                let names: Vec<TopicPartition> =
                    partitions.iter().map(|(which, _)| which.clone()).collect();
                self.state.assign(&names, now);
                for (which, start) in partitions {
                    if let Some(start) = start {
                        self.state.start(which, *start, now);
                    }
                }
                Rc::default()
            }
            Subscription::Subscribed(Topics::Named(names)) => {
                let mut names = names.clone();
                names.sort_unstable();
                names.dedup();
                Rc::new(names)
            }
            Subscription::Subscribed(Topics::Fitting(_)) => Rc::default(),
        };
        self.metadata.is_stale = true;
        self.metadata.retry_at = now;
        self.subscription = Some(subscription.clone());
    }

    fn handle_consumer_command(&mut self, command: &ConsumerCommand, out: &mut Outbox) {
        let now = out.now();
        match command {
            ConsumerCommand::CommitSync(offsets) => {
                let offsets = offsets.clone().unwrap_or_else(|| self.state.all_consumed());
                let patience = SimDuration::from_millis(self.config.default_api_timeout_ms);
                self.commit_sync(offsets, now + patience, out);
            }
            ConsumerCommand::CommitAsync(number, offsets) => {
                let _ = self.invoke_commit_callbacks(out);
                let offsets = offsets.clone().unwrap_or_else(|| self.state.all_consumed());
                self.commit_async(commit::CommitKind::Async(*number), offsets, out);
            }
            ConsumerCommand::Seek(places) => {
                for (which, start) in places {
                    self.state.start(which, *start, now);
                    if let StartAt::Offset(at) = start {
                        self.note_began(which, *at, Beginning::Named, out);
                    }
                }
            }
            ConsumerCommand::Worked(done) => self.note_worked(done.clone(), out),
            ConsumerCommand::Pause(partitions) => self.set_paused(partitions, true),
            ConsumerCommand::Resume(partitions) => self.set_paused(partitions, false),
            ConsumerCommand::Unsubscribe => {
                self.leave_prepare("the consumer unsubscribed", Then::Unsubscribe, out);
            }
            ConsumerCommand::ListenerDone => self.leave_listener(out),
            ConsumerCommand::Wakeup => {
                self.is_woken = true;
                self.go_on(out);
            }
            ConsumerCommand::Close(options) => {
                self.note_worked_before_close(out);
                self.close(*options, out);
            }
        }
    }

    /// It has left its group, and reads nothing.
    fn finish_unsubscribe(&mut self, out: &mut Outbox) {
        let reason = "the consumer unsubscribed from all topics";
        self.maybe_leave_group(GroupMembershipOperation::Default, reason, out);
        self.state.assign(&[], out.now());
        self.completed.clear();
        self.subscription = None;
        self.coordinator.joined_topics = None;
        self.coordinator.assigned_by = None;
    }

    fn set_paused(&mut self, partitions: &[TopicPartition], is_paused: bool) {
        for which in partitions {
            if let Some(state) = self.state.get_mut(which) {
                state.is_paused = is_paused;
            }
        }
    }

    /// Handles an answer.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        let Some((_, sent)) = self.in_flight.get(&message.correlation) else { return };
        let to = sent.to;
        let Some(request) = self.answered(message.correlation) else { return };
        if let Body::Response(_) = &message.body {
            self.links.ready(to);
        }
        match (&message.body, &request) {
            (Body::Response(Response::Group(response)), InFlight::Group(_)) => {
                self.handle_group(&request, response.known(), out);
            }
            (Body::Response(response), request) => match (response, request) {
                (Response::Metadata { brokers, topics }, _) => {
                    self.handle_metadata(brokers, topics, out);
                }
                (Response::ListOffsets(answers), _) => self.handle_offsets(answers, out),
                (Response::Fetch(answers, leaders), InFlight::Fetch(leader, request)) => {
                    self.pauses.remove(leader);
                    self.handle_fetched(request, answers, leaders.get(), out);
                }
                (Response::OffsetsForLeaderEpoch(answers), InFlight::Epochs(asked)) => {
                    self.handle_epochs(asked, answers.known(), out);
                }
                (Response::Group(response), _) => {
                    self.handle_group(request, response.known(), out);
                }
                _ => {}
            },
            (Body::Disconnect { refused: true }, _) => {
                self.handle_refused(to, out);
                self.handle_disconnect(&request, out);
            }
            _ => {
                self.handle_end(to, out);
                self.handle_disconnect(&request, out);
            }
        }
        self.drive(out);
    }

    /// Handles a timer it set.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match timer {
            Timer::PollExpiry(number) if self.poll == Some(*number) => {
                if self.is_in_listener() {
                    self.is_poll_over = true;
                } else {
                    self.expire_poll(out);
                }
            }
            Timer::RetryBackoff => {
                self.wakes = self.wakes.filter(|at| *at > out.now());
                if self.coordinator.assigning.is_some() {
                    self.maybe_update_metadata(out);
                }
                self.drive(out);
            }
            Timer::InFlightExpiry => self.expire_in_flight(out),
            Timer::Heartbeat => {
                if self.is_polling() {
                    self.coordinator.heartbeat.last_poll = out.now();
                }
                self.handle_heartbeat_timer(out);
                self.drive(out);
            }
            _ => {}
        }
    }

    /// The poll has lasted long enough. What it waited for may be there all the same.
    fn expire_poll(&mut self, out: &mut Outbox) {
        let records = self.collect(out);
        self.hand_out(records, out);
    }

    /// Goes on with whatever its process waits for.
    fn drive(&mut self, out: &mut Outbox) {
        self.drive_commit(out);
        if self.is_closing() {
            self.maybe_closed(out);
        } else {
            self.go_on(out);
        }
    }

    /// Does what a poll does: looks after the group, hands out what is there, and asks for whatever is
    /// missing. It does nothing while nobody polls.
    fn go_on(&mut self, out: &mut Outbox) {
        if !self.is_polling() {
            return;
        }
        if std::mem::take(&mut self.is_woken) {
            let class = "org.apache.kafka.common.errors.WakeupException";
            return self.fail_poll(PollError { class, message: None }, out);
        }
        let progress =
            if self.failure.is_some() { Progress::Ready } else { self.poll_coordinator(out) };
        self.maybe_update_metadata(out);
        if progress == Progress::Blocked {
            if let Some(failure) = self.failure.take() {
                self.fail_poll(failure, out);
            }
            return;
        }
        if progress == Progress::Ready {
            self.init_with_committed_offsets(out);
        }
        if self.is_in_listener() {
            return;
        }
        let records = self.collect(out);
        if records.is_empty()
            && let Some(failure) = self.failure.take()
        {
            return self.fail_poll(failure, out);
        }
        self.look_up_positions(out);
        self.send_validations(out);
        self.send_fetches(out);
        if !records.is_empty() {
            self.hand_out(records, out);
        } else if self.failure.is_some() {
            self.go_on(out);
        }
    }

    /// Whether a poll is under way, and not in the listener.
    fn is_polling(&self) -> bool {
        self.poll.is_some() && !self.is_in_listener()
    }

    fn fail_poll(&mut self, failure: PollError, out: &mut Outbox) {
        self.poll = None;
        out.reply(ClientReply::PollFailed(Lab::new(failure)));
    }

    fn log(&self, level: LogLevel, text: &str, out: &mut Outbox) {
        let ConsumerConfig { client_id, group_id, group_instance_id, .. } = &*self.config;
        let group = group_id.as_ref().map_or("null", |group| &group.0);
        let instance = match group_instance_id {
            Some(instance) => ["instanceId=", instance, ", "].concat(),
            None => String::new(),
        };
        let text = format!("[Consumer {instance}clientId={client_id}, groupId={group}] {text}");
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
        let place = self.position_text(which, from);
        self.failure = Some(PollError {
            class: "org.apache.kafka.clients.consumer.OffsetOutOfRangeException",
            message: Some(format!("Fetch position {place} is out of range for partition {which}")),
        });
    }

    /// A position as Java prints it (`FetchPosition`).
    fn position_text(&self, which: &TopicPartition, at: Offset) -> String {
        let epoch = self.state.get(which).and_then(|state| state.offset_epoch);
        let epoch =
            epoch.map_or_else(|| "Optional.empty".to_owned(), |at| format!("Optional[{at}]"));
        let current = self.metadata.leader_epoch(which).unwrap_or_default();
        let node = |leader| connection::node_text(leader, &self.metadata.rack(leader));
        let leader = self.metadata.leader(which).map(node).unwrap_or_default();
        format!(
            "FetchPosition{{offset={at}, offsetEpoch={epoch}, \
             currentLeader=LeaderAndEpoch{{leader=Optional[{leader}], epoch={current}}}}}"
        )
    }
}
