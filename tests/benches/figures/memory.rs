//! What a timeline holds after an hour in which a producer never rests, when old segments go.

use highwater_core::time::SimDuration;
use highwater_core::world::timeline::Timeline;
use highwater_tests::kept::Kept;
use highwater_tests::load::{self, Load, WITH_RETENTION};

const HOUR: SimDuration = SimDuration::from_millis(60 * 60 * 1_000);

/// At a quarter of the hour, when it has warmed up, and at its end.
pub(crate) fn an_hour() -> Vec<(&'static str, u64)> {
    let plan = &WITH_RETENTION;
    let begun = Timeline::begin(plan.options(), || Load::begin(&WITH_RETENTION));
    let (mut timeline, _) = begun.expect("valid options");
    timeline.run_for(SimDuration(HOUR.0 / 4));
    let early = Kept::of(&timeline);
    timeline.run_for(SimDuration(HOUR.0 - HOUR.0 / 4));
    let late = Kept::of(&timeline);
    assert!(load::written(timeline.world()) > 1_000_000, "too few records for an hour");
    vec![
        ("batches at a quarter", early.batches),
        ("batches at the end", late.batches),
        ("their bytes at a quarter", early.bytes),
        ("their bytes at the end", late.bytes),
        ("events at a quarter", early.events),
        ("events at the end", late.events),
        ("checkpoints at a quarter", early.checkpoints),
        ("checkpoints at the end", late.checkpoints),
    ]
}
