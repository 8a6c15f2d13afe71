//! Fetch sessions of a consumer: what it says in its fetches, and what follows from the answers.

use std::rc::Rc;

use super::super::*;
use super::bench::{Bench, forgotten, group_config, in_session, tp};
use crate::error::ErrorCode;
use crate::log::record_batch::{Proposal, RecordBatch, measure};
use crate::net::message::{FetchRequest, Fetched, Request, Response, SessionId};
use crate::scope::Always;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn manual() -> ConsumerConfig {
    ConsumerConfig { enable_auto_commit: false, max_poll_records: 2, ..group_config() }
}

fn fetch(bench: &mut Bench) -> (MessageId, Rc<FetchRequest>) {
    let (id, Request::Fetch(fetch)) = bench.take("Fetch") else { panic!() };
    (id, fetch)
}

fn session(fetch: &FetchRequest) -> (u32, i32) {
    let session = fetch.details.known().session;
    (session.session.0, session.epoch)
}

/// So many records from an offset on.
fn found(base: i64, count: i64) -> Fetched {
    let record = |_| Record { key: None, value: None, timestamp: 0, headers: Vec::new() };
    let proposal = Proposal::from((0..count).map(record).collect::<Rc<[Record]>>());
    let (measured, epoch) = (measure(&proposal.records), LeaderEpoch(0));
    let batch = RecordBatch::of_proposal(&proposal, &measured, Offset(base), epoch, None, None);
    let high_watermark = Offset(base + count);
    let last_stable_offset = Always::new(high_watermark);
    Fetched { batches: vec![Rc::new(batch)], high_watermark, last_stable_offset }
}

/// A fetch names what has changed since the last one. While something of a leader waits to be handed out, nothing
/// is fetched from it, so that it stays in the session.
#[test]
fn a_session_goes_on() {
    let mut bench = Bench::member(manual());
    let (id, first) = fetch(&mut bench);
    assert_eq!((session(&first), first.partitions.len()), ((0, 0), 2));
    bench.answer(id, in_session(3, vec![(tp(0), Ok(found(0, 3)))]));
    assert!(bench.find("Fetch").is_none(), "one record of three is left");
    bench.poll();
    let (id, second) = fetch(&mut bench);
    assert_eq!((session(&second), &second.partitions), ((3, 1), &vec![(tp(0), Offset(3))]));
    bench.poll();
    bench.answer(id, in_session(3, Vec::new()));
    let (_, third) = fetch(&mut bench);
    assert_eq!((session(&third), &third.partitions), ((3, 2), &vec![]));
    assert_eq!(forgotten(&third), vec![]);
}

/// A broker that does not know the session any more, or another fetch of it: all is named again at once. After a
/// broken connection the old session is named as well, so that it can go.
#[test]
fn a_session_that_is_lost() {
    let errors = [
        (Some(ErrorCode::FetchSessionIdNotFound), (0, 0)),
        (Some(ErrorCode::InvalidFetchSessionEpoch), (3, 0)),
        (None, (3, 0)),
    ];
    for (error, next) in errors {
        let mut bench = Bench::member(manual());
        let (id, _) = fetch(&mut bench);
        bench.answer(id, in_session(3, Vec::new()));
        let (id, second) = fetch(&mut bench);
        assert_eq!((session(&second), &second.partitions), ((3, 1), &vec![]));
        match error {
            Some(error) => {
                let answer = Always::new(Err::<SessionId, _>(error));
                bench.answer(id, Response::Fetch(Vec::new(), Lab::default(), answer));
            }
            None => {
                bench.arrive(id, Body::Disconnect { refused: false });
                bench.pass(200);
                bench.tell_metadata();
                bench.tell_coordinator();
            }
        }
        let (_, again) = fetch(&mut bench);
        assert_eq!((session(&again), again.partitions.len()), (next, 2), "{error:?}");
    }
}
