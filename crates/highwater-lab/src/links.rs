//! Words of a tool's output that name something on screen: pressed, they ask about it.

use highwater_core::world::cluster_view::ClusterView;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::thing::Thing;

use crate::figure::ask;

/// The most words of one line that can be pressed.
const MOST: usize = 24;

/// What there is to name.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Topics, the longest first: `a-b` before `a`.
    topics: Vec<(String, i32)>,
    groups: Vec<String>,
    brokers: Vec<i32>,
}

impl Links {
    /// What there is at this moment.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> Self {
        let count = |partitions: usize| i32::try_from(partitions).unwrap_or(i32::MAX);
        let topics = snapshot.topics.iter();
        let mut topics: Vec<(String, i32)> =
            topics.map(|topic| (topic.name.to_string(), count(topic.partitions.len()))).collect();
        topics.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then(one.cmp(other)));
        let cluster = snapshot.cluster.get();
        let groups = cluster.into_iter().flat_map(ClusterView::groups);
        let brokers = cluster.into_iter().flat_map(|cluster| &cluster.brokers);
        Self {
            topics,
            groups: groups.map(|(_, group, _)| group.to_string()).collect(),
            brokers: brokers.map(|broker| broker.id.0).collect(),
        }
    }

    /// A line, with what it names as buttons.
    #[must_use]
    pub fn link(&self, line: &str) -> Vec<Node> {
        let (mut nodes, mut plain) = (Vec::new(), 0);
        let mut topic: Option<&str> = None;
        let mut found = 0;
        for (start, word) in words(line) {
            if found >= MOST {
                break;
            }
            let before = line.get(..start).unwrap_or_default();
            if let Some((name, _)) = self.topics.iter().find(|(name, _)| name == word) {
                topic = Some(name);
            }
            let Some(thing) = self.thing(word, before, topic) else { continue };
            found += 1;
            if let Some(text) = line.get(plain..start).filter(|text| !text.is_empty()) {
                nodes.push(Node::Text(text.to_owned().into()));
            }
            nodes.push(tree(
                "<button type='button' class='tty-thing' tabindex='-1' data-do='{}'>{}</button>",
                vec![ask(&thing).into(), word.to_owned().into()],
            ));
            plain = start + word.len();
        }
        if let Some(text) = line.get(plain..).filter(|text| !text.is_empty()) {
            nodes.push(Node::Text(text.to_owned().into()));
        }
        nodes
    }

    /// What a word means behind what stands before it, on a line about that topic.
    fn thing(&self, word: &str, before: &str, topic: Option<&str>) -> Option<Thing> {
        if let Ok(number) = word.parse::<i32>() {
            let label = before.trim_end_matches([' ', '\t']).rsplit([' ', '\t', ',']).next()?;
            return self.numbered(number, label, before, topic);
        }
        if let Some((name, _)) = self.topics.iter().find(|(name, _)| name == word) {
            return Some(Thing::Topic(name.clone()));
        }
        if self.groups.iter().any(|group| group == word) {
            return Some(Thing::Group(word.to_owned()));
        }
        self.partition(word)
    }

    fn partition(&self, word: &str) -> Option<Thing> {
        let (name, number) = word.rsplit_once('-')?;
        let number: i32 = number.parse().ok()?;
        let known =
            |(topic, count): &&(String, i32)| topic == name && (0..*count).contains(&number);
        self.topics.iter().find(known).map(|(topic, _)| Thing::partition(topic, number))
    }

    fn numbered(
        &self,
        number: i32,
        label: &str,
        before: &str,
        topic: Option<&str>,
    ) -> Option<Thing> {
        match label.trim_end_matches(':') {
            "Leader" | "Broker" | "broker" => self.broker(number),
            "offset" => {
                // As `hw produce` prints it: `parcel-events-0, offset 5`.
                let place =
                    before.trim_end().strip_suffix("offset")?.trim_end().strip_suffix(',')?;
                match self.partition(place.rsplit([' ', '\t']).next()?)? {
                    Thing::Partition { topic, partition } => {
                        Some(Thing::Record { topic, partition, offset: number.into() })
                    }
                    _ => None,
                }
            }
            "Partition" => {
                let topic = topic?;
                let count = self.topics.iter().find(|(name, _)| name == topic)?.1;
                (0..count).contains(&number).then(|| Thing::partition(topic, number))
            }
            _ if is_list(before, &["Replicas:", "Isr:", "Elr:", "LastKnownElr:"]) => {
                self.broker(number)
            }
            _ => None,
        }
    }

    fn broker(&self, id: i32) -> Option<Thing> {
        self.brokers.contains(&id).then_some(Thing::Broker(id))
    }
}

/// Whether what stands before is one of these labels and numbers with commas.
fn is_list(before: &str, labels: &[&str]) -> bool {
    let before = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',' || c == ' ');
    labels.iter().any(|label| before.ends_with(label))
}

/// The words of a line with their places: letters, digits, `_`, `-` and `.`, but no `.` at the end.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + line.get(rest..)?.find(is_part)?;
        let tail = line.get(start..)?;
        let end = tail.find(|c| !is_part(c)).unwrap_or(tail.len());
        rest = start + end;
        Some((start, tail.get(..end)?.trim_end_matches('.')))
    })
}
