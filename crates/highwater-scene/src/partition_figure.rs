//! One partition: the brokers that hold it are rows on one ruler of offsets, the leader first, each with its records,
//! the high watermark that it knows and its log end. So "one fetch behind" can be seen, and logs that differ too.

use highwater_core::ids::{BrokerId, PartitionId, TopicName, TopicPartition};
use highwater_core::world::snapshot::Snapshot;

use crate::hit::{self, tab_stop};
use crate::keys::{Keys, Mark};
use crate::lanes::{Placed, learn, records_of};
use crate::layout::Window;
use crate::node::Node;
use crate::replicas::{BrokerState, Health, PartitionState, ReplicaState, brokers, partitions};
use crate::template::tree;
use crate::words;
use crate::words::replicas as says;

mod ruler;
mod strip;

use ruler::Ruler;

/// What to draw, and for which room.
#[derive(Clone, Debug)]
pub struct PartitionFigure<'a> {
    /// The moment.
    pub snapshot: &'a Snapshot,
    /// The topic's name.
    pub topic: &'a str,
    /// The partition's number.
    pub partition: i32,
    /// The width in px that there is.
    pub width: i32,
    /// The root font size in px.
    pub font: i32,
    /// Keys that have letters already.
    pub keys: Keys,
    /// How many offsets the strips are moved back from the newest end.
    pub scroll: i64,
    /// The cell that the reader has asked about: a broker and an offset.
    pub selected: Option<(i32, i64)>,
    /// The cell that the keyboard is at.
    pub focus: Option<(i32, i64)>,
    /// Whether cells and brokers can be pressed.
    pub live: bool,
}

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The drawing: an `svg` of exactly `width` by `height`.
    pub svg: Node,
    /// The legend of the keys: `div.fig-legend`.
    pub legend: Node,
    /// What can be pressed, row by row.
    pub hits: Vec<Hit>,
    /// The width in px.
    pub width: i32,
    /// The height in px.
    pub height: i32,
    /// The marks of the records that are shown, each as often as it is.
    pub marks: Vec<Mark>,
    /// The keys with their letters, the new ones too. Give them to the next figure.
    pub keys: Keys,
    /// The largest `scroll` that changes something.
    pub scroll_most: i64,
}

/// Something that can be pressed.
pub type Hit = hit::Hit<What>;

/// What can be pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A record of a replica. Attributes `data-broker` and `data-offset`.
    Cell {
        /// The broker's id.
        broker: i32,
        /// The offset.
        offset: i64,
    },
    /// A broker. Attribute `data-broker`.
    Broker(i32),
    /// Shows older records. Attribute `data-scroll="older"`.
    Older,
    /// Shows newer records. Attribute `data-scroll="newer"`.
    Newer,
}

/// A replica with what is shown of it.
struct Row {
    replica: ReplicaState,
    health: Health,
    cells: Vec<Placed>,
}

/// A drawing in the making.
struct Canvas<'a> {
    figure: &'a PartitionFigure<'a>,
    ruler: Ruler,
    window: Window,
    /// The cell that Tab reaches.
    stop: Option<(i32, i64)>,
    hits: Vec<Hit>,
}

impl<'a> PartitionFigure<'a> {
    /// The figure of a partition at a moment, in its simplest form.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot, topic: &'a str, partition: i32, width: i32) -> Self {
        Self {
            snapshot,
            topic,
            partition,
            width,
            font: 16,
            keys: Keys::default(),
            scroll: 0,
            selected: None,
            focus: None,
            live: true,
        }
    }

    /// Draws it; `None`: there is no such partition.
    #[must_use]
    pub fn scene(&self) -> Option<Scene> {
        let state = self.state()?;
        let (low, high) = state.span();
        let healths = brokers(self.snapshot);
        let health = |broker: i32| health_of(&healths, broker);
        let role = |replica: &ReplicaState| says::health_and_role(health(replica.broker), replica);
        let roles: Vec<String> = state.replicas.iter().map(role).collect();
        let ruler = Ruler::new(self.width, self.font, &roles, (low, high));
        let window = Window::of(ruler.slots, (low, high), self.scroll);
        let mut rows = self.rows(&state, &health, window);
        let mut keys = self.keys.clone();
        let mut all: Vec<&mut Placed> = rows.iter_mut().flat_map(|row| &mut row.cells).collect();
        learn(&mut all, &mut keys);
        let marks: Vec<Mark> = all.iter().map(|record| record.mark).collect();
        let scroll_most = (high - low).saturating_sub(ruler.slots - 1).max(0);
        let stop = self.tab_stop(&rows);
        let mut canvas = Canvas { figure: self, ruler, window, stop, hits: Vec::new() };
        let (mut nodes, mut top) = (vec![canvas.offsets()], canvas.ruler.head);
        let leaders = of_leader(&rows);
        for row in &rows {
            nodes.push(canvas.row(row, &leaders, top));
            top += canvas.ruler.row;
        }
        let (width, height) = (canvas.ruler.width, top);
        let label = says::partition_label(self.topic, self.partition, rows.len());
        Some(Scene {
            svg: tree(
                "<svg class='hw-replicas' width='{}' height='{}' role='group' aria-label='{}'>{}</svg>",
                vec![width.into(), height.into(), label.into(), nodes.into()],
            ),
            legend: keys.legend(&marks),
            hits: canvas.hits,
            width,
            height,
            marks,
            keys,
            scroll_most,
        })
    }

    /// The text twin, for terminals: a line for each replica, with at most `most` of the newest offsets; `None`:
    /// there is no such partition.
    #[must_use]
    pub fn text(&self, most: u32) -> Option<String> {
        let state = self.state()?;
        let (low, high) = state.span();
        let window = Window { from: low.max(high - i64::from(most)), to: high, older: 0, newer: 0 };
        let healths = brokers(self.snapshot);
        let health = |broker: i32| health_of(&healths, broker);
        let mut rows = self.rows(&state, &health, window);
        let mut all: Vec<&mut Placed> = rows.iter_mut().flat_map(|row| &mut row.cells).collect();
        learn(&mut all, &mut self.keys.clone());
        let leaders = of_leader(&rows);
        let line = |row: &Row| {
            let tide = row.replica.log.and_then(|log| log.high_watermark);
            let cells = row.cells.iter().map(|cell| {
                let (key, value) = (
                    cell.key.as_deref().map(words::shown),
                    cell.value.as_deref().map(words::shown),
                );
                let differs = differs(&leaders, cell);
                let (mark, key, value) = (cell.mark.letter(), key.as_deref(), value.as_deref());
                (says::record(cell.offset, &mark, key, value, differs), tide == Some(cell.offset))
            });
            says::replica_line(row.health, &row.replica, &cells.collect::<Vec<_>>())
        };
        Some(rows.iter().map(line).collect())
    }

    fn state(&self) -> Option<PartitionState> {
        let view = self.snapshot.topic(self.topic)?;
        let states = partitions(self.snapshot, view);
        states.into_iter().find(|state| state.partition == self.partition)
    }

    /// The replicas, the leader first, with the records of the window.
    fn rows(
        &self,
        state: &PartitionState,
        health: &dyn Fn(i32) -> Health,
        window: Window,
    ) -> Vec<Row> {
        let which = TopicPartition::new(&TopicName::new(self.topic), PartitionId(self.partition));
        let cluster = self.snapshot.cluster.get();
        let row = |replica: &ReplicaState| {
            let held = cluster.and_then(|cluster| {
                let broker = BrokerId(replica.broker);
                cluster.brokers.iter().find(|view| view.id == broker)?.replica(&which)
            });
            Row {
                replica: replica.clone(),
                health: health(replica.broker),
                cells: held.map_or_else(Vec::new, |held| records_of(held, window.from, window.to)),
            }
        };
        let (leader, others): (Vec<_>, Vec<_>) =
            state.replicas.iter().partition(|replica| replica.leads);
        leader.into_iter().chain(others).map(row).collect()
    }

    /// Where Tab leads: the cell that had the focus, else the first one.
    fn tab_stop(&self, rows: &[Row]) -> Option<(i32, i64)> {
        let all = rows
            .iter()
            .flat_map(|row| row.cells.iter().map(|cell| (row.replica.broker, cell.offset)));
        tab_stop(all, self.focus.as_ref())
    }
}

fn health_of(brokers: &[BrokerState], id: i32) -> Health {
    brokers.iter().find(|broker| broker.id == id).map_or(Health::Down, |broker| broker.health)
}

/// What the leader has: offsets, each with the event of its append.
fn of_leader(rows: &[Row]) -> Vec<(i64, u64)> {
    let leader = rows.first().filter(|row| row.replica.leads);
    let cells = leader.iter().flat_map(|row| &row.cells);
    cells.map(|cell| (cell.offset, cell.appended)).collect()
}

/// Whether the leader has another record there.
fn differs(leaders: &[(i64, u64)], cell: &Placed) -> bool {
    let there = leaders.iter().find(|(offset, _)| *offset == cell.offset);
    there.is_some_and(|(_, appended)| *appended != cell.appended)
}
