//! A broker that leads no more names the one that does (KIP-951), and what follows of it for batches that wait to
//! be tried again.

use super::waiting::{errors, warnings};
use super::*;
use crate::ids::{LeaderEpoch, NodeId, Offset};
use crate::net::message::{CurrentLeaders, Node};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const HERE: BrokerId = BrokerId(1);
const THERE: BrokerId = BrokerId(2);

fn tp() -> TopicPartition {
    TopicPartition::new(&TopicName::new("t"), PartitionId(0))
}

/// The brokers that get a produce request, and how often it asks about topics.
fn sent_to(out: &Outbox) -> (Vec<BrokerId>, usize) {
    let (mut brokers, mut questions) = (Vec::new(), 0);
    for sending in &out.sendings {
        match (&sending.body, sending.to) {
            (Body::Request(Request::Produce { .. }), NodeId::Broker(to)) => brokers.push(to),
            (Body::Request(Request::Metadata { .. }), _) => questions += 1,
            _ => {}
        }
    }
    (brokers, questions)
}

impl Bench {
    /// The oldest request is refused: the broker does not lead, and says what it knows.
    fn refuse(&mut self, leaders: Option<CurrentLeaders>) -> Outbox {
        let id = self.producer.in_flight.keys().next().copied().expect("something is in flight");
        let error = KafkaError::plain(ErrorCode::NotLeaderOrFollower);
        let leaders = leaders.map_or_else(Lab::default, Lab::new);
        self.respond(id, Body::Response(Response::Produce(vec![(tp(), Err(error))], leaders)))
    }

    /// The cluster says who leads, in which epoch.
    fn tell(&mut self, leader: BrokerId, epoch: i32) -> Outbox {
        let mut partition = PartitionImage::new(vec![leader], |_| true, None);
        partition.leader_epoch = LeaderEpoch(epoch);
        let partition = Rc::new(partition);
        let image = Rc::new(TopicImage {
            id: TopicId(1),
            partitions: vec![partition; 64],
            configs: Vec::new(),
            created_by: None,
        });
        let topics = Rc::new(vec![(TopicName::new("t"), Ok(image))]);
        let brokers = vec![Node::new(HERE, 9_092), Node::new(THERE, 9_093)];
        self.respond(MessageId(9_999), Body::Response(Response::Metadata { brokers, topics }))
    }
}

/// The batch goes to the leader that was named, at once, however long the pause; the topic is asked about too.
#[test]
fn the_named_leader_gets_the_batch_at_once() {
    let mut bench = Bench::with(16_384, |delivery| {
        delivery.retry_backoff = SimDuration::from_millis(900);
    });
    let out = bench.put("k", 10);
    assert_eq!(sent_to(&out), (vec![HERE], 0));
    let out = bench.refuse(Some(vec![(tp(), THERE, LeaderEpoch(7))]));
    assert_eq!(sent_to(&out), (vec![THERE], 1));
    assert_eq!(warnings(&out).len(), 2, "it says what happened, as without a hint");
    // Whoever answers with older news is not believed.
    let out = bench.tell(HERE, 6);
    assert_eq!(sent_to(&out), (Vec::new(), 0));
    assert_eq!(bench.producer.leader(&tp()), Some(THERE));
    let out = bench.tell(HERE, 8);
    assert_eq!(sent_to(&out), (Vec::new(), 0));
    assert_eq!(bench.producer.leader(&tp()), Some(HERE));
}

/// Without a name, or with one that is no news, it asks; a leader of another epoch gets the batch at once, the
/// old one after the pause.
#[test]
fn without_a_name_it_asks() {
    for leaders in [None, Some(vec![(tp(), THERE, LeaderEpoch(0))])] {
        let mut bench = Bench::with(16_384, |delivery| {
            delivery.retry_backoff = SimDuration::from_millis(900);
        });
        bench.put("k", 10);
        let out = bench.refuse(leaders.clone());
        assert_eq!(sent_to(&out), (Vec::new(), 1));
        let out = bench.tell(HERE, 0);
        assert_eq!(sent_to(&out), (Vec::new(), 0), "nothing has changed");
        bench.at(1_100);
        let out = bench.wake(Timer::RetryBackoff);
        assert_eq!(sent_to(&out), (vec![HERE], 0));
        bench.refuse(leaders);
        let out = bench.tell(THERE, 1);
        assert_eq!(sent_to(&out), (vec![THERE], 0), "another leader: no pause");
        let (id, _) = bench.in_flight().into_iter().next().expect("it was sent");
        let done = Response::Produce(vec![(tp(), Ok(Offset(0)))], Lab::default());
        bench.respond(id, Body::Response(done));
        assert!(bench.in_flight().is_empty());
    }
}

/// A record that names a partition which is not there waits for it as for a topic; it asks again and again.
#[test]
fn a_partition_that_is_not_there() {
    let record = |partition| {
        Rc::new(ProducerRecord {
            topic: TopicName::new("t"),
            partition: Some(PartitionId(partition)),
            key: None,
            value: None,
            headers: Vec::new(),
        })
    };
    let mut bench = Bench::with(16_384, |delivery| {
        delivery.max_block = SimDuration::from_millis(1_000);
    });
    let mut out = bench.outbox();
    bench.producer.handle_command(&ClientCommand::Send(record(64)), &mut out);
    assert_eq!(sent_to(&out), (Vec::new(), 1));
    let out = bench.tell(HERE, 0);
    assert_eq!(sent_to(&out), (Vec::new(), 0), "not at once again");
    bench.at(100);
    let out = bench.wake(Timer::MetadataBackoff);
    assert_eq!(sent_to(&out), (Vec::new(), 1));
    bench.at(1_000);
    let out = bench.wake(Timer::InFlightExpiry);
    let text =
        "Partition 64 of topic t with partition count 64 is not present in metadata after 1000 ms.";
    assert_eq!(errors(&out), [(ErrorCode::Timeout, text.to_owned())]);
}

/// What was said last of a topic is the cause of the error with which its records are given up.
#[test]
fn the_cause_of_a_topic_that_is_missing() {
    let mut bench = Bench::with(16_384, |delivery| {
        delivery.max_block = SimDuration::from_millis(1_000);
    });
    bench.producer.topics = SortedMap::new();
    bench.put("k", 10);
    let error = KafkaError::plain(ErrorCode::UnknownTopicOrPartition);
    let topics = Rc::new(vec![(TopicName::new("t"), Err(error))]);
    let brokers = vec![Node::new(HERE, 9_092)];
    bench.respond(MessageId(9_999), Body::Response(Response::Metadata { brokers, topics }));
    bench.at(1_000);
    let out = bench.wake(Timer::InFlightExpiry);
    let causes: Vec<Option<ErrorCode>> = out
        .replies
        .iter()
        .filter_map(|reply| match reply {
            ClientReply::Sent(sent) => Some(*sent.cause.known()),
            _ => None,
        })
        .collect();
    assert_eq!(causes, [Some(ErrorCode::UnknownTopicOrPartition)]);
}
