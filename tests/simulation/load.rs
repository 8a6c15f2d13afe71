//! The bench's own count: each record of its programs is in the logs once, whatever else is written.

use highwater_core::ids::Offset;
use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::world::World;
use highwater_tests::load::{self, Load, Plan};

/// A producer of the bench, and a group that reads what it has written.
const GROUP: Plan = Plan { producers: 1, burst: 50, bursts: 20, members: 2, ..Plan::IDLE };
/// Several writers to several partitions, and a reader.
const SEVERAL: Plan = Plan {
    topics: 2,
    partitions: 3,
    producers: 4,
    burst: 20,
    bursts: 20,
    is_read: true,
    ..Plan::IDLE
};

/// How many records stand in the logs of the topic in which groups are kept.
fn records_of_groups(world: &World<Load>) -> i64 {
    let partitions = world.brokers().values().flat_map(|broker| broker.partitions().iter());
    let of_groups = partitions.filter(|(which, _)| which.topic.as_str() == "__consumer_offsets");
    let ends = of_groups.map(|(_, partition)| partition.log().log_end_offset());
    ends.map(|Offset(end)| end).sum()
}

/// A group that reads writes too: who is a member, what is committed. That is not counted.
#[test]
fn what_a_group_writes_is_not_counted() {
    let mut world = load::cluster(&GROUP);
    load::run(&mut world);
    let end = world.now() + SimDuration::from_millis(20_000);
    while world.next_due().is_some_and(|due| due <= end) {
        world.step();
    }
    assert!(records_of_groups(&world) > 3, "the group has joined and committed");
    assert_eq!(load::written(&world), GROUP.records());
    load::check(&world, GROUP.records());
}

/// No seed makes a copy or loses a record: nothing fails here, and producers are idempotent.
#[test]
fn every_seed_writes_each_record_once() {
    for seed in crate::seeds(40) {
        let options = ClusterOptions { seed, ..SEVERAL.options() };
        let mut world = World::new(options).expect("valid options");
        world.open_terminal(Load::begin(&SEVERAL));
        load::run(&mut world);
        load::check(&world, SEVERAL.records());
    }
}

/// The check is none that cannot fail.
#[test]
#[should_panic(expected = "in the logs, and committed")]
fn one_record_too_many_is_noticed() {
    let mut world = load::cluster(&SEVERAL);
    load::run(&mut world);
    load::check(&world, SEVERAL.records() - 1);
}
