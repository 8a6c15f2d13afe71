//! Joining, heartbeats, rebalances of both kinds, and all ways to be put out of a group.

use std::rc::Rc;

use super::super::command::{CloseOptions, ConsumerReply};
use super::super::coordinator::MemberState;
use super::super::*;
use super::bench::{Bench, error, group_config, tp};
use crate::client::assignor::AssignorKind;
use crate::error::ErrorCode;
use crate::net::group::{GroupRequest, GroupResponse, OffsetAndMetadata};
use crate::world::cluster_event::AssignmentChange;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn cooperative() -> ConsumerConfig {
    ConsumerConfig { assignors: vec![AssignorKind::CooperativeSticky], ..group_config() }
}

/// The coordinator is looked for until it is there; the first join brings an id, the second one the
/// lead; then committed offsets count, and where there are none the reset.
#[test]
fn a_first_member_joins_and_assigns() {
    let mut bench = Bench::new(group_config());
    bench.poll();
    bench.tell_metadata();
    let (id, _) = bench.take_group("FindCoordinator");
    bench.answer_group(
        id,
        GroupResponse::FindCoordinator(Err(error(ErrorCode::CoordinatorNotAvailable))),
    );
    assert!(bench.find("FindCoordinator").is_none(), "not at once");
    bench.pass(150);
    bench.tell_metadata();
    bench.tell_coordinator();
    let (id, join) = bench.take_join();
    assert_eq!(&*join.member.0, "");
    assert_eq!(join.protocols.len(), 2);
    bench.refuse_join(id, "c-1", ErrorCode::MemberIdRequired);
    let (id, join) = bench.take_join();
    assert_eq!(&*join.member.0, "c-1");
    assert_eq!(&*join.reason, "need to re-join with the given member-id: c-1");
    assert!(bench.find("Heartbeat").is_none());
    bench.answer_join(id, &join, 1, "m");
    let (id, sync) = bench.take_sync();
    assert_eq!(sync.assignments, vec![(sync.member.member.clone(), vec![tp(0), tp(1)])]);
    bench.answer_sync(id, vec![tp(0), tp(1)]);
    assert_eq!(bench.heard(), vec![ConsumerReply::Assigned(vec![tp(0), tp(1)])]);
    let (id, _) = bench.take_group("OffsetFetch");
    let committed =
        OffsetAndMetadata { offset: Offset(7), leader_epoch: -1, metadata: Rc::from("") };
    let answer = vec![(tp(0), Ok(Some(committed))), (tp(1), Ok(None))];
    bench.answer_group(id, GroupResponse::OffsetFetch(Ok(answer)));
    bench.settle();
    let positions: Vec<i64> = bench.consumer.positions().iter().map(|(_, at, _)| at.0).collect();
    assert_eq!(positions, [7, 0]);
}

/// A heartbeat comes every 3 s, whether somebody polls or not; one that is told of a rebalance makes an
/// eager member commit, give up all, and join with nothing.
#[test]
fn an_eager_member_gives_up_all_before_it_joins_again() {
    let mut bench = Bench::member(group_config());
    bench.pass(2_900);
    assert!(bench.find("Heartbeat").is_none());
    bench.pass(200);
    bench.heartbeat(Ok(()));
    bench.pass(3_000);
    bench.heard();
    bench.tell_commits(&Ok(()));
    bench.heartbeat(Err(ErrorCode::RebalanceInProgress));
    assert!(bench.find("JoinGroup").is_none(), "the commit comes first");
    assert_eq!(bench.heard(), vec![], "and nothing is given up before it is done");
    assert_eq!(bench.tell_commits(&Ok(())).len(), 1);
    assert_eq!(bench.heard(), vec![ConsumerReply::Revoked(vec![tp(0), tp(1)])]);
    let (id, join) = bench.take_join();
    assert_eq!(join.protocols[0].1.owned, vec![]);
    assert_eq!(&*join.reason, "group is already rebalancing");
    bench.pass(9_000);
    assert!(bench.find("Heartbeat").is_none(), "who waits for JoinGroup sends none");
    bench.answer_join(id, &join, 2, "other");
    let (id, sync) = bench.take_sync();
    assert_eq!(sync.assignments, vec![]);
    bench.answer_sync(id, vec![tp(1)]);
    assert_eq!(bench.heard(), vec![ConsumerReply::Assigned(vec![tp(1)])]);
}

/// A cooperative member keeps what it has while it joins, gives up afterwards what it lost, and joins
/// once more so that somebody else can have it.
#[test]
fn a_cooperative_member_gives_up_after_the_assignment() {
    let mut bench = Bench::member(cooperative());
    bench.pass(3_000);
    bench.heard();
    bench.heartbeat(Err(ErrorCode::RebalanceInProgress));
    bench.tell_commits(&Ok(()));
    let (id, join) = bench.take_join();
    assert_eq!(join.protocols[0].1.owned, vec![tp(0), tp(1)]);
    assert_eq!(join.protocols[0].1.generation, 1);
    assert_eq!(bench.heard(), vec![]);
    bench.answer_join(id, &join, 2, "other");
    let (id, _) = bench.take_sync();
    bench.answer_sync(id, vec![tp(0)]);
    let heard = bench.heard();
    assert_eq!(heard, vec![ConsumerReply::Revoked(vec![tp(1)]), ConsumerReply::Assigned(vec![])]);
    bench.tell_commits(&Ok(()));
    let (_, join) = bench.take_join();
    assert_eq!(join.protocols[0].1.owned, vec![tp(0)]);
    assert_eq!(join.protocols[0].1.generation, 2);
    assert_eq!(&*join.reason, "need to revoke partitions and re-join");
}

/// A member that the coordinator does not know loses its partitions and joins as somebody new; one of an
/// old generation keeps its id.
#[test]
fn a_lost_generation_loses_the_partitions() {
    for (code, member) in [(ErrorCode::UnknownMemberId, ""), (ErrorCode::IllegalGeneration, "m")] {
        let mut bench =
            Bench::member(ConsumerConfig { enable_auto_commit: false, ..group_config() });
        bench.pass(3_000);
        bench.changes.clear();
        bench.heartbeat(Err(code));
        let (_, join) = bench.take_join();
        assert_eq!(&*join.member.0, member);
        let lost = |change: &(AssignmentChange, Vec<TopicPartition>, String)| {
            change.0 == AssignmentChange::Lost && change.1 == vec![tp(0), tp(1)]
        };
        assert!(bench.changes.iter().any(lost), "{:?}", bench.changes);
    }
}

/// Two members with one `group.instance.id`: the older one ends, with Kafka's text.
#[test]
fn a_fenced_member_ends() {
    let config = ConsumerConfig { group_instance_id: Some(Rc::from("a")), ..group_config() };
    let mut bench = Bench::member(config);
    bench.pass(3_000);
    bench.heartbeat(Err(ErrorCode::FencedInstanceId));
    let failure = bench.failure().expect("the poll fails");
    assert_eq!(failure.class, "org.apache.kafka.common.errors.FencedInstanceIdException");
    assert_eq!(
        bench.logged(),
        ["Error [Consumer instanceId=a, clientId=c, groupId=g] Caught fenced group.instance.id \
             Optional[a] error in heartbeat thread \
             (org.apache.kafka.clients.consumer.internals.ConsumerCoordinator)"]
    );
    bench.consume(ConsumerCommand::Close(CloseOptions::DEFAULT));
    assert!(bench.find("LeaveGroup").is_none());
    bench.end_session();
    assert!(bench.heard().contains(&ConsumerReply::Closed));
}

/// An application that does not poll for `max.poll.interval.ms`: the client leaves by itself, heartbeats
/// end, and the next commit fails with Kafka's text; heartbeats went on until then.
#[test]
fn a_member_that_does_not_poll_leaves() {
    let config = ConsumerConfig { max_poll_interval_ms: 10_000, ..group_config() };
    let mut bench = Bench::member(config);
    bench.consume(ConsumerCommand::Wakeup);
    assert!(bench.failure().is_some());
    for _ in 0..3 {
        bench.pass(3_000);
        bench.heartbeat(Ok(()));
    }
    bench.pass(990);
    assert!(bench.find("LeaveGroup").is_none());
    bench.pass(20);
    let (_, GroupRequest::LeaveGroup { members, .. }) = bench.take_group("LeaveGroup") else {
        panic!()
    };
    assert_eq!(&*members[0].reason, "consumer poll timeout has expired.");
    assert!(
        bench.logged()[0]
            .starts_with("Warn [Consumer clientId=c, groupId=g] consumer poll timeout")
    );
    bench.pass(20_000);
    assert!(bench.find("Heartbeat").is_none());
    bench.consume(ConsumerCommand::CommitSync(None));
    let heard = bench.heard();
    let Some(ConsumerReply::Committed(Err(error))) = heard.last() else { panic!("{heard:?}") };
    assert_eq!(error.class, "org.apache.kafka.clients.consumer.CommitFailedException");
    let text = error.message.as_deref().unwrap_or_default();
    assert!(text.ends_with("it is likely that the consumer was kicked out of the group."));
    bench.poll();
    assert!(bench.heard().contains(&ConsumerReply::Lost(vec![tp(0), tp(1)])));
    let (_, join) = bench.take_join();
    assert_eq!(&*join.member.0, "");
}

/// A leader whose topic grows rebalances; a follower leaves that to its leader.
#[test]
fn a_leader_watches_its_topics() {
    for leads in [true, false] {
        let config = ConsumerConfig { enable_auto_commit: false, ..group_config() };
        let mut bench = Bench::new(config);
        bench.poll();
        bench.tell_metadata();
        bench.tell_coordinator();
        let (id, join) = bench.take_join();
        bench.answer_join(id, &join, 1, if leads { "m" } else { "other" });
        let (id, _) = bench.take_sync();
        bench.answer_sync(id, vec![tp(0), tp(1)]);
        bench.settle();
        bench.partitions = 3;
        bench.idle(300);
        bench.tell_metadata();
        assert_eq!(bench.find("JoinGroup").is_some(), leads);
    }
}

/// The answer to a `JoinGroup` may take as long as the rebalance timeout and 5 s more; the other
/// requests take `request.timeout.ms`. A coordinator that does not answer is looked for again.
#[test]
fn a_silent_coordinator_is_looked_for_again() {
    let mut bench = Bench::new(group_config());
    bench.poll();
    bench.tell_metadata();
    bench.tell_coordinator();
    let _ = bench.take_join();
    bench.pass(304_900);
    bench.tell_metadata();
    assert!(bench.find("FindCoordinator").is_none());
    bench.pass(500);
    bench.tell_coordinator();
    bench.pass(1_000);
    bench.join_alone(1);
    assert_eq!(bench.consumer.member_view().map(|view| view.state), Some(MemberState::Stable));
}

/// `NOT_COORDINATOR`: what was on its way to the old one is given up, the member stays what it was.
#[test]
fn a_moved_coordinator_changes_nothing_else() {
    let mut bench = Bench::member(group_config());
    bench.pass(3_000);
    bench.heartbeat(Err(ErrorCode::NotCoordinator));
    bench.tell_coordinator();
    assert!(bench.find("JoinGroup").is_none());
    bench.pass(400);
    bench.heartbeat(Ok(()));
    assert_eq!(bench.consumer.member_view().map(|view| view.generation), Some(1));
}

/// Answers that no member may get end the poll with Kafka's exception and one line of its log.
#[test]
fn fatal_answers() {
    for (code, text) in [
        (ErrorCode::InconsistentGroupProtocol, "fatal error"),
        (ErrorCode::InvalidSessionTimeout, "fatal error"),
        (ErrorCode::GroupMaxSizeReached, "fatal error"),
        (ErrorCode::FencedInstanceId, "has been fenced by another instance"),
        (ErrorCode::UnknownServerError, "unexpected error"),
    ] {
        let mut bench = Bench::new(group_config());
        bench.poll();
        bench.tell_metadata();
        bench.tell_coordinator();
        let (id, _) = bench.take_join();
        bench.refuse_join(id, "", code);
        assert!(bench.failure().is_some(), "{code:?}");
        let logged = bench.logged();
        assert!(logged[0].contains(text), "{logged:?}");
    }
}

/// An answer to `JoinGroup` is not looked at while nobody polls.
#[test]
fn a_join_waits_for_a_poll() {
    let mut bench = Bench::new(group_config());
    bench.command(&ClientCommand::PollFor(Some(SimDuration::from_millis(100))));
    bench.tell_metadata();
    bench.tell_coordinator();
    let (id, join) = bench.take_join();
    bench.pass(200);
    bench.answer_join(id, &join, 1, "m");
    assert!(bench.find("SyncGroup").is_none());
    bench.poll();
    let (id, _) = bench.take_sync();
    bench.answer_sync(id, vec![tp(0)]);
    assert_eq!(bench.heard(), vec![ConsumerReply::Assigned(vec![tp(0)])]);
}
