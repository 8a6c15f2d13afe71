//! A consumer whose brokers are played by a test: what it asks is looked at and answered by hand.

use std::rc::Rc;

use super::super::*;
use crate::client::StartAt;
use crate::controller::records::{PartitionImage, TopicImage};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{EventId, GroupId, MemberId, NodeId, PartitionId, TopicId};
use crate::net::group::{
    GroupRequest, GroupResponse, JoinGroup, JoinGroupAnswer, Joined, JoinedMember, SyncGroup,
    Synced,
};
use crate::net::message::{Node, Request};
use crate::world::cluster_event::{AssignmentChange, ClusterEvent};
use crate::world::event::EventKind;
use crate::world::outbox::Setting;

/// The consumer, with what it has asked and said.
pub(super) struct Bench {
    pub(super) consumer: KafkaConsumer,
    pub(super) now: SimTime,
    next: MessageId,
    timers: Vec<(SimTime, Timer)>,
    asked: Vec<(MessageId, NodeId, Request)>,
    pub(super) replies: Vec<ClientReply>,
    pub(super) changes: Vec<(AssignmentChange, Vec<TopicPartition>, String)>,
    /// How many partitions topic `t` has.
    pub(super) partitions: usize,
    pub(super) leader_epoch: i32,
}

pub(super) fn tp(partition: i32) -> TopicPartition {
    TopicPartition::new(&TopicName::new("t"), PartitionId(partition))
}

pub(super) fn group_config() -> ConsumerConfig {
    ConsumerConfig {
        client_id: "c".to_owned(),
        group_id: Some(GroupId(Rc::from("g"))),
        auto_offset_reset: OffsetReset::Earliest,
        ..ConsumerConfig::default()
    }
}

pub(super) fn error(code: ErrorCode) -> KafkaError {
    KafkaError::plain(code)
}

impl Bench {
    pub(super) fn new(config: ConsumerConfig) -> Self {
        let connection = Connection::new("localhost:9092", vec![BrokerId(1)]);
        let mut bench = Self {
            consumer: KafkaConsumer::new(Rc::new(config), connection, 1, 1),
            now: SimTime(1_000_000),
            next: MessageId(1),
            timers: Vec::new(),
            asked: Vec::new(),
            replies: Vec::new(),
            changes: Vec::new(),
            partitions: 2,
            leader_epoch: 0,
        };
        let topics = Topics::Named(vec![TopicName::new("t")]);
        let subscription = Subscription::Subscribed(topics);
        bench.command(&ClientCommand::Subscribe(Lab::new(subscription)));
        bench
    }

    fn step(&mut self, act: impl FnOnce(&mut KafkaConsumer, &mut Outbox)) {
        let (now, network_delay) = (self.now, SimDuration(500));
        let setting = Setting { now, step: 0, network_delay, is_quiet: true };
        let mut out = Outbox::new(setting, None, EventId(1), self.next);
        act(&mut self.consumer, &mut out);
        self.next = out.next_message;
        for sending in out.sendings {
            if let Body::Request(request) = sending.body {
                self.asked.push((sending.id, sending.to, request));
            }
        }
        for (after, timer) in out.timers {
            self.timers.push((self.now + after, timer));
        }
        for event in out.events {
            let EventKind::Cluster(news) = &event.kind else { continue };
            if let Some(ClusterEvent::AssignmentChanged { change, partitions, why, .. }) =
                news.event()
            {
                self.changes.push((*change, partitions.clone(), why.to_string()));
            }
        }
        self.replies.extend(out.replies);
    }

    pub(super) fn command(&mut self, command: &ClientCommand) {
        self.step(|consumer, out| consumer.handle_command(command, out));
    }

    pub(super) fn consume(&mut self, command: ConsumerCommand) {
        self.command(&ClientCommand::Consume(Lab::new(command)));
    }

    pub(super) fn poll(&mut self) {
        self.command(&ClientCommand::PollFor(None));
    }

    /// Lets so many milliseconds pass; timers fire at their moments.
    pub(super) fn pass(&mut self, ms: u64) {
        let end = self.now + SimDuration::from_millis(ms);
        while let Some(place) = self.next_timer(end) {
            let (at, timer) = self.timers.remove(place);
            self.now = self.now.max(at);
            self.step(|consumer, out| consumer.handle_timer(&timer, out));
        }
        self.now = end;
    }

    /// Lets so many seconds pass with a coordinator that answers all heartbeats.
    pub(super) fn idle(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.pass(1_000);
            if let Some((id, _)) = self.find("Heartbeat") {
                self.answer_group(id, GroupResponse::Heartbeat(Ok(())));
            }
        }
    }

    fn next_timer(&self, end: SimTime) -> Option<usize> {
        let due = self.timers.iter().enumerate().filter(|(_, (at, _))| *at <= end);
        due.min_by_key(|(place, (at, _))| (*at, *place)).map(|(place, _)| place)
    }

    /// Takes the oldest request of that name, if there is one.
    pub(super) fn find(&mut self, api: &str) -> Option<(MessageId, Request)> {
        let name = |request: &Request| match request {
            Request::Group(request) => request.known().api_name(),
            Request::Metadata { .. } => "Metadata",
            Request::ListOffsets { .. } => "ListOffsets",
            Request::Fetch(_) => "Fetch",
            Request::OffsetsForLeaderEpoch(_) => "OffsetsForLeaderEpoch",
            _ => "",
        };
        let place = self.asked.iter().position(|(_, _, request)| name(request) == api)?;
        let (id, _, request) = self.asked.remove(place);
        Some((id, request))
    }

    pub(super) fn take(&mut self, api: &str) -> (MessageId, Request) {
        let asked: Vec<String> = self.asked.iter().map(|asked| format!("{asked:?}")).collect();
        self.find(api).unwrap_or_else(|| panic!("no {api} was asked: {asked:#?}"))
    }

    /// The same with the broker that is asked.
    pub(super) fn take_with_node(&mut self, api: &str) -> (MessageId, NodeId, Request) {
        let nodes: Vec<(MessageId, NodeId)> =
            self.asked.iter().map(|(id, to, _)| (*id, *to)).collect();
        let (id, request) = self.take(api);
        let to = nodes.iter().find(|(asked, _)| *asked == id).expect("it was asked").1;
        (id, to, request)
    }

    pub(super) fn take_group(&mut self, api: &str) -> (MessageId, GroupRequest) {
        match self.take(api) {
            (id, Request::Group(request)) => (id, request.known().clone()),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn take_join(&mut self) -> (MessageId, JoinGroup) {
        match self.take_group("JoinGroup") {
            (id, GroupRequest::JoinGroup(join)) => (id, join),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn take_sync(&mut self) -> (MessageId, SyncGroup) {
        match self.take_group("SyncGroup") {
            (id, GroupRequest::SyncGroup(sync)) => (id, sync),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn arrive(&mut self, correlation: MessageId, body: Body) {
        let message = Message {
            id: MessageId(0),
            from: NodeId::Broker(BrokerId(1)),
            to: NodeId::Client(crate::ids::ClientId(1)),
            sent: self.now,
            due: self.now,
            cause: None,
            correlation,
            body,
        };
        self.step(|consumer, out| consumer.handle_message(&message, out));
    }

    pub(super) fn answer(&mut self, id: MessageId, response: Response) {
        self.arrive(id, Body::Response(response));
    }

    pub(super) fn answer_group(&mut self, id: MessageId, response: GroupResponse) {
        self.answer(id, Response::Group(Lab::new(response)));
    }

    /// Answers all questions about topics.
    pub(super) fn tell_metadata(&mut self) {
        while let Some((id, _)) = self.find("Metadata") {
            let mut partition = PartitionImage::new(vec![BrokerId(1)], |_| true, None);
            partition.leader_epoch = LeaderEpoch(self.leader_epoch);
            let partition = Rc::new(partition);
            let image = Rc::new(TopicImage {
                id: TopicId(1),
                partitions: vec![partition; self.partitions],
                configs: Vec::new(),
                created_by: None,
            });
            let topics = Rc::new(vec![(TopicName::new("t"), Ok(image))]);
            self.answer(
                id,
                Response::Metadata { brokers: vec![Node::new(BrokerId(1), 9_092)], topics },
            );
        }
    }

    pub(super) fn tell_coordinator(&mut self) {
        let (id, _) = self.take_group("FindCoordinator");
        self.answer_group(id, GroupResponse::FindCoordinator(Ok(BrokerId(1))));
    }

    /// The group lets it in as `member`, who leads, in that generation; all that it asks for is answered
    /// as a coordinator without other members would.
    pub(super) fn join_alone(&mut self, generation: i32) {
        let (id, join) = self.take_join();
        self.answer_join(id, &join, generation, "m");
        self.tell_metadata();
        let (id, sync) = self.take_sync();
        let part = sync.assignments.first().map(|(_, part)| part.clone());
        self.answer_sync(id, part.unwrap_or_default());
    }

    pub(super) fn answer_join(
        &mut self,
        id: MessageId,
        join: &JoinGroup,
        generation: i32,
        leader: &str,
    ) {
        let member = MemberId(Rc::from("m"));
        let leader = MemberId(Rc::from(leader));
        let (protocol, subscription) = join.protocols[0].clone();
        let me =
            JoinedMember { member: member.clone(), instance: join.instance.clone(), subscription };
        let members = if leader == member { vec![me] } else { Vec::new() };
        let joined = Joined { generation, protocol, leader, skip_assignment: false, members };
        let answer = JoinGroupAnswer { member, result: Ok(joined) };
        self.answer_group(id, GroupResponse::JoinGroup(answer));
    }

    pub(super) fn refuse_join(&mut self, id: MessageId, member: &str, code: ErrorCode) {
        let member = MemberId(Rc::from(member));
        let answer = JoinGroupAnswer { member, result: Err(error(code)) };
        self.answer_group(id, GroupResponse::JoinGroup(answer));
    }

    pub(super) fn answer_sync(&mut self, id: MessageId, partitions: Vec<TopicPartition>) {
        let synced = Synced { protocol: Rc::from("range"), partitions };
        self.answer_group(id, GroupResponse::SyncGroup(Ok(synced)));
    }

    /// Nothing is committed: the logs begin at 0 and end there.
    pub(super) fn settle(&mut self) {
        if let Some((id, Request::Group(request))) = self.find("OffsetFetch") {
            let GroupRequest::OffsetFetch { partitions, .. } = request.known() else { panic!() };
            let asked = partitions.clone().expect("it asks for its own");
            let answer = asked.into_iter().map(|which| (which, Ok(None))).collect();
            self.answer_group(id, GroupResponse::OffsetFetch(Ok(answer)));
        }
        while let Some((id, Request::ListOffsets { partitions })) = self.find("ListOffsets") {
            let answer =
                partitions.iter().map(|(which, _)| (which.clone(), Ok(Some((-1, Offset(0))))));
            self.answer(id, Response::ListOffsets(Rc::new(answer.collect())));
        }
    }

    /// A member that has partitions 0 and 1 and stands at 0 in both; it polls.
    pub(super) fn member(config: ConsumerConfig) -> Self {
        let mut bench = Self::new(config);
        bench.poll();
        bench.tell_metadata();
        bench.tell_coordinator();
        bench.join_alone(1);
        bench.settle();
        assert_eq!(bench.consumer.positions().len(), 2, "it stands in both partitions");
        bench
    }

    pub(super) fn heartbeat(&mut self, answer: Result<(), ErrorCode>) {
        let (id, _) = self.take_group("Heartbeat");
        self.answer_group(id, GroupResponse::Heartbeat(answer.map_err(error)));
    }

    /// All commits under way are kept, or refused.
    pub(super) fn tell_commits(&mut self, outcome: &Result<(), ErrorCode>) -> Vec<GroupRequest> {
        let mut commits = Vec::new();
        while let Some((id, Request::Group(request))) = self.find("OffsetCommit") {
            let GroupRequest::OffsetCommit { offsets, .. } = request.known() else { panic!() };
            let outcome = outcome.map_err(error);
            let outcomes = offsets.iter().map(|(which, _)| (which.clone(), outcome.clone()));
            let response = GroupResponse::OffsetCommit(outcomes.collect());
            commits.push(request.known().clone());
            self.answer_group(id, response);
        }
        commits
    }

    pub(super) fn seek(&mut self, partition: i32, offset: i64) {
        self.consume(ConsumerCommand::Seek(vec![(tp(partition), StartAt::Offset(Offset(offset)))]));
    }

    /// The lines of its log so far.
    pub(super) fn logged(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        self.replies.retain(|reply| match reply {
            ClientReply::Log(level, text) => {
                lines.push(format!("{level:?} {text}"));
                false
            }
            _ => true,
        });
        lines
    }

    /// What its poll failed with.
    pub(super) fn failure(&mut self) -> Option<PollError> {
        let place =
            self.replies.iter().position(|reply| matches!(reply, ClientReply::PollFailed(_)))?;
        match self.replies.remove(place) {
            ClientReply::PollFailed(error) => Some(error.known().clone()),
            _ => None,
        }
    }

    /// What its group told the application.
    pub(super) fn heard(&mut self) -> Vec<super::super::command::ConsumerReply> {
        let mut heard = Vec::new();
        self.replies.retain(|reply| match reply {
            ClientReply::Consumer(reply) => {
                heard.push(reply.known().clone());
                false
            }
            _ => true,
        });
        heard
    }
}
