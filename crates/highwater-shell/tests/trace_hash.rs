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

/// What takes more than one broker: replication, faults of all kinds, elections, deletion, compaction,
/// settings, jobs.
const CLUSTER_LINES: [&str; 18] = [
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 4 \
     --replication-factor 3 --config min.insync.replicas=2",
    "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic c --partitions 1 \
     --replication-factor 3 --config cleanup.policy=compact --config segment.bytes=1048576 \
     --config min.cleanable.dirty.ratio=0.01 --config segment.ms=1000",
    "kafka-producer-perf-test.sh --topic t --num-records 3000 --record-size 40 --throughput 1000 \
     --producer-props bootstrap.servers=localhost:9092 >/dev/null &",
    "hw slow 2 3 120",
    "hw pause 4",
    "for i in 1 2 3; do hw produce --topic c --key k --value v$i; sleep 1; done",
    "hw crash 1",
    "hw cut 2 controller",
    "sleep 12",
    "hw resume 4",
    "hw heal",
    "hw crash 3 --power-loss",
    "hw start 1",
    "hw start 3",
    "wait; sleep 40",
    "kafka-leader-election.sh --bootstrap-server localhost:9092 --election-type preferred \
     --all-topic-partitions",
    "kafka-topics.sh --bootstrap-server localhost:9092 --delete --topic t",
    "kafka-topics.sh --bootstrap-server localhost:9092 --describe",
];

/// Changes whenever behaviour changes: look at why, then write the new value here.
const EXPECTED: u64 = 0xa3a4_1f99_1876_151c;
/// The same for the cluster.
const EXPECTED_OF_CLUSTER: u64 = 0x9556_cdf9_4f8e_f61c;

fn hash_of(lines: &[&str], seed: u64, brokers: u32) -> u64 {
    let options = ClusterOptions { seed, brokers, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("the options are fine");
    for line in lines {
        session.run(line).expect("the line is taken");
    }
    session.timeline().world().trace_hash()
}

fn hash(seed: u64) -> u64 {
    hash_of(&LINES, seed, 3)
}

/// The trace is the committed one, on every machine.
#[test]
fn the_trace_is_the_same_everywhere() {
    assert_eq!(hash(7), EXPECTED, "the trace of seed 7 is now {:#018x}", hash(7));
}

/// The same for a cluster to which much happens.
#[test]
fn the_trace_of_a_cluster_is_the_same_everywhere() {
    let hash = hash_of(&CLUSTER_LINES, 11, 5);
    assert_eq!(hash, EXPECTED_OF_CLUSTER, "the trace of seed 11 is now {hash:#018x}");
}

/// Two runs are equal, and the seed matters.
#[test]
fn runs_repeat_and_seeds_differ() {
    assert_eq!(hash(1), hash(1));
    assert_ne!(hash(1), hash(2));
}
