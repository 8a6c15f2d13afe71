//! How a member of a group is shown: what it has, where it stands, and what the group has committed.

use std::rc::Rc;

use super::KafkaConsumer;
use super::coordinator::MemberState;
use crate::client::kafka_consumer::config::Subscription;
use crate::ids::{GroupId, MemberId, Offset, TopicPartition};

/// A consumer as a view sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberView {
    /// Its `client.id`.
    pub client_id: String,
    /// Its name among the readers of a snapshot, which tells it from others with one
    /// `client.id`; outside of a snapshot that id.
    pub reader: String,
    /// Its group.
    pub group: GroupId,
    /// Its id in the group; empty: it has none.
    pub member: MemberId,
    /// `group.instance.id`
    pub instance: Option<Rc<str>>,
    /// The generation that it knows; -1: none.
    pub generation: i32,
    /// How far it is in its group.
    pub state: MemberState,
    /// Whether it assigns.
    pub is_leader: bool,
    /// Its partitions.
    pub partitions: Vec<OwnedPartition>,
}

/// A partition of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedPartition {
    /// Which.
    pub partition: TopicPartition,
    /// The next offset that the application gets; `None`: it is being looked up.
    pub position: Option<Offset>,
    /// What the group has committed, as far as this member knows.
    pub committed: Option<Offset>,
    /// Whether the application has stopped it.
    pub is_paused: bool,
}

impl KafkaConsumer {
    /// How it is shown as a member; `None`: it reads for itself.
    #[must_use]
    pub fn member_view(&self) -> Option<MemberView> {
        if !matches!(self.subscription, Some(Subscription::Subscribed(_))) {
            return None;
        }
        let mut partitions = Vec::new();
        for (partition, state) in self.state.iter() {
            partitions.push(OwnedPartition {
                partition: partition.clone(),
                position: state.position,
                committed: state.committed,
                is_paused: state.is_paused,
            });
        }
        let coordinator = &self.coordinator;
        Some(MemberView {
            client_id: self.config.client_id.clone(),
            reader: self.config.client_id.clone(),
            group: self.group(),
            member: coordinator.generation.member.clone(),
            instance: self.config.group_instance_id.clone(),
            generation: coordinator.generation.id,
            state: coordinator.state,
            is_leader: coordinator.is_leader,
            partitions,
        })
    }
}
