//! Calls that only the leaders of partitions can answer: each leader is asked about its own; what has
//! no leader at the moment, or had another one, is asked again (`PartitionLeaderStrategy`).

use std::rc::Rc;

use crate::client::admin::{call_timed_out, watch};
use crate::client::{ClientReply, LogLevel, OffsetAnswer, TopicAnswer, TopicAnswers};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::net::message::{OffsetQuestion, Request, Response};
use crate::scope::{self, Lab};
use crate::sorted_map::SortedMap;
use crate::world::outbox::Outbox;

/// What is asked of leaders.
#[derive(Clone, Debug)]
pub(super) enum LeaderQuestion {
    /// Where partitions start, end, or reach a time.
    Offsets(Rc<Vec<OffsetQuestion>>),
    /// To move the log start.
    DeleteRecords(Lab<Rc<Vec<(TopicPartition, Offset)>>>),
}

/// An answer about one partition. Of `DeleteRecords` the offset is the low watermark.
type Found = OffsetAnswer;

/// The call, with what is known so far.
#[derive(Clone, Debug)]
pub(super) struct LeaderCall {
    question: LeaderQuestion,
    /// Requests to leaders that wait for their answers, with the partitions that they name.
    asked: SortedMap<MessageId, Vec<TopicPartition>>,
    found: SortedMap<TopicPartition, Found>,
    attempts: u32,
}

impl LeaderCall {
    pub(super) fn new(question: LeaderQuestion) -> Self {
        Self { question, asked: SortedMap::new(), found: SortedMap::new(), attempts: 0 }
    }

    /// The partitions that are asked about, in order.
    fn partitions(&self) -> Vec<&TopicPartition> {
        match &self.question {
            LeaderQuestion::Offsets(wanted) => wanted.iter().map(|(which, _)| which).collect(),
            LeaderQuestion::DeleteRecords(wanted) => wanted
                .get()
                .map_or_else(Vec::new, |wanted| wanted.iter().map(|(which, _)| which).collect()),
        }
    }

    /// Their topics.
    pub(super) fn topics(&self) -> Vec<TopicName> {
        let mut topics: Vec<TopicName> = Vec::new();
        for which in self.partitions() {
            if !topics.contains(&which.topic) {
                topics.push(which.topic.clone());
            }
        }
        topics
    }

    /// Whether that partition's leader must still be asked.
    fn is_open(&self, which: &TopicPartition) -> bool {
        // Without the cluster leaders are looked up once, at the beginning.
        !scope::CLUSTER
            || !self.found.contains_key(which)
                && !self.asked.values().any(|list| list.contains(which))
    }

    /// Whether there is an answer about every partition.
    pub(super) fn is_complete(&self) -> bool {
        self.partitions().into_iter().all(|which| self.found.contains_key(which))
    }

    /// Whether leaders must be looked up again.
    pub(super) fn wants_lookup(&self) -> bool {
        self.partitions().into_iter().any(|which| self.is_open(which))
    }

    /// Sends each leader what is asked about the partitions that it leads.
    pub(super) fn ask_leaders(&mut self, topics: &TopicAnswers, client_id: &str, out: &mut Outbox) {
        self.attempts += 1;
        let mut by_leader: SortedMap<BrokerId, Vec<TopicPartition>> = SortedMap::new();
        let mut unknown = Vec::new();
        for which in self.partitions().into_iter().filter(|which| self.is_open(which)) {
            let topic = topics.iter().find(|(name, _)| *name == which.topic);
            let image = match topic {
                Some((_, Ok(topic))) => topic.partition(which.partition),
                _ => None,
            };
            match image.and_then(|image| image.leader) {
                Some(leader) => {
                    by_leader.get_or_insert_with(leader, Vec::new).push(which.clone());
                }
                // It may yet come to be.
                None if scope::CLUSTER && !self.is_hopeless(topic) => {}
                None => unknown.push(which.clone()),
            }
        }
        for which in unknown {
            let error = if scope::CLUSTER {
                let topic = topics.iter().find(|(name, _)| *name == which.topic);
                hopeless_topic(&which, is_invalid(topic), client_id, out)
            } else {
                KafkaError::plain(ErrorCode::UnknownTopicOrPartition)
            };
            self.found.insert(which, Err(error));
        }
        for (leader, partitions) in by_leader {
            let id = out.request(NodeId::Broker(leader), self.request(&partitions));
            watch(id, out);
            self.asked.insert(id, partitions);
        }
    }

    /// Whether there can be no topic of that name, or offsets are asked of one that is not there.
    fn is_hopeless(&self, topic: Option<&TopicAnswer>) -> bool {
        let is_missing = match topic {
            None => true,
            Some((_, answer)) => {
                answer.as_ref().is_err_and(|error| error.code == ErrorCode::UnknownTopicOrPartition)
            }
        };
        is_invalid(topic) || is_missing && matches!(self.question, LeaderQuestion::Offsets(_))
    }

    fn request(&self, about: &[TopicPartition]) -> Request {
        match &self.question {
            LeaderQuestion::Offsets(wanted) => {
                let mut partitions = Vec::new();
                for question in wanted.iter().filter(|(which, _)| about.contains(which)) {
                    partitions.push(question.clone());
                }
                Request::ListOffsets { partitions }
            }
            LeaderQuestion::DeleteRecords(wanted) => {
                let mut partitions = Vec::new();
                if let Some(wanted) = wanted.get() {
                    for deletion in wanted.iter().filter(|(which, _)| about.contains(which)) {
                        partitions.push(deletion.clone());
                    }
                }
                Request::DeleteRecords { partitions: Lab::new(partitions) }
            }
        }
    }

    /// Takes a leader's answer in.
    pub(super) fn handle_answer(
        &mut self,
        correlation: MessageId,
        response: &Response,
        client_id: &str,
        out: &mut Outbox,
    ) {
        if self.asked.remove(&correlation).is_none() {
            return;
        }
        match response {
            Response::ListOffsets(answers) => {
                for (which, answer) in answers.iter() {
                    self.take(which, answer.clone(), client_id, out);
                }
            }
            Response::DeleteRecords(answers) => {
                for (which, answer) in answers.get().into_iter().flat_map(|answers| answers.iter())
                {
                    let answer = answer.clone().map(|low_watermark| Some((-1, low_watermark)));
                    self.take(which, answer, client_id, out);
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, which: &TopicPartition, answer: Found, client_id: &str, out: &mut Outbox) {
        if let Err(error) = &answer {
            let leader_moved = matches!(
                error.code,
                ErrorCode::NotLeaderOrFollower | ErrorCode::LeaderNotAvailable
            );
            if scope::CLUSTER && leader_moved {
                return;
            }
            let request = match self.question {
                LeaderQuestion::DeleteRecords(_) if scope::CLUSTER => "DeleteRecords",
                _ => "ListOffsets",
            };
            let text = format!(
                "[AdminClient clientId={client_id}] {request} request for topic partition {which} \
                 failed due to an unexpected error {} \
                 (org.apache.kafka.clients.admin.internals.{request}Handler)",
                error.code.name()
            );
            out.reply(ClientReply::Log(LogLevel::Error, text));
        }
        self.found.insert(which.clone(), answer);
    }

    /// There will be no answer to that request. Returns whether it was one of these.
    pub(super) fn forget_request(&mut self, request: MessageId) -> bool {
        self.asked.remove(&request).is_some()
    }

    /// Tells the process, in the order in which it asked.
    pub(super) fn reply(&self, out: &mut Outbox) {
        let answer = |which: &TopicPartition| self.found.get(which).cloned();
        match &self.question {
            LeaderQuestion::Offsets(wanted) => {
                let mut answers = Vec::new();
                for (which, _) in wanted.iter() {
                    answers.extend(answer(which).map(|answer| (which.clone(), answer)));
                }
                out.reply(ClientReply::Offsets(Rc::new(answers)));
            }
            LeaderQuestion::DeleteRecords(wanted) => {
                let Some(wanted) = wanted.get() else { return };
                let mut answers = Vec::new();
                for (which, _) in wanted.iter() {
                    let Some(answer) = answer(which) else { continue };
                    let low = answer.map(|found| found.map_or(Offset(-1), |(_, offset)| offset));
                    answers.push((which.clone(), low));
                }
                out.reply(ClientReply::LowWatermarks(Lab::new(Rc::new(answers))));
            }
        }
    }

    /// The time is over: what is not known yet fails.
    pub(super) fn give_up(mut self, nobody: &dyn Fn(&str) -> KafkaError, out: &mut Outbox) {
        let name = match self.question {
            LeaderQuestion::Offsets(_) => "listOffsets(api=METADATA)",
            LeaderQuestion::DeleteRecords(_) if scope::CLUSTER => "deleteRecords(api=METADATA)",
            LeaderQuestion::DeleteRecords(_) => "",
        };
        let error = if !scope::CLUSTER || self.attempts == 0 {
            nobody(name)
        } else {
            call_timed_out(name, self.attempts, out)
        };
        let missing: Vec<TopicPartition> = self.partitions().into_iter().cloned().collect();
        for which in missing {
            if !self.found.contains_key(&which) {
                self.found.insert(which, Err(error.clone()));
            }
        }
        self.reply(out);
    }
}

/// What becomes of a partition of a topic that cannot be, or is not there; the client logs it.
fn hopeless_topic(
    which: &TopicPartition,
    is_invalid: bool,
    client_id: &str,
    out: &mut Outbox,
) -> KafkaError {
    let topic = &which.topic;
    let (code, what, why) = if is_invalid {
        let why = format!("due to invalid topic `{topic}`");
        (
            ErrorCode::InvalidTopic,
            format!("invalid topic error for topic {topic} in `Metadata` response"),
            why,
        )
    } else {
        let why = format!("because metadata for topic `{topic}` could not be found");
        (ErrorCode::UnknownTopicOrPartition, format!("unknown topic error for topic {topic}"), why)
    };
    let text = format!(
        "[AdminClient clientId={client_id}] Received {what} \
         (org.apache.kafka.clients.admin.internals.PartitionLeaderStrategy)\n{}: {}",
        code.exception(),
        code.default_message()
    );
    out.reply(ClientReply::Log(LogLevel::Error, text));
    KafkaError::new(code, format!("Failed to fetch metadata for partition {which} {why}"))
}

/// Whether there can be no topic of that name.
fn is_invalid(topic: Option<&TopicAnswer>) -> bool {
    matches!(topic, Some((_, Err(error))) if error.code == ErrorCode::InvalidTopic)
}
