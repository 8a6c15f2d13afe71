//! While a slow disk writes what the groups of a partition have come to, all else that concerns them waits:
//! a coordinator does one thing after the other for each partition (`CoordinatorRuntime`).

use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::group_coordinator::context::{Write, respond};
use crate::broker::group_coordinator::member::Asker;
use crate::broker::group_coordinator::service::refusal;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{GroupId, MessageId, NodeId, PartitionId};
use crate::net::group::GroupRequest;
use crate::world::outbox::Outbox;

/// Something that waits.
#[derive(Clone, Debug)]
pub(super) enum HeldBack {
    /// A request.
    Request(Asker, Rc<GroupRequest>),
    /// Its part of a request to delete groups.
    Deletion(MessageId, Rc<[GroupId]>),
    /// A deadline of the group with this number.
    Deadline(u32),
    /// A look for what nobody uses.
    Expiration,
}

impl Write {
    /// Whether it takes the disk.
    pub(in crate::broker) fn has_records(&self) -> bool {
        !self.records.is_empty()
    }

    /// The request that waits for it.
    pub(in crate::broker) fn asker(&self) -> Option<(NodeId, MessageId)> {
        let asker = self.then.asker()?;
        Some((asker.from, asker.correlation))
    }
}

impl Broker {
    /// Whether something must wait for the disk; then it is kept until that is done.
    pub(super) fn hold_back(
        &mut self,
        partition: PartitionId,
        what: impl FnOnce() -> HeldBack,
    ) -> bool {
        let waits = self.is_writing_groups(partition);
        if waits {
            self.replication.groups.held_back.push((partition, what()));
        }
        waits
    }

    /// The disk has written what groups of that partition have come to.
    pub(in crate::broker) fn finish_group_writes(
        &mut self,
        partition: PartitionId,
        writes: Vec<Write>,
        out: &mut Outbox,
    ) {
        self.append_writes(partition, writes, out);
        let held = &mut self.replication.groups.held_back;
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(held).into_iter().partition(|(which, _)| *which == partition);
        *held = later;
        for (_, what) in now {
            match what {
                HeldBack::Request(asker, request) => self.handle_asked(asker, &request, out),
                HeldBack::Deletion(request, ids) => {
                    self.delete_groups_of(partition, request, &ids, out);
                    self.settle_deletion(request, &[], Ok(()), out);
                }
                HeldBack::Deadline(number) => self.handle_group_deadline(partition, number, out),
                HeldBack::Expiration => self.handle_offsets_expiration(partition, out),
            }
        }
    }

    /// The broker leads that partition no more: what waits is refused.
    pub(super) fn refuse_held_back(&mut self, partition: PartitionId, out: &mut Outbox) {
        let held = &mut self.replication.groups.held_back;
        let (gone, others): (Vec<_>, Vec<_>) =
            std::mem::take(held).into_iter().partition(|(which, _)| *which == partition);
        *held = others;
        for (_, what) in gone {
            match what {
                HeldBack::Request(asker, request) => {
                    respond(asker, refusal(&request, ErrorCode::NotCoordinator), out);
                }
                HeldBack::Deletion(request, ids) => {
                    let error = KafkaError::plain(ErrorCode::NotCoordinator);
                    for id in ids.iter() {
                        if self.group_partition(id) == partition {
                            self.settle_deletion(
                                request,
                                std::slice::from_ref(id),
                                Err(&error),
                                out,
                            );
                        }
                    }
                }
                HeldBack::Deadline(_) | HeldBack::Expiration => {}
            }
        }
    }
}
