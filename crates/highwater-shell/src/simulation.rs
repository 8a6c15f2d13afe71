//! Seeded simulation: random clusters with random faults, workloads and settings are played under all
//! invariants; then everything is put right, and they must come to rest. A plan that breaks a rule is
//! shrunk to the lines that matter. The tests play some thousand seeds, `highwater fuzz` as many as one
//! likes.
//!
//! `plan` draws what is typed, `run` plays it, `at_rest` looks at the end.

mod at_rest;
mod group_plan;
mod groups_at_rest;
mod plan;
mod run;

use std::fmt;

use highwater_core::invariant::Hazards;
use highwater_core::mutation::Mutation;
use highwater_core::world::hazard::HazardCounts;

pub use plan::{Dice, Plan, SERVERS, reassign};
pub use run::Run;

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The rule that is broken.
    pub rule: String,
    /// Where, and how.
    pub found: String,
}

fn failed(rule: &str, found: &str) -> Failure {
    Failure { rule: rule.to_owned(), found: found.to_owned() }
}

/// What came of a run that broke no rule.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was allowed to go wrong, and did, as the watch has seen it.
    pub hazards: Hazards,
    /// What the world itself has counted.
    pub counted: HazardCounts,
    /// What the last line printed.
    pub output: String,
}

/// A seed that breaks a rule.
#[derive(Clone, Debug)]
pub struct Broken {
    /// What was wrong.
    pub failure: Failure,
    /// The fewest lines that were found to break the same rule.
    pub smallest: Plan,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure { rule, found }, plan) = (&self.failure, &self.smallest);
        let seed = plan.seed;
        writeln!(f, "seed {seed} breaks {rule}: {found}")?;
        writeln!(f, "again: highwater fuzz --seeds {seed}..{seed}")?;
        writeln!(f, "what matters of it, to be played with `highwater run --seed {seed}`:")?;
        f.write_str(&plan.transcript())
    }
}

/// Plays the plan of a seed.
///
/// # Errors
/// A rule is broken.
pub fn play_seed(seed: u64, mutation: Mutation) -> Result<Outcome, Box<Broken>> {
    play_or_shrink(&Plan::random(seed, mutation))
}

/// Plays the plan with groups of a seed; of a calm one each record must be read once.
///
/// # Errors
/// A rule is broken.
pub fn play_groups(seed: u64, calm: bool) -> Result<Outcome, Box<Broken>> {
    play_or_shrink(&Plan::with_groups(seed, calm))
}

fn play_or_shrink(plan: &Plan) -> Result<Outcome, Box<Broken>> {
    play(plan).map_err(|failure| {
        let smallest = shrink(plan, &failure.rule);
        Box::new(Broken { failure, smallest })
    })
}

/// Plays a plan, puts everything right and looks whether it comes to rest.
///
/// # Errors
/// A rule is broken.
pub fn play(plan: &Plan) -> Result<Outcome, Failure> {
    let mut run = Run::new(plan.options())?;
    let mut before = 0;
    for line in &plan.lines {
        before = run.printed();
        run.line(line)?;
    }
    let output = run.printed_since(before);
    run.heal()?;
    run.check_at_rest()?;
    run.check_groups(plan.groups, plan.is_calm)?;
    let hazards = run.watched();
    let counted = run.world().hazards();
    let expected = numbers(&hazards, counted);
    if expected != counted {
        return Err(failed("HazardsAreCounted", &format!("{expected:?}, but counted {counted:?}")));
    }
    Ok(Outcome { hazards, counted, output })
}

/// What the world, which looks at what a new leader lacks, would have counted, if it were right about what
/// the watch counts, which looks at all that was ever sent.
fn numbers(watched: &Hazards, counted: HazardCounts) -> HazardCounts {
    HazardCounts {
        committed_records_lost: watched.committed_records_lost,
        acknowledged_records_lost: watched.acknowledged_records_lost,
        overtaken_records_lost: watched.overtaken_records_lost,
        unanswered_records_lost: watched.unanswered_records_lost,
        duplicate_records: watched.duplicate_records,
        reordered_records: watched.reordered_records,
        ..counted
    }
}

/// Leaves lines out for as long as the same rule is broken.
fn shrink(plan: &Plan, rule: &str) -> Plan {
    let mut smallest = plan.clone();
    let without_racks = Plan { racks: Vec::new(), ..plan.clone() };
    if !plan.racks.is_empty() && play(&without_racks).is_err_and(|failure| failure.rule == rule) {
        smallest = without_racks;
    }
    let still = |lines: &[String]| {
        let shorter = Plan { lines: lines.to_vec(), ..smallest.clone() };
        play(&shorter).is_err_and(|failure| failure.rule == rule)
    };
    let lines = fewest(&smallest.lines, still);
    Plan { lines, ..smallest }
}

/// Leaves lines out, one after the other, for as long as what is looked for is still there.
pub fn fewest(lines: &[String], is_still_there: impl Fn(&[String]) -> bool) -> Vec<String> {
    let mut fewest = lines.to_vec();
    let mut again = true;
    while again {
        again = false;
        for n in (0..fewest.len()).rev() {
            let mut shorter = fewest.clone();
            shorter.remove(n);
            if is_still_there(&shorter) {
                fewest = shorter;
                again = true;
            }
        }
    }
    fewest
}
