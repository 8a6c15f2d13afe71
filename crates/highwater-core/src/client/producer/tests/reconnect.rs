//! A broker that answers too late gets nothing more before it has said that it is there.

use super::*;
use crate::ids::Offset;
use crate::net::message::{Node, Response};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What is sent: whether that is a produce request or a question whether the broker is there.
fn asked(out: &Outbox) -> Vec<(MessageId, &'static str)> {
    let names = out.sendings.iter().map(|sending| (sending.id, sending.body.api_name()));
    names.filter(|(_, name)| *name != "Metadata").collect()
}

/// The metadata says that nothing has changed.
fn nothing_new(bench: &mut Bench) -> Outbox {
    let topic = bench.producer.topics.get(&TopicName::new("t")).expect("it is known");
    let topics = Rc::new(vec![(TopicName::new("t"), Ok(Rc::clone(&topic.image)))]);
    let brokers = vec![Node::new(BrokerId(1), 9_092)];
    bench.respond(MessageId(9_999), Body::Response(Response::Metadata { brokers, topics }))
}

/// The batch waits without a further try until the broker is there, and what comes after it too.
#[test]
fn no_second_copy_to_a_broker_that_hangs() {
    let mut bench = Bench::with(16_384, |delivery| {
        delivery.request_timeout = SimDuration::from_millis(1_500);
    });
    bench.put("k", 10);
    bench.at(2_600);
    let out = bench.wake(Timer::RetryBackoff);
    assert!(asked(&out).is_empty());
    nothing_new(&mut bench);
    bench.at(2_800);
    let out = bench.wake(Timer::RetryBackoff);
    let [(first, "ApiVersions")] = asked(&out)[..] else { panic!("{:?}", asked(&out)) };
    // It hangs on: another connection, and what comes now waits too.
    bench.at(5_500);
    let out = bench.wake(Timer::RetryBackoff);
    let [(second, "ApiVersions")] = asked(&out)[..] else { panic!("{:?}", asked(&out)) };
    assert!(asked(&bench.put("l", 10)).is_empty());
    // An answer on a connection that was given up is none.
    let out = bench.respond(first, Body::Response(Response::ApiVersions));
    assert!(asked(&out).is_empty());
    let out = bench.respond(second, Body::Response(Response::ApiVersions));
    let sent = asked(&out);
    assert_eq!(sent.iter().map(|(_, name)| *name).collect::<Vec<_>>(), ["Produce", "Produce"]);
    assert_eq!(bench.in_flight().len(), 2);
    let which = TopicPartition::new(&TopicName::new("t"), PartitionId(0));
    for (id, _) in sent {
        let answer = Response::Produce(vec![(which.clone(), Ok(Offset(0)))], Lab::default());
        bench.respond(id, Body::Response(answer));
    }
    assert!(bench.in_flight().is_empty());
}

/// A broker that is dead by then is one that cannot be reached, as any other.
#[test]
fn a_connection_that_is_refused() {
    let mut bench = Bench::with(16_384, |delivery| {
        delivery.request_timeout = SimDuration::from_millis(1_500);
    });
    bench.put("k", 10);
    bench.at(2_600);
    bench.wake(Timer::RetryBackoff);
    nothing_new(&mut bench);
    bench.at(2_800);
    let out = bench.wake(Timer::RetryBackoff);
    let [(first, _)] = asked(&out)[..] else { panic!("{:?}", asked(&out)) };
    let out = bench.respond(first, Body::Disconnect { refused: true });
    assert_eq!(asked(&out).len(), 1, "it is tried, and will be refused");
}
