//! The admin client: one call at a time, each an exchange or two with brokers
//! (Kafka's `KafkaAdminClient`).

use crate::sorted_map::SortedMap;

use crate::client::{Bootstrap, ClientCommand, ClientReply, LogLevel, OffsetAnswers, TopicAnswers};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::net::message::{Body, Message, OffsetSpec, Request, Response};
use crate::time::SimDuration;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `default.api.timeout.ms` of the admin client.
const API_TIMEOUT_MS: u64 = 60_000;

type OffsetAnswer = Result<Option<(i64, Offset)>, KafkaError>;

/// What the client waits for.
#[derive(Clone, Debug)]
enum Call {
    Idle,
    /// An answer that is handed on as it is.
    Single,
    /// Metadata, to know the leaders of these partitions.
    OffsetsNeedLeaders(Vec<(TopicPartition, OffsetSpec)>),
    /// Answers of several leaders.
    Offsets {
        wanted: Vec<TopicPartition>,
        waiting: Vec<MessageId>,
        found: SortedMap<TopicPartition, OffsetAnswer>,
    },
    /// Nobody listens at the bootstrap address; this call will time out.
    Unreachable(&'static str, Option<Vec<(TopicPartition, OffsetSpec)>>),
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
    pub fn handle_command(&mut self, command: ClientCommand, out: &mut Outbox) {
        let (name, request) = match &command {
            ClientCommand::CreateTopic(topic) => {
                if topic.name.as_str().is_empty() {
                    let text = "The given topic name '' cannot be represented in a request.";
                    let error = KafkaError::new(ErrorCode::InvalidTopic, text);
                    return out.reply(ClientReply::TopicCreated(Err(error)));
                }
                ("createTopics", Request::CreateTopics { topic: topic.clone() })
            }
            ClientCommand::DescribeTopics(names) => {
                let name = if names.is_some() { "describeTopics" } else { "listTopics" };
                (name, metadata(names.clone()))
            }
            ClientCommand::DescribeConfigs(topics) => {
                ("describeConfigs", Request::DescribeConfigs { topics: topics.clone() })
            }
            ClientCommand::ListOffsets(wanted) => {
                let mut topics: Vec<TopicName> =
                    wanted.iter().map(|(partition, _)| partition.topic.clone()).collect();
                topics.dedup();
                ("listOffsets(api=METADATA)", metadata(Some(topics)))
            }
            _ => return,
        };
        let wanted = match command {
            ClientCommand::ListOffsets(wanted) => Some(wanted),
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
                (_, Some(wanted)) => ClientReply::Offsets(
                    wanted.into_iter().map(|(which, _)| (which, Err(error.clone()))).collect(),
                ),
                ("createTopics", None) => ClientReply::TopicCreated(Err(error)),
                ("describeConfigs", None) => {
                    ClientReply::Configs(vec![(TopicName::new(""), Err(error))])
                }
                _ => ClientReply::Topics(vec![(TopicName::new(""), Err(error))]),
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
                    for (partition, answer) in answers {
                        found.insert(partition.clone(), answer.clone());
                    }
                    waiting.retain(|id| *id != message.correlation);
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
        wanted: Vec<(TopicPartition, OffsetSpec)>,
        topics: &TopicAnswers,
        out: &mut Outbox,
    ) {
        let mut by_leader: SortedMap<BrokerId, Vec<(TopicPartition, OffsetSpec)>> =
            SortedMap::new();
        let mut found = SortedMap::new();
        let order = wanted.iter().map(|(partition, _)| partition.clone()).collect();
        for (partition, spec) in wanted {
            let topic = topics.iter().find(|(name, _)| *name == partition.topic);
            let leader = match topic {
                Some((_, Ok(topic))) => usize::try_from(partition.partition.0)
                    .ok()
                    .and_then(|number| topic.partitions.get(number))
                    .and_then(|image| image.leader)
                    .ok_or(ErrorCode::UnknownTopicOrPartition),
                _ => Err(ErrorCode::UnknownTopicOrPartition),
            };
            match leader {
                Ok(leader) => {
                    by_leader.get_or_insert_with(leader, Vec::new).push((partition, spec));
                }
                Err(code) => {
                    found.insert(partition, Err(KafkaError::plain(code)));
                }
            }
        }
        let waiting = by_leader
            .into_iter()
            .map(|(leader, partitions)| {
                out.request(NodeId::Broker(leader), Request::ListOffsets { partitions })
            })
            .collect();
        self.call = Call::Offsets { wanted: order, waiting, found };
        self.maybe_finish_offsets(out);
    }

    /// What Kafka's client logs about partitions that it will not ask about again.
    fn log_failures(&self, answers: &OffsetAnswers, out: &mut Outbox) {
        for (partition, answer) in answers {
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
            && waiting.is_empty()
        {
            let answers = wanted
                .iter()
                .filter_map(|partition| Some((partition.clone(), found.get(partition)?.clone())))
                .collect();
            self.call = Call::Idle;
            out.reply(ClientReply::Offsets(answers));
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
