//! Somebody at the Lab: opens it, presses, types, and reads what it shows. Presses are real ones: the thing must be
//! seen, and nothing may lie over it.

use std::ops::Deref;

use fantoccini::actions::{InputSource as _, MOUSE_BUTTON_LEFT, MouseActions, PointerAction};
use serde_json::{Value, json};

use crate::browser::{Visit, site};
use crate::page::{Page, key};

/// The commands in the terminal.
const COMMANDS: &str = "return [...document.querySelectorAll('.lab-terminal .tty-line')]\
     .filter(line => line.firstElementChild?.textContent === '$ ')\
     .map(line => line.textContent.slice(2))";

/// Finds what does something, scrolls it into the window and says where it is. What is folded away is unfolded first:
/// then it is the place of the summary.
const PLACE: &str = "const found = arguments[0];\
     const list = [...document.querySelectorAll(found.startsWith('#') || found.startsWith('.') ? found : '[data-do]')]\
       .filter(it => (found.startsWith('#') || found.startsWith('.')\
         || it.getAttribute('data-do') === found) && it.localName !== 'form' && !it.closest('[inert]'));\
     const seen = list.find(it => it.checkVisibility() && it.getClientRects().length);\
     const it = seen ?? list[0]; if (!it) return { trouble: 'is not there' };\
     if (it.disabled) return { trouble: 'is off' };\
     let folded = null;\
     if (!seen) for (let at = it.parentElement; at; at = at.parentElement)\
       if (at.matches('details:not([open])')) folded = at;\
     if (!seen && !folded) return { trouble: 'is hidden' };\
     const target = folded?.querySelector('summary') ?? it.querySelector('.hw-hit') ?? it;\
     const middle = () => { const box = target.getClientRects()[0];\
       return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)] };\
     const open = () => { const over = document.elementFromPoint(...middle());\
       return over && (target.contains(over) || over.contains(target) || it.contains(over)) };\
     if (!open()) target.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });\
     if (!open()) target.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });\
     if (!open()) return { trouble: `is covered at ${middle()} by ${\
       document.elementFromPoint(...middle())?.outerHTML.slice(0, 120)}` };\
     return { at: middle(), folded: !!folded }";

/// Somebody at the Lab.
pub(crate) struct Desk<'a> {
    page: &'a Page,
    /// By finger rather than by mouse.
    pub(crate) touch: bool,
}

impl Deref for Desk<'_> {
    type Target = Page;

    fn deref(&self) -> &Page {
        self.page
    }
}

/// The address of the Lab with this behind its `#`.
pub(crate) fn address(fragment: &str) -> String {
    format!("{}lab/{}{fragment}", site(), if fragment.is_empty() { "" } else { "#" })
}

/// Opens the Lab in a window of this width; a narrow one belongs to a phone, where a finger presses.
#[track_caller]
pub(crate) fn at(width: u32, test: impl FnOnce(&Desk<'_>)) {
    visit(Visit::new().at(width, 800), width <= 480, test);
}

/// Opens the Lab for a visit.
#[track_caller]
pub(crate) fn visit(visit: Visit, touch: bool, test: impl FnOnce(&Desk<'_>)) {
    visit.run(|page| {
        let desk = Desk { page, touch };
        if touch {
            let enabled = json!({ "enabled": true, "maxTouchPoints": 1 });
            page.browser.cdp("Emulation.setTouchEmulationEnabled", &enabled);
        }
        desk.open("");
        test(&desk);
    });
}

impl Desk<'_> {
    /// Opens the Lab anew, with this behind its `#` and what the last visit has kept.
    #[track_caller]
    pub(crate) fn open(&self, fragment: &str) {
        self.page.open("about:blank");
        self.page.open(&address(fragment));
        self.live();
    }

    /// Opens the Lab as for the first time.
    #[track_caller]
    pub(crate) fn fresh(&self, fragment: &str) {
        self.page.open("about:blank");
        let origin = site();
        let storage = json!({ "origin": origin.trim_end_matches('/'), "storageTypes": "all" });
        self.browser.cdp("Storage.clearDataForOrigin", &storage);
        self.open(fragment);
    }

    /// Waits until it stands.
    #[track_caller]
    pub(crate) fn live(&self) {
        self.wait("the Lab to run", || self.engine() == "running" && self.exists(".lab-root"));
        self.next_frame();
    }

    /// Presses what has this `data-do`, or the first that fits a selector which begins with `#` or `.`.
    #[track_caller]
    pub(crate) fn press(&self, does: &str) {
        if let Some(menu) = self.closed_menu(does) {
            self.press(menu);
        }
        for _ in 0..4 {
            let place = self.js_with(PLACE, &[json!(does)]);
            assert!(place["trouble"].is_null(), "{does} {}", place["trouble"]);
            self.press_place(&place["at"]);
            self.next_frame();
            if place["folded"] != true {
                return;
            }
        }
        panic!("{does} cannot be unfolded");
    }

    /// The menu in which something is that is not to be seen now.
    fn closed_menu(&self, does: &str) -> Option<&'static str> {
        let menu = match does.split(':').next()? {
            "jump" => "menu:jump",
            "form" => "menu:more",
            "copy" | "save" | "open-file" => "menu:share",
            _ => return None,
        };
        (!self.offers(does)).then_some(menu)
    }

    #[track_caller]
    fn press_place(&self, at: &Value) {
        let (x, y) = (at[0].as_f64().unwrap_or(0.0), at[1].as_f64().unwrap_or(0.0));
        if self.touch {
            let down = json!({ "type": "touchStart", "touchPoints": [{ "x": x, "y": y }] });
            self.browser.cdp("Input.dispatchTouchEvent", &down);
            let up = json!({ "type": "touchEnd", "touchPoints": [] });
            self.browser.cdp("Input.dispatchTouchEvent", &up);
            return;
        }
        let pointer = MouseActions::new("mouse".to_owned())
            .then(PointerAction::MoveTo { duration: None, x, y })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.browser.done("a press", async |client| client.perform_actions(pointer).await);
    }

    /// Whether something with this `data-do` is there, be it folded away.
    #[track_caller]
    pub(crate) fn offers(&self, does: &str) -> bool {
        self.all_deeds().iter().any(|known| known == does)
    }

    /// Every `data-do` there is, forms aside.
    #[track_caller]
    pub(crate) fn all_deeds(&self) -> Vec<String> {
        self.texts_of(
            "return [...document.querySelectorAll('[data-do]:not(form)')].filter(it => !it.closest('[inert]'))\
             .map(it => it.getAttribute('data-do'))",
        )
    }

    /// Puts text in at the focus, as a paste or an input method does.
    #[track_caller]
    pub(crate) fn insert(&self, text: &str) {
        self.browser.cdp("Input.insertText", &json!({ "text": text }));
    }

    /// Puts a line, or several, at the prompt and presses Enter.
    #[track_caller]
    pub(crate) fn line(&self, text: &str) {
        self.focus("#lab-prompt");
        self.insert(text);
        Page::press(self, key::ENTER);
        self.next_frame();
        assert_eq!(self.prompt_text(), "", "the prompt after {text}");
    }

    /// Presses keys, wherever the focus is, and lets it be drawn.
    #[track_caller]
    pub(crate) fn keys(&self, keys: &str) {
        Page::press(self, keys);
        self.next_frame();
    }

    /// Chooses in a list of choices, or fills in a field: `selector` is its own.
    #[track_caller]
    pub(crate) fn fill(&self, selector: &str, value: &str) {
        let kind = "const it = document.querySelector(arguments[0]);\
             if (it?.matches('input:not([type=checkbox]), textarea')) { it.focus(); it.select() }\
             return it?.localName === 'select' ? 'select' : it?.type ?? 'nothing'";
        let kind = self.js_with(kind, &[json!(selector)]);
        match kind.as_str().unwrap_or_default() {
            // As the browser does when a choice is made; chromedriver leaves `input` out.
            "select" => {
                let script = "const [selector, value] = arguments; const it = document.querySelector(selector);\
                     if (![...it.options].some(option => option.value === value)) return false;\
                     it.focus(); it.value = value;\
                     for (const type of ['input', 'change'])\
                       it.dispatchEvent(new Event(type, { bubbles: true }));\
                     return true";
                let chosen = self.js_with(script, &[json!(selector), json!(value)]);
                assert_eq!(chosen, true, "{selector} has no {value}");
            }
            "checkbox" => {
                let is_on = self.js_with(
                    "return document.querySelector(arguments[0]).checked ? 'yes' : ''",
                    &[json!(selector)],
                );
                if is_on != value {
                    self.click(selector);
                }
            }
            "nothing" => panic!("there is no {selector}"),
            _ => {
                if value.is_empty() {
                    Page::press(self, "\u{e017}");
                } else {
                    self.insert(value);
                }
            }
        }
        self.next_frame();
    }

    /// Opens a form, fills it in, runs it and closes it.
    #[track_caller]
    pub(crate) fn form(&self, name: &str, values: &[(&str, &str)]) {
        self.press(&format!("form:{name}"));
        for (field, value) in values {
            self.fill(&format!("#lab-form [name={field}]"), value);
        }
        self.press("#lab-form [type=submit]");
        self.press("close-form");
    }

    /// Begins with something of the list.
    #[track_caller]
    pub(crate) fn begin(&self, id: &str) {
        self.fill(".lab-start select", id);
        self.press(".lab-start [type=submit]");
    }

    // ---- What it shows --------------------------------------------------------------------------

    /// What is said to a reader by ear, without what makes the same words look new.
    #[track_caller]
    pub(crate) fn status(&self) -> String {
        self.text(".lab-root > [role=status]").trim_end().to_owned()
    }

    /// The step, and how many there are.
    #[track_caller]
    pub(crate) fn step(&self) -> (usize, usize) {
        let time = self.time();
        let numbers: Vec<usize> =
            time.split([' ', ',']).filter_map(|word| word.parse().ok()).take(2).collect();
        assert_eq!(numbers.len(), 2, "{time}");
        (numbers[0], numbers[1])
    }

    /// The commands that stand in the terminal in front.
    #[track_caller]
    pub(crate) fn commands(&self) -> Vec<String> {
        self.texts_of(COMMANDS)
    }

    /// The newest of them.
    #[track_caller]
    pub(crate) fn last_command(&self) -> String {
        self.commands().pop().unwrap_or_default()
    }

    /// The output in the terminal in front, with its commands.
    #[track_caller]
    pub(crate) fn screen(&self) -> String {
        self.lines().join("\n")
    }

    /// Steps on until the end, and how many steps that were.
    #[track_caller]
    pub(crate) fn to_the_end(&self) {
        self.focus(".track-input");
        self.keys(key::END);
        let (at, count) = self.step();
        assert_eq!(at, count, "End leads to the end");
    }

    /// Sees that the page does not scroll sideways. On a phone the window would grow with what leaves it.
    #[track_caller]
    pub(crate) fn fits(&self) {
        let script =
            "return [document.scrollingElement.scrollWidth, document.documentElement.clientWidth]";
        let widths = self.js(script);
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "the page scrolls sideways: {widths}");
    }

    /// Keeps a picture of the window.
    pub(crate) fn shot(&self, name: &str) {
        self.picture(&format!("shots/lab-{name}.png"), false);
    }
}
