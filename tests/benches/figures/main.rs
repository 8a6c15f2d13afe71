//! The project's speeds. Machines differ, so each is also given as a ratio to a yardstick that is
//! measured in the same run. `cargo xtask bench [PART OF A NAME]` runs them; a measurement that
//! does nothing, or the wrong thing, panics.

mod client;
mod yardstick;

use std::hint::black_box;
use std::time::{Duration, Instant};

/// One thing to measure.
struct Figure {
    name: &'static str,
    /// What is counted, such as "keys".
    unit: &'static str,
    /// Does the work once and says how many units that was.
    work: fn() -> u64,
}

/// All of them. A new one is one line here and its work in a file of this folder.
const FIGURES: [Figure; 1] =
    [Figure { name: "murmur2 over short keys", unit: "keys", work: client::murmur2_short_keys }];

/// Each figure is the best of this many runs: what disturbs a run only makes it slower.
const RUNS: u32 = 5;

fn main() {
    // Cargo itself passes `--bench`.
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let (bytes, took) = best(yardstick::work);
    let yard = per_second(bytes, took);
    println!("{:44} {:>16}  {:>10}", "figure", "per second", "ratio");
    println!("{:44} {:>10.1} MB/s  {:>10}", "yardstick: CRC-32C over 64 MB", yard / 1e6, "1");
    for figure in &FIGURES {
        if only.as_ref().is_some_and(|part| !figure.name.contains(part.as_str())) {
            continue;
        }
        let (units, took) = best(figure.work);
        let speed = per_second(units, took);
        // Units per second against bytes of the yardstick per second.
        let ratio = speed / yard;
        println!("{:44} {:>10.0} {:5}  {ratio:>10.6}", figure.name, speed, figure.unit);
    }
}

fn best(work: fn() -> u64) -> (u64, Duration) {
    let mut best = Duration::MAX;
    let mut units = 0;
    for _ in 0..RUNS {
        let started = Instant::now();
        units = black_box(work());
        best = best.min(started.elapsed());
    }
    assert!(units > 0, "a measurement that did nothing");
    (units, best)
}

#[allow(clippy::cast_precision_loss, reason = "a speed needs no more digits")]
fn per_second(units: u64, took: Duration) -> f64 {
    units as f64 / took.as_secs_f64()
}
