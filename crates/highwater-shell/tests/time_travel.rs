//! The timeline of a cluster: inputs that are faults, the menu of what can happen next, moving to any event
//! or time, two futures compared.

use highwater_core::controller::records::BrokerRegistration;
use highwater_core::error::CommandError;
use highwater_core::ids::{BrokerId, EventId, MessageId, NodeId, Offset, TerminalId};
use highwater_core::net::message::{Body, Request};
use highwater_core::net::rule::{Effect, Party, Rule};
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::cluster_view::{BrokerView, ClusterView};
use highwater_core::world::compare::{Both, Difference, differences};
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::fault::{Fault, MOST_DELAY};
use highwater_core::world::input::InputKind;
use highwater_core::world::menu::Choice;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::step::Step;
use highwater_core::world::stream::{OutputKind, TerminalState};
use highwater_shell::link::{SessionLog, replay};
use highwater_shell::session::{ENTER_LIMIT, Session};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const CREATE: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t \
                      --replica-assignment 1:2:3";
const LIMIT: SimDuration = SimDuration::from_millis(600_000);

fn session(lines: &[&str]) -> Session {
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    for line in lines {
        session.run(line).expect("it runs");
    }
    session
}

fn give(session: &mut Session, fault: Fault) -> Result<(), CommandError> {
    let terminal = session.terminal();
    session.timeline_mut().input(terminal, InputKind::fault(fault), LIMIT)
}

fn all_events(session: &Session) -> Vec<Event> {
    let last = session.timeline().world().next_event();
    let all = session.timeline().events_between(EventId(0), last);
    all.map(|event| Event::clone(event)).collect()
}

fn injected(session: &Session) -> Vec<Fault> {
    let fault = |event: Event| match event.kind {
        EventKind::Cluster(news) => match news.event() {
            Some(ClusterEvent::FaultInjected { fault }) => Some(*fault),
            _ => None,
        },
        _ => None,
    };
    all_events(session).into_iter().filter_map(fault).collect()
}

fn hash(session: &Session) -> u64 {
    session.timeline().world().trace_hash()
}

/// The text form of each fault is the line that does it.
#[test]
fn a_fault_and_its_line_do_the_same() {
    let (one, two) = (BrokerId(1), BrokerId(2));
    let (here, there) = (Party::Broker(one), Party::Broker(two));
    let rule = |from, to, effect| Fault::AddRule(Rule { from, to, effect });
    let slow = Effect::Slow(SimDuration::from_millis(250));
    let faults = [
        Fault::Crash(one),
        Fault::Start(one),
        Fault::PowerLoss(two),
        Fault::Start(two),
        Fault::Pause(one),
        Fault::Resume(one),
        rule(here, there, Effect::Cut),
        rule(Party::Clients, Party::Controller, slow),
        Fault::HealOneWay(here, there),
        rule(here, there, Effect::Cut),
        Fault::Heal(there, here),
        Fault::SlowDisk(one, SimDuration::from_millis(40)),
        Fault::SlowDisk(one, SimDuration(1)),
        Fault::SlowDisk(one, SimDuration(2_500)),
        rule(Party::Clients, here, Effect::Slow(SimDuration(1_020))),
        Fault::SlowDisk(two, SimDuration::from_millis(30)),
        Fault::HealDisk(one),
        Fault::HealAll,
        Fault::Stop(two),
    ];
    let (mut typed, mut given) = (session(&[CREATE]), session(&[CREATE]));
    for fault in faults {
        assert_eq!(typed.run(&fault.to_string()).expect("it runs").exit, 0, "{fault}");
        give(&mut given, fault).expect("it is taken");
    }
    assert_eq!(injected(&typed), faults);
    assert_eq!(injected(&given), faults);
}

/// A fault is refused with the sentence that the tool prints; the future is still there.
#[test]
fn an_impossible_fault_changes_nothing() {
    let mut session = session(&[CREATE, "hw crash 2", "hw produce --topic t --value v"]);
    let end = hash(&session);
    session.timeline_mut().seek_stop(2);
    let here = hash(&session);
    let slow_disk = |micros| Fault::SlowDisk(BrokerId(1), SimDuration(micros));
    let (from, to) = (Party::Clients, Party::Controller);
    let loop_rule = Rule { from, to: from, effect: Effect::Cut };
    let too_slow = Rule { from, to, effect: Effect::Slow(SimDuration(MOST_DELAY.0 + 1)) };
    for (fault, said) in [
        (Fault::Crash(BrokerId(2)), "broker 2 is not running"),
        (Fault::Pause(BrokerId(2)), "broker 2 is not running"),
        (Fault::Start(BrokerId(1)), "broker 1 is running already"),
        (Fault::Resume(BrokerId(3)), "broker 3 is not paused"),
        (Fault::Stop(BrokerId(9)), "there is no broker 9"),
        (Fault::Stop(BrokerId(i32::MIN)), "there is no broker -2147483648"),
        (Fault::HealAll, "nothing is cut or slow there"),
        (slow_disk(0), "0 ms is no delay; it is from 0.001 to 3600000 ms"),
        (
            slow_disk(u64::MAX),
            "18446744073709551.615 ms is no delay; it is from 0.001 to 3600000 ms",
        ),
        (Fault::AddRule(loop_rule), "a link has two different ends"),
        (Fault::AddRule(too_slow), "3600000.001 ms is no delay; it is from 0.001 to 3600000 ms"),
        (Fault::Drop(MessageId(u64::MAX)), "no message 18446744073709551615 is on its way"),
    ] {
        let refused = give(&mut session, fault).expect_err("it is refused");
        assert!(matches!(refused, CommandError::Impossible(_)), "{refused:?}");
        assert_eq!(refused.to_string(), said);
        assert_eq!(hash(&session), here, "{fault}");
    }
    assert!(session.timeline().left_branch().is_none());
    session.timeline_mut().seek_stop(3);
    assert_eq!(hash(&session), end);
}

/// The first step of the menu is what happens next. Choosing the loss of a message loses it.
#[test]
fn the_menu_is_what_happens_next() {
    let mut session = session(&[CREATE, "hw slow clients 1 400"]);
    let line = "hw produce --topic t --value v";
    session.type_line(line, SimDuration::from_millis(1)).expect("it is taken");
    let mut losses = 0;
    for _ in 0..200 {
        let menu = session.timeline().world().menu();
        let first = menu.iter().find_map(|choice| match choice {
            Choice::Take { due, .. } => Some(*due),
            _ => None,
        });
        let dues = menu.iter().filter_map(|choice| match choice {
            Choice::Take { due, .. } => Some(*due),
            _ => None,
        });
        let dues: Vec<SimTime> = dues.collect();
        assert!(dues.is_sorted());
        assert!(menu.iter().any(|choice| matches!(choice, Choice::ApplyInput { .. })));
        let produce = menu.iter().find_map(|choice| match choice {
            Choice::Take { step, .. } => match step {
                Step::Deliver(message) if message.body.api_name() == "Produce" => Some(message.id),
                _ => None,
            },
            _ => None,
        });
        if let Some(message) = produce {
            let chosen = menu
                .iter()
                .find(|choice| matches!(choice, Choice::Drop(id) if *id == message))
                .and_then(Choice::input)
                .expect("a message can be lost");
            let mut other = session.clone();
            let terminal = other.terminal();
            other.timeline_mut().input(terminal, chosen, SimDuration(0)).expect("it is taken");
            assert!(give(&mut other, Fault::Drop(message)).is_err(), "it is lost already");
            losses += 1;
        }
        let stepped = session.timeline_mut().step();
        assert_eq!(stepped, first.is_some());
        match first {
            Some(due) => assert_eq!(session.timeline().world().now(), due),
            None => break,
        }
    }
    assert!(losses > 0, "the produce request was on its way");
}

/// Each event can be gone to, and what one sees there is what was seen when it happened.
#[test]
fn any_event_can_be_gone_to() {
    let mut session = session(&[
        CREATE,
        "hw produce --topic t --key k --value v",
        "hw crash 1",
        "sleep 20",
        "hw produce --topic t --key k --value w",
    ]);
    let events = all_events(&session);
    assert!(events.len() > 100);
    for event in events.iter().rev().step_by(7) {
        assert!(session.timeline_mut().seek_event(event.id));
        let world = session.timeline().world();
        assert_eq!((world.steps(), world.now()), (event.step, event.at));
        assert!(world.next_event() > event.id);
        session.timeline_mut().step_back();
        assert!(session.timeline().world().next_event() <= event.id, "{event:?}");
    }
    let none = EventId(u64::MAX);
    assert!(!session.timeline_mut().seek_event(none));
}

/// Time passes also while nothing happens, and an input comes at that time; playing it again gives the
/// same.
#[test]
fn time_passes_in_an_idle_cluster() {
    let mut session = session(&[CREATE]);
    assert!(session.timeline_mut().run_until_idle());
    let begin = session.timeline().world().now();
    let week = SimDuration::from_millis(7 * 24 * 3_600_000);
    let before = session.timeline().world().steps();
    session.timeline_mut().run_for(week);
    assert_eq!(session.timeline().world().now(), begin + week);
    assert_eq!(session.timeline().world().steps(), before, "nothing has happened");
    let contact = |session: &Session| {
        let snapshot = session.timeline().snapshot();
        let view = snapshot.cluster.known();
        view.brokers.iter().map(|broker| broker.last_contact).max().flatten()
    };
    let heard = contact(&session).expect("there are sessions");
    assert!(begin + week < heard + SimDuration::from_millis(2_100), "heartbeats go on");
    session.run("hw produce --topic t --value v").expect("it runs");
    session.timeline_mut().run_for(SimDuration::from_millis(60_000));
    let (end, at_end) = (hash(&session), session.timeline().world().now());
    let appended = all_events(&session).into_iter().find(|event| {
        matches!(event.kind, EventKind::BatchAppended { base_offset: Offset(0), .. })
    });
    assert!(appended.expect("it was appended").at > begin + week);
    session.timeline_mut().seek_time(begin + SimDuration::from_millis(3_600_000));
    assert_eq!(session.timeline().world().now(), begin + SimDuration::from_millis(3_600_000));
    session.timeline_mut().seek_time(SimTime(u64::MAX));
    assert_eq!(hash(&session), end);
    session.timeline_mut().seek_stop(0);
    session.timeline_mut().run_until(at_end);
    assert_eq!(hash(&session), end, "what is recorded happens again");
}

/// Time that has passed without a step does not keep anybody from going back to a run that went on earlier.
#[test]
fn another_run_went_on_earlier() {
    let mut session = session(&[CREATE]);
    assert!(session.timeline_mut().run_until_idle());
    let steps = session.timeline().world().steps();
    session.timeline_mut().run_for(SimDuration::from_millis(3_600_000));
    session.run("hw produce --topic t --value late").expect("it runs");
    session.timeline_mut().seek(steps);
    session.run("hw produce --topic t --value early").expect("it runs");
    let early = hash(&session);
    session.timeline_mut().return_to_left_branch();
    session.timeline_mut().seek(steps);
    session.timeline_mut().run_for(SimDuration::from_millis(1_800_000));
    assert_eq!(session.timeline().world().steps(), steps, "nothing has happened");
    session.timeline_mut().return_to_left_branch();
    assert_eq!(hash(&session), early);
}

/// The next step of a kind is found, and nothing after it has happened.
#[test]
fn time_runs_to_the_next_event_of_a_kind() {
    let mut session = session(&[CREATE, "hw produce --topic t --value v", "hw crash 1"]);
    let is_change = |kind: &EventKind| match kind {
        EventKind::Cluster(news) => {
            matches!(news.event(), Some(ClusterEvent::PartitionChanged { .. }))
        }
        _ => false,
    };
    let far = session.timeline().world().now() + SimDuration::from_millis(60_000);
    let found = session.timeline_mut().run_to(&is_change, far).expect("a new leader");
    let event = session.timeline().event(found).expect("it is there");
    assert!(is_change(&event.kind));
    assert_eq!(session.timeline().world().now(), event.at);
    assert_eq!(session.timeline_mut().run_to(&is_change, event.at), None);
}

fn leader_of(snapshot: &Snapshot) -> Option<BrokerId> {
    snapshot.topic("t")?.partitions.first()?.leader
}

/// Two futures from one moment: what differs is named, and the same future differs in nothing.
#[test]
fn two_futures_are_compared() {
    let mut session = session(&[CREATE, "hw produce --topic t --value first", "sleep 1"]);
    assert_eq!(session.timeline().compare_with_left_branch(), None);
    session.run("hw crash 1").expect("it runs");
    session.run("sleep 30").expect("it runs");
    session.run("hw produce --topic t --value mine").expect("it runs");
    let (crashed, end) = (session.timeline().snapshot(), session.timeline().world().now());
    session.timeline_mut().seek_stop(3);
    session.run("sleep 30").expect("it runs");
    session.run("hw produce --topic t --value other").expect("it runs");
    let spared = session.timeline().world().now();
    session.timeline_mut().run_for(SimDuration(end.0.saturating_sub(spared.0)));
    let left = session.timeline().left_branch_at(end).expect("a run was left behind");
    assert_eq!(leader_of(&left.snapshot()), leader_of(&crashed));
    assert!(differences(&left.snapshot(), &crashed).is_empty());

    let found = session.timeline().compare_with_left_branch().expect("a run was left behind");
    let of_broker = |id| {
        let is_it = move |it: &&Difference| matches!(it, Difference::Broker { broker, .. } if *broker == BrokerId(id));
        found.iter().find(is_it)
    };
    assert!(of_broker(1).is_some() && of_broker(2).is_none(), "{found:#?}");
    let image = found.iter().find_map(|it| match it {
        Difference::Partition { image, .. } => Some(image.clone()),
        _ => None,
    });
    let Both { here, there } = image.expect("the leader differs");
    assert_eq!((here.leader, there.leader), (Some(BrokerId(1)), Some(BrokerId(2))));
    assert_eq!((here.isr.len(), there.isr.len()), (3, 2));
    let parts = found.iter().filter_map(|it| match it {
        Difference::Replica { broker, parts_at, bounds, .. } => {
            Some((*broker, *parts_at, bounds.clone()))
        }
        _ => None,
    });
    for (broker, parts_at, bounds) in parts {
        let (mine, theirs) = (bounds.here.expect("held"), bounds.there.expect("held"));
        if broker == BrokerId(1) {
            assert_eq!((mine.log_end, theirs.log_end), (Offset(2), Offset(1)));
            assert_eq!(parts_at, None);
        } else {
            assert_eq!(parts_at, Some(Offset(1)), "broker {broker} has another record there");
        }
    }
    assert!(found.iter().any(|it| matches!(it, Difference::Output { .. })));
}

/// What was done to the network, to a disk, to brokers and to groups is a difference, also before anything
/// has come of it.
#[test]
fn faults_settings_and_groups_are_compared() {
    let servers = "--bootstrap-server localhost:9092";
    let mut session = session(&[CREATE, "hw produce --topic t --value first"]);
    for line in [
        "hw cut 2 3 --one-way",
        "hw slow --disk 3 40",
        &format!("kafka-configs.sh {servers} --alter --broker 2 --add-config log.retention.ms=5"),
        &format!(
            "kafka-console-consumer.sh {servers} --topic t --group g --from-beginning \
             --max-messages 1"
        ),
        "sleep 10",
    ] {
        assert_eq!(session.run(line).expect("it runs").exit, 0, "{line}");
    }
    let end = session.timeline().world().now();
    session.timeline_mut().seek_stop(2);
    session.run("sleep 1").expect("it runs");
    session.timeline_mut().run_until(end);
    let found = session.timeline().compare_with_left_branch().expect("a run was left behind");
    let has = |is_it: &dyn Fn(&Difference) -> bool| found.iter().any(is_it);
    assert!(has(&|it| matches!(it, Difference::Network { rules } if rules.there.len() == 1)));
    assert!(has(&|it| matches!(it, Difference::Disk { broker: BrokerId(3), .. })));
    assert!(has(&|it| matches!(it, Difference::BrokerConfigs { set, .. } if set.here.is_empty())));
    assert!(has(&|it| match it {
        Difference::Group { stands, .. } => stands.here.is_none() && stands.there.is_some(),
        _ => false,
    }));
    let committed = Both { here: None, there: Some(Offset(1)) };
    assert!(has(&|it| matches!(it, Difference::Committed { offset, .. } if *offset == committed)));
}

/// A snapshot shows every replica, what waits and what is on its way; what did not change keeps its
/// pointer.
#[test]
fn a_snapshot_shows_the_whole_cluster() {
    let mut session = session(&[CREATE, "hw produce --topic t --value v", "sleep 2"]);
    let before = session.timeline().snapshot();
    session.run("hw pause 3").expect("it runs");
    session.run("hw slow 1 2 5").expect("it runs");
    let line = "hw produce --topic t --value w";
    session.type_line(line, SimDuration::from_millis(1_050)).expect("it is taken");
    let after = session.timeline().snapshot();
    let (before, after) = (before.cluster.known(), after.cluster.known());
    for broker in &before.brokers {
        let (_, replica) = broker.replicas.first().expect("each holds one");
        assert_eq!((replica.log().log_end_offset(), broker.replicas.len()), (Offset(1), 1));
        assert_eq!(replica.high_watermark(), Offset(1));
        assert_eq!(replica.isr().committed.len(), 3);
        assert_eq!(broker.paused, None);
        assert!(broker.registration.as_ref().is_some_and(BrokerRegistration::is_active));
    }
    assert!(before.rules.is_empty() && after.rules.len() == 2);
    assert!(after.brokers.iter().all(|broker| broker.paused.is_some() == (broker.id.0 == 3)));
    let ends = |view: &ClusterView| {
        let end = |broker: &BrokerView| {
            let (_, replica) = broker.replicas.first().expect("each holds one");
            replica.log().log_end_offset().0
        };
        view.brokers.iter().map(end).collect::<Vec<_>>()
    };
    assert_eq!(ends(after), [2, 2, 1]);
    let waits = |id: usize| !after.brokers[id].waiting.is_empty();
    assert!(waits(0), "the produce request waits for the paused follower");
    assert!(!after.timers.is_empty());
    assert!(after.timers.is_sorted_by_key(|timer| timer.due));
    assert!(after.controller.log_end >= before.controller.log_end);
    let (one, two) = (before.brokers[2].replicas.first(), after.brokers[2].replicas.first());
    let (Some((_, one)), Some((_, two))) = (one, two) else { panic!("each holds one") };
    assert!(std::rc::Rc::ptr_eq(one, two), "an unchanged replica keeps its pointer");
}

/// What is on its way says what it carries, a timer who waits for what and why, a log its segments.
#[test]
fn a_snapshot_shows_what_is_on_its_way_what_waits_and_what_logs_are_made_of() {
    let create = format!("{CREATE} --config segment.bytes=1048576");
    let mut session = session(&[&create]);
    session.run("hw slow clients 1 900").expect("it runs");
    let line = "hw produce --topic t --key k --value carried";
    session.type_line(line, SimDuration::from_millis(1_500)).expect("it is taken");
    let mut carried = Vec::new();
    let mut reasons = 0;
    for _ in 0..400 {
        let snapshot = session.timeline().snapshot();
        let view = snapshot.cluster.known();
        assert!(view.in_flight.is_sorted_by_key(|message| message.due));
        for message in &view.in_flight {
            assert!(message.sent <= snapshot.now && snapshot.now <= message.due, "{message:?}");
            let sent = message.cause.expect("somebody sent it");
            let sent = session.timeline().event(sent).expect("it is kept");
            assert!(matches!(sent.kind, EventKind::MessageSent { .. }), "{sent:?}");
            if let Body::Request(Request::Produce { batches, .. }) = &message.body {
                let records = batches.iter().flat_map(|(_, proposal)| proposal.records.iter());
                carried.extend(records.map(|record| record.value.clone()));
                assert_eq!(message.to, NodeId::Broker(BrokerId(1)));
            }
        }
        for timer in &view.timers {
            let Some(cause) = timer.cause else { continue };
            let chain = session.timeline().why(cause);
            assert_eq!(chain.first().map(|event| event.id), Some(cause), "{timer:?}");
            reasons += 1;
        }
        session.timeline_mut().step();
    }
    assert!(carried.iter().any(|value| value.as_deref() == Some(b"carried".as_slice())));
    assert!(reasons > 0);

    session.timeline_mut().run_for(SimDuration::from_millis(20_000));
    let fill = "kafka-producer-perf-test.sh --topic t --num-records 12 --record-size 300000 \
                --throughput -1 --bootstrap-server localhost:9092";
    session.run(fill).expect("it runs");
    let snapshot = session.timeline().snapshot();
    for broker in &snapshot.cluster.known().brokers {
        let log = broker.replicas[0].1.log();
        let bases: Vec<Offset> = log.segments().map(|segment| segment.base_offset()).collect();
        assert!(bases.len() >= 4 && bases[0] == Offset(0), "{bases:?}");
        assert!(bases.is_sorted() && bases.last() < Some(&log.log_end_offset()), "{bases:?}");
    }
}

/// The terminal behind the last one is opened by its first input, with a shell of its own; going back before that
/// closes it again, and a link opens it as the reader did.
#[test]
fn an_input_opens_the_next_terminal() {
    let mut session = session(&["cd /tmp"]);
    let before = session.timeline().world().steps();
    let second = TerminalId(session.terminal().0 + 1);
    let type_at = |session: &mut Session, terminal, line: &str| {
        let line = InputKind::Line(line.to_owned());
        session.timeline_mut().input(terminal, line, ENTER_LIMIT)
    };
    let third = TerminalId(second.0 + 1);
    let refused = type_at(&mut session, third, "pwd");
    assert_eq!(refused, Err(CommandError::NoSuchTerminal(third.0)));
    assert_eq!(type_at(&mut session, second, "pwd; echo here"), Ok(()));
    let shown = |session: &Session| -> Vec<(OutputKind, String)> {
        let chunks = session.timeline().world().output(second).iter();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        chunks.map(|chunk| (chunk.kind, text(&chunk.bytes))).collect()
    };
    let seen = shown(&session);
    assert_eq!(seen[0], (OutputKind::Command, "pwd; echo here\n".to_owned()));
    assert_ne!(seen[1].1, "/tmp\n", "the folder is its own shell's");
    assert_eq!(seen.last(), Some(&(OutputKind::Stdout, "here\n".to_owned())));
    assert_eq!(session.timeline().world().terminal_state(second), Some(TerminalState::Ready));
    let replayed = replay(&SessionLog::of(session.timeline())).expect("it plays");
    assert_eq!(replayed.notes, Vec::new());
    assert_eq!(shown(&replayed.session), seen);
    session.timeline_mut().seek(before);
    assert_eq!(session.timeline().world().terminal_state(second), None);
    session.timeline_mut().seek(u64::MAX);
    assert_eq!(shown(&session), seen);
}
