//! A high watermark.

use highwater_core::world::event::EventKind;

use super::{Answer, Here, Place, settings};
use crate::words::ask::says;
use crate::words::ask::{self as words, labels};
use crate::words::replicas::broker;

pub(super) fn answer(here: &Here<'_>, place: &Place<'_>) -> Option<Answer> {
    let Some(held) = place.leaders() else { return super::partition::answer(here, place) };
    let (tide, end) = (held.high_watermark().0, held.log().log_end_offset().0);
    let mut answer = Answer::new(words::tide_title(&place.name(), tide));
    answer.about(labels::PARTITION, place.name(), place.thing());
    answer.number(labels::HIGH_WATERMARK, tide);
    answer.number(labels::LOG_END, end);
    answer.number(labels::BEYOND, end - tide);
    answer.fact(labels::ISR, says::set(&held.isr().committed));
    if let Some(proposed) = &held.isr().proposed {
        answer.fact(labels::PROPOSED_ISR, says::set(proposed));
    }
    for remote in held.remotes() {
        if held.isr().is_in_maximal(remote.broker) {
            let known = remote.log_end.map(|known| known.0);
            let name = words::known_of(&broker(remote.broker.0));
            answer.about(name, words::known_end(known), place.replica(remote.broker));
        }
    }
    answer.number(labels::MIN_ISR, i128::try_from(held.effective_min_isr()).unwrap_or(0));
    answer.say_why_nobody_serves(here, place);
    if tide >= end && answer.says.is_empty() {
        answer.say(says::tide_is_the_end(tide, &held.isr().committed));
    }
    answer.say_what_holds_the_tide(here, place, "");
    answer.place_settings(here, place, settings::OF_TIDE);
    if let Some(leader) = place.image.leader {
        answer.broker_settings(here, leader, settings::OF_LEADER);
    }
    let moved = here.newest(|kind| {
        matches!(kind, EventKind::HighWatermarkAdvanced { partition, .. } if *partition == place.which)
    });
    answer.because = moved.map(|event| event.id).or(place.image.changed_by);
    answer.link(place.name(), place.thing());
    Some(answer)
}
