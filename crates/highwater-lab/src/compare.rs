//! Two futures of one past, side by side at the same moment, with what is different between them.

use highwater_core::controller::topic_name::is_internal;
use highwater_core::world::compare::{Difference, differences};
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::words::differences::sentence;
use highwater_scene::words::lab as words;

use crate::lab::Lab;
use crate::run::Run;

/// The most differences that are named.
const NAMED: usize = 12;

impl Lab {
    /// The other future where it was at this moment; it stays where it is. What is different there.
    fn differ(&self, here: &Snapshot) -> Option<(Run, Snapshot, Vec<Difference>)> {
        let mut other = self.other.as_deref()?.clone();
        other.seek_time(here.now);
        let there = other.snapshot();
        let mut found = differences(here, &there);
        found.retain(is_told);
        Some((other, there, found))
    }

    /// How the other future differs at this moment, by ear.
    pub(crate) fn differences_in_words(&self) -> String {
        let found = self.differ(&self.run.snapshot()).map_or_else(Vec::new, |(.., found)| found);
        match found.first() {
            Some(first) => words::differences(found.len(), &sentence(first)),
            None => words::NO_DIFFERENCE.to_owned(),
        }
    }

    /// The other future at this moment, and how it differs.
    pub(crate) fn compared(&mut self, here: &Snapshot) -> Option<Node> {
        let (other, there, found) = self.differ(here)?;
        let mut items: Vec<Node> = found
            .iter()
            .take(NAMED)
            .map(|difference| tree("<li>{}</li>", vec![sentence(difference).into()]))
            .collect();
        if found.len() > NAMED {
            let more = words::and_more(found.len() - NAMED);
            items.push(tree("<li>{}</li>", vec![more.into()]));
        }
        let says = if found.is_empty() {
            tree("<p>{}</p>", vec![words::NO_DIFFERENCE.into()])
        } else {
            tree("<ul class='lab-differences'>{}</ul>", vec![items.into()])
        };
        let mut figure = self.figure.clone();
        (figure.scroll, figure.focus) = (0, None);
        let events = other.last_stop().map(|stop| other.events_of(stop)).unwrap_or_default();
        let drawn = figure.draw(&there, &events, None, self.room);
        Some(tree(
            "<section class='lab-compared' aria-label='{}' key='compared'><h2>{}</h2>{}\
             <div class='lab-other-draw fig-draw' inert=''>{}</div></section>",
            vec![
                words::OTHER_FUTURE.into(),
                words::other_future(&words::moment(there.now)).into(),
                says.into(),
                drawn.drawing.into(),
            ],
        ))
    }
}

/// Whether a difference is the reader's business: Kafka's own topics are not, and terminals can be seen.
fn is_told(difference: &Difference) -> bool {
    match difference {
        Difference::Topic { topic, .. }
        | Difference::PartitionCount { topic, .. }
        | Difference::Configs { topic, .. } => !is_internal(topic.as_str()),
        Difference::Partition { partition, .. } | Difference::Replica { partition, .. } => {
            !is_internal(partition.topic.as_str())
        }
        Difference::Output { .. } => false,
        _ => true,
    }
}
