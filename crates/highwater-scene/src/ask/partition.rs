//! A partition.

use highwater_core::controller::config_control::entry;
use highwater_core::ids::BrokerId;
use highwater_core::replication::partition::Partition;

use super::{Answer, Here, Place, settings};
use crate::replicas::{Health, health};
use crate::thing::Thing;
use crate::words::ask::says;
use crate::words::ask::{self as words, labels};
use crate::words::replicas::broker;

pub(super) fn answer(here: &Here<'_>, place: &Place<'_>) -> Option<Answer> {
    let mut answer = Answer::new(words::partition_title(&place.name(), place.image.leader));
    answer.about(labels::TOPIC, place.topic_name(), Thing::Topic(place.topic_name().to_owned()));
    of_controller(&mut answer, place);
    of_log(&mut answer, place);
    of_replicas(&mut answer, here, place)?;
    answer.say_why_nobody_serves(here, place);
    if away(here, place).is_none() {
        answer.say_what_is_refused(place);
        answer.say_what_holds_the_tide(here, place, "");
        let out: Vec<BrokerId> = without(&place.image.replicas, &place.image.isr);
        if !out.is_empty() {
            answer.say(says::out_of_sync(&out));
        }
    }
    if place.image.is_reassigning() {
        answer.say(says::moves(&place.image.adding, &place.image.removing));
    }
    if answer.says.is_empty() {
        answer.say(says::all_is_well(&place.image.isr));
    }
    answer.place_settings(here, place, settings::OF_PARTITION);
    if let Some(leader) = place.image.leader {
        answer.broker_settings(here, leader, settings::OF_LEADER);
    }
    answer.because = place.image.changed_by;
    Some(answer)
}

/// Why a partition can be neither read nor written.
pub(super) enum Away {
    /// It has no leader.
    Nobody,
    /// Its leader does nothing.
    Leader(BrokerId, Health),
    /// Its leader does not know yet that it leads.
    NotYet(BrokerId),
}

/// The reason, if there is one.
pub(super) fn away(here: &Here<'_>, place: &Place<'_>) -> Option<Away> {
    let Some(leader) = place.image.leader else { return Some(Away::Nobody) };
    match here.broker(leader).map(health) {
        Some(how @ (Health::Down | Health::Paused)) => Some(Away::Leader(leader, how)),
        _ if place.leaders().is_some_and(Partition::is_leader) => None,
        _ => Some(Away::NotYet(leader)),
    }
}

/// Those of the first that are not among the others.
fn without(all: &[BrokerId], gone: &[BrokerId]) -> Vec<BrokerId> {
    all.iter().filter(|id| !gone.contains(id)).copied().collect()
}

/// What the controller has written down.
fn of_controller(answer: &mut Answer, place: &Place<'_>) {
    let image = place.image;
    match image.leader {
        Some(leader) => answer.about(labels::LEADER, broker(leader.0), Thing::Broker(leader.0)),
        None => answer.fact(labels::LEADER, labels::NOBODY),
    }
    answer.number(labels::LEADER_EPOCH, image.leader_epoch.0);
    answer.number(labels::PARTITION_EPOCH, image.partition_epoch.0);
    answer.fact(labels::REPLICAS, says::set(&image.replicas));
    answer.fact(labels::ISR, says::set(&image.isr));
    for (name, brokers) in [
        (labels::ELR, &image.elr),
        (labels::LAST_KNOWN_ELR, &image.last_known_elr),
        (labels::ADDING, &image.adding),
        (labels::REMOVING, &image.removing),
    ] {
        if !brokers.is_empty() {
            answer.fact(name, says::set(brokers));
        }
    }
}

/// What its leader holds.
fn of_log(answer: &mut Answer, place: &Place<'_>) {
    let Some(held) = place.leaders() else { return };
    let log = held.log();
    answer.number(labels::LOG_START, log.log_start_offset().0);
    answer.about(labels::HIGH_WATERMARK, held.high_watermark().0.to_string(), place.tide());
    let end = log.log_end_offset().0;
    let next = Thing::record(place.topic_name(), place.number(), end);
    answer.about(labels::LOG_END, end.to_string(), next);
    answer.fact(labels::SIZE, words::bytes(log.size_in_bytes()));
    answer.number(labels::SEGMENTS, i128::try_from(log.segments().count()).unwrap_or(0));
}

/// A line for each replica.
fn of_replicas(answer: &mut Answer, here: &Here<'_>, place: &Place<'_>) -> Option<()> {
    let state = crate::replicas::partition(here.moment, place.topic, place.number())?;
    for replica in &state.replicas {
        let how = here.broker(BrokerId(replica.broker)).map(health);
        let says = words::replica_line(replica, how);
        answer.about(broker(replica.broker), says, place.replica(BrokerId(replica.broker)));
    }
    Some(())
}

impl Answer {
    /// Why a partition can be neither read nor written, if so.
    pub(super) fn say_why_nobody_serves(&mut self, here: &Here<'_>, place: &Place<'_>) {
        match away(here, place) {
            None => {}
            Some(Away::Nobody) => self.say_why_nobody_leads(here, place),
            Some(Away::Leader(leader, how)) => {
                self.say_of(says::leader_is_away(leader, how), Thing::Broker(leader.0));
                self.say_when_it_is_fenced(here, leader);
            }
            Some(Away::NotYet(leader)) => {
                self.say_of(says::leader_has_not_begun(leader), Thing::Broker(leader.0));
            }
        }
    }

    fn say_why_nobody_leads(&mut self, here: &Here<'_>, place: &Place<'_>) {
        let image = place.image;
        self.say(says::nobody_leads(&place.name()));
        let may_lead = if image.isr.is_empty() { &image.elr } else { &image.isr };
        for id in may_lead {
            if let Some(view) = here.broker(*id) {
                self.say_of(says::may_lead_but(*id, health(view)), Thing::Broker(id.0));
            }
        }
        let first = may_lead.first().or(image.replicas.first());
        let settings = first.and_then(|id| here.cluster.settings_of(*id));
        let key = "unclean.leader.election.enable";
        let own = entry(&place.topic.image.configs, key);
        let unclean = settings.map(|settings| settings.of_topic(key, own).value);
        if unclean.as_deref() == Some("false") {
            self.say(says::no_unclean_leader(&without(&image.replicas, may_lead)));
        }
    }

    /// Whether writes with acks=all are refused.
    pub(super) fn say_what_is_refused(&mut self, place: &Place<'_>) {
        let Some(held) = place.leaders().filter(|held| held.is_under_min_isr()) else { return };
        self.say(says::refused(&held.isr().committed, held.effective_min_isr()));
    }
}
