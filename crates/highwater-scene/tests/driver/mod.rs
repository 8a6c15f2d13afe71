//! The smallest thing that can drive a world: a process that understands three kinds of lines.
//!
//!     create TOPIC PARTITIONS
//!     send FAMILY TOPIC KEY=VALUE KEY=VALUE ...      (`-` for no key; PARTITION!KEY=VALUE)
//!     read READER TOPIC PARTITION MOST

#![allow(clippy::unwrap_used, dead_code, reason = "a test's own helper; not every test uses all")]

use std::rc::Rc;

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::client::{ClientCommand, ClientReply, StartAt};
use highwater_core::ids::{
    Bytes, ClientId, EventId, PartitionId, TerminalId, TopicName, TopicPartition,
};
use highwater_core::net::admin::{AdminRequest, CreatableTopic};
use highwater_core::net::message::{Acks, ProducerRecord};
use highwater_core::scope::Lab;
use highwater_core::time::SimDuration;
use highwater_core::world::event::Event;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::process::{ClientSpec, Fd, Process, ProcessInput, ProcessOutbox};
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::timeline::Timeline;

const BOOTSTRAP: &str = "localhost:9092";

/// The process.
#[derive(Clone, Debug)]
pub(crate) struct Driver;

impl Process for Driver {
    fn name(&self) -> &str {
        "driver"
    }

    fn handle(&mut self, input: &ProcessInput, out: &mut ProcessOutbox<'_, Self>) {
        match input {
            ProcessInput::Read(_, line) if !line.is_empty() => {
                act(&String::from_utf8(line.clone()).unwrap(), out);
            }
            ProcessInput::Started { .. } => out.read(Fd::Stdin),
            ProcessInput::Reply(
                _,
                ClientReply::Answer(_) | ClientReply::Closed | ClientReply::Records(..),
            ) => out.read(Fd::Stdin),
            ProcessInput::Reply(_, ClientReply::ReadFailed(_, error)) => panic!("{error:?}"),
            _ => {}
        }
    }
}

fn act(line: &str, out: &mut ProcessOutbox<'_, Driver>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["create", topic, partitions] => {
            let admin = out.open(ClientSpec::Admin {
                bootstrap: BOOTSTRAP.to_owned(),
                client_id: "driver".to_owned(),
            });
            let topic = CreatableTopic {
                name: TopicName::new(topic),
                partitions: Some(partitions.parse().unwrap()),
                replication_factor: Some(1),
                assignment: Vec::new(),
                configs: Vec::new(),
            };
            let request = AdminRequest::CreateTopic(topic);
            out.command(admin, ClientCommand::Ask(request.into()));
        }
        ["send", family, topic, ref records @ ..] => {
            let producer = out.open(ClientSpec::Producer {
                bootstrap: BOOTSTRAP.to_owned(),
                config: ProducerConfig {
                    family: ClientFamily::from_name(family).unwrap(),
                    client_id: "driver".to_owned(),
                    acks: Acks::All,
                    linger_ms: 5,
                    batch_size: 16_384,
                    retries: 0,
                    delivery: Lab::new(Delivery {
                        enable_idempotence: false,
                        ..Delivery::of(ClientFamily::from_name(family).unwrap())
                    }),
                },
            });
            send(topic, records, producer, out);
        }
        ["read", reader, topic, partition, most] => {
            let reader = out.open(ClientSpec::Reader { name: reader.to_owned() });
            let id = PartitionId(partition.parse().unwrap());
            let place = TopicPartition::new(&TopicName::new(topic), id);
            out.command(reader, ClientCommand::Assign(place.clone(), StartAt::Earliest));
            out.command(reader, ClientCommand::Poll(place, most.parse().unwrap()));
        }
        _ => out.read(Fd::Stdin),
    }
}

fn send(topic: &str, records: &[&str], producer: ClientId, out: &mut ProcessOutbox<'_, Driver>) {
    for record in records {
        let (partition, record) = match record.split_once('!') {
            Some((partition, record)) => (Some(PartitionId(partition.parse().unwrap())), record),
            None => (None, *record),
        };
        let (key, value) = record.split_once('=').unwrap();
        let bytes = |text: &str| Bytes::from(text.as_bytes());
        let record = ProducerRecord {
            topic: TopicName::new(topic),
            partition,
            key: (key != "-").then(|| bytes(key)),
            value: Some(bytes(value)),
            headers: Vec::new(),
        };
        out.command(producer, ClientCommand::Send(record.into()));
    }
    out.command(producer, ClientCommand::Close);
}

/// A world with one terminal.
pub(crate) struct Run {
    /// Its past.
    pub(crate) timeline: Timeline<Driver>,
    terminal: TerminalId,
}

impl Run {
    /// A fresh cluster.
    pub(crate) fn new() -> Self {
        let (timeline, terminal) = Timeline::begin(ClusterOptions::default(), || Driver).unwrap();
        Self { timeline, terminal }
    }

    /// Enters a line and lets it happen; returns what came of it.
    pub(crate) fn line(&mut self, line: &str) -> Vec<Rc<Event>> {
        let limit = SimDuration::from_millis(60_000);
        self.timeline.input(self.terminal, InputKind::Line(line.to_owned()), limit).unwrap();
        let stop = self.timeline.stops().last().unwrap();
        let (first, last): (EventId, EventId) = (stop.input, stop.last_event);
        self.timeline.events_between(first, last).cloned().collect()
    }

    /// The present.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.timeline.snapshot()
    }
}

/// The six records of lesson 1's opening.
pub(crate) const SIX: [&str; 6] = [
    "locker-7=PARCEL_DROPPED",
    "locker-2=PARCEL_DROPPED",
    "locker-7=CODE_SENT",
    "locker-9=PARCEL_DROPPED",
    "locker-7=PARCEL_COLLECTED",
    "locker-2=DOOR_JAMMED",
];

/// The puzzle as this family places it, record by record.
pub(crate) fn puzzle(family: &str) -> Run {
    let mut run = Run::new();
    run.line("create parcel-events 3");
    for record in SIX {
        run.line(&["send ", family, " parcel-events ", record].concat());
    }
    run
}
