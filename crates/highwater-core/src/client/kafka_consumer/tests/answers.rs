//! What a member makes of each error that its coordinator may answer with, one request after the other
//! (`AbstractCoordinator`, `ConsumerCoordinator`).

use std::rc::Rc;

use super::super::command::{CloseOptions, ConsumerReply};
use super::super::*;
use super::bench::{Bench, error, group_config, in_session, tp};
use crate::error::ErrorCode;
use crate::net::group::GroupResponse;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const KAFKA: &str = "org.apache.kafka.common.KafkaException";

fn manual() -> ConsumerConfig {
    ConsumerConfig { enable_auto_commit: false, ..group_config() }
}

/// A consumer that knows its coordinator and has asked to join.
fn joining() -> Bench {
    let mut bench = Bench::new(manual());
    bench.poll();
    bench.tell_metadata();
    bench.tell_coordinator();
    bench
}

/// The class that the poll failed with.
fn thrown(bench: &mut Bench) -> Option<(&'static str, String)> {
    bench.failure().map(|failure| (failure.class, failure.message.unwrap_or_default()))
}

/// `FindCoordinator`: what may pass is asked again after the backoff, all else is thrown.
#[test]
fn find_coordinator() {
    for (code, is_retriable) in [
        (ErrorCode::CoordinatorNotAvailable, true),
        (ErrorCode::CoordinatorLoadInProgress, true),
        (ErrorCode::InvalidGroupId, false),
    ] {
        let mut bench = Bench::new(manual());
        bench.poll();
        bench.tell_metadata();
        let (id, _) = bench.take_group("FindCoordinator");
        bench.answer_group(id, GroupResponse::FindCoordinator(Err(error(code))));
        assert!(bench.find("FindCoordinator").is_none(), "not at once");
        bench.pass(150);
        bench.tell_metadata();
        assert_eq!(bench.find("FindCoordinator").is_some(), is_retriable, "{code:?}");
        let class = thrown(&mut bench).map(|(class, _)| class);
        assert_eq!(class, (!is_retriable).then_some(code.exception()), "{code:?}");
    }
}

/// What follows a refused `JoinGroup` or `SyncGroup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// It joins again at once.
    Again,
    /// It joins again after the backoff.
    Later,
    /// It looks for its coordinator first, which is another one.
    Elsewhere,
    /// The poll fails.
    Fails,
}

fn next(bench: &mut Bench) -> (Next, Option<String>) {
    if bench.failure().is_some() {
        return (Next::Fails, None);
    }
    if let Some((_, request)) = bench.find("JoinGroup") {
        return (Next::Again, Some(member_of(&request)));
    }
    let is_elsewhere = bench.find("FindCoordinator").is_some();
    bench.pass(150);
    let next = if is_elsewhere { Next::Elsewhere } else { Next::Later };
    let joins = bench.find("JoinGroup");
    assert_eq!(joins.is_some(), next == Next::Later, "it waits, and not for ever");
    (next, joins.map(|(_, request)| member_of(&request)))
}

fn member_of(request: &crate::net::message::Request) -> String {
    let crate::net::message::Request::Group(request) = request else { panic!("{request:?}") };
    let crate::net::group::GroupRequest::JoinGroup(join) = request.known() else {
        panic!("{request:?}")
    };
    join.member.0.to_string()
}

/// `JoinGroup`; the fatal ones are in `rebalances`.
#[test]
fn join_group() {
    for (code, expected) in [
        (ErrorCode::UnknownMemberId, Next::Again),
        (ErrorCode::RebalanceInProgress, Next::Again),
        (ErrorCode::MemberIdRequired, Next::Again),
        (ErrorCode::CoordinatorLoadInProgress, Next::Later),
        (ErrorCode::CoordinatorNotAvailable, Next::Elsewhere),
        (ErrorCode::NotCoordinator, Next::Elsewhere),
        (ErrorCode::InvalidGroupId, Next::Fails),
    ] {
        let mut bench = joining();
        let (id, _) = bench.take_join();
        bench.refuse_join(id, "given", code);
        let (found, member) = next(&mut bench);
        assert_eq!(found, expected, "{code:?}");
        if let Some(member) = member {
            let given = if code == ErrorCode::MemberIdRequired { "given" } else { "" };
            assert_eq!(member, given, "{code:?}");
        }
    }
}

/// `SyncGroup`: a member that is not known joins as nobody, one of an older generation as itself. A coordinator that
/// still reads its log never answers so to it: it would be an error that nobody expects.
#[test]
fn sync_group() {
    for (code, expected, member) in [
        (ErrorCode::RebalanceInProgress, Next::Again, "m"),
        (ErrorCode::UnknownMemberId, Next::Again, ""),
        (ErrorCode::IllegalGeneration, Next::Again, "m"),
        (ErrorCode::CoordinatorNotAvailable, Next::Elsewhere, ""),
        (ErrorCode::NotCoordinator, Next::Elsewhere, ""),
        (ErrorCode::FencedInstanceId, Next::Fails, ""),
        (ErrorCode::CoordinatorLoadInProgress, Next::Fails, ""),
        (ErrorCode::UnknownServerError, Next::Fails, ""),
    ] {
        let mut bench = joining();
        let (id, join) = bench.take_join();
        bench.answer_join(id, &join, 1, "m");
        let (id, _) = bench.take_sync();
        bench.answer_group(id, GroupResponse::SyncGroup(Err(error(code))));
        let (found, said) = next(&mut bench);
        assert_eq!(found, expected, "{code:?}");
        assert_eq!(said.unwrap_or_default(), member, "{code:?}");
    }
}

/// `Heartbeat`: an error that nobody expects counts as no answer, and changes nothing else.
#[test]
fn heartbeat() {
    for (code, joins, looks) in [
        (ErrorCode::RebalanceInProgress, true, false),
        (ErrorCode::IllegalGeneration, true, false),
        (ErrorCode::UnknownMemberId, true, false),
        (ErrorCode::CoordinatorNotAvailable, false, true),
        (ErrorCode::NotCoordinator, false, true),
        (ErrorCode::CoordinatorLoadInProgress, false, false),
        (ErrorCode::UnknownServerError, false, false),
    ] {
        let mut bench = Bench::member(manual());
        bench.pass(3_000);
        bench.heartbeat(Err(code));
        assert_eq!(bench.find("JoinGroup").is_some(), joins, "{code:?}");
        assert_eq!(bench.find("FindCoordinator").is_some(), looks, "{code:?}");
        assert_eq!(thrown(&mut bench), None);
    }
}

/// `OffsetCommit`, by `commitSync`: what may pass is tried again, all else is thrown.
#[test]
fn offset_commit() {
    let failed = "org.apache.kafka.clients.consumer.CommitFailedException";
    for (code, class, looks) in [
        (ErrorCode::CoordinatorLoadInProgress, None, false),
        (ErrorCode::UnknownTopicOrPartition, None, false),
        (ErrorCode::CoordinatorNotAvailable, None, true),
        (ErrorCode::NotCoordinator, None, true),
        (ErrorCode::Timeout, None, true),
        (
            ErrorCode::OffsetMetadataTooLarge,
            Some(ErrorCode::OffsetMetadataTooLarge.exception()),
            false,
        ),
        (
            ErrorCode::InvalidCommitOffsetSize,
            Some(ErrorCode::InvalidCommitOffsetSize.exception()),
            false,
        ),
        (ErrorCode::FencedInstanceId, Some(ErrorCode::FencedInstanceId.exception()), false),
        (ErrorCode::RebalanceInProgress, Some(ErrorCode::RebalanceInProgress.exception()), false),
        (ErrorCode::UnknownMemberId, Some(failed), false),
        (ErrorCode::IllegalGeneration, Some(failed), false),
        (ErrorCode::UnknownServerError, Some(KAFKA), false),
    ] {
        let mut bench = Bench::member(manual());
        bench.heard();
        bench.consume(ConsumerCommand::CommitSync(None));
        bench.tell_commits(&Err(code));
        let heard = bench.heard();
        let found = heard.iter().find_map(|reply| match reply {
            ConsumerReply::Committed(result) => Some(result.clone().map_err(|error| error.class)),
            _ => None,
        });
        assert_eq!(found, class.map(Err), "{code:?}");
        assert_eq!(bench.find("FindCoordinator").is_some(), looks, "{code:?}");
        bench.pass(150);
        let is_tried_again = bench.find("OffsetCommit").is_some();
        assert_eq!(is_tried_again, class.is_none() && !looks, "{code:?}");
    }
}

/// `OffsetFetch` as a whole, and of one partition.
#[test]
fn offset_fetch() {
    let fetched = |answer| {
        let mut bench = joining();
        bench.join_alone(1);
        let (id, _) = bench.take_group("OffsetFetch");
        bench.answer_group(id, GroupResponse::OffsetFetch(answer));
        bench
    };
    for (code, looks) in [
        (ErrorCode::CoordinatorLoadInProgress, false),
        (ErrorCode::Timeout, false),
        (ErrorCode::CoordinatorNotAvailable, true),
        (ErrorCode::NotCoordinator, true),
    ] {
        let mut bench = fetched(Err(error(code)));
        assert_eq!(bench.find("FindCoordinator").is_some(), looks, "{code:?}");
        bench.pass(150);
        assert_eq!(bench.find("OffsetFetch").is_some(), !looks, "{code:?}");
    }
    let mut bench = fetched(Err(error(ErrorCode::UnknownServerError)));
    let (class, text) = thrown(&mut bench).expect("it fails");
    assert!(class == KAFKA && text.starts_with("Unexpected error in fetch offset response: "));
    for (code, text) in [
        (ErrorCode::UnknownTopicOrPartition, "Topic or Partition t-1 does not exist"),
        (
            ErrorCode::NotCoordinator,
            "Unexpected error in fetch offset response for partition t-1: ",
        ),
    ] {
        let mut bench = fetched(Ok(vec![(tp(0), Ok(None)), (tp(1), Err(error(code)))]));
        let (class, found) = thrown(&mut bench).expect("it fails");
        assert!(class == KAFKA && found.starts_with(text), "{found}");
    }
}

/// `ListOffsets` of a partition that its leader does not know: a warning, and metadata at once, since it was asked
/// for longer ago than the backoff; the lookup itself waits.
#[test]
fn list_offsets() {
    let mut bench = joining();
    bench.join_alone(1);
    bench.logged();
    bench.pass(2_000);
    let (id, _) = bench.take_group("OffsetFetch");
    bench.answer_group(
        id,
        GroupResponse::OffsetFetch(Ok(vec![(tp(0), Ok(None)), (tp(1), Ok(None))])),
    );
    let (id, _) = bench.take("ListOffsets");
    let refused = |which| (tp(which), Err(error(ErrorCode::UnknownTopicOrPartition)));
    bench.answer(id, Response::ListOffsets(Rc::new(vec![refused(0), refused(1)])));
    let logged = bench.logged();
    assert!(
        logged[0].ends_with(
            "Received unknown topic or partition error in ListOffset request for partition t-0 \
             (org.apache.kafka.clients.consumer.internals.OffsetFetcherUtils)"
        ) && logged.len() == 2,
        "{logged:?}"
    );
    assert!(bench.find("ListOffsets").is_none());
    assert!(bench.find("Metadata").is_some());
}

/// `LeaveGroup`: whatever the answer, the consumer ends; an error is logged.
#[test]
fn leave_group() {
    for code in [ErrorCode::UnknownMemberId, ErrorCode::NotCoordinator] {
        for answer in [Err(error(code)), Ok(vec![Err(error(code))])] {
            let mut bench = Bench::member(manual());
            bench.logged();
            bench.consume(ConsumerCommand::Close(CloseOptions::DEFAULT));
            let (id, _) = bench.take_group("LeaveGroup");
            bench.answer_group(id, GroupResponse::LeaveGroup(answer));
            bench.end_session();
            assert!(bench.heard().contains(&ConsumerReply::Closed));
            let logged = bench.logged();
            assert!(logged[0].contains("LeaveGroup request") && logged.len() == 1, "{logged:?}");
        }
    }
}

/// A member that has lost its coordinator waits for it in each poll. What was fetched meanwhile is handed out when
/// the poll is over, and then, and only then, it fetches again.
#[test]
fn without_a_coordinator_each_poll_lasts() {
    let mut bench = Bench::member(manual());
    bench.pass(3_000);
    let (fetch, _) = bench.take("Fetch");
    bench.heartbeat(Err(ErrorCode::NotCoordinator));
    bench.answer(fetch, in_session(3, Vec::new()));
    assert!(bench.find("Fetch").is_none(), "it waits for its coordinator");
    let polled = |bench: &Bench| {
        bench.replies.iter().filter(|reply| matches!(reply, ClientReply::Polled(_))).count()
    };
    bench.command(&ClientCommand::PollFor(Some(SimDuration::from_millis(100))));
    bench.pass(90);
    assert!((polled(&bench), bench.find("Fetch").is_none()) == (0, true));
    bench.pass(20);
    assert_eq!(polled(&bench), 1);
    assert!(bench.find("Fetch").is_some(), "at the end of the poll");
}
