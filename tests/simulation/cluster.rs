//! Random clusters with random faults, workloads and settings (`highwater_shell::simulation`).

use crate::meetings;
use highwater_core::invariant::{Hazards, check};
use highwater_core::mutation::Mutation;
use highwater_shell::simulation::{Plan, Run, play, play_seed};

use crate::seeds;

/// Seeds of the normal test run.
const SEEDS: u64 = 2_000;

/// Random clusters keep every guarantee, and come to rest when all is put right. What goes wrong that may,
/// the world counts as the watch does.
#[test]
fn clusters_keep_their_guarantees() {
    let seeds = seeds(SEEDS);
    let count = seeds.end() + 1 - seeds.start();
    let mut total = Hazards::default();
    for seed in seeds {
        let outcome = play_seed(seed, Mutation::None).unwrap_or_else(|broken| panic!("{broken}"));
        total.add(&outcome.hazards);
    }
    println!("{total:?}");
    let all_met = total.unclean_elections > 0
        && total.committed_records_lost > 0
        && total.acknowledged_records_lost > 0
        && total.unanswered_records_lost > 0
        && total.duplicate_records > 0
        && total.reordered_records > 0;
    assert!(count < SEEDS / 2 || all_met, "the faults are too mild: {total:?}");
}

/// A rule that is broken on purpose is noticed, each of them.
#[test]
fn broken_rules_are_noticed() {
    let mut unnoticed = Vec::new();
    for mutation in Mutation::ALL {
        let random = (1..=400).map(|seed| Plan::random(seed, mutation));
        let plans = std::iter::once(meetings::old_fetch(mutation)).chain(random);
        let found = plans.into_iter().find_map(|plan| play(&plan).err());
        match found {
            Some(failure) => println!("{mutation:?}: {}", failure.rule),
            None => unnoticed.push(mutation),
        }
    }
    assert!(unnoticed.is_empty(), "nobody noticed {unnoticed:?}");
}

/// That an in-sync replica lacks what is committed is found at a moment, without having looked before.
#[test]
fn what_is_wrong_is_seen_at_a_glance() {
    let is_seen = (1..=400).any(|seed| {
        let plan = Plan::random(seed, Mutation::HighWatermarkIgnoresFollowers);
        let mut run = Run::new(plan.options()).expect("a cluster");
        let is_broken = plan.lines.iter().any(|line| run.line(line).is_err());
        is_broken && check(run.world()).iter().any(|violation| violation.rule == "StrongIsr")
    });
    assert!(is_seen);
}

/// A plan that breaks a rule is shrunk to few lines that break the same rule.
#[test]
fn what_breaks_a_rule_is_shrunk() {
    let mutation = Mutation::ElectionIgnoresIsr;
    let broken = (1..=400).find_map(|seed| play_seed(seed, mutation).err());
    let broken = broken.expect("the mutation is noticed");
    let whole = Plan::random(broken.smallest.seed, mutation);
    assert!(broken.smallest.lines.len() < whole.lines.len(), "{broken}");
    let again = play(&broken.smallest).expect_err("it still breaks the rule");
    assert_eq!(again.rule, broken.failure.rule);
    let text = broken.to_string();
    assert!(text.contains(&broken.smallest.transcript()), "{text}");
}
