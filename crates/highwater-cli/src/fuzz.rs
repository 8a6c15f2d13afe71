//! `highwater fuzz`: random clusters played under all invariants.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use highwater_core::invariant::Hazards;
use highwater_core::mutation::Mutation;
use highwater_shell::simulation::{Broken, Outcome, play_groups, play_seed};

/// What `highwater fuzz` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct FuzzArgs {
    /// Which runs to play, the last one too; each seed is one random cluster with random faults, and two with random groups
    #[arg(long, value_name = "A..B", value_parser = seeds)]
    seeds: RangeInclusive<u64>,
    /// Go on after a seed that breaks a rule
    #[arg(long)]
    keep_going: bool,
}

fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let number = |text: &str| text.parse::<u64>().ok();
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (number(first), number(last.trim_start_matches('='))) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        (Some(_), Some(_)) => Err("the first seed is after the last; write 1..500".to_owned()),
        _ => Err("seeds are written as 1..500, or as one number".to_owned()),
    }
}

/// Plays the seeds; the report, and whether none breaks a rule.
pub(crate) fn fuzz(args: &FuzzArgs) -> (String, bool) {
    let mut report = String::new();
    let mut total = Hazards::default();
    let (mut played, mut broken) = (0u64, 0u64);
    let (mut redelivered, mut late) = (0, 0);
    let mut progress = Progress::new(&args.seeds);
    for seed in args.seeds.clone() {
        progress.show(seed);
        played += 1;
        match play_all(seed) {
            Ok(outcomes) => {
                for outcome in outcomes {
                    total.add(&outcome.hazards);
                    redelivered += outcome.counted.records_redelivered;
                    late += outcome.counted.records_worked_too_late;
                }
            }
            Err(found) => {
                broken += 1;
                let _ = writeln!(report, "{found}");
                if !args.keep_going {
                    break;
                }
            }
        }
    }
    progress.clear();
    let _ = writeln!(
        report,
        "allowed to go wrong: {} unclean elections, {} committed and {} only acknowledged records lost, \
         {} acknowledged by overtaken leaders, {} without acknowledgement, {} copies, {} out of order; \
         of groups {redelivered} records got again, {late} worked on too late",
        total.unclean_elections,
        total.committed_records_lost,
        total.acknowledged_records_lost,
        total.overtaken_records_lost,
        total.unanswered_records_lost,
        total.duplicate_records,
        total.reordered_records,
    );
    let _ = writeln!(report, "{} passed, {broken} failed", played - broken);
    (report, broken == 0)
}

/// Plays a random cluster, and random groups, with faults and without.
fn play_all(seed: u64) -> Result<[Outcome; 3], Box<Broken>> {
    let cluster = play_seed(seed, Mutation::None)?;
    Ok([cluster, play_groups(seed, false)?, play_groups(seed, true)?])
}

/// Says now and then how far it is: at a terminal on one line, elsewhere every half minute.
struct Progress {
    first: u64,
    last: u64,
    shown: Instant,
    at_terminal: bool,
}

impl Progress {
    fn new(seeds: &RangeInclusive<u64>) -> Self {
        let at_terminal = std::io::stderr().is_terminal();
        Self { first: *seeds.start(), last: *seeds.end(), shown: Instant::now(), at_terminal }
    }

    fn show(&mut self, seed: u64) {
        let pause = Duration::from_millis(if self.at_terminal { 200 } else { 30_000 });
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let (done, all) = (seed - self.first, self.last - self.first);
        if self.at_terminal {
            eprint!("\r\x1b[Kseed {seed}: {done} of {} done", all.saturating_add(1));
            let _ = std::io::stderr().flush();
        } else {
            eprintln!("seed {seed}: {done} of {} done", all.saturating_add(1));
        }
    }

    fn clear(&self) {
        if self.at_terminal {
            eprint!("\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_range_or_one() {
        assert_eq!(seeds("3..5"), Ok(3..=5));
        assert_eq!(seeds("3..=5"), Ok(3..=5));
        assert_eq!(seeds("7"), Ok(7..=7));
        for (text, problem) in
            [("5..3", "after the last"), ("a..b", "1..500"), ("", "1..500"), ("1..", "1..500")]
        {
            assert!(seeds(text).unwrap_err().contains(problem), "{text}");
        }
        assert!(seeds("0..18446744073709551616").is_err());
    }

    #[test]
    fn the_report_says_how_many() {
        let (report, good) = fuzz(&FuzzArgs { seeds: 1..=3, keep_going: false });
        assert!(good && report.ends_with("3 passed, 0 failed\n"), "{report}");
    }
}
