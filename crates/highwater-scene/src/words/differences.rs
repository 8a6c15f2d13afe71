//! What is different between two moments, one plain sentence each: here, and there.

use highwater_core::broker::lifecycle::Stage;
use highwater_core::controller::records::PartitionImage;
use highwater_core::world::compare::{Both, Bounds, Difference, GroupStanding};

/// The sentence of a difference; "here" is the future that is shown, "there" the other one.
#[must_use]
pub fn sentence(difference: &Difference) -> String {
    match difference {
        Difference::Topic { topic, exists } => match (exists.here, exists.there) {
            (true, false) => format!("Topic {topic} is only here."),
            (false, true) => format!("Topic {topic} is only there."),
            _ => format!("Topic {topic} was made anew: it is another one here than there."),
        },
        Difference::PartitionCount { topic, count } => {
            let Both { here, there } = count;
            format!("Topic {topic} has {here} partitions here and {there} there.")
        }
        Difference::Configs { topic, set } => {
            let Both { here, there } = set;
            format!(
                "Topic {topic} has other settings: here {}, there {}.",
                pairs(here),
                pairs(there)
            )
        }
        Difference::Partition { partition, image } => {
            let Both { here, there } = image;
            format!("{partition}: here {}; there {}.", leads(here), leads(there))
        }
        Difference::Replica { broker, partition, bounds, parts_at } => {
            let Both { here, there } = bounds;
            let parts = parts_at
                .map(|offset| format!(" Other records stand there from offset {offset} on."));
            format!(
                "Broker {broker} holds of {partition}: here {}; there {}.{}",
                holds(*here),
                holds(*there),
                parts.unwrap_or_default()
            )
        }
        other => of_state(other),
    }
}

/// The rest: brokers, the network, groups, readers, terminals.
fn of_state(difference: &Difference) -> String {
    match difference {
        Difference::Broker { broker, state } => {
            let Both { here, there } = state;
            format!("Broker {broker} is {} here and {} there.", stage(*here), stage(*there))
        }
        Difference::Disk { broker, .. } => {
            format!("The disk of broker {broker} is not equally fast here and there.")
        }
        Difference::Network { rules } => {
            let count = |rules: usize| {
                if rules == 0 {
                    "as usual".to_owned()
                } else {
                    format!("disturbed in {rules} ways")
                }
            };
            format!(
                "The network is {} here and {} there.",
                count(rules.here.len()),
                count(rules.there.len())
            )
        }
        Difference::BrokerConfigs { set, .. } => {
            let Both { here, there } = set;
            format!("Brokers have other settings: here {}, there {}.", pairs(here), pairs(there))
        }
        Difference::Group { group, stands } => {
            let Both { here, there } = stands;
            format!("Group {group}: here {}; there {}.", group_stands(*here), group_stands(*there))
        }
        Difference::Committed { group, partition, offset } => {
            let at = |offset: Option<_>| {
                offset.map_or_else(
                    || "nothing".to_owned(),
                    |it: highwater_core::ids::Offset| it.to_string(),
                )
            };
            format!(
                "Group {group} has committed {} of {partition} here and {} there.",
                at(offset.here),
                at(offset.there)
            )
        }
        Difference::Position { reader, partition, next } => {
            let at = |next: Option<_>| {
                next.map_or_else(
                    || "nowhere".to_owned(),
                    |it: highwater_core::ids::Offset| format!("at {it}"),
                )
            };
            format!(
                "Reader {reader} is {} in {partition} here and {} there.",
                at(next.here),
                at(next.there)
            )
        }
        Difference::Output { terminal, .. } => {
            format!("Terminal {} shows something else.", terminal.0)
        }
        _ => String::new(),
    }
}

fn pairs(set: &[(String, String)]) -> String {
    if set.is_empty() {
        return "none".to_owned();
    }
    let pairs: Vec<String> = set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join(", ")
}

fn leads(image: &PartitionImage) -> String {
    let leader = image
        .leader
        .map_or_else(|| "nobody leads".to_owned(), |leader| format!("broker {leader} leads"));
    let isr: Vec<String> = image.isr.iter().map(ToString::to_string).collect();
    format!("{leader} in epoch {}, ISR {}", image.leader_epoch, isr.join(", "))
}

fn holds(bounds: Option<Bounds>) -> String {
    match bounds {
        None => "nothing".to_owned(),
        Some(Bounds { log_start, high_watermark, log_end }) if log_start < log_end => {
            let last = log_end.0 - 1;
            format!("records {log_start} to {last}, high watermark {high_watermark}")
        }
        Some(Bounds { high_watermark, .. }) => {
            format!("no records, high watermark {high_watermark}")
        }
    }
}

fn stage((stage, paused): (Stage, bool)) -> &'static str {
    match stage {
        _ if paused => "frozen",
        Stage::Down => "down",
        Stage::Booting | Stage::Registering | Stage::CatchingUp => "starting",
        Stage::Running => "up",
        Stage::ShuttingDown => "stopping",
    }
}

fn group_stands(standing: Option<GroupStanding>) -> String {
    match standing {
        None => "it does not exist".to_owned(),
        Some(GroupStanding { state, generation, members, .. }) => {
            format!("{}, generation {generation}, members: {members}", state.name())
        }
    }
}
