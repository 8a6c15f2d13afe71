//! Members that say what a test tells them to say.

use std::rc::Rc;

use crate::broker::group_coordinator::{ClassicGroup, GroupEntry, GroupState};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{
    BrokerId, GroupId, MemberId, MessageId, Offset, PartitionId, TopicName, TopicPartition,
};
use crate::net::admin::{AdminRequest, CreatableTopic};
use crate::net::group::{
    GroupRequest, GroupResponse, JoinGroup, JoinGroupAnswer, Joined, LeavingMember, Membership,
    OffsetAndMetadata, OffsetOutcomes, Subscription, SyncGroup, Synced,
};
use crate::net::message::{Request, Response};
use crate::scope::Lab;
use crate::time::SimTime;
use crate::world::event::EventKind;
use crate::world::group_event::GroupEvent;
use crate::world::options::ClusterOptions;
use crate::world::probe::Probe;

/// A member of the group `g`, or who wants to be one.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) number: u32,
    pub(super) id: String,
    pub(super) instance: Option<&'static str>,
    pub(super) generation: i32,
    pub(super) topics: Vec<&'static str>,
    pub(super) protocols: Vec<&'static str>,
    pub(super) session_timeout_ms: u64,
    pub(super) rebalance_timeout_ms: u64,
}

/// The cluster with its group `g`.
pub(super) struct Driver {
    pub(super) probe: Probe,
    pub(super) group: GroupId,
    pub(super) coordinator: BrokerId,
}

pub(super) fn partition(topic: &str, number: i32) -> TopicPartition {
    TopicPartition::new(&TopicName::new(topic), PartitionId(number))
}

pub(super) fn offset(offset: i64) -> OffsetAndMetadata {
    OffsetAndMetadata { offset: Offset(offset), leader_epoch: -1, metadata: Rc::from("") }
}

pub(super) fn code<T>(result: &Result<T, KafkaError>) -> Option<ErrorCode> {
    result.as_ref().err().map(|error| error.code)
}

impl Client {
    pub(super) fn new(number: u32) -> Self {
        Self {
            number,
            id: String::new(),
            instance: None,
            generation: -1,
            topics: vec!["t"],
            protocols: vec!["range"],
            session_timeout_ms: 45_000,
            rebalance_timeout_ms: 300_000,
        }
    }

    pub(super) fn of_instance(number: u32, instance: &'static str) -> Self {
        Self { instance: Some(instance), ..Self::new(number) }
    }

    pub(super) fn member(&self, group: &GroupId) -> Membership {
        Membership {
            group: group.clone(),
            generation: self.generation,
            member: MemberId(Rc::from(self.id.as_str())),
            instance: self.instance.map(Rc::from),
        }
    }
}

impl Driver {
    /// A cluster with a topic `t` of three partitions, whose offsets topic is there.
    pub(super) fn new(brokers: u32, settings: &[(&str, &str)]) -> Self {
        let settings =
            settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let options =
            ClusterOptions { brokers, broker_settings: Rc::new(settings), ..Default::default() };
        let probe = Probe::new(options);
        let (group, coordinator) = (GroupId(Rc::from("g")), BrokerId(1));
        let mut driver = Self { probe, group, coordinator };
        driver.create_topic("t");
        let early = driver.find_coordinator(BrokerId(1));
        assert_eq!(code(&early), Some(ErrorCode::CoordinatorNotAvailable));
        driver.probe.run(100);
        driver.coordinator = driver.find_coordinator(BrokerId(1)).expect("there is a leader");
        driver
    }

    pub(super) fn create_topic(&mut self, name: &str) {
        let topic = CreatableTopic {
            name: TopicName::new(name),
            partitions: Some(3),
            replication_factor: Some(1),
            assignment: Vec::new(),
            configs: Vec::new(),
        };
        let request = Request::Admin(Rc::new(AdminRequest::CreateTopic(topic)));
        self.probe.send(0, BrokerId(1), request);
        self.probe.run(10);
    }

    pub(super) fn post(&mut self, client: u32, to: BrokerId, request: GroupRequest) -> MessageId {
        self.probe.send(client, to, Request::Group(Lab::new(request)))
    }

    /// The answer that has come to a request.
    pub(super) fn came(&self, request: MessageId) -> Option<GroupResponse> {
        match self.probe.answer(request) {
            Some((_, Response::Group(response))) => Some(response.known().clone()),
            _ => None,
        }
    }

    pub(super) fn came_at(&self, request: MessageId) -> Option<SimTime> {
        self.probe.answer(request).map(|(at, _)| at)
    }

    /// Asks the coordinator and waits a moment for the answer.
    pub(super) fn ask(&mut self, client: u32, request: GroupRequest) -> GroupResponse {
        let id = self.post(client, self.coordinator, request);
        self.probe.run(10);
        self.came(id).expect("the answer comes at once")
    }

    pub(super) fn find_coordinator(&mut self, broker: BrokerId) -> Result<BrokerId, KafkaError> {
        let id = self.post(0, broker, GroupRequest::FindCoordinator(self.group.clone()));
        self.probe.run(5);
        match self.came(id) {
            Some(GroupResponse::FindCoordinator(result)) => result,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn post_join(&mut self, client: &Client) -> MessageId {
        let subscription = Subscription {
            topics: client.topics.iter().map(|topic| TopicName::new(topic)).collect(),
            generation: -1,
            ..Default::default()
        };
        let subscription = Rc::new(subscription);
        let join = JoinGroup {
            group: self.group.clone(),
            member: MemberId(Rc::from(client.id.as_str())),
            instance: client.instance.map(Rc::from),
            client_id: Rc::from(format!("c{}", client.number)),
            session_timeout_ms: client.session_timeout_ms,
            rebalance_timeout_ms: client.rebalance_timeout_ms,
            protocol_type: Rc::from("consumer"),
            protocols: client
                .protocols
                .iter()
                .map(|name| (Rc::from(*name), Rc::clone(&subscription)))
                .collect(),
            reason: Rc::from(""),
        };
        self.post(client.number, self.coordinator, GroupRequest::JoinGroup(join))
    }

    pub(super) fn join_answer(&self, request: MessageId) -> Option<JoinGroupAnswer> {
        match self.came(request)? {
            GroupResponse::JoinGroup(answer) => Some(answer),
            other => panic!("{other:?}"),
        }
    }

    /// Joins: asks for an id first, if need be. The second request's number.
    pub(super) fn begin_join(&mut self, client: &mut Client) -> MessageId {
        let id = self.post_join(client);
        if !client.id.is_empty() || client.instance.is_some() {
            return id;
        }
        self.probe.run(5);
        let answer = self.join_answer(id).expect("an id is given at once");
        assert_eq!(code(&answer.result), Some(ErrorCode::MemberIdRequired));
        client.id = answer.member.0.to_string();
        self.post_join(client)
    }

    /// Takes in the answer to a join.
    pub(super) fn take_joined(&self, client: &mut Client, request: MessageId) -> Joined {
        let answer = self.join_answer(request).expect("the join is over");
        let joined = answer.result.expect("it has joined");
        client.id = answer.member.0.to_string();
        client.generation = joined.generation;
        joined
    }

    pub(super) fn post_sync(
        &mut self,
        client: &Client,
        parts: &[(&Client, &[TopicPartition])],
    ) -> MessageId {
        let parts = parts
            .iter()
            .map(|(whose, part)| (MemberId(Rc::from(whose.id.as_str())), part.to_vec()));
        let sync = SyncGroup {
            member: client.member(&self.group),
            protocol_type: Rc::from("consumer"),
            protocol: Rc::from(""),
            assignments: parts.collect(),
        };
        self.post(client.number, self.coordinator, GroupRequest::SyncGroup(sync))
    }

    pub(super) fn synced(&self, request: MessageId) -> Option<Result<Synced, KafkaError>> {
        match self.came(request)? {
            GroupResponse::SyncGroup(result) => Some(result),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn heartbeat(&mut self, client: &Client) -> Result<(), KafkaError> {
        let request = GroupRequest::Heartbeat(client.member(&self.group));
        match self.ask(client.number, request) {
            GroupResponse::Heartbeat(result) => result,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn leave(
        &mut self,
        client: &Client,
    ) -> Result<Vec<Result<(), KafkaError>>, KafkaError> {
        let members = vec![LeavingMember {
            member: MemberId(Rc::from(client.id.as_str())),
            instance: client.instance.map(Rc::from),
            reason: Rc::from("the consumer is being closed"),
        }];
        let request = GroupRequest::LeaveGroup { group: self.group.clone(), members };
        match self.ask(client.number, request) {
            GroupResponse::LeaveGroup(result) => result,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn post_commit(
        &mut self,
        by: &Client,
        offsets: &[(TopicPartition, OffsetAndMetadata)],
    ) -> MessageId {
        let (member, offsets) = (by.member(&self.group), offsets.to_vec());
        self.post(by.number, self.coordinator, GroupRequest::OffsetCommit { member, offsets })
    }

    pub(super) fn commit_answer(&self, request: MessageId) -> Option<OffsetOutcomes> {
        match self.came(request)? {
            GroupResponse::OffsetCommit(outcomes) => Some(outcomes),
            other => panic!("{other:?}"),
        }
    }

    /// Commits one offset of `t-0`; the error, if there is one.
    pub(super) fn commit(&mut self, by: &Client, at: i64) -> Option<ErrorCode> {
        let id = self.post_commit(by, &[(partition("t", 0), offset(at))]);
        self.probe.run(10);
        let outcomes = self.commit_answer(id).expect("the answer comes at once");
        outcomes.first().and_then(|(_, outcome)| code(outcome))
    }

    /// All committed offsets.
    pub(super) fn fetch_all(&mut self) -> Vec<(TopicPartition, i64)> {
        let request = GroupRequest::OffsetFetch { group: self.group.clone(), partitions: None };
        match self.ask(0, request) {
            GroupResponse::OffsetFetch(Ok(found)) => {
                let known = |(which, found): (_, Result<Option<OffsetAndMetadata>, KafkaError>)| {
                    (which, found.expect("no error").expect("an offset").offset.0)
                };
                found.into_iter().map(known).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    /// The group as its coordinator has it.
    pub(super) fn entry(&self) -> Option<&GroupEntry> {
        let broker = self.probe.world.brokers().get(&self.coordinator)?;
        let mut shards = broker.group_shards().flat_map(|(_, shard)| shard.groups());
        shards.find(|(id, _)| **id == self.group).map(|(_, entry)| entry)
    }

    pub(super) fn group(&self) -> &ClassicGroup {
        self.entry().and_then(|entry| entry.group.classic()).expect("there is a group")
    }

    pub(super) fn state(&self) -> GroupState {
        self.group().state()
    }

    /// The events of groups so far.
    pub(super) fn group_events(&self) -> Vec<GroupEvent> {
        let events = self.probe.events.iter().filter_map(|event| match &event.kind {
            EventKind::Cluster(news) => match news.event() {
                Some(crate::world::cluster_event::ClusterEvent::Group(event)) => {
                    Some(event.clone())
                }
                _ => None,
            },
            _ => None,
        });
        events.collect()
    }

    /// A stable group: the first leads and reads all, the others nothing.
    pub(super) fn stabilise(&mut self, clients: &mut [Client]) {
        let mut joins = Vec::new();
        for client in clients.iter_mut() {
            joins.push(self.begin_join(client));
        }
        self.probe.run(10_000);
        self.complete(clients, &joins);
    }

    /// All have joined: the leader assigns.
    pub(super) fn complete(&mut self, clients: &mut [Client], joins: &[MessageId]) {
        for (client, join) in clients.iter_mut().zip(joins) {
            self.take_joined(client, *join);
        }
        let leader = self.group().leader().cloned().expect("somebody leads");
        let parts = [partition("t", 0), partition("t", 1), partition("t", 2)];
        for client in clients.iter() {
            let whose = [(client, &parts[..])];
            let leads = *client.id == *leader.0;
            self.post_sync(client, if leads { &whose } else { &[] });
        }
        self.probe.run(10);
        assert_eq!(self.state(), GroupState::Stable);
    }
}
