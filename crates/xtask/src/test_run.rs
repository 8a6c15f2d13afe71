//! `cargo xtask test`: runs the stages one after the other, goes on after a failure so that all are
//! seen, and closes with one line that counts.

pub(crate) mod counts;
pub(crate) mod stages;

use std::path::Path;
use std::time::{Duration, Instant};

use counts::Counts;
use stages::Stage;

/// Runs these stages, or all of them when none is named; says whether all went well.
pub(crate) fn run(cache: &Path, only: &[Stage]) -> bool {
    let started = Instant::now();
    let chosen = chosen(only);
    let mut done: Vec<(Stage, Counts, Duration)> = Vec::new();
    for (i, stage) in chosen.iter().enumerate() {
        println!("\n== {} ({} of {}): {}", stage.name(), i + 1, chosen.len(), stage.says());
        let begun = Instant::now();
        let counts = stage.run(cache).unwrap_or_else(|trouble| {
            println!("xtask: {trouble}");
            Counts { passed: 0, failed: 1 }
        });
        let took = begun.elapsed();
        println!("== {}: {}, {:.1} s", stage.name(), counts, took.as_secs_f64());
        done.push((*stage, counts, took));
    }
    println!("\nstage      passed  failed       time");
    for (stage, counts, took) in &done {
        let Counts { passed, failed } = counts;
        println!("{:10} {passed:6}  {failed:6}  {:7.1} s", stage.name(), took.as_secs_f64());
    }
    println!("all of it took {:.1} s\n", started.elapsed().as_secs_f64());
    let total = done.iter().fold(Counts::default(), |sum, (_, counts, _)| sum.plus(*counts));
    let failed: Vec<&str> =
        done.iter().filter(|(_, c, _)| c.failed > 0).map(|(stage, _, _)| stage.name()).collect();
    if !failed.is_empty() {
        println!("failed: {}; `cargo xtask test --only STAGE` runs one again", failed.join(", "));
    } else if total.passed == 0 {
        println!("not one test ran, which is a failure of the test run itself");
    }
    // The closing line, alone: other programs read it.
    println!("{total}");
    is_good(total)
}

/// The stages to run, in their own order. What tests the built site has it built first, so that
/// nothing stale is tested.
fn chosen(only: &[Stage]) -> Vec<Stage> {
    let needs_site = only.iter().any(|stage| stage.needs_site());
    Stage::ALL
        .into_iter()
        .filter(|stage| {
            only.is_empty() || only.contains(stage) || (needs_site && *stage == Stage::Build)
        })
        .collect()
}

/// Something ran, and nothing failed.
fn is_good(total: Counts) -> bool {
    total.passed > 0 && total.failed == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_single_test_is_a_failure() {
        assert!(!is_good(Counts { passed: 0, failed: 0 }));
        assert!(!is_good(Counts { passed: 9, failed: 1 }));
        assert!(is_good(Counts { passed: 1, failed: 0 }));
    }

    #[test]
    fn what_tests_the_site_builds_it_first() {
        assert_eq!(chosen(&[Stage::E2e]), [Stage::Build, Stage::E2e]);
        assert_eq!(chosen(&[Stage::Fmt]), [Stage::Fmt]);
        assert_eq!(chosen(&[]), Stage::ALL);
    }
}
