//! What a producer does while it waits: for memory, for leaders that cannot be reached, for news of its topics;
//! and with batches that are too large.

use super::*;
use crate::ids::{NodeId, Offset};
use crate::log::record_batch::{Compression, ProducerIdAndEpoch, Proposal};
use crate::net::message::Node;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

impl Bench {
    /// The same with settings of its own.
    pub(super) fn with(batch_size: u32, change: impl FnOnce(&mut Delivery)) -> Self {
        let mut bench = Self::new(ClientFamily::Java, 0, batch_size);
        let config = Rc::get_mut(&mut bench.producer.config).expect("nobody else has it");
        config.retries = 3;
        change(config.delivery.get_mut().expect("there is a cluster"));
        bench
    }

    /// Lets a record with this key be sent; what the producer wants then. The timers of a batch that is due at
    /// once have gone off.
    pub(super) fn put(&mut self, key: &str, value: usize) -> Outbox {
        let record = ProducerRecord {
            topic: TopicName::new("t"),
            partition: Some(PartitionId(0)),
            key: Some(Bytes::from(key.as_bytes())),
            value: Some(Bytes::from(vec![b'x'; value].as_slice())),
            headers: Vec::new(),
        };
        let mut out = self.outbox();
        self.producer.handle_command(&ClientCommand::Send(Rc::new(record)), &mut out);
        self.producer.handle_timer(&Timer::Linger, &mut out);
        out
    }

    pub(super) fn wake(&mut self, timer: Timer) -> Outbox {
        let mut out = self.outbox();
        self.producer.handle_timer(&timer, &mut out);
        out
    }

    /// The requests that wait for an answer, oldest first, each with its batches.
    pub(super) fn in_flight(&self) -> Vec<(MessageId, Vec<Proposal>)> {
        let requests = self.producer.in_flight.iter();
        let proposals =
            |sent: &InFlight| sent.batches.iter().map(|it| it.proposal.clone()).collect();
        requests.map(|(id, sent)| (*id, proposals(sent))).collect()
    }

    /// The broker answers the oldest request.
    fn answer(&mut self, result: Result<i64, ErrorCode>) -> Outbox {
        let (id, batches) = self.in_flight().into_iter().next().expect("something is in flight");
        let which = TopicPartition::new(&TopicName::new("t"), PartitionId(0));
        let result = result.map(Offset).map_err(KafkaError::plain);
        let answers = vec![(which, result); batches.len().min(1)];
        self.respond(id, Body::Response(Response::Produce(answers, Lab::default())))
    }

    pub(super) fn respond(&mut self, correlation: MessageId, body: Body) -> Outbox {
        let (from, to) = (NodeId::Broker(BrokerId(1)), NodeId::Broker(BrokerId(1)));
        let (sent, due, id) = (self.now, self.now, correlation);
        let message = Message { id, from, to, sent, due, cause: None, correlation, body };
        let mut out = self.outbox();
        self.producer.handle_message(&message, &mut out);
        out
    }

    pub(super) fn at(&mut self, millis: u64) {
        self.now = SimTime(millis * 1_000);
    }
}

/// The errors that records came to.
pub(super) fn errors(out: &Outbox) -> Vec<(ErrorCode, String)> {
    let failed = out.replies.iter().filter_map(|reply| match reply {
        ClientReply::Sent(Sent { result: Err(error), .. }) => {
            Some((error.code, error.message.clone()))
        }
        _ => None,
    });
    failed.collect()
}

pub(super) fn warnings(out: &Outbox) -> Vec<&str> {
    let logged = out.replies.iter().filter_map(|reply| match reply {
        ClientReply::Log(_, text) => Some(text.as_str()),
        _ => None,
    });
    logged.collect()
}

fn asked_about(out: &Outbox) -> Vec<String> {
    let asked = out.sendings.iter().filter_map(|sending| match &sending.body {
        Body::Request(Request::Metadata { topics: Some(topics), .. }) => Some(topics),
        _ => None,
    });
    asked.flatten().map(ToString::to_string).collect()
}

/// Two batches fill the memory. A third record waits, and those behind it; each has `max.block.ms` from the
/// moment at which the one before it was given up.
#[test]
fn memory_is_waited_for_in_turn() {
    let mut bench = Bench::with(1_000, |delivery| {
        delivery.buffer_memory = 2_500;
        delivery.max_block = SimDuration::from_millis(50);
    });
    for key in ["a", "b", "c", "d"] {
        let out = bench.put(key, 900);
        assert!(errors(&out).is_empty());
    }
    assert_eq!(bench.producer.blocked.len(), 2);
    let text = "Failed to allocate 1000 bytes within the configured max blocking time 50 ms. Total memory: \
                2500 bytes. Available memory: 500 bytes. Poolable size: 1000 bytes";
    for (millis, given_up) in [(49, 0), (50, 1), (99, 0), (100, 1)] {
        bench.at(millis);
        bench.producer.accumulator.watching = Some(bench.now);
        let out = bench.wake(Timer::InFlightExpiry);
        let expected = vec![(ErrorCode::BufferExhausted, text.to_owned()); given_up];
        assert_eq!(errors(&out), expected, "after {millis} ms");
    }
}

/// An answer makes room: the record that waited is sent then, with the time at which it was to be sent.
#[test]
fn an_answer_makes_room() {
    let mut bench = Bench::with(1_000, |delivery| delivery.buffer_memory = 1_500);
    bench.put("a", 900);
    bench.at(7);
    bench.put("b", 900);
    assert_eq!(bench.in_flight().len(), 1);
    bench.at(9);
    bench.answer(Ok(0));
    let sent = bench.in_flight();
    assert_eq!(sent.len(), 1);
    let record = &sent[0].1[0].records[0];
    assert_eq!(record.key.as_deref(), Some(&b"b"[..]));
    assert_eq!(record.timestamp, SimTime(7_000).epoch_millis());
    bench.answer(Ok(1));
    assert!(bench.in_flight().is_empty() && bench.producer.blocked.is_empty());
}

/// A batch that could never fit is refused at once; other clients have no such memory.
#[test]
fn a_batch_larger_than_the_memory() {
    let mut bench = Bench::with(16_384, |delivery| delivery.buffer_memory = 10_000);
    let text = "Attempt to allocate 16384 bytes, but there is a hard limit of 10000 on memory allocations.";
    let refused = vec![(ErrorCode::IllegalArgument, text.to_owned())];
    assert_eq!(errors(&bench.put("a", 1)), refused);
    let config = Rc::get_mut(&mut bench.producer.config).expect("nobody else has it");
    config.family = ClientFamily::Librdkafka;
    assert!(errors(&bench.put("a", 1)).is_empty());
}

/// Nobody takes the connection: what was to be sent can still grow, has no number, and is not tried again
/// before `reconnect.backoff.ms`, which grows.
#[test]
fn a_leader_that_cannot_be_reached() {
    let mut bench = Bench::with(16_384, |delivery| {
        delivery.enable_idempotence = true;
        delivery.reconnect_backoff = SimDuration::from_millis(100);
    });
    let id = ProducerIdAndEpoch { producer_id: 5, producer_epoch: 0 };
    bench.producer.accumulator.transactions.set_producer_id(id);
    bench.put("a", 1);
    let image =
        bench.producer.topics.get(&TopicName::new("t")).map(|topic| Rc::clone(&topic.image));
    let image = image.expect("it is known");
    for (refusal, least, most) in [(1_u64, 80, 120), (2, 160, 240), (3, 320, 480)] {
        let (request, batches) = bench.in_flight().into_iter().next().expect("it was sent");
        assert_eq!(batches[0].producer.map(|stamp| stamp.base_sequence), Some(0));
        let out = bench.respond(request, Body::Disconnect { refused: true });
        assert!(warnings(&out)[0].contains("could not be established"), "{refusal}");
        assert!(bench.in_flight().is_empty());
        assert_eq!(bench.producer.open.values().map(|open| open.records.len()).sum::<usize>(), 1);
        bench.producer.learn(&TopicName::new("t"), &image, bench.now);
        let until =
            bench.producer.accumulator.unreachable.get(&BrokerId(1)).map(|(_, until)| *until);
        let until = until.expect("it is left alone");
        let waits = (until.0 - bench.now.0) / 1_000;
        assert!((least..=most).contains(&waits), "{refusal}: {waits} ms");
        bench.now = SimTime(until.0 - 1);
        bench.wake(Timer::RetryBackoff);
        assert!(bench.in_flight().is_empty());
        bench.now = until;
        bench.wake(Timer::RetryBackoff);
    }
    bench.put("b", 1);
    assert_eq!(bench.in_flight().len(), 2, "what comes later goes its own way");
    bench.answer(Ok(0));
    assert!(bench.producer.accumulator.unreachable.is_empty());
}

/// Batches that are too large are sent in parts, in order and with the numbers of the whole; a part that is
/// still too large is halved; a record alone fails.
#[test]
fn too_large_batches_are_split() {
    let mut bench = Bench::with(16_384, |delivery| delivery.enable_idempotence = true);
    for key in ["a", "b", "c", "d"] {
        bench.producer.accumulator.transactions.not_before = SimTime(u64::MAX);
        bench.put(key, 100);
    }
    let id = ProducerIdAndEpoch { producer_id: 5, producer_epoch: 0 };
    bench.producer.accumulator.transactions.set_producer_id(id);
    bench.wake(Timer::RetryBackoff);
    let sizes = |bench: &Bench| -> Vec<(usize, i32)> {
        let sent = bench.in_flight().into_iter().flat_map(|(_, batches)| batches);
        sent.map(|it| (it.records.len(), it.producer.map_or(-1, |stamp| stamp.base_sequence)))
            .collect()
    };
    assert_eq!(sizes(&bench), [(4, 0)]);
    let out = bench.answer(Err(ErrorCode::MessageTooLarge));
    assert!(warnings(&out)[0].contains("splitting and retrying (3 attempts left)"));
    assert_eq!(sizes(&bench), [(4, 0)], "it fits into batch.size, so that it stays whole once");
    bench.answer(Err(ErrorCode::MessageTooLarge));
    let (first, all) = (sizes(&bench), bench.producer.accumulator.batches().count());
    assert_eq!(first[0].1, 0);
    assert!(first[0].0 < 4 && first.len() + all > 1, "{first:?}");
    let mut acknowledged = 0;
    for _ in 0..10 {
        let Some((records, sequence)) = sizes(&bench).first().copied() else { break };
        assert_eq!(sequence, acknowledged);
        bench.answer(Ok(i64::from(acknowledged)));
        acknowledged += i32::try_from(records).expect("few");
    }
    assert_eq!(acknowledged, 4);
    let mut bench = Bench::with(16_384, |_| {});
    bench.put("a", 100);
    let out = bench.answer(Err(ErrorCode::MessageTooLarge));
    assert_eq!(errors(&out)[0].0, ErrorCode::MessageTooLarge);
}

/// What is compressed says so, with its size; how well that went is expected of the next batch.
#[test]
fn batches_are_compressed() {
    let mut bench = Bench::with(16_384, |delivery| delivery.codec.compression = Compression::Gzip);
    bench.put("a", 3_000);
    let proposal = bench.in_flight()[0].1[0].clone();
    assert_eq!(proposal.compression, Compression::Gzip);
    assert!(proposal.compressed_size.is_some_and(|size| size < 200), "{proposal:?}");
    let ratio = bench.producer.accumulator.ratios.get(&TopicName::new("t")).map(|ratio| ratio.0);
    assert_eq!(ratio, Some(995_000));
}

/// It asks again about what it uses after `metadata.max.age.ms`, and no more about what it has not used for
/// `metadata.max.idle.ms`.
#[test]
fn topics_are_asked_about_anew() {
    let mut bench = Bench::with(16_384, |delivery| {
        delivery.metadata_max_age = SimDuration::from_millis(1_000);
        delivery.metadata_max_idle = SimDuration::from_millis(5_000);
    });
    let name = TopicName::new("t");
    let image = bench.producer.topics.get(&name).map(|topic| Rc::clone(&topic.image));
    let image = image.expect("it is known");
    bench.producer.accumulator.asks_fully = true;
    bench.at(1);
    bench.put("a", 1);
    bench.answer(Ok(0));
    bench.producer.note_refresh(bench.now);
    let mut asked = Vec::new();
    for second in 1..=9 {
        bench.at(second * 1_000 + 1);
        bench.producer.accumulator.watching = Some(bench.now);
        let out = bench.wake(Timer::InFlightExpiry);
        asked.push(asked_about(&out).len());
        if let Some((request, _)) = bench.producer.asked_with {
            let topics = Rc::new(vec![(name.clone(), Ok(Rc::clone(&image)))]);
            let brokers = vec![Node::new(BrokerId(1), 9_092)];
            bench.respond(request, Body::Response(Response::Metadata { brokers, topics }));
        }
    }
    assert_eq!(asked, [1, 1, 1, 1, 1, 0, 0, 0, 0]);
    assert!(!bench.producer.knows(&name));
    assert_eq!(asked_about(&bench.put("b", 1)), ["t"], "it is asked about when it is used again");
    assert_eq!(bench.producer.blocked.len(), 1);
}
