//! `kafka-broker-api-versions.sh`: which requests each broker understands, in which versions (Kafka's
//! `BrokerApiVersionsCommand`). All brokers here are of one release; what is asked is whether they are there.

use std::cmp::Reverse;
use std::fmt::Write as _;

use highwater_core::client::connection::node_text;
use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::java::hash_map::{in_set_order, string_hash};
use highwater_core::net::message::Node;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{Manual, Problem, next_or_throw};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply, thrown_by_client};

const ABOUT: &str = "This tool helps to retrieve broker version information.";

const SPECS: &str = "\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    command-config <file>\n\
    help\tPrint this.\n\
    version\tThe version of Kafka.";

pub(super) const MANUAL: Manual =
    Manual { usage: ABOUT, help: ABOUT, specs: SPECS, columns: (39, 37), complain: Problem::throw };

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaBrokerApiVersions;

impl KafkaBrokerApiVersions {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        if !options.has("bootstrap-server") {
            let text = format_args!("Missing required argument \"[bootstrap-server]\"");
            return Err(MANUAL.refuse(text, out));
        }
        let read = || {
            let servers = options.one("bootstrap-server")?.unwrap_or_default();
            bootstrap::usable(servers)?;
            Ok(servers.to_owned())
        };
        let bootstrap = read().map_err(|problem: Problem| problem.throw(out))?;
        let client = out.open(ClientSpec::Admin { bootstrap, client_id: "admin".to_owned() });
        out.command(client, ClientCommand::DescribeCluster);
        Ok(Self)
    }
}

impl Program for KafkaBrokerApiVersions {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => log_reply(level, text, out),
            ProcessInput::Reply(_, ClientReply::Cluster(brokers)) => {
                let there = brokers.known().as_ref().map_err(thrown_by_client);
                let printed = there.map(|there| {
                    let text = print(&in_java_order(there));
                    out.write(Fd::Stdout, text);
                    Next::Exit(0)
                });
                return next_or_throw(printed, out);
            }
            ProcessInput::Interrupt => return Next::Exit(STATUS_INTERRUPTED),
            _ => {}
        }
        Next::Wait
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// Brokers in the order of Java's map of them (`Node.hashCode()`); they come with the last one first.
fn in_java_order(there: &[Node]) -> Vec<Node> {
    const FALSE_HASH: i32 = 1237;
    let mut brokers = there.to_vec();
    sort_by_key(&mut brokers, |node| Reverse(node.id));
    in_set_order(&brokers, |node| {
        let port = i32::try_from(node.port).unwrap_or(0);
        let rack = node.rack.get().map_or(0, |rack| string_hash(rack));
        let first = string_hash("localhost").wrapping_add(31);
        let parts = [node.id.0, port, rack, FALSE_HASH];
        parts.into_iter().fold(first, |hash, part| hash.wrapping_mul(31).wrapping_add(part))
    })
}

/// What each of these brokers understands.
pub(super) fn print(brokers: &[Node]) -> String {
    let mut text = String::new();
    for node in brokers {
        let mut ranges = Vec::new();
        for (name, key, versions) in APIS {
            let range = match versions {
                None => "UNSUPPORTED".to_owned(),
                Some((lowest, highest)) if lowest == highest => {
                    format!("{highest} [usable: {highest}]")
                }
                Some((lowest, highest)) => format!("{lowest} to {highest} [usable: {highest}]"),
            };
            ranges.push(format!("\t{name}({key}): {range}"));
        }
        let ranges = ranges.join(",\n");
        // A string takes everything.
        let node = node_text(node.id, &node.rack);
        let _ = writeln!(text, "{node} -> (\n{ranges}\n)");
    }
    text
}

/// A request: name, number, lowest and highest version.
type Api = (&'static str, u8, Option<(u8, u8)>);

/// The requests that a broker of 4.4 takes; those without versions need something that brokers do not have
/// by default.
const APIS: &[Api] = &[
    ("Produce", 0, Some((0, 13))),
    ("Fetch", 1, Some((4, 18))),
    ("ListOffsets", 2, Some((1, 11))),
    ("Metadata", 3, Some((0, 13))),
    ("OffsetCommit", 8, Some((2, 10))),
    ("OffsetFetch", 9, Some((1, 10))),
    ("FindCoordinator", 10, Some((0, 6))),
    ("JoinGroup", 11, Some((0, 9))),
    ("Heartbeat", 12, Some((0, 4))),
    ("LeaveGroup", 13, Some((0, 5))),
    ("SyncGroup", 14, Some((0, 5))),
    ("DescribeGroups", 15, Some((0, 6))),
    ("ListGroups", 16, Some((0, 5))),
    ("SaslHandshake", 17, Some((0, 1))),
    ("ApiVersions", 18, Some((0, 5))),
    ("CreateTopics", 19, Some((2, 7))),
    ("DeleteTopics", 20, Some((1, 6))),
    ("DeleteRecords", 21, Some((0, 2))),
    ("InitProducerId", 22, Some((0, 5))),
    ("OffsetForLeaderEpoch", 23, Some((2, 4))),
    ("AddPartitionsToTxn", 24, Some((0, 5))),
    ("AddOffsetsToTxn", 25, Some((0, 4))),
    ("EndTxn", 26, Some((0, 5))),
    ("WriteTxnMarkers", 27, Some((1, 2))),
    ("TxnOffsetCommit", 28, Some((0, 6))),
    ("DescribeAcls", 29, Some((1, 3))),
    ("CreateAcls", 30, Some((1, 3))),
    ("DeleteAcls", 31, Some((1, 3))),
    ("DescribeConfigs", 32, Some((1, 4))),
    ("AlterConfigs", 33, Some((0, 2))),
    ("AlterReplicaLogDirs", 34, Some((1, 2))),
    ("DescribeLogDirs", 35, Some((1, 5))),
    ("SaslAuthenticate", 36, Some((0, 2))),
    ("CreatePartitions", 37, Some((0, 3))),
    ("CreateDelegationToken", 38, Some((1, 3))),
    ("RenewDelegationToken", 39, Some((1, 2))),
    ("ExpireDelegationToken", 40, Some((1, 2))),
    ("DescribeDelegationToken", 41, Some((1, 3))),
    ("DeleteGroups", 42, Some((0, 3))),
    ("ElectLeaders", 43, Some((0, 2))),
    ("IncrementalAlterConfigs", 44, Some((0, 1))),
    ("AlterPartitionReassignments", 45, Some((0, 1))),
    ("ListPartitionReassignments", 46, Some((0, 0))),
    ("OffsetDelete", 47, Some((0, 0))),
    ("DescribeClientQuotas", 48, Some((0, 1))),
    ("AlterClientQuotas", 49, Some((0, 1))),
    ("DescribeUserScramCredentials", 50, Some((0, 0))),
    ("AlterUserScramCredentials", 51, Some((0, 0))),
    ("DescribeQuorum", 55, Some((0, 2))),
    ("UpdateFeatures", 57, Some((0, 2))),
    ("DescribeCluster", 60, Some((0, 2))),
    ("DescribeProducers", 61, Some((0, 0))),
    ("UnregisterBroker", 64, Some((0, 0))),
    ("DescribeTransactions", 65, Some((0, 0))),
    ("ListTransactions", 66, Some((0, 2))),
    ("ConsumerGroupHeartbeat", 68, Some((0, 1))),
    ("ConsumerGroupDescribe", 69, Some((0, 1))),
    ("GetTelemetrySubscriptions", 71, None),
    ("PushTelemetry", 72, None),
    ("ListConfigResources", 74, Some((0, 1))),
    ("DescribeTopicPartitions", 75, Some((0, 0))),
    ("ShareGroupHeartbeat", 76, Some((1, 1))),
    ("ShareGroupDescribe", 77, Some((1, 1))),
    ("ShareFetch", 78, Some((1, 2))),
    ("ShareAcknowledge", 79, Some((1, 2))),
    ("AddRaftVoter", 80, Some((0, 1))),
    ("RemoveRaftVoter", 81, Some((0, 0))),
    ("InitializeShareGroupState", 83, Some((0, 0))),
    ("ReadShareGroupState", 84, Some((0, 0))),
    ("WriteShareGroupState", 85, Some((0, 1))),
    ("DeleteShareGroupState", 86, Some((0, 0))),
    ("ReadShareGroupStateSummary", 87, Some((0, 1))),
    ("StreamsGroupHeartbeat", 88, Some((0, 1))),
    ("StreamsGroupDescribe", 89, Some((0, 1))),
    ("DescribeShareGroupOffsets", 90, Some((0, 1))),
    ("AlterShareGroupOffsets", 91, Some((0, 0))),
    ("DeleteShareGroupOffsets", 92, Some((0, 0))),
    ("StreamsGroupTopologyDescriptionUpdate", 93, Some((0, 0))),
    ("UnregisterController", 94, Some((0, 0))),
];
