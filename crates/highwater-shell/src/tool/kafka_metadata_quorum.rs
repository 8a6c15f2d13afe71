//! `kafka-metadata-quorum.sh`: what the metadata quorum says of itself (Kafka's `MetadataQuorumCommand`).

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::controller::quorum::{
    CONTROLLER_ENDPOINT, QuorumInfo, QuorumReplica, cluster_id,
};
use highwater_core::ids::ClientId;
use highwater_core::net::admin::{AdminAnswer, AdminRequest};
use highwater_core::time::SimTime;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::argparse::{Flag, NOT_YET, Parser, SERVER_FLAGS};
use crate::tool::options::{Problem, next_or_throw};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply, refuse, thrown_by_client};

const NAME: &str = "kafka-metadata-quorum";

const DESCRIBE: Parser = Parser {
    usage: "\
usage: kafka-metadata-quorum (--bootstrap-server BOOTSTRAP_SERVER |
                             --bootstrap-controller BOOTSTRAP_CONTROLLER)
                             describe [-h] [--status] [--replication]
                             [--human-readable]
",
    help: "
optional arguments:
  -h, --help             show this help message and exit

Status:
  --status               Who leads, in which epoch, how far is the log?

Replication:
  --replication          How far is each node?
  --human-readable       Moments as times ago.
",
    flags: &[
        Flag::of(&["--status"], false),
        Flag::of(&["--replication"], false),
        Flag::of(&["--human-readable"], false),
    ],
    either: &[],
    needs_one: false,
    commands: &[],
};

pub(super) const PARSER: Parser = Parser {
    usage: "\
usage: kafka-metadata-quorum [-h] [--command-config COMMAND_CONFIG]
                             (--bootstrap-server BOOTSTRAP_SERVER |
                             --bootstrap-controller BOOTSTRAP_CONTROLLER)
                             {describe,add-controller,remove-controller}
                             ...
",
    help: "
This tool describes kraft metadata quorum status.

positional arguments:
  {describe,add-controller,remove-controller}
    describe             Shows the quorum.
    add-controller       (not in Highwater yet)
    remove-controller    (not in Highwater yet)

optional arguments:
  -h, --help             show this help message and exit
  --bootstrap-server BOOTSTRAP_SERVER
                         A broker, such as localhost:9092.
  --bootstrap-controller BOOTSTRAP_CONTROLLER
                         (not in Highwater yet)
  --command-config COMMAND_CONFIG
                         (not in Highwater yet)
",
    flags: SERVER_FLAGS,
    either: &["--bootstrap-server", "--bootstrap-controller"],
    needs_one: true,
    commands: &[
        ("describe", DESCRIBE),
        ("add-controller", NOT_YET),
        ("remove-controller", NOT_YET),
    ],
};

/// What is asked.
#[derive(Clone, Copy, Debug)]
enum Question {
    Status,
    Replication { human_readable: bool },
}

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaMetadataQuorum {
    client: ClientId,
    question: Question,
}

impl KafkaMetadataQuorum {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let given = PARSER.given(arguments, (NAME, 0), out)?;
        let absent = ["--bootstrap-controller", "--command-config"];
        given.refuse_absent(&absent, &["describe"], out)?;
        let servers = given.get("--bootstrap-server").unwrap_or_default();
        bootstrap::usable(servers).map_err(|problem| problem.throw(out))?;
        let human_readable = given.has("--human-readable");
        let question = match (given.has("--status"), given.has("--replication")) {
            (true, true) => {
                "Only one of --status or --replication should be specified with describe sub-command"
            }
            (false, false) => {
                "One of --status or --replication must be specified with describe sub-command"
            }
            (true, false) if human_readable => {
                "The option --human-readable is only supported along with --replication"
            }
            (true, false) => return Ok(Self::ask(servers, Question::Status, out)),
            (false, true) => {
                return Ok(Self::ask(servers, Question::Replication { human_readable }, out));
            }
        };
        Err(refuse(format_args!("{question}"), 1, out))
    }

    fn ask(servers: &str, question: Question, out: &mut Out<'_>) -> Self {
        let client_id = "adminclient-1".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap: servers.to_owned(), client_id });
        let tool = Self { client, question };
        match question {
            Question::Status => out.command(client, ClientCommand::DescribeCluster),
            Question::Replication { .. } => tool.ask_quorum(out),
        }
        tool
    }

    fn ask_quorum(&self, out: &mut Out<'_>) {
        out.command(self.client, ClientCommand::Ask(Rc::new(AdminRequest::DescribeQuorum)));
    }

    fn handle_reply(&self, reply: &ClientReply, out: &mut Out<'_>) -> Result<Next, Problem> {
        match reply {
            ClientReply::Log(level, text) => log_reply(level, text, out),
            ClientReply::Cluster(brokers) => {
                brokers.known().as_ref().map_err(thrown_by_client)?;
                self.ask_quorum(out);
            }
            ClientReply::Answer(answer) => {
                if let AdminAnswer::QuorumDescribed(quorum) = &**answer {
                    let quorum = quorum.known().as_ref().map_err(thrown_by_client)?;
                    let text = match self.question {
                        Question::Status => status(quorum, out),
                        Question::Replication { human_readable } => {
                            let now = human_readable.then_some(out.now());
                            table(&replication(quorum, now))
                        }
                    };
                    out.write(Fd::Stdout, text);
                    return Ok(Next::Exit(0));
                }
            }
            _ => {}
        }
        Ok(Next::Wait)
    }
}

impl Program for KafkaMetadataQuorum {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, reply) => next_or_throw(self.handle_reply(reply, out), out),
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// `--status`. The cluster never changes its id: the answer does not carry it.
fn status(quorum: &QuorumInfo, out: &Out<'_>) -> String {
    // Voters without the leader; the first of a quorum of one has nobody to wait for.
    let followers = || quorum.voters.iter().filter(|voter| voter.id != quorum.leader_id);
    let leader = quorum.voters.iter().find(|voter| voter.id == quorum.leader_id);
    let lag = followers().map(|voter| quorum.high_watermark.abs_diff(voter.log_end_offset)).max();
    let late = followers().filter_map(|voter| {
        leader.map(|leader| leader.last_fetch.0.saturating_sub(voter.last_fetch.0) / 1_000)
    });
    let named = |replica: &QuorumReplica, more: &str| {
        format!("{{\"id\": {}, \"directoryId\": \"{}\"{more}}}", replica.id, replica.directory)
    };
    let endpoints = format!(", \"endpoints\": [\"{CONTROLLER_ENDPOINT}\"]");
    let voters: Vec<String> = quorum.voters.iter().map(|it| named(it, &endpoints)).collect();
    let observers: Vec<String> = quorum.observers.iter().map(|it| named(it, "")).collect();
    let mut text = String::new();
    for (label, value) in [
        ("ClusterId:", cluster_id(out.options().seed).to_string()),
        ("LeaderId:", quorum.leader_id.to_string()),
        ("LeaderEpoch:", quorum.leader_epoch.to_string()),
        ("HighWatermark:", quorum.high_watermark.to_string()),
        ("MaxFollowerLag:", lag.unwrap_or(0).to_string()),
        ("MaxFollowerLagTimeMs:", late.max().unwrap_or(0).to_string()),
        ("CurrentVoters:", format!("[{}]", voters.join(", "))),
        ("CurrentObservers:", format!("[{}]", observers.join(", "))),
    ] {
        text.push_str(&format!("{label:<24}{value}\n"));
    }
    text
}

/// The rows of `--replication`. With the present moment, times are told as times ago.
fn replication(quorum: &QuorumInfo, now: Option<SimTime>) -> Vec<[String; 7]> {
    let mut rows = vec![
        [
            "NodeId",
            "DirectoryId",
            "LogEndOffset",
            "Lag",
            "LastFetchTimestamp",
            "LastCaughtUpTimestamp",
            "Status",
        ]
        .map(str::to_owned),
    ];
    let end = quorum.voters.first().map_or(0, |leader| leader.log_end_offset);
    let voters = quorum.voters.iter().map(|it| (it, "Follower"));
    let observers = quorum.observers.iter().map(|it| (it, "Observer"));
    for (replica, status) in voters.chain(observers) {
        let status = if replica.id == quorum.leader_id { "Leader" } else { status };
        let moment = match now {
            Some(now) => format!("{} ms ago", now.0.saturating_sub(replica.last_fetch.0) / 1_000),
            None => replica.last_fetch.epoch_millis().to_string(),
        };
        rows.push([
            replica.id.to_string(),
            replica.directory.to_string(),
            replica.log_end_offset.to_string(),
            end.saturating_sub(replica.log_end_offset).to_string(),
            moment.clone(),
            moment,
            status.to_owned(),
        ]);
    }
    rows
}

/// Every cell as wide as the widest of its column, a tab behind each (`ToolsUtils.prettyPrintTable`).
fn table(rows: &[[String; 7]]) -> String {
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let width = rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
            text.push_str(&format!("{cell:<width$}\t"));
        }
        text.push('\n');
    }
    text
}
