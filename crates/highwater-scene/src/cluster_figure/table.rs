//! The text twin: a row for each replica.

use crate::digits::int;
use crate::node::Node;
use crate::replicas::{PartitionState, ReplicaState};
use crate::template::tree;
use crate::words;
use crate::words::replicas as says;

/// The table of these topics.
pub(super) fn table<'a>(
    topics: &[&str],
    groups: impl Iterator<Item = (&'a str, &'a [PartitionState])>,
) -> Node {
    let columns = says::table_columns();
    let head: Vec<Node> = columns
        .into_iter()
        .map(|name| tree("<th scope='col'>{}</th>", vec![name.into()]))
        .collect();
    let mut rows = Vec::new();
    for (topic, partitions) in groups {
        for state in partitions {
            rows.extend(state.replicas.iter().map(|replica| row(topic, state.partition, replica)));
        }
    }
    tree(
        "<table><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
        vec![says::table_caption(topics).into(), head.into(), rows.into()],
    )
}

fn row(topic: &str, partition: i32, replica: &ReplicaState) -> Node {
    let number = |number: Option<i64>| number.map_or_else(|| says::nothing().to_owned(), int);
    let log = replica.log;
    let name = words::partition_name(topic, partition);
    tree(
        "<tr key='{}'><th scope='row'>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        vec![
            format!("{name}@{}", replica.broker).into(),
            name.into(),
            replica.broker.into(),
            says::role(replica).into(),
            number(log.map(|log| log.start)).into(),
            number(log.and_then(|log| log.high_watermark)).into(),
            number(log.map(|log| log.end)).into(),
            number(replica.behind).into(),
        ],
    )
}
