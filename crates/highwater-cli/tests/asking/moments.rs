//! Exact answers at named moments.

use highwater_core::broker::waiting::WaitsFor;
use highwater_core::world::event::EventKind;
use highwater_scene::thing::Thing;

use crate::{Asked, fact, is_append, leads_to, says};

const ONE: &str = "kafka-topics.sh S --create --topic one --replica-assignment 1:3 --config min.insync.replicas=2";

/// What is said of every record of a topic with the default `cleanup.policy`.
const STAYS: &str = "No Kafka request changes it in its place, or takes it alone out of the log. What removes it: \
                     retention, with the whole segment that it is in; kafka-delete-records.sh, with everything before \
                     an offset.";

/// What can remove a record follows from the topic's `cleanup.policy`; that no request changes it is said of each.
#[test]
fn what_removes_a_record() {
    let begin = "No Kafka request changes it in its place, or takes it alone out of the log. What removes it: ";
    for (policy, ways) in [
        ("compact", "compaction, once a newer record has its key."),
        (
            "[compact,delete]",
            "retention, with the whole segment that it is in; compaction, once a newer record has its key; \
             kafka-delete-records.sh, with everything before an offset.",
        ),
    ] {
        let config =
            format!("kafka-configs.sh S --alter --topic one --add-config cleanup.policy={policy}");
        let mut asked = Asked::after(&[ONE, &config]);
        asked.run(&["hw produce --topic one --key a --value A"]);
        let record = asked.answer("record:one-0:0");
        assert_eq!(says(&record).last().copied(), Some([begin, ways].concat().as_str()));
    }
}

/// acks=all with a slow follower: the record is there, and nobody may read it until the follower has it and says so.
#[test]
fn a_record_beyond_the_high_watermark() {
    let lines = [ONE, "seq 2 | kafka-console-producer.sh S --topic one", "hw slow --disk 3 2000"];
    let mut asked = Asked::after(&lines);
    asked.until("echo A | kafka-console-producer.sh S --topic one", &is_append);
    let record = asked.answer("record:one-0:2");
    assert_eq!(record.title, "one-0, offset 2: not readable yet");
    assert_eq!(
        says(&record),
        [
            "Readers may not see it yet: the high watermark is 2, the smallest log end in the ISR {1, 3} that the \
             leader knows of.",
            "The log of broker 3 ends at 2; the answer to its fetch arrives in 0.5 ms.",
            STAYS,
        ]
    );
    assert_eq!(record.says[1].thing.as_ref().map(Thing::text).as_deref(), Some("replica:one-0@3"));
    for (name, value) in [
        ("value", "A"),
        ("key", "no key"),
        ("acks", "all"),
        ("readable", "not yet"),
        ("committed", "not yet"),
        ("high watermark", "2"),
        ("broker 1", "has it"),
        ("broker 3", "has it not: its log ends at 2"),
        ("batch", "offset 2, 1 record"),
        ("producer", "id 1, epoch 0, sequence 0"),
        ("leader epoch", "0"),
    ] {
        assert_eq!(fact(&record, name), value, "{name}");
    }
    assert_eq!(leads_to(&record, "high watermark"), "tide:one-0");
    assert_eq!(asked.because("record:one-0:2"), "Broker 1 appended it as one-0, offset 2.");
    // The disk writes for two seconds.
    asked.wait(1_000);
    let waits = "The log of broker 3 ends at 2; each write to its disk takes 2 s.";
    assert_eq!(says(&asked.answer("record:one-0:2"))[1], waits);
    assert_eq!(says(&asked.answer("tide:one-0"))[1], waits);
    assert_eq!(fact(&asked.answer("tide:one-0"), "records beyond it"), "1");
    let follower = asked.answer("replica:one-0@3");
    assert_eq!(fact(&follower, "behind the leader"), "1");
    assert_eq!(
        says(&follower),
        [
            "Broker 3 counts as in sync though it is behind, as long as replica.lag.time.max.ms of 30000 ms is not over.",
            "At this moment each write to its disk takes 2 s.",
        ]
    );
    // Until its next fetch the leader does not know.
    let copied = |kind: &EventKind| format!("{kind:?}").contains("ReplicaAppended");
    let end = asked.session.timeline().world().now()
        + highwater_core::time::SimDuration::from_millis(5_000);
    asked.session.timeline_mut().run_to(&copied, end).expect("it copies it");
    assert_eq!(
        says(&asked.answer("record:one-0:2"))[1],
        "The log of broker 3 ends at 3, but the leader knows of 2 and learns more only from its next fetch; its next \
         fetch arrives in 0.5 ms."
    );
    asked.wait(1);
    let record = asked.answer("record:one-0:2");
    assert_eq!(record.title, "one-0, offset 2: readable");
    assert_eq!(says(&record), ["Readers may see it: it is before the high watermark, 3.", STAYS]);
    assert_eq!(
        asked.because("tide:one-0"),
        "Readers of one-0 see up to offset 2: all in-sync replicas have it, and the log of broker 1 ends at 3."
    );
    assert!(asked.ask("record:one-0:4").is_none());
    assert_eq!(
        says(&asked.answer("record:one-0:3")),
        ["The next record that broker 1 appends gets offset 3."]
    );
}

/// A follower dies, is fenced and leaves the ISR: writes with acks=all are refused. Then the leader dies, too.
#[test]
fn too_few_replicas_then_none() {
    let mut asked =
        Asked::after(&[ONE, "seq 3 | kafka-console-producer.sh S --topic one", "hw crash 3"]);
    let broker = asked.answer("broker:3");
    assert_eq!(broker.title, "broker 3: down");
    assert!(
        says(&broker)[1]
            .starts_with("The controller does not know yet: it waits for a heartbeat until ")
    );
    asked.run(&["sleep 12"]);
    assert_eq!(
        asked.because("broker:3"),
        "The controller fenced broker 3: its last heartbeat came at 1.646 s."
    );
    let partition = asked.answer("partition:one-0");
    assert_eq!(partition.title, "one-0: broker 1 leads");
    assert_eq!(
        says(&partition),
        [
            "A write with acks=all is refused with NOT_ENOUGH_REPLICAS: the ISR is {1}, and 2 replicas must be in \
             sync.",
            "Out of the ISR is broker 3: the high watermark does not wait for it.",
        ]
    );
    assert_eq!((fact(&partition, "ISR"), fact(&partition, "ELR")), ("{1}", "{3}"));
    assert_eq!(
        asked.because("partition:one-0"),
        "In sync for one-0: 1, because broker 3 was fenced."
    );
    assert_eq!(says(&asked.answer("record:one-0:3"))[1], says(&partition)[0]);
    let replica = asked.answer("replica:one-0@3");
    assert_eq!(
        says(&replica)[0],
        "Broker 3 is out of the ISR since 10.646 s: the controller fenced broker 3."
    );
    assert_eq!(says(&replica)[1], "At this moment it is down.");
    // What acks=1 appends nobody may read: the high watermark stands still.
    asked.run(&["echo x | kafka-console-producer.sh S --topic one --request-required-acks 1"]);
    assert_eq!(
        says(&asked.answer("record:one-0:3")),
        [
            "Readers may not see it yet: the high watermark stands still at 3: the ISR is {1}, and 2 replicas must be \
          in sync.",
            STAYS,
        ]
    );
    asked.run(&["hw crash 1"]);
    let record = asked.answer("record:one-0:0");
    assert_eq!(record.title, "one-0, offset 0: not readable now");
    assert_eq!(
        says(&record)[0],
        "Broker 1 is the leader, but it is down: nobody can read or write until it is back or another one leads."
    );
    asked.run(&["hw start 3", "sleep 15"]);
    let partition = asked.answer("partition:one-0");
    assert_eq!(partition.title, "one-0: nobody leads");
    assert_eq!(
        says(&partition),
        [
            "Nobody leads one-0, so it can be neither read nor written.",
            "Broker 1 could lead, but it is down.",
            "The others, broker 3, may lack committed records, and unclean.leader.election.enable is false.",
        ]
    );
    let record = asked.answer("record:one-0:0");
    assert_eq!((fact(&record, "readable"), fact(&record, "committed")), ("no", "yes"));
    // The last record is on broker 1 alone, and whether it is committed nobody there can tell.
    let last = asked.answer("record:one-0:3");
    assert_eq!((fact(&last, "readable"), fact(&last, "committed")), ("no", "not known"));
    assert!(asked.ask("record:one-0:4").is_none());
    assert_eq!(asked.answer("tide:one-0").title, "one-0: nobody leads");
}

/// The leader crashes: another one leads. What the old one alone had is not in the new leader's log.
#[test]
fn a_leader_that_crashes() {
    let create = "kafka-topics.sh S --create --topic parcel-events --replica-assignment 2:1:3";
    let mut asked = Asked::after(&[
        create,
        "seq 2 | kafka-console-producer.sh S --topic parcel-events",
        "hw cut 2 1",
        "hw cut 2 3",
        "seq 3 4 | kafka-console-producer.sh S --topic parcel-events --request-required-acks 1",
    ]);
    let says_cut = says(&asked.answer("record:parcel-events-0:2")).join(" ");
    assert!(
        says_cut.contains("; the network loses what it and broker 2 send each other."),
        "{says_cut}"
    );
    asked.run(&["hw crash 2", "sleep 12"]);
    let partition = asked.answer("partition:parcel-events-0");
    assert_eq!(partition.title, "parcel-events-0: broker 1 leads");
    assert_eq!((fact(&partition, "leader epoch"), fact(&partition, "log end")), ("1", "2"));
    assert_eq!(leads_to(&partition, "leader"), "broker:1");
    let next = asked.answer("record:parcel-events-0:2");
    assert_eq!(next.title, "parcel-events-0, offset 2: the next record goes here");
    assert_eq!(
        says(&next)[1],
        "Broker 2 has a record at this offset that broker 1, the leader, does not have."
    );
    let lost = asked.answer("record:parcel-events-0:3");
    assert_eq!(lost.title, "parcel-events-0, offset 3: not in the leader's log");
    assert_eq!(
        says(&lost),
        ["Broker 2 has it, but broker 1 leads and its log ends at 2: nobody can read it."]
    );
    // A producer was told that it is there.
    assert_eq!(
        asked.because("record:parcel-events-0:3"),
        "Broker 1 leads parcel-events-0 without 2 record(s) from offset 2 on that another leader alone had when it \
         acknowledged them: they are lost."
    );
    assert_eq!(fact(&lost, "committed"), "not known");
    asked.run(&["echo new | kafka-console-producer.sh S --topic parcel-events"]);
    let record = asked.answer("record:parcel-events-0:2");
    assert_eq!(
        (fact(&record, "broker 1"), fact(&record, "broker 2"), fact(&record, "leader epoch")),
        ("has it", "has another record there", "1")
    );
}

/// A follower that cannot keep up leaves the ISR by the leader's rule.
#[test]
fn a_follower_that_lags() {
    let asked = Asked::after(&[
        "kafka-topics.sh S --create --topic one --replica-assignment 1:3",
        "hw cut 1 3",
        "echo x | kafka-console-producer.sh S --topic one --request-required-acks 1",
        "sleep 50",
    ]);
    let replica = asked.answer("replica:one-0@3");
    let said = says(&replica);
    assert!(
        said[0].starts_with("Broker 3 is out of the ISR since ")
            && said[0]
                .contains("broker 1 leads and asked for it, since broker 3 had last had all at ")
            && said[0].ends_with("longer ago than replica.lag.time.max.ms (30000 ms)."),
        "{said:?}"
    );
    assert_eq!(said[1], "At this moment the network loses what it and broker 1 send each other.");
    assert_eq!(
        asked.because("replica:one-0@3"),
        "In sync for one-0: 1, because its leader, broker 1, asked for it."
    );
    assert_eq!(fact(&asked.answer("record:one-0:0"), "readable"), "yes");
}

/// Groups: who has read what, a rebalance, a member without partitions, a lag.
#[test]
fn groups_and_their_members() {
    let mut asked = Asked::after(&[
        "kafka-topics.sh S --create --topic g --partitions 1",
        "seq 5 | kafka-console-producer.sh S --topic g",
        "kafka-console-consumer.sh S --topic g --group billing --from-beginning > a &",
        "sleep 12",
    ]);
    let group = asked.answer("group:billing");
    assert_eq!(group.title, "group billing: Stable");
    assert_eq!(says(&group), ["Generation 1 is at work with 1 member."]);
    assert_eq!(fact(&group, "g-0"), "committed 5, log end 5, lag 0");
    assert!(leads_to(&group, "kept in").starts_with("partition:__consumer_offsets-"));
    let record = asked.answer("record:g-0:4");
    assert_eq!(fact(&record, "group billing"), "committed 5, past it");
    assert_eq!(fact(&record, "consumer console-consumer"), "has read it; next 5");
    let next = asked.answer("reader:console-consumer");
    assert_eq!(says(&next), ["It has read all that can be read.", "It has its part: 1 partition."]);
    let member = leads_to(&next, "member id");
    let member = asked.answer(&member);
    assert_eq!(member.title, "console-consumer, a member of group billing");
    assert_eq!(fact(&member, "g-0"), "position 5, committed 5, log end 5, 0 still to read");
    // Another one comes.
    let rebalance = |kind: &EventKind| format!("{kind:?}").contains("RebalanceStarted");
    asked.until("kafka-console-consumer.sh S --topic g --group billing > b &", &rebalance);
    let group = asked.answer("group:billing");
    assert_eq!(group.title, "group billing: PreparingRebalance");
    assert_eq!(
        says(&group),
        [
            "It rebalances: it waits until all of 2 members have joined again, at the latest in 300 s."
        ]
    );
    let second = asked.answer("reader:console-consumer 2");
    assert_eq!(
        says(&second)[1],
        "It has asked to join and waits until the group's next generation begins."
    );
    asked.run(&["sleep 9"]);
    assert_eq!(
        says(&asked.answer("group:billing")),
        ["Generation 2 is at work with 2 members.", "1 member has no partition."]
    );
    // One is killed: the coordinator does not know for 45 s.
    asked.run(&["kill -9 %1 %2", "seq 3 | kafka-console-producer.sh S --topic g"]);
    let group = asked.answer("group:billing");
    assert_eq!(group.title, "group billing: Stable");
    assert_eq!(says(&group)[1], "What it has committed is 3 records behind what can be read.");
    let gone =
        group.facts.iter().find(|fact| fact.value.ends_with("leads the group")).expect("one leads");
    let gone = asked.answer(&gone.thing.as_ref().expect("a member").text());
    assert_eq!(
        says(&gone),
        [
            "No consumer stands behind it any more; the coordinator does not know until its session is over."
        ]
    );
    assert!(asked.ask("reader:console-consumer").is_none());
    asked.run(&["sleep 60"]);
    assert_eq!(
        says(&asked.answer("group:billing"))[0],
        "It has no members; what it has committed is kept for when one comes."
    );
    let paused =
        leads_to(&asked.answer("group:billing"), "coordinator").replace("broker:", "hw pause ");
    asked.run(&[&paused]);
    let said = says(&asked.answer("group:billing"))[0].to_owned();
    assert!(
        said.ends_with(", is paused: nobody can join, commit or leave at this moment."),
        "{said}"
    );
    assert!(asked.ask("group:shipping").is_none());
    assert!(asked.ask("member:billing/nobody").is_none());
}

/// A reader of its own, without a group.
#[test]
fn a_reader_without_a_group() {
    let asked = Asked::after(&[
        "kafka-topics.sh S --create --topic t --partitions 1",
        "seq 5 | kafka-console-producer.sh S --topic t",
        "hw consume --topic t --partition 0 --as ada --max 2",
    ]);
    let reader = asked.answer("reader:ada");
    assert_eq!((reader.title.as_str(), fact(&reader, "group")), ("consumer ada", "none"));
    assert_eq!(fact(&reader, "t-0"), "position 2, log end 5, 3 still to read");
    assert_eq!(says(&reader), ["Its position is 3 records behind what can be read."]);
    assert_eq!(asked.because("reader:ada"), "ada read offsets 0 to 1 of t-0; its next is 2.");
    assert_eq!(fact(&asked.answer("record:t-0:1"), "consumer ada"), "has read it; next 2");
    assert_eq!(fact(&asked.answer("record:t-0:2"), "consumer ada"), "has not read it; next 2");
}

/// Messages: on their way, with their fields; held by a broker that is paused; gone.
#[test]
fn messages() {
    let mut asked = Asked::after(&[ONE]);
    asked.until("echo A | kafka-console-producer.sh S --topic one", &|kind| {
        matches!(kind, EventKind::MessageSent { api: "Produce", is_request: true, .. })
    });
    let in_flight = |asked: &Asked, api: &str| {
        let snapshot = asked.snapshot();
        let cluster = snapshot.cluster.get().expect("a cluster");
        let held = cluster.brokers.iter().flat_map(|broker| &broker.held);
        let all: Vec<_> = cluster.in_flight.iter().chain(held).cloned().collect();
        let found = all.iter().find(|message| message.body.api_name() == api);
        format!("request:{}", found.unwrap_or_else(|| panic!("no {api} in {all:?}")).id)
    };
    let name = in_flight(&asked, "Produce");
    let produce = asked.answer(&name);
    assert_eq!(says(&produce), ["It is on its way and reaches broker 1 in 0.5 ms."]);
    for (field, value) in [
        ("api", "Produce"),
        ("kind", "request"),
        ("from", "client 2"),
        ("to", "broker 1"),
        ("due", "in 0.5 ms"),
        ("acks", "all"),
        ("timeout_ms", "1500"),
        ("partitions", "one-0: 1 record (producer id 0, from sequence 0)"),
    ] {
        assert_eq!(fact(&produce, field), value, "{field}");
    }
    assert_eq!(asked.because(&name), "Client 2 sent a Produce request to broker 1.");
    asked.wait(1);
    assert_eq!(
        says(&asked.answer(&name))[0],
        "It waits at broker 1, which has not answered it yet.",
        "it has arrived"
    );
    let fetch = in_flight(&asked, "Fetch");
    assert!(asked.ask(&fetch).is_some());
    asked.run(&["hw pause 1"]);
    asked.until("echo B | kafka-console-producer.sh S --topic one", &|kind| {
        matches!(kind, EventKind::MessageSent { api: "Metadata", is_request: true, .. })
    });
    asked.wait(2);
    let held = asked.answer(&in_flight(&asked, "Metadata"));
    assert_eq!(says(&held), ["It has reached broker 1, which is paused and does not look at it."]);
    assert_eq!(fact(&held, "due"), "it has arrived");
}

/// Requests that have arrived and wait for their answer: what for, and since what.
#[test]
fn requests_that_wait_at_a_broker() {
    let mut asked = Asked::after(&[
        "kafka-topics.sh S --create --topic t --replica-assignment 1:2:3",
        "kafka-console-consumer.sh S --topic t --group g &",
        "sleep 8",
        "hw pause 3",
    ]);
    asked.until("hw produce --topic t --value x", &is_append);
    asked.wait(5);
    let waiting = |asked: &Asked| {
        let snapshot = asked.snapshot();
        let brokers = &snapshot.cluster.get().expect("a cluster").brokers;
        let all = brokers.iter().flat_map(|broker| {
            broker.waiting.iter().map(|(from, id, why)| (broker.id.0, *from, *id, *why))
        });
        all.collect::<Vec<_>>()
    };
    let all = waiting(&asked);
    for (_, _, id, _) in &all {
        let answer = asked.answer(&format!("request:{id}"));
        assert!(says(&answer)[0].contains("which has not answered it yet"), "{answer:?}");
        assert_eq!(says(&answer).len(), 2, "{answer:?}");
    }
    let find = |asked: &Asked, wanted: WaitsFor| {
        let found = waiting(asked).into_iter().find(|(.., why)| *why == wanted);
        format!("request:{}", found.unwrap_or_else(|| panic!("{wanted:?} in {all:?}")).2)
    };
    let name = find(&asked, WaitsFor::Replicas);
    let produce = asked.answer(&name);
    assert!(produce.title.starts_with("Produce request "), "{}", produce.title);
    assert_eq!(says(&produce)[0], "It waits at broker 1, which has not answered it yet.");
    assert!(says(&produce)[1].contains("when all in-sync replicas have them"), "{produce:?}");
    assert_eq!(leads_to(&produce, "to"), "broker:1");
    assert_eq!((fact(&produce, "kind"), fact(&produce, "due")), ("request", "it has arrived"));
    assert!(asked.because(&name).ends_with("sent a Produce request to broker 1."));
    let fetch = asked.answer(&find(&asked, WaitsFor::Records));
    assert!(fetch.title.starts_with("Fetch request "), "{}", fetch.title);
    assert!(says(&fetch)[1].contains("fetch.max.wait.ms"), "{fetch:?}");
    asked.run(&["hw resume 3", "sleep 2"]);
    assert!(asked.ask(&name).is_none(), "it is answered");
}

/// What is not there, or no more.
#[test]
fn what_is_not_there() {
    let mut asked = Asked::after(&["kafka-topics.sh S --create --topic gone --partitions 2"]);
    let things =
        ["topic:gone", "partition:gone-1", "record:gone-0:0", "tide:gone-0", "replica:gone-0@2"];
    let held = asked.answer("partition:gone-0");
    let on = leads_to(&held, "leader").replace("broker:", "replica:gone-0@");
    assert!(asked.ask(&on).is_some());
    for thing in ["topic:gone", "partition:gone-1", "record:gone-0:0", "tide:gone-0"] {
        assert!(asked.ask(thing).is_some(), "{thing}");
    }
    for thing in [
        "partition:gone-2",
        "record:gone-0:1",
        "broker:4",
        "replica:gone-0@9",
        "topic:nope",
        "event:999999",
    ] {
        assert!(asked.ask(thing).is_none(), "{thing}");
    }
    asked.run(&["kafka-topics.sh S --delete --topic gone"]);
    for thing in things {
        assert!(asked.ask(thing).is_none(), "{thing}");
    }
}

/// A moment in the past is answered as it was then.
#[test]
fn moments_in_the_past() {
    let mut asked = Asked::after(&[
        ONE,
        "echo A | kafka-console-producer.sh S --topic one",
        "hw crash 1",
        "sleep 20",
    ]);
    let now = asked.answer("partition:one-0");
    assert_eq!(now.title, "one-0: broker 3 leads");
    asked.session.timeline_mut().seek_stop(2);
    let then = asked.answer("partition:one-0");
    assert_eq!(then.title, "one-0: broker 1 leads");
    assert_eq!(asked.because("partition:one-0"), "The controller made topic one with 1 partition.");
    asked.session.timeline_mut().seek_stop(4);
    assert_eq!(asked.answer("partition:one-0"), now);
}
