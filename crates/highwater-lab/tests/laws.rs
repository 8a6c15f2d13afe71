//! Laws over 200 random runs: those of Kafka hold in all, and what people believe has a counterexample that can be
//! played.

use highwater_lab::claim::Claim;
use highwater_lab::claim::law::{Scenario, When, search};
use highwater_lab::start::play;

fn law(text: &str) -> Claim {
    Claim::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn holds(scenario: &str, when: When, text: &str) {
    let found = search(scenario, &law(text), 0..200, when)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    if let Some(found) = found {
        panic!("{text}\nseed {}: {}\n{}", found.seed, found.why, found.transcript);
    }
}

/// There is a counterexample, and its transcript alone shows it.
fn fails(scenario: &str, when: When, text: &str) {
    let claim = law(text);
    let found =
        search(scenario, &claim, 0..200, when).unwrap_or_else(|error| panic!("{text}: {error}"));
    let Some(found) = found else { panic!("no run refutes {text}") };
    println!("{text}\n  seed {}: {}\n{}", found.seed, found.why, found.transcript);
    let run = play(&found.transcript).expect("it plays");
    let told = claim.explain(&run).expect("it has an answer");
    assert!(!told.holds && !told.because.is_empty(), "{}", found.transcript);
    assert_eq!(told, found.why);
}

const RECORDS: &str = "topic(\"parcel-events\").records";
const PARTITIONS: &str = "topic(\"parcel-events\").partitions";

#[test]
fn order_is_kept_within_a_partition_and_not_between() {
    let scenario = "keyed-producers";
    holds(
        scenario,
        When::AfterEach,
        "all t in topics: all p in t.partitions: in_order(each r in p.records: r.value)",
    );
    holds(
        scenario,
        When::AtEnd,
        &format!(
            "all r in (only r in {RECORDS}: r.value contains \"java\"): \
             partition(r.partition).id = partition_of(r.key, length({PARTITIONS}), \"java\")"
        ),
    );
    holds(
        scenario,
        When::AtEnd,
        &format!("length(lines) = length({RECORDS}) and all r in {RECORDS}: r.value in lines"),
    );
    // What is read from several partitions is in no order.
    fails(scenario, When::AtEnd, "in_order(lines)");
    // Two libraries put one key into two partitions.
    fails(
        scenario,
        When::AtEnd,
        &format!(
            "all a in {RECORDS}: all b in {RECORDS}: a.key != b.key or a.partition = b.partition"
        ),
    );
}

#[test]
fn a_partition_has_one_owner_and_a_record_may_come_twice() {
    let scenario = "group-members-come-and-go";
    holds(
        scenario,
        When::AfterEach,
        "all g in groups: all t in topics: all p in t.partitions: (count m in g.members: m.assigned contains p) <= 1",
    );
    holds(
        scenario,
        When::AtEnd,
        &format!(
            "group(\"billing\").state = \"Stable\" and all p in {PARTITIONS}: group(\"billing\").owner(p) != none"
        ),
    );
    fails(scenario, When::AtEnd, "hazards.redelivered = 0");
    fails(
        scenario,
        When::AtEnd,
        &format!("length(group(\"billing\").members) <= length({PARTITIONS})"),
    );
}

#[test]
fn what_all_in_sync_replicas_have_is_not_lost() {
    let scenario = "brokers-fail";
    holds(scenario, When::AfterEach, "hazards.lost_committed = 0 and hazards.lost_overtaken = 0");
    holds(
        scenario,
        When::AtEnd,
        &format!("all p in {PARTITIONS}: length(p.isr) = 3 and p.hw = p.end"),
    );
    fails(scenario, When::AtEnd, "hazards.lost_acknowledged = 0");
    fails(
        scenario,
        When::AfterEach,
        "all t in topics: all p in t.partitions: p.hw = none or p.hw = p.end",
    );
}

#[test]
fn searches_say_what_is_wrong() {
    let wrong = |scenario: &str, text: &str| {
        search(scenario, &law(text), 0..1, When::AtEnd).expect_err("it is refused").to_string()
    };
    assert_eq!(
        wrong("keyed-producer", "true"),
        "there is no scenario `keyed-producer`; did you mean `keyed-producers`? There is keyed-producers, \
         group-members-come-and-go, brokers-fail"
    );
    let told = wrong("keyed-producers", "partition(\"x-0\").hw > 1");
    assert!(
        told.starts_with("scenario keyed-producers with seed 0: after ")
            && told.contains("is none here"),
        "{told}"
    );
}

/// A seed always writes the same, and other seeds write others.
#[test]
fn transcripts_follow_from_seeds() {
    for scenario in Scenario::ALL {
        let texts: Vec<String> = (0..50).map(|seed| scenario.transcript(seed)).collect();
        assert_eq!(texts[7], scenario.transcript(7), "{}", scenario.name);
        let mut different = texts.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), texts.len(), "{}", scenario.name);
        assert!(scenario.about.len() > 50);
    }
}
