//! One plain sentence for each thing that happens to a group of consumers.

use highwater_core::ids::MemberId;
use highwater_core::world::group_event::{GroupEvent, Missed, RebalanceReason, Removal, Skipped};

use super::moment;

/// The sentence of an event.
#[must_use]
pub fn sentence(event: &GroupEvent) -> String {
    match event {
        GroupEvent::CoordinatorLoading { broker, partition, bytes } => format!(
            "Broker {broker} leads partition {partition} of __consumer_offsets now. Before it can \
             answer for its groups it reads the log, {bytes} bytes; until then it asks whoever wants \
             something to try again."
        ),
        GroupEvent::CoordinatorLoaded { broker, partition, groups } => format!(
            "Broker {broker} coordinates the groups of partition {partition} of \
             __consumer_offsets from now on; its log tells of {}.",
            count(*groups, "group")
        ),
        GroupEvent::CoordinatorUnloaded { broker, partition, .. } => format!(
            "Broker {broker} leads partition {partition} of __consumer_offsets no more and \
             forgets its groups."
        ),
        GroupEvent::RebalanceStarted { group, generation, was_empty, why } => {
            let why = of_reason(why);
            if *was_empty {
                format!("Group {group} waits for members, because {why}.")
            } else {
                format!(
                    "Group {group} rebalances: generation {generation} ends, because {why}. All \
                     members must join again."
                )
            }
        }
        GroupEvent::GenerationBegan { group, generation, protocol, leader, members } => {
            let members = count(u32::try_from(members.len()).unwrap_or(u32::MAX), "member");
            format!(
                "Generation {generation} of group {group} begins with {members}: {leader} leads \
                 and assigns with {protocol}."
            )
        }
        GroupEvent::StateChanged { group, from, to } => {
            format!("Group {group} is {} now; it was {}.", to.name(), from.name())
        }
        GroupEvent::OffsetsCommitted { group, offsets, .. } => {
            let kept: Vec<String> =
                offsets.iter().map(|(which, offset)| format!("{which} at {offset}")).collect();
            format!("Group {group} commits: {}.", kept.join(", "))
        }
        GroupEvent::OffsetsRemoved { group, partitions, why } => {
            let gone: Vec<String> = partitions.iter().map(ToString::to_string).collect();
            let (gone, why) = (gone.join(", "), of_removal(*why));
            format!("The offsets of group {group} for {gone} are removed, because {why}.")
        }
        GroupEvent::GroupRemoved { group, why } => {
            format!("Group {group} is removed, because {}.", of_removal(*why))
        }
        GroupEvent::RecordsRedelivered { group, partition, from, records, .. } => format!(
            "Group {group} gets {} of {partition} once more, from offset {from} on.",
            count(short(*records), "record")
        ),
        GroupEvent::RecordsSkipped { group, partition, to, records, why, .. } => {
            let why = match why {
                Skipped::CommittedFirst => "they were committed before the work was done",
                Skipped::BeganLater => "the settings sent it behind them",
            };
            let records = count(short(*records), "record");
            format!(
                "Group {group} goes on at offset {to} of {partition} and skips {records}: {why}."
            )
        }
        GroupEvent::WorkedTooLate { group, partition, records, .. } => format!(
            "A member of group {group} has worked on {} of {partition}, which is another member's by now.",
            count(short(*records), "record")
        ),
        member => of_member(member),
    }
}

/// What happened to one member.
fn of_member(event: &GroupEvent) -> String {
    match event {
        GroupEvent::MemberIdGiven { group, member } => {
            format!("The coordinator gave out an id for group {group}: {member}.")
        }
        GroupEvent::MemberJoined { group, member, instance, .. } => match instance {
            Some(instance) => {
                format!("{member} joined group {group} as its static member {instance}.")
            }
            None => format!("{member} joined group {group}."),
        },
        GroupEvent::StaticMemberReplaced { group, instance, old, new } => format!(
            "The static member {instance} of group {group} came back: it is {new} now, and {old} \
             counts no more."
        ),
        GroupEvent::MemberLeft { group, member, .. } => format!("{member} left group {group}."),
        GroupEvent::MemberExpired { group, member, missed, timeout_ms } => {
            let missed = match missed {
                Missed::Heartbeat => format!("nothing was heard of it for {timeout_ms} ms"),
                Missed::Join => "it did not join with the id that it was given".to_owned(),
                Missed::Rejoin => format!("it did not join again within {timeout_ms} ms"),
                Missed::Sync => format!("it did not ask for its part within {timeout_ms} ms"),
            };
            format!("{member} is out of group {group}: {missed}.")
        }
        GroupEvent::MemberFenced { group, member, instance, by } => format!(
            "{member} is fenced: the static member {instance} of group {group} is {by} now."
        ),
        _ => String::new(),
    }
}

fn of_reason(why: &RebalanceReason) -> String {
    match why {
        RebalanceReason::MemberJoins(member) => format!("{member} joins"),
        RebalanceReason::LeaderRejoins(member) => {
            format!("its leader {member} joins again, to assign anew")
        }
        RebalanceReason::MemberChanged(member) => {
            format!("{member} wants something else than before")
        }
        RebalanceReason::ProtocolChanged(member) => {
            format!("with {member} another assignor suits most")
        }
        RebalanceReason::StaticMemberReplaced(member) => {
            format!("{member} came back while parts were given out")
        }
        RebalanceReason::MembersLeft(members) => format!("{} left", list(members)),
        RebalanceReason::MemberExpired(member) => format!("nothing is heard of {member}"),
        RebalanceReason::SyncExpired(members) => {
            format!("{} did not ask for a part in time", list(members))
        }
        RebalanceReason::WriteFailed => "the parts could not be written down".to_owned(),
        RebalanceReason::OverCapacity => "it has more members than it may have".to_owned(),
    }
}

fn of_removal(why: Removal) -> String {
    match why {
        Removal::Asked => "somebody said so".to_owned(),
        Removal::Expired(since) => format!("nobody has used them since {}", moment(since)),
        Removal::TopicDeleted => "the topic is gone".to_owned(),
        Removal::Unused => "it has neither members nor offsets".to_owned(),
    }
}

fn list(members: &[MemberId]) -> String {
    let members: Vec<String> = members.iter().map(ToString::to_string).collect();
    members.join(", ")
}

fn short(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn count(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
