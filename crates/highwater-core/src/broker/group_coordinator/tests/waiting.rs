//! What waits for a coordinator that reads its log, and for a disk that is slow.

use std::rc::Rc;

use crate::broker::group_coordinator::tests::driver::{Client, Driver, code, offset, partition};
use crate::error::ErrorCode;
use crate::ids::BrokerId;
use crate::net::group::{GroupRequest, GroupResponse, OffsetAndMetadata};
use crate::time::SimDuration;
use crate::world::fault::Fault;
use crate::world::group_event::GroupEvent;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

impl Driver {
    fn fetch_error(&mut self) -> Option<ErrorCode> {
        let request = GroupRequest::OffsetFetch { group: self.group.clone(), partitions: None };
        match self.ask(0, request) {
            GroupResponse::OffsetFetch(answer) => code(&answer),
            other => panic!("{other:?}"),
        }
    }

    fn list(&mut self) -> Option<ErrorCode> {
        let request = GroupRequest::ListGroups { states: Vec::new(), types: Vec::new() };
        match self.ask(0, request) {
            GroupResponse::ListGroups(answer) => code(&answer),
            other => panic!("{other:?}"),
        }
    }

    fn has_loaded(&self, by: BrokerId) -> bool {
        self.group_events().iter().any(|event| {
            matches!(event, GroupEvent::CoordinatorLoaded { broker, groups: 1, .. } if *broker == by)
        })
    }
}

/// A new coordinator reads its log, the longer the more it holds. Until then it knows nothing of its
/// groups: it says so, but to heartbeats nothing but that all is well.
#[test]
fn a_new_coordinator_reads_its_log() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    let metadata: Rc<str> = Rc::from("m".repeat(4_000));
    for at in 0..300 {
        let large = OffsetAndMetadata { metadata: Rc::clone(&metadata), ..offset(at) };
        driver.post_commit(&clients[0], &[(partition("t", 0), large)]);
        driver.probe.run(5);
    }
    let old = driver.coordinator;
    driver.probe.inject(Fault::Crash(old));
    let loading = |driver: &Driver| {
        driver.group_events().into_iter().find_map(|event| match event {
            GroupEvent::CoordinatorLoading { broker, bytes, .. } => Some((broker, bytes)),
            _ => None,
        })
    };
    let mut began = None;
    for _ in 0..60_000 {
        driver.probe.run(1);
        began = loading(&driver);
        if began.is_some() {
            break;
        }
    }
    let (next, bytes) = began.expect("somebody takes over");
    assert!(bytes > 1_200_000, "{bytes}");
    driver.coordinator = next;
    let other = (1..=3).map(BrokerId).find(|id| *id != next && *id != old).expect("a third one");
    driver.probe.run(10);
    assert_eq!(driver.find_coordinator(other), Ok(next), "it is found already");
    assert_eq!(driver.heartbeat(&clients[0]), Ok(()));
    assert_eq!(driver.fetch_error(), Some(ErrorCode::CoordinatorLoadInProgress));
    assert_eq!(driver.commit(&clients[0], 7), Some(ErrorCode::CoordinatorLoadInProgress));
    assert_eq!(driver.list(), Some(ErrorCode::CoordinatorLoadInProgress));
    let join = driver.post_join(&clients[0]);
    driver.probe.run(5);
    let answer = driver.join_answer(join).expect("an answer");
    assert_eq!(code(&answer.result), Some(ErrorCode::CoordinatorLoadInProgress));
    assert!(!driver.has_loaded(next));
    // 11 bytes in a microsecond.
    driver.probe.run(bytes / 11_000 + 1);
    assert!(driver.has_loaded(next));
    assert_eq!(driver.list(), None);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 299)]);
    assert_eq!(driver.heartbeat(&clients[0]), Ok(()));
}

/// What a group has come to takes as long as the disk does; what comes after it waits for that.
#[test]
fn a_slow_disk_delays_a_group() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    driver.probe.inject(Fault::SlowDisk(BrokerId(1), SimDuration::from_millis(500)));
    driver.probe.run(1);
    let commit = driver.post_commit(&clients[0], &[(partition("t", 0), offset(5))]);
    driver.probe.run(20);
    let beat = GroupRequest::Heartbeat(clients[0].member(&driver.group));
    let beat = driver.post(1, BrokerId(1), beat);
    driver.probe.run(400);
    assert!(driver.came(commit).is_none() && driver.came(beat).is_none());
    driver.probe.run(100);
    assert!(driver.commit_answer(commit).expect("it is written")[0].1.is_ok());
    assert!(matches!(driver.came(beat), Some(GroupResponse::Heartbeat(Ok(())))));
    assert!(driver.came_at(commit) <= driver.came_at(beat), "one after the other");
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 5)], "reading takes no disk");
    let commit = driver.post_commit(&clients[0], &[(partition("t", 0), offset(6))]);
    driver.probe.run(20);
    driver.probe.inject(Fault::HealDisk(BrokerId(1)));
    driver.probe.run(600);
    assert!(driver.came(commit).is_some());
}

/// Who stops leading writes no more: all that waits for the disk is told where else to ask. A process that
/// ends tells nobody.
#[test]
fn what_waits_for_the_disk_of_an_old_coordinator() {
    for crashes in [false, true] {
        let mut driver = Driver::new(3, &[]);
        let mut clients = [Client::new(1)];
        driver.stabilise(&mut clients);
        assert_eq!(driver.commit(&clients[0], 5), None);
        let old = driver.coordinator;
        driver.probe.inject(Fault::SlowDisk(old, SimDuration::from_millis(60_000)));
        driver.probe.run(1);
        let commit = driver.post_commit(&clients[0], &[(partition("t", 0), offset(6))]);
        driver.probe.run(5);
        let beat = GroupRequest::Heartbeat(clients[0].member(&driver.group));
        let beat = driver.post(1, old, beat);
        driver.probe.run(5);
        driver.probe.inject(if crashes { Fault::Crash(old) } else { Fault::Stop(old) });
        driver.probe.run(15_000);
        if crashes {
            assert!(driver.probe.is_disconnected(commit) && driver.probe.is_disconnected(beat));
        } else {
            let outcomes = driver.commit_answer(commit).expect("it is told");
            assert_eq!(code(&outcomes[0].1), Some(ErrorCode::NotCoordinator));
            let Some(GroupResponse::Heartbeat(answer)) = driver.came(beat) else { panic!() };
            assert_eq!(code(&answer), Some(ErrorCode::NotCoordinator));
        }
        let other = BrokerId(old.0 % 3 + 1);
        driver.coordinator = driver.find_coordinator(other).expect("another one");
        assert_eq!(driver.fetch_all(), [(partition("t", 0), 5)], "what was not written is gone");
    }
}
