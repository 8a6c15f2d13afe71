//! The JavaScript API in Node: what a page or a script would do with it.
#![cfg(target_arch = "wasm32")]

mod js;

use highwater_js::{Cluster, check, clients, partition_of};
use js_sys::{Array, BigInt, Function, Object, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::js::{CREATE, PRODUCE, after, get, number_at, object, text_at};

const VECTORS: &str = include_str!("../../../tests/vectors/partition-vectors.json");
const GOLDEN: &str = include_str!("../../../tests/transcripts/kafka/01-topics.console");

/// An error is an `Error` with this name; what it says, and what to do.
fn failed<T>(result: Result<T, js_sys::Error>, name: &str) -> (String, String) {
    let error = result.err().expect("it cannot be done");
    assert!(error.is_instance_of::<js_sys::Error>());
    assert_eq!(String::from(error.name()), name);
    (error.message().into(), text_at(&error, "remedy"))
}

/// Options are read by name, and what is not known, or not possible, is an `Error` that lists what is.
#[wasm_bindgen_test]
fn options() {
    for (given, message, remedy) in [
        (object(&[("brokers", 0.into())]), "brokers: this is the number 0", "from 1 to 9"),
        (
            object(&[("broker", 3.into())]),
            "there is no option `broker`",
            "brokers, seed, toolStart",
        ),
        (object(&[("seed", BigInt::from(-1).into())]), "the number -1", "18446744073709551615"),
        (object(&[("racks", object(&[]))]), "racks: this is an object", "a list of texts"),
        (object(&[("seed", js_sys::Symbol::for_("x").into())]), "a symbol", "a whole number"),
        (object(&[("seed", Function::new_no_args("").into())]), "a function", "a whole number"),
        (JsValue::from_str("3"), "options are an object, not the text \"3\"", "brokers"),
    ] {
        let (said, todo) = failed(Cluster::new(given), "HighwaterError");
        assert!(said.contains(message) && todo.contains(remedy), "{said} {todo}");
    }
    let settings = object(&[("min.insync.replicas", "many".into())]);
    let error = Cluster::new(object(&[("brokerSettings", settings)])).expect_err("no number");
    assert_eq!(String::from(error.name()), "InvalidConfiguration");
    assert_eq!(text_at(&error, "code"), "INVALID_CONFIG");
    let racks = Array::of2(&"a".into(), &"b".into());
    let options = object(&[
        ("brokers", 2.into()),
        ("seed", BigInt::from(u64::MAX).into()),
        ("racks", racks.into()),
        ("toolStart", 600_000.into()),
    ]);
    let cluster = Cluster::new(options).expect("all of them are fine");
    let seen = JsValue::from(cluster.snapshot(JsValue::UNDEFINED).expect("a snapshot"));
    assert_eq!(number_at(&seen, "brokers.length"), 2.0);
    assert_eq!(text_at(&seen, "brokers.1.rack"), "b");
}

/// An object whose property throws is told; nothing breaks.
#[wasm_bindgen_test]
fn hostile_objects() {
    let make = |code: &str| Function::new_no_args(code).call0(&JsValue::NULL).expect("it runs");
    for code in [
        "return { get seed() { throw new Error('no') } }",
        "const a = {}; a.seed = a; return a",
        "return { seed: new Array(200000) }",
        "return { seed: 2n ** 200n }",
        "return { racks: [['a']] }",
        "return { brokerSettings: { 'a': { b: 1 } } }",
        "return new Proxy({}, { ownKeys: () => ['brokers'], getOwnPropertyDescriptor: () => ({ enumerable: true, \
         configurable: true, value: 1 }), get: () => Symbol() })",
    ] {
        let (said, _) = failed(Cluster::new(make(code)), "HighwaterError");
        assert!(!said.is_empty());
    }
    failed(Cluster::new(make("return new Proxy({}, { ownKeys() { throw 1 } })")), "HighwaterError");
}

/// A command line gives its output and events, and the snapshot what came of it, 64-bit numbers as `BigInt`.
#[wasm_bindgen_test]
fn lines_run_and_the_snapshot_shows_it() {
    let mut cluster = after(&[]);
    let outcome = JsValue::from(cluster.run(&CREATE.into()).expect("it is taken"));
    assert_eq!(text_at(&outcome, "output.0"), "Created topic t.");
    assert_eq!(number_at(&outcome, "exit"), 0.0);
    assert!(number_at(&outcome, "events.length") > 3.0);
    assert!(get(&outcome, "events.0.id").is_bigint());
    assert_eq!(text_at(&outcome, "events.0.kind"), "InputApplied");
    assert!(get(&outcome, "events.0.cause").is_null());
    assert!(number_at(&outcome, "time") > 1e6);
    cluster.run(&PRODUCE.into()).expect("it is taken");
    let seen = JsValue::from(cluster.snapshot(JsValue::UNDEFINED).expect("a snapshot"));
    let partition = get(&seen, "topics.0.partitions.1");
    assert_eq!(text_at(&partition, "records.0.key"), "locker-9");
    for (name, value) in [("records.0.offset", 0), ("highWatermark", 1), ("logEndOffset", 1)] {
        let number: BigInt = get(&partition, name).dyn_into().expect("a BigInt");
        assert_eq!(number, BigInt::from(value), "{name}");
    }
    assert!(number_at(&partition, "leader") >= 1.0);
    let names: Vec<String> = Object::keys(seen.unchecked_ref::<Object>())
        .iter()
        .filter_map(|it| it.as_string())
        .collect();
    assert_eq!(names, ["time", "step", "brokers", "topics", "groups", "readers", "hazards"]);
    assert_eq!(text_at(&seen, "brokers.0.state"), "up");
    assert!(get(&seen, "hazards.committedRecordsLost").is_bigint());
    assert!(
        get(&seen, "topics.0.configs").is_object()
            && !get(&seen, "topics.0.configs").is_instance_of::<js_sys::Map>()
    );
    let few =
        JsValue::from(cluster.snapshot(object(&[("records", 0.into())])).expect("a snapshot"));
    assert_eq!(number_at(&few, "topics.0.partitions.1.records.length"), 0.0);
}

/// Time goes back and forth, by steps and to any moment; a fork goes its own way.
#[wasm_bindgen_test]
fn it_goes_through_time() {
    let mut cluster = after(&[CREATE, PRODUCE]);
    let end = JsValue::from(cluster.moment().expect("a moment"));
    assert_eq!((number_at(&end, "command"), number_at(&end, "commands")), (2.0, 2.0));
    let back = JsValue::from(cluster.back().expect("a step back"));
    assert_eq!(get(&back, "moved"), JsValue::TRUE);
    assert_eq!(
        get(&back, "step").dyn_into::<BigInt>(),
        Ok(get(&end, "step").unchecked_into::<BigInt>() - BigInt::from(1))
    );
    let on = JsValue::from(cluster.step().expect("a step"));
    assert!(get(&on, "step").loose_eq(&get(&end, "step")));
    let topics = |cluster: &Cluster| {
        let seen = JsValue::from(cluster.snapshot(JsValue::UNDEFINED).expect("a snapshot"));
        number_at(&seen, "topics.length")
    };
    let mut fork = cluster.fork().expect("a fork");
    fork.seek(&object(&[("command", 0.into())])).expect("the beginning");
    assert_eq!((topics(&fork), topics(&cluster)), (0.0, 1.0));
    fork.seek(&object(&[("time", get(&end, "time"))])).expect("it was played");
    fork.seek(&object(&[("step", get(&end, "step"))])).expect("a BigInt is fine");
    assert_eq!(topics(&fork), 1.0);
    let (said, todo) = failed(fork.seek(&object(&[("command", 9.into())])), "HighwaterError");
    assert!(said.contains("there are 2") && todo.contains("0 to 2"), "{said} {todo}");
    failed(fork.seek(&JsValue::UNDEFINED), "HighwaterError");
}

/// The answers of the panel, and Kafka's names for what is not there.
#[wasm_bindgen_test]
fn why() {
    let cluster = after(&[CREATE, PRODUCE]);
    let answer = JsValue::from(cluster.why(&"record:t-1:0".into()).expect("it is there"));
    assert!(text_at(&answer, "title").contains("0"));
    assert_eq!(text_at(&answer, "reasons.0.kind"), "InputApplied");
    assert!(text_at(&answer, "arithmetic.2").starts_with("CRC-32 = "));
    assert!(number_at(&answer, "facts.length") > 2.0 && number_at(&answer, "says.length") > 0.0);
    let error = cluster.why(&"topic:none".into()).expect_err("it is not there");
    assert_eq!(String::from(error.name()), "UnknownTopicOrPartition");
    assert_eq!(text_at(&error, "code"), "UNKNOWN_TOPIC_OR_PARTITION");
    assert_eq!(text_at(&error, "remedy"), "There is: t.");
    failed(cluster.why(&JsValue::from(3)), "HighwaterError");
}

#[wasm_bindgen_test]
fn pictures() {
    let cluster = after(&[CREATE, PRODUCE]);
    let svg = cluster.svg(JsValue::UNDEFINED).expect("a picture");
    assert!(svg.starts_with("<svg") && svg.contains("locker-9"));
    let dark = cluster.svg(object(&[("theme", "dark".into()), ("view", "cluster".into())]));
    assert_ne!(dark.expect("a picture"), svg);
    assert!(cluster.text(JsValue::UNDEFINED).expect("a text").contains("locker-9 PARCEL_DROPPED"));
    failed(cluster.svg(object(&[("width", 1.into())])), "HighwaterError");
    let none = Array::of1(&"none".into());
    failed(cluster.text(object(&[("topics", none.into())])), "UnknownTopicOrPartition");
}

/// A link leads to the same moment, a damaged one as far as it is sound, and says so.
#[wasm_bindgen_test]
fn links() {
    let lines: Vec<String> = (0..8).map(|n| format!("echo line {n} {}", n * 7919)).collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines.insert(0, CREATE);
    let cluster = after(&lines);
    let link = cluster.link().expect("a link");
    let again = Cluster::from_link(&format!("https://example.org/lab/#{link}").into())
        .expect("it is sound");
    assert_eq!(again.link().expect("a link"), link);
    assert!(again.notes().is_empty());
    let damaged =
        Cluster::from_link(&link[..link.len() - 8].into()).expect("its first part is sound");
    assert!(damaged.notes()[0].contains("damaged"), "{:?}", damaged.notes());
    let (said, todo) = failed(Cluster::from_link(&"play=1.@@@@".into()), "HighwaterError");
    assert!(said.contains("damaged") && todo.contains("whole link"));
    failed(Cluster::from_link(&JsValue::NULL), "HighwaterError");
}

/// A transcript of a real cluster holds; one that was changed tells where it does not.
#[wasm_bindgen_test]
fn transcripts() {
    let report =
        JsValue::from(check(&GOLDEN.into(), JsValue::UNDEFINED).expect("it can be played"));
    assert_eq!(number_at(&report, "failed"), 0.0, "{:?}", text_at(&report, "differences.0.diff"));
    assert!(number_at(&report, "passed") > 5.0);
    let report = JsValue::from(
        check(&"$ echo a\nb\n".into(), JsValue::UNDEFINED).expect("it can be played"),
    );
    assert_eq!(number_at(&report, "failed"), 1.0);
    assert_eq!(text_at(&report, "differences.0.diff"), "--- expected\n+++ actual\n-b\n+a\n");
    failed(check(&"hello".into(), JsValue::UNDEFINED), "HighwaterError");
    let cluster =
        Cluster::from_transcript(&format!("$ {CREATE}\n").into(), object(&[("seed", 7.into())]));
    let written = cluster.expect("it can be played").transcript().expect("it can be written");
    assert!(written.contains("Created topic t."), "{written}");
    let brokers = Cluster::from_transcript(&"$ echo\n".into(), object(&[("brokers", 1.into())]));
    failed(brokers, "HighwaterError");
}

/// Keys go where the recorded libraries put them, for all families, as text and as bytes.
#[wasm_bindgen_test]
fn partitions() {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).expect("JSON");
    let columns = [
        (
            "murmur2",
            &[
                "java",
                "librdkafka:murmur2",
                "sarama:murmur2",
                "franz-go",
                "kafkajs",
                "kafka-python",
            ][..],
        ),
        ("crc32", &["librdkafka:consistent", "kafka-go:crc32-consistent", "crc32"]),
        ("fnv1a_abs", &["kafka-go", "sarama"]),
        ("fnv1a_masked", &["kafka-go:reference-hash"]),
        ("kafkajs_legacy", &["kafkajs:legacy"]),
    ];
    for row in vectors["vectors"].as_array().expect("a list") {
        let key = match row["key"].as_str() {
            Some(key) => JsValue::from_str(key),
            None => bytes(row["key_hex"].as_str().expect("a text")).into(),
        };
        for (column, names) in columns {
            let wanted = row[column]["partitions"][4].as_i64().expect("a number");
            for name in names {
                let choice = partition_of(&key, &6.into(), &(*name).into()).expect("a choice");
                let found = get(&choice.into(), "partition").as_f64();
                assert!(
                    found == Some(wanted as f64) || row["bytes"] == 0,
                    "{name} {row}: {found:?}"
                );
            }
        }
    }
    let all: Vec<JsValue> = clients().expect("a list").into_iter().map(JsValue::from).collect();
    assert!(all.iter().any(|client| text_at(client, "name") == "kafka-go:murmur2"));
    failed(partition_of(&"a".into(), &0.into(), &"java".into()), "InvalidPartitions");
    let (said, _) = failed(partition_of(&"a".into(), &3.into(), &"jaba".into()), "HighwaterError");
    assert!(said.contains("there are java, librdkafka"));
}

fn bytes(hex: &str) -> Uint8Array {
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hexadecimal"))
        .collect();
    Uint8Array::from(bytes.as_slice())
}

/// What is too long, or no text, or strange changes nothing and breaks nothing.
#[wasm_bindgen_test]
fn bad_lines() {
    let mut cluster = after(&[CREATE]);
    failed(cluster.run(&"x".repeat(2 << 20).into()), "HighwaterError");
    failed(cluster.run(&JsValue::from(7)), "HighwaterError");
    failed(cluster.run(&JsValue::UNDEFINED), "HighwaterError");
    for line in ["", "\0", "'", "$(", "<script>alert(1)</script>", "\u{202e}"] {
        cluster.run(&line.into()).expect("the shell says what it thinks of it");
    }
    let seen = JsValue::from(cluster.snapshot(JsValue::UNDEFINED).expect("a snapshot"));
    assert_eq!(number_at(&seen, "topics.length"), 1.0);
}
