//! Which ids may a broker give to producers? Blocks of them, none twice (Kafka's
//! `ProducerIdControlManager`).

use crate::controller::alter_partition::check_broker;
use crate::controller::quorum_controller::QuorumController;
use crate::controller::records::MetadataRecord;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerEpoch, BrokerId};
use crate::net::internal::ProducerIdsBlock;
use crate::world::outbox::Outbox;

/// How many ids a broker is given at once (`ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE`).
const BLOCK_SIZE: i64 = 1_000;

impl QuorumController {
    /// Gives a broker the next block.
    pub(super) fn handle_allocate_producer_ids(
        &mut self,
        broker: BrokerId,
        epoch: BrokerEpoch,
        out: &mut Outbox,
    ) -> Result<ProducerIdsBlock, KafkaError> {
        check_broker(&self.image, broker, epoch)?;
        let first = self.image.next_producer_id;
        let next = first.checked_add(BLOCK_SIZE);
        let next_producer_id = next.ok_or_else(|| KafkaError::plain(ErrorCode::NotModelled))?;
        let record = MetadataRecord::ProducerIds { broker, epoch, next_producer_id };
        self.append(vec![record], out);
        Ok(ProducerIdsBlock { first, size: BLOCK_SIZE })
    }
}
