//! What each field of a thing is at a moment.

use std::borrow::Cow;

use highwater_core::broker::group_coordinator::{ClassicGroup, GroupEntry, Member};
use highwater_core::ids::{BrokerId, PartitionId, TopicName, TopicPartition};
use highwater_core::replication::partition::Partition;
use highwater_core::world::cluster_view::BrokerView;
use highwater_core::world::hazard::HazardCounts;
use highwater_core::world::snapshot::{ReaderView, TopicView};
use highwater_scene::replicas::{Health, health};
use highwater_scene::words::replicas as words;

use super::names::{Asked, Hazard};
use super::state::{State, members, place_of};
use super::value::{Held, Inner, Place, Stored, Thing, Value};

/// What is wrong with an argument: which one, what, what to do.
pub(super) type Wrong = (usize, String, String);

/// What a field is. What does not exist has `none` in its fields.
pub(super) fn ask<'a>(
    state: &State<'a>,
    thing: &Thing<'a>,
    asked: Asked,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Wrong> {
    if asked == Asked::Exists {
        return Ok(Value::Bool(exists(thing)));
    }
    Ok(match &thing.0 {
        Inner::Topic(name, view) => of_topic(name, *view, asked),
        Inner::Partition(place, held) => {
            let number = arguments.first().map_or(0, as_number);
            match asked {
                Asked::Replica => state.replica(place.clone(), number),
                Asked::Record => state.record(place.clone(), number),
                _ => of_partition(place, *held, asked),
            }
        }
        Inner::Replica(place, broker, held) => of_replica(state, (place, *broker), *held, asked),
        Inner::Record(place, offset, stored) => of_record(place, *offset, *stored, asked),
        Inner::Broker(id, view) => of_broker(*id, *view, asked),
        Inner::Group(name, found) => of_group(state, name, *found, asked, arguments)?,
        Inner::Member(member) => of_member(state, member, asked),
        Inner::Reader(_, view) => of_reader(*view, arguments)?,
        Inner::Hazards(counts) => match asked {
            Asked::Hazard(hazard) => Value::Number(count(counts, hazard)),
            _ => Value::None,
        },
    })
}

/// Whether there is one.
pub(super) fn exists(thing: &Thing<'_>) -> bool {
    match &thing.0 {
        Inner::Topic(_, view) => view.is_some(),
        Inner::Partition(_, held) => held.is_some(),
        Inner::Replica(_, _, held) => held.is_some(),
        Inner::Record(_, _, stored) => stored.is_some(),
        Inner::Broker(_, view) => view.is_some(),
        Inner::Group(_, found) => found.is_some(),
        Inner::Reader(_, view) => view.is_some(),
        Inner::Member(_) | Inner::Hazards(_) => true,
    }
}

fn as_number(value: &Value<'_>) -> i64 {
    match value.clone().plain() {
        Value::Number(number) => number,
        _ => 0,
    }
}

fn as_text(value: &Value<'_>) -> String {
    match value.clone().plain() {
        Value::Text(text) => text.into_owned(),
        other => other.to_string(),
    }
}

/// The partition that an argument names.
pub(super) fn place(arguments: &[Value<'_>], which: usize) -> Result<Place<'static>, Wrong> {
    let name = arguments.get(which).map(as_text).unwrap_or_default();
    place_of(&name).ok_or_else(|| {
        let what = format!("\"{name}\" names no partition");
        (which, what, format!("write topic and number, as Kafka does: \"{name}-0\""))
    })
}

fn partition_in(arguments: &[Value<'_>]) -> Result<TopicPartition, Wrong> {
    let place = place(arguments, 0)?;
    Ok(TopicPartition::new(&TopicName::new(&place.topic), PartitionId(place.number)))
}

fn of_topic<'a>(name: &Cow<'a, str>, view: Option<&'a TopicView>, asked: Asked) -> Value<'a> {
    if asked == Asked::Name {
        return Value::Text(name.clone());
    }
    let Some(view) = view else { return Value::None };
    let mut items = Vec::new();
    for (partition, image) in view.partitions.iter().zip(&view.image.partitions) {
        let topic = Cow::Borrowed(view.name.as_str());
        let place = Place { topic, number: partition.id.0 };
        let held = Held { view: partition, image };
        match asked {
            Asked::Records => items.extend(State::records(&place, partition.replica.as_deref())),
            _ => items.push(Value::Thing(Thing(Inner::Partition(place, Some(held))))),
        }
    }
    Value::List(items)
}

fn of_partition<'a>(place: &Place<'a>, held: Option<Held<'a>>, asked: Asked) -> Value<'a> {
    match asked {
        Asked::Name => return Value::Text(Cow::Owned(place.to_string())),
        Asked::Id => return Value::Number(place.number.into()),
        _ => {}
    }
    let Some(Held { view, image }) = held else { return Value::None };
    let replica = view.replica.as_deref();
    match asked {
        Asked::Leader => Value::number(image.leader.map(|leader| leader.0)),
        Asked::Replicas => numbers(&image.replicas),
        Asked::Isr => numbers(&image.isr),
        Asked::Epoch => Value::Number(image.leader_epoch.0.into()),
        _ => of_log(place, replica, asked),
    }
}

fn numbers<'a>(brokers: &[BrokerId]) -> Value<'a> {
    Value::List(brokers.iter().map(|id| Value::Number(id.0.into())).collect())
}

fn of_log<'a>(place: &Place<'a>, replica: Option<&'a Partition>, asked: Asked) -> Value<'a> {
    let Some(held) = replica else { return Value::None };
    match asked {
        Asked::Start => Value::Number(held.log().log_start_offset().0),
        Asked::Hw => Value::Number(held.high_watermark().0),
        Asked::End => Value::Number(held.log().log_end_offset().0),
        Asked::Epoch => Value::Number(held.leader_epoch().0.into()),
        Asked::Records => Value::List(State::records(place, replica)),
        _ => Value::None,
    }
}

fn of_replica<'a>(
    state: &State<'a>,
    (place, broker): (&Place<'a>, i64),
    held: Option<&'a Partition>,
    asked: Asked,
) -> Value<'a> {
    match asked {
        Asked::Lag => {}
        // A broker that is down knows no high watermark.
        Asked::Hw if state.is_down(broker) => return Value::None,
        _ => return of_log(place, held, asked),
    }
    let leader = state.held(place).and_then(|held| held.view.replica.as_deref());
    match (leader, held) {
        (Some(leader), Some(held)) => {
            let (leads, has) = (leader.log().log_end_offset(), held.log().log_end_offset());
            Value::Number(leads.0.saturating_sub(has.0).max(0))
        }
        _ => Value::None,
    }
}

fn of_record<'a>(
    place: &Place<'a>,
    offset: i64,
    stored: Option<Stored<'a>>,
    asked: Asked,
) -> Value<'a> {
    match (asked, stored) {
        (Asked::Offset, _) => Value::Number(offset),
        (Asked::Partition, _) => Value::Text(Cow::Owned(place.to_string())),
        // What is not there cannot be read.
        (Asked::Readable, None) => Value::Bool(false),
        (Asked::Readable, Some(stored)) => Value::Bool(stored.readable),
        (Asked::Key, Some(stored)) => Value::bytes(stored.record.key.as_deref()),
        (Asked::Value, Some(stored)) => Value::bytes(stored.record.value.as_deref()),
        (Asked::Timestamp, Some(stored)) => Value::Number(stored.timestamp),
        _ => Value::None,
    }
}

fn of_broker<'a>(id: i64, view: Option<&'a BrokerView>, asked: Asked) -> Value<'a> {
    if asked == Asked::Id {
        return Value::Number(id);
    }
    let Some(view) = view else { return Value::None };
    let health = health(view);
    match asked {
        Asked::Up => Value::Bool(health == Health::Up),
        _ if health == Health::Up => Value::text("up"),
        _ => Value::text(words::health(health)),
    }
}

fn of_group<'a>(
    state: &State<'a>,
    name: &Cow<'a, str>,
    found: Option<(BrokerId, &'a GroupEntry)>,
    asked: Asked,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Wrong> {
    if asked == Asked::Name {
        return Ok(Value::Text(name.clone()));
    }
    let wanted = if arguments.is_empty() { None } else { Some(partition_in(arguments)?) };
    let Some((coordinator, entry)) = found else { return Ok(Value::None) };
    if let Some(which) = wanted {
        return Ok(of_group_and(state, entry, &which, asked));
    }
    let group = entry.group.classic();
    Ok(match asked {
        // A group that only has offsets is empty.
        Asked::State => Value::text(group.map_or("Empty", |group| group.state().name())),
        Asked::Generation => Value::number(group.map(ClassicGroup::generation)),
        Asked::Coordinator => Value::Number(coordinator.0.into()),
        Asked::Members => {
            let things =
                members(entry).into_iter().map(|it| Value::Thing(Thing(Inner::Member(it))));
            Value::List(things.collect())
        }
        _ => lag(state, entry),
    })
}

/// What a group has to do with a partition.
fn of_group_and<'a>(
    state: &State<'a>,
    entry: &'a GroupEntry,
    which: &TopicPartition,
    asked: Asked,
) -> Value<'a> {
    let committed = entry.offsets.get(which).map(|offset| offset.committed.offset);
    match asked {
        Asked::Committed => Value::number(committed.map(|offset| offset.0)),
        Asked::Owner => {
            let owns = |member: &&&Member| member.partitions().contains(which);
            let owner = members(entry).into_iter().find(|member| owns(&member));
            owner.map_or(Value::None, |member| Value::text(&member.client_id))
        }
        _ => match (state.high_watermark(which), committed) {
            (Some(end), Some(at)) => Value::Number((end.0 - at.0).max(0)),
            _ => Value::None,
        },
    }
}

/// How many records a group has not committed yet; not known while it has a partition without any commit.
fn lag<'a>(state: &State<'a>, entry: &'a GroupEntry) -> Value<'a> {
    let mut owned = members(entry).into_iter().flat_map(Member::partitions);
    if entry.offsets.iter().next().is_none()
        || owned.any(|which| entry.offsets.get(&which).is_none())
    {
        return Value::None;
    }
    let behind = entry.offsets.iter().filter_map(|(which, offset)| {
        let end = state.high_watermark(which)?;
        Some((end.0 - offset.committed.offset.0).max(0))
    });
    Value::Number(behind.sum())
}

fn of_member<'a>(state: &State<'a>, member: &'a Member, asked: Asked) -> Value<'a> {
    match asked {
        Asked::Name => Value::text(&member.client_id),
        Asked::Id => Value::text(&member.id.0),
        _ => {
            let mut assigned = member.partitions();
            assigned.sort();
            let thing = |which: &TopicPartition| {
                let topic = Cow::Owned(which.topic.as_str().to_owned());
                state.partition(Place { topic, number: which.partition.0 })
            };
            Value::List(assigned.iter().map(thing).collect())
        }
    }
}

fn of_reader<'a>(
    view: Option<&'a ReaderView>,
    arguments: &[Value<'a>],
) -> Result<Value<'a>, Wrong> {
    let which = partition_in(arguments)?;
    let positions = view.map_or(&[][..], |view| &view.positions);
    let found = positions.iter().find(|(partition, _)| *partition == which);
    Ok(Value::number(found.map(|(_, at)| at.0)))
}

fn count(counts: &HazardCounts, hazard: Hazard) -> i64 {
    let number = match hazard {
        Hazard::Lost => {
            counts.acknowledged_records_lost
                + counts.overtaken_records_lost
                + counts.unanswered_records_lost
                + counts.committed_records_lost
        }
        Hazard::LostAcknowledged => counts.acknowledged_records_lost,
        Hazard::LostOvertaken => counts.overtaken_records_lost,
        Hazard::LostUnanswered => counts.unanswered_records_lost,
        Hazard::LostCommitted => counts.committed_records_lost,
        Hazard::Duplicated => counts.duplicate_records,
        Hazard::Reordered => counts.reordered_records,
        Hazard::Redelivered => counts.records_redelivered,
        Hazard::Skipped => counts.records_skipped,
        Hazard::TooLate => counts.records_worked_too_late,
    };
    i64::try_from(number).unwrap_or(i64::MAX)
}
