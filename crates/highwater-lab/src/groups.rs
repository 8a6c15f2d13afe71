//! The view of consumer groups: each with its state, its members, and how far it is behind in each partition.

use highwater_core::broker::group_coordinator::{ClassicGroup, GroupState, Member};
use highwater_core::client::kafka_consumer::view::MemberView;
use highwater_core::ids::{Offset, TopicPartition};
use highwater_core::world::cluster_view::ClusterView;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::groups::{Coordinated, Share, coordinated};
use highwater_scene::names::short_id;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::thing::Thing;
use highwater_scene::words::ask::clients;
use highwater_scene::words::lab as words;

use crate::figure::{Drawn, ask};

/// The widest bar of a lag, in px.
const BAR: i64 = 120;

/// A partition that a group reads, or has read.
struct Row {
    partition: TopicPartition,
    /// Who has it.
    member: Option<(String, String)>,
    position: Option<Offset>,
    committed: Option<Offset>,
    /// The offset behind the last record that readers may see.
    end: Option<Offset>,
}

impl Row {
    fn lag(&self) -> Option<i64> {
        Some((self.end?.0 - self.committed?.0).max(0))
    }
}

/// Draws it.
#[must_use]
pub fn draw(snapshot: &Snapshot) -> Drawn {
    let mut groups = Vec::new();
    if let Some(cluster) = snapshot.cluster.get() {
        for found in &coordinated(snapshot, cluster) {
            groups.push(group(snapshot, cluster, found));
        }
    }
    let drawing = if groups.is_empty() {
        tree("<p class='lab-empty'>{}</p>", vec![words::NO_GROUPS.into()])
    } else {
        tree("<div class='lab-groups'>{}</div>", vec![groups.into()])
    };
    Drawn {
        drawing,
        legend: tree("<p class='lab-legend'>{}</p>", vec![words::LAG_LEGEND.into()]),
        table: tree("<p>{}</p>", vec![words::IS_A_TABLE.into()]),
    }
}

fn group(snapshot: &Snapshot, cluster: &ClusterView, found: &Coordinated<'_>) -> Node {
    let id = found.id;
    let rows = rows(snapshot, cluster, found);
    let most = rows.iter().filter_map(Row::lag).max().unwrap_or(0);
    let (state, generation, protocol, members) = match found.entry.group.classic() {
        Some(group) => (
            group.state(),
            group.generation(),
            group.protocol().unwrap_or_default(),
            group.members().len(),
        ),
        None => (GroupState::Empty, 0, "", 0),
    };
    let about =
        words::group_about(state.name(), members, generation, protocol, found.coordinator.0);
    let name = id.to_string();
    let head = tree(
        "<div><h2 class='lab-group-name'><button type='button' class='lab-thing' data-do='{}'>{}</button></h2>\
         <p class='lab-group-about'>{}</p></div>",
        vec![ask(&Thing::Group(name.clone())).into(), name.clone().into(), about.into()],
    );
    let mut lines: Vec<Node> = rows.iter().map(|row| line(&name, row, most)).collect();
    lines.extend(without_partition(snapshot, cluster, found));
    let label = words::group_label(&name);
    tree(
        "<section class='lab-group' aria-label='{}' key='{}'>{}<table class='lab-table'><thead><tr><th>{}</th>\
         <th>{}</th><th class='num'>{}</th><th class='num'>{}</th><th class='num'>{}</th><th>{}</th></tr></thead>\
         <tbody>{}</tbody></table></section>",
        vec![
            label.into(),
            name.into(),
            head.into(),
            words::PARTITION.into(),
            words::MEMBER.into(),
            words::POSITION.into(),
            words::COMMITTED.into(),
            words::LOG_END.into(),
            words::LAG.into(),
            lines.into(),
        ],
    )
}

fn line(group: &str, row: &Row, most: i64) -> Node {
    let place = row.partition.to_string();
    let partition = Thing::partition(row.partition.topic.as_str(), row.partition.partition.0);
    let member = row.member.as_ref().map(|(client, member)| named(group, client, member));
    let member = member.unwrap_or_else(|| tree("<span>{}</span>", vec![words::NOBODY.into()]));
    let number =
        |offset: Option<Offset>| offset.map_or_else(|| "\u{2013}".to_owned(), |it| it.to_string());
    let lag = row.lag();
    let width = lag.map_or(0, |lag| lag * BAR / most.max(1));
    let bar = tree(
        "<svg class='lab-lag' width='{}' height='12' aria-hidden='true'><rect class='lab-lag-bar' width='{}' \
         height='12'/></svg>",
        vec![BAR.into(), width.into()],
    );
    let words = lag.map_or_else(|| words::UNKNOWN_LAG.to_owned(), |lag| lag.to_string());
    tree(
        "<tr key='{}'><td><button type='button' class='lab-thing' data-do='{}'>{}</button></td><td>{}</td>\
         <td class='num'>{}</td><td class='num'>{}</td><td class='num'>{}</td>\
         <td class='lab-lag-cell'>{}<span class='num'>{}</span></td></tr>",
        vec![
            place.clone().into(),
            ask(&partition).into(),
            place.into(),
            member.into(),
            number(row.position).into(),
            number(row.committed).into(),
            number(row.end).into(),
            bar.into(),
            words.into(),
        ],
    )
}

/// The name of a member, to be asked about.
fn named(group: &str, client: &str, member: &str) -> Node {
    if member.is_empty() {
        // Its coordinator has given it no id yet.
        return tree("<span>{}</span>", vec![client.to_owned().into()]);
    }
    let thing = Thing::Member { group: group.to_owned(), member: member.to_owned() };
    tree(
        "<button type='button' class='lab-thing' data-do='{}'>{}</button>",
        vec![ask(&thing).into(), client.to_owned().into()],
    )
}

/// A line for each member that reads nothing, with what it waits for: consumers, then those that nobody stands behind.
fn without_partition(
    snapshot: &Snapshot,
    cluster: &ClusterView,
    found: &Coordinated<'_>,
) -> Vec<Node> {
    let mut lines = Vec::new();
    let group = found.id.to_string();
    let known = found.entry.group.classic().map_or(&[][..], ClassicGroup::members);
    let clients = || cluster.members.iter().filter(|view| view.group == *found.id);
    for view in clients().filter(|view| view.partitions.is_empty()) {
        let share = |member: &Member| Share::of(snapshot, found, member);
        let member = known.iter().find(|member| member.id == view.member);
        let waits = clients::member_is(view.state, 0, member.map(share).unwrap_or_default());
        lines.push(idle(&view.reader, named(&group, &view.reader, &view.member.0), &waits));
    }
    for member in known.iter().filter(|member| !clients().any(|view| view.member == member.id)) {
        let name = named(&group, &short_id(&member.id.0), &member.id.0);
        lines.push(idle(&member.id.0, name, clients::nobody_behind_it()));
    }
    lines
}

fn idle(key: &str, member: Node, waits: &str) -> Node {
    tree(
        "<tr key='{}'><td>{}</td><td>{}</td><td class='lab-waits-for' colspan='4'><span>{}</span></td></tr>",
        // No partition is called like that.
        vec![
            format!("/{key}").into(),
            words::NO_PARTITION.into(),
            member.into(),
            waits.to_owned().into(),
        ],
    )
}

fn rows(snapshot: &Snapshot, cluster: &ClusterView, found: &Coordinated<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (partition, committed) in found.entry.offsets.iter() {
        rows.push(Row {
            partition: partition.clone(),
            member: None,
            position: None,
            committed: Some(committed.committed.offset),
            end: end(snapshot, partition),
        });
    }
    for member in cluster.members.iter().filter(|member| member.group == *found.id) {
        own(&mut rows, snapshot, member);
    }
    rows.sort_by(|one, other| one.partition.cmp(&other.partition));
    rows
}

/// What a member has.
fn own(rows: &mut Vec<Row>, snapshot: &Snapshot, member: &MemberView) {
    for owned in &member.partitions {
        let name = Some((member.reader.clone(), member.member.to_string()));
        match rows.iter_mut().find(|row| row.partition == owned.partition) {
            Some(row) if row.member.is_none() => {
                row.member = name;
                row.position = owned.position;
            }
            _ => rows.push(Row {
                partition: owned.partition.clone(),
                member: name,
                position: owned.position,
                committed: None,
                end: end(snapshot, &owned.partition),
            }),
        }
    }
}

/// The high watermark, as the leader knows it: where a consumer's log ends.
fn end(snapshot: &Snapshot, partition: &TopicPartition) -> Option<Offset> {
    let topic = snapshot.topic(partition.topic.as_str())?;
    let view = topic.partitions.iter().find(|view| view.id == partition.partition)?;
    view.replica.as_ref().map(|replica| replica.high_watermark())
}
