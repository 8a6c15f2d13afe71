//! Somebody who presses, types and looks.

use highwater_lab::heard::Key;
use highwater_lab::{Heard, Lab, Opening, Room, Wish};
use highwater_scene::node::{Element, Node};

/// A window of 1280 px, as the page tells it.
pub(crate) const WIDE: Room = Room { width: 800, font: 16, motion: true };

/// A reader in front of the Lab.
pub(crate) struct Reader {
    pub(crate) lab: Lab,
    /// What was kept, downloaded, copied: every wish so far.
    pub(crate) wishes: Vec<Wish>,
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self::with(Opening::default())
    }

    pub(crate) fn with(opening: Opening) -> Self {
        Self { lab: Lab::new(&opening, WIDE), wishes: Vec::new() }
    }

    pub(crate) fn hears(&mut self, heard: Heard) -> bool {
        let prevented = self.lab.hear(heard);
        self.wishes.extend(self.lab.take_wishes());
        prevented
    }

    /// Presses something that is on the page.
    pub(crate) fn press(&mut self, does: &str) {
        let mut seen = self.seen();
        let menus: Vec<String> =
            seen.iter().filter(|does| does.starts_with("menu:")).cloned().collect();
        for menu in menus {
            if seen.iter().any(|known| known == does) {
                break;
            }
            self.hears(Heard::Press(menu));
            seen = self.seen();
        }
        assert!(seen.iter().any(|known| known == does), "nothing does {does}; there is {seen:#?}");
        self.hears(Heard::Press(does.to_owned()));
    }

    /// Sends a form that is open, with these values in place of its own.
    pub(crate) fn send(&mut self, does: &str, values: &[(&str, &str)]) {
        let mut fields = self.fields(does);
        for (name, value) in values {
            match fields.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => (*value).clone_into(known),
                None => fields.push(((*name).to_owned(), (*value).to_owned())),
            }
        }
        fields.retain(|(_, value)| value != "(off)");
        self.hears(Heard::Sent { does: does.to_owned(), fields });
    }

    /// Opens a form, and sends it.
    pub(crate) fn does(&mut self, form: &str, values: &[(&str, &str)]) {
        let does = format!("form:{form}");
        self.hears(Heard::Press(does.clone()));
        self.send(&does, values);
        self.hears(Heard::Press("close-form".to_owned()));
    }

    /// Types a line at the prompt and presses Enter.
    pub(crate) fn types(&mut self, line: &str) {
        let key = Key { key: "Enter".to_owned(), before: line.to_owned(), ..prompt() };
        assert!(self.hears(Heard::Key(key)));
    }

    /// Presses a key at the prompt, behind this text.
    pub(crate) fn key_at_prompt(&mut self, key: &str, before: &str) -> bool {
        self.hears(Heard::Key(Key { key: key.to_owned(), before: before.to_owned(), ..prompt() }))
    }

    /// What everything that can be pressed does.
    pub(crate) fn seen(&mut self) -> Vec<String> {
        let mut seen = Vec::new();
        walk(&self.lab.view(), &mut |element| {
            if let Some(does) = element.get("data-do")
                && element.tag != "form"
                && element.get("disabled").is_none()
            {
                seen.push(does.to_owned());
            }
        });
        seen
    }

    /// The fields of a form, as they stand on the page.
    pub(crate) fn fields(&mut self, does: &str) -> Vec<(String, String)> {
        let (mut fields, mut inside) = (Vec::new(), None);
        walk(&self.lab.view(), &mut |element| {
            if element.tag == "form" {
                inside = element.get("data-do").map(str::to_owned);
            }
            if inside.as_deref() != Some(does) {
                return;
            }
            let Some(name) = element.get("name") else { return };
            let value = match (element.tag, element.get("type")) {
                ("select", _) => chosen(element),
                (_, Some("checkbox")) if element.get("checked").is_none() => return,
                ("button" | "textarea", _) => return,
                _ => element.get("value").unwrap_or_default().to_owned(),
            };
            fields.push((name.to_owned(), value));
        });
        fields
    }

    /// All text on the page.
    pub(crate) fn text(&mut self) -> String {
        self.lab.view().text_content()
    }
}

fn prompt() -> Key {
    Key { place: "prompt".to_owned(), does: "typed".to_owned(), ..Key::default() }
}

/// The chosen value of a list of choices, as a browser tells it.
fn chosen(select: &Element) -> String {
    let options = select.children.iter().filter_map(Node::as_element);
    let options: Vec<&Element> = options.filter(|child| child.tag == "option").collect();
    let chosen = options.iter().find(|option| option.get("selected").is_some());
    let chosen = chosen.or(options.first());
    chosen.and_then(|option| option.get("value")).unwrap_or_default().to_owned()
}

/// Goes through a tree, the outer elements first.
pub(crate) fn walk(node: &Node, see: &mut dyn FnMut(&Element)) {
    let Some(element) = node.as_element() else { return };
    see(element);
    for child in &element.children {
        walk(child, see);
    }
}
