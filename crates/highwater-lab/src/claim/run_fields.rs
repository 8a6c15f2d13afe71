//! What is asked of the run itself: `topic("orders")`, `output`, `partition_of(...)`.

use std::borrow::Cow;

use highwater_core::broker::configs::Settings;
use highwater_core::client::partitioner::catalogue::Client;
use highwater_core::client::partitioner::{Choice, ClientFamily, Why};
use highwater_core::controller::config_control::entry;
use highwater_core::controller::{broker_config, topic_config};
use highwater_core::ids::BrokerId;
use highwater_core::number;

use super::error::{choose, nearest};
use super::fields::{Wrong, place};
use super::names::Asked;
use super::state::State;
use super::value::{Inner, Thing, Value};

/// What it is.
pub(super) fn ask<'a>(
    state: &State<'a>,
    asked: Asked,
    arguments: Vec<Value<'a>>,
) -> Result<Value<'a>, Wrong> {
    let text = |which: usize| match arguments.get(which).cloned().map(Value::plain) {
        Some(Value::Text(text)) => text,
        _ => Cow::Borrowed(""),
    };
    let number = |which: usize| match arguments.get(which).cloned().map(Value::plain) {
        Some(Value::Number(number)) => number,
        _ => 0,
    };
    Ok(match asked {
        Asked::Topic => state.topic(text(0)),
        Asked::Topics => state.topics(),
        Asked::Partition => state.partition(place(&arguments, 0)?),
        Asked::Replica => state.replica(place(&arguments, 0)?, number(1)),
        Asked::Record => state.record(place(&arguments, 0)?, number(1)),
        Asked::Broker => state.broker(number(0)),
        Asked::Brokers => state.brokers(),
        Asked::Group => state.group(text(0)),
        Asked::Groups => state.groups(),
        Asked::Reader => state.reader(text(0)),
        Asked::Readers => state.readers(),
        Asked::Hazards => {
            let counts = state.cluster().map(|cluster| cluster.hazards).unwrap_or_default();
            Value::Thing(Thing(Inner::Hazards(counts)))
        }
        Asked::Output => Value::Text(Cow::Owned(state.output())),
        Asked::Lines => lines(&state.output()),
        Asked::Exit => Value::number(state.exit()),
        Asked::Time => seconds(state),
        Asked::Setting => setting(state, [text(0), text(1), text(2)])?,
        Asked::PartitionOf => partition_of(&text(0), number(1), &text(2))?,
        Asked::HashOf => hash_of(&text(0), &text(1))?,
        Asked::Number => Value::number(number::signed(&text(0))),
        _ => of_values(asked, arguments),
    })
}

fn seconds<'a>(state: &State<'a>) -> Value<'a> {
    Value::Number(i64::try_from(state.snapshot.now.0 / 1_000_000).unwrap_or(i64::MAX))
}

fn lines<'a>(output: &str) -> Value<'a> {
    let lines = output.split('\n').map(|line| Value::Text(Cow::Owned(line.to_owned())));
    Value::List(if output.is_empty() { Vec::new() } else { lines.collect() })
}

/// What is asked of a list or a text.
fn of_values(asked: Asked, mut arguments: Vec<Value<'_>>) -> Value<'_> {
    let Some(value) = arguments.pop() else { return Value::None };
    match (asked, value.plain()) {
        (Asked::Length, Value::Text(text)) => length(text.chars().count()),
        (Asked::Length, Value::List(items)) => length(items.len()),
        (Asked::InOrder, Value::List(items)) => Value::Bool(in_order(&items)),
        (Asked::Unique, Value::List(items)) => {
            let mut kept: Vec<Value<'_>> = Vec::new();
            for item in items {
                if !kept.iter().any(|known| known.is(&item)) {
                    kept.push(item);
                }
            }
            Value::List(kept)
        }
        _ => Value::None,
    }
}

/// Whether no item is less than the one before it.
pub(super) fn in_order(items: &[Value<'_>]) -> bool {
    items.windows(2).all(|pair| match pair {
        [Value::Number(one), Value::Number(next)] => one <= next,
        [Value::Text(one), Value::Text(next)] => one <= next,
        [one @ Value::Thing(_), next @ Value::Thing(_)] => {
            in_order(&[one.clone().plain(), next.clone().plain()])
        }
        _ => false,
    })
}

fn length<'a>(count: usize) -> Value<'a> {
    Value::Number(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The partition that a client gives to a key; `none`: the key does not count there.
fn partition_of<'a>(key: &str, partitions: i64, client: &str) -> Result<Value<'a>, Wrong> {
    let Some(partitions) = u32::try_from(partitions).ok().filter(|count| *count > 0) else {
        let what = format!("there are no {partitions} partitions");
        return Err((1, what, "write a number from 1 on".to_owned()));
    };
    let choice = choice(key, partitions, (2, client))?;
    Ok(Value::number(choice.map(|choice| choice.partition.0)))
}

/// The number that a client divides by the number of partitions; `none`: the key does not count there.
fn hash_of<'a>(key: &str, client: &str) -> Result<Value<'a>, Wrong> {
    Ok(Value::number(choice(key, 1, (1, client))?.and_then(|choice| match choice.why {
        Why::Hashed { dividend, .. } => Some(dividend),
        _ => None,
    })))
}

/// How a client chooses; it is the argument of that number.
fn choice(key: &str, partitions: u32, client: (usize, &str)) -> Result<Option<Choice>, Wrong> {
    let (place, client) = client;
    let client = Client::from_name(client).map_err(|why| {
        let families: Vec<&str> = ClientFamily::ALL.iter().map(|family| family.name()).collect();
        let near = nearest(client, families.iter().copied());
        let remedy = near.map_or_else(
            || "write it as `hw produce --client` takes it".to_owned(),
            |near| format!("did you mean \"{near}\"?"),
        );
        (place, why, remedy)
    })?;
    let hashed = client.rule.hashed(Some(key.as_bytes()));
    Ok(hashed.map(|(hashing, bytes)| hashing.choose(bytes, partitions)))
}

/// A setting of a topic or a broker, named as for kafka-configs.sh.
fn setting<'a>(
    state: &State<'a>,
    [kind, name, key]: [Cow<'a, str>; 3],
) -> Result<Value<'a>, Wrong> {
    let unknown = |known: Vec<&str>| {
        let near = nearest(&key, known);
        let remedy = near.map_or_else(
            || "kafka-configs.sh lists them".to_owned(),
            |near| format!("did you mean \"{near}\"?"),
        );
        (2, format!("{kind} have no setting \"{key}\""), remedy)
    };
    let Some(cluster) = state.cluster() else { return Ok(Value::None) };
    let value = match &*kind {
        "topics" => {
            if !topic_config::names().any(|known| known == key) {
                return Err(unknown(topic_config::names().collect()));
            }
            let first = cluster.brokers.first();
            let settings = first.and_then(|first| cluster.settings_of(first.id));
            state.snapshot.topic(&name).map(|topic| {
                let own = entry(&topic.image.configs, &key);
                settings.unwrap_or_else(Settings::of_kafka).of_topic(&key, own)
            })
        }
        "brokers" => {
            if !broker_config::is_known(&key) {
                return Err(unknown(broker_config::names().collect()));
            }
            let id = number::int(&name).map(BrokerId);
            let settings = id.and_then(|id| cluster.settings_of(id));
            settings.map(|settings| settings.of_broker(&key))
        }
        other => {
            let remedy = choose(other, &["topics", "brokers"]);
            return Err((0, format!("there are no settings of \"{other}\""), remedy));
        }
    };
    let value = value.map(|entry| entry.value).filter(|value| value != broker_config::NO_VALUE);
    Ok(value.map_or(Value::None, |value| Value::Text(Cow::Owned(value))))
}
