//! The cluster figure: partitions down, brokers across, each replica one bar with its log start, the high watermark
//! that its broker knows and its log end.
//!
//! A row has one scale for all its bars, so that "one fetch behind" can be seen. Costs follow the number of replicas,
//! not what their logs hold.

use highwater_core::world::snapshot::Snapshot;

use crate::digits::number;
use crate::hit::{self, tab_stop, target};
use crate::layout::Rect;
use crate::measure::Face;
use crate::node::Node;
use crate::replicas::{BrokerState, Health, PartitionState, brokers, partitions};
use crate::shapes::text;
use crate::template::tree;
use crate::words;
use crate::words::replicas as says;

mod bar;
mod grid;
mod table;

use grid::Grid;

/// A replica: a partition on a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaId {
    /// The topic's name.
    pub topic: String,
    /// The partition's number.
    pub partition: i32,
    /// The broker's id.
    pub broker: i32,
}

impl ReplicaId {
    /// As it stands in the attribute `data-replica`: `parcel-events-0@2`.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}@{}", words::partition_name(&self.topic, self.partition), self.broker)
    }

    /// Reads what [`ReplicaId::text`] has written.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (partition, broker) = text.rsplit_once('@')?;
        let (topic, partition) = partition.rsplit_once('-')?;
        Some(Self {
            topic: topic.to_owned(),
            partition: number(partition)?,
            broker: number(broker)?,
        })
    }
}

/// What to draw, and for which room.
#[derive(Clone, Debug)]
pub struct ClusterFigure<'a> {
    /// The moment.
    pub snapshot: &'a Snapshot,
    /// The topics to show, one below the other.
    pub topics: &'a [&'a str],
    /// The width in px that there is.
    pub width: i32,
    /// The root font size in px.
    pub font: i32,
    /// The replica that the reader has asked about.
    pub selected: Option<&'a ReplicaId>,
    /// The replica that the keyboard is at.
    pub focus: Option<&'a ReplicaId>,
    /// Whether replicas and brokers can be pressed.
    pub live: bool,
}

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The drawing: an `svg` of exactly `width` by `height`.
    pub svg: Node,
    /// What its marks mean.
    pub legend: &'static str,
    /// The text twin: a `table`.
    pub table: Node,
    /// What can be pressed, row by row.
    pub hits: Vec<Hit>,
    /// The width in px.
    pub width: i32,
    /// The height in px.
    pub height: i32,
}

/// Something that can be pressed.
pub type Hit = hit::Hit<What>;

/// What can be pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A replica. Attribute `data-replica`.
    Replica(ReplicaId),
    /// A broker. Attribute `data-broker`.
    Broker(i32),
}

/// A topic with its partitions.
struct Group<'a> {
    topic: &'a str,
    partitions: Vec<PartitionState>,
}

/// A drawing in the making.
struct Canvas<'a> {
    figure: &'a ClusterFigure<'a>,
    grid: Grid,
    brokers: Vec<BrokerState>,
    /// The replica that Tab reaches.
    stop: Option<ReplicaId>,
    hits: Vec<Hit>,
}

impl<'a> ClusterFigure<'a> {
    /// The figure of some topics at a moment, in its simplest form.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot, topics: &'a [&'a str], width: i32) -> Self {
        Self { snapshot, topics, width, font: 16, selected: None, focus: None, live: true }
    }

    /// Draws it.
    #[must_use]
    pub fn scene(&self) -> Scene {
        let brokers = brokers(self.snapshot);
        let groups = self.groups();
        let rows = groups.iter().map(|group| group.partitions.len()).sum();
        let longest = groups.iter().flat_map(|group| &group.partitions).map(|row| row.partition);
        let grid = Grid::new(self.width, self.font, brokers.len(), longest.max().unwrap_or(0));
        let label = says::figure_label(brokers.len(), rows);
        let stop = self.tab_stop(&groups);
        let mut canvas = Canvas { figure: self, grid, brokers, stop, hits: Vec::new() };
        let (mut nodes, mut top) = (vec![canvas.header()], canvas.grid.head);
        for group in &groups {
            nodes.push(canvas.title(group.topic, &mut top));
            for row in &group.partitions {
                nodes.push(canvas.row(group.topic, row, top));
                top += canvas.grid.row;
            }
        }
        if groups.is_empty() {
            let y = top + canvas.grid.em(20);
            nodes.push(text("hw-sub", canvas.grid.pad, y, words::no_topics().into()));
            top += canvas.grid.em(32);
        }
        let (width, height) = (canvas.grid.width, top + canvas.grid.em(4));
        Scene {
            svg: tree(
                "<svg class='hw-cluster' width='{}' height='{}' role='group' aria-label='{}'>{}</svg>",
                vec![width.into(), height.into(), label.into(), nodes.into()],
            ),
            legend: says::legend(),
            table: table::table(
                self.topics,
                groups.iter().map(|group| (group.topic, group.partitions.as_slice())),
            ),
            hits: canvas.hits,
            width,
            height,
        }
    }

    /// The text twin, for terminals: a line for each broker that is not well and for each partition.
    #[must_use]
    pub fn text(&self) -> String {
        let ill = brokers(self.snapshot).into_iter().filter(|broker| broker.health != Health::Up);
        let mut out: String =
            ill.map(|broker| says::broker_line(broker.id, broker.health)).collect();
        for group in self.groups() {
            for row in &group.partitions {
                out.push_str(&says::line(group.topic, row));
            }
        }
        if self.topics.is_empty() {
            out.push_str(&[words::no_topics(), "\n"].concat());
        }
        out
    }

    fn groups(&self) -> Vec<Group<'a>> {
        let topics = self.topics.iter().filter_map(|topic| {
            let view = self.snapshot.topic(topic)?;
            Some(Group { topic, partitions: partitions(self.snapshot, view) })
        });
        topics.collect()
    }

    /// Where Tab leads: the replica that had the focus, else the first one.
    fn tab_stop(&self, groups: &[Group<'_>]) -> Option<ReplicaId> {
        let all = groups.iter().flat_map(|group| {
            group.partitions.iter().flat_map(|row| {
                row.replicas.iter().map(|replica| ReplicaId {
                    topic: group.topic.to_owned(),
                    partition: row.partition,
                    broker: replica.broker,
                })
            })
        });
        tab_stop(all, self.focus)
    }
}

impl Canvas<'_> {
    /// The brokers, above their columns.
    fn header(&mut self) -> Node {
        let mut nodes = Vec::new();
        let font = self.grid.font;
        let room = self.grid.cell - self.grid.em(6);
        // One word that has no room in its column takes all of them below the numbers.
        let has_room =
            |broker: &BrokerState| Face::Label.width(says::health(broker.health), font) <= room;
        let have_room = self.brokers.iter().all(has_room);
        if !have_room {
            let ill = says::ill_brokers(self.brokers.iter());
            let (x, y) = (self.grid.pad, self.grid.em(34));
            let ill = Face::Label.fit(&ill, self.grid.width - 2 * x, font).unwrap_or_default();
            nodes.push(text("hw-warn-label", x, y, ill.into()));
        }
        for column in 0..self.brokers.len() {
            let broker = self.brokers[column];
            let (x, grid) = (self.grid.column(column), &self.grid);
            let name = Face::Label.fit(&says::broker(broker.id), room, grid.font);
            let name = name.filter(|name| !name.ends_with('\u{2026}'));
            let name = name.unwrap_or_else(|| crate::digits::int(broker.id.into()));
            let mut parts = vec![text("hw-label", x, grid.em(18), name.into())];
            let how = says::health(broker.health);
            if have_room && !how.is_empty() {
                parts.push(text("hw-warn-label", x, grid.em(34), how.into()));
            }
            let rect = Rect {
                x: x - grid.em(4),
                y: grid.em(2),
                width: grid.cell,
                height: grid.head - grid.em(4),
            };
            let label = says::broker_label(broker.id, broker.health);
            nodes.push(self.button(
                Hit { what: What::Broker(broker.id), rect, label },
                false,
                parts,
            ));
        }
        tree("<g key='brokers'>{}</g>", vec![nodes.into()])
    }

    /// A topic's name, above its rows.
    fn title(&self, topic: &str, top: &mut i32) -> Node {
        let grid = &self.grid;
        let y = *top + grid.em(18);
        let room = grid.width - 2 * grid.pad;
        let name = Face::Label.fit(topic, room, grid.font).unwrap_or_default();
        *top += grid.em(26);
        tree(
            "<text class='hw-label' x='{}' y='{}' aria-hidden='true' key='{}'>{}</text>",
            vec![grid.pad.into(), y.into(), format!("topic {topic}").into(), name.into()],
        )
    }

    /// A partition: its name, and a bar for each replica.
    fn row(&mut self, topic: &str, row: &PartitionState, top: i32) -> Node {
        let (grid, span) = (&self.grid, row.span());
        let class = if row.leader.is_some() { "hw-sub" } else { "hw-warn-label" };
        let mut name = words::partition(row.partition);
        if row.leader.is_none() {
            let both = format!("{name}: {}", words::no_leader());
            let fits = Face::Label.width(&both, grid.font) <= grid.name_room();
            name = if fits { both } else { words::no_leader().to_owned() };
        }
        let name = Face::Label.fit(&name, grid.name_room(), grid.font).unwrap_or_default();
        let mut nodes = vec![text(class, grid.pad, top + grid.name, name.into())];
        for column in 0..self.brokers.len() {
            let broker = self.brokers[column];
            if let Some(replica) = row.on(broker.id) {
                let place = self.grid.place(column, top);
                nodes.push(self.replica((topic, row.partition), (&broker, replica), span, place));
            }
        }
        let label = words::partition_name(topic, row.partition);
        tree(
            "<g role='group' aria-label='{}' key='{}'>{}</g>",
            vec![label.clone().into(), label.into(), nodes.into()],
        )
    }

    /// A group that can be pressed, or the picture of one.
    fn button(&mut self, hit: Hit, stop: bool, parts: Vec<Node>) -> Node {
        let live = self.figure.live;
        let (mut replica, mut broker) = (None, None);
        match &hit.what {
            What::Replica(id) => replica = Some(id.text()),
            What::Broker(id) => broker = Some(*id),
        }
        let chosen = matches!(&hit.what, What::Replica(id) if self.figure.selected == Some(id));
        let key = replica.clone().unwrap_or_else(|| hit.label.clone());
        let group = tree(
            "<g class='{}' data-replica='{}' data-broker='{}' key='{}'><g aria-hidden='true'>{}</g>\
             {}</g>",
            vec![
                if chosen { "hw-chosen" } else { "" }.into(),
                replica.into(),
                broker.into(),
                key.into(),
                parts.into(),
                target(&hit, live, stop).into(),
            ],
        );
        if live {
            self.hits.push(hit);
        }
        group
    }
}
