//! Something that has happened.

use highwater_core::ids::EventId;

use super::{Answer, Here};
use crate::names::event_by_name;
use crate::thing::Thing;
use crate::words::ask::{self as words, labels};
use crate::words::moment;

pub(super) fn answer(here: &Here<'_>, id: EventId) -> Option<Answer> {
    let place = here.events.binary_search_by(|event| event.id.cmp(&id)).ok()?;
    let event = here.events.get(place)?;
    let mut answer = Answer::new(words::event_title(&moment(event.at)));
    answer.fact(labels::AT, moment(event.at));
    answer.number(labels::STEP, event.step);
    answer.fact(labels::IN_THE_STORY, words::yes_or_no(event.kind.is_story()));
    if let Some(cause) = event.cause {
        answer.about(labels::CAUSE, words::event_name(cause), Thing::Event(cause));
    }
    answer.say(event_by_name(&event.kind, here.moment));
    answer.because = Some(id);
    Some(answer)
}
