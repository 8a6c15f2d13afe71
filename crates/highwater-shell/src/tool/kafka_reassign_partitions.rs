//! `kafka-reassign-partitions.sh`: moves partitions to other brokers (Kafka's
//! `ReassignPartitionsCommand`).
//!
//! The tool asks one thing after the other. Here is what is common to its actions; `execute`, `verify`
//! (with `--cancel`) and `generate` decide what each asks next and what it prints.

mod execute;
mod generate;
mod options;
mod plan;
mod throttle;
mod verify;

use std::fmt;
use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply, LogDirsAnswer, TopicAnswers};
use highwater_core::controller::records::{MetadataImage, PartitionImage, TopicImage};
use highwater_core::controller::topic_name;
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{BrokerId, ClientId, TopicName, TopicPartition};
use highwater_core::net::admin::{AdminAnswer, AdminRequest, ConfigChanges, Reassignments};
use highwater_core::net::log_dirs::{LogDirsRequest, LogDirsResponse};
use highwater_core::net::message::{Node, PartitionOutcomes};
use highwater_core::scope::Lab;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::time::SimTime;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

pub(super) use self::options::MANUAL;
use self::options::{action, long};
use self::plan::Plan;
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{Options, Problem};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply, refuse};

const COMMAND_FAILED: &str = "org.apache.kafka.tools.AdminCommandFailedException";
const OPERATION_FAILED: &str = "org.apache.kafka.tools.AdminOperationException";
const EXECUTION_EXCEPTION: &str = "java.util.concurrent.ExecutionException";

/// How Java prints the text of an exception that has none.
const NO_TEXT: &str = "null";

/// What the tool shall do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Generate,
    Execute,
    Verify,
    Cancel,
    List,
}

/// What was asked for.
#[derive(Clone, Debug)]
struct Job {
    action: Action,
    plan: Plan,
    /// For `--generate`: the topics, and where to.
    topics: Vec<TopicName>,
    brokers: Vec<BrokerId>,
    disable_rack_aware: bool,
    additional: bool,
    preserve_throttles: bool,
    disallow_replication_factor_change: bool,
    /// Bytes a second; below 0: none.
    throttle: i64,
    log_dirs_throttle: i64,
    /// How long replicas may be waited for that shall change folders, in ms.
    timeout: i64,
}

/// What the tool has asked last. The actions say what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Ongoing,
    Brokers,
    Topics,
    LogDirs,
    TopicThrottles,
    BrokerThrottles,
    LogDirsThrottles,
    Alter,
    Moves,
}

/// What is known so far.
#[derive(Clone, Debug, Default)]
struct Seen {
    ongoing: Vec<(TopicPartition, Rc<PartitionImage>)>,
    brokers: Vec<Node>,
    topics: TopicAnswers,
    log_dirs: Vec<LogDirsAnswer>,
}

impl Seen {
    fn brokers(&self) -> Vec<BrokerId> {
        self.brokers.iter().map(|node| node.id).collect()
    }
}

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaReassignPartitions {
    client: ClientId,
    job: Rc<Job>,
    stage: Stage,
    seen: Seen,
    /// Changes of settings that are still to be asked for; the next one is the last.
    configs: Vec<ConfigChanges>,
    /// Replicas that have not begun to change folders, and since when that is tried.
    moves: Vec<(Replica, String)>,
    moving_since: SimTime,
}

/// A replica, as the tool sorts them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Replica {
    broker: BrokerId,
    which: TopicPartition,
}

impl fmt::Display for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.which, self.broker)
    }
}

/// Why the tool ends early.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// It says so.
    Terse(String),
    /// Something was thrown.
    Thrown(Problem),
}

impl Failure {
    fn thrown(class: &'static str, text: impl Into<String>) -> Self {
        Self::Thrown(Problem::new(class, text))
    }

    /// What a broker answered, or the client for it.
    fn answered(error: &KafkaError) -> Self {
        let cause = exception(error);
        let text = cause.clone();
        Self::Thrown(Problem { class: EXECUTION_EXCEPTION, text, causes: vec![cause] })
    }

    /// Says it, on standard output like everything that this tool says.
    fn tell(&self, out: &mut Out<'_>) -> Ended {
        let said = match self {
            Self::Terse(text) => format!("{text}\n"),
            Self::Thrown(problem) => {
                // An exception without a text has none to Java either.
                let stack = problem.stack().replacen(&[": ", NO_TEXT].concat(), "", 1);
                format!("Error: {}\n{stack}\n\n", problem.text)
            }
        };
        out.write(Fd::Stdout, said);
        Ended(1)
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::thrown(problem.class, problem.text)
    }
}

/// An error as Java prints it.
fn exception(error: &KafkaError) -> String {
    [error.code.exception(), ": ", &error.message].concat()
}

/// Things between separators.
fn list<T: fmt::Display>(items: &[T], separator: &str) -> String {
    let texts: Vec<String> = items.iter().map(ToString::to_string).collect();
    texts.join(separator)
}

/// What is going on, with the end of the tool or its failure.
type Gone = Result<Next, Failure>;

impl KafkaReassignPartitions {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        let action = action(&options, out)?;
        if options.has("bootstrap-controller") {
            let text = "Highwater's controller takes no clients yet: use --bootstrap-server.";
            return Err(refuse(format_args!("{text}"), 1, out));
        }
        let begun = Self::begin(action, &options, out);
        begun.map_err(|failure| failure.tell(out))
    }

    fn begin(action: Action, options: &Options, out: &mut Out<'_>) -> Result<Self, Failure> {
        let Some(bootstrap) = options.one("bootstrap-server")? else {
            return Err(Failure::thrown("java.lang.NullPointerException", NO_TEXT));
        };
        bootstrap::usable(bootstrap)?;
        let job = Rc::new(job(action, options, out)?);
        let (bootstrap, client_id) = (bootstrap.to_owned(), "reassign-partitions-tool".to_owned());
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        let mut tool = Self {
            client,
            job,
            stage: Stage::Ongoing,
            seen: Seen::default(),
            configs: Vec::new(),
            moves: Vec::new(),
            moving_since: out.now(),
        };
        match action {
            Action::Generate => tool.ask_topics(out),
            Action::Cancel => {
                let meant = tool.job.plan.partitions.iter().map(|(which, _)| which.clone());
                tool.ask_ongoing(Some(meant.collect()), out)
            }
            _ => tool.ask_ongoing(None, out),
        };
        Ok(tool)
    }

    fn ask(&mut self, stage: Stage, command: ClientCommand, out: &mut Out<'_>) -> Next {
        self.stage = stage;
        out.command(self.client, command);
        Next::Wait
    }

    fn ask_ongoing(&mut self, of: Option<Vec<TopicPartition>>, out: &mut Out<'_>) -> Next {
        let request = AdminRequest::ListPartitionReassignments(Lab::new(of));
        self.ask(Stage::Ongoing, ClientCommand::Ask(Rc::new(request)), out)
    }

    fn ask_brokers(&mut self, out: &mut Out<'_>) -> Next {
        self.ask(Stage::Brokers, ClientCommand::DescribeCluster, out)
    }

    fn ask_topics(&mut self, out: &mut Out<'_>) -> Next {
        self.ask(Stage::Topics, ClientCommand::DescribeTopics, out)
    }

    /// Asks these brokers what is in their folders.
    fn ask_log_dirs(&mut self, mut brokers: Vec<BrokerId>, out: &mut Out<'_>) -> Gone {
        sort_by_key(&mut brokers, |broker| *broker);
        brokers.dedup();
        if brokers.is_empty() {
            self.stage = Stage::LogDirs;
            return self.go_on(out);
        }
        let questions = brokers.into_iter().map(|broker| (broker, LogDirsRequest::Describe));
        let command = ClientCommand::AskLogDirs(Lab::new(questions.collect()));
        Ok(self.ask(Stage::LogDirs, command, out))
    }

    /// Asks for changes of settings, one after the other.
    fn ask_configs(
        &mut self,
        stage: Stage,
        mut changes: Vec<ConfigChanges>,
        out: &mut Out<'_>,
    ) -> Gone {
        changes.reverse();
        (self.stage, self.configs) = (stage, changes);
        self.next_config(out)
    }

    fn next_config(&mut self, out: &mut Out<'_>) -> Gone {
        let Some(changes) = self.configs.pop() else { return self.go_on(out) };
        let request = Rc::new(AdminRequest::AlterConfigs(Lab::new(changes)));
        Ok(self.ask(self.stage, ClientCommand::AskPatiently(request), out))
    }

    fn ask_alter(&mut self, moves: Reassignments, out: &mut Out<'_>) -> Next {
        let request = AdminRequest::AlterPartitionReassignments(Lab::new(moves));
        self.ask(Stage::Alter, ClientCommand::Ask(Rc::new(request)), out)
    }

    fn handle_reply(&mut self, reply: &ClientReply, out: &mut Out<'_>) -> Gone {
        match reply {
            ClientReply::Log(level, text) => {
                log_reply(level, text, out);
                return Ok(Next::Wait);
            }
            ClientReply::Answer(answer) => return self.handle_answer(answer, out),
            ClientReply::Topics(topics) => self.seen.topics = known(topics)?,
            ClientReply::Cluster(brokers) => {
                let brokers = brokers.known().as_ref().map_err(Failure::answered)?;
                self.seen.brokers.clone_from(brokers);
            }
            ClientReply::LogDirs(answers) => {
                let answers = answers.known().as_ref();
                if self.stage == Stage::Moves {
                    return self.note_moves(answers, out);
                }
                self.seen.log_dirs.clone_from(answers.map_err(Failure::answered)?);
            }
            _ => return Ok(Next::Wait),
        }
        self.go_on(out)
    }

    fn handle_answer(&mut self, answer: &AdminAnswer, out: &mut Out<'_>) -> Gone {
        match answer {
            AdminAnswer::ReassignmentsListed(listed) => {
                let listed = listed.known().as_ref().map_err(Failure::answered)?;
                self.seen.ongoing.clone_from(listed);
                self.go_on(out)
            }
            AdminAnswer::ConfigsAltered(outcome) => {
                outcome.known().as_ref().map_err(Failure::answered)?;
                self.next_config(out)
            }
            AdminAnswer::ReassignmentsAltered(outcomes) => {
                self.check_altered(outcomes.known())?;
                self.go_on(out)
            }
            _ => Ok(Next::Wait),
        }
    }

    /// Whether all moves were begun, or called off.
    fn check_altered(&self, outcomes: &PartitionOutcomes) -> Result<(), Failure> {
        let mut failed = Vec::new();
        for (which, outcome) in outcomes.iter() {
            failed.extend(outcome.as_ref().err().map(|error| (which, &error.message)));
        }
        sort_by_key(&mut failed, |(which, _)| (*which).clone());
        let lines: Vec<String> =
            failed.iter().map(|(which, text)| format!("{which}: {text}")).collect();
        let many = if lines.len() == 1 { "" } else { "s" };
        let head = match self.job.action {
            _ if lines.is_empty() => return Ok(()),
            Action::Cancel => format!("Error cancelling partition reassignment{many} for:"),
            _ => "Error reassigning partition(s):".to_owned(),
        };
        Err(Failure::Terse([&head, "\n", &lines.join("\n")].concat()))
    }

    /// The last question is answered: the next one, or the end.
    fn go_on(&mut self, out: &mut Out<'_>) -> Gone {
        match self.job.action {
            Action::Execute => self.go_on_execute(out),
            Action::Verify => self.go_on_verify(out),
            Action::Cancel => self.go_on_cancel(out),
            Action::Generate => self.go_on_generate(out),
            Action::List => {
                self.print_ongoing(out);
                Ok(Next::Exit(0))
            }
        }
    }

    /// `--list`
    fn print_ongoing(&self, out: &mut Out<'_>) {
        let mut text = "No partition reassignments found.\n".to_owned();
        if !self.seen.ongoing.is_empty() {
            text = "Current partition reassignments:\n".to_owned();
        }
        for (which, partition) in &self.seen.ongoing {
            text.push_str(&format!("{which}: replicas: {}.", list(&partition.replicas, ",")));
            for (what, brokers) in
                [("adding", &partition.adding), ("removing", &partition.removing)]
            {
                if !brokers.is_empty() {
                    text.push_str(&format!(" {what}: {}.", list(brokers, ",")));
                }
            }
            text.push('\n');
        }
        out.write(Fd::Stdout, text);
    }

    /// The replicas of all partitions of these topics, in the order of the topics.
    fn assignment(
        &self,
        topics: &[TopicName],
    ) -> Result<Vec<(TopicPartition, Vec<BrokerId>)>, Failure> {
        let mut assignment = Vec::new();
        for name in topics {
            let topic = self.topic(name).map_err(|error| Failure::answered(&error))?;
            for (number, partition) in topic.numbered() {
                assignment.push((TopicPartition::new(name, number), partition.replicas.clone()));
            }
        }
        Ok(assignment)
    }

    /// A topic as it was described.
    fn topic(&self, name: &TopicName) -> Result<&Rc<TopicImage>, KafkaError> {
        if name.as_str().is_empty() {
            let text = "The given topic name '' cannot be represented in a request.";
            return Err(KafkaError::new(ErrorCode::InvalidTopic, text));
        }
        match self.seen.topics.iter().find(|(known, _)| known == name) {
            Some((_, Ok(topic))) => Ok(topic),
            Some((_, Err(error))) => Err(error.clone()),
            None if topic_name::validate(name.as_str(), &MetadataImage::default()).is_err() => {
                Err(KafkaError::plain(ErrorCode::InvalidTopic))
            }
            None => {
                let text = format!("Topic {name} not found.");
                Err(KafkaError::new(ErrorCode::UnknownTopicOrPartition, text))
            }
        }
    }

    /// Those of some replicas' brokers that are there.
    fn available(&self, assignment: &[(TopicPartition, Vec<BrokerId>)]) -> Vec<BrokerId> {
        let there = self.seen.brokers();
        let replicas = assignment.iter().flat_map(|(_, replicas)| replicas).copied();
        replicas.filter(|broker| there.contains(broker)).collect()
    }

    /// The folder that a replica is in, if its broker said so.
    fn folder_of(&self, replica: &Replica) -> Option<String> {
        let answer = self.seen.log_dirs.iter().find(|(broker, _)| *broker == replica.broker);
        match answer {
            Some((_, LogDirsResponse::Described(folder))) => {
                let mut held = folder.replicas.iter();
                held.any(|held| held.partition == replica.which).then(|| folder.path.clone())
            }
            _ => None,
        }
    }
}

impl Program for KafkaReassignPartitions {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        let gone = match input {
            ProcessInput::Reply(_, reply) => self.handle_reply(reply, out),
            ProcessInput::Timer(_) => Ok(self.ask_moves(out)),
            ProcessInput::Interrupt => return Next::Exit(STATUS_INTERRUPTED),
            _ => return Next::Wait,
        };
        gone.unwrap_or_else(|failure| Next::Exit(failure.tell(out).0))
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// The topics that were described; of a description that failed as a whole the reason.
fn known(topics: &TopicAnswers) -> Result<TopicAnswers, Failure> {
    match topics.first() {
        Some((name, Err(error))) if name.as_str().is_empty() => Err(Failure::answered(error)),
        _ => Ok(Rc::clone(topics)),
    }
}

/// Reads files and numbers, in the order in which the tool does.
fn job(action: Action, options: &Options, out: &Out<'_>) -> Result<Job, Failure> {
    let file = |name: &'static str| {
        let path = options.one(name)?.unwrap_or_default();
        out.read_file(path.as_bytes()).map_err(|_| {
            Failure::thrown("java.io.IOException", format!("Unable to read file {path}"))
        })
    };
    let mut job = Job {
        action,
        plan: Plan::default(),
        topics: Vec::new(),
        brokers: Vec::new(),
        disable_rack_aware: options.has("disable-rack-aware"),
        additional: options.has("additional"),
        preserve_throttles: options.has("preserve-throttles"),
        disallow_replication_factor_change: options.has("disallow-replication-factor-change"),
        throttle: -1,
        log_dirs_throttle: -1,
        timeout: 10_000,
    };
    match action {
        Action::List => {}
        Action::Generate => {
            let topics = file("topics-to-move-json-file")?;
            job.brokers = plan::read_brokers(options.one("broker-list")?.unwrap_or_default())?;
            job.topics = plan::read_topics(&topics)?;
        }
        Action::Execute | Action::Verify | Action::Cancel => {
            let plan = file("reassignment-json-file")?;
            if action == Action::Execute {
                job.throttle = long(options, "throttle", -1)?;
                job.log_dirs_throttle = long(options, "replica-alter-log-dirs-throttle", -1)?;
            }
            if action != Action::Verify {
                job.timeout = long(options, "timeout", 10_000)?;
            }
            job.plan = plan::read(&plan)?;
            if action == Action::Execute {
                job.plan.check()?;
            }
        }
    }
    Ok(job)
}
