//! Single-record traffic: every record is a request of its own, and every follower's fetch is played.

use highwater_core::world::step::Step;
use highwater_tests::load::{self, Plan};

use crate::{Done, Work};

const FIVE_BROKERS: Plan = Plan {
    brokers: 5,
    topics: 10,
    partitions: 3,
    producers: 10,
    burst: 1,
    bursts: 3_000,
    is_read: true,
    ..Plan::IDLE
};
const IDLE_100: Plan = Plan { idle_partitions: 100, ..BUSY };
const IDLE_1_000: Plan = Plan { idle_partitions: 1_000, ..BUSY };
const BUSY: Plan = Plan { producers: 3, burst: 1, bursts: 5_000, is_read: true, ..Plan::IDLE };

/// Messages that arrive in a cluster of five: ten producers that each wait for their record's
/// acknowledgement by all in-sync replicas, and one consumer of all topics.
pub(crate) fn five_brokers() -> Work {
    let mut world = load::cluster(&FIVE_BROKERS);
    Box::new(move || {
        let mut delivered = 0;
        load::run_looking(&mut world, |step| {
            delivered += u64::from(matches!(step, Step::Deliver(_)));
        });
        Done::new(delivered, move || {
            load::check(&world, FIVE_BROKERS.records());
            // To the leader, to two followers and from there, back to the producer, to the consumer.
            assert!(delivered > 6 * FIVE_BROKERS.records(), "only {delivered} messages");
        })
    })
}

fn steps_beside(plan: &'static Plan) -> Work {
    let mut world = load::cluster(plan);
    load::prepare(&mut world);
    let held: usize = world.brokers().values().map(|it| it.partitions().len()).sum();
    assert!(held as u64 >= 3 * u64::from(plan.idle_partitions.unsigned_abs()), "{held} held");
    Box::new(move || {
        let before = world.steps();
        load::run(&mut world);
        Done::new(world.steps() - before, move || load::check(&world, plan.records()))
    })
}

/// What a step costs beside some partitions in which nothing happens.
pub(crate) fn beside_100_idle() -> Work {
    steps_beside(&IDLE_100)
}

/// What it costs beside ten times as many.
pub(crate) fn beside_1_000_idle() -> Work {
    steps_beside(&IDLE_1_000)
}
