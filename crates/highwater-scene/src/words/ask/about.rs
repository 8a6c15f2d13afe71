//! What a setting does, in a sentence of our own.

/// The sentence; empty for a key that no answer names.
#[must_use]
pub fn about(key: &str) -> &'static str {
    of_topic(key).or_else(|| of_broker(key)).or_else(|| of_group(key)).unwrap_or_default()
}

fn of_topic(key: &str) -> Option<&'static str> {
    Some(match key {
        "min.insync.replicas" => {
            "How many replicas must be in sync, for a write with acks=all to be taken and for the high watermark to \
             move."
        }
        "unclean.leader.election.enable" => {
            "Whether a replica that may lack committed records may lead when no other can."
        }
        "cleanup.policy" => {
            "How old records go: whole segments at a time (delete), or all but the newest of each key (compact)."
        }
        "retention.ms" => {
            "How long a segment stays after its newest record, in milliseconds; -1 is for ever."
        }
        "retention.bytes" => {
            "How large a partition's log may become before its oldest segments go; -1 is without a limit."
        }
        "segment.ms" => {
            "How much time one segment may cover before the next record opens a new one."
        }
        "segment.bytes" => "How large a segment may become before the next batch opens a new one.",
        "max.message.bytes" => "The largest batch that the leader takes, in bytes as compressed.",
        "message.timestamp.type" => {
            "Whose clock gives records their time: the producer's (CreateTime) or the leader's (LogAppendTime)."
        }
        "compression.type" => {
            "How batches are compressed in the log; producer leaves them as they came."
        }
        "min.cleanable.dirty.ratio" => {
            "Which share of a log must be new since it was cleaned for it to be cleaned again."
        }
        "min.compaction.lag.ms" => "How old a record must be before compaction may remove it.",
        "max.compaction.lag.ms" => "How old a record may become before its log must be compacted.",
        "delete.retention.ms" => {
            "How long a tombstone, a record without a value, is kept after compaction has met it."
        }
        _ => return None,
    })
}

fn of_broker(key: &str) -> Option<&'static str> {
    Some(match key {
        "replica.lag.time.max.ms" => {
            "How long a follower may lack something that its leader has before the leader asks for its removal from \
             the ISR."
        }
        "replica.fetch.wait.max.ms" => {
            "How long a leader may keep a follower's fetch waiting when there is nothing new."
        }
        "replica.fetch.backoff.ms" => "How long a follower waits after a fetch that failed.",
        "replica.fetch.max.bytes" => "How much of one partition an answer to a follower brings.",
        "replica.high.watermark.checkpoint.interval.ms" => {
            "How often the high watermark is written to disk, where a crash does not take it."
        }
        "broker.session.timeout.ms" => {
            "How long the controller waits for a broker's heartbeat before it fences the broker."
        }
        "broker.heartbeat.interval.ms" => {
            "How often the broker tells the controller that it is alive."
        }
        "num.partitions" => "How many partitions a topic gets that does not say.",
        "default.replication.factor" => {
            "How many replicas each partition of a topic gets that does not say."
        }
        "auto.create.topics.enable" => {
            "Whether a topic is made when a client asks for one that is not there."
        }
        "message.max.bytes" => {
            "The largest batch that is taken for topics that do not say, in bytes as compressed."
        }
        "log.segment.bytes" => "How large segments of topics may become that do not say.",
        "cordoned.log.dirs" => "Folders of the broker that take no new replicas.",
        "log.retention.check.interval.ms" => "How often the broker looks for segments that may go.",
        "auto.leader.rebalance.enable" => {
            "Whether leadership goes back to preferred replicas by itself."
        }
        "leader.imbalance.check.interval.seconds" => {
            "How often the controller looks whether preferred replicas lead."
        }
        _ => return None,
    })
}

fn of_group(key: &str) -> Option<&'static str> {
    Some(match key {
        "group.initial.rebalance.delay.ms" => {
            "How long a group that was empty waits for more members before its first generation begins."
        }
        "group.min.session.timeout.ms" => {
            "The shortest session.timeout.ms that a member may ask for."
        }
        "group.max.session.timeout.ms" => {
            "The longest session.timeout.ms that a member may ask for."
        }
        "group.max.size" => "How many members a group may have.",
        "offsets.retention.minutes" => {
            "How long committed offsets are kept once the group has no members."
        }
        "offsets.commit.timeout.ms" => {
            "How long a commit may wait until all in-sync replicas of __consumer_offsets have it."
        }
        "session.timeout.ms" => {
            "How long the coordinator waits for a heartbeat before it puts the member out of the group."
        }
        "max.poll.interval.ms" => {
            "How long the application may work between two polls before its consumer leaves the group."
        }
        _ => return None,
    })
}
