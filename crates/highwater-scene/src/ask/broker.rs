//! A broker.

use highwater_core::broker::lifecycle::Stage;
use highwater_core::ids::{BrokerId, NodeId};
use highwater_core::net::rule::{Party, Rule, Verdict, verdict};
use highwater_core::number;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::cluster_view::BrokerView;
use highwater_core::world::fault::Fault;

use super::{Answer, Here, count, settings};
use crate::replicas::{Health, health};
use crate::thing::Thing;
use crate::words::ask::says;
use crate::words::ask::{self as words, labels};
use crate::words::moment;

pub(super) fn answer(here: &Here<'_>, id: i32) -> Option<Answer> {
    let id = BrokerId(id);
    let view = here.broker(id)?;
    let how = health(view);
    let mut answer = Answer::new(words::broker_title(id, how));
    answer.fact(labels::STATE, words::health(how));
    of_registration(&mut answer, view);
    let (mut leads, mut follows) = (0_i64, 0_i64);
    for topic in &here.moment.topics {
        for image in &topic.image.partitions {
            match image.leader {
                Some(leader) if leader == id => leads += 1,
                _ if image.replicas.contains(&id) => follows += 1,
                _ => {}
            }
        }
    }
    answer.number(labels::LEADS, leads);
    answer.number(labels::FOLLOWS, follows);
    let groups = here.cluster.groups().filter(|(coordinator, ..)| *coordinator == id).count();
    answer.number(labels::COORDINATES, i128::try_from(groups).unwrap_or(0));
    let heard = view.last_contact.map_or(labels::NEVER.to_owned(), moment);
    answer.fact(labels::LAST_HEARTBEAT, heard);
    answer.number(labels::METADATA_OFFSET, view.metadata_offset);
    answer.fact(labels::DISK_DELAY, says::span(view.disk_delay.0));
    if let Some(steps) = view.paused {
        answer.number(labels::WAITING_STEPS, steps);
    }
    answer.number(labels::WAITING_REQUESTS, count(&view.waiting));
    for rule in here.cluster.rules.iter().filter(|rule| concerns(rule, id)) {
        answer.fact(labels::NETWORK, words::rule(rule));
    }
    explain(&mut answer, here, view, how);
    answer.controller_settings(here, settings::OF_SESSION);
    answer.broker_settings(here, id, settings::OF_BROKER);
    answer.because = here.newest_news(|event| is_about(event, id)).map(|event| event.id);
    answer.link(labels::CONTROLLER.to_owned(), Thing::Controller);
    Some(answer)
}

fn of_registration(answer: &mut Answer, view: &BrokerView) {
    let Some(known) = &view.registration else { return };
    answer.number(labels::BROKER_EPOCH, known.epoch.0);
    answer.fact(labels::FENCED, words::yes_or_no(known.fenced));
    if known.in_controlled_shutdown {
        answer.fact(labels::CONTROLLED_SHUTDOWN, words::yes_or_no(true));
    }
    if known.cordoned {
        answer.fact(labels::CORDONED, words::yes_or_no(true));
    }
    answer.fact(labels::LISTENS_AT, words::address(known.port));
    if let Some(rack) = known.rack.get() {
        answer.fact(labels::RACK, &**rack);
    }
}

fn concerns(rule: &Rule, id: BrokerId) -> bool {
    [rule.from, rule.to].contains(&Party::Broker(id))
}

fn explain(answer: &mut Answer, here: &Here<'_>, view: &BrokerView, how: Health) {
    let id = view.id;
    answer.say(says::broker_is(id, how, view.paused));
    if let Some(known) = &view.registration {
        if known.fenced {
            answer.say(says::fenced(view.last_contact.filter(|_| view.stage != Stage::Running)));
        } else {
            answer.say_when_it_is_fenced(here, id);
        }
    }
    if view.disk_delay.0 > 0 {
        answer.say(says::each_write(view.disk_delay));
    }
}

impl Answer {
    /// Until when the controller waits for a broker of which it hears nothing, if so.
    pub(super) fn say_when_it_is_fenced(&mut self, here: &Here<'_>, id: BrokerId) {
        if let Some(view) = here.broker(id)
            && is_silent(here, view)
            && view.registration.as_ref().is_some_and(|known| !known.fenced)
            && let Some(end) = session_end(here, view)
        {
            self.say_of(says::fenced_soon(end, here.moment.now), Thing::Controller);
        }
    }
}

/// Whether the controller hears nothing of it as things are.
fn is_silent(here: &Here<'_>, view: &BrokerView) -> bool {
    let (its, controller) = (NodeId::Broker(view.id), NodeId::Controller);
    let is_cut = matches!(verdict(&here.cluster.rules, its, controller), Verdict::Drop(_));
    view.stage == Stage::Down || view.paused.is_some() || is_cut
}

/// When its session is over, if nothing is heard of it.
fn session_end(here: &Here<'_>, view: &BrokerView) -> Option<SimTime> {
    let settings = here.cluster.settings_of_controller();
    let timeout = number::unsigned(&settings.of_broker("broker.session.timeout.ms").value)?;
    Some(view.last_contact? + SimDuration::from_millis(timeout))
}

/// Whether an event made a broker what it is.
fn is_about(event: &ClusterEvent, id: BrokerId) -> bool {
    match event {
        ClusterEvent::BrokerRegistered { broker, .. }
        | ClusterEvent::BrokerUnfenced { broker }
        | ClusterEvent::BrokerFenced { broker, .. }
        | ClusterEvent::BrokerCordoned { broker, .. }
        | ClusterEvent::ControlledShutdownStarted { broker }
        | ClusterEvent::BrokerStopped { broker } => *broker == id,
        ClusterEvent::FaultInjected { fault } => match fault {
            Fault::Crash(broker)
            | Fault::PowerLoss(broker)
            | Fault::Stop(broker)
            | Fault::Start(broker)
            | Fault::Pause(broker)
            | Fault::Resume(broker)
            | Fault::SlowDisk(broker, _)
            | Fault::HealDisk(broker) => *broker == id,
            Fault::AddRule(rule) => concerns(rule, id),
            Fault::Heal(one, other) | Fault::HealOneWay(one, other) => {
                [*one, *other].contains(&Party::Broker(id))
            }
            Fault::HealAll => true,
            Fault::Drop(_) => false,
        },
        _ => false,
    }
}
