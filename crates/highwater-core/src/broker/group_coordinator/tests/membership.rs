//! Who is a member, and in which generation?

use std::rc::Rc;

use crate::broker::group_coordinator::GroupState;
use crate::broker::group_coordinator::tests::driver::{Client, Driver, code, partition};
use crate::error::ErrorCode;
use crate::ids::{BrokerId, GroupId, MemberId};
use crate::world::cluster_event::ClusterEvent;
use crate::world::event::{Event, EventKind};
use crate::world::group_event::{GroupEvent, Missed, RebalanceReason};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Whoever asks first makes the topic; until it has a leader, there is no coordinator.
#[test]
fn the_first_question_makes_the_topic() {
    for brokers in [1, 3, 5] {
        let mut driver = Driver::new(brokers, &[]);
        let topic = crate::ids::TopicName::new("__consumer_offsets");
        let image = driver.probe.world.controller().image();
        let made = image.topics.get(&topic).expect("it was made");
        assert_eq!(made.partitions.len(), 50);
        let replicas = made.partitions.iter().map(|partition| partition.replicas.len());
        assert!(replicas.min() == Some(brokers.min(3) as usize));
        let config = |key: &str| {
            made.configs.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
        };
        assert_eq!(config("cleanup.policy").as_deref(), Some("compact"));
        assert_eq!(config("compression.type").as_deref(), Some("producer"));
        assert_eq!(config("segment.bytes").as_deref(), Some("104857600"));
        let leader = made.partitions.get(3).and_then(|partition| partition.leader);
        for broker in 1..=brokers {
            let broker = BrokerId(i32::try_from(broker).expect("small"));
            assert_eq!(driver.find_coordinator(broker).ok(), leader, "the group g is in 3");
        }
    }
}

/// The times of the facts (05-groups.md, 5.2): an id at once, generation 1 after 3 s, which only those who
/// join meanwhile make longer; then all get their parts from the leader.
#[test]
fn a_first_generation() {
    let mut driver = Driver::new(3, &[]);
    let (mut one, mut two) = (Client::new(1), Client::new(2));
    let began = driver.probe.world.now();
    let first = driver.begin_join(&mut one);
    assert!(one.id.starts_with("c1-") && one.id.len() == 3 + 36, "{}", one.id);
    driver.probe.run(1_000);
    let second = driver.begin_join(&mut two);
    driver.probe.run(2_500);
    assert!(driver.join_answer(first).is_none(), "somebody came: the wait is longer");
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    driver.probe.run(3_000);
    let joined = driver.take_joined(&mut one, first);
    let took = driver.came_at(first).map_or(0, |at| at.0 - began.0) / 1_000;
    assert!((6_000..6_020).contains(&took), "{took}");
    assert_eq!((joined.generation, &*joined.protocol), (1, "range"));
    assert_eq!(*joined.leader.0, *one.id);
    assert_eq!(joined.members.len(), 2);
    let followed = driver.take_joined(&mut two, second);
    assert!(followed.members.is_empty() && followed.generation == 1);
    assert_eq!(driver.state(), GroupState::CompletingRebalance);
    let waits = driver.post_sync(&two, &[]);
    driver.probe.run(100);
    assert!(driver.synced(waits).is_none(), "the leader has not assigned");
    let part = [partition("t", 1)];
    let leads = driver.post_sync(&one, &[(&two, &part)]);
    driver.probe.run(20);
    assert_eq!(driver.state(), GroupState::Stable);
    let partitions = |request| driver.synced(request).and_then(Result::ok).map(|it| it.partitions);
    assert_eq!(partitions(waits), Some(part.to_vec()));
    assert_eq!(partitions(leads), Some(Vec::new()));
}

/// A member that leaves makes the others join again; whoever stays hears of it with a heartbeat.
#[test]
fn somebody_leaves() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    let [one, two] = &mut clients;
    assert_eq!(driver.heartbeat(two), Ok(()));
    assert!(driver.leave(one).is_ok_and(|all| all == [Ok(())]));
    assert_eq!(code(&driver.heartbeat(two)), Some(ErrorCode::RebalanceInProgress));
    let join = driver.post_join(two);
    driver.probe.run(10);
    let joined = driver.take_joined(two, join);
    assert_eq!((joined.generation, &*joined.leader.0), (2, two.id.as_str()));
    assert_eq!(code(&driver.heartbeat(one)), Some(ErrorCode::UnknownMemberId));
}

/// What members commit is there for whoever asks.
#[test]
fn offsets_are_kept() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 7), None);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 7)]);
}

/// Who is asked for an id must come back with it. Until its session is over, the generation waits for it.
#[test]
fn an_id_that_nobody_uses() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    let [one] = &mut clients;
    let lost = Client { session_timeout_ms: 6_000, ..Client::new(2) };
    driver.post_join(&lost);
    driver.probe.run(100);
    assert_eq!(driver.state(), GroupState::Stable, "nobody has joined");
    let rejoins = driver.post_join(one);
    driver.probe.run(5_000);
    assert!(driver.join_answer(rejoins).is_none(), "the other may still come");
    driver.probe.run(1_000);
    assert_eq!(driver.take_joined(one, rejoins).generation, 2);
    let expired = |event: &GroupEvent| {
        matches!(event, GroupEvent::MemberExpired { missed: Missed::Join, .. })
    };
    assert!(driver.group_events().iter().any(expired));
}

/// Of an id that nobody gave out, of another generation and of a group that is not there nobody wants to
/// hear.
#[test]
fn strangers() {
    let mut driver = Driver::new(1, &[]);
    let stranger = Client { id: "c9-unknown".to_owned(), generation: 1, ..Client::new(9) };
    let unknown = Some(ErrorCode::UnknownMemberId);
    let tries = |driver: &mut Driver, client: &Client| {
        let join = driver.post_join(client);
        let sync = driver.post_sync(client, &[]);
        driver.probe.run(10);
        let join = driver.join_answer(join).and_then(|answer| code(&answer.result));
        let sync = driver.synced(sync).and_then(|result| code(&result));
        (join, sync, code(&driver.heartbeat(client)))
    };
    assert_eq!(tries(&mut driver, &stranger), (unknown, unknown, unknown));
    assert_eq!(code(&driver.leave(&stranger)), unknown, "there is no group");
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    assert_eq!(tries(&mut driver, &stranger), (unknown, unknown, unknown));
    let left = driver.leave(&stranger).expect("there is a group");
    assert_eq!(left.first().and_then(code), unknown);
    let old = Client { generation: 0, ..clients[1].clone() };
    let illegal = Some(ErrorCode::IllegalGeneration);
    assert_eq!(tries(&mut driver, &old), (None, illegal, illegal));
    driver.group = GroupId(Rc::from(""));
    let invalid = Some(ErrorCode::InvalidGroupId);
    driver.coordinator = BrokerId(1);
    assert_eq!(tries(&mut driver, &stranger), (invalid, invalid, invalid));
}

/// A member of which nothing is heard is gone 45 s after its last heartbeat; a commit counts as one.
#[test]
fn a_session_ends() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    let [one, two] = &mut clients;
    driver.probe.run(20_000);
    assert_eq!(driver.heartbeat(one), Ok(()));
    assert_eq!(driver.commit(two, 1), None);
    driver.probe.run(30_000);
    assert_eq!(driver.heartbeat(two), Ok(()));
    driver.probe.run(14_970);
    assert_eq!(driver.state(), GroupState::Stable);
    driver.probe.run(40);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    assert_eq!(driver.group().members().len(), 1);
    assert_eq!(driver.group().leader().map(|id| &*id.0), Some(two.id.as_str()));
    // While it waits for an answer, it is there.
    let mut late = Client::new(3);
    driver.begin_join(&mut late);
    let waits = driver.post_join(two);
    driver.probe.run(10);
    driver.take_joined(two, waits);
    let waits = driver.post_sync(two, &[]);
    driver.probe.run(100);
    assert!(driver.synced(waits).is_some_and(|result| result.is_ok()));
    driver.probe.run(45_100);
    assert_eq!(driver.group().members().len(), 0, "neither has said anything");
    assert_eq!(driver.state(), GroupState::Empty);
}

/// A rebalance waits for its members as long as the most patient of them allows; those who come too late
/// must begin anew.
#[test]
fn a_rebalance_timeout() {
    let mut driver = Driver::new(1, &[]);
    let patience = [60_000, 20_000];
    let mut clients = [1, 2].map(Client::new);
    for (client, patience) in clients.iter_mut().zip(patience) {
        client.rebalance_timeout_ms = patience;
        client.session_timeout_ms = 100_000;
    }
    driver.stabilise(&mut clients);
    let [one, two] = &mut clients;
    let mut three = Client { rebalance_timeout_ms: 10_000, ..Client::new(3) };
    let joins = [driver.begin_join(&mut three), driver.post_join(two)];
    driver.probe.run(59_900);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    assert_eq!(code(&driver.heartbeat(one)), Some(ErrorCode::RebalanceInProgress));
    driver.probe.run(200);
    let [third, second] = joins;
    let third = driver.take_joined(&mut three, third);
    let second = driver.take_joined(two, second);
    assert_eq!((third.generation, second.generation), (2, 2));
    assert_eq!(third.leader, second.leader, "another one leads, since the leader was late");
    assert_eq!(third.members.len() + second.members.len(), 2, "and hears of both");
    assert_eq!(code(&driver.heartbeat(one)), Some(ErrorCode::UnknownMemberId));
}

/// A member that has joined and does not ask for its part in time is gone.
#[test]
fn a_sync_timeout() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = [1, 2].map(|number| Client {
        rebalance_timeout_ms: 10_000,
        session_timeout_ms: 60_000,
        ..Client::new(number)
    });
    let joins = clients.each_mut().map(|client| driver.begin_join(client));
    driver.probe.run(6_000);
    let [one, two] = &mut clients;
    driver.take_joined(one, joins[0]);
    driver.take_joined(two, joins[1]);
    driver.post_sync(one, &[]);
    driver.probe.run(5_000);
    assert_eq!(driver.state(), GroupState::Stable, "the leader has assigned");
    driver.probe.run(6_000);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    assert_eq!(code(&driver.heartbeat(two)), Some(ErrorCode::UnknownMemberId));
    let why = RebalanceReason::SyncExpired(vec![MemberId(Rc::from(two.id.as_str()))]);
    let began = |event: &GroupEvent| matches!(event, GroupEvent::RebalanceStarted { why: known, .. } if *known == why);
    assert!(driver.group_events().iter().any(began));
}

/// Whoever joins again without news hears of its generation; the leader, and whoever has news, make the
/// group rebalance; those who wait for their parts hear of that at once.
#[test]
fn joining_again() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    let [one, two] = &mut clients;
    let again = driver.post_join(two);
    driver.probe.run(10);
    let joined = driver.take_joined(two, again);
    assert_eq!((joined.generation, joined.members.len()), (1, 0));
    assert_eq!(driver.state(), GroupState::Stable);
    let leads = driver.post_join(one);
    driver.probe.run(10);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    let follows = driver.post_join(two);
    driver.probe.run(10);
    driver.take_joined(one, leads);
    driver.take_joined(two, follows);
    assert_eq!(driver.group().generation(), 2);
    let waits = driver.post_sync(two, &[]);
    driver.probe.run(10);
    // The leader did not get its answer and asks again: it is told the same.
    let again = driver.post_join(one);
    driver.probe.run(10);
    assert_eq!(driver.take_joined(one, again).members.len(), 2);
    assert!(driver.synced(waits).is_none());
    one.topics = vec!["u"];
    driver.post_join(one);
    driver.probe.run(10);
    let interrupted = driver.synced(waits).and_then(|result| code(&result));
    assert_eq!(interrupted, Some(ErrorCode::RebalanceInProgress));
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
}

/// The assignor that most members like best among those that all know; who knows none of them stays out.
#[test]
fn the_vote() {
    let mut driver = Driver::new(1, &[]);
    let mut clients = [1, 2, 3].map(Client::new);
    clients[0].protocols = vec!["range", "roundrobin", "sticky"];
    clients[1].protocols = vec!["sticky", "cooperative-sticky", "roundrobin"];
    clients[2].protocols = vec!["sticky", "roundrobin"];
    driver.stabilise(&mut clients);
    assert_eq!(driver.group().protocol(), Some("sticky"));
    let stranger = Client { protocols: vec!["range"], ..Client::new(4) };
    let refused = driver.post_join(&stranger);
    driver.probe.run(10);
    let answer = driver.join_answer(refused).expect("at once");
    assert_eq!(code(&answer.result), Some(ErrorCode::InconsistentGroupProtocol));
    let none = Client { protocols: Vec::new(), ..Client::new(5) };
    driver.group = GroupId(Rc::from("other"));
    driver.coordinator = driver.find_coordinator(BrokerId(1)).expect("there is one");
    let refused = driver.post_join(&none);
    driver.probe.run(10);
    let answer = driver.join_answer(refused).expect("at once");
    assert_eq!(code(&answer.result), Some(ErrorCode::InconsistentGroupProtocol));
}

/// No more members than `group.max.size`, and no session outside the limits.
#[test]
fn limits() {
    let settings = [("group.max.size", "2"), ("group.min.session.timeout.ms", "5000")];
    let mut driver = Driver::new(1, &settings);
    let mut clients = [1, 2].map(Client::new);
    let joins = clients.each_mut().map(|client| driver.begin_join(client));
    let third = driver.post_join(&Client::new(3));
    driver.probe.run(10);
    let third = driver.join_answer(third).expect("at once");
    assert_eq!(code(&third.result), Some(ErrorCode::GroupMaxSizeReached));
    driver.probe.run(10_000);
    driver.complete(&mut clients, &joins);
    let fourth = driver.post_join(&Client::new(4));
    driver.probe.run(10);
    let fourth = driver.join_answer(fourth).expect("at once");
    assert_eq!(code(&fourth.result), Some(ErrorCode::GroupMaxSizeReached));
    for (timeout, allowed) in [(4_999, false), (5_000, true), (1_800_000, true), (1_800_001, false)]
    {
        driver.group = GroupId(Rc::from(format!("g{timeout}")));
        driver.coordinator = driver.find_coordinator(BrokerId(1)).expect("there is one");
        let join = Client { session_timeout_ms: timeout, ..Client::new(5) };
        let join = driver.post_join(&join);
        driver.probe.run(10);
        let answer = driver.join_answer(join).expect("at once");
        let expected =
            if allowed { ErrorCode::MemberIdRequired } else { ErrorCode::InvalidSessionTimeout };
        assert_eq!(code(&answer.result), Some(expected), "{timeout}");
    }
}

/// Without the initial delay a single member is in a generation at once; the wait never exceeds the
/// rebalance timeout, however many come.
#[test]
fn the_initial_wait() {
    let mut driver = Driver::new(1, &[("group.initial.rebalance.delay.ms", "0")]);
    let mut one = Client::new(1);
    let join = driver.begin_join(&mut one);
    driver.probe.run(10);
    assert_eq!(driver.take_joined(&mut one, join).generation, 1);
    let mut driver = Driver::new(1, &[]);
    let began = driver.probe.world.now();
    let mut first = None;
    for number in 0..20 {
        let mut client = Client { rebalance_timeout_ms: 10_000, ..Client::new(number) };
        let join = driver.begin_join(&mut client);
        first = first.or(Some(join));
        driver.probe.run(1_000);
        if driver.state() == GroupState::CompletingRebalance {
            break;
        }
    }
    let came = first.and_then(|join| driver.came_at(join)).expect("it is over");
    let took = (came.0 - began.0) / 1_000;
    assert!((10_000..10_020).contains(&took), "{took}");
}

/// Every event has a cause that leads back to what somebody sent, and a generation tells why it began.
#[test]
fn why() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    driver.leave(&clients[0]).expect("it is a member");
    let join = driver.post_join(&clients[1]);
    driver.probe.run(10);
    driver.take_joined(&mut clients[1], join);
    let events = &driver.probe.events;
    let of_group = |event: &Event| match &event.kind {
        EventKind::Cluster(news) => match news.event() {
            Some(ClusterEvent::Group(event)) => Some(event.clone()),
            _ => None,
        },
        _ => None,
    };
    let second = events.iter().rev().find(|event| {
        matches!(of_group(event), Some(GroupEvent::GenerationBegan { generation: 2, .. }))
    });
    let second = second.expect("there was a second generation");
    let cause = events.iter().find(|event| Some(event.id) == second.cause).expect("a cause");
    let gone = MemberId(Rc::from(clients[0].id.as_str()));
    let why = RebalanceReason::MembersLeft(vec![gone.clone()]);
    assert!(matches!(
        of_group(cause),
        Some(GroupEvent::RebalanceStarted { generation: 1, why: known, .. }) if known == why
    ));
    let cause = events.iter().find(|event| Some(event.id) == cause.cause).expect("a cause");
    assert!(
        matches!(of_group(cause), Some(GroupEvent::MemberLeft { member, .. }) if member == gone)
    );
}

/// Who waits for an answer need say nothing: a session that ends meanwhile is not its end.
#[test]
fn who_waits_is_there() {
    let mut driver = Driver::new(1, &[]);
    let mut clients =
        [1, 2].map(|number| Client { session_timeout_ms: 10_000, ..Client::new(number) });
    driver.stabilise(&mut clients);
    let [one, two] = &mut clients;
    assert_eq!(driver.heartbeat(two), Ok(()));
    let joins = driver.post_join(one);
    for _ in 0..5 {
        driver.probe.run(8_000);
        assert_eq!(code(&driver.heartbeat(two)), Some(ErrorCode::RebalanceInProgress));
    }
    assert_eq!(driver.group().members().len(), 2);
    let follows = driver.post_join(two);
    driver.probe.run(10);
    assert_eq!(driver.take_joined(one, joins).generation, 2);
    driver.take_joined(two, follows);
    let waits = driver.post_sync(two, &[]);
    for _ in 0..5 {
        driver.probe.run(8_000);
        assert_eq!(driver.heartbeat(one), Ok(()));
    }
    let part = [partition("t", 2)];
    driver.post_sync(one, &[(&*two, &part)]);
    driver.probe.run(10);
    let synced = driver.synced(waits).and_then(Result::ok).expect("it is still a member");
    assert_eq!(synced.partitions, part);
    driver.probe.run(9_900);
    assert_eq!(driver.group().members().len(), 2, "its session has begun anew");
    driver.probe.run(200);
    assert_eq!(driver.group().members().len(), 0);
}
