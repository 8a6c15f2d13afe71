//! The project's speeds. Machines differ, so each is also given as a ratio to a yardstick that is
//! measured in the same run. `cargo xtask bench [PART OF A NAME]` runs them, natively and as wasm in
//! Node; a measurement that does nothing, or the wrong thing, panics.

mod client;
mod clock;
mod memory;
mod messages;
mod records;
mod time;
mod yardstick;

use std::hint::black_box;

/// Work that is about to be done: once, saying how many units that was. What stands before it is not
/// measured.
pub(crate) type Work = Box<dyn FnOnce() -> u64>;
/// One of several pieces of work, by its number.
pub(crate) type Each = Box<dyn FnMut(u32)>;

/// How something is measured.
enum Measure {
    /// Units per second.
    Speed(fn() -> Work),
    /// The slowest of so many pieces of work.
    Slowest(u32, fn() -> Each),
    /// Numbers that do not depend on the machine.
    Count(fn() -> Vec<(&'static str, u64)>),
}

/// One thing to measure.
struct Figure {
    name: &'static str,
    /// What is counted, such as "keys".
    unit: &'static str,
    measure: Measure,
}

const fn speed(name: &'static str, unit: &'static str, prepare: fn() -> Work) -> Figure {
    Figure { name, unit, measure: Measure::Speed(prepare) }
}

const fn slowest(name: &'static str, unit: &'static str, prepare: fn() -> Each) -> Figure {
    Figure { name, unit, measure: Measure::Slowest(PIECES, prepare) }
}

const fn count(
    name: &'static str,
    unit: &'static str,
    count: fn() -> Vec<(&'static str, u64)>,
) -> Figure {
    Figure { name, unit, measure: Measure::Count(count) }
}

/// All of them. A new one is one line here and its work in a file of this folder.
const FIGURES: [Figure; 13] = [
    speed("murmur2 over short keys", "keys", client::murmur2_short_keys),
    speed("RF 3, acks=all, batches of 500", "records", records::batches_of_500),
    speed("RF 3, acks=all, 500, with its timeline", "records", records::in_a_timeline),
    speed("RF 3, acks=all, one record a batch", "records", records::one_by_one),
    speed("RF 3, 500, onto 100,000 records", "records", records::onto_100_000),
    speed("RF 3, 500, onto 1,000,000 records", "records", records::onto_1_000_000),
    speed("5 brokers, single records", "messages", messages::five_brokers),
    speed("beside 100 idle partitions", "steps", messages::beside_100_idle),
    speed("beside 1,000 idle partitions", "steps", messages::beside_1_000_idle),
    slowest("slowest seek among 10,000 events", "seeks", time::seek),
    slowest("slowest step back", "steps", time::step_back),
    speed("idle virtual days, 3 brokers", "days", time::idle_days),
    count("kept in an hour with retention", "batches", memory::an_hour),
];

/// Each speed is the best of this many runs: what disturbs a run only makes it slower.
const RUNS: u32 = 5;
/// How many pieces of work the slowest is looked for among.
const PIECES: u32 = 300;

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    // Cargo itself passes `--bench`.
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    run(only.as_deref());
}

#[cfg(target_arch = "wasm32")]
fn main() {}

/// The same in Node, which has no arguments for it: part of a name stands in the environment.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen_test::wasm_bindgen_test]
fn figures() {
    run(clock::variable("HIGHWATER_FIGURE").as_deref());
}

/// Prints a line, natively and in Node.
pub(crate) fn say(line: &str) {
    #[cfg(not(target_arch = "wasm32"))]
    println!("{line}");
    #[cfg(target_arch = "wasm32")]
    wasm_bindgen_test::console_log!("{line}");
}

fn run(only: Option<&str>) {
    let (bytes, took) = best(&(yardstick::prepare as fn() -> Work));
    let yard = per_second(bytes, took);
    say(&format!("{:40} {:>21} {:>10} {:>10}", "figure", "per second", "ms a run", "ratio"));
    let about = "yardstick: CRC-32C over 64 MB";
    say(&format!("{about:40} {:>13.1} MB/s    {:>10.1} {:>10}", yard / 1e6, took * 1e3, "1"));
    for Figure { name, unit, measure } in &FIGURES {
        if only.is_some_and(|part| !name.contains(part)) {
            continue;
        }
        let (units, took) = match measure {
            Measure::Speed(prepare) => best(prepare),
            Measure::Slowest(pieces, prepare) => (1, slowest_of(*pieces, prepare)),
            Measure::Count(count) => {
                for (what, number) in count() {
                    say(&format!("{name:40} {number:>13} {unit:8} {what}"));
                }
                continue;
            }
        };
        let speed = per_second(units, took);
        // Units per second against bytes of the yardstick per second.
        let (ratio, took) = (speed / yard, took * 1e3);
        say(&format!("{name:40} {speed:>12.0} {unit:8} {took:>10.3} {ratio:>10.6}"));
    }
}

fn best(prepare: &fn() -> Work) -> (u64, f64) {
    let mut best = f64::MAX;
    let mut units = 0;
    for _ in 0..RUNS {
        let work = prepare();
        let started = clock::seconds();
        units = black_box(work());
        best = best.min(clock::seconds() - started);
    }
    assert!(units > 0, "a measurement that did nothing");
    (units, best)
}

/// How long the slowest piece takes, each at its best.
fn slowest_of(pieces: u32, prepare: &fn() -> Each) -> f64 {
    let mut best = vec![f64::MAX; pieces as usize];
    for _ in 0..RUNS {
        let mut work = prepare();
        for (number, best) in (0..).zip(&mut best) {
            let started = clock::seconds();
            work(number);
            *best = best.min(clock::seconds() - started);
        }
    }
    best.into_iter().fold(0.0, f64::max)
}

#[allow(clippy::cast_precision_loss, reason = "a speed needs no more digits")]
fn per_second(units: u64, took: f64) -> f64 {
    units as f64 / took
}
