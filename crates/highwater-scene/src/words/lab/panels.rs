//! Words of the Lab's panels: groups, messages on their way, totals, futures, the side, tasks and challenges.

use highwater_core::broker::waiting::WaitsFor;
use highwater_core::time::SimDuration;

use super::{THE_CONTROLLER, span};
use crate::words::list;

// ---- Groups ----

/// No groups.
pub const NO_GROUPS: &str =
    "There is no consumer group yet. Start a reader with a group, or a group member.";
/// What the columns mean.
pub const LAG_LEGEND: &str = "Lag: how many records lie between what the group has committed and the high \
                              watermark, where readers stop. Position: the next record that the member gets.";
/// In place of a text twin.
pub const IS_A_TABLE: &str = "The view is a table already.";
/// A column.
pub const MEMBER: &str = "Member";
/// A column.
pub const POSITION: &str = "Position";
/// A column.
pub const COMMITTED: &str = "Committed";
/// A column.
pub const LOG_END: &str = "Readable to";
/// A column.
pub const LAG: &str = "Lag";
/// No member has it.
pub const NOBODY: &str = "nobody";
/// A member has none.
pub const NO_PARTITION: &str = "none";
/// Nothing is committed.
pub const UNKNOWN_LAG: &str = "nothing committed";

/// A group, by ear.
#[must_use]
pub fn group_label(name: &str) -> String {
    format!("Group {name}")
}

/// How a group is.
#[must_use]
pub fn group_about(
    state: &str,
    members: usize,
    generation: i32,
    protocol: &str,
    coordinator: i32,
) -> String {
    let members = match members {
        0 => "no members".to_owned(),
        1 => "1 member".to_owned(),
        count => format!("{count} members"),
    };
    let protocol =
        if protocol.is_empty() { String::new() } else { format!(", assignor {protocol}") };
    format!(
        "{state}, {members}, generation {generation}{protocol}; coordinator: broker {coordinator}"
    )
}

// ---- Messages on their way ----

/// The controller, short.
pub const CONTROLLER: &str = "controller";
/// What the marks mean.
pub const FLIGHT_LEGEND: &str = "A dot is a message on its way: filled asks, hollow answers. Heartbeats and \
                                 fetches that bring nothing are not drawn one by one.";
/// In place of a text twin.
pub const IS_A_LIST: &str = "The view is a list already.";
/// Nothing there.
pub const NOTHING_IN_FLIGHT: &str = "Nothing is on its way at this moment. Switch on Every message and step, or \
                                     send a record and step back.";
/// Takes a fault of the network away.
pub const MEND: &str = "Mend";

/// The drawing, by ear.
#[must_use]
pub fn in_flight(count: usize) -> String {
    match count {
        0 => "Nothing on its way".to_owned(),
        1 => "1 message on its way".to_owned(),
        count => format!("{count} messages on their way"),
    }
}

/// More than are listed.
#[must_use]
pub fn and_more(count: usize) -> String {
    format!("and {count} more")
}

/// A producer, consumer or admin client.
#[must_use]
pub fn client(number: u64, short: bool) -> String {
    if short { format!("c{number}") } else { format!("client {number}") }
}

/// A message.
#[must_use]
pub fn message(api: &str, is_request: bool, from: &str, to: &str) -> String {
    let what = if is_request { "request" } else { "answer" };
    format!("{api} {what}, {from} to {to}")
}

/// The requests that brokers have not answered yet, folded away.
#[must_use]
pub fn waiting_at_brokers(count: usize) -> String {
    format!("Waiting at brokers for an answer: {count}")
}

/// One of them.
#[must_use]
pub fn waits(why: WaitsFor, from: &str, broker: &str) -> String {
    match why {
        WaitsFor::Records => format!("Fetch of {from}: {broker} has nothing for it yet"),
        WaitsFor::Replicas => format!("Produce of {from}: {broker} waits for its in-sync replicas"),
        WaitsFor::Disk => format!("A write of {from}: {broker} waits for its disk"),
        WaitsFor::Deletion => format!("DeleteRecords of {from}: {broker} waits for its replicas"),
        WaitsFor::Group => {
            format!("A request of {from} about its group: {broker} waits for others")
        }
        WaitsFor::Controller => format!("A request of {from}: {broker} waits for the controller"),
    }
}

/// One that a broker does not even look at.
#[must_use]
pub fn waits_at_paused(message: &str) -> String {
    format!("{message}, which is paused")
}

/// When it arrives.
#[must_use]
pub fn due(micros: u64) -> String {
    format!("arrives in {}", span(SimDuration(micros)))
}

/// The button that loses it, by ear.
#[must_use]
pub fn drop_label(message: &str) -> String {
    format!("Drop it: {message}")
}

/// A standing fault.
#[must_use]
pub fn is_cut(from: &str, to: &str) -> String {
    format!("What {} sends {} is lost.", party(from), party(to))
}

/// A standing fault.
#[must_use]
pub fn is_slow(from: &str, to: &str, span: &str) -> String {
    format!("What {} sends {} takes {span} longer.", party(from), party(to))
}

fn party(text: &str) -> String {
    match text {
        "controller" => THE_CONTROLLER.to_owned(),
        "clients" => "a client".to_owned(),
        broker => format!("broker {broker}"),
    }
}

// ---- The task ----

/// Its steps.
pub const TASK: [&str; 5] = [
    "Make a topic: press New topic, then Run.",
    "Send three records or more, with keys of your choice: press Send a record.",
    "Start a reader and see it catch up.",
    "Crash the leader of a partition: open Replicas, press a replica with L, then Crash. Play, and see who takes over.",
    "Press a record, a replica or a broker, and read why it is so.",
];
/// All is done.
pub const TASK_DONE: &str =
    "All five done. The cluster is yours: break something, step back, ask why.";

/// Steps are done.
#[must_use]
pub fn task_steps_done(places: &[usize]) -> String {
    let steps: Vec<String> = places.iter().map(|place| (place + 1).to_string()).collect();
    match steps.as_slice() {
        [only] => format!("Step {only} of 5 is done."),
        steps => format!("Steps {} of 5 are done.", list(steps)),
    }
}

// ---- Challenges ----

/// Its title.
#[must_use]
pub fn challenge(id: &str) -> &'static str {
    match id {
        "lose-acknowledged" => "Lose a record that Kafka acknowledged",
        "read-twice" => "Let a group get a record twice",
        _ => "Let Kafka refuse a write although a leader is alive",
    }
}

/// It was brought about.
#[must_use]
pub fn met(title: &str, commands: u64) -> String {
    let commands =
        if commands == 1 { "1 command".to_owned() } else { format!("{commands} commands") };
    format!("{title}: done, in {commands}. Copy link shares it.")
}

/// It was not.
#[must_use]
pub fn not_met(title: &str) -> String {
    format!("{title}: not yet.")
}

// ---- The top and the side ----

/// Where a run begins.
pub const BEGIN_WITH: &str = "Begin with";
/// Begins.
pub const BEGIN: &str = "Begin";
/// A part of the list of beginnings.
pub const BEGINNINGS: &str = "Free play";
/// A part of the list of beginnings.
pub const SITUATIONS: &str = "Situations";
/// A part of the list of beginnings.
pub const SCENES: &str = "Scenes of the lessons";
/// A part of the list of beginnings.
pub const CHALLENGES: &str = "Challenges";
/// What can be taken away.
pub const SHARE: &str = "Share";
/// A way to share.
pub const COPY_LINK: &str = "Copy link";
/// A way to share.
pub const SAVE_TRANSCRIPT: &str = "Save transcript";
/// Plays a file.
pub const OPEN_FILE: &str = "Open transcript";
/// A way to share.
pub const SAVE_SVG: &str = "Save figure as SVG";
/// A way to share.
pub const SAVE_PNG: &str = "Save figure as PNG";
/// The side, by ear.
pub const SIDE: &str = "What it is and why";
/// A figure of a lesson: back from the reader's run.
pub const LESSON_RUN: &str = "The lesson's run";
/// A figure of a lesson: back to the reader's run.
pub const OWN_RUN: &str = "Back to my run";
/// A figure of a lesson: the whole Lab, at this moment of this run.
pub const OPEN_IN_LAB: &str = "Open in the Lab";
/// A task has no use for a command.
#[must_use]
pub fn not_for_this_task(name: &str, allowed: &str) -> String {
    format!("`{name}` is not for this task. It can be solved with {allowed}.")
}

/// What was done to a cluster before a figure begins; its commands follow.
pub const WHAT_WAS_DONE: &str = "What was done to the cluster";
/// Before what a scene asks to look at.
pub const WATCH_FOR: &str = "Watch:";
/// What stands there when a run came from a link or a file, and nothing says what it is.
pub const OPENED: &str = "An opened run";

/// A beginning, by ear.
#[must_use]
pub fn begun(title: &str, watch: &str, says: &str) -> String {
    match watch {
        "" => format!("{title}. {says}"),
        watch => format!("{title}. {says} {WATCH_FOR} {watch}"),
    }
}

/// A step of the task, by ear.
pub const DONE: &str = "done: ";
/// A heading.
pub const HAZARDS: &str = "Went wrong, though allowed";
/// Nothing went wrong.
pub const NO_HAZARDS: &str = "Nothing so far: no record lost, doubled, skipped or out of order. \
                              A refused write does not count: its sender was told.";
/// A heading.
pub const GUARANTEES: &str = "Kafka's guarantees";
/// Checks them.
pub const CHECK_NOW: &str = "Check now";
/// Goes to what went wrong last.
pub const LAST_HAZARD: &str = "Show the last one";
/// A hazard.
pub const LOST_ACKNOWLEDGED: &str = "acknowledged with acks=1 and lost";
/// A hazard.
pub const LOST_OVERTAKEN: &str = "acknowledged by a leader that was overtaken, and lost";
/// A hazard.
pub const LOST_UNANSWERED: &str = "sent with acks=0 and lost";
/// A hazard.
pub const LOST_COMMITTED: &str = "committed and lost";
/// A hazard.
pub const DUPLICATED: &str = "stored twice";
/// A hazard.
pub const REORDERED: &str = "stored out of order";
/// A hazard.
pub const REDELIVERED: &str = "handed out to a group again";
/// A hazard.
pub const SKIPPED: &str = "skipped by a group";
/// A hazard.
pub const TOO_LATE: &str = "worked on by a member that had lost the partition";
/// A deed.
pub const SHOW_REPLICAS: &str = "Show its replicas";
/// A deed.
pub const ELECT_PREFERRED: &str = "Elect the preferred leader";
/// A deed.
pub const ELECT_UNCLEAN: &str = "Unclean election";
/// A deed.
pub const DELETE_BEFORE: &str = "Delete the records before it";
/// A step between two stops.
pub const A_TIMER: &str =
    "A timer fired, or a message arrived, and nothing of the story came of it.";
/// What happened is not kept.
pub const TOO_LONG_AGO: &str = "What happened here is too long ago to be told; step on or seek.";
/// A command to fill the prompt with.
pub const CHIP_DESCRIBE: &str = "describe the topic";
/// A command to fill the prompt with.
pub const CHIP_OFFSETS: &str = "where it ends";
/// A command to fill the prompt with.
pub const CHIP_PRODUCER: &str = "type records";
/// A command to fill the prompt with.
pub const CHIP_CREATE: &str = "make a topic";
/// A command to fill the prompt with.
pub const CHIP_GROUPS: &str = "all groups";
/// A command to fill the prompt with.
pub const CHIP_HELP: &str = "all commands";
/// Goes to the record that a hazard is about.
pub const THE_RECORD: &str = "the record";
/// Hazards one by one.
pub const LAST_HAZARDS: &str = "The last ones";

/// Goes to a moment.
#[must_use]
pub fn go_to(moment: &str) -> String {
    format!("go to {moment}")
}

// ---- Two futures ----

/// The other one, by ear.
pub const OTHER_FUTURE: &str = "The other future";
/// They are the same.
pub const NO_DIFFERENCE: &str = "At this moment the two futures are the same.";

/// How many differences there are, and the first of them.
#[must_use]
pub fn differences(count: usize, first: &str) -> String {
    let more = if count == 1 { "" } else { "s" };
    format!("The other future is below: {count} difference{more} at this moment. {first}")
}

/// The other one.
#[must_use]
pub fn other_future(moment: &str) -> String {
    format!("The other future at {moment}")
}
/// What was asked about does not exist at this moment.
pub const NOT_THERE: &str =
    "It does not exist at this moment: not yet, or not any more. Step on or back.";

// ---- The chart ----

/// A heading.
pub const SO_FAR: &str = "So far";
/// The chart, by ear.
pub const CHART: &str = "Totals at this moment";
/// A line.
pub const PRODUCED: &str = "Produced";
/// A line.
pub const CONSUMED: &str = "Read";
/// A line.
pub const LAG_OF_ALL: &str = "Lag of all groups";
/// A line.
pub const UNDER_REPLICATED: &str = "Under-replicated partitions";

/// What the marks of the records view mean.
pub const RECORDS_LEGEND: &str = "\u{25b2} the next record that a reader gets; the pin stands behind what its group has \
                                  committed; a dashed record lies beyond the high watermark, where readers may not go yet.";
/// Leads over what stands between.
pub const TO_FIGURE: &str = "Skip to the figure";
/// Leads over what stands between.
pub const TO_DEEDS: &str = "Skip to what you can do";
/// Leads over what stands between.
pub const TO_PROMPT: &str = "Skip to the prompt";

/// The next step of the task.
#[must_use]
pub fn next_step(place: usize, words: &str) -> String {
    format!("Step {} of 5: {words}", place + 1)
}

// ---- Partitions as a table ----

/// What the table is.
pub const PARTITIONS_CAPTION: &str =
    "Partitions, as the controller has them and as their leaders know their logs";
/// Its columns.
pub const PARTITION_COLUMNS: [&str; 9] = [
    "Partition",
    "Leader",
    "Leader epoch",
    "Partition epoch",
    "Replicas",
    "ISR",
    "Log start",
    "High watermark",
    "Log end",
];
