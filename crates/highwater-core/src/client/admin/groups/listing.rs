//! Which groups there are: each broker is asked for those that it coordinates. Which brokers there are
//! is asked once; one that is gone then is waited for (`KafkaAdminClient.listGroups`).

use crate::client::admin::groups::NotListed;
use crate::client::admin::{not_sent, watch};
use crate::client::connection::node_text;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId};
use crate::net::group::{GroupRequest, ListedGroup};
use crate::net::message::{Node, Request};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::world::outbox::Outbox;

/// The brokers, and what they have said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    /// `None`: not known yet.
    brokers: Option<Vec<Node>>,
    asked: SortedMap<MessageId, BrokerId>,
    answers: SortedMap<BrokerId, Result<Vec<ListedGroup>, NotListed>>,
}

impl Listing {
    /// Whether every broker has answered.
    pub(super) fn is_complete(&self) -> bool {
        let has_answered = |node: &Node| self.answers.contains_key(&node.id);
        self.brokers.as_ref().is_some_and(|brokers| brokers.iter().all(has_answered))
    }

    /// Whether that broker must still be asked.
    fn must_ask(&self, broker: BrokerId) -> bool {
        !self.answers.contains_key(&broker) && !self.asked.values().any(|asked| *asked == broker)
    }

    /// Whether somebody must still be asked.
    pub(super) fn is_open(&self) -> bool {
        match &self.brokers {
            None => true,
            Some(brokers) => brokers.iter().any(|node| self.must_ask(node.id)),
        }
    }

    /// Asks those that are there.
    pub(super) fn ask(
        &mut self,
        there: &[Node],
        states: &[String],
        types: &[String],
        out: &mut Outbox,
    ) {
        let brokers = self.brokers.get_or_insert_with(|| there.to_vec());
        let brokers: Vec<BrokerId> = brokers.iter().map(|node| node.id).collect();
        let is_there = |broker: &BrokerId| there.iter().any(|node| node.id == *broker);
        for broker in brokers.into_iter().filter(is_there) {
            if self.must_ask(broker) {
                let (states, types) = (states.to_vec(), types.to_vec());
                let request = GroupRequest::ListGroups { states, types };
                let id = out.request(NodeId::Broker(broker), Request::Group(Lab::new(request)));
                watch(id, out);
                self.asked.insert(id, broker);
            }
        }
    }

    /// Takes an answer in.
    pub(super) fn take(
        &mut self,
        correlation: MessageId,
        answer: &Result<Vec<ListedGroup>, KafkaError>,
    ) {
        let Some(broker) = self.asked.remove(&correlation) else { return };
        let is_passing = |error: &KafkaError| {
            use ErrorCode::{CoordinatorLoadInProgress, CoordinatorNotAvailable};
            matches!(error.code, CoordinatorLoadInProgress | CoordinatorNotAvailable)
        };
        if !answer.as_ref().is_err_and(is_passing) {
            let answer = answer.clone().map_err(|error| self.of_broker(broker, error));
            self.answers.insert(broker, answer);
        }
    }

    /// There will be no answer to that request: the broker that it went to, if it was one of these.
    pub(super) fn forget_request(&mut self, request: MessageId) -> Option<BrokerId> {
        self.asked.remove(&request)
    }

    /// The groups of all brokers, or the first failure.
    pub(super) fn answer(&self) -> Result<Vec<ListedGroup>, NotListed> {
        let mut groups = Vec::new();
        for answer in self.answers.values() {
            groups.extend(answer.as_ref().map_err(Clone::clone)?.iter().cloned());
        }
        Ok(groups)
    }

    /// The time is over: who has not answered has failed.
    pub(super) fn give_up(&mut self, nobody: &dyn Fn(&str) -> KafkaError) {
        let Some(brokers) = self.brokers.clone() else {
            let not_listed =
                NotListed { has_found_brokers: false, error: nobody("findAllBrokers") };
            self.brokers = Some(vec![Node::new(BrokerId(-1), 0)]);
            self.answers.insert(BrokerId(-1), Err(not_listed));
            return;
        };
        let call = "listGroups";
        for broker in brokers.iter().map(|node| node.id) {
            if self.answers.contains_key(&broker) {
                continue;
            }
            let error = if self.must_ask(broker) { nobody(call) } else { not_sent(call) };
            let failed = self.of_broker(broker, error);
            self.answers.insert(broker, Err(failed));
        }
    }

    /// What a broker could not do, or what could not be asked of it.
    fn of_broker(&self, broker: BrokerId, mut error: KafkaError) -> NotListed {
        let known = self.brokers.iter().flatten().find(|node| node.id == broker);
        let rack = known.map(|node| node.rack.clone()).unwrap_or_default();
        let node = node_text(broker, &rack);
        error.message = format!("Error listing groups on {node}: {}", error.message);
        NotListed { has_found_brokers: true, error }
    }
}
