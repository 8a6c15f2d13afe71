//! Another broker takes a coordinator's place: what was committed is there, what was not is not.

use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::group_coordinator::GroupState;
use crate::broker::group_coordinator::tests::driver::{Client, Driver, code, offset, partition};
use crate::controller::records::ConfigResource;
use crate::error::ErrorCode;
use crate::ids::{BrokerId, GroupId, MessageId, TopicName};
use crate::net::admin::{AdminRequest, ConfigChanges};
use crate::net::group::{GroupRequest, GroupResponse};
use crate::net::message::Request;
use crate::net::rule::{Effect, Party, Rule};
use crate::scope::Lab;
use crate::world::cluster_event::ClusterEvent;
use crate::world::event::EventKind;
use crate::world::fault::Fault;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

impl Driver {
    /// The coordinator dies; the driver finds the next one.
    fn crash_coordinator(&mut self) {
        let old = self.coordinator;
        self.probe.inject(Fault::Crash(old));
        self.find_next(old);
    }

    fn find_next(&mut self, old: BrokerId) {
        let other = BrokerId(old.0 % 3 + 1);
        for _ in 0..400 {
            self.probe.run(100);
            if let Ok(next) = self.find_coordinator(other)
                && next != old
            {
                self.coordinator = next;
                return self.probe.run(10);
            }
        }
        panic!("nobody takes over");
    }

    /// The log of groups takes no larger batches from now on.
    fn limit_records(&mut self, bytes: &str) {
        let changes = ConfigChanges {
            resource: ConfigResource::Topic(TopicName::new("__consumer_offsets")),
            changes: vec![("max.message.bytes".to_owned(), Some(bytes.to_owned()))],
        };
        let request = AdminRequest::AlterConfigs(Lab::new(changes));
        self.probe.send(0, BrokerId(1), Request::Admin(Rc::new(request)));
        self.probe.run(10);
    }

    fn others(&self) -> Vec<BrokerId> {
        (1..=3).map(BrokerId).filter(|id| *id != self.coordinator).collect()
    }

    /// The coordinator is alone from now on, without knowing.
    fn cut_off(&mut self) {
        for other in self.others() {
            for (from, to) in [(self.coordinator, other), (other, self.coordinator)] {
                let (from, to) = (Party::Broker(from), Party::Broker(to));
                self.probe.inject(Fault::AddRule(Rule { from, to, effect: Effect::Cut }));
            }
        }
    }
}

/// A stable group with its offsets goes on under another coordinator as if nothing had happened; sessions
/// begin anew. So it does when the first one comes back and leads again.
#[test]
fn a_group_survives() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::of_instance(2, "b")];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 41), None);
    assert_eq!(driver.commit(&clients[1], 42), None);
    let first = driver.coordinator;
    driver.probe.run(40_000);
    for client in &clients {
        assert_eq!(driver.heartbeat(client), Ok(()));
    }
    driver.crash_coordinator();
    let group = driver.group();
    assert_eq!((group.state(), group.generation()), (GroupState::Stable, 1));
    assert_eq!(group.leader().map(|id| &*id.0), Some(clients[0].id.as_str()));
    assert_eq!(group.protocol(), Some("range"));
    let parts: Vec<usize> = group.members().iter().map(|it| it.partitions().len()).collect();
    assert_eq!(parts.iter().sum::<usize>(), 3);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 42)]);
    for client in &clients {
        assert_eq!(driver.heartbeat(client), Ok(()));
    }
    assert_eq!(driver.commit(&clients[0], 43), None);
    driver.probe.inject(Fault::Start(first));
    driver.probe.run(10_000);
    driver.crash_coordinator();
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 43)]);
    assert_eq!(driver.group().members().len(), 2);
    driver.probe.run(46_000);
    assert_eq!(driver.group().members().len(), 0, "nobody has said anything since");
}

/// A controlled shutdown hands the groups over; who asks the old one is told.
#[test]
fn a_coordinator_leaves() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 7), None);
    let old = driver.coordinator;
    let mut two = Client::new(2);
    let waits = driver.begin_join(&mut two);
    driver.probe.run(10);
    driver.probe.inject(Fault::Stop(old));
    driver.find_next(old);
    let answer = driver.join_answer(waits).expect("who waits is told");
    assert_eq!(code(&answer.result), Some(ErrorCode::NotCoordinator));
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 7)]);
    assert_eq!(driver.heartbeat(&clients[0]), Ok(()), "the rebalance was never written down");
    assert!(driver.group_events().iter().any(|event| {
        matches!(event, crate::world::group_event::GroupEvent::CoordinatorUnloaded { broker, .. }
            if *broker == old)
    }));
}

/// A coordinator dies while members wait to join: nothing of that was written down; their connections
/// close and they begin anew.
#[test]
fn it_dies_in_the_middle_of_a_join() {
    let mut driver = Driver::new(3, &[]);
    let mut one = Client::new(1);
    let waits = driver.begin_join(&mut one);
    driver.probe.run(1_000);
    driver.crash_coordinator();
    assert!(driver.probe.is_disconnected(waits));
    assert_eq!((driver.state(), driver.group().members().len()), (GroupState::Empty, 0));
    let again = driver.post_join(&one);
    driver.probe.run(10);
    let answer = driver.join_answer(again).expect("at once");
    assert_eq!(code(&answer.result), Some(ErrorCode::UnknownMemberId), "the id is forgotten");
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_ne!(clients[0].id, one.id);
}

/// A coordinator dies before what the leader assigned is committed: no member was told, and the generation
/// never was.
#[test]
fn it_dies_in_the_middle_of_a_sync() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    let joins = clients.each_mut().map(|client| driver.begin_join(client));
    driver.probe.run(6_000);
    for (client, join) in clients.iter_mut().zip(joins) {
        driver.take_joined(client, join);
    }
    driver.cut_off();
    let part = [partition("t", 0)];
    let syncs: [MessageId; 2] = [
        driver.post_sync(&clients[1], &[]),
        driver.post_sync(&clients[0], &[(&clients[1], &part)]),
    ];
    driver.probe.run(1_000);
    assert_eq!(driver.state(), GroupState::CompletingRebalance, "it is in one log only");
    assert!(syncs.iter().all(|sync| driver.synced(*sync).is_none()));
    let old = driver.coordinator;
    driver.probe.inject(Fault::Crash(old));
    driver.probe.inject(Fault::HealAll);
    driver.find_next(old);
    assert!(syncs.iter().all(|sync| driver.probe.is_disconnected(*sync)));
    assert_eq!(driver.state(), GroupState::Empty);
    assert_eq!(code(&driver.heartbeat(&clients[0])), Some(ErrorCode::UnknownMemberId));
}

/// An offset that only the coordinator has is neither acknowledged nor shown; when it dies, it is gone.
#[test]
fn it_dies_in_the_middle_of_a_commit() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 1), None);
    driver.cut_off();
    let commit = driver.post_commit(&clients[0], &[(partition("t", 0), offset(2))]);
    driver.probe.run(100);
    assert!(driver.commit_answer(commit).is_none());
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 1)], "what is not committed is not seen");
    let (group, partitions) = (driver.group.clone(), Some(vec![partition("t", 0)]));
    let fetch = driver.post(1, driver.coordinator, GroupRequest::OffsetFetch { group, partitions });
    driver.probe.run(100);
    assert!(driver.came(fetch).is_none(), "a consumer waits until it is safe");
    let old = driver.coordinator;
    driver.probe.inject(Fault::Crash(old));
    driver.probe.inject(Fault::HealAll);
    driver.find_next(old);
    assert!(driver.probe.is_disconnected(commit) && driver.probe.is_disconnected(fetch));
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 1)]);
}

/// A write that nobody copies is given up after 5 s. It stays in the log, and counts once it is copied
/// after all.
#[test]
fn a_write_takes_too_long() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    for other in driver.others() {
        driver.probe.inject(Fault::Pause(other));
    }
    let commit = driver.post_commit(&clients[0], &[(partition("t", 0), offset(2))]);
    driver.probe.run(4_990);
    assert!(driver.commit_answer(commit).is_none());
    driver.probe.run(20);
    let outcomes = driver.commit_answer(commit).expect("it is given up");
    let outcome = outcomes.first().and_then(|(_, outcome)| code(outcome));
    assert_eq!(outcome, Some(ErrorCode::CoordinatorNotAvailable));
    assert_eq!(driver.fetch_all(), []);
    for other in driver.others() {
        driver.probe.inject(Fault::Resume(other));
    }
    driver.probe.run(2_000);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 2)]);
}

/// While a write waits, later answers wait behind it; those of tools, which read what is committed, do
/// not.
#[test]
fn answers_keep_their_order() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    for other in driver.others() {
        driver.probe.inject(Fault::Pause(other));
    }
    let commit = driver.post_commit(&clients[0], &[(partition("t", 0), offset(2))]);
    let heartbeat = GroupRequest::Heartbeat(clients[0].member(&driver.group));
    let heartbeat = driver.post(1, driver.coordinator, heartbeat);
    driver.probe.run(100);
    assert!(driver.came(heartbeat).is_none());
    let described = driver.ask(0, GroupRequest::DescribeGroups(vec![driver.group.clone()]));
    assert!(matches!(described, GroupResponse::DescribeGroups(groups) if groups[0].1.is_ok()));
    for other in driver.others() {
        driver.probe.inject(Fault::Resume(other));
    }
    driver.probe.run(2_000);
    assert!(driver.came(heartbeat).is_some() && driver.commit_answer(commit).is_some());
}

/// A group that was just made is not seen before that is committed.
#[test]
fn a_new_group_is_not_seen_too_early() {
    let mut driver = Driver::new(3, &[]);
    for other in driver.others() {
        driver.probe.inject(Fault::Pause(other));
    }
    let join = driver.post_join(&Client::new(1));
    driver.probe.run(100);
    assert!(driver.join_answer(join).is_some(), "an id is given at once");
    let list = || GroupRequest::ListGroups { states: Vec::new(), types: Vec::new() };
    assert_eq!(driver.ask(0, list()), GroupResponse::ListGroups(Ok(Vec::new())));
    for other in driver.others() {
        driver.probe.inject(Fault::Resume(other));
    }
    driver.probe.run(2_000);
    assert!(matches!(driver.ask(0, list()), GroupResponse::ListGroups(Ok(all)) if all.len() == 1));
}

/// A coordinator that was stopped in the middle of everything and does not know that another one has taken
/// its place writes nothing that stays (a zombie).
#[test]
fn a_zombie_coordinator() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 1), None);
    let old = driver.coordinator;
    driver.probe.inject(Fault::Pause(old));
    let to_old = driver.post_commit(&clients[0], &[(partition("t", 0), offset(99))]);
    driver.find_next(old);
    assert_eq!(driver.commit(&clients[0], 2), None);
    driver.probe.inject(Fault::Resume(old));
    driver.probe.run(20_000);
    if let Some(outcomes) = driver.commit_answer(to_old) {
        let outcome = outcomes.first().and_then(|(_, outcome)| code(outcome));
        assert_eq!(outcome, Some(ErrorCode::NotCoordinator));
    }
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 2)]);
    let shards = driver.probe.world.brokers().get(&old).into_iter();
    let knows = shards
        .flat_map(Broker::group_shards)
        .any(|(_, shard)| shard.groups().any(|(id, _)| *id == driver.group));
    assert!(!knows, "it has forgotten the group");
}

/// What the coordinator is, its log says: another one that reads the log of a run at any moment holds what
/// was committed until then.
#[test]
fn the_log_says_all() {
    for seed in 0..20 {
        let mut driver = Driver::with_seed(3, seed);
        let mut clients = [1, 2, 3].map(Client::new);
        driver.stabilise(&mut clients);
        let mut kept = None;
        for round in 0..4 {
            for (number, client) in (0i64..).zip(&clients) {
                let at = round * 10 + number + 1;
                if driver.commit(client, at).is_none() {
                    kept = Some(at);
                }
            }
            driver.probe.run(1_000 * (seed % 7 + 1));
            let first = driver.coordinator;
            driver.crash_coordinator();
            assert_eq!(driver.fetch_all().first().map(|(_, at)| *at), kept);
            assert_eq!(driver.group().members().len(), 3);
            driver.probe.inject(Fault::Start(first));
            driver.probe.run(5_000);
            for client in &clients {
                assert_eq!(driver.heartbeat(client), Ok(()));
            }
        }
    }
}

/// A record that the log refuses changes nothing, and whoever asked hears of it.
#[test]
fn the_log_refuses() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 1), None);
    driver.limit_records("70");
    assert_eq!(driver.commit(&clients[0], 2), Some(ErrorCode::UnknownServerError));
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 1)]);
    // What the leader assigns cannot be written down: all must join again.
    let joins = clients.each_ref().map(|client| driver.post_join(client));
    driver.probe.run(10);
    for (client, join) in clients.iter_mut().zip(joins) {
        driver.take_joined(client, join);
    }
    let leader = driver.group().leader().cloned().expect("somebody leads");
    let syncs = clients.each_ref().map(|client| driver.post_sync(client, &[]));
    driver.probe.run(10);
    for sync in syncs {
        let refused = driver.synced(sync).and_then(|result| code(&result));
        let expected = [ErrorCode::UnknownServerError, ErrorCode::RebalanceInProgress];
        assert!(refused.is_some_and(|code| expected.contains(&code)), "{leader}: {refused:?}");
    }
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    // A group that cannot be written down is none; a static member that made it is told.
    driver.group = GroupId(Rc::from("another"));
    driver.coordinator = driver.find_coordinator(BrokerId(1)).expect("there is one");
    let join = driver.post_join(&Client::of_instance(3, "a"));
    driver.probe.run(10);
    let answer = driver.join_answer(join).expect("at once");
    assert_eq!(code(&answer.result), Some(ErrorCode::UnknownServerError));
    assert!(driver.entry().is_none());
    driver.limit_records("1048576");
    let mut clients = [Client::of_instance(3, "a")];
    driver.stabilise(&mut clients);
}

/// Somebody joins while what the leader assigned is being written down: when it is, it counts no more.
#[test]
fn an_assignment_is_overtaken() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    let [one] = &mut clients;
    let join = driver.post_join(one);
    driver.probe.run(10);
    driver.take_joined(one, join);
    for other in driver.others() {
        driver.probe.inject(Fault::Pause(other));
    }
    let part = [partition("t", 0)];
    let sync = driver.post_sync(one, &[(&*one, &part)]);
    driver.probe.run(100);
    let mut two = Client::new(2);
    driver.begin_join(&mut two);
    driver.probe.run(10);
    let overtaken = driver.synced(sync).and_then(|result| code(&result));
    assert_eq!(overtaken, Some(ErrorCode::RebalanceInProgress));
    for other in driver.others() {
        driver.probe.inject(Fault::Resume(other));
    }
    driver.probe.run(2_000);
    assert_eq!(driver.state(), GroupState::PreparingRebalance, "the write is committed by now");
    assert!(driver.group().members().iter().all(|member| member.assignment.is_none()));
    let join = driver.post_join(one);
    driver.probe.run(10);
    assert_eq!(driver.take_joined(one, join).members.len(), 2);
}

/// The ordinary cleaner compacts the log of groups; what it leaves says the same.
#[test]
fn a_log_is_compacted() {
    let mut driver = Driver::new(3, &[("offsets.topic.segment.bytes", "1048576")]);
    let mut clients = [Client::new(1), Client::of_instance(2, "b")];
    driver.stabilise(&mut clients);
    for at in 1..=9_000 {
        driver.post_commit(&clients[0], &[(partition("t", 0), offset(at))]);
        if at % 100 == 0 {
            driver.probe.run(10);
        }
    }
    driver.probe.run(30_000);
    let cleaned = driver.probe.events.iter().any(|event| match &event.kind {
        EventKind::Cluster(news) => {
            matches!(news.event(), Some(ClusterEvent::LogCleaned { partition, .. })
                if partition.topic.as_str() == "__consumer_offsets")
        }
        _ => false,
    });
    assert!(cleaned, "a segment was full");
    for client in &clients {
        assert_eq!(driver.heartbeat(client), Ok(()));
    }
    driver.crash_coordinator();
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 9_000)]);
    assert_eq!((driver.state(), driver.group().members().len()), (GroupState::Stable, 2));
    for client in &clients {
        assert_eq!(driver.heartbeat(client), Ok(()));
    }
}
