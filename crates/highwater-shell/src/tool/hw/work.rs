//! `hw work`: an application that is a member of a group and takes its time. What may go wrong between
//! reading, working and committing can be seen with it; `kafka-console-consumer.sh` is always done at once.

use std::collections::VecDeque;
use std::rc::Rc;

use highwater_core::client::kafka_consumer::command::{
    CloseOptions, ConsumerCommand, ConsumerReply, GroupMembershipOperation, Offsets,
};
use highwater_core::client::kafka_consumer::config::{ConsumerConfig, Subscription, Topics};
use highwater_core::client::kafka_consumer::{ConsumedRecord, PollError};
use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::ids::{ClientId, Offset, TopicName, TopicPartition};
use highwater_core::net::group::OffsetAndMetadata;
use highwater_core::number;
use highwater_core::scope::Lab;
use highwater_core::time::SimDuration;
use highwater_core::world::group_hazard::Work;
use highwater_core::world::process::{ClientSpec, Fd, NotWritten, ProcessInput};

use super::{GROUP_FORMS, options_of, servers, value};
use crate::process::Out;
use crate::process::shell::{STATUS_INTERRUPTED, STATUS_TERMINATED};
use crate::tool::kafka_console_consumer::properties::Properties;
use crate::tool::options::Options;
use crate::tool::small::Program;
use crate::tool::{Ended, Next, log_reply, refuse};

const SPECS: &str = "\
    ahead\t\n\
    as <name>\t\n\
    commit <when>\t\n\
    from-beginning\t\n\
    group <group>\t\n\
    leave <yes|no>\t\n\
    listener <ms>\t\n\
    property <key=value>\t\n\
    time <ms>\t\n\
    topic <topics>\t";

/// An application that reads ahead stops at so many records.
const MOST_AHEAD: usize = 10_000;

/// The longest time that the work on one record may take: a day.
const MOST_TIME: u64 = 86_400_000;

/// When it commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Commit {
    /// The consumer does it by itself (`enable.auto.commit`).
    Auto,
    /// Before the work on what a poll brought: at most once.
    Before,
    /// After it: at least once.
    After,
    /// In its rebalance listener, when partitions are taken from it, and so when it ends.
    Revoked,
    /// Not at all.
    Never,
}

impl Commit {
    const NAMES: [(&str, Self); 5] = [
        ("auto", Self::Auto),
        ("before", Self::Before),
        ("after", Self::After),
        ("revoked", Self::Revoked),
        ("never", Self::Never),
    ];
}

/// What it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// For records.
    Polling,
    /// For a commit, before the work or after it.
    Committing,
    /// For the end of the work on a record.
    Working,
    /// For its consumer to be closed.
    Closing,
}

/// How far its rebalance listener is.
#[derive(Clone, Debug)]
enum Listening {
    /// It takes its time; what it commits then.
    Waiting(Offsets),
    /// It waits for its commit.
    Committing,
}

/// What a timer of the application is for.
const WORK: u32 = 0;
const LISTENER: u32 = 1;

/// The application.
#[derive(Clone, Debug)]
struct Worker {
    client: ClientId,
    commit: Commit,
    time: SimDuration,
    /// Whether it polls again while it works.
    ahead: bool,
    stage: Stage,
    /// Whether a poll is under way.
    polls: bool,
    queue: VecDeque<ConsumedRecord>,
    /// Whether it has worked since its last commit.
    has_worked: bool,
    /// How long its listener takes when partitions are taken from it.
    listener_time: SimDuration,
    listening: Option<Listening>,
    /// The partitions that it has, each with the offset after the last record that it has worked on.
    owned: Vec<(TopicPartition, Option<Offset>)>,
    operation: GroupMembershipOperation,
    /// The status to end with, once what it has got is done.
    ends: Option<u8>,
}

/// Whether these arguments of `hw` are for it.
pub(crate) fn is_form(arguments: &[Vec<u8>]) -> bool {
    arguments.first().is_some_and(|form| form == b"work")
}

/// Starts it.
pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Box<dyn Program>, Ended> {
    let rest = arguments.get(1..).unwrap_or_default();
    let usage = GROUP_FORMS.first().map_or("", |(usage, _)| usage);
    let options = options_of(("hw work", usage), rest, SPECS, &["group", "topic"], out)?;
    let commit = commit_of(&options, out)?;
    let time = time_of(&options, "time", out)?;
    let listener_time = time_of(&options, "listener", out)?;
    let operation = operation_of(&options, out)?;
    let ahead = options.has("ahead");
    if ahead && matches!(commit, Commit::Before | Commit::After) {
        let text = "hw work: who reads --ahead lets the consumer commit: --commit auto, or never";
        return Err(refuse(format_args!("{text}"), 2, out));
    }
    let mut properties = Properties::default();
    properties.set("client.id", value(&options, "as").unwrap_or("worker"));
    for entry in options.all("property") {
        if !entry.contains('=') {
            let text = format_args!("hw work: --property {entry}: write KEY=VALUE");
            return Err(refuse(text, 2, out));
        }
        properties.add(entry);
    }
    properties.set_reset(options.has("from-beginning"), out)?;
    properties.set("group.id", value(&options, "group").unwrap_or_default());
    properties.set("enable.auto.commit", if commit == Commit::Auto { "true" } else { "false" });
    let config = config_of(&properties)
        .map_err(|(class, text)| refuse(format_args!("hw work: {class}: {text}"), 1, out))?;
    let config = ConsumerConfig { reports_work: true, has_listener: true, ..config };
    let client = out.open(ClientSpec::Consumer(Lab::new((servers(out), Rc::new(config)))));
    let names = value(&options, "topic").unwrap_or_default().split(',').map(TopicName::new);
    let topics = Subscription::Subscribed(Topics::Named(names.collect()));
    out.command(client, ClientCommand::Subscribe(Lab::new(topics)));
    let mut worker = Worker {
        client,
        commit,
        time,
        ahead,
        stage: Stage::Polling,
        polls: false,
        queue: VecDeque::new(),
        has_worked: false,
        listener_time,
        listening: None,
        owned: Vec::new(),
        operation,
        ends: None,
    };
    worker.poll(out);
    Ok(Box::new(worker))
}

/// The consumer that these settings make; or the class and the text of what Java throws.
fn config_of(properties: &Properties) -> Result<ConsumerConfig, (&'static str, String)> {
    let made = properties.construct().map(|(config, _)| config);
    made.map_err(|problem| match problem.causes.into_iter().next() {
        // What is wrong stands in the cause.
        Some(cause) => (problem.class, [&problem.text, ": ", &cause].concat()),
        None => (problem.class, problem.text),
    })
}

fn commit_of(options: &Options, out: &mut Out<'_>) -> Result<Commit, Ended> {
    let name = value(options, "commit").unwrap_or("auto");
    let known = Commit::NAMES.iter().find(|(known, _)| *known == name);
    known.map(|(_, commit)| *commit).ok_or_else(|| {
        let text = format_args!(
            "hw work: --commit takes auto, before, after, revoked or never, not `{name}`"
        );
        refuse(text, 2, out)
    })
}

/// Whether it leaves its group when it ends.
fn operation_of(options: &Options, out: &mut Out<'_>) -> Result<GroupMembershipOperation, Ended> {
    match value(options, "leave") {
        None => Ok(GroupMembershipOperation::Default),
        Some("yes") => Ok(GroupMembershipOperation::LeaveGroup),
        Some("no") => Ok(GroupMembershipOperation::RemainInGroup),
        Some(other) => {
            let text = format_args!("hw work: --leave takes yes or no, not `{other}`");
            Err(refuse(text, 2, out))
        }
    }
}

fn time_of(options: &Options, name: &str, out: &mut Out<'_>) -> Result<SimDuration, Ended> {
    let text = value(options, name).unwrap_or("0");
    let millis = number::unsigned(text).filter(|millis| *millis <= MOST_TIME);
    millis.map(SimDuration::from_millis).ok_or_else(|| {
        let text =
            format_args!("hw work: --{name} takes milliseconds, {MOST_TIME} at most, not `{text}`");
        refuse(text, 2, out)
    })
}

impl Program for Worker {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => log_reply(level, text, out),
            ProcessInput::Reply(_, ClientReply::Consumer(reply)) => {
                return self.handle_reply(reply.known(), out);
            }
            ProcessInput::Reply(_, ClientReply::Polled(records)) => {
                self.polls = false;
                self.queue.extend(records.known().iter().cloned());
                self.take_up(out);
            }
            ProcessInput::Reply(_, ClientReply::PollFailed(error)) => {
                self.polls = false;
                complain("the poll", error.known(), out);
                self.ends = self.ends.or(Some(1));
                self.queue.clear();
                self.close(out);
            }
            ProcessInput::Timer(LISTENER) => {
                if let Some(Listening::Waiting(offsets)) = self.listening.take() {
                    self.commit_in_listener(offsets, out);
                }
            }
            ProcessInput::Timer(_) if self.stage == Stage::Working => {
                self.finish_record(out);
                self.go_on(out);
            }
            ProcessInput::Interrupt => self.end(STATUS_INTERRUPTED, out),
            ProcessInput::NotWritten(Fd::Stdout, NotWritten::NoReader) => self.end(0, out),
            _ => {}
        }
        Next::Wait
    }

    fn terminate(&mut self, out: &mut Out<'_>) -> Next {
        self.end(STATUS_TERMINATED, out);
        Next::Wait
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

impl Worker {
    fn handle_reply(&mut self, reply: &ConsumerReply, out: &mut Out<'_>) -> Next {
        match reply {
            ConsumerReply::Committed(result)
                if matches!(self.listening, Some(Listening::Committing)) =>
            {
                if let Err(error) = result {
                    complain("the listener's commit", error, out);
                }
                self.leave_listener(out);
            }
            ConsumerReply::Committed(result) if self.stage == Stage::Committing => {
                if let Err(error) = result {
                    complain("the commit", error, out);
                }
                self.stage = Stage::Polling;
                self.go_on(out);
            }
            ConsumerReply::Assigned(partitions) => {
                tell("assigned", partitions, out);
                self.owned.extend(partitions.iter().map(|which| (which.clone(), None)));
                self.leave_listener(out);
            }
            ConsumerReply::Revoked(partitions) => {
                tell("revoked", partitions, out);
                let offsets = self.drop_partitions(partitions);
                if self.listener_time == SimDuration(0) {
                    self.commit_in_listener(offsets, out);
                } else {
                    self.listening = Some(Listening::Waiting(offsets));
                    out.wait(self.listener_time, LISTENER);
                }
            }
            ConsumerReply::Lost(partitions) => {
                tell("lost", partitions, out);
                self.drop_partitions(partitions);
                self.leave_listener(out);
            }
            ConsumerReply::Closed => return Next::Exit(self.ends.unwrap_or(0)),
            ConsumerReply::Committed(_) | ConsumerReply::CommitDone(..) => {}
        }
        Next::Wait
    }

    /// These partitions are not its own any more: it does not begin with their records. How far it is.
    fn drop_partitions(&mut self, gone: &[TopicPartition]) -> Offsets {
        let in_work = usize::from(self.stage == Stage::Working);
        let rest = self.queue.split_off(in_work.min(self.queue.len()));
        self.queue.extend(rest.into_iter().filter(|record| !gone.contains(&record.partition)));
        let mut offsets = Vec::new();
        self.owned.retain(|(which, done)| {
            let is_gone = gone.contains(which);
            if let (true, Some(offset)) = (is_gone, *done) {
                let committed =
                    OffsetAndMetadata { offset, leader_epoch: -1, metadata: Rc::from("") };
                offsets.push((which.clone(), committed));
            }
            !is_gone
        });
        offsets
    }

    /// The listener commits, if it is its part, and returns.
    fn commit_in_listener(&mut self, offsets: Offsets, out: &mut Out<'_>) {
        if self.commit != Commit::Revoked || offsets.is_empty() {
            return self.leave_listener(out);
        }
        self.listening = Some(Listening::Committing);
        let commit = ConsumerCommand::CommitSync(Some(offsets));
        out.command(self.client, ClientCommand::Consume(Lab::new(commit)));
    }

    fn leave_listener(&mut self, out: &mut Out<'_>) {
        self.listening = None;
        let done = ConsumerCommand::ListenerDone;
        out.command(self.client, ClientCommand::Consume(Lab::new(done)));
        // Who wanted it to end while it was in its listener had to wait.
        if self.ends.is_some() && self.stage == Stage::Polling {
            self.close(out);
        }
    }

    fn poll(&mut self, out: &mut Out<'_>) {
        if !self.polls {
            self.polls = true;
            out.command(self.client, ClientCommand::PollFor(None));
        }
    }

    /// A poll has brought records.
    fn take_up(&mut self, out: &mut Out<'_>) {
        match self.stage {
            Stage::Polling if self.commit == Commit::Before => self.commit(out),
            Stage::Polling => self.go_on(out),
            Stage::Working if self.ahead && self.queue.len() < MOST_AHEAD => self.poll(out),
            _ => {}
        }
    }

    fn commit(&mut self, out: &mut Out<'_>) {
        self.stage = Stage::Committing;
        let commit = ConsumerCommand::CommitSync(None);
        out.command(self.client, ClientCommand::Consume(Lab::new(commit)));
    }

    /// Takes the next record, or asks for more.
    fn go_on(&mut self, out: &mut Out<'_>) {
        if self.time == SimDuration(0) {
            while !self.queue.is_empty() {
                self.finish_record(out);
            }
        }
        if !self.queue.is_empty() {
            self.stage = Stage::Working;
            out.wait(self.time, WORK);
            if self.ahead && self.queue.len() < MOST_AHEAD && self.ends.is_none() {
                self.poll(out);
            }
            return;
        }
        self.stage = Stage::Polling;
        if self.commit == Commit::After && std::mem::take(&mut self.has_worked) {
            return self.commit(out);
        }
        match self.ends {
            Some(_) => self.close(out),
            None => self.poll(out),
        }
    }

    /// The work on a record is done.
    fn finish_record(&mut self, out: &mut Out<'_>) {
        let Some(record) = self.queue.pop_front() else { return };
        self.has_worked = true;
        let mut text = Vec::new();
        let TopicPartition { topic, partition } = &record.partition;
        text.extend(format!("{topic}-{partition}\tOffset:{}\t", record.offset).into_bytes());
        text.extend(record.record.key.as_deref().unwrap_or(b"null"));
        text.push(b'\t');
        text.extend(record.record.value.as_deref().unwrap_or(b"null"));
        text.push(b'\n');
        out.write(Fd::Stdout, text);
        let owned = self.owned.iter_mut().find(|(which, _)| *which == record.partition);
        if let Some((_, done)) = owned {
            *done = Some(record.offset.plus(1));
        }
        let done = ConsumerCommand::Worked(Work::pieces_of(&[record]));
        out.command(self.client, ClientCommand::Consume(Lab::new(done)));
    }

    /// Somebody wants it to end: it finishes what it has got.
    fn end(&mut self, status: u8, out: &mut Out<'_>) {
        let is_first = self.ends.is_none();
        self.ends = Some(status);
        if is_first && self.stage == Stage::Polling && self.listening.is_none() {
            self.close(out);
        }
    }

    fn close(&mut self, out: &mut Out<'_>) {
        if self.stage != Stage::Closing {
            self.stage = Stage::Closing;
            let options = CloseOptions { operation: self.operation, ..CloseOptions::DEFAULT };
            let close = ConsumerCommand::Close(options);
            out.command(self.client, ClientCommand::Consume(Lab::new(close)));
        }
    }
}

fn tell(what: &str, partitions: &[TopicPartition], out: &mut Out<'_>) {
    let names: Vec<String> = partitions.iter().map(ToString::to_string).collect();
    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    out.print(Fd::Stderr, format_args!("{what}: {names}\n"));
}

fn complain(what: &str, error: &PollError, out: &mut Out<'_>) {
    let message = error.message.as_deref().unwrap_or("");
    out.print(Fd::Stderr, format_args!("{what} failed: {}: {message}\n", error.class));
}
