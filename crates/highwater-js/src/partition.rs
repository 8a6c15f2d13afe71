//! Which partition does a key go to, by which client?

use highwater_core::client::partitioner::catalogue::{Client, Partitioner};
use highwater_core::client::partitioner::{ClientFamily, Why};
use highwater_core::error::ErrorCode;
use highwater_scene::arithmetic::steps;

use crate::failure::Failure;
use crate::value::{Value, wrong};
use crate::wire::{ClientInfo, PartitionChoice};

/// Where a key goes.
pub(crate) fn partition(
    key: &Value,
    partitions: &Value,
    client: &str,
) -> Result<PartitionChoice, Failure> {
    let key: Option<&[u8]> = match key {
        Value::Missing => None,
        Value::Text(text) => Some(text.as_bytes()),
        Value::Bytes(bytes) => Some(bytes),
        other => return Err(wrong("key", other, "a text, a Uint8Array or null")),
    };
    let count = count(partitions)?;
    let found = Client::from_name(client).map_err(|why| {
        Failure::own(short_lines(&why), "`clients()` has all of them, with what they do.")
    })?;
    let name = name_of(client, &found);
    let Some((hashing, hashed)) = found.rule.hashed(key) else {
        let about = about(&name);
        return Ok(PartitionChoice {
            client: name,
            partition: None,
            function: None,
            hash: None,
            steps: about.into_iter().collect(),
        });
    };
    let choice = hashing.choose(hashed, count);
    let (function, hash) = match choice.why {
        Why::Hashed { function, hash, .. } => (Some(function.name().to_owned()), Some(hash)),
        _ => (None, None),
    };
    Ok(PartitionChoice {
        client: name,
        partition: Some(choice.partition.0),
        function,
        hash,
        steps: steps(key, &choice).into_iter().map(|step| step.text).collect(),
    })
}

/// How many partitions.
fn count(partitions: &Value) -> Result<u32, Failure> {
    let most = i128::from(i32::MAX);
    let number = partitions.whole().filter(|number| (1..=most).contains(number));
    number.and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
        let message = format!("partitions: this is {}", partitions.kind());
        let remedy = format!("Give a whole number from 1 to {most}.");
        Failure::kafka(ErrorCode::InvalidPartitions, message, remedy)
    })
}

/// A message that quotes what was given, which may be long or strange.
fn short_lines(message: &str) -> String {
    const MOST: usize = 400;
    message.chars().take(MOST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The client's name with its partitioner.
fn name_of(given: &str, client: &Client) -> String {
    if given.contains(':') {
        return given.to_owned();
    }
    format!("{}:{}", client.family.name(), client.family.partitioners()[0].name)
}

/// What a partitioner does, by its name.
fn about(name: &str) -> Option<String> {
    let name = name.split('=').next()?;
    clients().into_iter().find(|known| known.name == name).map(|known| known.about)
}

/// All clients with all their partitioners.
pub(crate) fn clients() -> Vec<ClientInfo> {
    let of_family = |family: &ClientFamily| {
        let family = *family;
        let all = family.partitioners().iter().enumerate();
        all.map(move |(nth, partitioner)| info(family, nth == 0, partitioner))
    };
    ClientFamily::ALL.iter().flat_map(of_family).collect()
}

fn info(family: ClientFamily, is_default: bool, partitioner: &Partitioner) -> ClientInfo {
    ClientInfo {
        name: format!("{}:{}", family.name(), partitioner.name),
        family: family.name().to_owned(),
        partitioner: partitioner.name.to_owned(),
        spelled: partitioner.spelled.to_owned(),
        about: partitioner.about.to_owned(),
        is_default,
        hashes: partitioner.rule.keys.map(|(hashing, _)| hashing.function.name().to_owned()),
    }
}
