//! Words of the Lab: what is said, time, the terminals; those of its forms and panels are beside.

use highwater_core::time::SimDuration;

mod forms;
mod panels;

pub use super::moment;
pub use forms::*;
pub use panels::*;

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
/// The end of a long way, and the worst that has happened on it.
#[must_use]
pub fn on_the_way(end: &str, worst: &str) -> String {
    format!("{end} On the way: {worst}")
}
/// At the very beginning.
pub const BEGINNING: &str =
    "The cluster has just started. Make a topic, or choose a situation to begin with.";
/// Two futures.
#[must_use]
pub fn forked(moment: &str) -> String {
    format!(
        "You changed the past at {moment}. The other future is kept: compare the two, or switch."
    )
}

/// A figure of a lesson: the reader has changed the past.
#[must_use]
pub fn own_from(moment: &str) -> String {
    format!("From {moment} on, this is a run of your own. The lesson's run is kept.")
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
/// A line that looks like a command, where a producer reads.
#[must_use]
pub fn goes_as_record(tool: &str) -> String {
    format!(
        "{tool} is reading: this line becomes a record. Ctrl-C stops it; a new tab has a prompt."
    )
}
/// The same, where another tool reads.
#[must_use]
pub fn goes_as_input(tool: &str) -> String {
    format!(
        "{tool} is reading: this line goes to it as input. Ctrl-C stops it; a new tab has a prompt."
    )
}
/// An address in a command line at which nobody answers, with the broker and how it is, and one that runs.
#[must_use]
pub fn nobody_answers(down: (&str, i32, &str), other: (&str, i32)) -> String {
    let ((addresses, broker, how), (address, id)) = (down, other);
    format!("{addresses} is broker {broker}, which is {how}. Broker {id} answers at {address}.")
}
/// What was copied.
pub const COPIED: &str = "Copied.";
/// The run does not fit into what is kept.
pub const TOO_LONG_TO_KEEP: &str = "This run has grown too long to be kept for the next visit: what was kept of it ends \
                                    here. Save transcript, under Share, keeps all of it.";
/// Plays what was pasted.
pub const PLAY_PASTED: &str =
    "This looks like a transcript. Its commands are played one after another.";
/// A key.
pub const TAB: &str = "Tab";

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

// ---- What is said ----

/// It plays.
pub const PLAYING: &str = "Playing.";
/// A jump to something that is gone.
pub const NO_SUCH_MOMENT: &str = "That moment is not part of this future any more.";
/// A fork was made.
pub const FORKED: &str =
    "Here is a fork: whatever you do now happens in this future only. The other is kept.";
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
    format!(
        "Your last run could not be read again: {why}. It is set aside in this browser, and the Lab begins anew."
    )
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

/// A line that was typed where nobody reads.
#[must_use]
pub fn ran_elsewhere(busy: u32, free: u32) -> String {
    format!("Terminal {busy} is busy, so this ran in terminal {free}.")
}

/// There are as many terminals as there may be.
#[must_use]
pub fn no_more_terminals(most: u32) -> String {
    format!("There are at most {most} terminals. Stop something in one of them with Ctrl-C.")
}

/// What could stand at the end of the line.
#[must_use]
pub fn choices(count: usize, named: &str) -> String {
    format!("{count} choices: {named}")
}
