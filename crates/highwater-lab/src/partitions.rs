//! The reader's partitions as a table: who leads, in which epochs, who is in sync, how far the log goes.

use highwater_core::controller::records::PartitionImage;
use highwater_core::ids::BrokerId;
use highwater_core::world::snapshot::{PartitionView, Snapshot};
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::thing::Thing;
use highwater_scene::words::lab as words;
use highwater_scene::words::partition_name;

use crate::figure::{ask, own_topics};

/// The table.
#[must_use]
pub fn table(snapshot: &Snapshot) -> Node {
    let mut rows = Vec::new();
    for topic in own_topics(snapshot).iter().filter_map(|name| snapshot.topic(name)) {
        for (view, image) in topic.partitions.iter().zip(&topic.image.partitions) {
            rows.push(row(topic.name.as_str(), view, image));
        }
    }
    let head: Vec<Node> = words::PARTITION_COLUMNS
        .iter()
        .map(|name| tree("<th scope='col'>{}</th>", vec![(*name).into()]))
        .collect();
    tree(
        "<table class='lab-partitions'><caption>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
        vec![words::PARTITIONS_CAPTION.into(), head.into(), rows.into()],
    )
}

fn row(topic: &str, view: &PartitionView, image: &PartitionImage) -> Node {
    let name = partition_name(topic, view.id.0);
    let log = view.replica.as_ref().map(|replica| (replica.high_watermark(), replica.log()));
    let number = |text: Option<String>| text.unwrap_or_else(|| "\u{2013}".to_owned());
    let button = tree(
        "<button type='button' class='lab-thing' data-do='{}'>{}</button>",
        vec![ask(&Thing::partition(topic, view.id.0)).into(), name.clone().into()],
    );
    tree(
        "<tr key='{}'><th scope='row'>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
         <td>{}</td><td>{}</td></tr>",
        vec![
            name.into(),
            button.into(),
            image.leader.map_or_else(|| words::NOBODY.to_owned(), |it| it.to_string()).into(),
            image.leader_epoch.to_string().into(),
            image.partition_epoch.to_string().into(),
            list(&image.replicas).into(),
            list(&image.isr).into(),
            number(log.map(|(_, log)| log.log_start_offset().to_string())).into(),
            number(log.map(|(high_watermark, _)| high_watermark.to_string())).into(),
            number(log.map(|(_, log)| log.log_end_offset().to_string())).into(),
        ],
    )
}

fn list(brokers: &[BrokerId]) -> String {
    let ids: Vec<String> = brokers.iter().map(ToString::to_string).collect();
    ids.join(", ")
}
