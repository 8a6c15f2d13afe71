//! One run, one trace: the hash of all that happens is the same natively, in Node and in Chromium.
//! The same file is run in all three.

use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Every kind of thing that draws, hashes or counts: placement and ids, keyed and keyless records
/// of three client families, readers, refusals, a heredoc and a pipe.
const LINES: [&str; 9] = [
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions 3",
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events",
    "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events <<X\none\ntwo\nX",
    "echo locker-7:CODE_SENT | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic \
     parcel-events --reader-property parse.key=true --reader-property key.separator=:",
    "hw produce --client librdkafka --topic parcel-events --key locker-2 --value DOOR_JAMMED",
    "hw produce --client kafka-go --topic parcel-events --value keyless",
    "hw produce --client librdkafka --topic parcel-events --value keyless",
    "hw consume --as analytics --topic parcel-events --partition 0",
    "kafka-topics.sh --bootstrap-server localhost:9092 --describe",
];

/// Changes whenever behaviour changes: look at why, then write the new value here.
const EXPECTED: u64 = 0xe7f8_f599_dd61_847d;

fn hash(seed: u64) -> u64 {
    let options = ClusterOptions { seed, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("the options are fine");
    for line in LINES {
        session.run(line).expect("the line is taken");
    }
    session.timeline().world().trace_hash()
}

/// The trace is the committed one, on every machine.
#[test]
fn the_trace_is_the_same_everywhere() {
    assert_eq!(hash(7), EXPECTED, "the trace of seed 7 is now {:#018x}", hash(7));
}

/// Two runs are equal, and the seed matters.
#[test]
fn runs_repeat_and_seeds_differ() {
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
}
