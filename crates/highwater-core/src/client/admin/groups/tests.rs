//! Whom the client asks about groups, when again, and what it says when nobody answers.

use super::*;
use crate::ids::{EventId, Offset, PartitionId, TopicName};
use crate::net::message::{Body, Node, Request};
use crate::time::SimTime;
use crate::world::outbox::{Outbox, Setting};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const ONE: BrokerId = BrokerId(1);
const TWO: BrokerId = BrokerId(2);

fn group(name: &str) -> GroupId {
    GroupId(name.into())
}

fn partition(number: i32) -> TopicPartition {
    TopicPartition::new(&TopicName::new("t"), PartitionId(number))
}

/// A call, and the requests that it has sent so far.
struct Bench {
    call: GroupsCall,
    next_id: u64,
}

/// A request that was sent: to whom, under which number, what.
type Sent = (NodeId, MessageId, GroupRequest);

impl Bench {
    fn new(question: GroupsQuestion) -> Self {
        Self { call: GroupsCall::new(question), next_id: 1 }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut GroupsCall, &mut Outbox) -> T) -> (T, Vec<Sent>) {
        let (now, network_delay) = (SimTime(0), SimDuration(500));
        let setting = Setting { now, step: 0, network_delay, is_quiet: true };
        let mut out = Outbox::new(setting, None, EventId(1), MessageId(self.next_id));
        let outcome = act(&mut self.call, &mut out);
        let mut sent = Vec::new();
        for sending in &out.sendings {
            if let Body::Request(Request::Group(request)) = &sending.body {
                sent.push((sending.to, sending.id, request.known().clone()));
            }
        }
        self.next_id += u64::try_from(out.sendings.len()).unwrap_or(0);
        (outcome, sent)
    }

    fn ask(&mut self, there: &[BrokerId]) -> Vec<Sent> {
        let there: Vec<Node> = there.iter().map(|id| Node::new(*id, 0)).collect();
        self.with(|call, out| call.ask(&there, ONE, out)).1
    }

    fn answer(&mut self, sent: &Sent, response: GroupResponse) -> Vec<Sent> {
        self.with(|call, out| call.handle_answer(sent.1, &response, "a", out)).1
    }

    fn give_up(self) -> GroupsReply {
        let mut call = self.call;
        let mut bench = Bench::new(GroupsQuestion::Delete(Vec::new()));
        let nobody = |name: &str| KafkaError::new(ErrorCode::Timeout, format!("nobody {name}"));
        bench.with(|_, out| call.fail(&nobody, out));
        call.answer()
    }
}

fn error(code: ErrorCode) -> KafkaError {
    KafkaError::plain(code)
}

/// Groups of one coordinator are asked about together, once all coordinators are known.
#[test]
fn groups_of_one_coordinator() {
    let names = ["a", "b", "c", "a"].map(group);
    let mut bench = Bench::new(GroupsQuestion::Describe(names.to_vec()));
    let lookups = bench.ask(&[ONE, TWO]);
    assert_eq!(lookups.len(), 3, "each group once");
    let found = |broker| GroupResponse::FindCoordinator(Ok(broker));
    assert!(bench.answer(&lookups[0], found(TWO)).is_empty());
    assert!(bench.answer(&lookups[1], found(ONE)).is_empty());
    let asked = bench.answer(&lookups[2], found(TWO));
    assert_eq!(asked[0].2, GroupRequest::DescribeGroups(vec![group("b")]));
    assert_eq!(asked[1].0, NodeId::Broker(TWO));
    assert_eq!(asked[1].2, GroupRequest::DescribeGroups(vec![group("a"), group("c")]));
}

/// A coordinator that is not there yet is looked up again, one that loads is asked again, one that has
/// moved is looked up again; then all is known.
#[test]
fn tries_again() {
    let mut bench = Bench::new(GroupsQuestion::Delete(vec![group("g")]));
    let unknown = bench.ask(&[ONE, TWO]);
    let missing = Err(error(ErrorCode::CoordinatorNotAvailable));
    bench.answer(&unknown[0], GroupResponse::FindCoordinator(missing));
    assert!(bench.call.must_plan());
    assert!(!bench.call.must_plan(), "planned once");
    let lookup = bench.ask(&[ONE, TWO]);
    let asked = bench.answer(&lookup[0], GroupResponse::FindCoordinator(Ok(ONE)));
    let deleted = |outcome| GroupResponse::DeleteGroups(vec![(group("g"), outcome)]);
    let loading = Err(error(ErrorCode::CoordinatorLoadInProgress));
    bench.answer(&asked[0], deleted(loading));
    assert!(bench.call.must_plan());
    let again = bench.ask(&[ONE, TWO]);
    assert_eq!((again[0].0, &again[0].2), (NodeId::Broker(ONE), &asked[0].2));
    bench.answer(&again[0], deleted(Err(error(ErrorCode::NotCoordinator))));
    assert!(bench.call.must_plan());
    let lookup = bench.ask(&[ONE, TWO]);
    assert_eq!(lookup[0].2, GroupRequest::FindCoordinator(group("g")));
    let asked = bench.answer(&lookup[0], GroupResponse::FindCoordinator(Ok(TWO)));
    bench.answer(&asked[0], deleted(Err(error(ErrorCode::NonEmptyGroup))));
    assert!(bench.call.is_complete());
    let left = Err(error(ErrorCode::NonEmptyGroup));
    assert_eq!(bench.call.answer(), GroupsReply::Deleted(vec![(group("g"), left)]));
}

/// A commit of which one partition is to be tried again is made again as a whole; other failures are
/// told partition by partition.
#[test]
fn commits() {
    let kept = |offset| OffsetAndMetadata {
        offset: Offset(offset),
        leader_epoch: -1,
        metadata: Rc::from(""),
    };
    let offsets = vec![(partition(0), kept(4)), (partition(1), kept(5))];
    let mut bench = Bench::new(GroupsQuestion::AlterOffsets(group("g"), offsets.clone()));
    let lookup = bench.ask(&[ONE]);
    let asked = bench.answer(&lookup[0], GroupResponse::FindCoordinator(Ok(ONE)));
    let GroupRequest::OffsetCommit { member, offsets: sent } = &asked[0].2 else {
        panic!("offsets are committed");
    };
    assert_eq!((member.generation, &*member.member.0, sent), (-1, "", &offsets));
    let rebalancing = Err(error(ErrorCode::RebalanceInProgress));
    let outcomes = vec![(partition(0), Ok(())), (partition(1), rebalancing)];
    bench.answer(&asked[0], GroupResponse::OffsetCommit(outcomes));
    assert!(bench.call.must_plan());
    let again = bench.ask(&[ONE]);
    assert_eq!(again[0].2, asked[0].2);
    let unknown = Err(error(ErrorCode::UnknownTopicOrPartition));
    let outcomes = vec![(partition(0), Ok(())), (partition(1), unknown)];
    bench.answer(&again[0], GroupResponse::OffsetCommit(outcomes.clone()));
    assert_eq!(bench.call.answer(), GroupsReply::Outcomes(Ok(outcomes)));
}

/// Members are taken out of a group by its coordinator.
#[test]
fn members_removed() {
    let leaving = LeavingMember {
        member: MemberId(Rc::from("")),
        instance: Some(Rc::from("i")),
        reason: Rc::from("it is gone"),
    };
    let mut bench = Bench::new(GroupsQuestion::RemoveMembers(group("g"), vec![leaving.clone()]));
    let lookup = bench.ask(&[ONE]);
    let asked = bench.answer(&lookup[0], GroupResponse::FindCoordinator(Ok(ONE)));
    let request = GroupRequest::LeaveGroup { group: group("g"), members: vec![leaving] };
    assert_eq!(asked[0].2, request);
    let outcomes = vec![Err(error(ErrorCode::UnknownMemberId))];
    bench.answer(&asked[0], GroupResponse::LeaveGroup(Ok(outcomes.clone())));
    assert_eq!(bench.call.answer(), GroupsReply::Removed(Ok(outcomes)));
}

/// What is said when the time is over depends on how far the client has come.
#[test]
fn gives_up() {
    let question = || GroupsQuestion::Offsets(group("g"));
    let text = |reply: GroupsReply| match reply {
        GroupsReply::Offsets(Err(error)) => error.message,
        other => panic!("{other:?}"),
    };
    let nowhere = Bench::new(question());
    assert_eq!(text(nowhere.give_up()), "nobody offsetFetch(api=FIND_COORDINATOR)");
    let mut looking = Bench::new(question());
    looking.ask(&[ONE]);
    assert!(text(looking.give_up()).starts_with("Call(callName=offsetFetch(api=FIND_COORDINATOR)"));
    let mut asking = Bench::new(question());
    let lookup = asking.ask(&[ONE]);
    let asked = asking.answer(&lookup[0], GroupResponse::FindCoordinator(Ok(TWO)));
    let mut lost = Bench { call: asking.call.clone(), next_id: asking.next_id };
    let waiting = "Timed out waiting to send the call. Call: offsetFetch(api=OFFSET_FETCH)";
    assert_eq!(text(asking.give_up()), waiting);
    assert_eq!(lost.call.forget_request(asked[0].1), Some(Some(TWO)));
    assert_eq!(text(lost.give_up()), "nobody offsetFetch(api=OFFSET_FETCH)");
}

/// Every broker is asked for its groups; the answer waits for all of them, or names the one that failed.
#[test]
fn listing() {
    let question = GroupsQuestion::List { states: Vec::new(), types: Vec::new() };
    let mut bench = Bench::new(question);
    let asked = bench.ask(&[ONE, TWO]);
    assert_eq!(asked.len(), 2);
    let listed = |name: &str| ListedGroup {
        group: group(name),
        protocol_type: Rc::from("consumer"),
        state: Rc::from("Stable"),
        group_type: Rc::from("classic"),
    };
    bench.answer(&asked[1], GroupResponse::ListGroups(Ok(vec![listed("b")])));
    assert!(!bench.call.is_complete());
    let loading = Err(error(ErrorCode::CoordinatorLoadInProgress));
    bench.answer(&asked[0], GroupResponse::ListGroups(loading));
    let again = bench.ask(&[TWO]);
    assert!(again.is_empty(), "a broker that has gone is waited for");
    let mut failed = Bench { call: bench.call.clone(), next_id: bench.next_id };
    let again = bench.ask(&[ONE, TWO]);
    bench.answer(&again[0], GroupResponse::ListGroups(Ok(vec![listed("a")])));
    assert!(bench.call.is_complete());
    let all = vec![listed("a"), listed("b")];
    assert_eq!(bench.call.answer(), GroupsReply::Listed(Ok(all)));
    failed.ask(&[TWO]);
    let GroupsReply::Listed(Err(why)) = failed.give_up() else { panic!("a broker is missing") };
    let text = "Error listing groups on localhost:9092 (id: 1 rack: null isFenced: false): nobody \
                listGroups";
    assert!(why.has_found_brokers);
    assert_eq!(why.error.message, text);
}
