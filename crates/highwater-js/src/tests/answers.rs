//! Snapshots, answers and pictures of moments.

use serde_json::{Value as Json, json};

use super::{CONSUME, CREATE, PRODUCE, after, assert_failure, number, object, text};
use crate::engine::Engine;
use crate::value::Value;
use crate::wire::SnapshotOptions;
use crate::{picture, snapshot, why};

fn json(engine: &Engine, options: Value) -> Json {
    let options = SnapshotOptions::read(options).expect("they are fine");
    serde_json::to_value(snapshot::of(&engine.snapshot(), &options)).expect("it is plain")
}

fn read() -> Engine {
    after(&[CREATE, PRODUCE, CONSUME])
}

#[test]
fn a_snapshot_has_everything() {
    let engine = read();
    let seen = json(&engine, Value::Missing);
    let broker = json!({
        "id": 2, "state": "up", "fenced": false, "rack": null, "port": 9093,
        "epoch": seen["brokers"][1]["epoch"], "starts": 1,
    });
    assert_eq!(seen["brokers"][1], broker);
    assert!(seen["brokers"][1]["epoch"].as_u64().is_some());
    let topic =
        seen["topics"].as_array().unwrap().iter().find(|topic| topic["name"] == "t").unwrap();
    let partition = &topic["partitions"][1];
    let leader = partition["leader"].as_i64().expect("somebody leads");
    assert_eq!(partition["replicaIds"][0], leader);
    assert_eq!(partition["isr"].as_array().unwrap().len(), 3);
    for (name, value) in
        [("leaderEpoch", 0), ("logStartOffset", 0), ("highWatermark", 1), ("logEndOffset", 1)]
    {
        assert_eq!(partition[name], value, "{name}");
    }
    let held: Vec<&Json> = partition["replicas"].as_array().unwrap().iter().collect();
    assert_eq!(held.len(), 3);
    for replica in held {
        assert_eq!(replica["logEndOffset"], 1);
        assert_eq!(replica["inSync"], true);
        assert_eq!(replica["leads"], replica["broker"] == leader);
        assert!(replica["size"].as_u64() > Some(60));
    }
    let record = &partition["records"][0];
    for (name, value) in [
        ("offset", json!(0)),
        ("key", json!("locker-9")),
        ("value", json!("PARCEL_DROPPED")),
        ("leaderEpoch", json!(0)),
    ] {
        assert_eq!(record[name], value, "{name}");
    }
    assert!(record["timestamp"].as_f64() > Some(1.7e12));
    assert_eq!(partition["producers"][0]["lastOffset"], 0);
    assert_eq!(partition["producers"][0]["lastSequence"], 0);
    let group = &seen["groups"][0];
    assert_eq!((&group["id"], &group["state"]), (&json!("billing"), &json!("Empty")));
    let committed = json!({ "topic": "t", "partition": 1, "committed": 1, "end": 1, "lag": 0 });
    assert!(group["offsets"].as_array().unwrap().contains(&committed), "{group}");
    let hazards = seen["hazards"].as_object().unwrap();
    assert_eq!(hazards.len(), 9);
    assert!(hazards.values().all(|count| *count == 0));
}

/// A group that reads has members with their partitions, and what is not committed lags.
#[test]
fn a_group_at_work_has_members_and_lag() {
    let mut engine = after(&[CREATE]);
    engine.run(&format!("{} &", CONSUME.replace(" --timeout-ms 8000", ""))).unwrap();
    engine.run("sleep 5").unwrap();
    let nothing = json!({ "topic": "t", "partition": 0, "committed": null, "end": 0, "lag": null });
    assert_eq!(json(&engine, Value::Missing)["groups"][0]["offsets"][0], nothing);
    engine.run("sleep 7").unwrap();
    engine.run(PRODUCE).unwrap();
    let seen = json(&engine, Value::Missing);
    let group = &seen["groups"][0];
    assert_eq!(group["state"], "Stable");
    let member = &group["members"][0];
    assert_eq!((&member["clientId"], &member["leads"]), (&json!("console-consumer"), &json!(true)));
    assert_eq!(member["partitions"].as_array().unwrap().len(), 2);
    assert_eq!(member["reader"], seen["readers"][0]["name"]);
    let lag = |group: &Json| -> i64 {
        group["offsets"].as_array().unwrap().iter().filter_map(|it| it["lag"].as_i64()).sum()
    };
    assert_eq!(lag(group), 1, "it commits every five seconds: {group}");
    engine.run("sleep 6").unwrap();
    assert_eq!(lag(&json(&engine, Value::Missing)["groups"][0]), 0);
}

#[test]
fn a_crash_is_seen() {
    let mut engine = after(&[CREATE, PRODUCE]);
    engine.run("hw crash 2").unwrap();
    engine.run("sleep 15").unwrap();
    let seen = json(&engine, Value::Missing);
    assert_eq!(
        (&seen["brokers"][1]["state"], &seen["brokers"][1]["fenced"]),
        (&json!("down"), &json!(true))
    );
    for partition in seen["topics"][0]["partitions"].as_array().unwrap() {
        assert_eq!(partition["isr"].as_array().unwrap().len(), 2);
        assert_ne!(partition["leader"], 2);
    }
}

#[test]
fn a_snapshot_has_as_many_records_as_are_asked_for() {
    let engine = after(&[CREATE, PRODUCE, PRODUCE, PRODUCE]);
    for (most, offsets) in [(0, vec![]), (2, vec![1, 2]), (9, vec![0, 1, 2])] {
        let seen = json(&engine, object(&[("records", number(most))]));
        let records = seen["topics"][0]["partitions"][1]["records"].as_array().unwrap().clone();
        let found: Vec<i64> =
            records.iter().filter_map(|record| record["offset"].as_i64()).collect();
        assert_eq!(found, offsets);
    }
    let wrong = SnapshotOptions::read(object(&[("most", number(1))]));
    assert_failure(wrong, "HighwaterError", "no option `most`", "records");
}

/// Everything that can be asked about has an answer, with the same words as the panel.
#[test]
fn everything_is_answered() {
    let engine = read();
    let event = format!("event:{}", engine.events().last().expect("something has happened").id);
    for thing in [
        "topic:t",
        "partition:t-1",
        "record:t-1:0",
        "tide:t-1",
        "replica:t-1@2",
        "broker:2",
        "controller",
        "group:billing",
        &event,
    ] {
        let answer =
            why::answer(&engine, thing).unwrap_or_else(|failure| panic!("{thing}: {failure:?}"));
        assert_eq!(answer.thing, thing);
        assert!(answer.text.starts_with(&answer.title), "{answer:?}");
        for fact in answer.facts.iter().filter_map(|fact| fact.thing.as_ref()) {
            why::answer(&engine, fact).unwrap_or_else(|failure| panic!("{fact}: {failure:?}"));
        }
    }
    let record = why::answer(&engine, "record:t-1:0").unwrap();
    assert!(record.arithmetic.iter().any(|step| step.starts_with("murmur2 = ")), "{record:?}");
    assert_eq!(record.reasons.first().map(|event| event.kind.as_str()), Some("InputApplied"));
    assert!(record.reasons.is_sorted_by_key(|event| event.id));
    let partition = why::answer(&engine, "partition:t-1").unwrap();
    assert!(partition.arithmetic.is_empty() && !partition.settings.is_empty());
}

/// What is not there has Kafka's name where there is one, and the answer lists what is.
#[test]
fn what_is_not_there_is_said() {
    let engine = read();
    for (thing, name, remedy) in [
        ("topic:none", "UnknownTopicOrPartition", "There is: __consumer_offsets, t."),
        ("partition:none-0", "UnknownTopicOrPartition", "There is: "),
        ("partition:t-7", "UnknownTopicOrPartition", "0 to 1"),
        ("record:t-1:99", "OffsetOutOfRange", "offset"),
        ("replica:t-1@7", "ReplicaNotAvailable", "replicaIds"),
        ("group:none", "GroupIdNotFound", "There is: billing."),
        ("member:billing/none", "UnknownMemberId", "snapshot().groups"),
        ("broker:7", "HighwaterError", "There is: 1, 2, 3."),
        ("reader:none", "HighwaterError", "There is none"),
        ("request:99999999", "HighwaterError", "seek"),
    ] {
        assert_failure(why::answer(&engine, thing), name, thing, remedy);
    }
    for strange in
        ["", "t", "broker:x", "partition:t", "<script>", "\u{202e}", &"x".repeat(1 << 20)]
    {
        let failure = why::answer(&engine, strange).expect_err(strange);
        assert!(failure.remedy.contains("record:NAME-0:5") && failure.message.len() < 400);
    }
}

#[test]
fn pictures_are_drawn_and_told() {
    let engine = read();
    let moment = engine.snapshot();
    let svg = picture::svg(&moment, Value::Missing).unwrap();
    assert!(
        svg.starts_with("<svg") && svg.contains("locker-9") && !svg.contains("__consumer_offsets")
    );
    for options in [
        object(&[("view", text("cluster"))]),
        object(&[("partition", number(1)), ("topics", Value::List(vec![text("t"), text("t")]))]),
        object(&[("width", number(400)), ("font", number(20)), ("theme", text("dark"))]),
    ] {
        assert_ne!(picture::svg(&moment, options.clone()).unwrap(), svg);
        assert!(!picture::text(&moment, options).unwrap().is_empty());
    }
    assert!(picture::text(&moment, Value::Missing).unwrap().contains("locker-9 PARCEL_DROPPED"));
}

#[test]
fn pictures_that_cannot_be_drawn_are_said() {
    let moment = read().snapshot();
    let none = Value::List(vec![text("none")]);
    for (options, name, message, remedy) in [
        (
            object(&[("views", text("log"))]),
            "HighwaterError",
            "no option `views`",
            "view, partition",
        ),
        (
            object(&[("view", text("tree"))]),
            "HighwaterError",
            "the text \"tree\"",
            "\"log\" or \"cluster\"",
        ),
        (object(&[("theme", number(1))]), "HighwaterError", "the number 1", "\"dark\""),
        (object(&[("width", number(100))]), "HighwaterError", "100", "280 to 4000"),
        (object(&[("topics", none)]), "UnknownTopicOrPartition", "no topic `none`", "There is: "),
        (object(&[("partition", number(2))]), "UnknownTopicOrPartition", "partition 2", "0 to 1"),
        (
            object(&[("partition", number(1)), ("view", text("log"))]),
            "HighwaterError",
            "beside",
            "Leave one",
        ),
    ] {
        assert_failure(picture::svg(&moment, options.clone()), name, message, remedy);
        assert_failure(picture::text(&moment, options), name, message, remedy);
    }
}

/// Text of records never becomes markup.
#[test]
fn hostile_text_is_only_text() {
    let mut engine = after(&[CREATE]);
    engine.run("hw produce --topic t --key '<script>k</script>' --value '\"><img src=x onerror=alert(1)>'").unwrap();
    let svg = picture::svg(&engine.snapshot(), Value::Missing).unwrap();
    assert!(!svg.contains("<script") && !svg.contains("<img"), "{svg}");
    let seen = json(&engine, Value::Missing);
    let partitions = seen["topics"][0]["partitions"].as_array().unwrap();
    let mut records =
        partitions.iter().flat_map(|partition| partition["records"].as_array().unwrap());
    assert_eq!(records.next().unwrap()["key"], "<script>k</script>");
}
