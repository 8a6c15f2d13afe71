//! One plain sentence for each thing that happens to a cluster: brokers that come and go, leaders,
//! in-sync replicas, faults. A page about one broker has none of it.

use highwater_core::controller::records::PartitionImage;
use highwater_core::ids::{BrokerId, GroupId, TopicPartition};
use highwater_core::log::retention::SegmentDeletionReason;
use highwater_core::log::segment::RollReason;
use highwater_core::net::admin::ElectionType;
use highwater_core::net::rule::{Effect, Party, Rule};
use highwater_core::world::cluster_event::{AssignmentChange, ChangeReason, ClusterEvent, Promise};
use highwater_core::world::event::Rolled;
use highwater_core::world::fault::{Fault, Millis};
use highwater_core::world::hazard::Unanswered;

use super::{groups, moment};

/// The sentence of an event.
#[must_use]
pub fn sentence(event: &ClusterEvent) -> String {
    match event {
        ClusterEvent::TopicDeleted { topic } => format!("The controller removed topic {topic}."),
        ClusterEvent::PartitionsAdded { topic, count } => {
            format!("Topic {topic} has {count} partitions now.")
        }
        ClusterEvent::ConfigsAltered { changes, .. } => {
            let keys: Vec<&str> = changes.iter().map(|(key, _)| key.as_str()).collect();
            format!("Configuration changed: {}.", keys.join(", "))
        }
        ClusterEvent::FaultInjected { fault } => of_fault(fault),
        ClusterEvent::BrokerRegistered { broker, clean: true } => {
            format!("Broker {broker} registered; it had ended in order.")
        }
        ClusterEvent::BrokerRegistered { broker, clean: false } => {
            format!("Broker {broker} registered after a crash: it may have lost records.")
        }
        ClusterEvent::BrokerUnfenced { broker } => {
            format!("Broker {broker} has caught up with the metadata and may lead again.")
        }
        ClusterEvent::BrokerFenced { broker, last_contact: Some(at) } => {
            let at = moment(*at);
            format!("The controller fenced broker {broker}: its last heartbeat came at {at}.")
        }
        ClusterEvent::BrokerFenced { broker, last_contact: None } => {
            format!("The controller fenced broker {broker}, which is leaving.")
        }
        ClusterEvent::BrokerCordoned { broker, cordoned: true } => {
            format!("Broker {broker} takes no new replicas from now on: its folders are cordoned.")
        }
        ClusterEvent::BrokerCordoned { broker, cordoned: false } => {
            format!("Broker {broker} takes new replicas again.")
        }
        ClusterEvent::ControlledShutdownStarted { broker } => {
            format!("Broker {broker} asked to leave and hands its partitions over.")
        }
        ClusterEvent::BrokerStopped { broker } => format!("Broker {broker} stopped."),
        ClusterEvent::PartitionChanged { partition, before, after, reason } => {
            let (what, why) = (of_change(partition, before, after), of_reason(*reason));
            format!("{what}, because {why}.")
        }
        ClusterEvent::IsrProposed { partition, broker, from, to, .. } => {
            let (from, to) = (list(from), list(to));
            format!("Broker {broker} wants {to} in sync for {partition} instead of {from}.")
        }
        ClusterEvent::Group(event) => groups::sentence(event),
        ClusterEvent::MessageDropped { message, .. } => {
            format!("The network lost message {message}.")
        }
        ClusterEvent::AssignmentChanged { reader, group, change, partitions, why, .. } => {
            of_assignment((reader, group), *change, partitions, why)
        }
        log => of_log(log),
    }
}

/// What became of a member's partitions.
fn of_assignment(
    (reader, group): (&str, &GroupId),
    change: AssignmentChange,
    partitions: &[TopicPartition],
    why: &str,
) -> String {
    let names: Vec<String> = partitions.iter().map(ToString::to_string).collect();
    let names = names.join(", ");
    match change {
        AssignmentChange::Assigned => {
            format!("{reader} in group {group} got {names} from the assignor {why}.")
        }
        AssignmentChange::Revoked if why.is_empty() => {
            format!("{reader} in group {group} gave up {names}.")
        }
        AssignmentChange::Revoked => format!("{reader} in group {group} gave up {names}: {why}."),
        AssignmentChange::Lost => format!("{reader} in group {group} lost {names}: {why}."),
    }
}

/// What happened to the log of one replica.
fn of_log(event: &ClusterEvent) -> String {
    match event {
        ClusterEvent::ReplicaAppended { partition, broker, leader, from, to } => {
            let count = to.0 - from.0;
            let records = if count == 1 { "record" } else { "records" };
            format!(
                "Broker {broker} copied {count} {records} of {partition} from broker {leader}; its \
                 log ends at {to}."
            )
        }
        ClusterEvent::LogTruncated { partition, broker, from, to, diverging } => match diverging {
            Some(epoch) => format!(
                "Broker {broker} cut its log of {partition} from {from} to {to}: beyond, it differs \
                 from its leader's since leader epoch {epoch}."
            ),
            None => format!(
                "Broker {broker} cut its log of {partition} from {from} to {to}: its leader has \
                 nothing there."
            ),
        },
        ClusterEvent::SegmentDeleted { partition, broker, segment } => {
            let (from, to) = (segment.base_offset, segment.end_offset);
            let why = of_deletion(&segment.reason);
            format!(
                "Broker {broker} removed the segment of {partition} with offsets {from} to before \
                 {to}: {why}."
            )
        }
        ClusterEvent::LogCleaned { partition, broker, .. } => {
            format!("Broker {broker} compacted {partition}: of each key the newest record stays.")
        }
        ClusterEvent::LogStartMoved { partition, broker, from, to } => {
            format!("The log of {partition} on broker {broker} begins at {to} now, not at {from}.")
        }
        ClusterEvent::ProducersExpired { partition, broker, producers } => {
            let ids: Vec<String> = producers.iter().map(ToString::to_string).collect();
            let (which, ids) =
                (if ids.len() == 1 { "producer" } else { "producers" }, ids.join(", "));
            format!(
                "Broker {broker} forgot {which} {ids} of {partition}: nothing was written for too \
                 long."
            )
        }
        ClusterEvent::DuplicateFound { partition, broker, producer, base_offset, .. } => {
            let (id, sequence) = (producer.producer_id, producer.base_sequence);
            format!(
                "Broker {broker} has the batch with sequence number {sequence} of producer {id} in \
                 {partition} already, at offset {base_offset}: nothing is appended."
            )
        }
        hazard => of_hazard(hazard),
    }
}

/// What went wrong with records, though it is allowed.
fn of_hazard(event: &ClusterEvent) -> String {
    match event {
        ClusterEvent::DuplicateAppended { partition, first, again, count, .. } => {
            let records = if *count == 1 { "a record" } else { "records" };
            format!(
                "A producer has sent {records} of {partition} again: what stands at offset {first} \
                 stands at {again}, too."
            )
        }
        ClusterEvent::OrderChanged { partition, later, at, count, .. } => {
            let records = if *count == 1 { "record that" } else { "records that" };
            format!(
                "{count} {records} a producer had sent before what stands at offset {later} of {partition} \
                 came after it, at offset {at}."
            )
        }
        ClusterEvent::UnansweredLost { partition, count, why } => {
            let why = of_unanswered(*why);
            format!(
                "{count} record(s) of {partition} are lost: {why}. They were sent with acks=0, so their \
                 producer does not hear of it."
            )
        }
        ClusterEvent::RecordsLost { partition, leader, promise, records, from, .. } => {
            let told = match promise {
                Promise::Committed => "were committed",
                Promise::LeaderHasIt => "another leader alone had when it acknowledged them",
                Promise::AllHaveIt => {
                    "a leader that did not know of this election acknowledged with acks=all"
                }
                Promise::Nothing => "another leader took with acks=0, without telling anybody",
            };
            format!(
                "Broker {leader} leads {partition} without {records} record(s) from offset {from} on \
                 that {told}: they are lost."
            )
        }
        _ => String::new(),
    }
}

/// Why records that were sent with acks=0 are in no log.
fn of_unanswered(why: Unanswered) -> String {
    match why {
        Unanswered::Dropped(message) => format!("the network lost message {message}"),
        Unanswered::NobodyListened(broker) => format!("broker {broker} was not running"),
        Unanswered::EndedBefore(broker) => format!("broker {broker} ended before it wrote them"),
        Unanswered::Refused(broker, code) => {
            format!("broker {broker} refused them ({})", code.name())
        }
    }
}

/// Why a segment was closed, behind the sentence that says so.
#[must_use]
pub fn of_roll(rolled: Rolled) -> String {
    let why = match rolled.reason {
        RollReason::SegmentBytes { bytes, most } => {
            format!("The last one would have had {bytes} bytes, and segment.bytes is {most}.")
        }
        RollReason::SegmentMs { waited_ms, most_ms } => format!(
            "The batch is {waited_ms} ms later than the first one of the last segment, which may \
             hold {most_ms} ms."
        ),
        RollReason::IndexFull { most } => {
            format!("An index of the last one was full: segment.index.bytes is {most}.")
        }
        RollReason::RelativeOffset { distance } => {
            format!("Its last offset lies {distance} after the base offset of the last one.")
        }
        RollReason::Retention => "All that it has shall go, also what was written last.".to_owned(),
    };
    let copied = rolled.copied_from.map(|leader| {
        format!(" It copied the batch from broker {leader} and closes its segments by itself.")
    });
    format!(" {why}{}", copied.unwrap_or_default())
}

fn of_deletion(reason: &SegmentDeletionReason) -> String {
    match reason {
        SegmentDeletionReason::LogStartOffsetBreached { log_start_offset, .. } => {
            format!("the log begins at {log_start_offset}, beyond it")
        }
        SegmentDeletionReason::RetentionSizeBreached { size_before, retention_bytes, .. } => {
            format!("the log had {size_before} bytes, and {retention_bytes} are kept")
        }
        SegmentDeletionReason::RetentionMsBreached { retention_ms, .. } => {
            format!("its newest record is older than {retention_ms} ms")
        }
    }
}

fn of_change(
    partition: &TopicPartition,
    before: &PartitionImage,
    after: &PartitionImage,
) -> String {
    let isr = list(&after.isr);
    if let Some(moved) = of_move(partition, before, after) {
        return moved;
    }
    if before.leader == after.leader {
        return format!("In sync for {partition}: {isr}");
    }
    match after.leader {
        Some(leader) => format!(
            "Broker {leader} leads {partition} in epoch {}, in sync: {isr}",
            after.leader_epoch
        ),
        None => format!("Nobody leads {partition}"),
    }
}

/// What a reassignment did to a partition, if it began, ended or changed.
fn of_move(
    partition: &TopicPartition,
    before: &PartitionImage,
    after: &PartitionImage,
) -> Option<String> {
    let same = before.replicas == after.replicas
        && before.adding == after.adding
        && before.removing == after.removing;
    if same {
        return None;
    }
    let (replicas, isr) = (list(&after.replicas), list(&after.isr));
    let leader = after.leader.map_or_else(|| "nobody".to_owned(), |leader| leader.to_string());
    if after.is_reassigning() {
        let (adding, removing) = (list(&after.adding), list(&after.removing));
        return Some(format!(
            "{partition} moves: on {replicas} now, of which {adding} must catch up and {removing} \
             will go; leader {leader}, in sync: {isr}"
        ));
    }
    let epoch = after.leader_epoch;
    Some(format!(
        "{partition} is on {replicas} now; leader {leader} in epoch {epoch}, in sync: {isr}"
    ))
}

fn of_reason(reason: ChangeReason) -> String {
    match reason {
        ChangeReason::Fenced(broker) => format!("broker {broker} was fenced"),
        ChangeReason::Unfenced(broker) => format!("broker {broker} is back"),
        ChangeReason::ControlledShutdown(broker) => format!("broker {broker} is leaving"),
        ChangeReason::UncleanShutdown(broker) => format!("broker {broker} had crashed"),
        ChangeReason::IsrProposal(broker) => format!("its leader, broker {broker}, asked for it"),
        ChangeReason::Election(ElectionType::Preferred) => {
            "somebody asked for the preferred leader".to_owned()
        }
        ChangeReason::Election(ElectionType::Unclean) => {
            "somebody asked for any leader at all".to_owned()
        }
        ChangeReason::Rebalance => "leadership goes back to preferred replicas".to_owned(),
        ChangeReason::UncleanAllowed => "its topic allows any leader at all".to_owned(),
        ChangeReason::Reassignment => "somebody asked for other replicas".to_owned(),
        ChangeReason::ReassignmentCancelled => "somebody called its move off".to_owned(),
    }
}

fn of_fault(fault: &Fault) -> String {
    match fault {
        Fault::Crash(broker) => format!("Broker {broker} crashed."),
        Fault::PowerLoss(broker) => format!("The machine of broker {broker} lost power."),
        Fault::Stop(broker) => format!("Broker {broker} was asked to stop."),
        Fault::Start(broker) => format!("Broker {broker} was started."),
        Fault::Pause(broker) => format!("Broker {broker} was paused."),
        Fault::Resume(broker) => format!("Broker {broker} goes on."),
        Fault::AddRule(Rule { from, to, effect }) => {
            let (from, to) = (party(*from), party(*to));
            match effect {
                Effect::Cut => format!("The network loses what {from} sends to {to}."),
                Effect::Slow(span) => {
                    format!("What {from} sends to {to} takes {} ms longer.", Millis(*span))
                }
            }
        }
        Fault::Heal(one, other) => {
            format!("The network between {} and {} is as usual.", party(*one), party(*other))
        }
        Fault::HealOneWay(from, to) => {
            format!("What {} sends to {} takes its usual time.", party(*from), party(*to))
        }
        Fault::SlowDisk(broker, span) => {
            format!("Each write to the disk of broker {broker} takes {} ms.", Millis(*span))
        }
        Fault::HealDisk(broker) => format!("The disk of broker {broker} is as fast as usual."),
        Fault::HealAll => "The network and the disks are as usual.".to_owned(),
        Fault::Drop(message) => format!("Message {message} was lost on its way."),
    }
}

fn party(party: Party) -> String {
    match party {
        Party::Broker(broker) => format!("broker {broker}"),
        Party::Controller => "the controller".to_owned(),
        Party::Clients => "the clients".to_owned(),
    }
}

fn list(brokers: &[BrokerId]) -> String {
    if brokers.is_empty() {
        return "nobody".to_owned();
    }
    let ids: Vec<String> = brokers.iter().map(ToString::to_string).collect();
    ids.join(", ")
}
