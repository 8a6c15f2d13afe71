//! Words of the Lab's forms, and of what can be done.

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
        "work" => {
            "A consumer that needs time for each record, in a tab of its own. Start several to see a rebalance."
        }
        "topic" => {
            "Each partition is a log of its own, copied to as many brokers as the replication factor says."
        }
        "partitions" => "Only more, never fewer. Keys may change their partition from then on.",
        "link" => "What two send each other is lost, or takes longer.",
        "disk" => "A slow disk makes a broker slow, and a slow follower falls out of the ISR.",
        "delete" => "The log then begins at this offset on every replica.",
        "elect" => {
            "Preferred: back to the first replica. Unclean: somebody outside the ISR may lead, and records may be lost."
        }
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

/// A number that is missing, or out of its range.
#[must_use]
pub fn needs_number(label: &str, least: i64, most: i64) -> String {
    if most == i64::MAX {
        return format!("{label}: fill in a number from {least} on.");
    }
    format!("{label}: fill in a number from {least} to {most}.")
}
