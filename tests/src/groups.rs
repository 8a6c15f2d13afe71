//! A group of consumers under load: its members, and how far they are.

use std::rc::Rc;

use highwater_core::client::kafka_consumer::KafkaConsumer;
use highwater_core::client::kafka_consumer::config::{
    ConsumerConfig, OffsetReset, Subscription, Topics,
};
use highwater_core::client::kafka_consumer::coordinator::MemberState;
use highwater_core::client::{Client, ClientCommand, ClientReply};
use highwater_core::ids::{GroupId, Offset};
use highwater_core::scope::Lab;
use highwater_core::time::SimDuration;
use highwater_core::world::process::{ClientSpec, ProcessInput};
use highwater_core::world::world::World;

use crate::load::{BOOTSTRAP, Load, Out, Plan};

/// What a member of the group does.
pub(crate) fn handle_member(plan: &'static Plan, input: &ProcessInput, out: &mut Out<'_>) {
    match input {
        ProcessInput::Started { .. } => {
            let config = Rc::new(ConsumerConfig {
                client_id: "member".to_owned(),
                group_id: Some(GroupId(Rc::from("members"))),
                auto_offset_reset: OffsetReset::Earliest,
                ..ConsumerConfig::default()
            });
            let client = out.open(ClientSpec::Consumer(Lab::new((BOOTSTRAP.to_owned(), config))));
            let names = (0..plan.topics).map(|number| plan.topic(number)).collect();
            let topics = Subscription::Subscribed(Topics::Named(names));
            out.command(client, ClientCommand::Subscribe(Lab::new(topics)));
            out.command(client, ClientCommand::PollFor(None));
        }
        ProcessInput::Reply(client, ClientReply::Polled(_)) => {
            out.command(*client, ClientCommand::PollFor(None));
        }
        ProcessInput::Reply(_, ClientReply::PollFailed(error)) => panic!("{error:?}"),
        _ => {}
    }
}

/// How many records the members of the group have read together, and how many partitions they have when
/// all of them are members of one generation; otherwise none.
#[must_use]
pub fn group(world: &World<Load>) -> (u64, usize) {
    let (mut read, mut owned, mut generations) = (0, 0, Vec::new());
    for client in world.clients() {
        let Client::KafkaConsumer(consumer) = client else { continue };
        let Some(view) = consumer.get().and_then(KafkaConsumer::member_view) else { continue };
        let positions = view.partitions.iter().filter_map(|owned| owned.position);
        read += positions.map(|Offset(at)| u64::try_from(at).unwrap_or(0)).sum::<u64>();
        owned += view.partitions.len();
        let is_stable = view.state == MemberState::Stable;
        generations.push(if is_stable { view.generation } else { -1 });
    }
    generations.sort_unstable();
    generations.dedup();
    (read, if generations.len() == 1 && generations != [-1] { owned } else { 0 })
}

/// Lets time pass until that is so of the group.
///
/// # Panics
/// It never is.
pub fn run_until(world: &mut World<Load>, mut is_so: impl FnMut(&World<Load>) -> bool) {
    let last = world.now() + SimDuration::from_millis(600_000);
    while !is_so(world) {
        assert!(world.now() < last, "the group hangs");
        for _ in 0..100 {
            world.step();
        }
        world.drain_events().for_each(drop);
    }
}
