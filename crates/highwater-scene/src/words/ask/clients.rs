//! Sentences that explain the state of groups, of their members, of readers, and of messages on their way.

use highwater_core::broker::waiting::WaitsFor;
use highwater_core::client::kafka_consumer::coordinator::MemberState;
use highwater_core::ids::{BrokerId, NodeId};

use super::node;
use super::says::in_time;
use crate::groups::Share;
use crate::replicas::Health;
use crate::words::{counted, partitions, records};

/// A coordinator that is not well.
#[must_use]
pub fn coordinator_is(id: BrokerId, how: Health) -> String {
    format!(
        "Its coordinator, broker {id}, is {}: nobody can join, commit or leave at this moment.",
        super::health(how)
    )
}

/// A group without members.
#[must_use]
pub fn group_is_empty() -> &'static str {
    "It has no members; what it has committed is kept for when one comes."
}

/// A group that is here no more.
#[must_use]
pub fn group_is_dead() -> &'static str {
    "It is being removed."
}

/// A group that waits for members to join.
#[must_use]
pub fn waits_for_members(is_first: bool, members: i64, ends: Option<u64>) -> String {
    let members = counted(members, "member");
    let ends = ends.map_or_else(String::new, |ends| format!(", at the latest {}", in_time(ends)));
    if is_first {
        format!("It was empty and waits for more members before it begins; it has {members}{ends}.")
    } else {
        format!("It rebalances: it waits until all of {members} have joined again{ends}.")
    }
}

/// A group that waits for its leader.
#[must_use]
pub fn waits_for_leader(generation: i32, leader: &str) -> String {
    format!(
        "Generation {generation} has begun; it waits for {leader}, which leads, to assign the partitions."
    )
}

/// A group at work.
#[must_use]
pub fn group_is_stable(generation: i32, members: i64) -> String {
    let members = counted(members, "member");
    format!("Generation {generation} is at work with {members}.")
}

/// By how much a group lags.
#[must_use]
pub fn group_lags(lag: i64) -> String {
    if lag < 0 {
        return "What it has committed lies beyond what can be read.".to_owned();
    }
    format!("What it has committed is {} behind what can be read.", records(lag))
}

/// Members without partitions.
#[must_use]
pub fn idle_members(count: i64) -> String {
    let members = counted(count, "member");
    let verb = if count == 1 { "has" } else { "have" };
    format!("{members} {verb} no partition.")
}

/// How a member is, and what it waits for.
#[must_use]
pub fn member_is(state: MemberState, given: i64, share: Share) -> String {
    match state {
        MemberState::Unjoined => "It is in no generation of its group at this moment.".to_owned(),
        MemberState::PreparingRebalance => {
            "It has asked to join and waits until the group's next generation begins.".to_owned()
        }
        MemberState::CompletingRebalance => {
            "It is in the generation that has begun and waits for its part.".to_owned()
        }
        MemberState::Stable if given == 0 => has_no_partition(share),
        MemberState::Stable => format!("It has its part: {}.", partitions(given)),
    }
}

/// A member that the assignor gave nothing.
fn has_no_partition(Share { all, taken }: Share) -> String {
    match all {
        0 => "It has no partition: no topic that it reads exists. It waits until one is created.".to_owned(),
        _ if taken < all => format!(
            "It has no partition yet: other members have {taken} of {all}. The rest is given in the next generation, \
             once the consumers hear of it."
        ),
        1 => "It has no partition: another member has the only one. It waits until that member leaves or \
              partitions are added."
            .to_owned(),
        _ => format!(
            "It has no partition: other members have all {all}. It waits until one of them leaves or partitions \
             are added."
        ),
    }
}

/// A member whose client is gone.
#[must_use]
pub fn nobody_behind_it() -> &'static str {
    "No consumer stands behind it any more; the coordinator does not know until its session is over."
}

/// Who has a partition of a member that is gone.
#[must_use]
pub fn is_with(owner: &str) -> String {
    format!("{owner} has it now")
}

/// By how much a reader lags.
#[must_use]
pub fn reader_lags(lag: i64) -> String {
    format!("Its position is {} behind what can be read.", records(lag))
}

/// A reader without partitions.
#[must_use]
pub fn reads_nothing() -> &'static str {
    "It has no position in any partition."
}

/// A reader at the end.
#[must_use]
pub fn has_read_all() -> &'static str {
    "It has read all that can be read."
}

/// A message that waits at a broker.
#[must_use]
pub fn held_at(broker: BrokerId) -> String {
    format!("It has reached broker {broker}, which is paused and does not look at it.")
}

/// A request that a broker has not answered.
#[must_use]
pub fn waits_at(broker: BrokerId) -> String {
    format!("It waits at broker {broker}, which has not answered it yet.")
}

/// For what.
#[must_use]
pub fn waits_for(why: WaitsFor) -> &'static str {
    match why {
        WaitsFor::Records => {
            "There is nothing for it to read: the answer goes out with the first bytes (fetch.min.bytes), or when its \
             time (fetch.max.wait.ms; of a follower replica.fetch.wait.max.ms) is over."
        }
        WaitsFor::Replicas => {
            "The records are in the leader's log; the answer goes out when all in-sync replicas have them (acks=all), \
             or when its time is over."
        }
        WaitsFor::Disk => "What it brought is not written to the disk yet.",
        WaitsFor::Deletion => {
            "The leader has deleted the records; the answer goes out when all live replicas have, too."
        }
        WaitsFor::Group => {
            "The group's coordinator answers when the other members have come, or when what it keeps of the group is \
             written."
        }
        WaitsFor::Controller => "It was passed on to the controller, whose answer is not here yet.",
    }
}

/// A message on its way.
#[must_use]
pub fn on_its_way(to: NodeId, due: u64) -> String {
    format!("It is on its way and reaches {} {}.", node(to), in_time(due))
}

/// A connection that ended.
#[must_use]
pub fn disconnected(refused: bool) -> &'static str {
    if refused {
        "Nobody listens there: the request is never taken."
    } else {
        "The connection is closed: there will be no answer."
    }
}
