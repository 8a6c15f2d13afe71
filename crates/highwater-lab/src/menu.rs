//! Menus: a button that opens a list of others, what stands in each, and the keys that lead through it.

use highwater_scene::node::Node;
use highwater_scene::template::tree;
use highwater_scene::words::lab as words;

use crate::deeds;
use crate::heard::Key;
use crate::lab::Lab;
use crate::story::StopKind;
use crate::wish::Wish;

/// What can be taken away, and opened: words, and `data-do`.
pub const SHARE: [(&str, &str); 5] = [
    (words::COPY_LINK, "copy:link"),
    (words::SAVE_TRANSCRIPT, "save:transcript"),
    (words::OPEN_FILE, "open-file"),
    (words::SAVE_SVG, "save:svg"),
    (words::SAVE_PNG, "save:png"),
];

/// What the buttons of a menu do, in their order.
fn items(menu: &str) -> Vec<String> {
    match menu {
        "share" => SHARE.iter().map(|(_, does)| (*does).to_owned()).collect(),
        "jump" => StopKind::ALL.iter().map(|kind| format!("jump:{}", kind.name())).collect(),
        "more" => deeds::others().map(|kind| format!("form:{}", kind.name())).collect(),
        _ => Vec::new(),
    }
}

/// A button that opens a list of others; `open` is the menu that is open, if one is.
#[must_use]
pub fn menu(name: &str, label: &'static str, open: Option<&str>, items: Vec<Node>) -> Node {
    let is_open = open == Some(name);
    let id = format!("lab-menu-{name}");
    let list = is_open.then(|| {
        tree(
            "<div class='lab-menu-list' id='{}' role='group' aria-label='{}'>{}</div>",
            vec![id.clone().into(), label.into(), items.into()],
        )
    });
    tree(
        "<div class='lab-menu' data-keys='menu' key='{}'><button type='button' class='btn btn-small' data-do='{}' \
         aria-expanded='{}' aria-controls='{}'>{}<span class='lab-menu-mark' aria-hidden='true'>\u{25be}</span></button>{}</div>",
        vec![
            name.to_owned().into(),
            format!("menu:{name}").into(),
            if is_open { "true" } else { "false" }.into(),
            is_open.then_some(id).into(),
            label.into(),
            list.into(),
        ],
    )
}

impl Lab {
    /// A key at a menu's button or in its list. Whether it means something there.
    pub(crate) fn menu_key(&mut self, key: &Key) -> bool {
        let opener = key.does.strip_prefix("menu:");
        let open = self.menu.clone();
        if key.key == "Tab" {
            // The focus leaves: behind the last button, or before the first.
            let last = items(open.as_deref().unwrap_or_default()).pop();
            if if key.shift { opener.is_some() } else { last.as_ref() == Some(&key.does) } {
                self.menu = None;
            }
            return false;
        }
        if key.ctrl || key.shift {
            return false;
        }
        if key.key == "Escape" {
            self.menu = None;
            self.wishes.extend(open.iter().map(|menu| focus("menu", menu)));
            return open.is_some();
        }
        // The list whose button has the focus, else the one that is open: only there are its buttons.
        let Some(name) = opener.or(open.as_deref()) else { return false };
        let items = items(name);
        let last = items.len().saturating_sub(1);
        let at = items.iter().position(|item| *item == key.does);
        let to = match (key.key.as_str(), at) {
            ("ArrowDown", Some(at)) if at < last => at + 1,
            ("ArrowUp", Some(at)) if at > 0 => at - 1,
            ("ArrowDown", _) => 0,
            ("ArrowUp", _) => last,
            ("Home", Some(_)) => 0,
            ("End", Some(_)) => last,
            _ => return false,
        };
        let Some(item) = items.get(to) else { return false };
        let (kind, of) = item.split_once(':').unwrap_or((item, ""));
        let wishes = [Wish::Reveal(format!("#lab-menu-{name}")), focus(kind, of)];
        self.menu = Some(name.to_owned());
        self.wishes.extend(wishes);
        true
    }
}

/// The focus to what does this.
fn focus(kind: &str, of: &str) -> Wish {
    let colon = if of.is_empty() { "" } else { ":" };
    Wish::Focus(format!("[data-do='{kind}{colon}{of}']"))
}
