//! The view of messages on their way: who is there, quiet lines between them, a mark for each message, and a list
//! of buttons that say what it is and lose it.

use std::rc::Rc;

use highwater_core::ids::NodeId;
use highwater_core::net::message::{Body, Message};
use highwater_core::net::rule::{Effect, Rule};
use highwater_core::time::SimTime;
use highwater_core::world::cluster_view::ClusterView;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::thing::Thing;
use highwater_scene::words::{lab as words, replicas};

use crate::figure::{Drawn, ask};
use crate::lab::Room;

/// The most messages that are listed.
const LISTED: usize = 60;

/// Draws it.
#[must_use]
pub fn draw(snapshot: &Snapshot, room: Room) -> Drawn {
    let Some(cluster) = snapshot.cluster.get() else {
        let empty = || tree("<p></p>", vec![]);
        return Drawn { drawing: empty(), legend: empty(), table: empty() };
    };
    let net = Net::new(cluster, room);
    let list = list(cluster, snapshot.now);
    let waiting = waiting(cluster);
    let rules: Vec<Node> = cluster.rules.iter().map(rule).collect();
    let rules =
        (!rules.is_empty()).then(|| tree("<ul class='lab-rules'>{}</ul>", vec![rules.into()]));
    Drawn {
        drawing: tree(
            "<div class='lab-flight'>{}{}{}{}</div>",
            vec![net.svg(cluster, snapshot.now).into(), rules.into(), list.into(), waiting.into()],
        ),
        legend: tree("<p class='lab-legend'>{}</p>", vec![words::FLIGHT_LEGEND.into()]),
        table: tree("<p>{}</p>", vec![words::IS_A_LIST.into()]),
    }
}

/// Where everybody stands: clients above, brokers in the middle, the controller below.
struct Net {
    places: Vec<(NodeId, i32, i32, String)>,
    width: i32,
    height: i32,
    font: i32,
}

impl Net {
    fn new(cluster: &ClusterView, room: Room) -> Self {
        let font = room.font.clamp(16, 48);
        let width = room.width.max(200);
        let row = font * 5;
        let mut clients: Vec<NodeId> = Vec::new();
        for message in &cluster.in_flight {
            for node in [message.from, message.to] {
                if matches!(node, NodeId::Client(_)) && !clients.contains(&node) {
                    clients.push(node);
                }
            }
        }
        clients.sort();
        let brokers: Vec<NodeId> =
            cluster.brokers.iter().map(|broker| NodeId::Broker(broker.id)).collect();
        let mut places = Vec::new();
        let lines = [clients, brokers, vec![NodeId::Controller]];
        for (line, nodes) in lines.into_iter().enumerate() {
            let count = i32::try_from(nodes.len()).unwrap_or(1).max(1);
            for (nth, node) in (0..).zip(nodes) {
                let x = width * (2 * nth + 1) / (2 * count);
                // On an arc, so that no link passes behind somebody else.
                let aside = 2 * nth + 1 - count;
                let most = (count - 1).max(1);
                let bow =
                    if line == 1 { font * 3 - font * 3 * aside * aside / (most * most) } else { 0 };
                let below = if line == 2 { font * 3 } else { 0 };
                let y = font * 2 + row * i32::try_from(line).unwrap_or(0) + bow + below;
                places.push((node, x, y, name(node, count > 6)));
            }
        }
        Self { places, width, height: font * 7 + 2 * row, font }
    }

    fn place(&self, node: NodeId) -> Option<(i32, i32)> {
        self.places.iter().find(|(known, ..)| *known == node).map(|(_, x, y, _)| (*x, *y))
    }

    fn svg(&self, cluster: &ClusterView, now: SimTime) -> Node {
        let mut parts = Vec::new();
        let mut lines: Vec<(NodeId, NodeId)> = Vec::new();
        for message in &cluster.in_flight {
            let ends = (message.from.min(message.to), message.from.max(message.to));
            if !lines.contains(&ends) {
                lines.push(ends);
            }
        }
        for (from, to) in lines {
            if let (Some((x1, y1)), Some((x2, y2))) = (self.place(from), self.place(to)) {
                parts.push(tree(
                    "<line class='lab-wire' x1='{}' y1='{}' x2='{}' y2='{}'/>",
                    vec![x1.into(), y1.into(), x2.into(), y2.into()],
                ));
            }
        }
        for (node, x, y, name) in &self.places {
            parts.push(self.node(*node, (*x, *y), name));
        }
        for message in &cluster.in_flight {
            parts.extend(self.mark(message, now));
        }
        tree(
            "<svg class='lab-net' width='{}' height='{}' role='group' aria-label='{}'>{}</svg>",
            vec![
                self.width.into(),
                self.height.into(),
                words::in_flight(cluster.in_flight.len()).into(),
                parts.into(),
            ],
        )
    }

    fn node(&self, node: NodeId, (x, y): (i32, i32), name: &str) -> Node {
        let thing = match node {
            NodeId::Broker(id) => Some(ask(&Thing::Broker(id.0))),
            NodeId::Controller => Some(ask(&Thing::Controller)),
            NodeId::Client(_) => None,
        };
        let (width, height) = (self.font * 6, self.font * 2);
        let width = width.min(self.width / 6);
        let role = if thing.is_some() { "button" } else { "img" };
        let stop = thing.is_some().then_some("0");
        tree(
            "<g class='lab-node' data-do='{}' role='{}' tabindex='{}' aria-label='{}' key='{}'>\
             <rect x='{}' y='{}' width='{}' height='{}' rx='6'/>\
             <text x='{}' y='{}' text-anchor='middle' aria-hidden='true'>{}</text></g>",
            vec![
                thing.into(),
                role.into(),
                stop.into(),
                name.to_owned().into(),
                format!("{node:?}").into(),
                (x - width / 2).into(),
                (y - height / 2).into(),
                width.into(),
                height.into(),
                x.into(),
                (y + self.font * 5 / 16).into(),
                name.to_owned().into(),
            ],
        )
    }

    /// A message, as far on its line as its time has come.
    fn mark(&self, message: &Message, now: SimTime) -> Option<Node> {
        let ((x1, y1), (x2, y2)) = (self.place(message.from)?, self.place(message.to)?);
        let whole = i64::try_from(message.due.0.saturating_sub(message.sent.0)).ok()?.max(1);
        let gone = i64::try_from(now.0.saturating_sub(message.sent.0)).ok()?.clamp(0, whole);
        // Never on top of the ends.
        let share = 25 + 50 * gone / whole;
        let between = |from: i32, to: i32| {
            from + i32::try_from(i64::from(to - from) * share / 100).unwrap_or(0)
        };
        let is_request = matches!(message.body, Body::Request(_));
        let (x, y) = (between(x1, x2), between(y1, y2));
        Some(tree(
            "<circle class='{}' cx='{}' cy='{}' r='{}' key='{}'/>",
            vec![
                if is_request { "lab-asks" } else { "lab-answers" }.into(),
                x.into(),
                y.into(),
                (self.font * 6 / 16).into(),
                message.id.to_string().into(),
            ],
        ))
    }
}

fn name(node: NodeId, short: bool) -> String {
    match node {
        NodeId::Broker(id) if short => id.to_string(),
        NodeId::Broker(id) => replicas::broker(id.0),
        NodeId::Controller => words::CONTROLLER.to_owned(),
        NodeId::Client(id) => words::client(u64::from(id.0), short),
    }
}

fn list(cluster: &ClusterView, now: SimTime) -> Node {
    let mut items = Vec::new();
    for message in cluster.in_flight.iter().take(LISTED) {
        items.push(item(message, now));
    }
    if items.is_empty() {
        return tree("<p class='lab-empty'>{}</p>", vec![words::NOTHING_IN_FLIGHT.into()]);
    }
    let more = cluster.in_flight.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| tree("<p>{}</p>", vec![words::and_more(more).into()]));
    tree("<div><ul class='lab-messages'>{}</ul>{}</div>", vec![items.into(), more.into()])
}

/// Requests that have arrived and are not answered: folded away, since fetches of followers wait nearly always.
fn waiting(cluster: &ClusterView) -> Option<Node> {
    let mut items = Vec::new();
    for broker in &cluster.brokers {
        let at = replicas::broker(broker.id.0);
        for message in &broker.held {
            let is_request = matches!(message.body, Body::Request(_));
            let what = words::message(
                message.body.api_name(),
                is_request,
                &name(message.from, false),
                &at,
            );
            items.push((message.id, words::waits_at_paused(&what)));
        }
        for (from, id, why) in &broker.waiting {
            items.push((*id, words::waits(*why, &name(*from, false), &at)));
        }
    }
    let count = items.len();
    let listed: Vec<Node> = items
        .into_iter()
        .take(LISTED)
        .map(|(id, what)| {
            tree(
                "<li class='lab-waits' key='{}'><button type='button' class='lab-thing' data-do='{}'>{}</button></li>",
                vec![id.to_string().into(), ask(&Thing::Request(id)).into(), what.into()],
            )
        })
        .collect();
    let more =
        (count > LISTED).then(|| tree("<p>{}</p>", vec![words::and_more(count - LISTED).into()]));
    (count > 0).then(|| {
        tree(
            "<details class='lab-waiting' key='waiting'><summary>{}</summary><ul class='lab-messages'>{}</ul>{}</details>",
            vec![words::waiting_at_brokers(count).into(), listed.into(), more.into()],
        )
    })
}

fn item(message: &Rc<Message>, now: SimTime) -> Node {
    let what = words::message(
        message.body.api_name(),
        matches!(message.body, Body::Request(_)),
        &name(message.from, false),
        &name(message.to, false),
    );
    let due = words::due(message.due.0.saturating_sub(now.0));
    tree(
        "<li class='lab-message' key='{}'><button type='button' class='lab-thing' data-do='{}'>{}</button>\
         <span class='lab-due num'>{}</span>\
         <button type='button' class='btn btn-small' data-do='{}' aria-label='{}'>{}</button></li>",
        vec![
            message.id.to_string().into(),
            ask(&Thing::Request(message.id)).into(),
            what.clone().into(),
            due.into(),
            format!("type:hw drop {}", message.id).into(),
            words::drop_label(&what).into(),
            words::DROP.into(),
        ],
    )
}

/// A standing fault of the network, and what mends it.
fn rule(rule: &Rule) -> Node {
    let ends = (rule.from.to_string(), rule.to.to_string());
    let what = match rule.effect {
        Effect::Cut => words::is_cut(&ends.0, &ends.1),
        Effect::Slow(span) => words::is_slow(&ends.0, &ends.1, &words::span(span)),
    };
    let heal = format!("type:hw heal {} {} --one-way", ends.0, ends.1);
    tree(
        "<li class='lab-rule'>{} <button type='button' class='btn btn-small' data-do='{}'>{}</button></li>",
        vec![what.into(), heal.into(), words::MEND.into()],
    )
}
