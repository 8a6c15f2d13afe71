//! Meetings of faults that once kept clusters from coming to rest.

use highwater_core::mutation::Mutation;
use highwater_shell::simulation::{Plan, SERVERS, play, reassign};

fn ends_well(seed: u64, brokers: u32, lines: &[&str]) {
    let plan = Plan::of(seed, brokers, lines);
    play(&plan).unwrap_or_else(|failure| panic!("{failure:?}\n{}", plan.transcript()));
}

fn create(options: &str) -> String {
    create_of(3, options)
}

fn create_of(partitions: u32, options: &str) -> String {
    format!("kafka-topics.sh {SERVERS} --create --topic a --partitions {partitions} {options}")
}

/// A leader hears of the replica that is added after that has begun to fetch.
#[test]
fn a_leader_hears_late_of_a_new_replica() {
    let lines = [
        &create("--replication-factor 2"),
        "hw crash 3",
        "hw start 3",
        "hw slow 2 controller 2610",
        "hw produce --topic a --key k3 --value v8",
        &reassign(1, "1,3"),
    ];
    ends_well(385, 3, &lines);
}

/// The fetch that opens a follower's session is lost; the next one, with news, is not.
#[test]
fn the_fetch_that_opens_a_session_is_lost() {
    let lines = [
        &create("--replication-factor 3 --config min.insync.replicas=2"),
        "hw crash 2",
        "hw cut 2 3",
        "sleep 4.6",
        "hw pause 1",
        &reassign(1, "1,4,5"),
        "hw start 2",
    ];
    ends_well(1553, 5, &lines);
}

/// What a leader has answered is lost; the follower has news of another partition meanwhile.
#[test]
fn an_answer_is_lost() {
    let lines = [
        &create("--replication-factor 3 --config min.insync.replicas=2"),
        "hw crash 3 --power-loss",
        "hw produce --topic a --key k3 --value v4",
        "hw cut 1 2 --one-way",
        "sleep 6.1",
        "hw produce --topic a --key k0 --value v11",
        "hw crash 2",
        "hw produce --topic a --key k0 --value v17",
        "hw start 2",
    ];
    ends_well(3809, 3, &lines);
}

/// A leader that was paused wakes up after an unclean election, and tells producers that it has their
/// records before it hears of its successor. That loss is the election's.
#[test]
fn a_leader_answers_after_an_unclean_election() {
    let lines = [
        &create_of(
            2,
            "--replication-factor 2 --config min.insync.replicas=1 \
             --config unclean.leader.election.enable=true",
        ),
        "hw stop 3",
        "hw pause 4",
        "hw produce --client java --topic a --key k4 --value v25",
    ];
    ends_well(8367, 5, &lines);
}

/// A move takes the place of another one and is complete at once: its replicas are in sync already.
#[test]
fn a_second_move_needs_no_copy() {
    let lines = [
        &create("--replication-factor 3 --config min.insync.replicas=1"),
        &reassign(1, "1,4"),
        "hw produce --client java --topic a --key k2 --value v13",
        "hw crash 4",
        "sleep 0.9",
        &reassign(1, "3,1"),
        "hw crash 3",
    ];
    ends_well(17127, 4, &lines);
}

/// A move is called off while nobody has the records, where unclean elections are allowed; then the next
/// one begins.
#[test]
fn a_move_after_one_that_was_called_off() {
    let unclean = "--replication-factor 1 --config unclean.leader.election.enable=true";
    let cancel = format!(
        "kafka-reassign-partitions.sh {SERVERS} --cancel --preserve-throttles \
         --reassignment-json-file r.json >/dev/null 2>&1 &"
    );
    let lines = [
        &create(unclean),
        "hw crash 2 --power-loss",
        "hw start 2",
        &reassign(2, "1,2,3"),
        "sleep 0.9",
        &reassign(1, "3,1"),
        &cancel,
    ];
    ends_well(26602, 3, &lines);
}

/// The power fails; the broker is started, and stopped before it has registered. What it has lost must
/// not count as kept.
#[test]
fn a_broker_is_stopped_before_it_has_registered() {
    let lines = [
        &create("--replication-factor 1"),
        "sleep 0.5",
        "hw produce --client java --topic a --key k0 --value v2",
        "sleep 0.6",
        "hw crash 2 --power-loss",
        "hw start 2",
        "hw stop 2",
    ];
    ends_well(29986, 3, &lines);
}

/// What a follower fetched before its machine lost power arrives after it has come back, with a log that
/// is empty: that fetch is not its own any more, and must not let it join (KIP-903). Its leader crashes
/// then.
#[test]
fn a_fetch_outlives_the_broker_that_sent_it() {
    let plan = old_fetch(Mutation::None);
    play(&plan).unwrap_or_else(|failure| panic!("{failure:?}\n{}", plan.transcript()));
}

/// The plan of that, with a rule broken on purpose. Random plans hardly ever come to it.
pub(crate) fn old_fetch(mutation: Mutation) -> Plan {
    let create = format!("kafka-topics.sh {SERVERS} --create --topic a --replica-assignment 1:2");
    let lines = [
        create.as_str(),
        "hw produce --topic a --key k0 --value v1",
        "sleep 2",
        "hw slow 2 1 40000 --one-way",
        "sleep 2",
        "hw crash 2 --power-loss",
        "hw start 2",
        "sleep 33",
        "hw crash 1",
        "sleep 12",
    ];
    Plan { mutation, ..Plan::of(1, 3, &lines) }
}

/// A replica is taken away and given back while an answer for it is on its way: what that brings would
/// leave a hole in the new log.
#[test]
fn an_answer_outlives_the_replica_that_asked() {
    let lines = [
        &format!(
            "kafka-topics.sh {SERVERS} --create --topic a --partitions 2 --replication-factor 3 \
             --config min.insync.replicas=3"
        ),
        "kafka-producer-perf-test.sh --topic a --num-records 4 --record-size 600000 --throughput 20 \
         --command-property bootstrap.servers=localhost:9092,localhost:9093 batch.size=0 \
         request.timeout.ms=1500 linger.ms=0 enable.idempotence=false >/dev/null 2>&1 &",
        "hw crash 2",
        &reassign(0, "3,2"),
        "hw slow 1 3 2272",
        &format!("kafka-topics.sh {SERVERS} --alter --topic a --partitions 5"),
        "hw start 2",
        &reassign(0, "1"),
    ];
    ends_well(898, 3, &lines);
}
