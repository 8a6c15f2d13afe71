//! Which id does a producer get? A broker gives them out from blocks that it was given by the controller
//! (Kafka's `RPCProducerIdManager`).

use crate::broker::Broker;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::MessageId;
use crate::log::record_batch::ProducerIdAndEpoch;
use crate::net::internal::{InternalRequest, ProducerIdsBlock};
use crate::net::message::{Message, Response};
use crate::scope::Lab;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// The blocks of a broker.
#[derive(Clone, Debug, Default)]
pub(super) struct ProducerIdManager {
    current: Option<ProducerIdsBlock>,
    /// The next id of the current block.
    next_id: i64,
    next: Option<ProducerIdsBlock>,
    in_flight: Option<MessageId>,
}

impl ProducerIdManager {
    /// The next id, and whether it is time for another block: when nine of ten ids are gone, and when all
    /// are.
    fn claim(&mut self) -> (Option<i64>, bool) {
        let is_used_up =
            self.current.is_none_or(|block| self.next_id >= block.first.saturating_add(block.size));
        if is_used_up {
            let Some(block) = self.next.take() else { return (None, true) };
            self.current = Some(block);
            self.next_id = block.first;
        }
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        let prefetches =
            self.current.is_some_and(|block| id == block.first.saturating_add(block.size * 9 / 10));
        (Some(id), prefetches)
    }
}

impl Broker {
    /// A producer wants an id. Until the controller has given this broker some, it must ask again.
    pub(super) fn handle_init_producer_id(&mut self, message: &Message, out: &mut Outbox) {
        let (id, wants_more) = self.replication.producer_ids.claim();
        if wants_more {
            self.maybe_request_next_block(out);
        }
        let result = id
            .map(|producer_id| ProducerIdAndEpoch { producer_id, producer_epoch: 0 })
            .ok_or_else(|| {
                let text = "Producer ID block is full. Waiting for next block";
                KafkaError::new(ErrorCode::CoordinatorLoadInProgress, text)
            });
        out.respond(message, Response::InitProducerId(Lab::new(result)));
    }

    fn maybe_request_next_block(&mut self, out: &mut Outbox) {
        let ids = &self.replication.producer_ids;
        if ids.in_flight.is_some() || ids.next.is_some() {
            return;
        }
        let (broker, epoch) = (self.id, self.life.epoch);
        let id = self.ask_controller(InternalRequest::AllocateProducerIds { broker, epoch }, out);
        self.replication.producer_ids.in_flight = Some(id);
        if !out.is_quiet() {
            out.timer(self.config().controller_socket_timeout, Timer::RequestTimeout(id));
        }
    }

    /// The controller has answered; after an error the next producer makes the broker ask again.
    pub(super) fn handle_allocated(
        &mut self,
        correlation: MessageId,
        result: &Result<ProducerIdsBlock, KafkaError>,
    ) {
        let ids = &mut self.replication.producer_ids;
        if ids.in_flight.take_if(|id| *id == correlation).is_some()
            && let Ok(block) = result
        {
            ids.next = Some(*block);
        }
    }

    /// The answer was lost: the next producer makes the broker ask again.
    pub(super) fn maybe_forget_allocation(&mut self, request: MessageId) {
        if self.replication.producer_ids.in_flight == Some(request) {
            self.replication.producer_ids.in_flight = None;
        }
    }

    /// The answer may be lost from now on.
    pub(super) fn watch_allocation(&self, out: &mut Outbox) {
        if let Some(id) = self.replication.producer_ids.in_flight {
            out.timer(self.config().controller_socket_timeout, Timer::RequestTimeout(id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Ids are given in order, across blocks, none twice; the next block is wanted in time.
    #[test]
    fn blocks() {
        let mut ids = ProducerIdManager::default();
        assert_eq!(ids.claim(), (None, true));
        ids.next = Some(ProducerIdsBlock { first: 5_000, size: 1_000 });
        let mut given = Vec::new();
        for _ in 0..1_000 {
            let (id, wants_more) = ids.claim();
            let id = id.expect("the block has a thousand");
            assert_eq!(wants_more, id == 5_900);
            given.push(id);
        }
        assert!(given.into_iter().eq(5_000..6_000));
        assert_eq!(ids.claim(), (None, true));
        ids.next = Some(ProducerIdsBlock { first: 9_000, size: 1_000 });
        assert_eq!(ids.claim(), (Some(9_000), false));
    }
}
