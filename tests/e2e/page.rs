//! The page as a reader meets it: what can be done on it, and what it shows.
//!
//! Everything goes by what is rendered: roles, names, classes and data attributes.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fantoccini::actions::{
    InputSource as _, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use crate::browser::Browser;

/// How long something that must come is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// Keys that have no character of their own, as WebDriver writes them.
pub(crate) mod key {
    pub(crate) const TAB: &str = "\u{e004}";
    pub(crate) const ENTER: &str = "\u{e007}";
    pub(crate) const SHIFT: &str = "\u{e008}";
    pub(crate) const CTRL: &str = "\u{e009}";
    pub(crate) const ESCAPE: &str = "\u{e00c}";
    pub(crate) const SPACE: &str = " ";
    pub(crate) const END: &str = "\u{e010}";
    pub(crate) const HOME: &str = "\u{e011}";
    pub(crate) const LEFT: &str = "\u{e012}";
    pub(crate) const UP: &str = "\u{e013}";
    pub(crate) const RIGHT: &str = "\u{e014}";
    pub(crate) const DOWN: &str = "\u{e015}";
}

/// A browser with the page in it.
pub(crate) struct Page {
    pub(crate) browser: Browser,
}

/// Where the tests leave pictures.
pub(crate) fn pictures() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target/e2e");
    fs::create_dir_all(target.join("shots")).expect("target/e2e can be made");
    target
}

impl Page {
    pub(crate) fn new(browser: Browser) -> Self {
        Self { browser }
    }

    /// Goes to an address.
    #[track_caller]
    pub(crate) fn open(&self, url: &str) {
        self.browser.done(url, async |client| client.goto(url).await);
    }

    /// Waits until the engine runs and its figure stands. Where no figure is near the window, as with
    /// very large type, the reader scrolls to it first: only then the engine is fetched.
    #[track_caller]
    pub(crate) fn wait_until_live(&self) {
        self.js("if (document.documentElement.dataset.engine === 'idle')\
               document.querySelector('.island').scrollIntoView({ block: 'nearest' })");
        self.wait("the engine to run", || {
            self.engine() == "running" && self.exists(".bar [data-do=play]:not(:disabled)")
        });
    }

    /// Runs JavaScript in the page; `return` gives the value.
    #[track_caller]
    pub(crate) fn js(&self, script: &str) -> Value {
        self.js_with(script, &[])
    }

    /// Runs JavaScript with `arguments`.
    #[track_caller]
    pub(crate) fn js_with(&self, script: &str, args: &[Value]) -> Value {
        self.browser.done("a script", async |client| client.execute(script, args.to_vec()).await)
    }

    /// Waits until the browser has drawn what was done so far.
    #[track_caller]
    pub(crate) fn next_frame(&self) {
        let script = "const done = arguments[0];\
             requestAnimationFrame(() => requestAnimationFrame(() => done()))";
        self.js_async(script);
    }

    /// Runs JavaScript that calls its last argument when it is done.
    #[track_caller]
    pub(crate) fn js_async(&self, script: &str) -> Value {
        self.js_async_with(script, &[])
    }

    /// The same, with arguments before the last one.
    #[track_caller]
    pub(crate) fn js_async_with(&self, script: &str, args: &[Value]) -> Value {
        let action = async |client: &Client| client.execute_async(script, args.to_vec()).await;
        self.browser.done("a script that takes its time", action)
    }

    /// Runs JavaScript that gives a list of texts.
    #[track_caller]
    pub(crate) fn texts_of(&self, script: &str) -> Vec<String> {
        let list = self.js(script);
        let list = list.as_array().cloned().unwrap_or_default();
        list.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until something is so.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sees that something stays so for a while, where nothing may happen.
    #[track_caller]
    pub(crate) fn stays(&self, what: &str, for_ms: u64, is_so: impl Fn() -> bool) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(for_ms) {
            assert!(is_so(), "did not stay: {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether there is such an element.
    #[track_caller]
    pub(crate) fn exists(&self, selector: &str) -> bool {
        self.js_with("return !!document.querySelector(arguments[0])", &[json!(selector)]) == true
    }

    /// How many such elements there are.
    #[track_caller]
    pub(crate) fn count(&self, selector: &str) -> u64 {
        let script = "return document.querySelectorAll(arguments[0]).length";
        self.js_with(script, &[json!(selector)]).as_u64().unwrap_or_default()
    }

    /// The text of the first such element; empty when there is none.
    #[track_caller]
    pub(crate) fn text(&self, selector: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.textContent ?? ''";
        self.string(script, selector)
    }

    /// An attribute of the first such element; empty when it has none.
    #[track_caller]
    pub(crate) fn attribute(&self, selector: &str, name: &str) -> String {
        let script =
            "return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? ''";
        let value = self.js_with(script, &[json!(selector), json!(name)]);
        value.as_str().unwrap_or_default().to_owned()
    }

    fn string(&self, script: &str, argument: &str) -> String {
        let value = self.js_with(script, &[json!(argument)]);
        value.as_str().unwrap_or_default().to_owned()
    }

    /// Clicks the first such element as a mouse does: it must be seen, and nothing may cover it.
    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let what = format!("{selector} cannot be clicked");
        self.browser
            .done(&what, async |client| client.find(Locator::Css(selector)).await?.click().await);
    }

    /// Clicks a button by its words.
    #[track_caller]
    pub(crate) fn click_button(&self, words: &str) {
        let script = "const found = [...document.querySelectorAll('button')]\
             .find(button => button.textContent.trim() === arguments[0]);\
             found?.setAttribute('data-e2e', ''); return !!found";
        let found = self.js_with(script, &[json!(words)]);
        assert!(found == true, "there is no button {words:?}");
        self.click("[data-e2e]");
        let forget = "document.querySelectorAll('[data-e2e]')\
             .forEach(button => button.removeAttribute('data-e2e'))";
        self.js(forget);
    }

    /// Presses at a place inside an element, in per cent of its width.
    #[track_caller]
    pub(crate) fn press_at(&self, selector: &str, percent: i32) {
        let scroll = "document.querySelector(arguments[0]).scrollIntoView({ block: 'nearest' })";
        self.js_with(scroll, &[json!(selector)]);
        self.next_frame();
        let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();\
             return [box.x + box.width * arguments[1] / 100, box.y + box.height / 2].map(Math.round)";
        let at = self.js_with(script, &[json!(selector), json!(percent)]);
        let place = |value: &Value| value.as_f64().expect("a place is a number");
        let pointer = MouseActions::new("mouse".to_owned())
            .then(PointerAction::MoveTo { duration: None, x: place(&at[0]), y: place(&at[1]) })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.browser.done("a press", async |client| client.perform_actions(pointer).await);
    }

    /// Presses keys one after the other, wherever the focus is.
    #[track_caller]
    pub(crate) fn press(&self, keys: &str) {
        let actions =
            keys.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        self.key_actions(actions);
    }

    /// Presses a key while another one is held.
    #[track_caller]
    pub(crate) fn press_with(&self, held: &str, key: &str) {
        let (held, key) = (character(held), character(key));
        let (down, up) = (|value| KeyAction::Down { value }, |value| KeyAction::Up { value });
        self.key_actions([down(held), down(key), up(key), up(held)]);
    }

    #[track_caller]
    fn key_actions(&self, actions: impl IntoIterator<Item = KeyAction>) {
        let keyboard = KeyActions::new("keyboard".to_owned());
        let keyboard = actions.into_iter().fold(keyboard, KeyActions::then);
        self.browser.done("keys", async |client| client.perform_actions(keyboard).await);
    }

    /// Gives an element the focus without a press.
    #[track_caller]
    pub(crate) fn focus(&self, selector: &str) {
        self.js_with("document.querySelector(arguments[0]).focus()", &[json!(selector)]);
    }

    /// A word for the element with the focus: its cell, name, words or selector.
    #[track_caller]
    pub(crate) fn focused(&self) -> String {
        let script = "const it = document.activeElement; if (!it || it === document.body) return '';\
             return it.closest('g[data-cell]') ? 'cell ' + it.closest('g[data-cell]').dataset.cell\
                  : it.type === 'radio' ? 'radio ' + it.value\
                  : it.getAttribute('aria-label') ?? (it.textContent.trim().slice(0, 60) || it.tagName)";
        self.string(script, "")
    }

    /// Collects in `window.said` whatever live regions say from now on.
    #[track_caller]
    pub(crate) fn listen(&self) {
        self.js(
            "window.said = []; new MutationObserver(records => {\
               const regions = records.map(record => (record.target.closest ? record.target : record.target.parentElement)\
                 ?.closest('[role=status]')).filter(region => region?.isConnected && region.textContent);\
               window.said.push(...[...new Set(regions)].map(region => region.textContent));\
             }).observe(document.body, { childList: true, characterData: true, subtree: true })",
        );
    }

    // ---- The figure -----------------------------------------------------------------------------

    /// `idle`, `loading`, `running`, `failed` or `panicked`.
    #[track_caller]
    pub(crate) fn engine(&self) -> String {
        self.attribute("html", "data-engine")
    }

    /// The sentence above the drawing.
    #[track_caller]
    pub(crate) fn say(&self) -> String {
        self.text(".fig-say")
    }

    /// The time in words.
    #[track_caller]
    pub(crate) fn time(&self) -> String {
        self.text(".bar-time")
    }

    /// The arithmetic that is shown; empty when none is.
    #[track_caller]
    pub(crate) fn sum(&self) -> String {
        self.text(".hw-sum")
    }

    /// The records that are drawn, as `0/2 A PARCEL_COLLECTED`: place, letter and value.
    #[track_caller]
    pub(crate) fn cells(&self) -> Vec<String> {
        self.cells_of("[data-cell]")
    }

    /// The records that the last step has brought.
    #[track_caller]
    pub(crate) fn fresh(&self) -> Vec<String> {
        self.cells_of(".hw-new")
    }

    fn cells_of(&self, selector: &str) -> Vec<String> {
        let script = format!(
            "return [...document.querySelector('.fig').querySelectorAll('.fig-draw {selector}')]\
             .filter(cell => cell.getClientRects().length).map(cell => [\
               cell.dataset.cell.replace(':', '/'),\
               cell.querySelector('.hw-key-letter')?.textContent ?? '-',\
               cell.querySelector('[aria-label]').getAttribute('aria-label')\
                 .match(/: (?:key [^,]*|no key), ([^,]*)/)?.[1] ?? '?',\
             ].join(' '))"
        );
        self.texts_of(&script)
    }

    /// The readers that are drawn, by ear.
    #[track_caller]
    pub(crate) fn readers(&self) -> Vec<String> {
        self.texts_of(
            "return [...document.querySelector('.fig').querySelectorAll('[data-reader]')]\
             .map(reader => reader.querySelector('[aria-label]').getAttribute('aria-label'))",
        )
    }

    /// What the figure says to a reader by ear.
    #[track_caller]
    pub(crate) fn announced(&self) -> String {
        self.text(".fig > [role=status]")
    }

    /// A control of the transport: `back`, `play` or `step`.
    #[track_caller]
    pub(crate) fn transport(&self, control: &str) {
        self.click(&format!(".bar [data-do={control}]"));
    }

    /// Goes to a step with the keys of the timeline.
    #[track_caller]
    pub(crate) fn seek(&self, step: usize) {
        self.focus(".track-input");
        self.press(&[key::HOME, &key::RIGHT.repeat(step)].concat());
        self.wait("the timeline to follow", || self.time().starts_with(&format!("step {step} of")));
    }

    /// Waits until a figure that plays has come to its end.
    #[track_caller]
    pub(crate) fn wait_for_the_end(&self) {
        self.wait("the figure to play to its end", || {
            let time = self.time();
            let words: Vec<&str> = time.split(' ').collect();
            words.len() == 4
                && words[1] == words[3]
                && self.exists(".bar [data-do=play][aria-label=Play]")
        });
    }

    // ---- The terminal ---------------------------------------------------------------------------

    /// Unfolds the terminal.
    #[track_caller]
    pub(crate) fn open_terminal(&self) {
        self.click(".did [data-do=terminal]");
        self.wait("the prompt to have the focus", || self.focused() == "Command");
    }

    /// The lines on the terminal.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<String> {
        self.texts_of(
            "return [...(document.querySelector('.fig')?.querySelectorAll('.tty-line') ?? [])].map(line => line.textContent)",
        )
    }

    /// Types a line at the prompt, presses Enter, and returns the lines that came after it.
    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> Vec<String> {
        let before = self.lines().len();
        self.press(line);
        self.press(key::ENTER);
        self.wait("the line to be run", || self.prompt_text().is_empty());
        self.wait("the line to be shown", || self.lines().len() > before);
        self.lines().split_off(before + 1)
    }

    /// What stands at the prompt.
    #[track_caller]
    pub(crate) fn prompt_text(&self) -> String {
        self.string("return document.querySelector('.tty-input')?.value ?? ''", "")
    }

    // ---- For people -----------------------------------------------------------------------------

    /// Keeps a picture of the whole page, or of the window.
    pub(crate) fn picture(&self, path: &str, whole: bool) {
        let params = json!({ "format": "png", "captureBeyondViewport": whole });
        let params = if whole {
            let size = self.js(
                "return [document.documentElement.clientWidth, document.documentElement.scrollHeight]",
            );
            let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
            json!({ "format": "png", "captureBeyondViewport": true, "clip": clip })
        } else {
            params
        };
        let taken = self.browser.cdp("Page.captureScreenshot", &params);
        let base64 = taken["data"].as_str().unwrap_or_default();
        let bytes = BASE64_STANDARD.decode(base64).expect("a picture comes as base64");
        fs::write(pictures().join(path), bytes).expect("a picture can be written");
    }

    /// Says what the page showed when its test failed.
    pub(crate) fn tell_failure(&self, name: &str) {
        let script = "return { address: location.href, engine: document.documentElement.dataset.engine,\
             say: document.querySelector('.fig-say')?.textContent,\
             time: document.querySelector('.bar-time')?.textContent,\
             announced: document.querySelector('.fig > [role=status]')?.textContent,\
             focus: document.activeElement?.outerHTML.slice(0, 160),\
             terminal: [...document.querySelectorAll('.tty-line')].slice(-8).map(l => l.textContent) }";
        let state = self.browser.tried(async |client| client.execute(script, Vec::new()).await);
        eprintln!("the page of {name}: {state:#?}");
        if let Ok(png) = self.browser.tried(async |client| client.screenshot().await) {
            let file = pictures().join(format!("{name}.png"));
            let _ = fs::write(&file, png);
            eprintln!("its picture: {}", file.display());
        }
    }
}

/// The key that WebDriver calls by this one character.
fn character(key: &str) -> char {
    key.chars().next().expect("a key has a character")
}
