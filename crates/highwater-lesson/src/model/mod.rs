//! Models beside the simulator: small things to press that are not Kafka, or only a part of it. They need no engine, but for one that
//! reads bytes as Kafka's deserializers do: the program of the figures has these.

#[cfg(feature = "lab")]
mod bytes;
mod queue;
mod skew;

use highwater_scene::node::Node;

use crate::key_page::KeyPage;

#[cfg(feature = "lab")]
pub use bytes::Bytes;
pub use queue::Queue;
pub use skew::Skew;

/// Where the page about a key is, from that of a lesson.
const KEY_PAGE: &str = "../key/";

/// A model, by the name that a lesson gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    #[cfg(feature = "lab")]
    /// An object that becomes bytes, and what readers make of them.
    Bytes(Bytes),
    /// A key under each family of clients, as on the page about it.
    Key(KeyPage),
    /// A queue and a log side by side.
    Queue(Queue),
    /// How keys fill partitions.
    Skew(Skew),
}

impl Model {
    /// The names of all models.
    pub const NAMES: [&str; 4] = ["bytes", "key", "queue", "skew"];

    /// The model of that name, at its beginning.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        match name {
            #[cfg(feature = "lab")]
            "bytes" => Some(Self::Bytes(Bytes::default())),
            "key" => Some(Self::Key(KeyPage { page: KEY_PAGE, ..KeyPage::default() })),
            "queue" => Some(Self::Queue(Queue::default())),
            "skew" => Some(Self::Skew(Skew::default())),
            _ => None,
        }
    }

    /// A button was pressed: its `data-do`.
    pub fn press(&mut self, does: &str) {
        match self {
            #[cfg(feature = "lab")]
            Self::Bytes(bytes) => bytes.press(does),
            Self::Queue(queue) => queue.press(does),
            Self::Skew(_) | Self::Key(_) => {}
        }
    }

    /// A control has another value: its `data-do`, and the value.
    pub fn set(&mut self, does: &str, value: &str) {
        match self {
            #[cfg(feature = "lab")]
            Self::Bytes(bytes) => bytes.set(value),
            Self::Skew(skew) => skew.set(does, value),
            Self::Queue(_) | Self::Key(_) => {}
        }
    }

    /// What is to be seen. In a static page nothing is `live`.
    #[must_use]
    pub fn view(&self, live: bool) -> Node {
        match self {
            #[cfg(feature = "lab")]
            Self::Bytes(bytes) => bytes.view(live),
            Self::Key(page) => page.view(live),
            Self::Queue(queue) => queue.view(live),
            Self::Skew(skew) => skew.view(live),
        }
    }
}
