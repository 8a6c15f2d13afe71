//! Records that were sent with acks=0 and never get into a log: the network loses them, nobody listens, the
//! broker ends before it has written them, or it refuses them. Their producer does not hear of it.

use crate::error::ErrorCode;
use crate::ids::{BrokerId, EventId, MessageId, TopicPartition};
use crate::net::message::{Acks, Body, Request};
use crate::world::cluster_event::ClusterEvent;
use crate::world::process::Process;
use crate::world::world::World;

/// Why records that were sent with acks=0 are in no log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unanswered {
    /// The network lost this message.
    Dropped(MessageId),
    /// The process of this broker did not run, or did not listen yet.
    NobodyListened(BrokerId),
    /// The process of this broker ended before it had written them.
    EndedBefore(BrokerId),
    /// This broker refused them, for that reason.
    Refused(BrokerId, ErrorCode),
}

impl<P: Process> World<P> {
    /// A message is lost for good. If it brings records that nobody will send again, they are lost.
    pub(in crate::world) fn note_unanswered(
        &mut self,
        body: &Body,
        why: Unanswered,
        cause: Option<EventId>,
    ) {
        let Body::Request(Request::Produce { acks: Acks::None, batches, .. }) = body else {
            return;
        };
        for (which, proposal) in batches.iter() {
            let count = u32::try_from(proposal.records.len()).unwrap_or(u32::MAX);
            let event = self.count_unanswered(which, count, why);
            self.emit(cause, event);
        }
    }

    pub(super) fn count_unanswered(
        &mut self,
        which: &TopicPartition,
        count: u32,
        why: Unanswered,
    ) -> ClusterEvent {
        self.hazards.counts.unanswered_records_lost += u64::from(count);
        ClusterEvent::UnansweredLost { partition: which.clone(), count, why }
    }
}
