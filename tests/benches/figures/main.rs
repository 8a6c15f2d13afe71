//! The project's speeds. Machines differ, so each is also given as a ratio to a yardstick that is
//! measured in the same run. `cargo xtask bench [PART OF A NAME]` runs them, natively and as wasm in
//! Node; a measurement that does nothing, or the wrong thing, panics.

mod client;
mod clock;
mod groups;
mod lab;
mod memory;
mod messages;
mod records;
mod time;
mod yardstick;

use std::hint::black_box;

use highwater_tests::kept::Kept;

use crate::memory::Moment;

/// Work that is about to be done, once. What stands before it is not measured.
pub(crate) type Work = Box<dyn FnOnce() -> Done>;
/// One of several pieces of work, by its number.
pub(crate) type Each = Box<dyn FnMut(u32)>;

/// Work that has been done: how many units that was, and what is to be true of it. The look at it, and
/// the end of what it made, are not measured.
pub(crate) struct Done {
    units: u64,
    check: Box<dyn FnOnce()>,
}

impl Done {
    pub(crate) fn new(units: u64, check: impl FnOnce() + 'static) -> Self {
        Self { units, check: Box::new(check) }
    }
}

/// How something is measured, and what it should be.
enum Measure {
    /// Units per second; the least of them natively, and as wasm.
    Speed(fn() -> Work, [f64; 2]),
    /// How long one run takes; at most so many milliseconds.
    Time(fn() -> Work, f64),
    /// How long each of several pieces of work takes; the slowest at most so many milliseconds.
    Pieces(fn() -> Each, f64),
    /// What a unit costs at ten times the size, against what it costs at the size.
    Growth(fn() -> Work, fn() -> Work),
    /// What is held at several moments, oldest first.
    Held(fn() -> Vec<Moment>),
}

/// One thing to measure.
struct Figure {
    name: &'static str,
    /// What is counted, such as "keys".
    unit: &'static str,
    measure: Measure,
}

/// Nothing is asked of it.
const NO_BAR: [f64; 2] = [0.0, 0.0];

const FIGURES: [Figure; 17] = [
    figure(
        "murmur2 over short keys",
        "keys",
        Measure::Speed(client::murmur2_short_keys, [10_000_000.0, 0.0]),
    ),
    figure(
        "RF 3, acks=all, batches of 500",
        "records",
        Measure::Speed(records::batches_of_500, [1e6, 0.5e6]),
    ),
    figure("the same with its timeline", "records", Measure::Speed(records::in_a_timeline, NO_BAR)),
    figure("the same, one record a batch", "records", Measure::Speed(records::one_by_one, NO_BAR)),
    figure(
        "5 brokers, single records",
        "messages",
        Measure::Speed(messages::five_brokers, [1e6, 0.0]),
    ),
    figure(
        "onto 100,000 and 1,000,000 records",
        "records",
        Measure::Growth(records::onto_100_000, records::onto_1_000_000),
    ),
    figure(
        "beside 100 and 1,000 idle partitions",
        "steps",
        Measure::Growth(messages::beside_100_idle, messages::beside_1_000_idle),
    ),
    figure("a group of 10 reads", "records", Measure::Speed(groups::ten_members_read, [1e6, 0.0])),
    figure(
        "100 members join over 300 partitions",
        "rebalances",
        Measure::Time(groups::hundred_members_join, 50.0),
    ),
    figure("seek among 10,000 events", "seeks", Measure::Pieces(time::seek, FRAME)),
    figure("step back", "steps", Measure::Pieces(time::step_back, FRAME)),
    figure("7 idle virtual days, 3 brokers", "days", Measure::Time(time::idle_days, 100.0)),
    figure("an idle day, a group of 3 members", "days", Measure::Time(time::idle_group, 100.0)),
    figure("Lab: a step and its frame", "frames", Measure::Pieces(lab::frame, FRAME)),
    figure("Lab: a drag and its frame", "frames", Measure::Pieces(lab::drag, FRAME)),
    figure("Lab: a line more at 10,000", "frames", Measure::Pieces(lab::line, FRAME)),
    figure("held in an hour, with retention", "", Measure::Held(memory::an_hour)),
];

const fn figure(name: &'static str, unit: &'static str, measure: Measure) -> Figure {
    Figure { name, unit, measure }
}

/// A frame at 60 Hz, in milliseconds.
const FRAME: f64 = 16.0;
/// A cost that does not grow is at most this many times what it was: caches and chance are allowed.
const FLAT: f64 = 1.25;
/// What is held does not grow when it is at most this many times what it was.
const STEADY: f64 = 1.05;
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
    let (bytes, took) = best(yardstick::prepare);
    let yard = per_second(bytes, took);
    say(&format!("{:38} {:>21} {:>10} {:>11}", "figure", "per second", "ms a run", "ratio"));
    line("yardstick: CRC-32C over 64 MB", "bytes", bytes, took, yard, "");
    for Figure { name, unit, measure } in &FIGURES {
        if only.is_some_and(|part| !name.contains(part)) {
            continue;
        }
        match measure {
            Measure::Speed(prepare, bars) => {
                let (units, took) = best(*prepare);
                let bar = bars[usize::from(cfg!(target_arch = "wasm32"))];
                let verdict = match bar {
                    0.0 => String::new(),
                    _ => met(per_second(units, took) >= bar, &format!("at least {bar:.0}/s")),
                };
                line(name, unit, units, took, yard, &verdict);
            }
            Measure::Time(prepare, bar) => {
                let (units, took) = best(*prepare);
                let verdict = met(took * 1e3 < *bar, &format!("under {bar} ms"));
                line(name, unit, units, took, yard, &verdict);
            }
            Measure::Pieces(prepare, bar) => {
                let (median, slowest) = median_and_slowest(*prepare);
                let verdict = met(slowest * 1e3 < *bar, &format!("under {bar} ms"));
                line(&format!("{name}: median"), unit, 1, median, yard, "");
                line(&format!("{name}: slowest"), unit, 1, slowest, yard, &verdict);
            }
            Measure::Growth(small, large) => {
                let [small, large] = best_of([*small, *large]);
                let cost = per_second(small.0, small.1) / per_second(large.0, large.1);
                let verdict = met(cost <= FLAT, &format!("cost x {cost:.2}, at most {FLAT}"));
                line(&format!("{name}: first"), unit, small.0, small.1, yard, "");
                line(&format!("{name}: second"), unit, large.0, large.1, yard, &verdict);
            }
            Measure::Held(moments) => say_held(name, &moments()),
        }
    }
}

/// Units per second against bytes of the yardstick per second.
fn line(name: &str, unit: &str, units: u64, took: f64, yard: f64, verdict: &str) {
    let speed = per_second(units, took);
    let (ratio, took) = (speed / yard, took * 1e3);
    say(&format!("{name:44} {speed:>12.0} {unit:8} {took:>10.3} {ratio:>11.7}  {verdict}"));
}

fn met(is_met: bool, goal: &str) -> String {
    format!("{goal}: {}", if is_met { "met" } else { "MISSED" })
}

fn say_held(name: &str, moments: &[Moment]) {
    for Moment { minute, written, held } in moments {
        let Kept { batches, records, bytes, events, checkpoints, pending } = held;
        say(&format!(
            "{name}: minute {minute}: {written} records written; held {records} in {batches} batches \
             of {bytes} bytes, {events} events, {checkpoints} checkpoints, {pending} steps planned"
        ));
    }
    let largest = |half: &[Moment]| half.iter().map(|it| it.held.bytes).max().unwrap_or(0);
    let (early, late) = moments.split_at(moments.len() / 2);
    let growth = per_second(largest(late), 1.0) / per_second(largest(early), 1.0);
    let goal = format!("second half against first, bytes x {growth:.3}, at most {STEADY}");
    say(&format!("{name}: {}", met(growth <= STEADY, &goal)));
}

fn best(prepare: fn() -> Work) -> (u64, f64) {
    let [best] = best_of([prepare]);
    best
}

/// How many units each is, and how long it takes at its best. They take turns.
fn best_of<const N: usize>(prepare: [fn() -> Work; N]) -> [(u64, f64); N] {
    let mut best = [(0, f64::MAX); N];
    for _ in 0..RUNS {
        for (prepare, best) in prepare.iter().zip(&mut best) {
            let work = prepare();
            let started = clock::seconds();
            let done = black_box(work());
            let took = clock::seconds() - started;
            assert!(done.units > 0, "a measurement that did nothing");
            (done.check)();
            *best = (done.units, best.1.min(took));
        }
    }
    best
}

/// How long the pieces take, each at its best.
fn median_and_slowest(prepare: fn() -> Each) -> (f64, f64) {
    let mut best = vec![f64::MAX; PIECES as usize];
    for _ in 0..RUNS {
        let mut work = prepare();
        for (number, best) in (0..).zip(&mut best) {
            let started = clock::seconds();
            work(number);
            *best = best.min(clock::seconds() - started);
        }
    }
    best.sort_by(f64::total_cmp);
    (best[best.len() / 2], best[best.len() - 1])
}

#[allow(clippy::cast_precision_loss, reason = "a speed needs no more digits")]
fn per_second(units: u64, took: f64) -> f64 {
    units as f64 / took
}
