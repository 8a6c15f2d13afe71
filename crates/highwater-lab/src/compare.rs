//! Two futures of one past, side by side at the same moment, with what is different between them.

use highwater_core::world::compare::differences;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::words::differences::sentence;
use highwater_scene::words::lab as words;

use crate::lab::Lab;

/// The most differences that are named.
const NAMED: usize = 12;

impl Lab {
    /// The other future at this moment, and how it differs.
    pub(crate) fn compared(&mut self, here: &Snapshot) -> Option<Node> {
        let other = self.other.as_mut()?;
        other.seek_time(here.now);
        let there = other.snapshot();
        let found = differences(here, &there);
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
