//! Sentences that explain the state of a thing from its numbers, in the present tense.

use highwater_core::ids::BrokerId;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::cluster_event::ChangeReason;
use highwater_core::world::fault::Millis;

use crate::replicas::Health;
use crate::words::moment;

/// A clause about a follower: there is no process.
pub const IT_IS_DOWN: &str = "it is down";
/// A clause about a follower: its process is stopped.
pub const IT_IS_PAUSED: &str = "it is paused";
/// A replica out of the ISR that may lead all the same.
pub const ELIGIBLE: &str =
    "It is eligible to lead all the same: it has all that was committed when it left.";

/// A record beyond the high watermark; the reason follows.
pub const NOT_READABLE_YET: &str = "Readers may not see it yet: ";

/// Brokers as a set: `{1, 3}`.
#[must_use]
pub fn set(brokers: &[BrokerId]) -> String {
    let ids: Vec<String> = brokers.iter().map(ToString::to_string).collect();
    format!("{{{}}}", ids.join(", "))
}

/// How long: "0.5 ms", "2.5 s".
#[must_use]
pub fn span(micros: u64) -> String {
    if micros < 1_000_000 {
        format!("{} ms", Millis(SimDuration(micros)))
    } else {
        moment(SimTime(micros))
    }
}

/// When: "in 3 ms", "now".
#[must_use]
pub fn in_time(micros: u64) -> String {
    if micros == 0 { "now".to_owned() } else { format!("in {}", span(micros)) }
}

fn brokers(ids: &[BrokerId]) -> String {
    let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let word = if ids.len() == 1 { "broker" } else { "brokers" };
    format!("{word} {}", crate::words::list(&names))
}

fn counted(count: usize, what: &str) -> String {
    crate::words::counted(i64::try_from(count).unwrap_or(i64::MAX), what)
}

/// A record before the high watermark.
#[must_use]
pub fn readable(tide: i64) -> String {
    format!("Readers may see it: it is before the high watermark, {tide}.")
}

/// What can become of a record, by what its log's `cleanup.policy` has, and what cannot.
#[must_use]
pub fn is_never_changed(deletes: bool, compacts: bool) -> String {
    let mut ways = Vec::new();
    if deletes {
        ways.push("retention, with the whole segment that it is in");
    }
    if compacts {
        ways.push("compaction, once a newer record has its key");
    }
    if deletes || !compacts {
        ways.push("kafka-delete-records.sh, with everything before an offset");
    }
    let ways = ways.join("; ");
    format!(
        "No Kafka request changes it in its place, or takes it alone out of the log. What removes it: {ways}."
    )
}

/// A high watermark at the log end.
#[must_use]
pub fn tide_is_the_end(tide: i64, isr: &[BrokerId]) -> String {
    format!("It is the log end, {tide}: all replicas in the ISR {} have everything.", set(isr))
}

/// Why a high watermark is where it is, behind what follows from that.
#[must_use]
pub fn tide_is_the_smallest(before: &str, tide: i64, isr: &[BrokerId]) -> String {
    let (the, isr) = (the_tide(before), set(isr));
    format!(
        "{before}{the} is {tide}, the smallest log end in the ISR {isr} that the leader knows of."
    )
}

/// Too few replicas are in sync for a high watermark to move.
#[must_use]
pub fn tide_stands_still(before: &str, tide: i64, isr: &[BrokerId], wanted: usize) -> String {
    let (the, isr) = (the_tide(before), set(isr));
    format!(
        "{before}{the} stands still at {tide}: the ISR is {isr}, and {wanted} replicas must be in sync."
    )
}

fn the_tide(before: &str) -> &'static str {
    if before.is_empty() { "The high watermark" } else { "the high watermark" }
}

/// A follower that holds the high watermark back: what it has, what its leader knows, what it waits for.
#[must_use]
pub fn held_back(id: BrokerId, has: Option<i64>, known: Option<i64>, why: Option<&str>) -> String {
    let end = match (has, known) {
        (None, _) => format!("Broker {id} has no log yet"),
        (Some(has), None) => {
            format!(
                "The log of broker {id} ends at {has}, but it has not fetched from this leader yet"
            )
        }
        (Some(has), Some(known)) if has > known => format!(
            "The log of broker {id} ends at {has}, but the leader knows of {known} and learns more only from \
             its next fetch"
        ),
        (Some(has), Some(_)) => format!("The log of broker {id} ends at {has}"),
    };
    match why {
        Some(why) => format!("{end}; {why}."),
        None => format!("{end}."),
    }
}

/// A clause: the network loses what two brokers send each other.
#[must_use]
pub fn network_loses(leader: BrokerId) -> String {
    format!("the network loses what it and broker {leader} send each other")
}

/// A clause: an answer with records is on its way.
#[must_use]
pub fn fetched_arrives(due: u64) -> String {
    format!("the answer to its fetch arrives {}", in_time(due))
}

/// A clause: a fetch is on its way.
#[must_use]
pub fn fetch_arrives(due: u64) -> String {
    format!("its next fetch arrives {}", in_time(due))
}

/// A clause: its disk is slow.
#[must_use]
pub fn slow_disk(delay: SimDuration) -> String {
    format!("each write to its disk takes {}", span(delay.0))
}

/// A clause about a replica, as a sentence.
#[must_use]
pub fn at_this_moment(clause: &str) -> String {
    format!("At this moment {clause}.")
}

/// A record that the leader does not have.
#[must_use]
pub fn not_the_leaders(holder: BrokerId, leader: BrokerId, end: i64) -> String {
    format!(
        "Broker {holder} has it, but broker {leader} leads and its log ends at {end}: nobody can read it."
    )
}

/// Another replica has a record where the leader's log ends.
#[must_use]
pub fn has_one_there(id: BrokerId, leader: BrokerId) -> String {
    format!(
        "Broker {id} has a record at this offset that broker {leader}, the leader, does not have."
    )
}

/// Where the next record goes.
#[must_use]
pub fn next_record(leader: BrokerId, offset: i64) -> String {
    format!("The next record that broker {leader} appends gets offset {offset}.")
}

/// Writes are refused.
#[must_use]
pub fn refused(isr: &[BrokerId], wanted: usize) -> String {
    format!(
        "A write with acks=all is refused with NOT_ENOUGH_REPLICAS: the ISR is {}, and {wanted} replicas must be in \
         sync.",
        set(isr)
    )
}

/// A partition without a leader.
#[must_use]
pub fn nobody_leads(partition: &str) -> String {
    format!("Nobody leads {partition}, so it can be neither read nor written.")
}

/// The leader is not there.
#[must_use]
pub fn leader_is_away(leader: BrokerId, how: Health) -> String {
    format!(
        "Broker {leader} is the leader, but it is {}: nobody can read or write until it is back or another one leads.",
        super::health(how)
    )
}

/// A broker was chosen and does not lead yet.
#[must_use]
pub fn leader_has_not_begun(leader: BrokerId) -> String {
    format!("The controller has chosen broker {leader}, which has not heard of it yet.")
}

/// Who could lead, were it well.
#[must_use]
pub fn may_lead_but(id: BrokerId, how: Health) -> String {
    match how {
        Health::Up => format!("Broker {id} may lead."),
        how => format!("Broker {id} could lead, but it is {}.", super::health(how)),
    }
}

/// Who may not lead.
#[must_use]
pub fn no_unclean_leader(others: &[BrokerId]) -> String {
    if others.is_empty() {
        return "No other replica has it.".to_owned();
    }
    format!(
        "The others, {}, may lack committed records, and unclean.leader.election.enable is false.",
        brokers(others)
    )
}

/// Replicas out of the ISR.
#[must_use]
pub fn out_of_sync(out: &[BrokerId]) -> String {
    let all = brokers(out);
    match out {
        [_] => format!("Out of the ISR is {all}: the high watermark does not wait for it."),
        _ => format!("Out of the ISR are {all}: the high watermark does not wait for them."),
    }
}

/// A partition that moves.
#[must_use]
pub fn moves(adding: &[BrokerId], removing: &[BrokerId]) -> String {
    let (adding, removing) = (set(adding), set(removing));
    format!("It moves: {adding} must catch up, then {removing} will go.")
}

/// A partition with nothing to say of.
#[must_use]
pub fn all_is_well(isr: &[BrokerId]) -> String {
    format!(
        "All is well: every replica is in the ISR {}, and readers may see all records.",
        set(isr)
    )
}

/// A replica that leads.
#[must_use]
pub fn it_leads(id: BrokerId) -> String {
    format!("Broker {id} leads: it takes writes, and the others copy from it.")
}

/// A replica that has all, or had it a moment ago.
#[must_use]
pub fn in_sync(id: BrokerId) -> String {
    format!("Broker {id} is in sync: it has all that its leader has.")
}

/// A replica that is behind, but not for too long.
#[must_use]
pub fn in_sync_though_behind(id: BrokerId, lag_max: Option<&str>) -> String {
    let limit = lag_max.map_or_else(String::new, |max| format!(" of {max} ms"));
    format!(
        "Broker {id} counts as in sync though it is behind, as long as replica.lag.time.max.ms{limit} is not over."
    )
}

/// A replica out of the ISR, and nothing is known of how it came to that.
#[must_use]
pub fn out(id: BrokerId) -> String {
    format!("Broker {id} is out of the ISR: the high watermark does not wait for it.")
}

/// Since when a replica is out of the ISR, and by which rule.
#[must_use]
pub fn out_since(
    id: BrokerId,
    at: SimTime,
    reason: ChangeReason,
    lagging: Option<Option<SimTime>>,
    lag_max: Option<&str>,
) -> String {
    let at = moment(at);
    let rule = match (reason, lagging) {
        (ChangeReason::IsrProposal(leader), Some(since)) => {
            let max = lag_max.map_or_else(String::new, |max| format!(" ({max} ms)"));
            let since = since.map_or_else(
                || "never had all that the leader has".to_owned(),
                |since| format!("had last had all at {}", moment(since)),
            );
            format!(
                "broker {leader} leads and asked for it, since broker {id} {since}, longer ago than \
                     replica.lag.time.max.ms{max}"
            )
        }
        (ChangeReason::Fenced(broker), _) => format!("the controller fenced broker {broker}"),
        (ChangeReason::ControlledShutdown(broker), _) => format!("broker {broker} is leaving"),
        (ChangeReason::UncleanShutdown(broker), _) => {
            format!("broker {broker} came back from a crash and may have lost records")
        }
        (ChangeReason::IsrProposal(leader), None) => {
            format!("broker {leader}, the leader, asked for it")
        }
        (ChangeReason::Reassignment | ChangeReason::ReassignmentCancelled, _) => {
            "the partition moves to other brokers".to_owned()
        }
        (
            ChangeReason::UncleanAllowed
            | ChangeReason::Election(_)
            | ChangeReason::Rebalance
            | ChangeReason::Unfenced(_),
            _,
        ) => "another leader was elected".to_owned(),
    };
    format!("Broker {id} is out of the ISR since {at}: {rule}.")
}

/// How a broker is.
#[must_use]
pub fn broker_is(id: BrokerId, how: Health, waiting: Option<u64>) -> String {
    match how {
        Health::Up => format!("Broker {id} is running and may lead."),
        Health::Down => format!(
            "Broker {id} has no process: it answers nobody, and what it wrote is on its disk."
        ),
        Health::Paused => {
            let steps = waiting.map_or(0, |steps| i64::try_from(steps).unwrap_or(i64::MAX));
            let steps = crate::words::counted(steps, "step");
            format!(
                "The process of broker {id} is stopped in the middle of what it does; {steps} wait for it."
            )
        }
        Health::Starting => {
            format!("Broker {id} is starting: it reads its logs and the metadata log first.")
        }
        Health::Stopping => format!("Broker {id} hands its partitions over and leaves."),
        Health::Fenced => format!("Broker {id} is running, but it may not lead."),
    }
}

/// A fenced broker.
#[must_use]
pub fn fenced(last_contact: Option<SimTime>) -> String {
    match last_contact {
        Some(at) => format!(
            "The controller has fenced it: its last heartbeat came at {}, so it leads nothing.",
            moment(at)
        ),
        None => "The controller has fenced it, so it leads nothing.".to_owned(),
    }
}

/// A broker of which nothing is heard, before it is fenced.
#[must_use]
pub fn fenced_soon(end: SimTime, now: SimTime) -> String {
    if end <= now {
        return "The controller hears nothing of it and fences it when it looks next.".to_owned();
    }
    let left = span(end.0 - now.0);
    format!(
        "The controller does not know yet: it waits for a heartbeat until {}, in {left}.",
        moment(end)
    )
}

/// A slow disk.
#[must_use]
pub fn each_write(delay: SimDuration) -> String {
    format!("Each write to its disk takes {}.", span(delay.0))
}

/// A topic's partitions.
#[must_use]
pub fn topic_is(count: usize, leaderless: usize, under: usize) -> String {
    let lack = |number: usize| if number == 1 { "lacks" } else { "lack" };
    match (leaderless, under) {
        (0, 0) => format!(
            "All is well: {} with a leader and all replicas in sync.",
            counted(count, "partition")
        ),
        (0, under) => {
            format!("Of {count} partitions, {under} {} a replica in the ISR.", lack(under))
        }
        (none, under) => {
            format!(
                "Of {count} partitions, {none} {} a leader and {under} a replica in the ISR.",
                lack(none)
            )
        }
    }
}

/// Partitions that refuse writes.
#[must_use]
pub fn partitions_refuse(count: usize) -> String {
    let all = counted(count, "partition");
    let verb = if count == 1 { "refuses" } else { "refuse" };
    format!("{all} {verb} writes with acks=all: too few replicas are in sync.")
}

/// What the controller knows of brokers.
#[must_use]
pub fn controller_knows(registered: usize, fenced: usize) -> String {
    let all = counted(registered, "broker");
    match fenced {
        0 => format!("It decides who leads; {all} are registered and none is fenced."),
        1 => format!("It decides who leads; {all} are registered, and one of them is fenced."),
        _ => {
            format!("It decides who leads; {all} are registered, and {fenced} of them are fenced.")
        }
    }
}

/// Partitions without a leader.
#[must_use]
pub fn leaderless(count: usize) -> String {
    let verb = if count == 1 { "has" } else { "have" };
    format!("{} {verb} no leader.", counted(count, "partition"))
}
