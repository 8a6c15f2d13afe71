//! The admin client: one call at a time, each an exchange or two with brokers
//! (Kafka's `KafkaAdminClient`).

use crate::sorted_map::SortedMap;

use std::rc::Rc;

use crate::client::{Bootstrap, ClientCommand, ClientReply, LogLevel, OffsetAnswers, TopicAnswers};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, NodeId, TopicName};
use crate::net::message::{Body, Message, OffsetQuestion, Request, Response};
use crate::time::SimDuration;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `default.api.timeout.ms` of the admin client.
const API_TIMEOUT_MS: u64 = 60_000;

/// What the client waits for.
#[derive(Clone, Debug)]
enum Call {
    Idle,
    /// An answer that is handed on as it is.
    Single,
    /// Metadata, to know the leaders of these partitions.
    OffsetsNeedLeaders(Rc<Vec<OffsetQuestion>>),
    /// Answers of several leaders.
    Offsets {
        wanted: Rc<Vec<OffsetQuestion>>,
        waiting: u32,
        found: Vec<OffsetAnswers>,
    },
    /// Nobody listens at the bootstrap address; this call will time out.
    Unreachable(&'static str, Option<Rc<Vec<OffsetQuestion>>>),
}

/// An admin client.
#[derive(Clone, Debug)]
pub struct Admin {
    client_id: String,
    bootstrap: Bootstrap,
    call: Call,
}

impl Admin {
    /// A client that knows only its bootstrap address.
    #[must_use]
    pub fn new(client_id: String, bootstrap: Bootstrap) -> Self {
        Self { client_id, bootstrap, call: Call::Idle }
    }

    /// Begins a call.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        let (name, request) = match command {
            ClientCommand::CreateTopic(topic) => {
                if topic.name.as_str().is_empty() {
                    let text = "The given topic name '' cannot be represented in a request.";
                    let error = KafkaError::new(ErrorCode::InvalidTopic, text);
                    return out.reply(ClientReply::TopicCreated(Err(error)));
                }
                ("createTopics", Request::CreateTopics { topic: Rc::clone(topic) })
            }
            ClientCommand::DescribeTopics(names) => {
                let name = if names.is_some() { "describeTopics" } else { "listTopics" };
                (name, metadata(names.clone()))
            }
            ClientCommand::DescribeConfigs(topics) => {
                ("describeConfigs", Request::DescribeConfigs { topics: topics.clone() })
            }
            ClientCommand::ListOffsets(wanted) => {
                let mut topics: Vec<TopicName> = Vec::new();
                for (partition, _) in wanted.iter() {
                    if topics.last() != Some(&partition.topic) {
                        topics.push(partition.topic.clone());
                    }
                }
                ("listOffsets(api=METADATA)", metadata(Some(topics)))
            }
            _ => return,
        };
        let wanted = match command {
            ClientCommand::ListOffsets(wanted) => Some(Rc::clone(wanted)),
            _ => None,
        };
        match &self.bootstrap {
            Bootstrap::Broker(broker) => {
                out.request(NodeId::Broker(*broker), request);
                self.call = wanted.map_or(Call::Single, Call::OffsetsNeedLeaders);
            }
            Bootstrap::Nobody(address) => {
                let text =
                    format!("[AdminClient clientId={}] {}", self.client_id, unreachable(address));
                out.reply(ClientReply::Log(LogLevel::Warn, text));
                out.timer(SimDuration::from_millis(API_TIMEOUT_MS), Timer::ApiTimeout);
                self.call = Call::Unreachable(name, wanted);
            }
        }
    }

    /// Gives a call up.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        if *timer != Timer::ApiTimeout {
            return;
        }
        if let Call::Unreachable(name, wanted) = std::mem::replace(&mut self.call, Call::Idle) {
            let text = format!("Timed out waiting for a node assignment. Call: {name}");
            let error = KafkaError::new(ErrorCode::Timeout, text);
            out.reply(match (name, wanted) {
                (_, Some(wanted)) => {
                    let mut answers = Vec::new();
                    for (which, _) in wanted.iter() {
                        answers.push((which.clone(), Err(error.clone())));
                    }
                    ClientReply::Offsets(Rc::new(answers))
                }
                ("createTopics", None) => ClientReply::TopicCreated(Err(error)),
                ("describeConfigs", None) => {
                    ClientReply::Configs(Rc::new(vec![(TopicName::new(""), Err(error))]))
                }
                _ => ClientReply::Topics(Rc::new(vec![(TopicName::new(""), Err(error))])),
            });
        }
    }

    /// Handles an answer.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        let Body::Response(response) = &message.body else { return };
        match std::mem::replace(&mut self.call, Call::Idle) {
            Call::OffsetsNeedLeaders(wanted) => {
                if let Response::Metadata { topics, .. } = response {
                    self.ask_leaders(wanted, topics, out);
                }
            }
            Call::Offsets { wanted, mut waiting, mut found } => {
                if let Response::ListOffsets(answers) = response {
                    self.log_failures(answers, out);
                    found.push(Rc::clone(answers));
                    waiting = waiting.saturating_sub(1);
                }
                self.call = Call::Offsets { wanted, waiting, found };
                self.maybe_finish_offsets(out);
            }
            Call::Single => match response {
                Response::CreateTopics(result) => {
                    out.reply(ClientReply::TopicCreated(result.clone()));
                }
                Response::Metadata { topics, .. } => out.reply(ClientReply::Topics(topics.clone())),
                Response::DescribeConfigs(answer) => {
                    out.reply(ClientReply::Configs(answer.clone()));
                }
                _ => {}
            },
            Call::Idle | Call::Unreachable(..) => {}
        }
    }

    /// Sends each leader the partitions it leads.
    fn ask_leaders(
        &mut self,
        wanted: Rc<Vec<OffsetQuestion>>,
        topics: &TopicAnswers,
        out: &mut Outbox,
    ) {
        let mut by_leader: SortedMap<BrokerId, Vec<OffsetQuestion>> = SortedMap::new();
        let mut leaderless = Vec::new();
        for question in wanted.iter() {
            let (partition, _) = question;
            let topic = topics.iter().find(|(name, _)| *name == partition.topic);
            let leader = match topic {
                Some((_, Ok(topic))) => topic.leader(partition.partition),
                _ => None,
            };
            match leader {
                Some(leader) => {
                    by_leader.get_or_insert_with(leader, Vec::new).push(question.clone());
                }
                None => {
                    let error = KafkaError::plain(ErrorCode::UnknownTopicOrPartition);
                    leaderless.push((partition.clone(), Err(error)));
                }
            }
        }
        let mut waiting = 0;
        for (leader, partitions) in by_leader {
            out.request(NodeId::Broker(leader), Request::ListOffsets { partitions });
            waiting += 1;
        }
        let found = vec![Rc::new(leaderless)];
        self.call = Call::Offsets { wanted, waiting, found };
        self.maybe_finish_offsets(out);
    }

    /// What Kafka's client logs about partitions that it will not ask about again.
    fn log_failures(&self, answers: &OffsetAnswers, out: &mut Outbox) {
        for (partition, answer) in answers.iter() {
            if let Err(error) = answer {
                let text = format!(
                    "[AdminClient clientId={}] ListOffsets request for topic partition {partition} \
                     failed due to an unexpected error {} \
                     (org.apache.kafka.clients.admin.internals.ListOffsetsHandler)",
                    self.client_id,
                    error.code.name()
                );
                out.reply(ClientReply::Log(LogLevel::Error, text));
            }
        }
    }

    fn maybe_finish_offsets(&mut self, out: &mut Outbox) {
        if let Call::Offsets { wanted, waiting, found } = &self.call
            && *waiting == 0
        {
            // Each leader answers in the order of the question.
            let mut taken = vec![0; found.len()];
            let mut answers = Vec::new();
            for (which, _) in wanted.iter() {
                for (list, taken) in found.iter().zip(&mut taken) {
                    if let Some(answer) = list.get(*taken)
                        && answer.0 == *which
                    {
                        answers.push(answer.clone());
                        *taken += 1;
                    }
                }
            }
            self.call = Call::Idle;
            out.reply(ClientReply::Offsets(Rc::new(answers)));
        }
    }
}

fn metadata(topics: Option<Vec<TopicName>>) -> Request {
    Request::Metadata { topics, allow_auto_topic_creation: false }
}

/// What a Kafka client logs while nobody answers at an address (`NetworkClient`).
#[must_use]
pub fn unreachable(address: &str) -> String {
    let resolved = match address.rsplit_once(':') {
        Some(("localhost", port)) => format!("localhost/127.0.0.1:{port}"),
        _ => address.to_owned(),
    };
    format!(
        "Connection to node -1 ({resolved}) could not be established. Node may not be available. \
         (org.apache.kafka.clients.NetworkClient)"
    )
}
