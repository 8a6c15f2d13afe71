//! What the page needs of the Lab. Tests put something simpler in its place.

use highwater_lab::{Heard, Keeping, Lab, Wish};
use highwater_lesson::{Guided, Model};
use highwater_scene::node::Node;

/// Something that hears, is seen and wishes; see [`Lab`].
pub trait Desk {
    /// Hears something. Whether the browser must not do what it would do by itself.
    fn hear(&mut self, heard: Heard) -> bool;
    /// In how many ms it wants to hear [`Heard::Tick`].
    fn delay(&self) -> Option<u32>;
    /// What the page is to do after it has drawn.
    fn take_wishes(&mut self) -> Vec<Wish>;
    /// Everything to be seen.
    fn view(&mut self) -> Node;
    /// Whether what was done is kept for the next visit.
    fn is_kept(&self) -> bool {
        true
    }
    /// Whether something waits to be kept.
    fn is_unkept(&self) -> bool {
        false
    }
    /// What is to be kept now.
    fn take_kept(&mut self) -> Keeping {
        Keeping::default()
    }
    /// What is to be seen in other places of the page, in the order of those places.
    fn parts(&self) -> Vec<Node> {
        Vec::new()
    }
    /// The reader's commands so far, one a line.
    fn commands(&self) -> String;
}

impl Desk for Guided {
    fn hear(&mut self, heard: Heard) -> bool {
        Self::hear(self, heard)
    }

    fn delay(&self) -> Option<u32> {
        Self::delay(self)
    }

    fn take_wishes(&mut self) -> Vec<Wish> {
        Self::take_wishes(self)
    }

    fn view(&mut self) -> Node {
        Self::view(self)
    }

    fn is_kept(&self) -> bool {
        false
    }

    fn parts(&self) -> Vec<Node> {
        Self::parts(self)
    }

    fn commands(&self) -> String {
        Self::commands(self)
    }
}

impl Desk for Lab {
    fn hear(&mut self, heard: Heard) -> bool {
        Self::hear(self, heard)
    }

    fn delay(&self) -> Option<u32> {
        Self::delay(self)
    }

    fn take_wishes(&mut self) -> Vec<Wish> {
        Self::take_wishes(self)
    }

    fn view(&mut self) -> Node {
        Self::view(self)
    }

    fn is_unkept(&self) -> bool {
        Self::is_unkept(self)
    }

    fn take_kept(&mut self) -> Keeping {
        Self::take_kept(self)
    }

    fn commands(&self) -> String {
        Self::commands(self)
    }
}

impl Desk for Model {
    fn hear(&mut self, heard: Heard) -> bool {
        match heard {
            Heard::Press(does) => self.press(&does),
            Heard::Value { does, value } => self.set(&does, &value),
            _ => {}
        }
        false
    }

    fn delay(&self) -> Option<u32> {
        None
    }

    fn take_wishes(&mut self) -> Vec<Wish> {
        Vec::new()
    }

    fn view(&mut self) -> Node {
        Self::view(self, true)
    }

    fn is_kept(&self) -> bool {
        false
    }

    fn commands(&self) -> String {
        String::new()
    }
}
