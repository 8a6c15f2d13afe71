//! `kafka-consumer-groups.sh`: lists, describes and deletes groups, and moves their offsets (Kafka's
//! `ConsumerGroupCommand`).

mod csv;
mod date_time;
mod delete;
mod describe;
mod list;
mod options;
mod partitions;
mod re2;
mod reset;
mod table;

use highwater_core::client::admin::groups::{
    GroupsCommand, GroupsQuestion, GroupsReply, NotListed,
};
use highwater_core::client::{ClientCommand, ClientReply, OffsetAnswers, TopicAnswers};
use highwater_core::error::KafkaError;
use highwater_core::ids::{ClientId, GroupId};
use highwater_core::java::hash_map::{Made, chained_order, string_hash};
use highwater_core::net::group::ListedGroup;
use highwater_core::scope::Lab;
use highwater_core::time::SimDuration;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use self::delete::{Deletion, OffsetDeletion};
use self::describe::Description;
use self::list::List;
pub(crate) use self::list::type_name;
pub(super) use self::options::MANUAL;
use self::reset::Reset;
pub(crate) use self::table::{row, width};
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{Options, Problem};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, command_config, log_reply, thrown_by_client};

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaConsumerGroups {
    asker: Asker,
    action: Action,
}

/// What it was asked to do.
#[derive(Clone, Debug)]
enum Action {
    List(List),
    Describe(Description),
    Delete(Deletion),
    DeleteOffsets(OffsetDeletion),
    Reset(Reset),
}

/// The tool's admin client, and for how long it may try (`--timeout`).
#[derive(Clone, Copy, Debug)]
struct Asker {
    client: ClientId,
    timeout: SimDuration,
}

/// What has become of a question.
enum Reply<'a> {
    Groups(&'a GroupsReply),
    Topics(&'a TopicAnswers),
    Offsets(&'a OffsetAnswers),
}

/// Why the tool cannot go on.
enum Failure {
    /// What the options ask for makes no sense.
    Usage(String),
    /// Something was thrown.
    Thrown(Problem),
}

/// What the tool does next, or why it cannot.
type Step = Result<Next, Failure>;

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Thrown(problem)
    }
}

impl Asker {
    fn ask(self, question: GroupsQuestion, out: &mut Out<'_>) {
        let command = GroupsCommand { question, timeout: self.timeout };
        out.command(self.client, ClientCommand::Groups(Lab::new(command)));
    }

    /// Asks which groups there are.
    fn ask_for_all(self, out: &mut Out<'_>) {
        self.ask(GroupsQuestion::List { states: Vec::new(), types: Vec::new() }, out);
    }
}

impl KafkaConsumerGroups {
    /// Reads the options and begins.
    pub(crate) fn start(
        arguments: &[Vec<u8>],
        out: &mut Out<'_>,
    ) -> Result<Box<dyn Program>, Ended> {
        let options = options::read(arguments, out)?;
        if let Some(regex) = options.all("validate-regex").next() {
            let verdict = match re2::complaint(regex) {
                None => "valid".to_owned(),
                Some(complaint) => format!("invalid: {complaint}"),
            };
            let text = format_args!("The regular expression `{regex}` is {verdict}.\n");
            out.print(Fd::Stdout, text);
            return Err(Ended(0));
        }
        match Self::begin(&options, out) {
            Ok(tool) => Ok(Box::new(tool)),
            Err(failure) => Err(failure.end(out)),
        }
    }

    fn begin(options: &Options, out: &mut Out<'_>) -> Result<Self, Failure> {
        let settings = command_config::read(options, out).map_err(|problem| {
            // What cannot be read is thrown on.
            if problem.class.starts_with("java.nio") { rethrown(problem) } else { problem }
        })?;
        let servers = options.one("bootstrap-server")?.unwrap_or_default();
        let client_id = command_config::client(&settings)?.said(out);
        bootstrap::usable_or_why(servers)?;
        let plan = reset::Plan::of(options)?;
        let timeout = options.long("timeout")?.unwrap_or(30_000);
        let timeout = u64::try_from(lower_half(timeout)).unwrap_or(0);
        let bootstrap = servers.to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        let asker = Asker { client, timeout: SimDuration::from_millis(timeout) };
        let action = if options.has("list") {
            Action::List(List::begin(options, asker, out)?)
        } else if options.has("describe") {
            Action::Describe(Description::begin(options, asker, out))
        } else if options.has("delete") {
            Action::Delete(Deletion::begin(options, asker, out))
        } else if options.has("delete-offsets") {
            Action::DeleteOffsets(OffsetDeletion::begin(options, asker, out)?)
        } else {
            Action::Reset(Reset::begin(options, plan, asker, out))
        };
        Ok(Self { asker, action })
    }

    fn handle_reply(&mut self, reply: &ClientReply, out: &mut Out<'_>) -> Step {
        let reply = match reply {
            ClientReply::Log(level, text) => {
                log_reply(level, text, out);
                return Ok(Next::Wait);
            }
            ClientReply::Groups(reply) => Reply::Groups(reply.known()),
            ClientReply::Topics(answers) => Reply::Topics(answers),
            ClientReply::Offsets(answers) => Reply::Offsets(answers),
            _ => return Ok(Next::Wait),
        };
        match &mut self.action {
            Action::List(list) => list.handle(&reply, out),
            Action::Describe(description) => description.handle(&reply, self.asker, out),
            Action::Delete(deletion) => deletion.handle(&reply, self.asker, out),
            Action::DeleteOffsets(deletion) => deletion.handle(&reply, self.asker, out),
            Action::Reset(reset) => reset.handle(&reply, self.asker, out),
        }
    }
}

impl Program for KafkaConsumerGroups {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, reply) => match self.handle_reply(reply, out) {
                Ok(next) => next,
                Err(failure) => Next::Exit(failure.end(out).0),
            },
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

impl Failure {
    /// Says it: what is wrong with the options above the table of options, what was thrown as an error
    /// that ends the tool well.
    fn end(&self, out: &mut Out<'_>) -> Ended {
        match self {
            Self::Usage(text) => MANUAL.refuse(format_args!("{text}"), out),
            Self::Thrown(problem) => {
                let text = &problem.text;
                let text = format!("Executing consumer group command failed due to {text}");
                error(&text, out);
                out.print(Fd::Stderr, format_args!("{}\n", problem.stack()));
                Ended(0)
            }
        }
    }
}

/// Says on standard output that something went wrong (`printError`).
fn error(text: &str, out: &mut Out<'_>) {
    out.print(Fd::Stdout, format_args!("\nError: {text}\n"));
}

/// What an error looks like as text.
fn cause(error: &KafkaError) -> String {
    [error.code.exception(), ": ", &error.message].concat()
}

/// What is thrown where an answer is waited for and is an error.
fn executed(error: &KafkaError) -> Problem {
    let mut problem = thrown_by_client(error);
    problem.causes.push(cause(error));
    problem
}

/// The same, thrown on as another exception.
fn rethrown(problem: Problem) -> Problem {
    let text = [problem.class, ": ", &problem.text].concat();
    let mut causes = vec![text.clone()];
    causes.extend(problem.causes);
    Problem { class: "java.lang.RuntimeException", text, causes }
}

/// What is thrown when it is not known which groups there are; for a table of them, as it was thrown.
fn not_listed(why: &NotListed, is_table: bool) -> Problem {
    let mut problem = executed(&why.error);
    if !why.has_found_brokers {
        let text =
            "org.apache.kafka.common.KafkaException: Failed to find brokers to send ListGroups";
        text.clone_into(&mut problem.text);
        problem.causes.insert(0, text.to_owned());
    }
    if is_table { problem } else { rethrown(problem) }
}

/// What is left of a long number where Java makes an int of it.
fn lower_half(number: i64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// The groups that are named, or all: then it is asked for them first.
fn named_groups(options: &Options) -> Option<Vec<GroupId>> {
    let named = || options.all("group").map(|name| GroupId(name.into())).collect();
    (!options.has("all-groups")).then(named)
}

/// All groups were asked for: goes on with them.
fn ask_of_listed(
    answer: &Result<Vec<ListedGroup>, NotListed>,
    question: impl Fn(Vec<GroupId>) -> GroupsQuestion,
    asker: Asker,
    out: &mut Out<'_>,
) -> Step {
    let groups = ids(answer.as_ref().map_err(|why| not_listed(why, false))?);
    asker.ask(question(groups), out);
    Ok(Next::Wait)
}

/// Ids of groups in the order of the map that a listing is.
fn ids(groups: &[ListedGroup]) -> Vec<GroupId> {
    let groups = groups.iter().filter(|listed| list::is_of_consumers(listed));
    let groups: Vec<GroupId> = groups.map(|listed| listed.group.clone()).collect();
    in_order(&groups, |group| group)
}

/// Things in the order of Java's map of them by group.
fn in_order<T: Clone>(items: &[T], group: impl Fn(&T) -> &GroupId) -> Vec<T> {
    in_order_of(items, group, &[Made::Empty])
}

/// The same through a chain of maps.
fn in_order_of<T: Clone>(items: &[T], group: impl Fn(&T) -> &GroupId, chain: &[Made]) -> Vec<T> {
    let hashes: Vec<i32> = items.iter().map(|item| string_hash(&group(item).0)).collect();
    let order = chained_order(&hashes, chain);
    order.iter().filter_map(|place| items.get(*place as usize).cloned()).collect()
}
