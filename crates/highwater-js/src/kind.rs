//! What kinds of events are called in JavaScript: as in the core.

use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::group_event::GroupEvent;

/// The name of an event's kind.
pub(crate) fn name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::InputApplied { .. } => "InputApplied",
        EventKind::ProcessStarted { .. } => "ProcessStarted",
        EventKind::ProcessExited { .. } => "ProcessExited",
        EventKind::MessageSent { .. } => "MessageSent",
        EventKind::TopicCreated { .. } => "TopicCreated",
        EventKind::TopicRefused { .. } => "TopicRefused",
        EventKind::RecordPartitioned { .. } => "RecordPartitioned",
        EventKind::BatchAppended { .. } => "BatchAppended",
        EventKind::AppendRefused { .. } => "AppendRefused",
        EventKind::SegmentRolled { .. } => "SegmentRolled",
        EventKind::HighWatermarkAdvanced { .. } => "HighWatermarkAdvanced",
        EventKind::PositionMoved { .. } => "PositionMoved",
        EventKind::Cluster(news) => news.event().map_or("Cluster", of_cluster),
    }
}

fn of_cluster(event: &ClusterEvent) -> &'static str {
    match event {
        ClusterEvent::TopicDeleted { .. } => "TopicDeleted",
        ClusterEvent::PartitionsAdded { .. } => "PartitionsAdded",
        ClusterEvent::ConfigsAltered { .. } => "ConfigsAltered",
        ClusterEvent::FaultInjected { .. } => "FaultInjected",
        ClusterEvent::BrokerRegistered { .. } => "BrokerRegistered",
        ClusterEvent::BrokerUnfenced { .. } => "BrokerUnfenced",
        ClusterEvent::BrokerFenced { .. } => "BrokerFenced",
        ClusterEvent::BrokerCordoned { .. } => "BrokerCordoned",
        ClusterEvent::ControlledShutdownStarted { .. } => "ControlledShutdownStarted",
        ClusterEvent::BrokerStopped { .. } => "BrokerStopped",
        ClusterEvent::PartitionChanged { .. } => "PartitionChanged",
        ClusterEvent::ReplicaAppended { .. } => "ReplicaAppended",
        ClusterEvent::LogTruncated { .. } => "LogTruncated",
        ClusterEvent::IsrProposed { .. } => "IsrProposed",
        ClusterEvent::SegmentDeleted { .. } => "SegmentDeleted",
        ClusterEvent::LogCleaned { .. } => "LogCleaned",
        ClusterEvent::ProducersExpired { .. } => "ProducersExpired",
        ClusterEvent::DuplicateFound { .. } => "DuplicateFound",
        ClusterEvent::DuplicateAppended { .. } => "DuplicateAppended",
        ClusterEvent::OrderChanged { .. } => "OrderChanged",
        ClusterEvent::UnansweredLost { .. } => "UnansweredLost",
        ClusterEvent::RecordsLost { .. } => "RecordsLost",
        ClusterEvent::LogStartMoved { .. } => "LogStartMoved",
        ClusterEvent::MessageDropped { .. } => "MessageDropped",
        ClusterEvent::AssignmentChanged { .. } => "AssignmentChanged",
        ClusterEvent::Group(event) => of_group(event),
    }
}

fn of_group(event: &GroupEvent) -> &'static str {
    match event {
        GroupEvent::CoordinatorLoading { .. } => "CoordinatorLoading",
        GroupEvent::CoordinatorLoaded { .. } => "CoordinatorLoaded",
        GroupEvent::CoordinatorUnloaded { .. } => "CoordinatorUnloaded",
        GroupEvent::MemberIdGiven { .. } => "MemberIdGiven",
        GroupEvent::MemberJoined { .. } => "MemberJoined",
        GroupEvent::StaticMemberReplaced { .. } => "StaticMemberReplaced",
        GroupEvent::MemberLeft { .. } => "MemberLeft",
        GroupEvent::MemberExpired { .. } => "MemberExpired",
        GroupEvent::MemberFenced { .. } => "MemberFenced",
        GroupEvent::RebalanceStarted { .. } => "RebalanceStarted",
        GroupEvent::GenerationBegan { .. } => "GenerationBegan",
        GroupEvent::StateChanged { .. } => "StateChanged",
        GroupEvent::OffsetsCommitted { .. } => "OffsetsCommitted",
        GroupEvent::OffsetsRemoved { .. } => "OffsetsRemoved",
        GroupEvent::RecordsRedelivered { .. } => "RecordsRedelivered",
        GroupEvent::RecordsSkipped { .. } => "RecordsSkipped",
        GroupEvent::WorkedTooLate { .. } => "WorkedTooLate",
        GroupEvent::GroupRemoved { .. } => "GroupRemoved",
    }
}
