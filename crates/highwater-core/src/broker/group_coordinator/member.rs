//! A member of a group, as its coordinator knows it (Kafka's `ClassicGroupMember`).

use std::rc::Rc;

use crate::ids::{MemberId, MessageId, NodeId, TopicPartition};
use crate::net::group::{DescribedMember, JoinGroup, JoinedMember, Subscription};
use crate::time::{SimDuration, SimTime};

/// Where a member's client runs: all of them run on this machine.
pub(super) const HOST: &str = "/127.0.0.1";

/// Who waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    /// The client.
    pub from: NodeId,
    /// Its request.
    pub correlation: MessageId,
}

/// What a member reads.
pub type Assignment = Rc<Vec<TopicPartition>>;

/// An assignor with what it must know of a member.
pub type Protocol = (Rc<str>, Rc<Subscription>);

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub id: MemberId,
    /// `group.instance.id`
    pub instance: Option<Rc<str>>,
    /// `client.id`
    pub client_id: Rc<str>,
    /// `max.poll.interval.ms`
    pub rebalance_timeout_ms: u64,
    /// `session.timeout.ms`
    pub session_timeout_ms: u64,
    /// The assignors that it can use, the one it likes best first.
    pub protocols: Rc<Vec<Protocol>>,
    /// Its part; `None`: it was never given any.
    pub assignment: Option<Assignment>,
    /// When its session is over, unless it is heard of before; `None`: the session is not watched, since it
    /// ran out while the member waited for an answer.
    pub session_deadline: Option<SimTime>,
    /// It has been in no generation yet: it does not know that it is a member and sends no heartbeats.
    pub(super) is_new: bool,
    /// Its `JoinGroup`, while that waits for its answer.
    pub(super) awaiting_join: Option<Asker>,
    /// Its `SyncGroup`, while that waits for its answer.
    pub(super) awaiting_sync: Option<Asker>,
}

impl Member {
    pub(super) fn of(request: &JoinGroup, id: MemberId) -> Self {
        Self {
            id,
            instance: request.instance.clone(),
            client_id: Rc::clone(&request.client_id),
            rebalance_timeout_ms: request.rebalance_timeout_ms,
            session_timeout_ms: request.session_timeout_ms,
            protocols: Rc::new(request.protocols.clone()),
            assignment: None,
            session_deadline: None,
            is_new: true,
            awaiting_join: None,
            awaiting_sync: None,
        }
    }

    /// Whether its session is that of `session.timeout.ms`: it is not while it has been in no generation yet.
    #[must_use]
    pub fn sends_heartbeats(&self) -> bool {
        !self.is_new
    }

    /// Whether it stays a member until somebody says otherwise (KIP-345).
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.instance.is_some()
    }

    pub(super) fn is_awaiting(&self) -> bool {
        self.awaiting_join.is_some() || self.awaiting_sync.is_some()
    }

    pub(super) fn supports(&self, protocol: &str) -> bool {
        self.protocols.iter().any(|(name, _)| **name == *protocol)
    }

    /// What it says of itself to an assignor.
    #[must_use]
    pub fn subscription(&self, protocol: &str) -> Option<&Rc<Subscription>> {
        self.protocols.iter().find(|(name, _)| **name == *protocol).map(|(_, known)| known)
    }

    /// Its first assignor among those that all can use.
    pub(super) fn vote(&self, candidates: &[Rc<str>]) -> Option<Rc<str>> {
        let mut liked = self.protocols.iter().map(|(name, _)| name);
        liked.find(|name| candidates.contains(name)).map(Rc::clone)
    }

    /// Its session begins anew.
    pub(super) fn note_contact(&mut self, now: SimTime) {
        let timeout = SimDuration::from_millis(self.session_timeout_ms);
        self.session_deadline = Some(now + timeout);
    }

    /// Its part.
    #[must_use]
    pub fn partitions(&self) -> Vec<TopicPartition> {
        self.assignment.as_ref().map_or_else(Vec::new, |assignment| assignment.to_vec())
    }

    pub(super) fn seen_by_leader(&self, protocol: &str) -> JoinedMember {
        JoinedMember {
            member: self.id.clone(),
            instance: self.instance.clone(),
            subscription: self.subscription(protocol).cloned().unwrap_or_default(),
        }
    }

    pub(super) fn describe(&self) -> DescribedMember {
        DescribedMember {
            member: self.id.clone(),
            instance: self.instance.clone(),
            client_id: Rc::clone(&self.client_id),
            host: Rc::from(HOST),
            partitions: self.partitions(),
        }
    }
}
