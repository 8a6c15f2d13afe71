//! Going through time: back to any event, one step back, and days in which nothing happens.

use highwater_core::draw::{Purpose, draw_below};
use highwater_core::ids::EventId;
use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::TerminalState;
use highwater_core::world::timeline::Timeline;
use highwater_shell::session::Session;
use highwater_tests::load::{Load, Plan};

use crate::{Done, Each, Work};

/// A busy cluster with a past of more than 10,000 events.
const BUSY: Plan = Plan {
    partitions: 3,
    producers: 3,
    burst: 10,
    rest: SimDuration::from_millis(5),
    bursts: 600,
    is_read: true,
    ..Plan::IDLE
};
const BEFORE_IDLE: [&str; 2] = [
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions \
     30 --replication-factor 3",
    "seq 1000 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events",
];
const DESCRIBE: &str =
    "kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic parcel-events";

const MEMBER: &str = "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic parcel-events \
     --group parcels --from-beginning";
const MADE_FOR_THREE: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions \
     3 --replication-factor 3";
const ENDS: &str =
    "kafka-get-offsets.sh --bootstrap-server localhost:9092 --topic __consumer_offsets";
const DESCRIBE_GROUP: &str =
    "kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --group parcels";

/// Events that one can go back to.
const EVENTS: u64 = 10_000;
const DAYS: u64 = 7;
const DAY: SimDuration = SimDuration::from_millis(24 * 60 * 60 * 1_000);

fn with_a_past() -> Timeline<Load> {
    let begun = Timeline::begin(BUSY.options(), || Load::begin(&BUSY));
    let (mut timeline, _) = begun.expect("valid options");
    while timeline.world().next_event().0 <= 3 * EVENTS {
        timeline.run_for(SimDuration::from_millis(10));
    }
    timeline
}

/// A seek to one of the newest 10,000 events, from another one.
pub(crate) fn seek() -> Each {
    let mut timeline = with_a_past();
    let last = timeline.world().next_event().0 - 1;
    Box::new(move |count| {
        let back = draw_below(1, Purpose::Placement, 1, count.into(), 10_000);
        let event = timeline.event(EventId(last - u64::from(back))).expect("it is kept");
        timeline.seek(event.step);
        assert_eq!(timeline.world().steps(), event.step);
        assert!(timeline.world().now() >= event.at && timeline.world().next_event() > event.id);
    })
}

/// From a step to the one before it, again and again.
pub(crate) fn step_back() -> Each {
    let mut timeline = with_a_past();
    Box::new(move |_| {
        let here = timeline.world().steps();
        timeline.seek(here - 1);
        assert_eq!(timeline.world().steps(), here - 1);
    })
}

/// Days in which nobody uses three brokers with some topics and records; the shell sleeps.
pub(crate) fn idle_days() -> Work {
    let mut session = Session::new(ClusterOptions::default()).expect("valid options");
    for line in BEFORE_IDLE {
        let outcome = session.run(line).expect("the line is taken");
        assert_eq!(outcome.exit, 0, "{line}: {:?}", outcome.output);
    }
    Box::new(move || {
        let before = session.timeline().world().now();
        let limit = SimDuration(2 * DAYS * DAY.0);
        session.type_line(&format!("sleep {}", DAYS * DAY.0 / 1_000_000), limit).expect("taken");
        Done::new(DAYS, move || {
            assert_eq!((session.state(), session.status()), (TerminalState::Ready, 0));
            assert_eq!(session.timeline().world().now(), before + SimDuration(DAYS * DAY.0));
            let described = session.run(DESCRIBE).expect("the line is taken").output;
            let in_sync = described.iter().filter(|line| line.contains("Isr: ")).count();
            assert_eq!(in_sync, 30, "{described:?}");
        })
    })
}

/// A day in which three members of a group have nothing to read; the shell sleeps.
pub(crate) fn idle_group() -> Work {
    let mut session = Session::new(ClusterOptions::default()).expect("valid options");
    let members = format!("{MEMBER} > a & {MEMBER} > b & {MEMBER} > c & sleep 60");
    for line in [MADE_FOR_THREE, BEFORE_IDLE[1], &members] {
        let outcome = session.run(line).expect("the line is taken");
        assert_eq!(outcome.exit, 0, "{line}: {:?}", outcome.output);
    }
    Box::new(move || {
        let before = session.timeline().world().now();
        let limit = SimDuration(2 * DAY.0);
        session.type_line(&format!("sleep {}", DAY.0 / 1_000_000), limit).expect("taken");
        Done::new(1, move || {
            assert_eq!((session.state(), session.status()), (TerminalState::Ready, 0));
            assert_eq!(session.timeline().world().now(), before + SimDuration(DAY.0));
            let described = session.run(DESCRIBE_GROUP).expect("the line is taken").output;
            let members =
                described.iter().filter(|line| line.contains("console-consumer-")).count();
            assert_eq!(members, 3, "{described:?}");
            let ends = session.run(ENDS).expect("the line is taken").output;
            let ends = ends.iter().filter_map(|line| line.rsplit(':').next()?.parse::<u64>().ok());
            // Each member has committed every five seconds.
            assert!(ends.sum::<u64>() > 3 * 24 * 60 * 60 / 5);
        })
    })
}
