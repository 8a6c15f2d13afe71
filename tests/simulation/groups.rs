//! What members of a group risk, shown: each hazard happens with what allows it, and does not with the
//! safe way. Who works on a record and when is `hw work`'s part; all else is Kafka's.

use highwater_core::mutation::Mutation;
use highwater_core::world::hazard::HazardCounts;
use highwater_shell::simulation::{Plan, play, play_groups};

use crate::seeds;

const SERVERS: &str = "--bootstrap-server localhost:9092,localhost:9093";

/// Seeds of the normal test run.
const SEEDS: u64 = 1_000;

/// Members join, leave, crash and hang, brokers fail, partitions are added: each group gets every record.
#[test]
fn groups_get_every_record() {
    let (mut redelivered, mut late) = (0, 0);
    let seeds = seeds(SEEDS);
    let count = seeds.end() + 1 - seeds.start();
    for seed in seeds {
        let outcome = play_groups(seed, false).unwrap_or_else(|broken| panic!("{broken}"));
        redelivered += outcome.counted.records_redelivered;
        late += outcome.counted.records_worked_too_late;
    }
    println!("{redelivered} records got again, {late} worked on too late");
    assert!(count < SEEDS / 2 || redelivered > 0, "the faults are too mild");
}

/// A rule of groups that is broken on purpose is noticed, each by the invariant that is about it.
#[test]
fn broken_rules_of_groups_are_noticed() {
    let invariant = |mutation| match mutation {
        Mutation::PartitionGivenTwice => (false, "OneOwnerInAGeneration", " twice in generation "),
        Mutation::RevokedPartitionKept => (false, "OneOwnerInAGeneration", " is read by "),
        Mutation::CommittedTooFar => (false, "CommittedOffsetsAreInTheLog", " has committed "),
        Mutation::RejoinedWithoutCommit => {
            (true, "CalmGroupsGetRecordsOnce", " times, in the log ")
        }
        _ => (false, "GroupsGetEveryRecord", ": not "),
    };
    for mutation in Mutation::OF_GROUPS {
        let (calm, rule, found) = invariant(mutation);
        let mut seen = Vec::new();
        let is_noticed = (1..=100).any(|seed| {
            let failure = play(&Plan { mutation, ..Plan::with_groups(seed, calm) }).err();
            seen.extend(failure.clone());
            failure.is_some_and(|failure| failure.rule == rule && failure.found.contains(found))
        });
        assert!(is_noticed, "nobody noticed {mutation:?}: {seen:?}");
    }
}

/// While nobody dies or hangs, each group gets each record once, whoever joins and leaves.
#[test]
fn calm_groups_get_each_record_once() {
    for seed in seeds(SEEDS / 4) {
        let outcome = play_groups(seed, true).unwrap_or_else(|broken| panic!("{broken}"));
        assert_eq!(outcome.counted.records_redelivered, 0, "seed {seed}");
        assert_eq!(outcome.counted.records_skipped, 0, "seed {seed}");
    }
}

/// Plays lines after a topic with eight records in one partition was made; what was counted, and what the
/// last line printed.
fn outcome(lines: &[&str]) -> (HazardCounts, String) {
    let mut all = vec![
        "kafka-topics.sh SERVERS --create --topic t --replica-assignment 1:2:3",
        "for i in 1 2 3 4 5 6 7 8; do echo v$i; done | kafka-console-producer.sh SERVERS --topic t",
    ];
    all.extend(lines);
    let lines = all.iter().map(|line| line.replace("SERVERS", SERVERS)).collect();
    let plan = Plan { lines, ..Plan::of(1, 3, &[]) };
    let outcome =
        play(&plan).unwrap_or_else(|failure| panic!("{failure:?}\n{}", plan.transcript()));
    (outcome.counted, outcome.output)
}

/// A member works on some of its records and goes; another one works on what it gets.
fn one_after_the_other(options: &str, signal: &str) -> (HazardCounts, Vec<String>) {
    let (counted, output) = outcome(&[
        &format!(
            "hw work --group g --topic t --from-beginning --time 1000 {options} > one.txt 2>&1 &"
        ),
        "sleep 6.7",
        &format!("kill {signal} $!"),
        "sleep 60",
        "hw work --group g --topic t --from-beginning --commit after > two.txt 2>&1 &",
        "sleep 10",
        "kill $!",
        "sleep 2",
        "cat one.txt two.txt | grep Offset",
    ]);
    let value = |line: &str| line.split('\t').next_back().unwrap_or_default().to_owned();
    (counted, output.lines().map(value).collect())
}

const ALL: [&str; 8] = ["v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"];

/// Who dies between work and commit leaves work to be done once more: at least once.
#[test]
fn crash_before_the_commit() {
    let (risky, values) = one_after_the_other("--commit after", "-9");
    assert_eq!(values, [&["v1", "v2", "v3"][..], &ALL[..]].concat());
    // It had been given all eight.
    assert_eq!((risky.records_redelivered, risky.records_skipped), (8, 0), "{risky:?}");
    let (safe, values) = one_after_the_other("--commit after", "-TERM");
    assert_eq!(values, ALL);
    assert_eq!((safe.records_redelivered, safe.records_skipped), (0, 0), "{safe:?}");
}

/// Who commits before the work loses what it had not done: at most once.
#[test]
fn commit_before_the_work() {
    let (risky, values) = one_after_the_other("--commit before", "-9");
    assert_eq!(values, ["v1", "v2", "v3"]);
    assert_eq!((risky.records_redelivered, risky.records_skipped), (0, 5), "{risky:?}");
    let (safe, values) = one_after_the_other("--commit before", "-TERM");
    assert_eq!(values, ALL);
    assert_eq!((safe.records_redelivered, safe.records_skipped), (0, 0), "{safe:?}");
}

/// Auto commit covers what the last polls brought, whether it was worked on or not.
#[test]
fn auto_commit_while_reading_ahead() {
    let interval = "--property auto.commit.interval.ms=1000";
    let (risky, values) = one_after_the_other(&format!("{interval} --ahead"), "-9");
    assert_eq!(values, ["v1", "v2", "v3"]);
    assert_eq!((risky.records_redelivered, risky.records_skipped), (0, 5), "{risky:?}");
    // Who polls only when the work is done has committed nothing yet.
    let (safe, values) = one_after_the_other(interval, "-9");
    assert_eq!(values, [&["v1", "v2", "v3"][..], &ALL[..]].concat());
    assert_eq!((safe.records_redelivered, safe.records_skipped), (8, 0), "{safe:?}");
}

/// A new group that begins at the end never sees what was there before.
#[test]
fn latest_on_a_new_group() {
    let read = |from: &str| {
        outcome(&[&format!(
            "kafka-console-consumer.sh SERVERS --topic t --group g {from} --timeout-ms 8000 \
                 2>/dev/null"
        )])
    };
    let (risky, output) = read("");
    assert_eq!((output.as_str(), risky.records_skipped), ("", 8), "{risky:?}");
    let (safe, output) = read("--from-beginning");
    assert_eq!((output.lines().count(), safe.records_skipped), (8, 0), "{safe:?}");
}

/// A member that hung for longer than its session, and does not know it, works on records of another one.
fn hanging_member(pause: u32) -> (HazardCounts, String) {
    outcome(&[
        "hw work --group g --topic t --from-beginning --time 3000 --commit after > one.txt 2>&1 &",
        "sleep 6",
        "kill -STOP $!",
        "hw work --group g --topic t --from-beginning --commit after > two.txt 2>&1 &",
        &format!("sleep {pause}"),
        "kill -CONT %1",
        "sleep 40",
        "kill %1 %2",
        "sleep 3",
        "cat one.txt two.txt",
    ])
}

#[test]
fn zombie() {
    let (risky, output) = hanging_member(60);
    assert_eq!((risky.records_redelivered, risky.records_worked_too_late), (8, 8), "{output}");
    assert!(output.contains("the commit failed: org.apache.kafka.clients.consumer.CommitFailed"));
    assert!(output.contains("lost: t-0"), "{output}");
    let (safe, output) = hanging_member(20);
    assert_eq!((safe.records_redelivered, safe.records_worked_too_late), (0, 0), "{output}");
}

/// A position that was found in the log of the leader is good until somebody else leads: it is committed
/// also after the consumer has asked for metadata again.
#[test]
fn refreshed_metadata() {
    let (counted, output) = outcome(&[
        "hw work --group g --topic t --from-beginning --property metadata.max.age.ms=2000 > one.txt 2>&1 &",
        "sleep 7",
        "hw work --group g --topic t --from-beginning --property metadata.max.age.ms=2000 > two.txt 2>&1 &",
        "sleep 12",
        "kill %1 %2; wait",
        "cat one.txt two.txt | grep -c Offset",
    ]);
    assert_eq!((output.as_str(), counted.records_redelivered), ("8\n", 0), "{counted:?}");
}

/// Who sets a group's offsets by hand wants to read again, or to skip.
#[test]
fn offsets_set_by_hand() {
    let (counted, output) = outcome(&[
        "kafka-console-consumer.sh SERVERS --topic t --group g --from-beginning --timeout-ms 8000 2>/dev/null",
        "kafka-consumer-groups.sh SERVERS --reset-offsets --group g --topic t --to-offset 2 --execute",
        "kafka-console-consumer.sh SERVERS --topic t --group g --timeout-ms 8000 2>/dev/null",
    ]);
    assert_eq!(output.lines().count(), 6, "{output}");
    let hazards = (counted.records_redelivered, counted.records_skipped);
    assert_eq!(hazards, (0, 0), "{counted:?}");
}

/// Two members, of which the first one commits when its partition is taken from it; its listener takes so
/// many milliseconds.
fn listening_member(options: &str) -> (HazardCounts, String) {
    outcome(&[
        "kafka-topics.sh SERVERS --create --topic two --replica-assignment 1:2:3,1:2:3",
        "seq 1 20 | kafka-console-producer.sh SERVERS --topic two",
        &format!("hw work --group g --topic two --from-beginning {options} > one.txt 2>&1 &"),
        "sleep 7",
        "hw work --group g --topic two --from-beginning --commit after > two.txt 2>&1 &",
        "sleep 25",
        "kafka-consumer-groups.sh SERVERS --describe --group g --state | tail -1 | tr -s ' ' | cut -d' ' -f 5 > state.txt",
        "kill %1 %2",
        "wait",
        "cat state.txt one.txt; grep -c Offset two.txt",
    ])
}

/// A rebalance waits for the listeners of its members; what they commit is not read again. One that takes
/// longer than `max.poll.interval.ms` is not waited for, and its commit is refused.
#[test]
fn rebalance_listeners() {
    let (safe, output) = listening_member("--commit revoked --listener 3000");
    assert_eq!(safe.records_redelivered, 0, "{output}");
    assert!(output.starts_with("Stable\n") && output.ends_with("\n0\n"), "{output}");
    assert!(!output.contains("failed"), "{output}");
    let (slow, output) = listening_member("--commit revoked --listener 27000");
    assert!(output.starts_with("PreparingRebalance\n"), "it is still waited for: {output}");
    assert_eq!(slow.records_redelivered, 0, "{output}");
    let limit = "--property max.poll.interval.ms=6000";
    let (late, output) = listening_member(&format!("--commit revoked --listener 9000 {limit}"));
    assert!(output.contains("the listener's commit failed: org"), "{output}");
    assert!(late.records_redelivered > 0 && !output.ends_with("\n0\n"), "{output}");
    let (risky, output) = listening_member("--commit never --listener 3000");
    assert_eq!(risky.records_redelivered, 20, "{output}");
}
