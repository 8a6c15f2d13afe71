//! The fields of the records that stand in Kafka's own topics, by type and version (the schemas of
//! `OffsetCommitKey`, `GroupMetadataValue`, `TransactionLogValue` and others).
//!
//! Records of protocols that are not built (KIP-848, share and streams groups) have types of their own,
//! which are not known here.

use crate::tool::record_json::{Field, Kind, RecordType, Schema};

const ALL: (i16, i16) = (0, i16::MAX);
/// No version is flexible.
const NEVER: i16 = i16::MAX;

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, versions: ALL, tag: None }
}

const fn since(version: i16, name: &'static str, kind: Kind) -> Field {
    Field { name, kind, versions: (version, i16::MAX), tag: None }
}

/// With its number and what it is where it does not stand.
const fn tagged(version: i16, tag: (u32, &'static str), name: &'static str, kind: Kind) -> Field {
    Field { name, kind, versions: (version, i16::MAX), tag: Some(tag) }
}

const OFFSET_KEY: Schema = Schema {
    fields: &[
        field("group", Kind::Text),
        field("topic", Kind::Text),
        field("partition", Kind::Int32),
    ],
    highest: 0,
    flexible: NEVER,
};

const LEGACY_OFFSET: Schema = Schema {
    fields: &[
        field("offset", Kind::Int64),
        field("metadata", Kind::Text),
        field("commitTimestamp", Kind::Int64),
    ],
    highest: 0,
    flexible: NEVER,
};

const OFFSET: Schema = Schema {
    fields: &[
        field("offset", Kind::Int64),
        since(3, "leaderEpoch", Kind::Int32),
        field("metadata", Kind::Text),
        field("commitTimestamp", Kind::Int64),
        Field { name: "expireTimestamp", kind: Kind::Int64, versions: (1, 1), tag: None },
        tagged(4, (0, "\"AAAAAAAAAAAAAAAAAAAAAA\""), "topicId", Kind::Uuid),
    ],
    highest: 4,
    flexible: 4,
};

const GROUP_KEY: Schema =
    Schema { fields: &[field("group", Kind::Text)], highest: 0, flexible: NEVER };

const GROUP_METADATA: Schema = Schema {
    fields: &[
        field("protocolType", Kind::Text),
        field("generation", Kind::Int32),
        field("protocol", Kind::NullableText),
        field("leader", Kind::NullableText),
        since(2, "currentStateTimestamp", Kind::Int64),
        field("members", Kind::List(MEMBER)),
    ],
    highest: 4,
    flexible: 4,
};

const MEMBER: &[Field] = &[
    field("memberId", Kind::Text),
    since(3, "groupInstanceId", Kind::NullableText),
    field("clientId", Kind::Text),
    field("clientHost", Kind::Text),
    since(1, "rebalanceTimeout", Kind::Int32),
    field("sessionTimeout", Kind::Int32),
    field("subscription", Kind::Bytes),
    field("assignment", Kind::Bytes),
];

/// The types of `__consumer_offsets`, of groups of the classic protocol.
pub(crate) const GROUP: &[RecordType] =
    &[(0, OFFSET_KEY, LEGACY_OFFSET), (1, OFFSET_KEY, OFFSET), (2, GROUP_KEY, GROUP_METADATA)];

const TRANSACTION_KEY: Schema =
    Schema { fields: &[field("transactionalId", Kind::Text)], highest: 0, flexible: NEVER };

const TRANSACTION_VALUE: Schema = Schema {
    fields: &[
        field("producerId", Kind::Int64),
        tagged(1, (0, "-1"), "previousProducerId", Kind::Int64),
        tagged(1, (1, "-1"), "nextProducerId", Kind::Int64),
        field("producerEpoch", Kind::Int16),
        tagged(1, (3, "-1"), "nextProducerEpoch", Kind::Int16),
        field("transactionTimeoutMs", Kind::Int32),
        field("transactionStatus", Kind::Int8),
        field("transactionPartitions", Kind::NullableList(TRANSACTION_PARTITIONS)),
        field("transactionLastUpdateTimestampMs", Kind::Int64),
        field("transactionStartTimestampMs", Kind::Int64),
        tagged(1, (2, "0"), "clientTransactionVersion", Kind::Int16),
    ],
    highest: 1,
    flexible: 1,
};

const TRANSACTION_PARTITIONS: &[Field] =
    &[field("topic", Kind::Text), field("partitionIds", Kind::Int32s)];

/// The only type of `__transaction_state`.
pub(crate) const TRANSACTION: &[RecordType] = &[(0, TRANSACTION_KEY, TRANSACTION_VALUE)];

const TOPIC_PARTITIONS: &[Field] = &[field("topic", Kind::Text), field("partitions", Kind::Int32s)];

/// What a member of a classic group says when it joins.
pub(crate) const SUBSCRIPTION: Schema = Schema {
    fields: &[
        field("topics", Kind::Texts),
        field("userData", Kind::NullableBytes),
        since(1, "ownedPartitions", Kind::List(TOPIC_PARTITIONS)),
        since(2, "generationId", Kind::Int32),
        since(3, "rackId", Kind::NullableText),
    ],
    highest: 3,
    flexible: NEVER,
};

/// What a leader assigns to a member.
pub(crate) const ASSIGNMENT: Schema = Schema {
    fields: &[
        field("assignedPartitions", Kind::List(TOPIC_PARTITIONS)),
        field("userData", Kind::NullableBytes),
    ],
    highest: 3,
    flexible: NEVER,
};
