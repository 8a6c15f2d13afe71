//! A rebalance waits for the application's rebalance listener, and goes on when that has returned.

use super::super::command::{CloseOptions, ConsumerReply, GroupMembershipOperation};
use super::super::*;
use super::bench::{Bench, group_config, tp};
use crate::client::assignor::AssignorKind;
use crate::error::ErrorCode;
use crate::net::group::{GroupRequest, GroupResponse};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn listening() -> ConsumerConfig {
    ConsumerConfig { has_listener: true, enable_auto_commit: false, ..group_config() }
}

/// A member with a listener that has returned from its first call.
fn member(config: ConsumerConfig) -> Bench {
    let mut bench = Bench::new(config);
    bench.poll();
    bench.tell_metadata();
    bench.tell_coordinator();
    bench.join_alone(1);
    assert_eq!(bench.heard(), vec![ConsumerReply::Assigned(vec![tp(0), tp(1)])]);
    bench.consume(ConsumerCommand::ListenerDone);
    bench.settle();
    bench
}

fn rebalance(bench: &mut Bench) {
    bench.pass(3_000);
    bench.heartbeat(Err(ErrorCode::RebalanceInProgress));
}

/// What the listener commits is kept before the member joins; meanwhile heartbeats go on.
#[test]
fn the_join_waits_for_the_listener() {
    let mut bench = member(listening());
    rebalance(&mut bench);
    assert_eq!(bench.heard(), vec![ConsumerReply::Revoked(vec![tp(0), tp(1)])]);
    bench.pass(3_100);
    assert!(bench.find("JoinGroup").is_none(), "the listener has not returned");
    bench.heartbeat(Err(ErrorCode::RebalanceInProgress));
    bench.consume(ConsumerCommand::CommitSync(None));
    assert_eq!(bench.tell_commits(&Ok(())).len(), 1, "it is still in its generation");
    assert_eq!(bench.heard(), vec![ConsumerReply::Committed(Ok(()))]);
    assert!(bench.find("JoinGroup").is_none());
    bench.consume(ConsumerCommand::ListenerDone);
    let (_, join) = bench.take_join();
    assert_eq!(join.protocols[0].1.owned, vec![]);
}

/// What is new is not read before the listener has returned, which may choose where to begin.
#[test]
fn nothing_is_read_before_the_listener_returns() {
    let mut bench = Bench::new(listening());
    bench.poll();
    bench.tell_metadata();
    bench.tell_coordinator();
    bench.join_alone(1);
    assert!(bench.find("OffsetFetch").is_none());
    bench.seek(0, 7);
    bench.consume(ConsumerCommand::ListenerDone);
    let (_, request) = bench.take_group("OffsetFetch");
    let GroupRequest::OffsetFetch { partitions, .. } = request else { panic!() };
    assert_eq!(partitions, Some(vec![tp(1)]), "it knows where to begin in the other one");
}

/// A member that owns nothing is told so at an eager rebalance; one that is told nothing new, too.
#[test]
fn a_listener_is_called_with_nothing() {
    let mut bench = member(listening());
    rebalance(&mut bench);
    bench.heard();
    bench.consume(ConsumerCommand::ListenerDone);
    let (id, join) = bench.take_join();
    bench.answer_join(id, &join, 2, "other");
    let (id, _) = bench.take_sync();
    bench.answer_sync(id, vec![]);
    assert_eq!(bench.heard(), vec![ConsumerReply::Assigned(vec![])]);
    bench.consume(ConsumerCommand::ListenerDone);
    rebalance(&mut bench);
    assert_eq!(bench.heard(), vec![ConsumerReply::Revoked(vec![])]);
}

/// A listener that takes longer than `max.poll.interval.ms` costs the membership.
#[test]
fn a_listener_may_take_too_long() {
    let mut bench = member(ConsumerConfig { max_poll_interval_ms: 10_000, ..listening() });
    rebalance(&mut bench);
    bench.heard();
    for _ in 0..3 {
        bench.pass(2_500);
        if let Some((id, _)) = bench.find("Heartbeat") {
            bench.answer_group(id, GroupResponse::Heartbeat(Ok(())));
        }
    }
    assert!(bench.find("LeaveGroup").is_none());
    bench.pass(2_600);
    bench.take_group("LeaveGroup");
    assert!(bench.logged()[0].contains("consumer poll timeout has expired"));
    bench.consume(ConsumerCommand::ListenerDone);
    let (_, join) = bench.take_join();
    assert_eq!(&*join.member.0, "", "it joins as somebody new");
    assert_eq!(bench.heard(), vec![], "its partitions are gone already");
}

/// A cooperative member hears first what it loses, then what it has got; then it joins once more.
#[test]
fn a_cooperative_member_has_two_calls() {
    let mut bench =
        member(ConsumerConfig { assignors: vec![AssignorKind::CooperativeSticky], ..listening() });
    rebalance(&mut bench);
    let (id, join) = bench.take_join();
    bench.answer_join(id, &join, 2, "other");
    let (id, _) = bench.take_sync();
    bench.answer_sync(id, vec![tp(0)]);
    assert_eq!(bench.heard(), vec![ConsumerReply::Revoked(vec![tp(1)])]);
    assert_eq!(bench.consumer.positions().len(), 2, "it has them while it is told");
    bench.consume(ConsumerCommand::ListenerDone);
    assert_eq!(bench.heard(), vec![ConsumerReply::Assigned(vec![])]);
    assert!(bench.find("JoinGroup").is_none());
    bench.consume(ConsumerCommand::ListenerDone);
    let (_, join) = bench.take_join();
    assert_eq!(join.protocols[0].1.owned, vec![tp(0)]);
}

/// A poll whose time is over while its thread is in the listener returns after it.
#[test]
fn a_poll_does_not_return_from_within_the_listener() {
    let mut bench = Bench::new(listening());
    let timeout = SimDuration::from_millis(500);
    bench.command(&ClientCommand::PollFor(Some(timeout)));
    bench.tell_metadata();
    bench.tell_coordinator();
    bench.join_alone(1);
    let polled = |bench: &Bench| {
        bench.replies.iter().filter(|reply| matches!(reply, ClientReply::Polled(_))).count()
    };
    bench.pass(1_000);
    assert_eq!(polled(&bench), 0);
    bench.consume(ConsumerCommand::ListenerDone);
    assert_eq!(polled(&bench), 1);
}

/// A consumer that closes tells its listener, which may commit; then it says goodbye, or not.
#[test]
fn a_consumer_closes_after_its_listener() {
    use GroupMembershipOperation::{Default, LeaveGroup, RemainInGroup};
    let cases = [
        (false, Default, true),
        (false, RemainInGroup, false),
        (true, Default, false),
        (true, LeaveGroup, true),
        (true, RemainInGroup, false),
    ];
    for (is_static, operation, leaves) in cases {
        let group_instance_id = is_static.then(|| Rc::from("one"));
        let mut bench = member(ConsumerConfig { group_instance_id, ..listening() });
        bench.consume(ConsumerCommand::Close(CloseOptions { operation, ..CloseOptions::DEFAULT }));
        assert_eq!(bench.heard(), vec![ConsumerReply::Revoked(vec![tp(0), tp(1)])]);
        bench.consume(ConsumerCommand::CommitSync(None));
        bench.tell_commits(&Ok(()));
        assert_eq!(bench.heard(), vec![ConsumerReply::Committed(Ok(()))]);
        assert!(bench.find("LeaveGroup").is_none());
        bench.consume(ConsumerCommand::ListenerDone);
        if leaves {
            let (id, _) = bench.take_group("LeaveGroup");
            bench.answer_group(id, GroupResponse::LeaveGroup(Ok(vec![Ok(())])));
        }
        assert!(bench.find("LeaveGroup").is_none());
        bench.end_session();
        assert_eq!(bench.heard(), vec![ConsumerReply::Closed]);
    }
}
