//! Static members (KIP-345): they come back without a rebalance, and two of one name are not tolerated.

use std::rc::Rc;

use crate::broker::group_coordinator::GroupState;
use crate::broker::group_coordinator::tests::driver::{Client, Driver, code, partition};
use crate::error::ErrorCode;
use crate::ids::MemberId;
use crate::net::group::{GroupRequest, GroupResponse, LeavingMember};
use crate::world::fault::Fault;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn pair() -> [Client; 2] {
    [Client::of_instance(1, "a"), Client::of_instance(2, "b")]
}

/// Kills a client: the next one of its name knows nothing.
fn reborn(client: &Client) -> Client {
    Client { id: String::new(), generation: -1, ..client.clone() }
}

/// A static member is a member at once, under a name that begins with its own.
#[test]
fn it_is_added_at_once() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = pair();
    driver.stabilise(&mut clients);
    assert!(clients[0].id.starts_with("a-") && clients[0].id.len() == 2 + 36);
    assert_eq!(driver.group().leader().map(|id| &*id.0), Some(clients[0].id.as_str()));
}

/// It comes back within its session: a new id, its old part, no rebalance; if it leads, it need not
/// assign (KIP-814). Whoever has its old id is fenced, whatever it says.
#[test]
fn it_comes_back() {
    for comes_back in [0, 1] {
        let mut driver = Driver::new(3, &[]);
        let mut clients = pair();
        driver.stabilise(&mut clients);
        driver.probe.run(30_000);
        let old = clients[comes_back].clone();
        let mut new = reborn(&old);
        let join = driver.begin_join(&mut new);
        driver.probe.run(20);
        let joined = driver.take_joined(&mut new, join);
        assert_eq!((joined.generation, driver.state()), (1, GroupState::Stable));
        assert_eq!(joined.skip_assignment, comes_back == 0);
        assert_eq!(joined.members.len(), if comes_back == 0 { 2 } else { 0 });
        assert_ne!(new.id, old.id);
        let sync = driver.post_sync(&new, &[]);
        driver.probe.run(10);
        let part = driver.synced(sync).and_then(Result::ok).expect("it has a part").partitions;
        assert_eq!(part.len(), if comes_back == 0 { 3 } else { 0 });
        let fenced = Some(ErrorCode::FencedInstanceId);
        assert_eq!(code(&driver.heartbeat(&old)), fenced);
        assert_eq!(driver.commit(&old, 5), fenced);
        let sync = driver.post_sync(&old, &[]);
        let join = driver.post_join(&old);
        driver.probe.run(10);
        assert_eq!(driver.synced(sync).and_then(|result| code(&result)), fenced);
        assert_eq!(driver.join_answer(join).and_then(|answer| code(&answer.result)), fenced);
        let left = driver.leave(&old).expect("there is a group");
        assert_eq!(left.first().and_then(code), fenced);
        assert_eq!(driver.heartbeat(&new), Ok(()));
    }
}

/// Its session begins anew when it comes back; if it does not come, it goes with the end of its session.
#[test]
fn it_does_not_come_back() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = pair();
    driver.stabilise(&mut clients);
    for _ in 0..4 {
        driver.probe.run(10_000);
        assert_eq!(driver.heartbeat(&clients[1]), Ok(()));
    }
    assert_eq!(driver.group().members().len(), 2);
    let mut new = reborn(&clients[0]);
    let join = driver.begin_join(&mut new);
    driver.probe.run(44_000);
    driver.take_joined(&mut new, join);
    assert_eq!(driver.group().members().len(), 2, "45 s from its return");
    assert_eq!(driver.heartbeat(&clients[1]), Ok(()));
    driver.probe.run(2_000);
    assert_eq!(driver.group().members().len(), 1);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
}

/// If another assignor suits most when it is back, all join again; so they do if it comes back while parts
/// are given out: the leader may give one to the old id.
#[test]
fn it_comes_back_and_changes_something() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = pair();
    clients[0].protocols = vec!["range", "sticky"];
    clients[1].protocols = vec!["range", "sticky"];
    driver.stabilise(&mut clients);
    let mut new = Client { protocols: vec!["sticky"], ..reborn(&clients[1]) };
    driver.begin_join(&mut new);
    driver.probe.run(10);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);

    let mut driver = Driver::new(1, &[]);
    let mut clients = pair();
    let joins = clients.each_mut().map(|client| driver.begin_join(client));
    driver.probe.run(10_000);
    for (client, join) in clients.iter_mut().zip(joins) {
        driver.take_joined(client, join);
    }
    let waits = driver.post_sync(&clients[1], &[]);
    driver.probe.run(10);
    let mut new = reborn(&clients[1]);
    let join = driver.begin_join(&mut new);
    driver.probe.run(10);
    let fenced = driver.synced(waits).and_then(|result| code(&result));
    assert_eq!(fenced, Some(ErrorCode::FencedInstanceId));
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    let leads = driver.post_join(&clients[0]);
    driver.probe.run(10);
    assert_eq!(driver.take_joined(&mut new, join).generation, 2);
    assert_eq!(driver.take_joined(&mut clients[0], leads).members.len(), 2);
}

/// While a rebalance waits, a second one of the same name takes the place of the first.
#[test]
fn two_of_one_name() {
    let mut driver = Driver::new(1, &[]);
    let mut first = Client::of_instance(1, "a");
    let waits = driver.begin_join(&mut first);
    driver.probe.run(100);
    let mut second = Client::of_instance(2, "a");
    let join = driver.begin_join(&mut second);
    driver.probe.run(10);
    let answer = driver.join_answer(waits).expect("it is told at once");
    assert_eq!(code(&answer.result), Some(ErrorCode::FencedInstanceId));
    driver.probe.run(6_100);
    assert_eq!(driver.take_joined(&mut second, join).members.len(), 1);
}

/// A static member stays in a rebalance that it misses, until its session is over.
#[test]
fn it_misses_a_rebalance() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = pair();
    for client in &mut clients {
        client.rebalance_timeout_ms = 10_000;
        client.session_timeout_ms = 60_000;
    }
    driver.stabilise(&mut clients);
    let leads = driver.post_join(&clients[0]);
    driver.probe.run(10_100);
    let joined = driver.take_joined(&mut clients[0], leads);
    assert_eq!((joined.generation, joined.members.len()), (2, 2), "it is still a member");
    assert_eq!(code(&driver.heartbeat(&clients[1])), Some(ErrorCode::IllegalGeneration));
}

/// Somebody else sends it away by its name.
#[test]
fn it_is_sent_away() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = pair();
    driver.stabilise(&mut clients);
    let nobody = |instance: &str| LeavingMember {
        member: MemberId(Rc::from("")),
        instance: Some(Rc::from(instance)),
        reason: Rc::from("admin"),
    };
    let members = vec![nobody("b"), nobody("z")];
    let group = driver.group.clone();
    let left = match driver.ask(0, GroupRequest::LeaveGroup { group, members }) {
        GroupResponse::LeaveGroup(Ok(left)) => left,
        other => panic!("{other:?}"),
    };
    assert_eq!(left.iter().map(code).collect::<Vec<_>>(), [None, Some(ErrorCode::UnknownMemberId)]);
    assert_eq!(driver.group().members().len(), 1);
    assert_eq!(code(&driver.heartbeat(&clients[0])), Some(ErrorCode::RebalanceInProgress));
}

/// What is not written down has not happened: the member of before is the member again.
#[test]
fn its_new_id_cannot_be_written_down() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = pair();
    driver.stabilise(&mut clients);
    // Nobody else copies: what the coordinator appends is not committed for as long as they count.
    for broker in 1..=3 {
        if broker != driver.coordinator.0 {
            driver.probe.inject(Fault::Pause(crate::ids::BrokerId(broker)));
        }
    }
    let old = clients[1].clone();
    let mut new = reborn(&old);
    let join = driver.begin_join(&mut new);
    driver.probe.run(4_900);
    assert!(driver.join_answer(join).is_none(), "it is not committed");
    driver.probe.run(200);
    let answer = driver.join_answer(join).expect("the write has taken too long");
    assert_eq!(code(&answer.result), Some(ErrorCode::CoordinatorNotAvailable));
    assert!(driver.group().members().iter().any(|member| *member.id.0 == *old.id));
    assert_eq!(driver.group().members().len(), 2);
    assert_eq!(driver.state(), GroupState::Stable);
    let part = driver.group().members().iter().find(|member| *member.id.0 == *clients[0].id);
    assert_eq!(part.and_then(|it| it.assignment.clone()).map(|it| it.len()), Some(3));
    assert_eq!(partition("t", 0).to_string(), "t-0");
}
