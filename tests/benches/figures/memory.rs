//! What a timeline holds during an hour in which a producer never rests, when old segments go.

use highwater_core::time::SimDuration;
use highwater_core::world::timeline::Timeline;
use highwater_tests::kept::Kept;
use highwater_tests::load::{self, Load, WITH_RETENTION};

const MINUTE: SimDuration = SimDuration::from_millis(60_000);

/// One look at it.
pub(crate) struct Moment {
    pub(crate) minute: u64,
    pub(crate) written: u64,
    /// The most that was held at any of some moments up to this: the tide of retention comes and goes.
    pub(crate) held: Kept,
}

/// Every ten minutes, once it has warmed up.
pub(crate) fn an_hour() -> Vec<Moment> {
    let plan = &WITH_RETENTION;
    let begun = Timeline::begin(plan.options(), || Load::begin(&WITH_RETENTION));
    let (mut timeline, _) = begun.expect("valid options");
    let mut moments = Vec::new();
    for ten in 1..=6 {
        timeline.run_for(SimDuration(9 * MINUTE.0));
        let mut held = Kept::of(&timeline);
        for _ in 0..10 {
            timeline.run_for(SimDuration(MINUTE.0 / 10));
            held = held.max_of(&Kept::of(&timeline));
        }
        let written = load::written(timeline.world());
        moments.push(Moment { minute: ten * 10, written, held });
    }
    let written = load::written(timeline.world());
    assert!(written > 1_000_000, "too few records for an hour: {written}");
    moments
}
