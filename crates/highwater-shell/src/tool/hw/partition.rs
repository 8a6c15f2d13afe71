//! `hw partition`: which clients there are, and how one of them gives a key its partition, step by step.

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::partitioner::catalogue::{Client, Partitioner};
use highwater_core::client::partitioner::rule::{Keyless, Turns};
use highwater_core::client::partitioner::steps::Step;
use highwater_core::number;
use highwater_core::world::process::Fd;

use super::{PARTITION_FORMS, value};
use crate::process::Out;
use crate::tool::options::Options;
use crate::tool::{Ended, refuse};

const OPTIONS: &str = "\
    client <name[:partitioner]>\t\n\
    partitions <number>\t";

/// The most partitions that are divided by.
const MOST: i32 = 1_000_000;

/// Reads the arguments and prints.
pub(super) fn explain(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    match answer(arguments) {
        Ok(text) => {
            out.write(Fd::Stdout, text);
            Ended(0)
        }
        Err(why) => {
            let usages: Vec<&str> = PARTITION_FORMS.iter().map(|(form, _)| *form).collect();
            let usages = number::join(&usages, "\n       ");
            refuse(format_args!("hw partition: {why}\nusage: {usages}"), 2, out)
        }
    }
}

fn answer(arguments: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    // Keys are bytes, not words: they are cut off before options are read, at the latest by `--`.
    let mut rest = arguments;
    let mut options = Vec::new();
    while let [first, tail @ ..] = rest
        && first.starts_with(b"--")
    {
        if first == b"--" {
            rest = tail;
            break;
        }
        let takes_next = !first.contains(&b'=') && !tail.is_empty();
        let (taken, left) = rest.split_at(1 + usize::from(takes_next));
        options.extend_from_slice(taken);
        rest = left;
    }
    let options = Options::parse(&options, OPTIONS).map_err(|problem| problem.text)?;
    if let Some(name) = options.twice() {
        return Err(format!("--{name} may be given once"));
    }
    let name = value(&options, "client");
    if !options.has("partitions") {
        return match (rest.first(), name) {
            (None, None) => Ok(list(ClientFamily::ALL).into_bytes()),
            (None, Some(name)) => Ok(list(&[Client::from_name(name)?.family]).into_bytes()),
            (Some(_), _) => Err("--partitions is missing".to_owned()),
        };
    }
    let Some(name) = name else { return Err("--client is missing".to_owned()) };
    let partitions = match options.number("partitions") {
        Ok(Some(count)) if (1..=MOST).contains(&count) => count.unsigned_abs(),
        _ => return Err(format!("--partitions takes a number from 1 to {MOST}")),
    };
    let client = Client::from_name(name)?;
    let mut text = Vec::new();
    if rest.is_empty() {
        tell(&client, None, partitions, &mut text);
    }
    for key in rest {
        tell(&client, Some(key), partitions, &mut text);
    }
    Ok(text)
}

/// The clients with their partitioners.
fn list(families: &[ClientFamily]) -> String {
    let mut text = String::new();
    for family in families {
        text.push_str(&format!("{}\n", family.name()));
        for Partitioner { name, spelled, about, .. } in family.partitioners() {
            text.push_str(&format!("  {name} ({spelled})\n      {about}\n"));
        }
    }
    text
}

/// The way of one key, a line for each step.
fn tell(client: &Client, key: Option<&[u8]>, partitions: u32, text: &mut Vec<u8>) {
    match key {
        None => text.extend(b"no key\n"),
        Some(key) => {
            text.push(b'"');
            text.extend(key);
            text.extend(b"\"\n");
        }
    }
    let Some((hashing, bytes)) = client.rule.hashed(key) else {
        if key.is_some() {
            text.extend(b"  this key does not count\n");
        }
        text.extend(format!("  {}\n", otherwise(client, key.is_some())).into_bytes());
        return;
    };
    for step in hashing.choose(bytes, partitions).steps(Some(bytes)) {
        text.extend(format!("  {}\n", line(step, bytes)).into_bytes());
    }
}

fn line(step: Step, key: &[u8]) -> String {
    match step {
        Step::Bytes(1) => format!("1 byte: {}", hex(key)),
        Step::Bytes(0) => "0 bytes".to_owned(),
        Step::Bytes(count) => format!("{count} bytes: {}", hex(key)),
        Step::Hash(function, value) => format!("{} = {value}", function.name()),
        Step::Masked(left) => format!("& 0x7fffffff = {left}"),
        Step::Negated(left) => format!("without its sign = {left}"),
        Step::Remainder { partitions, rest } => format!("mod {partitions} = {rest}"),
        // A key that is hashed has no other reason.
        Step::Reason(_) => String::new(),
        Step::Partition(partition) => format!("partition {partition}"),
    }
}

/// At most 32 bytes, in hexadecimal.
fn hex(key: &[u8]) -> String {
    const SHOWN: usize = 32;
    let shown: Vec<String> = key.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    let more = if key.len() > SHOWN { " ..." } else { "" };
    format!("{}{more}", shown.join(" "))
}

/// What the client does with a record that no key places.
fn otherwise(client: &Client, has_key: bool) -> String {
    match client.rule.keyless {
        Keyless::BuiltIn(_) => {
            "stays with one partition for batch.size bytes, then draws the next".to_owned()
        }
        Keyless::StickyByTime(linger)
            if linger.0 > 0 && !(has_key && client.rule.keys.is_none()) =>
        {
            format!("stays with one partition for {} ms, then draws the next", linger.0 / 1_000)
        }
        Keyless::StickyByTime(_) | Keyless::Random(_) => {
            "drawn at random for each record".to_owned()
        }
        Keyless::StickyByBatch(_) => {
            "stays with one partition until a new batch begins, then draws another".to_owned()
        }
        Keyless::UniformBytes { bytes, .. } => {
            format!("stays with one partition for {bytes} bytes, then draws the next")
        }
        Keyless::LeastBackup => {
            "the partition for which the fewest records wait, until a new batch begins".to_owned()
        }
        Keyless::LeastBytes => "the partition that has been given the fewest bytes".to_owned(),
        Keyless::Turns(Turns::Chunks(1)) => "each partition in turn, from 0 on".to_owned(),
        Keyless::Turns(Turns::Chunks(count)) => {
            format!("each partition in turn, from 0 on, {count} records at a time")
        }
        Keyless::Turns(Turns::Wrapping) => {
            "each partition with a leader in turn, from the first on".to_owned()
        }
        Keyless::Turns(Turns::FromRandom) => {
            "each partition with a leader in turn, from a random one on".to_owned()
        }
        Keyless::Turns(Turns::Listed) => {
            "each partition with a leader in turn, in the order of a HashMap".to_owned()
        }
        Keyless::Field => "the partition that the record names; 0 if it names none".to_owned(),
    }
}
