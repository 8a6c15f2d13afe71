//! The main fields of a message, by Kafka's names.

use highwater_core::ids::{Offset, TopicPartition};
use highwater_core::net::admin::AdminRequest;
use highwater_core::net::group::{GroupRequest, Membership, OffsetAndMetadata};
use highwater_core::net::internal::{InternalRequest, IsrProposal, ReplicaFetch, ReplicaPosition};
use highwater_core::net::message::{
    Body, EpochQuestion, FetchRequest, OffsetSpec, ProducerBatch, Request,
};

mod answers;

use super::count;
use super::record::acks;
use crate::words::ask::{self as words, labels};

/// So many items of a list are named.
const NAMED: usize = 6;

/// A field with its value.
pub(super) type Field = (&'static str, String);

pub(super) fn of(body: &Body) -> Vec<Field> {
    match body {
        Body::Request(request) => of_request(request),
        Body::Response(response) => answers::of(response),
        Body::Disconnect { .. } => Vec::new(),
    }
}

/// Items one after another; of many the first ones.
fn list<T>(items: &[T], name: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = items.iter().take(NAMED).map(name).collect();
    words::list(&shown, count(items) - count(&shown))
}

fn at((which, offset): &(TopicPartition, Offset)) -> String {
    words::at(&which.to_string(), offset.0)
}

fn of_request(request: &Request) -> Vec<Field> {
    match request {
        Request::Produce { acks: wanted, timeout_ms, batches } => vec![
            ("acks", acks(*wanted).to_owned()),
            ("timeout_ms", timeout_ms.to_string()),
            ("partitions", list(batches, batch)),
        ],
        Request::Fetch(fetch) => of_fetch(fetch),
        Request::Metadata { topics, allow_auto_topic_creation } => {
            let names = topics.as_ref().map(|topics| list(topics, ToString::to_string));
            vec![
                ("topics", names.unwrap_or_else(|| labels::ALL.to_owned())),
                ("allow_auto_topic_creation", allow_auto_topic_creation.to_string()),
            ]
        }
        Request::ListOffsets { partitions } => {
            let line = |(which, spec): &(TopicPartition, OffsetSpec)| {
                words::at(&which.to_string(), timestamp(*spec))
            };
            vec![("partitions", list(partitions, line))]
        }
        Request::DeleteRecords { partitions } => partitions
            .get()
            .map_or_else(Vec::new, |partitions| vec![("partitions", list(partitions, at))]),
        Request::OffsetsForLeaderEpoch(asked) => asked.get().map_or_else(Vec::new, |asked| {
            let line = |question: &EpochQuestion| {
                words::in_epoch(&question.partition.to_string(), question.epoch.0)
            };
            vec![("partitions", list(asked, line))]
        }),
        Request::Group(request) => request.get().map_or_else(Vec::new, of_group_request),
        Request::Internal(request) => of_internal(request),
        Request::Admin(request) => of_admin(request),
        _ => Vec::new(),
    }
}

/// What stands for a question in `ListOffsets`.
fn timestamp(spec: OffsetSpec) -> i64 {
    match spec {
        OffsetSpec::Latest => -1,
        OffsetSpec::Earliest => -2,
        OffsetSpec::MaxTimestamp => -3,
        OffsetSpec::EarliestLocal => -4,
        OffsetSpec::Tiered => -5,
        OffsetSpec::Timestamp(at) => at,
    }
}

fn batch((which, proposal): &ProducerBatch) -> String {
    words::sent_records(&which.to_string(), count(&proposal.records), proposal.producer.as_ref())
}

fn of_fetch(fetch: &FetchRequest) -> Vec<Field> {
    let mut fields = vec![
        ("max_wait_ms", fetch.max_wait_ms.to_string()),
        ("min_bytes", fetch.min_bytes.to_string()),
        ("max_bytes", fetch.max_bytes.to_string()),
        ("partition_max_bytes", fetch.max_partition_bytes.to_string()),
    ];
    if let Some(details) = fetch.details.get() {
        fields.push(("session_id", details.session.session.0.to_string()));
        fields.push(("session_epoch", details.session.epoch.to_string()));
    }
    fields.push(("partitions", list(&fetch.partitions, at)));
    fields
}

fn of_replica_fetch(fetch: &ReplicaFetch) -> Vec<Field> {
    let position = |at: &ReplicaPosition| {
        let place = words::at(&at.partition.to_string(), at.fetch_offset.0);
        words::in_epoch(&place, at.leader_epoch.0)
    };
    vec![
        ("replica_id", fetch.follower.to_string()),
        ("replica_epoch", fetch.epoch.to_string()),
        ("max_wait_ms", (fetch.limits.max_wait.0 / 1_000).to_string()),
        ("session_epoch", fetch.session_epoch.to_string()),
        ("partitions", list(&fetch.partitions, position)),
    ]
}

fn of_internal(request: &InternalRequest) -> Vec<Field> {
    match request {
        InternalRequest::Fetch(fetch) => fetch.get().map_or_else(Vec::new, of_replica_fetch),
        InternalRequest::FetchMetadataLog { from } => vec![("fetch_offset", from.to_string())],
        InternalRequest::BrokerRegistration { broker, incarnation, previous_epoch, .. } => vec![
            ("broker_id", broker.to_string()),
            ("incarnation", incarnation.to_string()),
            ("previous_broker_epoch", previous_epoch.map_or("-1".to_owned(), |e| e.to_string())),
        ],
        InternalRequest::BrokerHeartbeat {
            broker, epoch, metadata_offset, want_shut_down, ..
        } => {
            vec![
                ("broker_id", broker.to_string()),
                ("broker_epoch", epoch.to_string()),
                ("current_metadata_offset", metadata_offset.to_string()),
                ("want_shut_down", want_shut_down.to_string()),
            ]
        }
        InternalRequest::AlterPartition { broker, epoch, partitions } => {
            let proposal = |of: &IsrProposal| {
                words::proposal(&of.partition.to_string(), &of.new_isr, of.partition_epoch.0)
            };
            let partitions = partitions.get().map(|all| list(all, proposal));
            vec![
                ("broker_id", broker.to_string()),
                ("broker_epoch", epoch.to_string()),
                ("partitions", partitions.unwrap_or_default()),
            ]
        }
        InternalRequest::AllocateProducerIds { broker, epoch } => {
            vec![("broker_id", broker.to_string()), ("broker_epoch", epoch.to_string())]
        }
    }
}

fn of_admin(request: &AdminRequest) -> Vec<Field> {
    match request {
        AdminRequest::CreateTopic(topic) => {
            let number = |number: Option<i32>| number.unwrap_or(-1).to_string();
            vec![
                ("name", topic.name.to_string()),
                ("num_partitions", number(topic.partitions)),
                ("replication_factor", number(topic.replication_factor)),
            ]
        }
        AdminRequest::DeleteTopics(topics) => topics
            .get()
            .map_or_else(Vec::new, |topics| vec![("topics", list(topics, ToString::to_string))]),
        AdminRequest::CreatePartitions(more) => more.get().map_or_else(Vec::new, |more| {
            vec![("name", more.topic.to_string()), ("count", more.count.to_string())]
        }),
        AdminRequest::AlterConfigs(changes) => changes.get().map_or_else(Vec::new, |changes| {
            let line = |(key, value): &(String, Option<String>)| {
                words::config(key, value.as_deref().unwrap_or(labels::NONE))
            };
            vec![("configs", list(&changes.changes, line))]
        }),
        _ => Vec::new(),
    }
}

fn of_membership(member: &Membership) -> Vec<Field> {
    let mut fields = vec![
        ("group_id", member.group.to_string()),
        ("generation_id", member.generation.to_string()),
        ("member_id", member.member.to_string()),
    ];
    if let Some(instance) = &member.instance {
        fields.push(("group_instance_id", instance.to_string()));
    }
    fields
}

fn of_group_request(request: &GroupRequest) -> Vec<Field> {
    match request {
        GroupRequest::FindCoordinator(group) => vec![("key", group.to_string())],
        GroupRequest::JoinGroup(join) => {
            let protocols: Vec<&str> = join.protocols.iter().map(|(name, _)| &**name).collect();
            vec![
                ("group_id", join.group.to_string()),
                ("member_id", join.member.to_string()),
                ("session_timeout_ms", join.session_timeout_ms.to_string()),
                ("rebalance_timeout_ms", join.rebalance_timeout_ms.to_string()),
                ("protocols", protocols.join(", ")),
                ("reason", join.reason.to_string()),
            ]
        }
        GroupRequest::SyncGroup(sync) => {
            let mut fields = of_membership(&sync.member);
            fields.push(("protocol_name", sync.protocol.to_string()));
            fields.push(("assignments", count(&sync.assignments).to_string()));
            fields
        }
        GroupRequest::Heartbeat(member) => of_membership(member),
        GroupRequest::LeaveGroup { group, members } => vec![
            ("group_id", group.to_string()),
            ("members", list(members, |member| member.member.to_string())),
        ],
        GroupRequest::OffsetCommit { member, offsets } => {
            let mut fields = of_membership(member);
            let line = |(which, kept): &(TopicPartition, OffsetAndMetadata)| {
                words::at(&which.to_string(), kept.offset.0)
            };
            fields.push(("partitions", list(offsets, line)));
            fields
        }
        GroupRequest::OffsetFetch { group, partitions } => {
            let names = partitions.as_ref().map(|all| list(all, ToString::to_string));
            vec![
                ("group_id", group.to_string()),
                ("partitions", names.unwrap_or_else(|| labels::ALL.to_owned())),
            ]
        }
        GroupRequest::DescribeGroups(groups) | GroupRequest::DeleteGroups(groups) => {
            vec![("groups", list(groups, ToString::to_string))]
        }
        GroupRequest::OffsetDelete { group, partitions } => vec![
            ("group_id", group.to_string()),
            ("partitions", list(partitions, ToString::to_string)),
        ],
        GroupRequest::ListGroups { .. } => Vec::new(),
    }
}
