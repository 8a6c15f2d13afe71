//! Models beside the simulator: small things to press that are not Kafka, or only a part of it. They need no engine.

mod queue;
mod skew;

use highwater_scene::node::Node;

pub use queue::Queue;
pub use skew::Skew;

/// A model, by the name that a lesson gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// A queue and a log side by side.
    Queue(Queue),
    /// How keys fill partitions.
    Skew(Skew),
}

impl Model {
    /// The names of all models.
    pub const NAMES: [&str; 2] = ["queue", "skew"];

    /// The model of that name, at its beginning.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        match name {
            "queue" => Some(Self::Queue(Queue::default())),
            "skew" => Some(Self::Skew(Skew::default())),
            _ => None,
        }
    }

    /// A button was pressed: its `data-do`.
    pub fn press(&mut self, does: &str) {
        if let Self::Queue(queue) = self {
            queue.press(does);
        }
    }

    /// A control has another value: its `data-do`, and the value.
    pub fn set(&mut self, does: &str, value: &str) {
        if let Self::Skew(skew) = self {
            skew.set(does, value);
        }
    }

    /// What is to be seen. In a static page nothing is `live`.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        match self {
            Self::Queue(queue) => queue.view(live),
            Self::Skew(skew) => skew.view(live),
        }
    }
}
