//! `kafka-cluster.sh`: the id of the cluster, where its brokers listen, what they understand (Kafka's
//! `ClusterTool`).

use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::controller::quorum::cluster_id;
use highwater_core::net::message::Node;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::argparse::{Flag, NOT_YET, Parser};
use crate::tool::kafka_broker_api_versions::print as api_versions;
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply, thrown_by_client};

const NAME: &str = "kafka-cluster";

/// What all commands take.
const HELP: &str = "
optional arguments:
  -h, --help             show this help message and exit
  --bootstrap-server BOOTSTRAP_SERVER, -b BOOTSTRAP_SERVER
                         A broker, such as localhost:9092.
  --bootstrap-controller BOOTSTRAP_CONTROLLER, -C BOOTSTRAP_CONTROLLER
                         (not in Highwater yet)
  --config CONFIG        (not in Highwater yet)
  --command-config COMMAND_CONFIG, -c COMMAND_CONFIG
                         (not in Highwater yet)
";

const FLAGS: &[Flag] = &[
    Flag::of(&["--bootstrap-server", "-b"], true),
    Flag::of(&["--bootstrap-controller", "-C"], true),
    Flag::of(&["--config"], true),
    Flag::of(&["--command-config", "-c"], true),
    Flag::of(&["--include-fenced-brokers"], false),
];

/// A command with that usage; only the last flag is not everybody's.
const fn command(usage: &'static str, flags: &'static [Flag]) -> Parser {
    Parser {
        usage,
        help: HELP,
        flags,
        either: &["--bootstrap-server", "--bootstrap-controller"],
        needs_one: true,
        commands: &[],
    }
}

const CLUSTER_ID: Parser = command(
    "\
usage: kafka-cluster cluster-id [-h] [--config CONFIG]
                     [--command-config COMMAND_CONFIG]
                     (--bootstrap-server BOOTSTRAP_SERVER |
                     --bootstrap-controller BOOTSTRAP_CONTROLLER)
",
    FLAGS.split_at(4).0,
);

const API_VERSIONS: Parser = command(
    "\
usage: kafka-cluster api-versions [-h] [--config CONFIG]
                     [--command-config COMMAND_CONFIG]
                     (--bootstrap-server BOOTSTRAP_SERVER |
                     --bootstrap-controller BOOTSTRAP_CONTROLLER)
",
    FLAGS.split_at(4).0,
);

const LIST_ENDPOINTS: Parser = command(
    "\
usage: kafka-cluster list-endpoints [-h] [--config CONFIG]
                     [--command-config COMMAND_CONFIG]
                     [--include-fenced-brokers]
                     (--bootstrap-server BOOTSTRAP_SERVER |
                     --bootstrap-controller BOOTSTRAP_CONTROLLER)
",
    FLAGS,
);

pub(super) const PARSER: Parser = Parser {
    usage: "\
usage: kafka-cluster [-h]
                     {cluster-id,unregister,unregister-controller,list-endpoints,api-versions}
                     ...
",
    help: "
The Kafka cluster tool.

positional arguments:
  {cluster-id,unregister,unregister-controller,list-endpoints,api-versions}
    cluster-id           Prints the id of the cluster.
    unregister           (not in Highwater yet)
    unregister-controller
                         (not in Highwater yet)
    list-endpoints       Shows where brokers listen.
    api-versions         Shows which requests brokers understand.

optional arguments:
  -h, --help             show this help message and exit
",
    flags: &[],
    either: &[],
    needs_one: false,
    commands: &[
        ("cluster-id", CLUSTER_ID),
        ("unregister", NOT_YET),
        ("unregister-controller", NOT_YET),
        ("list-endpoints", LIST_ENDPOINTS),
        ("api-versions", API_VERSIONS),
    ],
};

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaCluster {
    command: &'static str,
}

impl KafkaCluster {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let given = PARSER.given(arguments, (NAME, 1), out)?;
        let absent =
            ["--bootstrap-controller", "--config", "--command-config", "--include-fenced-brokers"];
        given.refuse_absent(&absent, &["cluster-id", "list-endpoints", "api-versions"], out)?;
        let servers = given.get("--bootstrap-server").unwrap_or_default();
        bootstrap::usable(servers).map_err(|problem| problem.throw(out))?;
        let (bootstrap, client_id) = (servers.to_owned(), "adminclient-1".to_owned());
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        out.command(client, ClientCommand::DescribeCluster);
        Ok(Self { command: given.command })
    }
}

impl Program for KafkaCluster {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => {
                log_reply(level, text, out);
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Cluster(brokers)) => {
                let brokers = match brokers.known() {
                    Ok(brokers) => brokers,
                    Err(error) => return Next::Exit(thrown_by_client(error).throw(out).0),
                };
                let text = match self.command {
                    "list-endpoints" => endpoints(brokers),
                    "api-versions" => api_versions(brokers),
                    // The cluster never changes its id: the answer does not carry it.
                    _ => format!("Cluster ID: {}\n", cluster_id(out.options().seed)),
                };
                out.write(Fd::Stdout, text);
                Next::Exit(0)
            }
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// A row for each broker that is not fenced. The column of racks is as wide as the longest, or ten.
fn endpoints(brokers: &[Node]) -> String {
    let racks = brokers.iter().filter_map(|node| node.rack.get()).map(|rack| rack.chars().count());
    let width = racks.filter(|length| *length > 0).max().unwrap_or(10);
    let row = |id: &str, port: &str, rest: [&str; 4]| {
        let [host, rack, state, kind] = rest;
        format!("{id:<10} {host:<9} {port:<10} {rack:<width$} {state:<10} {kind:<15}\n")
    };
    let mut text = row("ID", "PORT", ["HOST", "RACK", "STATE", "ENDPOINT_TYPE"]);
    for node in brokers {
        let rack = node.rack.get().map_or("null", |rack| rack);
        let rest = ["localhost", rack, "unfenced", "broker"];
        text.push_str(&row(&node.id.to_string(), &node.port.to_string(), rest));
    }
    text
}
