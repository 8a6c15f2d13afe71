//! When a producer changes its partition, and when it sends.

mod leaders;
mod reconnect;
mod waiting;

use super::*;
use crate::client::partitioner::KeylessState;
use crate::controller::records::{PartitionImage, TopicImage};
use crate::ids::{BrokerId, EventId, TopicId};
use crate::net::message::Request;
use crate::scope::Lab;
use crate::world::outbox::Setting;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A producer that knows the topic `t`, and what it wanted at each moment.
struct Bench {
    producer: Producer,
    now: SimTime,
    /// The number of the next message.
    next: u64,
}

impl Bench {
    fn new(family: ClientFamily, linger_ms: u64, batch_size: u32) -> Self {
        let config = ProducerConfig {
            family,
            client_id: "test".to_owned(),
            acks: Acks::All,
            linger_ms,
            batch_size,
            retries: 0,
            delivery: Lab::new(Delivery {
                enable_idempotence: false,
                max_in_flight: 1_000,
                ..Delivery::of(family)
            }),
        };
        let leader = BrokerId(1);
        let partition = Rc::new(PartitionImage::new(vec![leader], |_| true, None));
        let image = Rc::new(TopicImage {
            id: TopicId(1),
            partitions: vec![partition; 64],
            configs: Vec::new(),
            created_by: None,
        });
        let connection = Connection::new("localhost:9092", vec![leader]);
        let mut producer = Producer::new(config, connection, (3, 1), Mutation::None);
        let keyless = KeylessState::default();
        let topic = Topic { image, keyless, stale: false, is_gone: false, used: SimTime(0) };
        producer.topics.insert(TopicName::new("t"), topic);
        Self { producer, now: SimTime(0), next: 1 }
    }

    fn outbox(&mut self) -> Outbox {
        let first = MessageId(self.next);
        self.next += 100;
        let (now, network_delay) = (self.now, SimDuration(500));
        let setting = Setting { now, step: 0, network_delay, is_quiet: true };
        Outbox::new(setting, None, EventId(1), first)
    }

    /// Sends a record of so many bytes; its partition, and the counts of the batches that left.
    fn send(&mut self, value: usize) -> (i32, Vec<usize>) {
        let record = ProducerRecord {
            topic: TopicName::new("t"),
            partition: None,
            key: None,
            value: Some(Bytes::from(vec![b'x'; value].as_slice())),
            headers: Vec::new(),
        };
        let mut out = self.outbox();
        self.producer.handle_command(&ClientCommand::Send(Rc::new(record)), &mut out);
        let mut partitions = out.events.iter().filter_map(|event| match &event.kind {
            EventKind::RecordPartitioned { partition, .. } => Some(partition.partition.0),
            _ => None,
        });
        (partitions.next().expect("the topic is known"), sent(&out))
    }

    /// How many records in a row went to one partition, over so many records.
    fn blocks(&mut self, records: usize, value: usize, apart_us: u64) -> Vec<usize> {
        let mut blocks: Vec<(i32, usize)> = Vec::new();
        for _ in 0..records {
            let (partition, _) = self.send(value);
            match blocks.last_mut() {
                Some((last, count)) if *last == partition => *count += 1,
                _ => blocks.push((partition, 1)),
            }
            self.now = SimTime(self.now.0 + apart_us);
        }
        blocks.into_iter().map(|(_, count)| count).collect()
    }
}

/// The counts of the batches in the requests of an outbox.
fn sent(out: &Outbox) -> Vec<usize> {
    let mut counts = Vec::new();
    for sending in &out.sendings {
        if let Body::Request(Request::Produce { batches, .. }) = &sending.body {
            counts.extend(batches.iter().map(|(_, proposal)| proposal.records.len()));
        }
    }
    counts
}

/// Measured with Kafka's own client: 1000-byte values at linger 500 ms go in blocks of 32, two
/// batches of 16.
#[test]
fn java_blocks_of_32() {
    let mut bench = Bench::new(ClientFamily::Java, 500, 16_384);
    assert_eq!(bench.blocks(97, 1_000, 0), [32, 32, 32, 1]);
}

/// Half the `batch.size` is half the block; a few small records stay together.
#[test]
fn java_counts_batch_size() {
    let mut bench = Bench::new(ClientFamily::Java, 500, 8_192);
    assert_eq!(bench.blocks(33, 1_000, 0), [16, 16, 1]);
    let mut bench = Bench::new(ClientFamily::Java, 1_000, 16_384);
    assert_eq!(bench.blocks(20, 10, 0), [20]);
}

/// A batch that has been sent does not keep the producer: it moves after one `batch.size`.
#[test]
fn java_moves_once_sent() {
    let mut bench = Bench::new(ClientFamily::Java, 0, 16_384);
    let mut blocks = Vec::new();
    let mut last = None;
    for _ in 0..40 {
        let (partition, _) = bench.send(1_000);
        let mut out = bench.outbox();
        bench.producer.handle_timer(&Timer::Linger, &mut out);
        assert_eq!(sent(&out), [1]);
        match blocks.last_mut() {
            Some(count) if last == Some(partition) => *count += 1,
            _ => blocks.push(1),
        }
        last = Some(partition);
    }
    // 61 + 1009 bytes each: the sixteenth makes it more than 16384.
    assert_eq!(blocks, [16, 16, 8]);
}

/// librdkafka stays until more than 10 ms are over, whatever the bytes; kafka-go takes turns.
#[test]
fn other_families() {
    let mut bench = Bench::new(ClientFamily::Librdkafka, 5, 1_000_000);
    assert_eq!(bench.blocks(25, 1_000, 1_000), [11, 11, 3]);
    let mut bench = Bench::new(ClientFamily::KafkaGo, 5, 1_000_000);
    let partitions: Vec<i32> = (0..66).map(|_| bench.send(1).0).collect();
    assert_eq!(partitions, (0..64).chain(0..2).collect::<Vec<i32>>());
}

/// A batch leaves when its linger is over, not before; a full one at once, also one that a single
/// record fills to the last byte.
#[test]
fn linger_and_full_batches() {
    let mut bench = Bench::new(ClientFamily::Java, 500, 16_384);
    for record in 1..=16 {
        assert_eq!(bench.send(1_000).1, [0_usize; 0], "record {record}");
    }
    assert_eq!(bench.send(1_000).1, [16]);
    bench.now = SimTime(499_999);
    let mut out = bench.outbox();
    bench.producer.handle_timer(&Timer::Linger, &mut out);
    assert_eq!(sent(&out), [0_usize; 0]);
    bench.now = SimTime(500_000);
    let mut out = bench.outbox();
    bench.producer.handle_timer(&Timer::Linger, &mut out);
    assert_eq!(sent(&out), [1]);

    // 61 + 9 + 1000 bytes.
    let mut bench = Bench::new(ClientFamily::Java, 500, 1_088);
    assert_eq!(bench.send(1_000).1, [0_usize; 0]);
    assert_eq!(bench.send(11).1, [2]);
}

/// With acks=0 a record counts as sent when it leaves; otherwise when it is answered.
#[test]
fn acks() {
    for (acks, replies) in [(Acks::None, 1), (Acks::Leader, 0), (Acks::All, 0)] {
        let mut bench = Bench::new(ClientFamily::Java, 0, 16_384);
        let config = Rc::get_mut(&mut bench.producer.config).expect("nobody else has it");
        config.acks = acks;
        bench.send(1);
        let mut out = bench.outbox();
        bench.producer.handle_timer(&Timer::Linger, &mut out);
        assert_eq!(sent(&out), [1]);
        assert_eq!(out.replies.len(), replies, "{acks:?}");
        let mut out = bench.outbox();
        bench.producer.handle_command(&ClientCommand::Close, &mut out);
        let closed = out.replies.iter().any(|reply| matches!(reply, ClientReply::Closed));
        assert_eq!(closed, acks == Acks::None, "{acks:?}");
    }
}

/// What lingers for the same leader goes along with what is due.
#[test]
fn lingering_batches_go_along() {
    let mut bench = Bench::new(ClientFamily::KafkaGo, 5, 16_384);
    assert_eq!(bench.send(1).1, [0_usize; 0]);
    bench.now = SimTime(4_999);
    assert_eq!(bench.send(1).1, [0_usize; 0]);
    bench.now = SimTime(5_000);
    let mut out = bench.outbox();
    bench.producer.handle_timer(&Timer::Linger, &mut out);
    assert_eq!(sent(&out), [1, 1]);
    assert!(bench.producer.open.is_empty());
}
