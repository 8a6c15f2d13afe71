//! Records of `__consumer_offsets`: which bytes stand for which change
//! (Kafka's `GroupCoordinatorRecordSerde`, and the schemas of `GroupMetadataValue` and others).
//!
//! Types 0 and 1 are committed offsets, type 2 is a classic group. Other types belong to protocols that
//! are not built; they are passed over, as Kafka does with types that it does not know.

use std::rc::Rc;

use crate::broker::group_coordinator::classic_group::ClassicGroup;
use crate::broker::group_coordinator::consumer_protocol::{
    read_assignment, read_subscription, write_assignment, write_subscription,
};
use crate::broker::group_coordinator::member::{Assignment, HOST};
use crate::broker::group_coordinator::wire::{Reader, Writer};
use crate::ids::{
    Bytes, GroupId, MemberId, Offset, PartitionId, TopicId, TopicName, TopicPartition,
};
use crate::log::record::Record;
use crate::net::group::{OffsetAndMetadata, Subscription};

const OFFSET_COMMIT: i16 = 1;
const GROUP_METADATA: i16 = 2;
/// The versions that Kafka writes. That of offsets is the first flexible one, with the id of the topic.
const OFFSET_COMMIT_VALUE_VERSION: i16 = 4;
const TOPIC_ID_TAG: u32 = 0;
const GROUP_METADATA_VALUE_VERSION: i16 = 3;
/// Of an offset with a time to expire, as very old consumers asked for.
const EXPIRING_OFFSET_VALUE_VERSION: i16 = 1;

/// A change that a record stands for; without a value, something is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GroupRecord {
    /// A committed offset.
    Offset(GroupId, TopicPartition, Option<CommittedOffset>),
    /// A group.
    Group(GroupId, Option<GroupMetadata>),
}

/// A committed offset, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedOffset {
    /// What was committed.
    pub committed: OffsetAndMetadata,
    /// When.
    pub commit_timestamp: i64,
    /// The topic's id; 0: not known.
    pub topic_id: TopicId,
    /// When it expires, if whoever committed it has said so.
    pub expire_timestamp: Option<i64>,
}

impl CommittedOffset {
    /// The bytes that stand for it.
    pub(super) fn encode(&self) -> Bytes {
        Rc::from(write_offset(self))
    }
}

/// What is written down of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupMetadata {
    pub(super) protocol_type: Rc<str>,
    pub(super) generation: i32,
    pub(super) protocol: Option<Rc<str>>,
    pub(super) leader: Option<MemberId>,
    /// Since when the group is as it is; -1: not known.
    pub(super) state_timestamp: i64,
    pub(super) members: Vec<MemberMetadata>,
}

/// What is written down of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberMetadata {
    pub(super) id: MemberId,
    pub(super) instance: Option<Rc<str>>,
    pub(super) client_id: Rc<str>,
    pub(super) rebalance_timeout_ms: i32,
    pub(super) session_timeout_ms: i32,
    pub(super) subscription: Rc<Subscription>,
    pub(super) assignment: Option<Assignment>,
}

impl GroupRecord {
    /// What is written down of a group whose members have these parts.
    pub(super) fn of_group(group: &ClassicGroup, parts: &[(MemberId, Assignment)]) -> Self {
        let protocol = group.protocol.clone();
        let named = protocol.clone().unwrap_or_default();
        let millis = |millis| i32::try_from(millis).unwrap_or(i32::MAX);
        let mut members = Vec::new();
        for id in group.ids_in_java_order() {
            let Some(member) = group.member(&id) else { continue };
            let part = parts.iter().find(|(whose, _)| *whose == id);
            members.push(MemberMetadata {
                instance: member.instance.clone(),
                client_id: Rc::clone(&member.client_id),
                rebalance_timeout_ms: millis(member.rebalance_timeout_ms),
                session_timeout_ms: millis(member.session_timeout_ms),
                subscription: member.subscription(&named).cloned().unwrap_or_default(),
                assignment: part.map(|(_, part)| Rc::clone(part)),
                id,
            });
        }
        let metadata = GroupMetadata {
            protocol_type: group.protocol_type.clone().unwrap_or_default(),
            generation: group.generation,
            protocol,
            leader: group.leader.clone(),
            state_timestamp: group.state_timestamp.unwrap_or(-1),
            members,
        };
        Self::Group(group.id.clone(), Some(metadata))
    }

    /// What is written down of a group that has just been made, and has no members yet
    /// (`newEmptyGroupMetadataRecord`).
    pub(super) fn of_new_group(group: &ClassicGroup) -> Self {
        let metadata = GroupMetadata {
            protocol_type: Rc::default(),
            generation: 0,
            protocol: None,
            leader: None,
            state_timestamp: group.state_timestamp.unwrap_or(-1),
            members: Vec::new(),
        };
        Self::Group(group.id.clone(), Some(metadata))
    }

    /// The record, made at that time.
    pub(super) fn encode(&self, timestamp: i64) -> Record {
        let mut key = Writer::default();
        let value = match self {
            Self::Offset(group, which, value) => {
                key.int16(OFFSET_COMMIT);
                key.string(&group.0);
                key.string(which.topic.as_str());
                key.int32(which.partition.0);
                value.as_ref().map(write_offset)
            }
            Self::Group(group, value) => {
                key.int16(GROUP_METADATA);
                key.string(&group.0);
                value.as_ref().map(write_group)
            }
        };
        let (key, value) = (Some(Rc::from(key.0)), value.map(Rc::from));
        Record { key, value, timestamp, headers: Vec::new() }
    }

    /// What a record stands for; `None`: for nothing that is known here.
    pub(super) fn decode(record: &Record) -> Option<Self> {
        let mut key = Reader(record.key.as_deref()?);
        let value = record.value.as_deref();
        match key.int16()? {
            0 | OFFSET_COMMIT => {
                let group = GroupId(key.string()?);
                let topic = TopicName(key.string()?);
                let which = TopicPartition::new(&topic, PartitionId(key.int32()?));
                let value = match value {
                    Some(value) => Some(read_offset(value)?),
                    None => None,
                };
                Some(Self::Offset(group, which, value))
            }
            GROUP_METADATA => {
                let group = GroupId(key.string()?);
                let value = match value {
                    Some(value) => Some(read_group(value)?),
                    None => None,
                };
                Some(Self::Group(group, value))
            }
            _ => None,
        }
    }
}

fn write_offset(value: &CommittedOffset) -> Vec<u8> {
    let CommittedOffset { committed, commit_timestamp, topic_id, expire_timestamp } = value;
    let mut out = Writer::default();
    if let Some(expires) = expire_timestamp {
        out.int16(EXPIRING_OFFSET_VALUE_VERSION);
        out.int64(committed.offset.0);
        out.string(&committed.metadata);
        out.int64(*commit_timestamp);
        out.int64(*expires);
        return out.0;
    }
    out.int16(OFFSET_COMMIT_VALUE_VERSION);
    out.int64(committed.offset.0);
    out.int32(committed.leader_epoch);
    out.compact_string(&committed.metadata);
    out.int64(*commit_timestamp);
    if topic_id.0 == 0 {
        out.unsigned_varint(0);
        return out.0;
    }
    let id = topic_id.0.to_be_bytes();
    out.unsigned_varint(1);
    out.unsigned_varint(TOPIC_ID_TAG);
    out.unsigned_varint(u32::try_from(id.len()).unwrap_or(0));
    out.0.extend_from_slice(&id);
    out.0
}

fn read_offset(bytes: &[u8]) -> Option<CommittedOffset> {
    let mut reader = Reader(bytes);
    let version = reader.int16()?;
    let offset = Offset(reader.int64()?);
    let leader_epoch = if version >= 3 { reader.int32()? } else { -1 };
    let metadata = if version >= 4 { reader.compact_string()? } else { reader.string()? };
    let commit_timestamp = reader.int64()?;
    let expire_timestamp = if version == EXPIRING_OFFSET_VALUE_VERSION {
        Some(reader.int64()?).filter(|at| *at != -1)
    } else {
        None
    };
    let committed = OffsetAndMetadata { offset, leader_epoch, metadata };
    let id = if version >= 4 { reader.tagged(TOPIC_ID_TAG)? } else { None };
    let id = id.and_then(|bytes| bytes.try_into().ok()).map_or(0, u128::from_be_bytes);
    Some(CommittedOffset { committed, commit_timestamp, topic_id: TopicId(id), expire_timestamp })
}

fn write_group(group: &GroupMetadata) -> Vec<u8> {
    let protocol = group.protocol.as_deref();
    let mut out = Writer::default();
    out.int16(GROUP_METADATA_VALUE_VERSION);
    out.string(&group.protocol_type);
    out.int32(group.generation);
    out.nullable_string(protocol);
    out.nullable_string(group.leader.as_ref().map(|leader| &*leader.0));
    out.int64(group.state_timestamp);
    out.count(group.members.len());
    for member in &group.members {
        out.string(&member.id.0);
        out.nullable_string(member.instance.as_deref());
        out.string(&member.client_id);
        out.string(HOST);
        out.int32(member.rebalance_timeout_ms);
        out.int32(member.session_timeout_ms);
        let subscription = write_subscription(protocol.unwrap_or(""), &member.subscription);
        out.nullable_bytes(Some(&subscription));
        let part = member.assignment.as_ref().map(|part| write_assignment(part));
        out.nullable_bytes(Some(part.as_deref().unwrap_or(&[])));
    }
    out.0
}

fn read_group(bytes: &[u8]) -> Option<GroupMetadata> {
    let mut reader = Reader(bytes);
    let version = reader.int16()?;
    let protocol_type = reader.string()?;
    let generation = reader.int32()?;
    let protocol = reader.nullable_string()?;
    let leader = reader.nullable_string()?.map(MemberId);
    let state_timestamp = if version >= 2 { reader.int64()? } else { -1 };
    let named = protocol.clone().unwrap_or_default();
    let members = reader.list(|reader| read_member(version, &named, reader))?;
    Some(GroupMetadata { protocol_type, generation, protocol, leader, state_timestamp, members })
}

fn read_member(version: i16, protocol: &str, reader: &mut Reader<'_>) -> Option<MemberMetadata> {
    let id = MemberId(reader.string()?);
    let instance = if version >= 3 { reader.nullable_string()? } else { None };
    let client_id = reader.string()?;
    reader.string()?;
    let rebalance_timeout_ms = if version >= 1 { reader.int32()? } else { -1 };
    let session_timeout_ms = reader.int32()?;
    let subscription = read_subscription(protocol, reader.nullable_bytes()??)?;
    let part = reader.nullable_bytes()??;
    Some(MemberMetadata {
        id,
        instance,
        client_id,
        // Old coordinators knew one timeout only.
        rebalance_timeout_ms: if rebalance_timeout_ms < 0 {
            session_timeout_ms
        } else {
            rebalance_timeout_ms
        },
        session_timeout_ms,
        subscription: Rc::new(subscription),
        assignment: read_assignment(part).map(Rc::new),
    })
}

#[cfg(test)]
mod tests;
