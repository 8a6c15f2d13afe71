//! Commits by hand and by themselves, the end of a consumer, and logs that were cut off.

use std::rc::Rc;

use super::super::command::{CloseOptions, ConsumerReply};
use super::super::*;
use super::bench::{Bench, error, forgotten, group_config, in_session, tp};
use crate::client::kafka_consumer::config::OffsetReset;
use crate::error::ErrorCode;
use crate::ids::NodeId;
use crate::net::group::{GroupRequest, GroupResponse, OffsetAndMetadata};
use crate::net::message::{Request, SessionId};
use crate::scope::Always;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn manual() -> ConsumerConfig {
    ConsumerConfig { enable_auto_commit: false, ..group_config() }
}

fn close(bench: &mut Bench) {
    bench.consume(ConsumerCommand::Close(CloseOptions::DEFAULT));
}

fn offsets_of(request: &GroupRequest) -> Vec<i64> {
    let GroupRequest::OffsetCommit { offsets, .. } = request else { panic!("{request:?}") };
    offsets.iter().map(|(_, committed)| committed.offset.0).collect()
}

/// The settings commit every 5 s what was read, also when that is what it was; and say so if it fails.
#[test]
fn auto_commit() {
    let mut bench = Bench::member(group_config());
    bench.seek(0, 4);
    bench.pass(4_990);
    assert!(bench.find("OffsetCommit").is_none());
    bench.pass(20);
    let commits = bench.tell_commits(&Ok(()));
    // In the order of Java's map, as a hanging member's log has it: partition 1 comes first.
    assert_eq!(commits.iter().map(offsets_of).collect::<Vec<_>>(), [[0, 4]]);
    bench.pass(5_000);
    assert_eq!(bench.tell_commits(&Err(ErrorCode::CoordinatorLoadInProgress)).len(), 1);
    assert!(bench.logged()[0].starts_with(
        "Warn [Consumer clientId=c, groupId=g] Offset commit failed on partition t-1 at offset 0: "
    ));
    bench.pass(110);
    assert_eq!(bench.tell_commits(&Err(ErrorCode::OffsetMetadataTooLarge)).len(), 1, "soon again");
    let logged = bench.logged();
    assert!(logged[1].contains(
        "Asynchronous auto-commit of offsets {t-1=OffsetAndMetadata{offset=0, leaderEpoch=null, \
         metadata=''}, t-0=OffsetAndMetadata{offset=4, leaderEpoch=null, metadata=''}} failed: The \
         metadata field"
    ));
}

/// `commitSync` tries again until it is done, after all callbacks of commits that were sent before it.
#[test]
fn commits_by_hand() {
    let mut bench = Bench::member(manual());
    bench.idle(60);
    assert!(bench.find("OffsetCommit").is_none(), "nothing by itself");
    let mine = |offset| {
        let committed =
            OffsetAndMetadata { offset: Offset(offset), leader_epoch: -1, metadata: Rc::from("") };
        Some(vec![(tp(0), committed)])
    };
    bench.heard();
    bench.consume(ConsumerCommand::CommitAsync(1, mine(1)));
    bench.consume(ConsumerCommand::CommitAsync(2, mine(2)));
    bench.tell_commits(&Ok(()));
    bench.consume(ConsumerCommand::CommitSync(mine(3)));
    assert_eq!(bench.tell_commits(&Err(ErrorCode::CoordinatorLoadInProgress)).len(), 1);
    assert_eq!(
        bench.heard(),
        vec![ConsumerReply::CommitDone(1, Ok(())), ConsumerReply::CommitDone(2, Ok(()))]
    );
    bench.pass(150);
    assert_eq!(bench.tell_commits(&Ok(())).len(), 1);
    assert_eq!(bench.heard(), vec![ConsumerReply::Committed(Ok(()))]);
}

/// A `commitSync` that is never answered ends after `default.api.timeout.ms`; a retriable failure of a
/// `commitAsync` is the application's matter.
#[test]
fn commits_that_fail() {
    let mut bench = Bench::member(manual());
    bench.heard();
    bench.seek(0, 5);
    bench.consume(ConsumerCommand::CommitAsync(7, None));
    bench.tell_commits(&Err(ErrorCode::NotCoordinator));
    bench.poll();
    let heard = bench.heard();
    let Some(ConsumerReply::CommitDone(7, Err(failed))) = heard.first() else {
        panic!("{heard:?}")
    };
    assert_eq!(failed.class, "org.apache.kafka.clients.consumer.RetriableCommitFailedException");
    bench.consume(ConsumerCommand::CommitSync(None));
    bench.pass(60_000);
    let heard = bench.heard();
    let Some(ConsumerReply::Committed(Err(failed))) = heard.last() else { panic!("{heard:?}") };
    let text = failed.message.as_deref().unwrap_or_default();
    assert!(
        text.starts_with("Timeout of 60000ms expired before successfully committing offsets {t-1=")
    );
}

/// A commit of a stale generation tells the application that its partitions are somebody else's.
#[test]
fn a_zombie_cannot_commit() {
    let mut bench = Bench::member(manual());
    bench.heard();
    bench.consume(ConsumerCommand::CommitSync(None));
    bench.tell_commits(&Err(ErrorCode::UnknownMemberId));
    let heard = bench.heard();
    let found = heard.iter().find_map(|reply| match reply {
        ConsumerReply::Committed(Err(error)) => error.message.clone(),
        _ => None,
    });
    let text = found.expect("the commit fails");
    assert!(text.starts_with("Commit cannot be completed since the group has already rebalanced"));
    assert!(heard.contains(&ConsumerReply::Lost(vec![tp(0), tp(1)])));
}

/// A dynamic member that closes commits, leaves, and waits for both; a static one does not leave.
#[test]
fn an_end_in_good_order() {
    for instance in [None, Some(Rc::from("a"))] {
        let is_static = instance.is_some();
        let mut bench =
            Bench::member(ConsumerConfig { group_instance_id: instance, ..group_config() });
        bench.heard();
        close(&mut bench);
        assert!(bench.find("LeaveGroup").is_none(), "the commit comes first");
        bench.tell_commits(&Ok(()));
        if !is_static {
            assert!(!bench.heard().contains(&ConsumerReply::Closed));
            let (id, _) = bench.take_group("LeaveGroup");
            bench.answer_group(id, GroupResponse::LeaveGroup(Ok(vec![Ok(())])));
        }
        assert!(bench.find("LeaveGroup").is_none());
        assert!(!bench.heard().contains(&ConsumerReply::Closed));
        bench.end_session();
        assert!(bench.heard().contains(&ConsumerReply::Closed));
        bench.pass(100_000);
        assert!(bench.find("Heartbeat").is_none());
    }
}

/// A coordinator that does not answer holds up the end for 30 s, not longer, and a warning says so.
#[test]
fn an_end_takes_30_seconds_at_most() {
    let mut bench = Bench::member(manual());
    close(&mut bench);
    let _ = bench.take_group("LeaveGroup");
    bench.pass(29_000);
    assert!(!bench.heard().contains(&ConsumerReply::Closed));
    bench.pass(1_100);
    assert!(bench.heard().contains(&ConsumerReply::Closed));
}

/// A poll that is woken up fails; so does the next one, when nobody polls.
#[test]
fn wakeup() {
    let mut bench = Bench::member(manual());
    bench.consume(ConsumerCommand::Wakeup);
    assert_eq!(
        bench.failure().map(|error| error.class),
        Some("org.apache.kafka.common.errors.WakeupException")
    );
    bench.consume(ConsumerCommand::Wakeup);
    assert!(bench.failure().is_none());
    bench.poll();
    assert!(bench.failure().is_some());
}

/// Partitions that are paused are not fetched.
#[test]
fn pause_and_resume() {
    let mut bench = Bench::member(manual());
    let (id, Request::Fetch(fetch)) = bench.take("Fetch") else { panic!() };
    assert_eq!(fetch.partitions.len(), 2);
    bench.consume(ConsumerCommand::Pause(vec![tp(0)]));
    bench.answer(id, in_session(3, Vec::new()));
    let (id, Request::Fetch(fetch)) = bench.take("Fetch") else { panic!() };
    assert_eq!((&fetch.partitions, forgotten(&fetch)), (&vec![], vec![tp(0)]));
    bench.consume(ConsumerCommand::Resume(vec![tp(0)]));
    bench.answer(id, in_session(3, Vec::new()));
    let (_, Request::Fetch(fetch)) = bench.take("Fetch") else { panic!() };
    assert_eq!((&fetch.partitions, forgotten(&fetch)), (&vec![(tp(0), Offset(0))], vec![]));
}

/// A broker that leads no more names the one that does: it is fetched from at once, and the topic is asked
/// about when its pause is over (KIP-951). Without a name the old one is left alone first.
#[test]
fn the_named_leader_is_fetched_from_at_once() {
    for is_named in [true, false] {
        let mut bench = Bench::member(manual());
        let (id, Request::Fetch(fetch)) = bench.take("Fetch") else { panic!() };
        let refused =
            |which: &TopicPartition| (which.clone(), Err(error(ErrorCode::NotLeaderOrFollower)));
        let answers = fetch.partitions.iter().map(|(which, _)| refused(which)).collect();
        let leaders =
            vec![(tp(0), BrokerId(2), LeaderEpoch(1)), (tp(1), BrokerId(3), LeaderEpoch(1))];
        let leaders = if is_named { Lab::new(leaders) } else { Lab::default() };
        bench.answer(id, Response::Fetch(answers, leaders, Always::new(Ok(SessionId(3)))));
        if is_named {
            for (partition, broker) in [(0, 2), (1, 3)] {
                let (_, to, Request::Fetch(fetch)) = bench.take_with_node("Fetch") else {
                    panic!()
                };
                assert_eq!(to, NodeId::Broker(BrokerId(broker)));
                assert_eq!(fetch.partitions, vec![(tp(partition), Offset(0))]);
            }
        }
        assert!(bench.find("Fetch").is_none());
        bench.pass(200);
        assert!(bench.find("Metadata").is_some(), "it asks about all else that has changed");
    }
}

/// A committed offset comes with the epoch of its record: the leader is asked whether its log has it. If
/// not, the position goes back to where the logs part, or the poll fails where no reset is allowed.
#[test]
fn a_log_that_was_cut_off() {
    for reset in [OffsetReset::Earliest, OffsetReset::None] {
        let mut bench = Bench::new(ConsumerConfig { auto_offset_reset: reset, ..manual() });
        bench.partitions = 1;
        bench.leader_epoch = 3;
        bench.poll();
        bench.tell_metadata();
        bench.tell_coordinator();
        bench.join_alone(1);
        let (id, _) = bench.take_group("OffsetFetch");
        let committed =
            OffsetAndMetadata { offset: Offset(9), leader_epoch: 2, metadata: Rc::from("") };
        let answer = vec![(tp(0), Ok(Some(committed)))];
        bench.answer_group(id, GroupResponse::OffsetFetch(Ok(answer)));
        assert!(bench.find("Fetch").is_none(), "nothing is fetched before it is known");
        let (id, Request::OffsetsForLeaderEpoch(asked)) = bench.take("OffsetsForLeaderEpoch")
        else {
            panic!()
        };
        assert_eq!(asked.known()[0].epoch, LeaderEpoch(2));
        assert_eq!(asked.known()[0].current, LeaderEpoch(3));
        let answer = vec![(tp(0), Ok(Some((LeaderEpoch(2), Offset(6)))))];
        bench.answer(id, Response::OffsetsForLeaderEpoch(Lab::new(answer)));
        if reset == OffsetReset::None {
            let failure = bench.failure().expect("the poll fails");
            assert_eq!(failure.class, "org.apache.kafka.clients.consumer.LogTruncationException");
        } else {
            let (_, Request::Fetch(fetch)) = bench.take("Fetch") else { panic!() };
            assert_eq!(fetch.partitions, vec![(tp(0), Offset(6))]);
        }
    }
}

/// A partition that the coordinator has no answer for is asked for again.
#[test]
fn committed_offsets_are_asked_for_until_they_come() {
    let mut bench = Bench::new(manual());
    bench.poll();
    bench.tell_metadata();
    bench.tell_coordinator();
    bench.join_alone(1);
    let (id, _) = bench.take_group("OffsetFetch");
    let refused = Err(error(ErrorCode::CoordinatorLoadInProgress));
    bench.answer_group(id, GroupResponse::OffsetFetch(refused));
    assert!(bench.find("OffsetFetch").is_none());
    bench.pass(200);
    bench.settle();
    assert_eq!(bench.consumer.positions().len(), 2);
}
