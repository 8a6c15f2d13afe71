//! `kafka-cluster.sh`: the id of the cluster (Kafka's `ClusterTool`).

use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::controller::quorum::cluster_id;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::argparse::{Flag, NOT_YET, Parser};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply, thrown_by_client};

const NAME: &str = "kafka-cluster";

const CLUSTER_ID: Parser = Parser {
    usage: "\
usage: kafka-cluster cluster-id [-h] [--config CONFIG]
                     [--command-config COMMAND_CONFIG]
                     (--bootstrap-server BOOTSTRAP_SERVER |
                     --bootstrap-controller BOOTSTRAP_CONTROLLER)
",
    help: "
optional arguments:
  -h, --help             show this help message and exit
  --bootstrap-server BOOTSTRAP_SERVER, -b BOOTSTRAP_SERVER
                         A broker, such as localhost:9092.
  --bootstrap-controller BOOTSTRAP_CONTROLLER, -C BOOTSTRAP_CONTROLLER
                         (not in Highwater yet)
  --config CONFIG        (not in Highwater yet)
  --command-config COMMAND_CONFIG, -c COMMAND_CONFIG
                         (not in Highwater yet)
",
    flags: &[
        Flag::of(&["--bootstrap-server", "-b"], true),
        Flag::of(&["--bootstrap-controller", "-C"], true),
        Flag::of(&["--config"], true),
        Flag::of(&["--command-config", "-c"], true),
    ],
    either: &["--bootstrap-server", "--bootstrap-controller"],
    needs_one: true,
    commands: &[],
};

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
    list-endpoints       (not in Highwater yet)
    api-versions         (not in Highwater yet)

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
        ("list-endpoints", NOT_YET),
        ("api-versions", NOT_YET),
    ],
};

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaCluster;

impl KafkaCluster {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let given = PARSER.given(arguments, (NAME, 1), out)?;
        let absent = ["--bootstrap-controller", "--config", "--command-config"];
        given.refuse_absent(&absent, &["cluster-id"], out)?;
        let servers = given.get("--bootstrap-server").unwrap_or_default();
        bootstrap::usable(servers).map_err(|problem| problem.throw(out))?;
        let (bootstrap, client_id) = (servers.to_owned(), "adminclient-1".to_owned());
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        out.command(client, ClientCommand::DescribeCluster);
        Ok(Self)
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
                if let Err(error) = brokers.known() {
                    return Next::Exit(thrown_by_client(error).throw(out).0);
                }
                // The cluster never changes its id: the answer does not carry it.
                let id = cluster_id(out.options().seed);
                out.print(Fd::Stdout, format_args!("Cluster ID: {id}\n"));
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
