//! Numbers at their limits: whatever a person gives for a number, nothing overflows, nothing panics,
//! the invariants hold and the cluster goes on. Tests are built with overflow checks.

use highwater_core::ids::BrokerId;
use highwater_core::invariant::check;
use highwater_core::time::{END_OF_TIME, SimDuration, SimTime};
use highwater_core::world::fault::Fault;
use highwater_core::world::input::{Input, InputKind};
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::TerminalState;
use highwater_core::world::world::World;
use highwater_shell::process::ShellProcess;
use highwater_shell::session::Session;

/// The limits of the types that Kafka and Highwater count with, what lies beyond them, and what only
/// looks like a number.
const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "-1",
    "-2",
    "32767",
    "32768",
    "2147483646",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-2147483648",
    "-2147483649",
    "9223372036854775806",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "0.5",
    "+7",
];

const SERVERS: &str = "--bootstrap-server localhost:9092";

/// Every place of a command line that takes a number, as `N`.
const COMMANDS: [&str; 54] = [
    "kafka-topics.sh S --create --topic n --partitions N --replication-factor 1",
    "kafka-topics.sh S --create --topic n --partitions 1 --replication-factor N",
    "kafka-topics.sh S --create --topic n --replica-assignment N:2,2:N",
    "kafka-topics.sh S --alter --topic a --partitions N",
    "kafka-get-offsets.sh S --topic a --time N",
    "kafka-get-offsets.sh S --topic a --partitions N",
    "kafka-get-offsets.sh S --topic-partitions a:N",
    "kafka-get-offsets.sh S --topic-partitions a:0-N",
    "kafka-get-offsets.sh S --topic-partitions a:N-",
    "kafka-console-consumer.sh S --topic a --partition 0 --offset N --timeout-ms 3000",
    "kafka-console-consumer.sh S --topic a --partition N --from-beginning --timeout-ms 3000",
    "kafka-console-consumer.sh S --topic a --partition 0 --from-beginning --timeout-ms N",
    "kafka-console-consumer.sh S --topic a --partition 0 --max-messages N --timeout-ms 3000",
    "kafka-console-consumer.sh S --topic a --partition 0 --timeout-ms 3000 \
     --command-property fetch.min.bytes=N",
    "kafka-console-consumer.sh S --topic a --partition 0 --timeout-ms 3000 \
     --command-property fetch.max.wait.ms=N",
    "kafka-console-consumer.sh S --topic a --partition 0 --timeout-ms 3000 \
     --command-property max.poll.records=N",
    "echo v | kafka-console-producer.sh S --topic a --timeout N",
    "echo v | kafka-console-producer.sh S --topic a --batch-size N",
    "echo v | kafka-console-producer.sh S --topic a --message-send-max-retries N",
    "echo v | kafka-console-producer.sh S --topic a --command-property delivery.timeout.ms=N",
    "echo v | kafka-console-producer.sh S --topic a --command-property request.timeout.ms=N",
    "echo v | kafka-console-producer.sh S --topic a --command-property retry.backoff.ms=N",
    "echo v | kafka-console-producer.sh S --topic a --command-property retry.backoff.max.ms=N",
    "echo v | kafka-console-producer.sh S --topic a --command-property linger.ms=N",
    "echo v | kafka-console-producer.sh S --topic a --command-property \
     max.in.flight.requests.per.connection=N",
    "hw slow --disk N 5",
    "hw slow --disk 1 N",
    "echo v | kafka-console-producer.sh S --topic a --max-block-ms N",
    "echo v | kafka-console-producer.sh S --topic a --request-timeout-ms N",
    "echo v | kafka-console-producer.sh S --topic a --message-send-max-retries N",
    "echo v | kafka-console-producer.sh S --topic a --retry-backoff-ms N",
    "echo v | kafka-console-producer.sh S --topic a --request-required-acks N",
    "echo v | kafka-console-producer.sh S --topic a --max-memory-bytes N",
    "echo v | kafka-console-producer.sh S --topic a --command-property linger.ms=N",
    "echo v | kafka-console-producer.sh S --topic a --command-property delivery.timeout.ms=N",
    "echo v | kafka-console-producer.sh S --topic a --command-property max.request.size=N",
    "kafka-producer-perf-test.sh --topic a --num-records 5 --record-size 9 --throughput N \
     --bootstrap-server localhost:9092",
    "kafka-producer-perf-test.sh --topic a --num-records 5 --record-size 9 --throughput -1 \
     --reporting-interval N --bootstrap-server localhost:9092",
    "kafka-producer-perf-test.sh --topic a --num-records 0N --record-size 9 --throughput 1 \
     --bootstrap-server localhost:9092",
    "kafka-producer-perf-test.sh --topic a --num-records 5 --record-size N --throughput -1 \
     --bootstrap-server localhost:9092",
    "cat > f <<E\n{\"version\":1,\"partitions\":[{\"topic\":\"a\",\"partition\":0,\"offset\":N}]}\nE\n\
     kafka-delete-records.sh S --offset-json-file f",
    "cat > f <<E\n{\"version\":N,\"partitions\":[{\"topic\":\"a\",\"partition\":N,\"offset\":1}]}\nE\n\
     kafka-delete-records.sh S --offset-json-file f",
    "kafka-leader-election.sh S --election-type preferred --topic a --partition N",
    "kafka-configs.sh S --describe --broker N",
    "hw produce --topic a --value v --partition N",
    "hw consume --as r --topic a --partition N",
    "hw consume --as r --topic a --partition 0 --from N",
    "hw consume --as r --topic a --partition 0 --max N",
    "hw slow 1 2 N; sleep 40; hw heal",
    "hw cut N 1; hw heal N 1; hw crash N; hw start N; hw drop N",
    "sleep N",
    "seq N 3 | head -2; seq 1 N | head -2; seq 1 N 9 | head -2; tail -n N f; head -n N f",
    "sleep 2 & kill N; kill -N 1; wait N; wait",
    "exit N",
];

fn session() -> Session {
    let options = ClusterOptions { brokers: 3, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("a cluster");
    for line in [
        "kafka-topics.sh S --create --topic a --partitions 2 --replication-factor 3",
        "seq 1 9 | kafka-console-producer.sh S --topic a",
    ] {
        run(&mut session, line);
    }
    session
}

/// Runs a command, and interrupts it when it goes on for too long.
fn run(session: &mut Session, line: &str) {
    let line = line.replace(" S ", &format!(" {SERVERS} "));
    session.run(&line).expect("the line is taken");
    assert_eq!(session.state(), TerminalState::Ready, "{line}");
    let violations = check(session.timeline().world());
    assert!(violations.is_empty(), "{line}: {violations:?}");
}

/// The cluster still does what it is for.
fn works(session: &mut Session, after: &str) {
    let read = "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic still \
                --partition 0 --from-beginning --timeout-ms 4000";
    for line in [
        "kafka-topics.sh S --create --if-not-exists --topic still",
        "echo here | kafka-console-producer.sh S --topic still",
    ] {
        run(session, line);
    }
    let outcome = session.run(read).expect("it runs");
    assert!(outcome.output.iter().any(|line| line == "here"), "{after}: {:?}", outcome.output);
}

#[test]
fn numbers_on_command_lines() {
    let start = session();
    for command in COMMANDS {
        for number in NUMBERS {
            let mut session = start.clone();
            let line = command.replace('N', number);
            run(&mut session, &line);
            works(&mut session, &line);
        }
    }
}

/// The names of all settings of what these options describe.
fn settings(session: &mut Session, entity: &str) -> Vec<String> {
    let line = format!("kafka-configs.sh {SERVERS} --describe --all {entity}");
    let outcome = session.run(&line).expect("it runs");
    let names = outcome.output.iter().filter_map(|line| line.trim_start().split_once('='));
    names.map(|(name, _)| name.to_owned()).filter(|name| !name.contains(' ')).collect()
}

/// What makes every setting matter: records, time, a failure, readers, deletions.
const LIFE: [&str; 8] = [
    "seq 1 40 | kafka-console-producer.sh S --topic a",
    "sleep 400",
    "hw crash 2; sleep 20",
    "seq 1 9 | kafka-console-producer.sh S --topic a",
    "hw start 2",
    "kafka-console-consumer.sh S --topic a --partition 0 --from-beginning --timeout-ms 4000",
    "cat > f <<E\n{\"version\":1,\"partitions\":[{\"topic\":\"a\",\"partition\":0,\"offset\":2}]}\nE\n\
     kafka-delete-records.sh S --offset-json-file f",
    "kafka-topics.sh S --alter --topic a --partitions 3; sleep 1000",
];

/// `listed`: what has all these settings, and shows them.
fn numbers_as_settings(entity: &str, listed: &str) {
    let start = session();
    let names = settings(&mut start.clone(), listed);
    assert!(names.len() > 20, "{names:?}");
    let mut accepted = 0;
    for name in &names {
        for number in NUMBERS {
            let mut session = start.clone();
            let line =
                format!("kafka-configs.sh {SERVERS} --alter {entity} --add-config {name}={number}");
            let outcome = session.run(&line).expect("it runs");
            if outcome.exit == 0 {
                accepted += 1;
                for line in LIFE {
                    run(&mut session, line);
                }
                let describe = format!("kafka-topics.sh {SERVERS} --describe --topic a | wc -l");
                let outcome = session.run(&describe).expect("it runs");
                assert_eq!(outcome.output, ["4"], "{name}={number}");
            }
        }
    }
    assert!(accepted > names.len(), "{accepted} settings were accepted");
}

#[test]
fn numbers_as_settings_of_topics() {
    numbers_as_settings("--topic a", "--topic a");
}

#[test]
fn numbers_as_settings_of_brokers() {
    numbers_as_settings("--broker 1", "--broker 1");
    numbers_as_settings("--broker-defaults", "--broker 1");
}

/// At the end of time, and just before it, nothing overflows: what is wanted later than that never happens.
#[test]
fn the_end_of_time() {
    for before_end in [0, 1, 5_000_000] {
        let mut session = session();
        let (terminal, now) = (session.terminal(), session.timeline().world().now());
        session.timeline_mut().run_until(SimTime(END_OF_TIME.0 - before_end));
        for line in [
            "hw produce --topic a --value v",
            "kafka-topics.sh S --describe",
            "hw crash 2",
            "hw pause 3",
            "hw resume 3",
            "hw start 2",
            "hw cut 1 2",
            "sleep 3",
        ] {
            let line = line.replace(" S ", &format!(" {SERVERS} "));
            session.type_line(&line, SimDuration(u64::MAX)).expect("the line is taken");
            let world = session.timeline().world();
            assert!(check(world).is_empty() && world.now() <= END_OF_TIME, "{line}");
        }
        for fault in [Fault::Crash(BrokerId(1)), Fault::Pause(BrokerId(3)), Fault::HealAll] {
            // Whether it is possible depends on how far the lines have come.
            let kind = InputKind::fault(fault);
            let _ = session.timeline_mut().input(terminal, kind, SimDuration(u64::MAX));
        }
        session.timeline_mut().seek(0);
        session.timeline_mut().seek_time(SimTime(u64::MAX));
        session.timeline_mut().run_for(SimDuration(u64::MAX));
        session.timeline_mut().run_until(SimTime(u64::MAX - 1));
        assert_eq!(session.timeline().world().now(), END_OF_TIME);
        session.timeline_mut().seek_time(now);
        assert_eq!(session.timeline().world().now(), now);
    }
}

/// An input from after the end of time is refused, and nothing changes.
#[test]
fn after_the_end_of_time() {
    let mut world: World<ShellProcess> = World::new(ClusterOptions::default()).expect("a cluster");
    let terminal = world.open_terminal(ShellProcess::shell());
    while world.next_due().is_some_and(|due| due <= world.now()) {
        world.step();
    }
    let before = (world.now(), world.steps(), world.trace_hash());
    for at in [END_OF_TIME.0 + 1, u64::MAX] {
        let input = Input { at: SimTime(at), terminal, kind: InputKind::Line("hw".to_owned()) };
        let refused = world.apply(&input).expect_err("it is refused");
        assert_eq!(refused.to_string(), "time ends after a thousand years");
        assert_eq!((world.now(), world.steps(), world.trace_hash()), before);
    }
    let kind = InputKind::Line("hw".to_owned());
    world.apply(&Input { at: END_OF_TIME, terminal, kind }).expect("it is taken");
}

/// Options at their limits make clusters in which commands end, one way or another.
#[test]
fn options_at_their_limits() {
    for (seed, brokers, tool_start, network_delay) in [
        (0, 9, 0, 0),
        (u64::MAX, 1, 0, 0),
        (1, 3, 60_000, 0),
        (1, 3, 0, 10_000),
        (u64::MAX, 9, 60_000, 10_000),
    ] {
        let tool_start = SimDuration::from_millis(tool_start);
        let network_delay = SimDuration::from_millis(network_delay);
        let base = ClusterOptions::default();
        let options = ClusterOptions { seed, brokers, tool_start, network_delay, ..base };
        let mut session = Session::new(options).expect("a cluster");
        for line in [
            "kafka-topics.sh S --create --topic a --partitions 2",
            "seq 1 9 | kafka-console-producer.sh S --topic a",
            "hw crash 1; sleep 20; hw start 1; sleep 60",
            "kafka-console-consumer.sh S --topic a --partition 0 --from-beginning --timeout-ms 4000",
            "hw pause 1; sleep 40; hw resume 1; sleep 40",
            "kafka-topics.sh S --describe",
        ] {
            run(&mut session, line);
        }
    }
    let refused = |options: ClusterOptions| Session::new(options).is_err();
    let stock = ClusterOptions::default;
    assert!(refused(ClusterOptions { brokers: 0, ..stock() }));
    assert!(refused(ClusterOptions { brokers: 10, ..stock() }));
    assert!(refused(ClusterOptions { tool_start: SimDuration(u64::MAX), ..stock() }));
    assert!(refused(ClusterOptions { network_delay: SimDuration(10_000_001), ..stock() }));
}
