//! What the parts of a coordinator work with: the outbox, the settings, and the writes that they ask for.

use std::rc::Rc;

use crate::broker::group_coordinator::config::GroupConfig;
use crate::broker::group_coordinator::member::{Asker, Assignment, Member};
use crate::broker::group_coordinator::records::GroupRecord;
use crate::draw::{Purpose, draw, who};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{GroupId, MemberId, MessageId};
use crate::net::group::{GroupResponse, JoinGroupAnswer};
use crate::net::message::Response;
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::time::SimTime;
use crate::world::cluster_event::ClusterEvent;
use crate::world::group_event::GroupEvent;
use crate::world::outbox::Outbox;

/// Records to be appended, and what follows once they are committed.
#[derive(Clone, Debug)]
pub(in crate::broker) struct Write {
    pub(super) records: Vec<GroupRecord>,
    pub(super) then: Then,
}

/// What follows once a write is committed, or has failed.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// Nothing does.
    Nothing,
    /// A new group stays. After a failure, whoever made it with this request hears of that.
    GroupMade(GroupId, Asker),
    /// This is answered; after a failure, an error.
    Answer(Asker, GroupResponse),
    /// The parts of a generation are given out.
    Assign {
        group: GroupId,
        generation: i32,
        /// In the order of the leader's request.
        parts: Vec<(MemberId, Assignment)>,
    },
    /// A static member that came back hears that nothing has changed; after a failure the one before it
    /// is the member again.
    Replaced { group: GroupId, replaced: Rc<Replaced> },
    /// These groups are gone, for a request about groups of several partitions.
    Deleted { request: MessageId, groups: Vec<GroupId> },
}

impl Then {
    /// The request that it answers. Those of members are with their members.
    pub(super) fn asker(&self) -> Option<Asker> {
        match self {
            Self::Answer(asker, _) => Some(*asker),
            _ => None,
        }
    }
}

/// A static member that took the place of another.
#[derive(Clone, Debug)]
pub(super) struct Replaced {
    /// As it was.
    pub(super) old: Member,
    /// Its id now.
    pub(super) new: MemberId,
}

/// Makes ids of members. Each group has its own row of draws.
#[derive(Debug)]
pub(super) struct Names<'a> {
    pub(super) seed: u64,
    /// The broker and the run of its process.
    pub(super) run: u64,
    pub(super) given: &'a mut SortedMap<GroupId, u64>,
}

impl Names<'_> {
    /// `<client.id>-<uuid>`, or `<group.instance.id>-<uuid>` (`ClassicGroup.generateMemberId`).
    pub(super) fn next(&mut self, group: &GroupId, begins: &str) -> MemberId {
        let given = self.given.get_or_insert_with(group.clone(), || 0);
        let count = *given;
        *given += 1;
        let whose = who(&group.0) ^ self.run.rotate_left(32);
        let half = |which| draw(self.seed, Purpose::MemberId, whose, 2 * count + which);
        MemberId(Rc::from(format!("{begins}-{}", random_uuid(half(0), half(1)))))
    }
}

/// Java's `UUID.randomUUID` of these bits: version 4, variant 2.
fn random_uuid(high: u64, low: u64) -> String {
    let high = high & !0xf000 | 0x4000;
    let low = low & !(3 << 62) | 1 << 63;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

/// What the parts of a coordinator work with.
pub(super) struct Context<'a> {
    pub(super) out: &'a mut Outbox,
    pub(super) config: GroupConfig,
    pub(super) names: Names<'a>,
    pub(super) writes: Vec<Write>,
}

impl Context<'_> {
    pub(super) fn now(&self) -> SimTime {
        self.out.now()
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.out.now().epoch_millis()
    }

    pub(super) fn answer(&mut self, asker: Asker, response: GroupResponse) {
        respond(asker, response, self.out);
    }

    pub(super) fn refuse_join(&mut self, asker: Asker, member: MemberId, error: KafkaError) {
        let answer = JoinGroupAnswer { member, result: Err(error) };
        self.answer(asker, GroupResponse::JoinGroup(answer));
    }

    pub(super) fn emit(&mut self, event: GroupEvent) {
        emit(event, self.out);
    }

    pub(super) fn write(&mut self, records: Vec<GroupRecord>, then: Then) {
        self.writes.push(Write { records, then });
    }
}

pub(super) fn respond(asker: Asker, response: GroupResponse, out: &mut Outbox) {
    out.respond_to(asker.from, asker.correlation, Response::Group(Lab::new(response)));
}

pub(super) fn emit(event: GroupEvent, out: &mut Outbox) {
    out.emit(ClusterEvent::Group(event));
}

/// What a member is told when something could not be written
/// (`GroupMetadataManager.appendGroupMetadataErrorToResponseError`).
pub(super) fn of_failed_write(error: &KafkaError) -> KafkaError {
    let code = match error.code {
        ErrorCode::UnknownTopicOrPartition
        | ErrorCode::NotEnoughReplicas
        | ErrorCode::NotEnoughReplicasAfterAppend
        | ErrorCode::Timeout => ErrorCode::CoordinatorNotAvailable,
        ErrorCode::NotLeaderOrFollower => ErrorCode::NotCoordinator,
        ErrorCode::MessageTooLarge | ErrorCode::RecordListTooLarge => ErrorCode::UnknownServerError,
        other => other,
    };
    KafkaError::plain(code)
}

/// An answer of the same kind that says why there is no other.
pub(super) fn failed(response: &GroupResponse, error: &KafkaError) -> GroupResponse {
    let no = || error.clone();
    match response {
        GroupResponse::FindCoordinator(_) => GroupResponse::FindCoordinator(Err(no())),
        GroupResponse::JoinGroup(answer) => GroupResponse::JoinGroup(JoinGroupAnswer {
            member: answer.member.clone(),
            result: Err(no()),
        }),
        GroupResponse::SyncGroup(_) => GroupResponse::SyncGroup(Err(no())),
        GroupResponse::Heartbeat(_) => GroupResponse::Heartbeat(Err(no())),
        GroupResponse::LeaveGroup(_) => GroupResponse::LeaveGroup(Err(no())),
        GroupResponse::OffsetCommit(outcomes) => GroupResponse::OffsetCommit(
            outcomes.iter().map(|(which, _)| (which.clone(), Err(no()))).collect(),
        ),
        GroupResponse::OffsetFetch(_) => GroupResponse::OffsetFetch(Err(no())),
        GroupResponse::ListGroups(_) => GroupResponse::ListGroups(Err(no())),
        GroupResponse::DescribeGroups(groups) => GroupResponse::DescribeGroups(
            groups.iter().map(|(group, _)| (group.clone(), Err(no()))).collect(),
        ),
        GroupResponse::DeleteGroups(groups) => GroupResponse::DeleteGroups(
            groups.iter().map(|(group, _)| (group.clone(), Err(no()))).collect(),
        ),
        GroupResponse::OffsetDelete(_) => GroupResponse::OffsetDelete(Err(no())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A UUID has 36 characters, version 4 and variant 2, whatever the bits.
    #[test]
    fn uuids() {
        assert_eq!(random_uuid(0, 0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(random_uuid(u64::MAX, u64::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        let text = random_uuid(0x0123_4567_89ab_cdef, 0x0123_4567_89ab_cdef);
        assert_eq!(text, "01234567-89ab-4def-8123-456789abcdef");
    }

    /// Ids differ from each other, and each group's do not depend on the others'.
    #[test]
    fn names_of_members() {
        let mut given = SortedMap::new();
        let mut names = Names { seed: 1, run: 1, given: &mut given };
        let (one, other) = (GroupId(Rc::from("one")), GroupId(Rc::from("other")));
        let first = names.next(&one, "c");
        let second = names.next(&one, "c");
        assert_eq!(first.0.len(), 38);
        assert_ne!(first, second);
        let mut given = SortedMap::new();
        let mut names = Names { seed: 1, run: 1, given: &mut given };
        assert_ne!(names.next(&other, "c"), first);
        assert_eq!(names.next(&one, "c"), first);
        let mut given = SortedMap::new();
        let mut names = Names { seed: 1, run: 2, given: &mut given };
        assert_ne!(names.next(&one, "c"), first);
    }
}
