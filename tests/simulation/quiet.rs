//! Quiet traffic as a function of time shows the same as playing it.

use std::fmt::Debug;

use highwater_core::ids::{BrokerId, Offset, TopicPartition};
use highwater_core::mutation::Mutation;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::hazard::Unanswered;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::OutputKind;

use highwater_shell::simulation::{Plan, Run};

use crate::seeds;

const SEEDS: u64 = 200;

/// What a person sees: what has happened when, what the terminal has shown, what the logs hold.
#[derive(Debug)]
struct Seen {
    story: Vec<(u64, String)>,
    shown: Vec<(u64, OutputKind, String)>,
    logs: Vec<(BrokerId, TopicPartition, Offset, Offset, Offset)>,
}

/// An event without the numbers of other events; `None`: it is about the traffic itself.
pub(crate) fn told(event: &Event) -> Option<(u64, String)> {
    let text = match &event.kind {
        EventKind::Cluster(news) => match news.event() {
            Some(ClusterEvent::PartitionChanged { partition, after, reason, .. }) => {
                let (leader, epoch) = (after.leader, after.leader_epoch);
                format!("{partition}: {leader:?} in {epoch}, {:?}, {reason:?}", after.isr)
            }
            // Which number the message had depends on how many there were before it.
            Some(ClusterEvent::UnansweredLost {
                partition,
                count,
                why: Unanswered::Dropped(_),
            }) => {
                format!("{partition}: {count} lost on their way")
            }
            Some(ClusterEvent::MessageDropped { .. }) | None => return None,
            Some(other) => format!("{other:?}"),
        },
        EventKind::TopicCreated { topic, .. } => format!("{topic} created"),
        other => format!("{other:?}"),
    };
    Some((event.at.0, text))
}

fn seen(run: &Run) -> Seen {
    let world = run.world();
    let shown = world
        .output(run.terminal())
        .iter()
        .map(|chunk| (chunk.at.0, chunk.kind, String::from_utf8_lossy(&chunk.bytes).into_owned()));
    let mut logs = Vec::new();
    for (id, broker) in world.brokers().iter() {
        for (which, replica) in broker.partitions().iter() {
            let log = replica.log();
            let (start, end) = (log.log_start_offset(), log.log_end_offset());
            logs.push((*id, which.clone(), start, replica.high_watermark(), end));
        }
    }
    // What happens at the same moment to different nodes has no order of its own.
    let events = run.story.iter().flatten().filter(|event| event.kind.is_story());
    let mut story: Vec<_> = events.filter_map(|event| told(event)).collect();
    story.sort();
    Seen { story, shown: shown.collect(), logs }
}

/// Where two lists part first.
pub(crate) fn first<T: PartialEq + Debug>(quiet: &[T], played: &[T]) -> Option<String> {
    let place = (0..quiet.len().max(played.len())).find(|n| quiet.get(*n) != played.get(*n))?;
    let before = &quiet[place.saturating_sub(3)..place];
    Some(format!(
        "after {before:#?}\n{:?}\nis when played\n{:?}",
        &quiet[place..(place + 12).min(quiet.len())],
        &played[place..(place + 12).min(played.len())]
    ))
}

/// Where they part first.
fn parting(quiet: &Seen, played: &Seen) -> Option<String> {
    first(&quiet.story, &played.story)
        .or_else(|| first(&quiet.shown, &played.shown))
        .or_else(|| first(&quiet.logs, &played.logs))
}

/// Plays lines, with and without quiet traffic; the steps that both took.
fn compare(options: &ClusterOptions, lines: &[String], heal: bool) -> Result<(u64, u64), String> {
    let play = |show_quiet_traffic| {
        let options = ClusterOptions { show_quiet_traffic, ..options.clone() };
        let mut run = Run::new(options).map_err(|failure| format!("{failure:?}"))?;
        run.story = Some(Vec::new());
        let mut played = lines.iter().try_for_each(|line| run.line(line));
        if heal {
            played = played.and_then(|()| run.heal());
        }
        played.map_err(|failure| format!("{failure:?}"))?;
        Ok::<_, String>((seen(&run), run.world().steps()))
    };
    let (quiet, played) = (play(false)?, play(true)?);
    match parting(&quiet.0, &played.0) {
        Some(found) => Err(found),
        None => Ok((quiet.1, played.1)),
    }
}

/// Random clusters show the same at the same virtual times, to the microsecond.
#[test]
fn quiet_traffic_changes_nothing_that_is_seen() {
    let (mut few, mut many) = (0, 0);
    for seed in seeds(SEEDS) {
        let plan = Plan::random(seed, Mutation::None);
        match compare(&plan.options(), &plan.lines, true) {
            Ok((quiet, played)) => (few, many) = (few + quiet, many + played),
            Err(found) => panic!("seed {seed}: {found}\n{}", plan.transcript()),
        }
    }
    println!("{few} steps instead of {many}");
    assert!(few * 2 < many, "little was spared");
}

/// An idle stretch costs nothing, and what comes after it is the same.
#[test]
fn idle_hours_cost_no_steps() {
    let topic = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t \
                 --replica-assignment 1:2:3 --config segment.ms=600000 --config retention.ms=3000000";
    let mut lines = vec![topic, "hw produce --topic t --value v"];
    lines.extend(["sleep 590"; 12]);
    lines.extend(["hw crash 1", "sleep 15", "hw produce --topic t --value w"]);
    let lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    let options = ClusterOptions::default();
    let (few, many) = compare(&options, &lines, true).unwrap_or_else(|found| panic!("{found}"));
    println!("{few} steps instead of {many}");
    assert!(few < 1_000 && many > 50_000);
}
