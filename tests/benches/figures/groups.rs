//! Groups of consumers: how fast they read, and how long a rebalance takes.

use highwater_tests::groups;
use highwater_tests::load::{self, Plan};

use crate::{Done, Work};

const TEN: Plan =
    Plan { partitions: 10, producers: 4, burst: 500, bursts: 500, members: 10, ..Plan::IDLE };
const HUNDRED: Plan = Plan { partitions: 300, members: 100, ..Plan::IDLE };

/// Ten members read a million records that stand in ten partitions.
pub(crate) fn ten_members_read() -> Work {
    let mut world = load::cluster(&TEN);
    load::run(&mut world);
    Box::new(move || {
        groups::run_until(&mut world, |world| groups::group(world).0 == TEN.records());
        Done::new(TEN.records(), move || assert_eq!(groups::group(&world).1, 10))
    })
}

/// A hundred members join at once and get 300 partitions.
pub(crate) fn hundred_members_join() -> Work {
    let mut world = load::cluster(&HUNDRED);
    load::prepare(&mut world);
    Box::new(move || {
        groups::run_until(&mut world, |world| groups::group(world).1 == 300);
        Done::new(1, || {})
    })
}
