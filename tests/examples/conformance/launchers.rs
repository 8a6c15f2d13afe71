//! Kafka's commands by the names that its distribution gives them, as small scripts that start one
//! class each.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::guardian::GROUP;

/// Script and class, as in Kafka 4.4.0's bin folder; `T` stands for `org.apache.kafka.tools`.
const TOOLS: [(&str, &str); 22] = [
    ("kafka-broker-api-versions.sh", "T.BrokerApiVersionsCommand"),
    ("kafka-cluster.sh", "T.ClusterTool"),
    ("kafka-configs.sh", "T.ConfigCommand"),
    ("kafka-console-consumer.sh", "T.consumer.ConsoleConsumer"),
    ("kafka-console-producer.sh", "T.ConsoleProducer"),
    ("kafka-console-share-consumer.sh", "T.consumer.ConsoleShareConsumer"),
    ("kafka-consumer-groups.sh", "T.consumer.group.ConsumerGroupCommand"),
    ("kafka-delete-records.sh", "T.DeleteRecordsCommand"),
    ("kafka-dump-log.sh", "T.DumpLogSegments"),
    ("kafka-features.sh", "T.FeatureCommand"),
    ("kafka-get-offsets.sh", "T.GetOffsetShell"),
    ("kafka-groups.sh", "T.GroupsCommand"),
    ("kafka-leader-election.sh", "T.LeaderElectionCommand"),
    ("kafka-log-dirs.sh", "T.LogDirsCommand"),
    ("kafka-metadata-quorum.sh", "T.MetadataQuorumCommand"),
    ("kafka-producer-perf-test.sh", "T.ProducerPerformance"),
    ("kafka-reassign-partitions.sh", "T.reassign.ReassignPartitionsCommand"),
    ("kafka-share-groups.sh", "T.consumer.group.ShareGroupCommand"),
    ("kafka-topics.sh", "T.TopicCommand"),
    ("kafka-transactions.sh", "T.TransactionsCommand"),
    ("kafka-verifiable-consumer.sh", "T.VerifiableConsumer"),
    ("kafka-verifiable-producer.sh", "T.VerifiableProducer"),
];

/// The options every JVM gets: small, and quick to start.
pub(crate) const JVM: [&str; 2] = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/// Writes a script for each tool, and `hw`, into `bin`.
pub(crate) fn write(bin: &Path, home: &Path) -> std::io::Result<()> {
    let home = home.display();
    let jvm = JVM.join(" ");
    for (name, class) in TOOLS {
        let class = class.replace("T.", "org.apache.kafka.tools.");
        let script = format!(
            "#!/bin/sh\nexec java -Xmx256m {jvm} -Dlog4j2.configurationFile={home}/tools.xml \
             -cp \"$(cat {home}/class-path)\" {class} \"$@\"\n"
        );
        write_script(&bin.join(name), &script)?;
    }
    let start = start_script(&format!("{home}"));
    write_script(&bin.join("start-node"), &start)?;
    write_script(&bin.join("hw"), &hw(&format!("{home}")))
}

/// Starts node N in a process group of its own, so that a Ctrl-C for the shell does not reach it, and
/// notes that group. `exec` keeps the number: it is the node's pid, too.
fn start_script(home: &str) -> String {
    format!(
        "#!/bin/bash\n\
         set -m\n\
         exec java -Xmx400m -XX:+UseSerialGC -Dlog4j2.configurationFile={home}/server.xml \
         -cp \"$(cat {home}/class-path)\" kafka.Kafka {home}/node-$1.properties \
         >>{home}/node-$1.log 2>&1 </dev/null &\n\
         echo $! >{home}/node-$1.{GROUP}\n"
    )
}

/// The fault commands that real processes can suffer.
fn hw(home: &str) -> String {
    format!(
        "#!/bin/bash\n\
         pid=$(cat {home}/node-$2.{GROUP} 2>/dev/null) || {{ echo \"hw: no node $2\" >&2; exit 2; }}\n\
         until_gone() {{\n\
         \x20 for _ in $(seq 300); do\n\
         \x20   case \"$(ps -o stat= -p \"$pid\")\" in ''|Z*) return;; esac\n\
         \x20   sleep 0.1\n\
         \x20 done\n\
         }}\n\
         case \"$1\" in\n\
         \x20 crash) kill -9 \"$pid\"; until_gone;;\n\
         \x20 stop) kill -TERM \"$pid\"; until_gone;;\n\
         \x20 pause) kill -STOP \"$pid\";;\n\
         \x20 resume) kill -CONT \"$pid\";;\n\
         \x20 start) {home}/bin/start-node \"$2\"; sleep 8;;\n\
         \x20 *) echo \"hw: a real cluster cannot $1\" >&2; exit 2;;\n\
         esac\n"
    )
}

/// Writes a file that can be run.
fn write_script(path: &Path, text: &str) -> std::io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}
