//! The Lab's state, what it hears and what is to be seen.

use highwater_scene::node::Node;
use highwater_scene::template::tree;

use crate::heard::Heard;
use crate::wish::Wish;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The width of the figure's drawing in px (`.lab-draw`).
    pub width: i32,
    /// The root font size in px.
    pub font: i32,
    /// Whether things may move.
    pub motion: bool,
}

/// What the page knows when it opens the Lab.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// What stands behind the `#` of the address.
    pub fragment: String,
    /// What the last visit has kept, by name (see [`Wish::Keep`]).
    pub kept: Vec<(String, String)>,
}

/// The names under which something may have been kept.
pub const KEPT: &[&str] = &["highwater:lab"];

/// The Lab.
#[derive(Debug)]
pub struct Lab {
    room: Room,
    wishes: Vec<Wish>,
}

impl Lab {
    /// Opens it.
    #[must_use]
    pub fn new(_opening: Opening, room: Room) -> Self {
        Self { room, wishes: Vec::new() }
    }

    /// Hears something. Whether the browser must not do what it would do by itself (keys, forms).
    pub fn hear(&mut self, heard: Heard) -> bool {
        if let Heard::Room(room) = heard {
            self.room = room;
        }
        false
    }

    /// In how many ms it wants to hear [`Heard::Tick`]; `None`: nothing moves by itself.
    #[must_use]
    pub fn delay(&self) -> Option<u32> {
        None
    }

    /// What the page is to do now, in this order, after it has drawn.
    pub fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    /// The reader's commands so far, one a line: what is shown if the engine stops.
    #[must_use]
    pub fn commands(&self) -> String {
        String::new()
    }

    /// Everything to be seen.
    pub fn view(&mut self) -> Node {
        tree("<div class='lab-grid'>{}</div>", vec!["The Lab".into()])
    }
}
