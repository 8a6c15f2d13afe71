//! The admin client: one call at a time, tried again until it is answered or its time is over
//! (Kafka's `KafkaAdminClient`). Questions that only leaders can answer are in `leaders`, those that each
//! broker must be asked itself in `brokers`, those about groups in `groups`.

mod brokers;
pub mod groups;
mod leaders;

use std::rc::Rc;

use crate::client::admin::brokers::BrokersCall;
use crate::client::admin::groups::{GroupsCall, GroupsCommand, GroupsQuestion};
use crate::client::admin::leaders::{LeaderCall, LeaderQuestion};
use crate::client::connection::{self, Connection};
use crate::client::{ClientCommand, ClientReply, LogLevel};
use crate::controller::records::ConfigResource;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, TopicName};
use crate::net::admin::AdminRequest;
use crate::net::message::{Body, Message, Request, Response};
use crate::scope::{self, Lab};
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `default.api.timeout.ms` of the admin client.
const API_TIMEOUT: SimDuration = SimDuration::from_millis(60_000);
/// The same, as the tools set it that ask for elections and change configurations.
const URGENT_TIMEOUT: SimDuration = SimDuration::from_millis(30_000);
/// `request.timeout.ms`
const REQUEST_TIMEOUT: SimDuration = SimDuration::from_millis(30_000);
/// `retry.backoff.ms`
const RETRY_BACKOFF: SimDuration = SimDuration::from_millis(100);
/// `reconnect.backoff.max.ms`: between two rounds over nodes of which none listens.
const RECONNECT_BACKOFF: SimDuration = SimDuration::from_millis(1_000);
/// `reconnect.backoff.ms`
const FIRST_RECONNECT_BACKOFF: SimDuration = SimDuration::from_millis(50);

/// What is asked.
#[derive(Clone, Debug)]
enum Question {
    /// Something that the controller decides.
    Admin(Rc<AdminRequest>),
    /// What is known of all topics.
    Topics,
    /// The same, asked by name (`describeTopics`), which begins with a look for the brokers.
    NamedTopics,
    /// Which configuration these topics, or one broker, have.
    Configs(Rc<Vec<ConfigResource>>),
    /// Which brokers there are.
    Cluster,
    /// Something that each partition's leader knows.
    Leaders(LeaderCall),
    /// Something that each of some brokers knows of itself.
    Brokers(Lab<BrokersCall>),
    /// Something that the coordinators of groups know.
    Groups(Lab<GroupsCall>),
}

/// A call that is not finished.
#[derive(Clone, Debug)]
struct Call {
    question: Question,
    deadline: SimTime,
    /// The request to any broker that waits for its answer.
    waits_for: Option<MessageId>,
    /// Whether the one broker that can answer is known to be there.
    has_node: bool,
    /// In how many rounds nobody has answered.
    rounds: Lab<u32>,
}

impl Call {
    /// How long to wait after one more round in which nobody has answered: longer each time, but no less
    /// than between two tries of a call.
    fn pause(&mut self) -> SimDuration {
        let Some(rounds) = self.rounds.get_mut() else { return RECONNECT_BACKOFF };
        let doubled = FIRST_RECONNECT_BACKOFF.0.saturating_mul(1 << (*rounds).min(16));
        *rounds = rounds.saturating_add(1);
        SimDuration(doubled).clamp(RETRY_BACKOFF, RECONNECT_BACKOFF)
    }
}

impl Question {
    /// After how long the client gives up.
    fn timeout(&self) -> SimDuration {
        match self {
            Self::Admin(request) if scope::CLUSTER && request.is_urgent() => URGENT_TIMEOUT,
            _ => API_TIMEOUT,
        }
    }

    /// The one broker that can answer: what belongs to a broker, it is asked itself
    /// (`ConstantNodeIdProvider`).
    fn node(&self) -> Option<BrokerId> {
        let resource = match self {
            _ if !scope::CLUSTER => return None,
            Self::Configs(resources) => resources.first()?,
            Self::Admin(request) => match &**request {
                AdminRequest::AlterConfigs(changes) => &changes.known().resource,
                _ => return None,
            },
            _ => return None,
        };
        match resource {
            ConfigResource::Broker(broker) => Some(*broker),
            _ => None,
        }
    }
}

/// An admin client.
#[derive(Clone, Debug)]
pub struct Admin {
    client_id: String,
    connection: Connection,
    call: Option<Call>,
}

impl Admin {
    /// A client that knows only its bootstrap addresses.
    #[must_use]
    pub fn new(client_id: String, connection: Connection) -> Self {
        Self { client_id, connection, call: None }
    }

    /// Begins a call.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        let question = match command {
            ClientCommand::Ask(request) => {
                if let AdminRequest::CreateTopic(topic) = &**request
                    && topic.name.as_str().is_empty()
                {
                    let text = "The given topic name '' cannot be represented in a request.";
                    let error = KafkaError::new(ErrorCode::InvalidTopic, text);
                    return out.reply(ClientReply::Answer(Rc::new(request.failed(&error))));
                }
                Question::Admin(Rc::clone(request))
            }
            ClientCommand::AskPatiently(request) if scope::CLUSTER => {
                Question::Admin(Rc::clone(request))
            }
            ClientCommand::AskLogDirs(questions) if scope::CLUSTER => {
                Question::Brokers(Lab::new(BrokersCall::new(questions.known().clone())))
            }
            ClientCommand::DescribeTopics => Question::Topics,
            ClientCommand::DescribeConfigs(resources) => Question::Configs(Rc::clone(resources)),
            ClientCommand::DescribeCluster if scope::CLUSTER => Question::Cluster,
            ClientCommand::ListOffsets(wanted) => {
                Question::Leaders(LeaderCall::new(LeaderQuestion::Offsets(Rc::clone(wanted))))
            }
            ClientCommand::DeleteRecords(wanted) if scope::CLUSTER => {
                let question = LeaderQuestion::DeleteRecords(wanted.clone());
                Question::Leaders(LeaderCall::new(question))
            }
            ClientCommand::Groups(command) if scope::CLUSTER => about_groups(command.known()),
            _ => return,
        };
        let timeout = match command {
            ClientCommand::AskPatiently(_) if scope::CLUSTER => API_TIMEOUT,
            ClientCommand::Groups(command) if scope::CLUSTER => command.known().timeout,
            _ => question.timeout(),
        };
        let deadline = out.now() + timeout;
        let rounds = Lab::new(0);
        self.call = Some(Call { question, deadline, waits_for: None, has_node: false, rounds });
        if scope::CLUSTER {
            out.timer(timeout, Timer::ApiTimeout);
        }
        self.attempt(out);
    }

    /// Asks the next broker.
    fn attempt(&mut self, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        let Some(node) = self.connection.node() else {
            if scope::CLUSTER {
                out.timer(call.pause(), Timer::RetryBackoff);
            } else {
                out.timer(API_TIMEOUT, Timer::ApiTimeout);
            }
            return self.warn(&self.connection.failure(), out);
        };
        let request = match &call.question {
            Question::Admin(request) => Request::Admin(Rc::clone(request)),
            Question::Topics | Question::NamedTopics => metadata(None),
            Question::Configs(resources) => {
                Request::DescribeConfigs { resources: Rc::clone(resources) }
            }
            Question::Cluster | Question::Brokers(_) | Question::Groups(_) => {
                metadata(Some(Vec::new()))
            }
            Question::Leaders(leaders) => metadata(Some(leaders.topics())),
        };
        let (node, request) = match call.question.node() {
            Some(wanted) if call.has_node => (wanted, request),
            Some(_) => (node, metadata(Some(Vec::new()))),
            None => (node, request),
        };
        let id = out.request(NodeId::Broker(node), request);
        call.waits_for = Some(id);
        watch(id, out);
    }

    fn warn(&self, text: &str, out: &mut Outbox) {
        let text = format!("[AdminClient clientId={}] {text}", self.client_id);
        out.reply(ClientReply::Log(LogLevel::Warn, text));
    }

    /// A request has waited too long, or it is time to try again, or to give up.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match timer {
            Timer::ApiTimeout => {
                let is_over = |call: &mut Call| call.deadline <= out.now();
                if let Some(call) = self.call.take_if(is_over) {
                    give_up(call, out);
                }
            }
            Timer::RequestTimeout(id) if scope::CLUSTER => self.handle_disconnect(*id, out),
            Timer::RetryBackoff
                if scope::CLUSTER
                    && self.call.as_ref().is_some_and(|call| call.waits_for.is_none()) =>
            {
                self.attempt(out);
            }
            _ => {}
        }
    }

    /// Handles an answer.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        let response = match &message.body {
            Body::Response(response) => response,
            Body::Disconnect { .. } if scope::CLUSTER => {
                return self.handle_disconnect(message.correlation, out);
            }
            _ => return,
        };
        let Some(call) = &mut self.call else { return };
        let is_awaited = call.waits_for == Some(message.correlation);
        if let Question::Leaders(leaders) = &mut call.question {
            if let (true, Response::Metadata { brokers, topics }) = (is_awaited, response) {
                call.waits_for = None;
                self.connection.learn(brokers);
                leaders.ask_leaders(topics, &self.client_id, out);
            } else {
                leaders.handle_answer(message.correlation, response, &self.client_id, out);
            }
            return self.advance(out);
        }
        if let Question::Brokers(brokers) = &mut call.question
            && let Some(brokers) = brokers.get_mut()
        {
            match response {
                Response::Metadata { brokers: there, .. } if is_awaited => {
                    call.waits_for = None;
                    self.connection.learn(there);
                    brokers.ask(there, out);
                }
                Response::LogDirs(answer) => {
                    brokers.handle_answer(message.correlation, answer.known());
                }
                _ => {}
            }
            return self.advance(out);
        }
        if let Question::Groups(_) = &call.question {
            return self.hear_of_groups(message.correlation, response, out);
        }
        if !is_awaited {
            return;
        }
        if let (Some(wanted), Response::Metadata { brokers, .. }) = (call.question.node(), response)
        {
            call.waits_for = None;
            call.has_node = brokers.iter().any(|node| node.id == wanted);
            if call.has_node {
                return self.attempt(out);
            }
            return out.timer(RECONNECT_BACKOFF, Timer::RetryBackoff);
        }
        let asks_cluster = matches!(call.question, Question::Cluster);
        self.call = None;
        match response {
            Response::Admin(answer) => out.reply(ClientReply::Answer(Rc::clone(answer))),
            Response::Metadata { brokers, .. } if scope::CLUSTER && asks_cluster => {
                out.reply(ClientReply::Cluster(Lab::new(Ok(brokers.clone()))));
            }
            Response::Metadata { topics, .. } => out.reply(ClientReply::Topics(Rc::clone(topics))),
            Response::DescribeConfigs(answer) => {
                out.reply(ClientReply::Configs(Rc::clone(answer)));
            }
            _ => {}
        }
    }

    /// Handles an answer in a call about groups.
    fn hear_of_groups(&mut self, correlation: MessageId, response: &Response, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        let Question::Groups(groups) = &mut call.question else { return };
        let Some(groups) = groups.get_mut() else { return };
        match response {
            Response::Metadata { brokers: there, .. } if call.waits_for == Some(correlation) => {
                call.waits_for = None;
                self.connection.learn(there);
                if let Some(node) = self.connection.node() {
                    groups.ask(there, node, out);
                }
            }
            Response::Group(answer) => {
                groups.handle_answer(correlation, answer.known(), &self.client_id, out);
            }
            _ => {}
        }
        self.advance(out);
    }

    /// Finishes a call to leaders or to several brokers, or plans its next attempt.
    fn advance(&mut self, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        match &mut call.question {
            Question::Leaders(leaders) if leaders.is_complete() => {
                leaders.reply(out);
                self.call = None;
            }
            Question::Leaders(leaders) if scope::CLUSTER && leaders.wants_lookup() => {
                out.timer(RETRY_BACKOFF, Timer::RetryBackoff);
            }
            Question::Brokers(brokers) if scope::CLUSTER => {
                let brokers = brokers.known();
                if brokers.is_complete() {
                    brokers.reply(out);
                    self.call = None;
                } else if brokers.wants_lookup() {
                    out.timer(RECONNECT_BACKOFF, Timer::RetryBackoff);
                }
            }
            Question::Groups(groups) if scope::CLUSTER => {
                let Some(groups) = groups.get_mut() else { return };
                if groups.is_complete() {
                    groups.reply(out);
                    self.call = None;
                } else if groups.must_plan() {
                    out.timer(RETRY_BACKOFF, Timer::RetryBackoff);
                }
            }
            _ => {}
        }
    }

    /// There will be no answer to that request.
    fn handle_disconnect(&mut self, request: MessageId, out: &mut Outbox) {
        let Some(call) = &mut self.call else { return };
        if call.waits_for == Some(request) {
            call.waits_for = None;
            if std::mem::take(&mut call.has_node)
                && let Some(node) = call.question.node()
            {
                out.timer(RETRY_BACKOFF, Timer::RetryBackoff);
                return self.warn(&connection::failure_of(node), out);
            }
            let failure = self.connection.failure();
            let next = self.connection.note_failure();
            self.warn(&failure, out);
            if next {
                self.attempt(out);
            } else if let Some(call) = &mut self.call {
                out.timer(call.pause(), Timer::RetryBackoff);
            }
        } else if let Question::Leaders(leaders) = &mut call.question
            && leaders.forget_request(request)
        {
            out.timer(RETRY_BACKOFF, Timer::RetryBackoff);
        } else if let Question::Brokers(brokers) = &mut call.question
            && let Some(brokers) = brokers.get_mut()
            && let Some(node) = brokers.forget_request(request)
        {
            out.timer(RETRY_BACKOFF, Timer::RetryBackoff);
            self.warn(&connection::failure_of(node), out);
        } else if let Question::Groups(groups) = &mut call.question
            && let Some(groups) = groups.get_mut()
            && let Some(node) = groups.forget_request(request)
        {
            let failure = match node {
                Some(node) => connection::failure_of(node),
                None => self.connection.failure(),
            };
            if node.is_none() {
                self.connection.note_failure();
            }
            self.warn(&failure, out);
            self.advance(out);
        }
    }
}

/// What is asked about groups, or in a tool of groups about something else.
fn about_groups(command: &GroupsCommand) -> Question {
    match &command.question {
        GroupsQuestion::Topics => Question::NamedTopics,
        GroupsQuestion::LogOffsets(wanted) => {
            Question::Leaders(LeaderCall::new(LeaderQuestion::Offsets(Rc::clone(wanted))))
        }
        question => Question::Groups(Lab::new(GroupsCall::new(question.clone()))),
    }
}

/// A call to a broker that does not shake hands, when its time was over.
fn not_sent(name: &str) -> KafkaError {
    let text = format!("Timed out waiting to send the call. Call: {name}");
    KafkaError::new(ErrorCode::Timeout, text)
}

/// A call that was under way when its time was over.
fn call_timed_out(name: &str, attempts: u32, out: &Outbox) -> KafkaError {
    let now = out.now().epoch_millis();
    let text = format!(
        "Call(callName={name}, deadlineMs={now}, tries={attempts}, nextAllowedTryMs={now}) timed \
         out at {now} after {attempts} attempt(s)"
    );
    KafkaError::new(ErrorCode::Timeout, text)
}

/// Sees to it that a request does not wait forever.
fn watch(request: MessageId, out: &mut Outbox) {
    if scope::CLUSTER {
        out.timer(REQUEST_TIMEOUT, Timer::RequestTimeout(request));
    }
}

/// The time of a call is over.
fn give_up(call: Call, out: &mut Outbox) {
    let nobody = |name: &str| {
        let text = format!("Timed out waiting for a node assignment. Call: {name}");
        KafkaError::new(ErrorCode::Timeout, text)
    };
    let unnamed = || TopicName::new("");
    out.reply(match call.question {
        Question::Admin(request) => {
            let error = nobody(request.call_name());
            ClientReply::Answer(Rc::new(request.failed(&error)))
        }
        Question::Topics => {
            ClientReply::Topics(Rc::new(vec![(unnamed(), Err(nobody("listTopics")))]))
        }
        Question::NamedTopics if !scope::CLUSTER => return,
        Question::NamedTopics => {
            ClientReply::Topics(Rc::new(vec![(unnamed(), Err(nobody("listNodes")))]))
        }
        Question::Configs(_) => {
            let nothing = ConfigResource::Topic(unnamed());
            ClientReply::Configs(Rc::new(vec![(nothing, Err(nobody("describeConfigs")))]))
        }
        Question::Cluster if !scope::CLUSTER => return,
        Question::Cluster => ClientReply::Cluster(Lab::new(Err(nobody("listNodes")))),
        Question::Leaders(leaders) => return leaders.give_up(&nobody, out),
        Question::Brokers(brokers) => {
            if let Some(brokers) = brokers.get() {
                brokers.give_up(&nobody, out);
            }
            return;
        }
        Question::Groups(groups) => {
            if let Some(groups) = groups.get() {
                groups.clone().give_up(&nobody, out);
            }
            return;
        }
    });
}

fn metadata(topics: Option<Vec<TopicName>>) -> Request {
    Request::Metadata { topics, allow_auto_topic_creation: false }
}
