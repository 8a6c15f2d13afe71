//! Completion of a line that is being typed: commands, their options, and the names of what is there.
//!
//! Decides what fits at the end of what has been typed so far. It reads a snapshot and changes nothing.

use highwater_core::client::connection::address_of;
use highwater_core::controller::topic_config;
use highwater_core::world::cluster_view::ClusterView;
use highwater_core::world::snapshot::Snapshot;

use crate::tool::{self, catalogue};

/// What could stand at the end of the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where the word begins that they replace, in bytes.
    pub start: usize,
    /// What fits, in order.
    pub candidates: Vec<Candidate>,
}

/// One of several things that fit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The whole word.
    pub text: String,
    /// What it is, in a few words; empty where its name says it.
    pub about: String,
}

/// Names that a value can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Topics,
    Groups,
    Brokers,
    Addresses,
    /// Topics and partitions, as `t:0`.
    Partitions,
    /// Settings of topics, with `=` behind them.
    TopicSettings,
    Words(&'static [&'static str]),
}

/// What the values of options name.
const VALUES: &[(&str, Names)] = &[
    ("--bootstrap-server", Names::Addresses),
    ("--topic", Names::Topics),
    ("--include", Names::Topics),
    ("--topic-list", Names::Topics),
    ("--topic-partitions", Names::Partitions),
    ("--group", Names::Groups),
    ("--broker", Names::Brokers),
    ("--broker-list", Names::Brokers),
    ("--config", Names::TopicSettings),
    ("--add-config", Names::TopicSettings),
    ("--delete-config", Names::TopicSettings),
    ("--election-type", Names::Words(&["preferred", "unclean"])),
    ("--entity-type", Names::Words(&["brokers", "topics"])),
    ("--offset", Names::Words(&["earliest", "latest"])),
    ("--time", Names::Words(&["earliest", "latest", "max-timestamp"])),
    ("--commit", Names::Words(&["after", "auto", "before", "never"])),
];

/// What fits at the end of this line, which is typed at that moment.
#[must_use]
pub fn complete(line: &str, snapshot: &Snapshot) -> Completion {
    let Some(words) = last_command(line) else { return Completion::default() };
    let Some((current, before)) = words.split_last() else { return Completion::default() };
    let mut candidates = match before {
        [] => commands(),
        [command, words @ ..] => arguments(command.text, words, current.text, snapshot),
    };
    candidates.retain(|candidate| candidate.text.starts_with(current.text));
    candidates.sort();
    candidates.dedup();
    Completion { start: current.start, candidates }
}

/// A word of the line, and where it begins.
#[derive(Clone, Copy, Debug)]
struct Word<'a> {
    start: usize,
    text: &'a str,
}

/// The words of the command that the line ends with, the last one perhaps empty. Nothing inside quotes: what is
/// in them is the person's own.
fn last_command(line: &str) -> Option<Vec<Word<'_>>> {
    let (mut words, mut start, mut quote) = (Vec::new(), None, None);
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        let is_plain = !escaped && quote.is_none();
        escaped = !escaped && c == '\\' && quote != Some('\'');
        match c {
            '\'' | '"' if quote == Some(c) => quote = None,
            '\'' | '"' if is_plain => {
                quote = Some(c);
                start.get_or_insert(at);
            }
            '|' | ';' | '&' | '(' | '{' | '\n' if is_plain => {
                words.clear();
                start = None;
            }
            ' ' | '\t' if is_plain => {
                if let Some(start) = start.take() {
                    words.push(Word { start, text: line.get(start..at)? });
                }
            }
            _ => {
                start.get_or_insert(at);
            }
        }
    }
    if quote.is_some() || escaped {
        return None;
    }
    let start = start.unwrap_or(line.len());
    words.push(Word { start, text: line.get(start..)? });
    Some(words)
}

fn named(text: impl Into<String>) -> Candidate {
    Candidate { text: text.into(), about: String::new() }
}

fn commands() -> Vec<Candidate> {
    let all = catalogue::commands().iter();
    all.map(|command| Candidate { text: command.name.to_owned(), about: command.about.to_owned() })
        .collect()
}

/// What can follow a command and these words.
fn arguments(
    command: &str,
    before: &[Word<'_>],
    current: &str,
    snapshot: &Snapshot,
) -> Vec<Candidate> {
    let last = before.last().map_or("", |word| word.text);
    if command == "hw" && before.is_empty() {
        return forms();
    }
    // `--topic=` and the start of a name.
    if let Some((option, _)) = current.split_once('=')
        && let Some(names) = names_of(option)
    {
        let values = values(names, snapshot).into_iter();
        return values.map(|value| named(format!("{option}={}", value.text))).collect();
    }
    if let Some(names) = names_of(last) {
        return values(names, snapshot);
    }
    let is_fault = command == "hw" && matches!(before, [form] if takes_broker(form.text));
    if is_fault {
        return values(Names::Brokers, snapshot);
    }
    if !current.starts_with('-') {
        return Vec::new();
    }
    let options = tool::known_options::known_options(command).into_iter();
    options.map(|(text, about)| Candidate { text, about: about.to_owned() }).collect()
}

fn names_of(option: &str) -> Option<Names> {
    VALUES.iter().find(|(name, _)| *name == option).map(|(_, names)| *names)
}

/// The forms of `hw`.
fn forms() -> Vec<Candidate> {
    let form = |(usage, about): (&str, &str)| {
        let text = usage.split(' ').nth(1)?.to_owned();
        Some(Candidate { text, about: about.to_owned() })
    };
    let mut forms: Vec<Candidate> = tool::hw::forms().filter_map(form).collect();
    // Of several ways to use one, what the first says.
    forms.dedup_by(|one, other| one.text == other.text);
    forms
}

/// Forms behind which the number of a broker stands.
fn takes_broker(form: &str) -> bool {
    matches!(form, "crash" | "stop" | "start" | "pause" | "resume")
}

fn values(names: Names, snapshot: &Snapshot) -> Vec<Candidate> {
    let cluster = snapshot.cluster.get();
    let brokers = cluster.map_or(&[][..], |cluster| &cluster.brokers).iter();
    match names {
        Names::Topics => snapshot.topics.iter().map(|topic| named(topic.name.as_str())).collect(),
        Names::Partitions => {
            let all = snapshot.topics.iter().flat_map(|topic| {
                topic.partitions.iter().map(|partition| format!("{}:{}", topic.name, partition.id))
            });
            all.map(named).collect()
        }
        Names::Groups => {
            let groups = cluster.into_iter().flat_map(ClusterView::groups);
            groups.map(|(_, group, _)| named(group.to_string())).collect()
        }
        Names::Brokers => brokers.map(|broker| named(broker.id.to_string())).collect(),
        Names::Addresses => brokers.map(|broker| named(address_of(broker.id))).collect(),
        Names::TopicSettings => {
            topic_config::names().map(|name| named(format!("{name}="))).collect()
        }
        Names::Words(words) => words.iter().copied().map(named).collect(),
    }
}
