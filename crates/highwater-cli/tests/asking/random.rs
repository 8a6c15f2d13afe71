//! In random clusters something is said of everything, and asking costs nothing for each record.

use std::rc::Rc;

use highwater_core::broker::group_coordinator::ClassicGroup;
use highwater_core::ids::EventId;
use highwater_core::mutation::Mutation;
use highwater_core::world::event::Event;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::ask::panel::answer_panel;
use highwater_scene::ask::{Answer, ask};
use highwater_scene::node::to_string;
use highwater_scene::thing::Thing;
use highwater_scene::why::reasons;
use highwater_shell::simulation::{Plan, Run};

use crate::Asked;

/// Random plans, and as many with groups.
const PLANS: u64 = 30;

/// Everything in a snapshot that can be asked about; of a log its last records and the next slot.
fn things(moment: &Snapshot) -> Vec<Thing> {
    let cluster = moment.cluster.get().expect("a cluster");
    let mut all = vec![Thing::Controller];
    for topic in &moment.topics {
        let name = topic.name.as_str();
        all.push(Thing::Topic(name.to_owned()));
        for (view, image) in topic.partitions.iter().zip(&topic.image.partitions) {
            let number = view.id.0;
            all.push(Thing::partition(name, number));
            all.push(Thing::Tide { topic: name.to_owned(), partition: number });
            all.extend(image.replicas.iter().map(|id| Thing::replica(name, number, id.0)));
            let Some(held) = &view.replica else { continue };
            let (start, end) = (held.log().log_start_offset().0, held.log().log_end_offset().0);
            all.extend(
                (start.max(end - 3)..=end).map(|offset| Thing::record(name, number, offset)),
            );
        }
    }
    for view in &cluster.brokers {
        all.push(Thing::Broker(view.id.0));
        all.extend(view.held.iter().map(|message| Thing::Request(message.id)));
    }
    all.extend(cluster.in_flight.iter().map(|message| Thing::Request(message.id)));
    for (_, id, entry) in cluster.groups() {
        all.push(Thing::Group(id.to_string()));
        let members = entry.group.classic().into_iter().flat_map(ClassicGroup::members);
        all.extend(
            members.map(|member| Thing::Member {
                group: id.to_string(),
                member: member.id.to_string(),
            }),
        );
    }
    all.extend(moment.readers.iter().map(|reader| Thing::Reader(reader.name.clone())));
    all
}

/// Whether a record may be missing: compaction has removed it.
fn may_be_missing(thing: &Thing) -> bool {
    matches!(thing, Thing::Record { topic, .. } if topic.starts_with("__") || topic == "c")
}

fn check_answer(thing: &Thing, answer: &Answer, newest: EventId, context: &dyn Fn() -> String) {
    let text = thing.text();
    assert!(!answer.title.is_empty() && !answer.facts.is_empty(), "{text}\n{}", context());
    assert!((1..=3).contains(&answer.says.len()), "{text}: {:?}\n{}", answer.says, context());
    for sentence in &answer.says {
        let told = &sentence.text;
        assert!(told.ends_with('.') && told.len() > 10 && !told.contains("  "), "{text}: {told}");
    }
    let known = |thing: Option<&Thing>| {
        assert!(thing.is_none_or(|thing| Thing::parse(&thing.text()).as_ref() == Some(thing)));
    };
    for fact in &answer.facts {
        assert!(!fact.name.is_empty(), "{text}: {fact:?}");
        known(fact.thing.as_ref());
    }
    answer.says.iter().for_each(|sentence| known(sentence.thing.as_ref()));
    for setting in &answer.settings {
        assert!(setting.about.ends_with('.') && !setting.source.is_empty(), "{text}: {setting:?}");
    }
    assert!(answer.because.is_none_or(|id| id <= newest), "{text}: {:?}", answer.because);
}

/// Asks about everything at this moment.
fn ask_everything(run: &Run, context: &dyn Fn() -> String) -> usize {
    let (moment, story) = (run.world().snapshot(), run.story.as_ref().expect("it is kept"));
    let newest = EventId(run.world().next_event().0 - 1);
    let begun = story.first().map_or(newest, |event| event.id);
    let all = things(&moment);
    for thing in &all {
        let Some(answer) = ask(thing, &moment, story) else {
            assert!(may_be_missing(thing), "nothing is said of {}\n{}", thing.text(), context());
            continue;
        };
        check_answer(thing, &answer, newest, context);
        let made = |id: EventId| story.binary_search_by(|event| event.id.cmp(&id));
        let event: Option<&Rc<Event>> = answer.because.and_then(|id| story.get(made(id).ok()?));
        let is_known = answer.because.is_none_or(|id| id < begun) || event.is_some();
        assert!(is_known, "{}: no event {:?}\n{}", thing.text(), answer.because, context());
        let chain: Vec<Rc<Event>> = event.into_iter().cloned().collect();
        let panel = to_string(&answer_panel(&answer, &reasons(&chain, &moment), true));
        assert!(panel.starts_with("<section class=\"ask\""), "{panel}");
    }
    all.len()
}

/// After each line of random plans, everything is answered with sentences, and what made it so has happened.
#[test]
fn everything_is_answered() {
    let mut asked = 0;
    for seed in 1..=PLANS {
        for plan in [Plan::random(seed, Mutation::None), Plan::with_groups(seed, false)] {
            let mut run = Run::new(plan.options()).expect("a cluster");
            run.story = Some(Vec::new());
            for line in &plan.lines {
                run.line(line)
                    .unwrap_or_else(|failure| panic!("{failure:?}\n{}", plan.transcript()));
                asked += ask_everything(&run, &|| plan.transcript());
            }
        }
    }
    assert!(asked > 20_000, "{asked}");
}

/// While groups only wait the world sleeps, and its events of that time are not there: what is named as a reason is
/// an event of the timeline all the same.
#[test]
fn reasons_in_a_world_that_sleeps() {
    let mut asked = Asked::after(&[
        "kafka-topics.sh S --create --topic t --partitions 3 --replication-factor 3",
        "seq 9 | kafka-console-producer.sh S --topic t",
        "kafka-console-consumer.sh S --topic t --group one --from-beginning > a &",
        "kafka-console-consumer.sh S --topic t --group two --from-beginning > b &",
        "sleep 30",
    ]);
    for millis in [0, 100, 5_000, 600_000, 3_600_000] {
        asked.wait(millis);
        let mut reasons = 0;
        for thing in things(&asked.snapshot()) {
            let answer = asked.ask(&thing.text());
            let because = answer.and_then(|answer| answer.because);
            let event = because.map(|id| asked.session.timeline().event(id));
            assert_ne!(event, Some(None), "{} after {millis} ms: {because:?}", thing.text());
            reasons += u32::from(because.is_some());
        }
        assert!(reasons > 20, "{reasons}");
    }
}

/// Twelve partitions with three replicas each: answers are as long for a hundred times the records, and a record in
/// the middle of a long log is found.
#[test]
fn no_work_for_each_record() {
    let filled = |records: u32| {
        let create = "kafka-topics.sh S --create --topic parcel-events --partitions 12 --replication-factor 3";
        let fill = format!(
            "kafka-producer-perf-test.sh --topic parcel-events --num-records {records} --record-size 10 \
             --throughput -1 --command-property bootstrap.servers=localhost:9092 acks=all > /dev/null"
        );
        Asked::after(&[create, &fill])
    };
    let (short, long) = (filled(1_200), filled(120_000));
    let number = |thing: &str, asked: &Asked| asked.answer(thing).facts.len();
    for thing in
        ["topic:parcel-events", "partition:parcel-events-3", "tide:parcel-events-3", "broker:2"]
    {
        assert_eq!(number(thing, &short), number(thing, &long), "{thing}");
    }
    let snapshot = long.snapshot();
    let view = &snapshot.topic("parcel-events").expect("it is there").partitions[3];
    let end = view.replica.as_ref().expect("a leader").log().log_end_offset().0;
    assert!(end > 9_000, "{end}");
    let answer = long.answer(&format!("record:parcel-events-3:{}", end / 2));
    assert!(answer.title.ends_with(": readable"), "{}", answer.title);
}
