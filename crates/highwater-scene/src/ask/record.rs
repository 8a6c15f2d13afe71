//! A record, or the slot where the next one goes.

use std::rc::Rc;

use highwater_core::ids::{BrokerId, EventId, Offset};
use highwater_core::log::record::{Record, RecordBatch};
use highwater_core::log::record_batch::NO_TIMESTAMP;
use highwater_core::net::message::Acks;
use highwater_core::replication::partition::Partition;
use highwater_core::time::SimTime;
use highwater_core::world::cluster_event::ClusterEvent;

use super::partition::away;
use super::{Answer, Here, Place, settings};
use crate::coordinated::groups;
use crate::thing::Thing;
use crate::words::ask::says;
use crate::words::ask::{self as words, labels};
use crate::words::replicas::broker;
use crate::words::shown;

/// So many headers, groups or readers are named.
const NAMED: usize = 12;

pub(super) fn answer(here: &Here<'_>, place: &Place<'_>, offset: i64) -> Option<Answer> {
    let offset = Offset(offset);
    let end = place.leaders().map(|held| held.log().log_end_offset());
    if let Some(held) = place.leaders()
        && let Some(found) = find(held, offset)
    {
        return Some(of_record(here, place, offset, &found, None));
    }
    if end == Some(offset) {
        return Some(of_next(here, place, offset));
    }
    // Beyond the leader's log, or while nobody leads, somebody else may have one.
    if end.is_some_and(|end| offset < end) {
        return None;
    }
    let holder = place
        .image
        .replicas
        .iter()
        .find_map(|id| Some((*id, find(here.held(*id, &place.which)?, offset)?)));
    let (id, found) = holder?;
    Some(of_record(here, place, offset, &found, Some(id)))
}

/// A record with its batch.
type Found<'a> = (&'a Rc<RecordBatch>, &'a Record);

fn find(held: &Partition, offset: Offset) -> Option<Found<'_>> {
    if offset < held.log().log_start_offset() {
        return None;
    }
    let batch = held.log().read(offset, offset.plus(1), u64::MAX).next()?;
    let (at, record) = batch.iter_from(offset).next()?;
    (at == offset).then_some((batch, record))
}

/// `holder`: who has it, if that is not the leader.
fn of_record(
    here: &Here<'_>,
    place: &Place<'_>,
    offset: Offset,
    found: &Found<'_>,
    holder: Option<BrokerId>,
) -> Answer {
    let (batch, record) = *found;
    let tide = place.leaders().map(Partition::high_watermark);
    let is_committed = holder.is_none() && tide.is_some_and(|tide| offset < tide);
    let state = match holder {
        Some(_) if place.leaders().is_some() => words::State::NotTheLeaders,
        _ if away(here, place).is_some() => words::State::NotNow,
        _ if is_committed => words::State::Readable,
        _ => words::State::NotYet,
    };
    let mut answer = Answer::new(words::record_title(&place.name(), offset.0, state));
    answer.about(labels::PARTITION, place.name(), place.thing());
    answer.number(labels::OFFSET, offset.0);
    content(&mut answer, batch, record);
    of_batch(&mut answer, batch, offset);
    if let Some(tide) = tide {
        answer.about(labels::HIGH_WATERMARK, tide.0.to_string(), place.tide());
    }
    answer.fact(labels::READABLE, words::readable(state));
    answer.fact(labels::COMMITTED, words::committed(committed(here, place, offset, state)));
    whereabouts(&mut answer, here, place, offset, batch);
    who_has_read(&mut answer, here, place, offset);
    explain(&mut answer, here, place, state, holder);
    answer.place_settings(here, place, settings::OF_RECORD);
    let lost = if state == words::State::NotTheLeaders { loss(here, place, offset) } else { None };
    answer.because = lost.or(batch.appended_by).or(place.image.changed_by);
    answer.link(place.name(), place.thing());
    answer
}

/// Whether it is committed. While nobody serves the partition, a replica that knows it is may tell, but none that
/// knows it is not.
fn committed(
    here: &Here<'_>,
    place: &Place<'_>,
    offset: Offset,
    state: words::State,
) -> Option<bool> {
    match state {
        words::State::Readable => Some(true),
        words::State::NotYet => Some(false),
        words::State::NotTheLeaders | words::State::NotNow => {
            let mut held =
                place.image.replicas.iter().filter_map(|id| here.held(*id, &place.which));
            held.any(|held| offset < held.high_watermark()).then_some(true)
        }
    }
}

/// The event by which a record that a producer was told of came to be missing in the leader's log.
fn loss(here: &Here<'_>, place: &Place<'_>, offset: Offset) -> Option<EventId> {
    let lost = here.newest_news(|event| {
        matches!(event, ClusterEvent::RecordsLost { partition, from, to, .. }
            if *partition == place.which && (*from..*to).contains(&offset))
    });
    lost.map(|event| event.id)
}

/// Key, value, headers, time.
fn content(answer: &mut Answer, batch: &RecordBatch, record: &Record) {
    let text = |bytes: Option<&[u8]>, nothing: &str| bytes.map_or(nothing.to_owned(), shown);
    answer.fact(labels::KEY, text(record.key.as_deref(), crate::words::no_key()));
    answer.fact(labels::VALUE, text(record.value.as_deref(), crate::words::no_value()));
    for header in record.headers.iter().take(NAMED) {
        let value = text(header.value.as_deref(), crate::words::no_value());
        answer.fact(words::header(&shown(&header.key)), value);
    }
    let at = batch.timestamp_of(record);
    let moment = SimTime::from_epoch_millis(at);
    let says = match at {
        NO_TIMESTAMP => labels::NO_TIMESTAMP.to_owned(),
        _ if moment.epoch_millis() == at => crate::words::moment(moment),
        _ => words::epoch_millis(at),
    };
    answer.fact(words::timestamp(batch.timestamp_type.name()), says);
}

/// What stands in the header of its batch.
fn of_batch(answer: &mut Answer, batch: &RecordBatch, offset: Offset) {
    let (base, next) = (batch.base_offset.0, batch.next_offset().0);
    answer.fact(labels::BATCH, words::batch(base, next, batch.count()));
    let size = i64::from(batch.size_in_bytes);
    answer.fact(labels::BATCH_SIZE, words::batch_size(size, batch.compression.name()));
    answer.number(labels::LEADER_EPOCH, batch.leader_epoch.0);
    let producer = batch.producer.map_or(labels::NOT_IDEMPOTENT.to_owned(), |stamp| {
        let delta = u32::try_from(offset.0 - base).unwrap_or(0);
        words::producer(stamp.producer_id, stamp.producer_epoch, stamp.sequence_at(delta))
    });
    answer.fact(labels::PRODUCER, producer);
    if let Some(origin) = batch.origin() {
        answer.fact(labels::ACKS, acks(origin.acks));
    }
}

/// Kafka's value of `acks`.
pub(super) fn acks(acks: Acks) -> &'static str {
    match acks {
        Acks::None => "0",
        Acks::Leader => "1",
        Acks::All => "all",
    }
}

/// On which replicas it is.
fn whereabouts(
    answer: &mut Answer,
    here: &Here<'_>,
    place: &Place<'_>,
    offset: Offset,
    batch: &RecordBatch,
) {
    for id in &place.image.replicas {
        let says = match here.held(*id, &place.which) {
            None => labels::NO_LOG.to_owned(),
            Some(held) => match find(held, offset) {
                Some((there, _)) if is_same(there, batch) => labels::HAS_IT.to_owned(),
                Some(_) => labels::HAS_ANOTHER.to_owned(),
                None => words::has_it_not(held.log().log_end_offset().0),
            },
        };
        answer.about(broker(id.0), says, place.replica(*id));
    }
}

fn is_same(one: &RecordBatch, other: &RecordBatch) -> bool {
    (one.base_offset, one.leader_epoch, one.appended_by)
        == (other.base_offset, other.leader_epoch, other.appended_by)
}

/// Which groups have committed past it, and which readers have read it.
fn who_has_read(answer: &mut Answer, here: &Here<'_>, place: &Place<'_>, offset: Offset) {
    let mut left = NAMED;
    for group in groups(here.moment) {
        let Some(committed) = group.entry.offsets.get(&place.which) else { continue };
        if left == 0 {
            return;
        }
        left -= 1;
        let at = committed.committed.offset.0;
        let name = group.id.to_string();
        let label = words::group(&name);
        answer.about(label, words::committed_past(at, at > offset.0), Thing::Group(name));
    }
    for reader in &here.moment.readers {
        let Some((_, next)) = reader.positions.iter().find(|(which, _)| *which == place.which)
        else {
            continue;
        };
        if left == 0 {
            return;
        }
        left -= 1;
        let (label, thing) = (words::reader(&reader.name), Thing::Reader(reader.name.clone()));
        answer.about(label, words::has_read(next.0, *next > offset), thing);
    }
}

fn explain(
    answer: &mut Answer,
    here: &Here<'_>,
    place: &Place<'_>,
    state: words::State,
    holder: Option<BrokerId>,
) {
    match (state, place.leaders()) {
        (words::State::Readable, Some(held)) => {
            answer.say(says::readable(held.high_watermark().0));
        }
        (words::State::NotYet, _) => {
            answer.say_what_holds_the_tide(here, place, says::NOT_READABLE_YET);
        }
        (words::State::NotTheLeaders, Some(held)) => {
            let end = held.log().log_end_offset().0;
            let (holder, leader) = (holder.unwrap_or_default(), place.image.leader);
            let text = says::not_the_leaders(holder, leader.unwrap_or_default(), end);
            answer.say_of(text, place.replica(holder));
        }
        _ => answer.say_why_nobody_serves(here, place),
    }
}

/// The slot after the last record.
fn of_next(here: &Here<'_>, place: &Place<'_>, offset: Offset) -> Answer {
    let mut answer = Answer::new(words::next_title(&place.name(), offset.0));
    answer.about(labels::PARTITION, place.name(), place.thing());
    answer.number(labels::OFFSET, offset.0);
    if let Some(leader) = place.image.leader {
        answer.about(labels::LEADER, broker(leader.0), Thing::Broker(leader.0));
        if away(here, place).is_none() {
            answer.say(says::next_record(leader, offset.0));
        }
        let others = place.image.replicas.iter().filter(|id| **id != leader);
        for id in others {
            if here.held(*id, &place.which).is_some_and(|held| find(held, offset).is_some()) {
                answer.say_of(says::has_one_there(*id, leader), place.replica(*id));
            }
        }
    }
    answer.number(labels::LEADER_EPOCH, place.image.leader_epoch.0);
    answer.say_why_nobody_serves(here, place);
    answer.say_what_is_refused(place);
    answer.place_settings(here, place, settings::OF_RECORD);
    let last = place.leaders().and_then(|held| {
        let before = Offset(offset.0.saturating_sub(1));
        held.log().read(before, offset, u64::MAX).next()?.appended_by
    });
    answer.because = last.or(place.image.changed_by);
    answer.link(place.name(), place.thing());
    answer
}
