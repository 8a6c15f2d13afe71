//! Records from a producer through three logs to a reader.

use highwater_core::time::SimDuration;
use highwater_core::world::timeline::Timeline;
use highwater_tests::load::{self, Load, Plan};

use crate::{Done, Work};

const BATCHED: Plan = Plan { producers: 1, burst: 500, bursts: 1_000, is_read: true, ..Plan::IDLE };
const ONE_BY_ONE: Plan =
    Plan { producers: 1, burst: 1, bursts: 50_000, is_read: true, ..Plan::IDLE };
/// As many as are held before, and 200,000 more.
const AFTER_100_000: Plan = Plan { bursts: 600, ..BATCHED };
const AFTER_1_000_000: Plan = Plan { bursts: 2_400, ..BATCHED };

fn all_of(plan: &'static Plan) -> Work {
    let mut world = load::cluster(plan);
    Box::new(move || {
        load::run(&mut world);
        Done::new(plan.records(), move || load::check(&world, plan.records()))
    })
}

/// `acks=all`, replication factor 3, one reader.
pub(crate) fn batches_of_500() -> Work {
    all_of(&BATCHED)
}

/// The same with a request for every record.
pub(crate) fn one_by_one() -> Work {
    all_of(&ONE_BY_ONE)
}

/// The same as a page runs it: it keeps checkpoints and the newest events.
pub(crate) fn in_a_timeline() -> Work {
    let plan = &BATCHED;
    let begun = Timeline::begin(plan.options(), || Load::begin(&BATCHED));
    let (mut timeline, _) = begun.expect("valid options");
    Box::new(move || {
        while !load::is_done(timeline.world()) {
            timeline.run_for(SimDuration::from_millis(100));
        }
        Done::new(plan.records(), move || load::check(timeline.world(), plan.records()))
    })
}

fn onto(plan: &'static Plan, before: u64) -> Work {
    let mut world = load::cluster(plan);
    while load::written(&world) < before {
        for _ in 0..100 {
            world.step();
        }
        world.take_events();
    }
    Box::new(move || {
        let before = load::written(&world);
        load::run(&mut world);
        Done::new(plan.records() - before, move || load::check(&world, plan.records()))
    })
}

/// What a record costs when the log holds some.
pub(crate) fn onto_100_000() -> Work {
    onto(&AFTER_100_000, 100_000)
}

/// What it costs when the log holds ten times as many.
pub(crate) fn onto_1_000_000() -> Work {
    onto(&AFTER_1_000_000, 1_000_000)
}
