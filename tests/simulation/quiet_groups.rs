//! Groups that wait, as a function of time, are the same as groups whose every message is played.

use std::rc::Rc;

use highwater_core::broker::group_coordinator::Group;
use highwater_core::client::Client;
use highwater_core::client::kafka_consumer::KafkaConsumer;
use highwater_core::client::kafka_consumer::view::MemberView;
use highwater_core::ids::{BrokerId, Offset, TopicPartition};
use highwater_core::invariant::check;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::group_event::GroupEvent;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::ReaderView;
use highwater_core::world::stream::OutputKind;
use highwater_shell::session::Session;
use highwater_shell::simulation::Run;

use crate::quiet::{first, told};
use crate::{choose, seeds};

const SEEDS: u64 = 8;
const SERVERS: &str = "--bootstrap-server localhost:9092,localhost:9093";

/// A replica: where it begins, ends, how much is committed, its bytes, and of its batches the times, sizes and numbers of
/// records.
type Log = (BrokerId, TopicPartition, (Offset, Option<Offset>, Offset), u64, Vec<(i64, u32, u32)>);

/// A fetch session: its broker and number, the fetch that it expects next, when the last one came, its partitions.
type FetchSession = (BrokerId, u32, i32, u64, Vec<TopicPartition>);

/// What a person sees: what has happened when, what was shown, what logs and coordinators hold, and what
/// members and their fetch sessions are.
#[derive(Debug)]
struct Seen {
    story: Vec<(u64, String)>,
    shown: Vec<(u64, OutputKind, String)>,
    logs: Vec<Log>,
    groups: Vec<String>,
    members: Vec<MemberView>,
    sessions: Vec<FetchSession>,
}

/// Whether that is about commits, of which groups that wait have the same again and again.
fn is_commit(kind: &EventKind) -> bool {
    let is_internal = |which: &TopicPartition| which.topic.as_str().starts_with("__");
    match kind {
        EventKind::BatchAppended { partition, .. }
        | EventKind::HighWatermarkAdvanced { partition, .. } => is_internal(partition),
        EventKind::Cluster(news) => match news.event() {
            Some(ClusterEvent::ReplicaAppended { partition, .. }) => is_internal(partition),
            Some(ClusterEvent::Group(GroupEvent::OffsetsCommitted { .. })) => true,
            _ => false,
        },
        _ => false,
    }
}

fn seen(run: &Run) -> Seen {
    let world = run.world();
    let shown = world
        .output(run.terminal())
        .iter()
        .map(|chunk| (chunk.at.0, chunk.kind, String::from_utf8_lossy(&chunk.bytes).into_owned()));
    let (mut logs, mut groups) = (Vec::new(), Vec::new());
    for (id, broker) in world.brokers().iter() {
        for (which, replica) in broker.partitions().iter() {
            let log = replica.log();
            // Which of several commits of one microsecond comes first is a matter of the queue; how many of
            // their records all replicas have yet follows from it.
            let is_internal = which.topic.as_str().starts_with("__");
            let committed = (!is_internal).then(|| replica.high_watermark());
            let ends = (log.log_start_offset(), committed, log.log_end_offset());
            let batches = log.segments().flat_map(|segment| segment.batches().collect::<Vec<_>>());
            let batches =
                batches.map(|batch| (batch.max_timestamp_ms(), batch.size_in_bytes, batch.count()));
            let mut batches: Vec<_> = batches.collect();
            batches.sort_unstable();
            logs.push((*id, which.clone(), ends, log.size_in_bytes(), batches));
        }
        for (partition, shard) in broker.group_shards() {
            for (group, entry) in shard.groups() {
                let Group::Classic(classic) = &entry.group;
                let (state, generation) = (classic.state(), classic.generation());
                let members = classic.members().iter();
                let members: Vec<_> = members
                    .map(|it| (it.id.clone(), it.session_deadline, it.partitions()))
                    .collect();
                let offsets: Vec<_> = entry.offsets.iter().collect();
                groups.push(format!(
                    "{id} {partition} {group} {state:?} {generation} {members:?} {offsets:?}"
                ));
            }
        }
    }
    let mut sessions = Vec::new();
    for (id, broker) in world.brokers().iter() {
        for (number, session) in broker.fetch_sessions().iter() {
            let partitions: Vec<_> = session.partitions().cloned().collect();
            let (epoch, used) = session.expects();
            sessions.push((*id, number.0, epoch, used.0, partitions));
        }
    }
    let consumers = world.clients().filter_map(|client| match client {
        Client::KafkaConsumer(consumer) => consumer.get(),
        _ => None,
    });
    let members = consumers.filter_map(KafkaConsumer::member_view).collect();
    // What happens at the same moment to different nodes has no order of its own.
    let story =
        run.story.iter().flatten().filter(|event| event.kind.is_story() && !is_commit(&event.kind));
    let mut story: Vec<_> = story.filter_map(|event| told(event)).collect();
    story.sort();
    Seen { story, shown: shown.collect(), logs, groups, members, sessions }
}

/// Where they part first.
fn parting(quiet: &Seen, played: &Seen) -> Option<String> {
    first(&quiet.shown, &played.shown)
        .or_else(|| first(&quiet.story, &played.story))
        .or_else(|| first(&quiet.logs, &played.logs))
        .or_else(|| first(&quiet.groups, &played.groups))
        .or_else(|| first(&quiet.members, &played.members))
        .or_else(|| first(&quiet.sessions, &played.sessions))
}

/// Plays lines in both ways and compares after each; the steps that both took.
fn compare(options: &ClusterOptions, lines: &[String]) -> Result<(u64, u64), String> {
    let begin = |show_quiet_traffic| {
        let mut run = Run::new(ClusterOptions { show_quiet_traffic, ..options.clone() }).ok()?;
        run.story = Some(Vec::new());
        Some(run)
    };
    let (Some(mut quiet), Some(mut played)) = (begin(false), begin(true)) else {
        return Err("no such cluster".to_owned());
    };
    for line in lines {
        for run in [&mut quiet, &mut played] {
            run.line(line).map_err(|failure| format!("{line}: {failure:?}"))?;
        }
        if let Some(found) = parting(&seen(&quiet), &seen(&played)) {
            return Err(format!("after `{line}`: {found}"));
        }
        for run in [&mut quiet, &mut played] {
            run.story = Some(Vec::new());
        }
    }
    Ok((quiet.world().steps(), played.world().steps()))
}

fn member(number: u32, group: u32, interval: &str, age: &str) -> String {
    format!(
        "kafka-console-consumer.sh {SERVERS} --topic a --group g{group} --from-beginning \
         --command-property auto.commit.interval.ms={interval} --command-property \
         metadata.max.age.ms={age} --command-property client.id=c{number} & m{number}=$!"
    )
}

/// Something that happens to a cluster with so many members; `down`: how a broker that was broken is mended.
fn act(below: &mut impl FnMut(u32) -> u32, members: u32, down: &mut Option<String>) -> String {
    match below(12) {
        0..=2 => {
            let count = 1 + below(9);
            format!("seq {count} | kafka-console-producer.sh {SERVERS} --topic a 2>/dev/null")
        }
        3 => format!("kill -9 $m{} 2>/dev/null", 1 + below(members)),
        4 => format!("kill $m{} 2>/dev/null", 1 + below(members)),
        5 | 6 if down.is_none() => {
            let ways = [("crash", "start"), ("stop", "start"), ("pause", "resume")];
            let (fault, mend) = ways[below(3) as usize];
            let broker = 1 + below(3);
            *down = Some(format!("hw {mend} {broker}"));
            format!("hw {fault} {broker}")
        }
        7 => format!("hw cut {} clients; sleep {}; hw heal", 1 + below(3), 1 + below(12)),
        8 => format!("kill -STOP $m1; sleep {}; kill -CONT $m1", 1 + below(70)),
        9 => format!(
            "kafka-configs.sh {SERVERS} --alter --entity-type topics --entity-name a --add-config \
             retention.ms={}",
            100_000 + below(900_000)
        ),
        10 => {
            let count = 2 + below(6);
            format!("kafka-topics.sh {SERVERS} --alter --topic a --partitions {count} 2>/dev/null")
        }
        _ => "sleep 1".to_owned(),
    }
}

/// Members join, long times pass in which they only wait, and then something happens.
fn plan(seed: u64) -> (ClusterOptions, Vec<String>) {
    let mut count = 0;
    let mut below = |bound: u32| {
        count += 1;
        choose(seed ^ 0x9e37, count, bound)
    };
    let settings = [("offsets.topic.num.partitions", ["1", "3"][below(2) as usize])];
    let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let network_delay = SimDuration([500, 500, 1_300, 7_000][below(4) as usize]);
    let options = ClusterOptions {
        seed,
        network_delay,
        broker_settings: Rc::new(settings),
        ..ClusterOptions::default()
    };
    let interval = ["5000", "5000", "5000", "2000", "1000"][below(5) as usize];
    let age = ["300000", "300000", "60000", "31000"][below(4) as usize];
    let (partitions, factor) = (1 + below(5), 1 + below(3));
    let mut lines = vec![format!(
        "kafka-topics.sh {SERVERS} --create --topic a --partitions {partitions} --replication-factor {factor}"
    )];
    let (mut members, groups) = (0, 1 + below(2));
    let mut down = None;
    for n in 0..9 {
        let line = if n < 2 || below(14) < 2 {
            members += 1;
            member(members, below(groups), interval, age)
        } else {
            act(&mut below, members, &mut down)
        };
        lines.push(line);
        lines.push(format!("sleep {}.{}", 40 + below(500), below(1_000)));
        lines.push(format!(
            "kafka-consumer-groups.sh {SERVERS} --describe --group g{}",
            below(groups)
        ));
        if below(3) == 0 {
            lines.push(format!("kafka-get-offsets.sh {SERVERS} --topic __consumer_offsets"));
        }
        if below(2) == 0 {
            lines.extend(down.take());
        }
    }
    lines.extend(down);
    lines.push("sleep 333.3".to_owned());
    lines.push(format!(
        "kafka-consumer-groups.sh {SERVERS} --describe --group g0 --members --verbose"
    ));
    (options, lines)
}

/// Random groups are the same after each line, to the microsecond.
#[test]
fn waiting_groups_are_as_if_played() {
    let (mut few, mut many) = (0, 0);
    for seed in seeds(SEEDS) {
        let (options, lines) = plan(seed);
        match compare(&options, &lines) {
            Ok((quiet, played)) => (few, many) = (few + quiet, many + played),
            Err(found) => panic!("seed {seed}: {found}\n{}", lines.join("\n")),
        }
    }
    println!("{few} steps instead of {many}");
    assert!(few * 2 < many, "little was spared");
}

/// A group of three that waits for hours costs little, and all is as it would be.
#[test]
fn idle_hours_of_a_group_cost_few_steps() {
    let mut lines = vec![format!(
        "kafka-topics.sh {SERVERS} --create --topic a --partitions 3 --replication-factor 3"
    )];
    lines.extend((1..=3).map(|number| member(number, 0, "5000", "300000")));
    lines.push(format!("seq 9 | kafka-console-producer.sh {SERVERS} --topic a"));
    lines.extend(["sleep 590"; 3].map(str::to_owned));
    // Members hear of that when they ask for metadata.
    lines.push(format!("kafka-topics.sh {SERVERS} --alter --topic a --partitions 5"));
    lines.extend(["sleep 590"; 4].map(str::to_owned));
    lines.push(format!("kafka-consumer-groups.sh {SERVERS} --describe --group g0"));
    lines.push(format!("kafka-get-offsets.sh {SERVERS} --topic __consumer_offsets"));
    let options = ClusterOptions::default();
    let (few, many) = compare(&options, &lines).unwrap_or_else(|found| panic!("{found}"));
    println!("{few} steps instead of {many}");
    assert!(few * 10 < many && many > 100_000);
}

/// Two members of a group that have nothing to read any more.
fn with_two_members(show_quiet_traffic: bool) -> Session {
    let options = ClusterOptions { show_quiet_traffic, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("valid options");
    for line in [
        format!("kafka-topics.sh {SERVERS} --create --topic a --partitions 3"),
        member(1, 0, "5000", "300000"),
        member(2, 0, "5000", "300000"),
        "sleep 40".to_owned(),
    ] {
        session.run(&line).expect("taken");
    }
    session
}

/// What a view shows.
fn look(session: &Session) -> (SimTime, Vec<(Offset, Offset)>, Vec<ReaderView>) {
    let snapshot = session.timeline().snapshot();
    let mut ends = Vec::new();
    for partition in snapshot.topics.iter().flat_map(|topic| &topic.partitions) {
        let replica = partition.replica.as_ref().expect("it is led");
        ends.push((replica.log().log_end_offset(), replica.high_watermark()));
    }
    (snapshot.now, ends, snapshot.readers)
}

fn shown(session: &Session) -> Vec<(SimTime, Vec<u8>)> {
    let output = session.timeline().world().output(session.terminal()).iter();
    output.map(|chunk| (chunk.at, chunk.bytes.to_vec())).collect()
}

/// Where it is, and the hash of all until there.
fn place(session: &Session) -> (u64, u64) {
    let world = session.timeline().world();
    (world.steps(), world.trace_hash())
}

/// One goes back into a time that was slept through, and forth again, and all is as it was; who looks at it
/// sees what a played world shows.
#[test]
fn slept_time_can_be_travelled() {
    let (mut quiet, mut played) = (with_two_members(false), with_two_members(true));
    let start = quiet.timeline().world().now();
    let mut looks = Vec::new();
    for millis in [1u64, 7_001, 59_999, 240_002, 900_000, 3_700_123, 9_000_000] {
        for session in [&mut quiet, &mut played] {
            session.timeline_mut().run_until(start + SimDuration::from_millis(millis));
        }
        let seen = look(&quiet);
        assert_eq!(seen, look(&played));
        assert!(check(quiet.timeline().world()).is_empty());
        looks.push(seen);
    }
    let (steps, hash) = place(&quiet);
    for seen in looks.iter().rev() {
        quiet.timeline_mut().seek_time(seen.0);
        assert_eq!(look(&quiet), *seen);
    }
    quiet.timeline_mut().seek(steps);
    assert_eq!(place(&quiet), (steps, hash));
    // Another future, out of the middle of the sleep.
    let middle = start + SimDuration::from_millis(2_000_321);
    let line = format!("seq 3 | kafka-console-producer.sh {SERVERS} --topic a; sleep 20");
    for session in [&mut quiet, &mut played] {
        session.timeline_mut().seek_time(middle);
        session.run(&line).expect("taken");
    }
    assert_eq!(look(&quiet), look(&played));
    assert_eq!(shown(&quiet), shown(&played));
    // The one that was left is still there, and what was recorded is played in the same way again.
    let here = place(&quiet);
    quiet.timeline_mut().return_to_left_branch();
    assert_eq!(place(&quiet), (steps, hash));
    quiet.timeline_mut().return_to_left_branch();
    assert_eq!(place(&quiet), here);
    quiet.timeline_mut().seek(0);
    quiet.timeline_mut().seek(here.0);
    assert_eq!(place(&quiet), here);
}

/// Who takes steps by hand gets the next one, not the one that would have woken the world.
#[test]
fn steps_by_hand_wake_the_world() {
    let mut session = with_two_members(false);
    let slept = place(&session).0;
    let timeline = session.timeline_mut();
    timeline.run_for(SimDuration::from_millis(2_345_678));
    let before = timeline.world().now();
    for _ in 0..40 {
        assert!(timeline.step());
    }
    let after = timeline.world().now();
    assert!(after > before && after < before + SimDuration::from_millis(20_000));
    let here = place(&session);
    session.timeline_mut().seek(slept);
    session.timeline_mut().seek(here.0);
    assert_eq!((place(&session), session.timeline().world().now()), (here, after));
}
