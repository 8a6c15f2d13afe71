//! Memory is bounded: when old segments go, what a timeline holds does not grow with time.

use highwater_core::time::SimDuration;
use highwater_core::world::timeline::Timeline;
use highwater_tests::kept::Kept;
use highwater_tests::load::{self, Load, WITH_RETENTION};

/// The most that is held at any of some moments, 7 seconds apart: the tide of retention comes and goes.
fn most(timeline: &mut Timeline<Load>) -> Kept {
    let mut most = Kept::of(timeline);
    for _ in 0..20 {
        timeline.run_for(SimDuration::from_millis(7_000));
        most = most.max_of(&Kept::of(timeline));
    }
    most
}

/// What is held after 40 minutes is what was held after ten.
#[test]
fn what_is_held_does_not_grow() {
    let begun = Timeline::begin(WITH_RETENTION.options(), || Load::begin(&WITH_RETENTION));
    let (mut timeline, _) = begun.expect("valid options");
    timeline.run_for(SimDuration::from_millis(10 * 60_000));
    let (early, written) = (most(&mut timeline), load::written(timeline.world()));
    timeline.run_for(SimDuration::from_millis(30 * 60_000));
    let late = most(&mut timeline);
    println!("{early:?}\n{late:?}");
    assert!(load::written(timeline.world()) > 3 * written, "nothing was written meanwhile");
    let allowed = |early: u64| early + early / 20;
    assert!(late.batches <= allowed(early.batches), "{early:?} {late:?}");
    assert!(late.bytes <= allowed(early.bytes), "{early:?} {late:?}");
    assert!(late.events <= allowed(early.events), "{early:?} {late:?}");
    assert!(late.checkpoints <= allowed(early.checkpoints), "{early:?} {late:?}");
    assert!(late.pending <= allowed(early.pending), "{early:?} {late:?}");
}
