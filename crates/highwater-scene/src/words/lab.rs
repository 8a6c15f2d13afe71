//! Words of the Lab: its controls, forms and panels.

use highwater_core::time::{SimDuration, SimTime};

// ---- Fields of forms ----

/// A field.
pub const TOPIC: &str = "Topic";
/// A field.
pub const TOPIC_NAME: &str = "Name";
/// A field.
pub const PARTITION: &str = "Partition";
/// A field.
pub const PARTITIONS: &str = "Partitions";
/// A field.
pub const PARTITIONS_NOW: &str = "Partitions from now on";
/// A field.
pub const REPLICATION_FACTOR: &str = "Replication factor";
/// A field: Kafka's setting by its name.
pub const MIN_ISR: &str = "min.insync.replicas";
/// A field.
pub const KEY: &str = "Key";
/// A field.
pub const VALUE: &str = "Value";
/// A field.
pub const CLIENT: &str = "Client library";
/// A field: Kafka's setting by its name.
pub const ACKS: &str = "acks";
/// A field.
pub const HOW_MANY: &str = "How many";
/// A field.
pub const GROUP: &str = "Group";
/// A field.
pub const FROM_BEGINNING: &str = "From the first record on";
/// A field.
pub const MS_EACH: &str = "Milliseconds of work for each record";
/// A field.
pub const COMMITS: &str = "Commits";
/// A field.
pub const WHAT: &str = "What happens to the link";
/// A field.
pub const FROM: &str = "From";
/// A field.
pub const TO: &str = "To";
/// A field.
pub const MS_LONGER: &str = "Milliseconds longer";
/// A field.
pub const ONE_WAY: &str = "Only this way";
/// A field.
pub const BROKER: &str = "Broker";
/// A field.
pub const MS_WRITE: &str = "Milliseconds for each write (0: as usual)";
/// A field.
pub const BEFORE_OFFSET: &str = "All records before offset";
/// A field.
pub const ELECTION: &str = "Election";
/// A field.
pub const TO_OFFSET: &str = "Goes on";
/// A field.
pub const SECONDS: &str = "Seconds";

/// What an empty field means.
pub const NO_KEY: &str = "no key";
/// What an empty field means.
pub const BY_THE_KEY: &str = "by the key";
/// What an empty field means.
pub const GROUP_OF_ITS_OWN: &str = "one of its own";

/// One end of a link.
pub const THE_CONTROLLER: &str = "the controller";
/// One end of a link.
pub const ALL_CLIENTS: &str = "all clients";
/// What happens to a link.
pub const CUT: &str = "is cut";
/// What happens to a link.
pub const SLOW: &str = "is slow";
/// What happens to a link.
pub const HEAL: &str = "is mended";
/// What happens to a link.
pub const HEAL_ALL: &str = "everything is mended";
/// Where a group goes on.
pub const TO_EARLIEST: &str = "at the first record";
/// Where a group goes on.
pub const TO_LATEST: &str = "behind the last record";
/// Where a group goes on.
pub const ONE_BACK: &str = "one record earlier";
/// Where a group goes on.
pub const ONE_ON: &str = "one record later";

/// What is missing.
pub const NEEDS_TOPIC: &str = "There is no topic yet. Make one first: New topic.";
/// What is missing.
pub const NEEDS_TOPIC_NAME: &str = "Give the topic a name.";
/// What is missing.
pub const NEEDS_NUMBER: &str = "Fill in a number.";
/// What is missing.
pub const NEEDS_GROUP: &str = "Name a group.";
/// What is missing.
pub const NEEDS_TWO_ENDS: &str = "A link has two different ends.";

/// A broker.
#[must_use]
pub fn broker(id: i32) -> String {
    format!("broker {id}")
}

// ---- What can be done ----

/// The bar of deeds, by ear.
pub const DEEDS: &str = "Do something to the cluster";
/// Sends what a form says.
pub const RUN: &str = "Run";
/// Closes a form or a panel.
pub const CLOSE: &str = "Close";
/// More deeds.
pub const MORE: &str = "More";
/// The command that a form makes, by ear.
pub const AS_COMMAND: &str = "The command";

/// The button that opens a form, and the form's name.
#[must_use]
pub fn form(name: &str) -> &'static str {
    match name {
        "send" => "Send a record",
        "read" => "Start a reader",
        "work" => "Start a group member",
        "topic" => "New topic",
        "partitions" => "Add partitions",
        "link" => "Network",
        "disk" => "Slow disk",
        "delete" => "Delete records",
        "elect" => "Elect a leader",
        "reset" => "Move a group",
        _ => "Let time pass",
    }
}

/// What a form is about, in one sentence.
#[must_use]
pub fn form_about(name: &str) -> &'static str {
    match name {
        "send" => "A producer sends it, waits for the answer and ends.",
        "read" => "Kafka's console consumer, in a terminal tab of its own. Ctrl-C stops it.",
        "work" => "A consumer that needs time for each record, in a tab of its own. Start several to see a rebalance.",
        "topic" => "Each partition is a log of its own, copied to as many brokers as the replication factor says.",
        "partitions" => "Only more, never fewer. Keys may change their partition from then on.",
        "link" => "What two send each other is lost, or takes longer.",
        "disk" => "A slow disk makes a broker slow, and a slow follower falls out of the ISR.",
        "delete" => "The log then begins at this offset on every replica.",
        "elect" => "Preferred: back to the first replica. Unclean: somebody outside the ISR may lead, and records may be lost.",
        "reset" => "Only while the group has no members.",
        _ => "Timers fire, retention runs, sessions end.",
    }
}

/// Kills a broker.
pub const CRASH: &str = "Crash";
/// Kills a broker's machine.
pub const POWER_LOSS: &str = "Power loss";
/// Ends a broker.
pub const STOP: &str = "Stop";
/// Starts a broker.
pub const START: &str = "Start";
/// Stops a broker's process in the middle.
pub const PAUSE_BROKER: &str = "Freeze";
/// Lets it go on.
pub const RESUME: &str = "Thaw";
/// Loses a message.
pub const DROP: &str = "Drop it";
/// Runs the command that describes a thing.
pub const DESCRIBE: &str = "Describe";
/// Removes a topic.
pub const DELETE_TOPIC: &str = "Delete topic";
/// Ends a consumer in good order.
pub const STOP_READER: &str = "Stop";
/// Kills a consumer.
pub const KILL_READER: &str = "Kill";
/// Stops a consumer in the middle of what it does.
pub const FREEZE_READER: &str = "Freeze";
/// Lets it go on.
pub const THAW_READER: &str = "Thaw";

// ---- Views ----

/// The choice of a figure, by ear.
pub const VIEWS: &str = "What is drawn";
/// The choice of a topic.
pub const SHOWN_TOPIC: &str = "Topic";

/// A view's name.
#[must_use]
pub fn view(name: &str) -> &'static str {
    match name {
        "records" => "Records",
        "replicas" => "Replicas",
        "groups" => "Groups",
        _ => "In flight",
    }
}

/// A figure's name for a reader by ear.
#[must_use]
pub fn view_label(name: &str) -> &'static str {
    match name {
        "records" => "The topic's partitions with their records and readers",
        "replicas" => "Every replica of every partition, by broker",
        "groups" => "Consumer groups with their members and lag",
        _ => "Requests and answers on their way",
    }
}

// ---- Time ----

/// The transport, by ear.
pub const TIME: &str = "Time";
/// Begins anew.
pub const RESTART: &str = "Restart";
/// Undoes that.
pub const UNDO_RESTART: &str = "Undo restart";
/// Every message is a step.
pub const DETAIL: &str = "Every message";
/// How fast it plays.
pub const SPEED: &str = "Speed";
/// Makes another future.
pub const FORK: &str = "Fork";
/// Goes to the other future.
pub const SWITCH: &str = "Switch futures";
/// Leaves the other future.
pub const END_FORK: &str = "Drop the other";
/// Shows both futures.
pub const COMPARE: &str = "Compare";
/// The timeline, by ear.
pub const TIMELINE: &str = "Timeline";
/// Goes to the next stop of a kind.
pub const JUMP: &str = "Jump to the next";

/// A kind of stop.
#[must_use]
pub fn stop_kind(name: &str) -> &'static str {
    match name {
        "command" => "command",
        "append" => "append",
        "change" => "copy, commit or read",
        "election" => "election or rebalance",
        _ => "failure or loss",
    }
}

/// How fast.
#[must_use]
pub fn speed(name: &str) -> &'static str {
    match name {
        "slow" => "slow",
        "fast" => "fast",
        _ => "normal",
    }
}

/// Where in time.
#[must_use]
pub fn step_of(at: usize, count: usize, moment: &str) -> String {
    format!("step {at} of {count}, {moment}")
}

/// A gap in which nothing happens.
#[must_use]
pub fn gap(span: SimDuration) -> String {
    let ms = span.0 / 1_000;
    match ms {
        0..120_000 => format!("{} s pass", ms / 1_000),
        120_000..7_200_000 => format!("{} min pass", ms / 60_000),
        _ => format!("{} h pass", ms / 3_600_000),
    }
}

/// At the end of what happens by itself.
pub const NOTHING_MORE: &str =
    "Nothing more happens by itself. Do something: send a record, start a reader, crash a broker.";
/// At the very beginning.
pub const BEGINNING: &str =
    "The cluster has just started. Make a topic, or choose a situation to begin with.";
/// Two futures.
#[must_use]
pub fn forked(moment: &str) -> String {
    format!("You changed the past at {moment}. The other future is kept: compare the two, or switch.")
}

// ---- Terminal ----

/// The tabs, by ear.
pub const TERMINALS: &str = "Terminals";
/// A tab.
#[must_use]
pub fn terminal(number: u32, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{number}: {name}"),
        None => format!("{number}"),
    }
}
/// Opens another tab.
pub const NEW_TAB: &str = "New terminal";
/// Copies the commands.
pub const COPY_COMMANDS: &str = "Copy commands";
/// Copies the transcript.
pub const COPY_TRANSCRIPT: &str = "Copy transcript";
/// The completion's candidates, by ear.
pub const CANDIDATES: &str = "What could stand here";
/// A busy terminal.
pub const BUSY: &str = "This command is still running. Ctrl-C stops it; a new tab has a prompt.";
/// What was copied.
pub const COPIED: &str = "Copied.";
/// Plays what was pasted.
pub const PLAY_PASTED: &str = "This looks like a transcript. Its commands are played one after another.";
/// A key.
pub const TAB: &str = "Tab";

/// When.
#[must_use]
pub fn moment(at: SimTime) -> String {
    super::moment(at)
}

/// A span of time.
#[must_use]
pub fn span(span: SimDuration) -> String {
    let (ms, rest) = (span.0 / 1_000, span.0 % 1_000);
    if rest == 0 {
        return format!("{ms} ms");
    }
    let decimals = format!("{rest:03}");
    format!("{ms}.{} ms", decimals.trim_end_matches('0'))
}

// ---- Groups ----

/// No groups.
pub const NO_GROUPS: &str = "There is no consumer group yet. Start a reader with a group, or a group member.";
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
    format!("{state}, {members}, generation {generation}{protocol}; coordinator: broker {coordinator}")
}

/// How far a group is behind.
#[must_use]
pub fn lag(records: i64) -> String {
    records.to_string()
}

// ---- Messages on their way ----

/// The controller, short.
pub const CONTROLLER: &str = "controller";
/// What the marks mean.
pub const FLIGHT_LEGEND: &str = "An arrow is a message on its way: filled asks, hollow answers. Heartbeats and \
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

/// When it arrives.
#[must_use]
pub fn due(micros: u64) -> String {
    format!("arrives in {}", span(SimDuration(micros)))
}

/// The button that loses it, by ear.
#[must_use]
pub fn drop_label(message: &str) -> String {
    format!("Drop: {message}")
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

// ---- What is said ----

/// It plays.
pub const PLAYING: &str = "Playing.";
/// A jump to something that is gone.
pub const NO_SUCH_MOMENT: &str = "That moment is not part of this future any more.";
/// A fork was made.
pub const FORKED: &str = "Here is a fork: whatever you do now happens in this future only. The other is kept.";
/// A restart was made.
pub const RESTARTED: &str = "Begun anew. Undo restart brings back what you had.";
/// A link was made.
pub const LINK_COPIED: &str = "The link is copied. It holds every command so far, up to this moment; whatever you \
                               typed is in it.";
/// A run was kept.
pub const WELCOME_BACK: &str = "Your last run is back. Restart begins anew.";
/// What was pasted has no name.
pub const PASTED: &str = "what you pasted";

/// A jump that leads nowhere.
#[must_use]
pub fn no_stop(kind: &str) -> String {
    format!("No {kind} comes, as far as time was looked ahead.")
}

/// The guarantees were checked.
#[must_use]
pub fn checked(broken: usize) -> String {
    match broken {
        0 => "Every guarantee holds at this moment.".to_owned(),
        1 => "1 guarantee is broken.".to_owned(),
        count => format!("{count} guarantees are broken."),
    }
}

/// What was kept cannot be read.
#[must_use]
pub fn kept_damaged(why: &str) -> String {
    format!("Your last run could not be read again: {why}. It is set aside in this browser, and the Lab begins anew.")
}

/// A file cannot be played.
#[must_use]
pub fn cannot_open(name: &str, why: &str) -> String {
    format!("Cannot play {name}: {why}. What was here is unchanged.")
}

/// There is nothing of that name to begin with.
#[must_use]
pub fn no_such_start(id: &str) -> String {
    let id: String = id.chars().take(40).collect();
    format!("There is no situation named \u{201c}{id}\u{201d}. Choose one from the list.")
}

// ---- The task ----

/// Its steps.
pub const TASK: [&str; 5] = [
    "Make a topic: press New topic, then Run.",
    "Send at least three records with different keys: press Send a record.",
    "Start a reader and see it catch up.",
    "Crash the leader of a partition: open Replicas, press a broker, then Crash. Play, and see who takes over.",
    "Press a record, a replica or a broker, and read why it is so.",
];
/// All is done.
pub const TASK_DONE: &str = "All five done. The cluster is yours: break something, step back, ask why.";

/// A step is done.
#[must_use]
pub fn task_step_done(place: usize) -> String {
    format!("Step {} of 5 is done.", place + 1)
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
    let commands = if commands == 1 { "1 command".to_owned() } else { format!("{commands} commands") };
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
/// Before what a scene asks to look at.
pub const WATCH_FOR: &str = "Watch:";
/// A step of the task, by ear.
pub const DONE: &str = "done: ";
/// A heading.
pub const HAZARDS: &str = "Went wrong, though allowed";
/// Nothing went wrong.
pub const NO_HAZARDS: &str = "Nothing so far: no record lost, doubled, skipped or out of order.";
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
pub const A_TIMER: &str = "A timer fired, or a message arrived, and nothing of the story came of it.";
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

/// The other one.
#[must_use]
pub fn other_future(moment: &str) -> String {
    format!("The other future at {moment}")
}
/// What was asked about does not exist at this moment.
pub const NOT_THERE: &str = "It does not exist at this moment: not yet, or not any more. Step on or back.";

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
