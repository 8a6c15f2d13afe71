//! The side: what was asked about, else what the scene asks of the reader, and what a practitioner watches.

use highwater_core::broker::lifecycle::Stage;
use highwater_core::client::kafka_consumer::view::MemberView;
use highwater_core::ids::{BrokerId, Bytes, Offset};
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::cluster_view::BrokerView;
use highwater_core::world::event::EventKind;
use highwater_core::world::group_event::GroupEvent;
use highwater_core::world::hazard::HazardCounts;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::arithmetic;
use highwater_scene::ask::panel::{answer_panel, name_of};
use highwater_scene::names::event_by_name;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::thing::Thing;
use highwater_scene::why::reasons;
use highwater_scene::words::lab as words;

use crate::challenge::Challenge;
use crate::chart;
use crate::deed;
use crate::figure::ask;
use crate::lab::Lab;
use crate::task::Task;
use crate::transport::button;

/// The most hazards that are told one by one.
const HAZARDS_TOLD: usize = 6;

/// Something to do with a thing: what it is called, and its `data-do`.
type Deed = (&'static str, String);

impl Lab {
    /// The side.
    pub(crate) fn side(&self, snapshot: &Snapshot) -> Vec<Node> {
        if let Some(thing) = &self.asked {
            return vec![self.asked_about(thing, snapshot)];
        }
        let mut parts = vec![self.scene_panel()];
        parts.push(self.watched());
        parts
    }

    pub(crate) fn asked_about(&self, thing: &Thing, snapshot: &Snapshot) -> Node {
        let deeds: Vec<Node> = deeds_of(thing, snapshot).into_iter().map(deed_button).collect();
        let deeds = (!deeds.is_empty()).then(|| {
            tree(
                "<div class='lab-side-deeds' role='group' aria-label='{}'>{}</div>",
                vec![words::DEEDS.into(), deeds.into()],
            )
        });
        let mut answer = with_deeds(self.answer(thing, snapshot), deeds);
        if let Node::Element(panel) = &mut answer {
            // Right behind the title, where it is seen.
            let close = tree(
                "<button type='button' class='btn btn-quiet btn-small lab-close' data-do='let-go'>{}</button>",
                vec![words::CLOSE.into()],
            );
            panel.children.insert(1.min(panel.children.len()), close);
        }
        tree(
            "<div class='lab-asked' key='asked'>{}{}</div>",
            vec![self.goal_met().into(), answer.into()],
        )
    }

    fn answer(&self, thing: &Thing, snapshot: &Snapshot) -> Node {
        let Some(answer) = highwater_scene::ask::ask(thing, snapshot, &self.run.events()) else {
            return tree(
                "<section class='ask'><h2 class='ask-title' id='ask-title' tabindex='-1'>{}</h2><p class='lab-gone'>{}</p></section>",
                vec![name_of(thing).into(), words::NOT_THERE.into()],
            );
        };
        let chain = answer.because.map(|event| self.run.timeline().why(event)).unwrap_or_default();
        let panel = answer_panel(&answer, &reasons(&chain, snapshot), true);
        match (thing, panel) {
            (Thing::Record { topic, partition, offset }, Node::Element(mut panel)) => {
                let key = key_of(snapshot, topic, *partition, *offset);
                let sum = chain.iter().find_map(|event| match &event.kind {
                    EventKind::RecordPartitioned { key: of, .. } if *of == key => {
                        arithmetic::of_event(&event.kind)
                    }
                    _ => None,
                });
                let place = panel.children.iter().position(|child| is_tag(child, "dl"));
                if let (Some(sum), Some(place)) = (sum, place) {
                    panel.children.insert(place, arithmetic::node(&sum));
                }
                Node::Element(panel)
            }
            (_, panel) => panel,
        }
    }

    /// What was asked about, by ear: what it is, and why it is so.
    pub(crate) fn answer_in_words(&self, thing: &Thing) -> String {
        let snapshot = self.run.snapshot();
        let Some(answer) = highwater_scene::ask::ask(thing, &snapshot, &self.run.events()) else {
            return format!("{}. {}", name_of(thing), words::NOT_THERE);
        };
        let mut text = answer.title;
        for sentence in answer.says {
            text.push_str(if text.ends_with('.') { " " } else { ". " });
            text.push_str(&sentence.text);
        }
        text
    }

    /// What the scene is, and what it asks for.
    fn scene_panel(&self) -> Node {
        let mut parts =
            vec![tree("<h2 class='lab-side-title'>{}</h2>", vec![self.scene.title.clone().into()])];
        if !self.scene.about.is_empty() {
            parts.push(tree("<p>{}</p>", vec![self.scene.about.clone().into()]));
        }
        if self.scene.id == "task" {
            parts.push(self.task_list());
        } else if !self.scene.watch.is_empty() {
            parts.push(tree(
                "<p class='lab-watch'><strong>{}</strong> {}</p>",
                vec![words::WATCH_FOR.into(), self.scene.watch.clone().into()],
            ));
        }
        if let Some(challenge) = self.challenge() {
            let open =
                || tree("<p class='lab-verdict'>{}</p>", vec![challenge.verdict(&self.run).into()]);
            parts.push(self.goal_met().unwrap_or_else(open));
            parts.push(button(words::COPY_LINK, "copy:link"));
        }
        tree("<div class='lab-scene' key='scene'>{}</div>", vec![parts.into()])
    }

    fn challenge(&self) -> Option<Challenge> {
        self.scene.goal.as_deref().and_then(Challenge::from_id)
    }

    /// The verdict on a challenge that is met at this moment.
    pub(crate) fn verdict(&self) -> Option<String> {
        let challenge = self.challenge().filter(|challenge| challenge.is_met(&self.run))?;
        Some(challenge.verdict(&self.run))
    }

    fn goal_met(&self) -> Option<Node> {
        let verdict = self.verdict()?;
        Some(tree("<p class='lab-verdict lab-met' key='met'>{}</p>", vec![verdict.into()]))
    }

    fn task_list(&self) -> Node {
        let next = self.task.next();
        let steps = Task::steps().into_iter().zip(self.task.done).enumerate();
        let items: Vec<Node> = steps
            .map(|(place, (words, done))| {
                let class = match (done, next == Some(place)) {
                    (true, _) => "lab-step lab-step-done",
                    (_, true) => "lab-step lab-step-next",
                    _ => "lab-step",
                };
                let mark = if done { words::DONE } else { "" };
                let mark = (!mark.is_empty()).then(|| {
                    tree("<span class='lab-tick'><span aria-hidden='true'>\u{2713}</span><span class='visually-hidden'>{}</span></span>", vec![mark.into()])
                });
                tree("<li class='{}'>{}{}</li>", vec![class.into(), mark.into(), words.into()])
            })
            .collect();
        let all = next
            .is_none()
            .then(|| tree("<p class='lab-met'>{}</p>", vec![words::TASK_DONE.into()]));
        tree("<div><ol class='lab-steps'>{}</ol>{}</div>", vec![items.into(), all.into()])
    }

    /// Notices what of the task has come true.
    pub(crate) fn follow_task(&mut self) {
        if self.scene.id != "task" {
            return;
        }
        let snapshot = self.run.snapshot();
        let ticked = self.task.follow(&snapshot);
        self.ticked.extend(ticked);
    }

    /// Tells by ear what has come true of the task or the challenge, behind all else that is said of a deed.
    pub(crate) fn tell_ticked(&mut self) {
        let ticked: Vec<usize> = std::mem::take(&mut self.ticked);
        if !ticked.is_empty() {
            self.add_words(&words::task_steps_done(&ticked));
            self.keep();
        }
        let verdict = self.verdict();
        let was_met = std::mem::replace(&mut self.is_met, verdict.is_some());
        if let Some(verdict) =
            verdict.filter(|verdict| !was_met && !self.announce.contains(verdict))
        {
            self.add_words(&verdict);
        }
    }

    fn add_words(&mut self, words: &str) {
        if !self.announce.is_empty() {
            self.announce.push(' ');
        }
        self.announce.push_str(words);
    }

    /// Hazards, guarantees, brokers.
    fn watched(&self) -> Node {
        let counts = self.run.timeline().world().hazards();
        let hazards: Vec<Node> = hazards(counts)
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| {
                tree(
                    "<li><strong class='num'>{}</strong> {}</li>",
                    vec![count.to_string().into(), what.into()],
                )
            })
            .collect();
        let hazards = if hazards.is_empty() {
            tree("<p class='lab-quiet'>{}</p>", vec![words::NO_HAZARDS.into()])
        } else {
            tree("<ul class='lab-hazards'>{}</ul>", vec![hazards.into()])
        };
        tree(
            "<div class='lab-watched' key='watched'><h3>{}</h3>{}<h3>{}</h3>{}{}<h3>{}</h3>{}{}</div>",
            vec![
                words::SO_FAR.into(),
                chart::view(self.run.samples(), self.run.position()).into(),
                words::HAZARDS.into(),
                hazards.into(),
                self.last_hazards().into(),
                words::GUARANTEES.into(),
                button(words::CHECK_NOW, "check").into(),
                self.found().into(),
            ],
        )
    }

    /// What went wrong last, each with a way to that moment and to the record.
    fn last_hazards(&self) -> Option<Node> {
        let events = self.run.last_hazards(HAZARDS_TOLD);
        let snapshot = self.run.snapshot();
        let items: Vec<Node> = events
            .iter()
            .map(|event| {
                let record = record_of(&event.kind).map(|thing| {
                    tree(
                        "<button type='button' class='lab-thing' data-do='{}'>{}</button>",
                        vec![ask(&thing).into(), words::THE_RECORD.into()],
                    )
                });
                tree(
                    "<li>{} <button type='button' class='lab-thing' data-do='{}'>{}</button> {}</li>",
                    vec![
                        event_by_name(&event.kind, &snapshot).into(),
                        format!("event:{}", event.id).into(),
                        words::go_to(&words::moment(event.at)).into(),
                        record.into(),
                    ],
                )
            })
            .collect();
        (!items.is_empty()).then(|| {
            tree(
                "<details class='lab-last'><summary>{}</summary><ul>{}</ul></details>",
                vec![words::LAST_HAZARDS.into(), items.into()],
            )
        })
    }

    fn found(&self) -> Option<Node> {
        let found = self.checked.as_ref()?;
        let items: Vec<Node> =
            found.iter().map(|text| tree("<li>{}</li>", vec![text.clone().into()])).collect();
        Some(tree(
            "<div class='lab-checked'><p>{}</p><ul>{}</ul></div>",
            vec![words::checked(found.len()).into(), items.into()],
        ))
    }
}

/// The answer with what can be done right above its numbers: first what it is, then what to do about it.
fn with_deeds(answer: Node, deeds: Option<Node>) -> Node {
    let Some(deeds) = deeds else { return answer };
    let Node::Element(mut element) = answer else { return answer };
    let place = element.children.iter().position(|child| is_tag(child, "dl"));
    let place = place.unwrap_or(element.children.len());
    element.children.insert(place, deeds);
    Node::Element(element)
}

fn is_tag(node: &Node, tag: &str) -> bool {
    node.as_element().is_some_and(|element| element.tag == tag)
}

/// The key of a record, as its leader has it.
fn key_of(snapshot: &Snapshot, topic: &str, partition: i32, offset: i64) -> Option<Bytes> {
    let topic = snapshot.topic(topic)?;
    let view = topic.partitions.iter().find(|view| view.id.0 == partition)?;
    let (from, to) = (Offset(offset), Offset(offset).plus(1));
    let batch = view.replica.as_ref()?.log().read(from, to, u64::MAX).next()?;
    batch.iter_from(from).next().and_then(|(_, record)| record.key.clone())
}

/// The first record that a hazard is about.
fn record_of(event: &EventKind) -> Option<Thing> {
    let EventKind::Cluster(news) = event else { return None };
    let (partition, offset) = match news.event()? {
        ClusterEvent::RecordsLost { partition, from, .. } => (partition, from),
        ClusterEvent::DuplicateAppended { partition, again, .. } => (partition, again),
        ClusterEvent::OrderChanged { partition, at, .. } => (partition, at),
        ClusterEvent::Group(
            GroupEvent::RecordsRedelivered { partition, from, .. }
            | GroupEvent::RecordsSkipped { partition, from, .. }
            | GroupEvent::WorkedTooLate { partition, from, .. },
        ) => (partition, from),
        _ => return None,
    };
    Some(Thing::record(partition.topic.as_str(), partition.partition.0, offset.0))
}

/// Each count with what it counts.
fn hazards(counts: HazardCounts) -> [(u64, &'static str); 9] {
    [
        (counts.acknowledged_records_lost, words::LOST_ACKNOWLEDGED),
        (counts.overtaken_records_lost, words::LOST_OVERTAKEN),
        (counts.unanswered_records_lost, words::LOST_UNANSWERED),
        (counts.committed_records_lost, words::LOST_COMMITTED),
        (counts.duplicate_records, words::DUPLICATED),
        (counts.reordered_records, words::REORDERED),
        (counts.records_redelivered, words::REDELIVERED),
        (counts.records_skipped, words::SKIPPED),
        (counts.records_worked_too_late, words::TOO_LATE),
    ]
}

fn deed_button((label, does): Deed) -> Node {
    tree(
        "<button type='button' class='btn btn-small' data-do='{}'>{}</button>",
        vec![does.into(), label.into()],
    )
}

fn typed(label: &'static str, command: String) -> Deed {
    (label, format!("type:{command}"))
}

/// Whether that can be done with a thing.
pub(crate) fn offers(thing: &Thing, snapshot: &Snapshot, does: &str) -> bool {
    deeds_of(thing, snapshot).iter().any(|(_, known)| known == does)
}

/// What can be done with a thing.
fn deeds_of(thing: &Thing, snapshot: &Snapshot) -> Vec<Deed> {
    match thing {
        Thing::Broker(id) => broker_deeds(*id, snapshot),
        Thing::Replica(replica) => broker_deeds(replica.broker, snapshot),
        Thing::Topic(topic) => vec![
            typed(words::DESCRIBE, deed::describe(snapshot, topic)),
            (words::form("partitions"), "form:partitions".to_owned()),
            typed(words::DELETE_TOPIC, deed::delete_topic(snapshot, topic)),
        ],
        Thing::Partition { topic, partition }
        | Thing::Record { topic, partition, .. }
        | Thing::Tide { topic, partition } => {
            let mut deeds = vec![
                (
                    words::SHOW_REPLICAS,
                    format!("open-partition:{}", Thing::partition(topic, *partition).text()),
                ),
                typed(words::DESCRIBE, deed::describe(snapshot, topic)),
                typed(
                    words::ELECT_PREFERRED,
                    deed::elect(snapshot, topic, *partition, "preferred"),
                ),
                typed(words::ELECT_UNCLEAN, deed::elect(snapshot, topic, *partition, "unclean")),
            ];
            if let Thing::Record { offset, .. } = thing
                && *offset > 0
            {
                let command = deed::delete_records(snapshot, topic, *partition, *offset);
                deeds.push(typed(words::DELETE_BEFORE, command));
            }
            deeds
        }
        Thing::Group(group) => vec![
            typed(words::DESCRIBE, deed::describe_group(snapshot, group)),
            (words::form("work"), "form:work".to_owned()),
            (words::form("reset"), "form:reset".to_owned()),
        ],
        Thing::Request(id) => vec![typed(words::DROP, format!("hw drop {id}"))],
        Thing::Controller => vec![typed(words::DESCRIBE, deed::describe_quorum(snapshot))],
        Thing::Member { group, member } => {
            let is_it = |view: &&MemberView| {
                view.group.to_string() == *group && view.member.to_string() == *member
            };
            let members = snapshot.cluster.get().map_or(&[][..], |cluster| &cluster.members);
            let reader = members.iter().find(is_it).map(|view| view.reader.clone());
            reader.map_or_else(Vec::new, |reader| reader_deeds(&reader, snapshot))
        }
        Thing::Reader(name) => reader_deeds(name, snapshot),
        Thing::Event(_) => Vec::new(),
    }
}

/// A consumer is a process: it can be asked to end, killed, or stopped in the middle.
fn reader_deeds(name: &str, snapshot: &Snapshot) -> Vec<Deed> {
    let known = snapshot.cluster.get().map_or(&[][..], |cluster| &cluster.reader_processes);
    let Some((_, process, is_frozen)) = known.iter().find(|(reader, ..)| reader == name) else {
        return Vec::new();
    };
    let freeze = match is_frozen {
        true => typed(words::THAW_READER, format!("kill -CONT {process}")),
        false => typed(words::FREEZE_READER, format!("kill -STOP {process}")),
    };
    vec![
        typed(words::STOP_READER, format!("kill {process}")),
        typed(words::KILL_READER, format!("kill -9 {process}")),
        freeze,
    ]
}

fn broker_deeds(id: i32, snapshot: &Snapshot) -> Vec<Deed> {
    let brokers = snapshot.cluster.get().map_or(&[][..], |cluster| &cluster.brokers);
    let Some(broker) = brokers.iter().find(|broker: &&BrokerView| broker.id == BrokerId(id)) else {
        return Vec::new();
    };
    let hw = |label, what: &str| typed(label, format!("hw {what} {id}"));
    if broker.paused.is_some() {
        return vec![hw(words::RESUME, "resume"), hw(words::CRASH, "crash")];
    }
    if broker.stage == Stage::Down {
        return vec![hw(words::START, "start")];
    }
    vec![
        hw(words::CRASH, "crash"),
        hw(words::STOP, "stop"),
        hw(words::PAUSE_BROKER, "pause"),
        typed(words::POWER_LOSS, format!("hw crash {id} --power-loss")),
        (words::form("disk"), "form:disk".to_owned()),
        (words::form("link"), "form:link".to_owned()),
    ]
}
