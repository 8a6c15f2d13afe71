//! The figure: which one is drawn, what is chosen in it, and where the keyboard is.
//!
//! The drawings are those of `highwater-scene`; here each of their marks gets the `data-do` that asks about it.

use std::rc::Rc;

use highwater_core::controller::topic_name::is_internal;
use highwater_core::world::event::Event;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::cluster_figure::{ClusterFigure, ReplicaId, What as OnCluster};
use highwater_scene::keys::Keys;
use highwater_scene::log_figure::{CellId, LogFigure, What as OnLog, fresh};
use highwater_scene::node::{Element, Node};
use highwater_scene::partition_figure::{PartitionFigure, What as OnPartition};
use highwater_scene::template::tree;
use highwater_scene::thing::Thing;
use highwater_scene::words;

use crate::lab::Room;

/// Which figure is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum View {
    /// A topic's partitions as strips of records, with its readers.
    #[default]
    Records,
    /// Every replica of every partition, by broker.
    Replicas,
    /// Groups with their members and lag.
    Groups,
    /// Messages on their way.
    Flight,
}

impl View {
    /// All, in the order of their buttons.
    pub const ALL: [Self; 4] = [Self::Records, Self::Replicas, Self::Groups, Self::Flight];

    /// Its name in `data-do` and in the head of a situation.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Replicas => "replicas",
            Self::Groups => "groups",
            Self::Flight => "flight",
        }
    }

    /// The view of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// What of the cluster is drawn, and how far it is scrolled.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Which figure.
    pub view: View,
    /// The topic that is drawn; `None`, or one that is gone: the first.
    pub topic: Option<String>,
    /// The partition whose replicas are shown record by record.
    pub opened: Option<(String, i32)>,
    /// How many records the strips are moved back from the newest end.
    pub scroll: i64,
    /// The most that it can be moved.
    scroll_most: i64,
    /// Where the keyboard is, as the `data-do` of a mark.
    pub focus: Option<String>,
    /// The letters of keys.
    pub keys: Keys,
    /// What can be pressed in each of the last drawings, line by line, as `data-do`.
    marks: Vec<Vec<Vec<String>>>,
}

/// A drawing with what belongs to it.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// What is to be seen.
    pub drawing: Node,
    /// What its marks mean.
    pub legend: Node,
    /// The text twin.
    pub table: Node,
}

/// The reader's topics.
#[must_use]
pub fn own_topics(snapshot: &Snapshot) -> Vec<&str> {
    let names = snapshot.topics.iter().map(|topic| topic.name.as_str());
    names.filter(|name| !is_internal(name)).collect()
}

impl Figure {
    /// The topic that is drawn.
    #[must_use]
    pub fn topic_of<'a>(&'a self, snapshot: &'a Snapshot) -> Option<&'a str> {
        let chosen = self.topic.as_deref().filter(|topic| snapshot.topic(topic).is_some());
        chosen.or_else(|| own_topics(snapshot).first().copied())
    }

    /// Draws it. `events` are those of the last stop, `chosen` is what was asked about.
    pub fn draw(
        &mut self,
        snapshot: &Snapshot,
        events: &[Rc<Event>],
        chosen: Option<&Thing>,
        room: Room,
    ) -> Drawn {
        match self.view {
            View::Records => self.records(snapshot, events, chosen, room),
            View::Replicas => self.replicas(snapshot, chosen, room),
            View::Groups => crate::groups::draw(snapshot),
            View::Flight => crate::flight::draw(snapshot, room),
        }
    }

    fn records(
        &mut self,
        snapshot: &Snapshot,
        events: &[Rc<Event>],
        chosen: Option<&Thing>,
        room: Room,
    ) -> Drawn {
        let Some(topic) = self.topic_of(snapshot).map(str::to_owned) else { return nothing() };
        let selected = match chosen {
            Some(Thing::Record { topic: of, partition, offset }) if *of == topic => {
                Some(CellId { partition: *partition, offset: *offset })
            }
            _ => None,
        };
        let focus = match self.focus.as_deref().and_then(asked) {
            Some(Thing::Record { topic: of, partition, offset }) if of == topic => {
                Some(CellId { partition, offset })
            }
            _ => None,
        };
        let fresh = fresh(&topic, events);
        let figure = LogFigure {
            font: room.font,
            keys: self.keys.clone(),
            selected,
            fresh: &fresh,
            focus,
            scroll: self.scroll,
            slots: 6,
            tide: true,
            ..LogFigure::new(snapshot, &topic, room.width)
        };
        let scene = figure.scene();
        self.keys = scene.keys;
        self.scroll_most = scene.scroll_most;
        let does = |what: &OnLog| match what {
            OnLog::Cell(CellId { partition, offset }) => Some((
                *partition,
                ask(&Thing::Record {
                    topic: topic.clone(),
                    partition: *partition,
                    offset: *offset,
                }),
            )),
            _ => None,
        };
        self.marks = vec![rows(scene.hits.iter().filter_map(|hit| does(&hit.what)))];
        let name = |element: &Element| of_log_mark(element, &topic, snapshot);
        let legend = tree(
            "<div class='lab-legends'>{}<p class='lab-legend'>{}</p></div>",
            vec![scene.legend.into(), words::lab::RECORDS_LEGEND.into()],
        );
        Drawn { drawing: decorated(scene.svg, &name), legend, table: decorated(scene.table, &name) }
    }

    fn replicas(&mut self, snapshot: &Snapshot, chosen: Option<&Thing>, room: Room) -> Drawn {
        let topics = own_topics(snapshot);
        if topics.is_empty() {
            return nothing();
        }
        let selected = match chosen {
            Some(Thing::Replica(replica)) => Some(replica),
            _ => None,
        };
        let at = self.focus.as_deref().and_then(asked);
        let focus = match &at {
            Some(Thing::Replica(replica)) => Some(replica),
            _ => None,
        };
        let figure = ClusterFigure {
            font: room.font,
            selected,
            focus,
            ..ClusterFigure::new(snapshot, &topics, room.width)
        };
        let scene = figure.scene();
        let row = |what: &OnCluster| match what {
            OnCluster::Broker(id) => (String::new(), ask(&Thing::Broker(*id))),
            OnCluster::Replica(id) => {
                (words::partition_name(&id.topic, id.partition), ask(&Thing::Replica(id.clone())))
            }
        };
        self.marks = vec![rows(scene.hits.iter().map(|hit| row(&hit.what)))];
        let mut drawing = vec![decorated(scene.svg, &of_cluster_mark)];
        let mut legend = tree("<p class='lab-legend'>{}</p>", vec![scene.legend.into()]);
        if let Some(opened) = self.partition(snapshot, chosen, room) {
            drawing.push(opened.drawing);
            legend = tree(
                "<div class='lab-legends'>{}{}</div>",
                vec![legend.into(), opened.legend.into()],
            );
        }
        let drawing = tree("<div class='lab-replicas'>{}</div>", vec![drawing.into()]);
        let table = tree(
            "<div>{}{}</div>",
            vec![
                crate::partitions::table(snapshot).into(),
                decorated(scene.table, &of_cluster_mark).into(),
            ],
        );
        Drawn { drawing, legend, table }
    }

    /// The replicas of the opened partition, record by record.
    fn partition(
        &mut self,
        snapshot: &Snapshot,
        chosen: Option<&Thing>,
        room: Room,
    ) -> Option<Drawn> {
        let (topic, number) = self.opened.clone()?;
        let selected = match chosen {
            Some(Thing::Record { topic: of, partition, offset })
                if *of == topic && *partition == number =>
            {
                Some(*offset)
            }
            _ => None,
        };
        let leader =
            snapshot.topic(&topic)?.partitions.iter().find(|view| view.id.0 == number)?.leader;
        let figure = PartitionFigure {
            font: room.font,
            keys: self.keys.clone(),
            scroll: self.scroll,
            selected: selected.zip(leader).map(|(offset, leader)| (leader.0, offset)),
            focus: self.focus.as_deref().and_then(cell_of),
            ..PartitionFigure::new(snapshot, &topic, number, room.width)
        };
        let scene = figure.scene()?;
        self.keys = scene.keys;
        self.scroll_most = scene.scroll_most;
        let row = |what: &OnPartition| match what {
            OnPartition::Cell { broker, offset } => {
                Some((*broker, cell(*broker, &Thing::record(&topic, number, *offset))))
            }
            _ => None,
        };
        self.marks.push(rows(scene.hits.iter().filter_map(|hit| row(&hit.what))));
        let name = |element: &Element| of_partition_mark(element, &topic, number);
        let title = words::partition_name(&topic, number);
        let drawing = tree(
            "<div class='lab-opened' key='opened'><div class='lab-opened-head'><h2>{}</h2>\
             <button type='button' class='btn btn-small btn-quiet' data-do='close-partition'>{}</button></div>{}</div>",
            vec![title.into(), words::lab::CLOSE.into(), decorated(scene.svg, &name).into()],
        );
        Some(Drawn { drawing, legend: scene.legend, table: tree("<p></p>", vec![]) })
    }

    /// Scrolls to older records, or to newer ones.
    pub fn scroll(&mut self, older: bool) {
        let page = if older { 3 } else { -3 };
        self.scroll = self.scroll.saturating_add(page).clamp(0, self.scroll_most);
    }

    /// Whether that is a mark of the drawing.
    #[must_use]
    pub fn draws(&self, mark: &str) -> bool {
        self.marks.iter().flatten().flatten().any(|known| known == mark)
    }

    /// Moves the keyboard. Whether the key means something here.
    pub fn move_focus(&mut self, from: &str, key: &str) -> bool {
        let place = |drawing: &Vec<Vec<String>>| {
            drawing.iter().enumerate().find_map(|(row, marks)| {
                marks.iter().position(|mark| mark == from).map(|column| (row, column))
            })
        };
        let found = self.marks.iter().find_map(|drawing| Some((drawing, place(drawing)?)));
        let Some((drawing, (row, column))) = found else { return false };
        let marks = |row: usize| drawing.get(row).map_or(&[][..], Vec::as_slice);
        let last = |row: usize| marks(row).len().saturating_sub(1);
        let to = match key {
            "ArrowLeft" => (row, column.saturating_sub(1)),
            "ArrowRight" => (row, (column + 1).min(last(row))),
            "Home" => (row, 0),
            "End" => (row, last(row)),
            "ArrowUp" => (row.saturating_sub(1), column.min(last(row.saturating_sub(1)))),
            "ArrowDown" => {
                let below = (row + 1).min(drawing.len().saturating_sub(1));
                (below, column.min(last(below)))
            }
            _ => return false,
        };
        self.focus = marks(to.0).get(to.1).cloned();
        true
    }
}

/// The `data-do` that asks about a thing.
#[must_use]
pub fn ask(thing: &Thing) -> String {
    format!("ask:{}", thing.text())
}

/// What a `data-do` asks about.
#[must_use]
pub fn asked(does: &str) -> Option<Thing> {
    Thing::parse(does.strip_prefix("ask:")?)
}

/// The `data-do` of a record in the drawing of one partition's replicas: on which broker it was pressed.
fn cell(broker: i32, thing: &Thing) -> String {
    format!("cell:{broker}:{}", thing.text())
}

/// The broker and the offset of such a mark.
fn cell_of(does: &str) -> Option<(i32, i64)> {
    let (broker, thing) = does.strip_prefix("cell:")?.split_once(':')?;
    match Thing::parse(thing)? {
        Thing::Record { offset, .. } => Some((broker.parse().ok()?, offset)),
        _ => None,
    }
}

/// The selector of the element that takes the focus for a mark: a part of it in a drawing, else itself.
#[must_use]
pub fn focus_of(does: &str) -> String {
    let does = does.replace('\\', "\\\\").replace('\'', "\\'");
    format!("[data-do='{does}'] [tabindex], :is(button, [tabindex])[data-do='{does}']")
}

fn nothing() -> Drawn {
    let words = words::no_topics();
    Drawn {
        drawing: tree("<p class='lab-empty'>{}</p>", vec![words.into()]),
        legend: tree("<p class='lab-legend'></p>", vec![]),
        table: tree("<table><caption>{}</caption></table>", vec![words.into()]),
    }
}

/// Marks that stand one after another, a line for each change of the first part.
fn rows<R: PartialEq>(marks: impl Iterator<Item = (R, String)>) -> Vec<Vec<String>> {
    let mut rows: Vec<(R, Vec<String>)> = Vec::new();
    for (row, mark) in marks {
        match rows.last_mut() {
            Some((last, marks)) if *last == row => marks.push(mark),
            _ => rows.push((row, vec![mark])),
        }
    }
    rows.into_iter().map(|(_, marks)| marks).collect()
}

/// The drawing with a `data-do` at each mark that means something.
fn decorated(node: Node, name: &dyn Fn(&Element) -> Option<String>) -> Node {
    let Node::Element(mut element) = node else { return node };
    if let Some(does) = name(&element) {
        element.attributes.push(("data-do", does.into()));
    }
    let children = std::mem::take(&mut element.children);
    element.children = children.into_iter().map(|child| decorated(child, name)).collect();
    Node::Element(element)
}

fn of_log_mark(element: &Element, topic: &str, snapshot: &Snapshot) -> Option<String> {
    if let Some(which) = element.get("data-scroll") {
        return Some(format!("scroll:{which}"));
    }
    let topic = topic.to_owned();
    if let Some(cell) = element.get("data-cell").and_then(CellId::parse) {
        let CellId { partition, offset } = cell;
        return Some(ask(&Thing::Record { topic, partition, offset }));
    }
    if let Some(partition) = element.get("data-tide").and_then(|text| text.parse().ok()) {
        return Some(ask(&Thing::Tide { topic, partition }));
    }
    let name = element.get("data-reader")?.to_owned();
    // A group that nobody reads for stands there, too.
    let is_reader = snapshot.readers.iter().any(|reader| reader.name == name);
    Some(ask(&if is_reader { Thing::Reader(name) } else { Thing::Group(name) }))
}

fn of_cluster_mark(element: &Element) -> Option<String> {
    if let Some(replica) = element.get("data-replica").and_then(ReplicaId::parse) {
        return Some(ask(&Thing::Replica(replica)));
    }
    element.get("data-broker").and_then(|text| text.parse().ok()).map(|id| ask(&Thing::Broker(id)))
}

fn of_partition_mark(element: &Element, topic: &str, partition: i32) -> Option<String> {
    if let Some(which) = element.get("data-scroll") {
        return Some(format!("scroll:{which}"));
    }
    let number = |name: &str| element.get(name).and_then(|text| text.parse().ok());
    if let Some(offset) = number("data-offset") {
        let broker = number("data-broker").and_then(|broker| i32::try_from(broker).ok())?;
        return Some(cell(broker, &Thing::record(topic, partition, offset)));
    }
    of_cluster_mark(element)
}
