//! Calls that ask each of several brokers for something of its own: a broker that is not there is waited
//! for until the time of the call is over (`ConstantNodeIdProvider`, one call a broker).

use crate::client::admin::watch;
use crate::client::{ClientReply, LogDirsAnswer, LogDirsQuestion};
use crate::error::KafkaError;
use crate::ids::{BrokerId, MessageId, NodeId};
use crate::net::log_dirs::{LogDirsRequest, LogDirsResponse};
use crate::net::message::{Node, Request};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::world::outbox::Outbox;

/// The call, with what is known so far.
#[derive(Clone, Debug)]
pub(super) struct BrokersCall {
    questions: Vec<LogDirsQuestion>,
    /// Requests that wait for their answers.
    asked: SortedMap<MessageId, BrokerId>,
    answers: SortedMap<BrokerId, LogDirsResponse>,
}

impl BrokersCall {
    pub(super) fn new(questions: Vec<LogDirsQuestion>) -> Self {
        Self { questions, asked: SortedMap::new(), answers: SortedMap::new() }
    }

    /// Whether that broker must still be asked.
    fn is_open(&self, broker: BrokerId) -> bool {
        !self.answers.contains_key(&broker) && !self.asked.values().any(|asked| *asked == broker)
    }

    /// Whether every broker has answered.
    pub(super) fn is_complete(&self) -> bool {
        self.questions.iter().all(|(broker, _)| self.answers.contains_key(broker))
    }

    /// Whether it must be looked up again which brokers are there.
    pub(super) fn wants_lookup(&self) -> bool {
        self.questions.iter().any(|(broker, _)| self.is_open(*broker))
    }

    /// Asks those that are there.
    pub(super) fn ask(&mut self, there: &[Node], out: &mut Outbox) {
        for (broker, question) in &self.questions {
            if self.is_open(*broker) && there.iter().any(|node| node.id == *broker) {
                let request = Request::LogDirs(Lab::new(question.clone()));
                let id = out.request(NodeId::Broker(*broker), request);
                watch(id, out);
                self.asked.insert(id, *broker);
            }
        }
    }

    /// Takes an answer in.
    pub(super) fn handle_answer(&mut self, correlation: MessageId, answer: &LogDirsResponse) {
        if let Some(broker) = self.asked.remove(&correlation) {
            self.answers.insert(broker, answer.clone());
        }
    }

    /// There will be no answer to that request: the broker that it went to, if it was one of these.
    pub(super) fn forget_request(&mut self, request: MessageId) -> Option<BrokerId> {
        self.asked.remove(&request)
    }

    /// Tells the process.
    pub(super) fn reply(&self, out: &mut Outbox) {
        let mut answers: Vec<LogDirsAnswer> = Vec::new();
        for (broker, _) in &self.questions {
            let answer = self.answers.get(broker).cloned();
            answers.extend(answer.map(|answer| (*broker, answer)));
        }
        out.reply(ClientReply::LogDirs(Lab::new(Ok(answers))));
    }

    /// The time is over.
    pub(super) fn give_up(&self, nobody: &dyn Fn(&str) -> KafkaError, out: &mut Outbox) {
        let name = match self.questions.first() {
            Some((_, LogDirsRequest::Alter(_))) => "alterReplicaLogDirs",
            _ => "describeReplicaLogDirs",
        };
        out.reply(ClientReply::LogDirs(Lab::new(Err(nobody(name)))));
    }
}
