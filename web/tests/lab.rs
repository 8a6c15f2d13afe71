//! The Lab's page in a real DOM, with a stand-in for the Lab that writes down what it hears, shows what it
//! is given and wishes what it is told to. What a reader does with the built page is tested in tests/e2e.

mod helpers;

use std::cell::RefCell;
use std::rc::Rc;

use helpers::{Show, Tree, click, find, node, place, text, turn, words};
use highwater_lab::heard::Key;
use highwater_lab::{Heard, Wish};
use highwater_scene::node::{Element as Tag, Node};
use highwater_web::lab::{Desk, mount_into};
use highwater_web::piece;
use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, HtmlInputElement};

wasm_bindgen_test_configure!(run_in_browser);

// ---- A stand-in -----------------------------------------------------------------------------------

#[derive(Default)]
struct Told {
    heard: Vec<Heard>,
    wishes: Vec<Wish>,
    delay: Option<u32>,
    /// Keys that the browser must not handle.
    takes: Vec<&'static str>,
    /// What stands beside the fixed part of the tree.
    word: &'static str,
    /// The choice that the tree says is made.
    chosen: &'static str,
    commands: &'static str,
}

type Shared = Rc<RefCell<Told>>;

struct StandIn(Shared);

impl Desk for StandIn {
    fn hear(&mut self, heard: Heard) -> bool {
        let mut told = self.0.borrow_mut();
        let takes = matches!(&heard, Heard::Key(key) if told.takes.contains(&key.key.as_str()));
        told.heard.push(heard);
        takes
    }

    fn delay(&self) -> Option<u32> {
        self.0.borrow().delay
    }

    fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.0.borrow_mut().wishes)
    }

    fn view(&mut self) -> Node {
        let told = self.0.borrow();
        tree(told.word, told.chosen)
    }

    fn commands(&self) -> String {
        self.0.borrow().commands.to_owned()
    }
}

/// One of everything that can be touched.
fn tree(word: &'static str, chosen: &'static str) -> Node {
    let option = |name: &'static str| {
        let both = [("value", name), ("selected", "")];
        node("option", if name == chosen { &both } else { &both[..1] }, vec![words(name)])
    };
    let label = node("text", &[], vec![words("record")]);
    let cell =
        [("data-do", "ask record"), ("role", "button"), ("tabindex", "0"), ("class", "cell")];
    let off =
        [("data-do", "ask gone"), ("aria-disabled", "true"), ("class", "off"), ("role", "button")];
    let drawing = node(
        "svg",
        &[("viewBox", "0 0 10 10")],
        vec![node("g", &cell, vec![label]), node("g", &off, vec![])],
    );
    let form = node(
        "form",
        &[("data-do", "produce")],
        vec![
            node("input", &[("name", "key"), ("type", "text")], vec![]),
            node("input", &[("name", "idempotent"), ("type", "checkbox")], vec![]),
            node("input", &[("name", "acks"), ("type", "radio"), ("value", "0")], vec![]),
            node(
                "input",
                &[("name", "acks"), ("type", "radio"), ("value", "all"), ("checked", "")],
                vec![],
            ),
            node("select", &[("name", "client")], vec![option("java"), option("librdkafka")]),
            node("textarea", &[("name", "value")], vec![words("first"), words(" words")]),
            node(
                "button",
                &[("name", "how"), ("value", "slowly"), ("class", "send")],
                vec![words("Send")],
            ),
        ],
    );
    let prompt = node(
        "p",
        &[("data-keys", "prompt"), ("class", "zone")],
        vec![
            node("input", &[("data-do", "line"), ("class", "prompt"), ("type", "text")], vec![]),
            node("button", &[("data-do", "run")], vec![words("Run")]),
        ],
    );
    let range = [("type", "range"), ("data-do", "seek"), ("max", "9"), ("value", "3")];
    let more = [("type", "checkbox"), ("data-do", "detail")];
    node(
        "div",
        &[],
        vec![
            node("p", &[("class", "word")], vec![words(word)]),
            node("div", &[("class", "lab-draw")], vec![drawing]),
            node(
                "div",
                &[("data-do", "outer")],
                vec![node(
                    "button",
                    &[("data-do", "inner")],
                    vec![node("b", &[], vec![words("x")])],
                )],
            ),
            form,
            prompt,
            node("input", &range, vec![]),
            node("input", &more, vec![]),
            node("pre", &[("class", "log")], vec![words("1\n2\n3\n4\n5\n6\n7\n8\n9\n")]),
        ],
    )
}

/// A page with the stand-in in it. Whatever watched the page in the test before is dead by now.
async fn open() -> (Element, Shared) {
    js("dispatchEvent(new Event('highwater:dead'))", &JsValue::NULL);
    let host = place("<div data-island='lab'><div class='lab-draw'></div></div>");
    let told = Shared::default();
    told.borrow_mut().chosen = "java";
    let desk = StandIn(Rc::clone(&told));
    mount_into(find(&host, "[data-island]"), |_, _| Box::new(desk));
    wait("the Lab to be drawn", || host.query_selector("form").is_ok_and(|form| form.is_some()))
        .await;
    // The room is told once it is watched.
    settle().await;
    told.borrow_mut().heard.clear();
    (host, told)
}

/// Runs JavaScript, which knows its argument as `it`.
fn js(script: &str, it: &JsValue) -> JsValue {
    let made = Function::new_with_args("it", script);
    made.call1(&JsValue::NULL, it).unwrap_or_else(|error| panic!("{script}: {error:?}"))
}

async fn settle() {
    for _ in 0..10 {
        turn().await;
    }
}

async fn wait(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..400 {
        if is_so() {
            return;
        }
        turn().await;
    }
    panic!("waited in vain for {what}");
}

/// What was heard since the last time it was asked.
fn heard(told: &Shared) -> Vec<Heard> {
    std::mem::take(&mut told.borrow_mut().heard)
}

fn press(does: &str) -> Heard {
    Heard::Press(does.to_owned())
}

/// A key on an element. Whether the browser may still do with it what it does.
fn key(host: &Element, selector: &str, key: &str, more: &str) -> bool {
    let script = format!(
        "return it.dispatchEvent(new KeyboardEvent('keydown', \
           {{ key: '{key}', bubbles: true, cancelable: true, {more} }}))"
    );
    js(&script, &find(host, selector)).is_truthy()
}

/// Has the Lab wish something, by a press that has it drawn.
async fn wish(host: &Element, told: &Shared, wishes: Vec<Wish>) {
    told.borrow_mut().wishes = wishes;
    click(host, "[data-do=inner]");
    settle().await;
    heard(told);
}

fn field(host: &Element, selector: &str) -> HtmlInputElement {
    find(host, selector).unchecked_into()
}

// ---- Kept pieces ----------------------------------------------------------------------------------

/// A kept piece is not made again while it is the same one, and its elements stay; so in an SVG, with a
/// key among others that have one, and when it moves.
#[wasm_bindgen_test]
async fn kept_pieces_are_left_alone() {
    let cell = |key: &str, says: &'static str| {
        let inside = vec![node("text", &[("class", "says")], vec![words(says)])];
        let id = match key {
            "a" => "a",
            _ => "b",
        };
        let tag = Tag {
            tag: "g",
            key: Some(key.to_owned()),
            attributes: vec![("id", id.into())],
            children: inside,
        };
        Rc::new(Node::from(tag))
    };
    let tree = |word: &'static str, cells: &[&Rc<Node>]| {
        let cells = cells.iter().map(|cell| Node::Kept(Rc::clone(cell))).collect();
        let drawing = node("svg", &[], vec![node("g", &[("class", "lane")], cells)]);
        let plain = node("p", &[("class", "word")], vec![words(word)]);
        Tree { node: node("div", &[], vec![plain, drawing]) }
    };
    let (a, b) = (cell("a", "one"), cell("b", "two"));
    let host = place("");
    let before = piece::made();
    let props = tree("first", &[&a, &b]);
    let mut shown = yew::Renderer::<Show>::with_root_and_props(host.clone(), props).render();
    settle().await;
    assert_eq!(piece::made() - before, 2);
    let (first, second) = (find(&host, "#a"), find(&host, "#b"));
    assert_eq!(first.namespace_uri().as_deref(), Some("http://www.w3.org/2000/svg"));

    // The rest changes, the pieces do not.
    shown.update(tree("second", &[&a, &b]));
    settle().await;
    assert_eq!(text(&host, ".word"), "second");
    assert_eq!(piece::made() - before, 2, "the same pieces are not made again");
    assert!(find(&host, "#a").is_same_node(Some(&first)));

    // One of them is another one, and only that is made.
    let newer = cell("b", "three");
    shown.update(tree("second", &[&a, &newer]));
    settle().await;
    assert_eq!(piece::made() - before, 3, "one piece is another one");
    assert_eq!(text(&host, "#b .says"), "three");
    assert!(find(&host, "#b").is_same_node(Some(&second)), "its element stays");

    // They change places, and one goes.
    shown.update(tree("third", &[&newer, &a]));
    settle().await;
    assert_eq!(piece::made() - before, 3, "moving makes nothing");
    assert!(find(&host, "#a").is_same_node(Some(&first)));
    assert_eq!(text(&host, ".lane"), "threeone", "and they have moved");
    shown.update(tree("third", &[&a]));
    settle().await;
    assert_eq!((text(&host, ".lane").as_str(), piece::made() - before), ("one", 3));

    // An equal piece that is not the same one is made: pointers are compared, not content.
    shown.update(tree("fourth", &[&cell("a", "one")]));
    settle().await;
    assert_eq!(piece::made() - before, 4);
}

// ---- What is heard --------------------------------------------------------------------------------

/// The innermost thing that does something is pressed; what is switched off is not, and neither is a field
/// or the form around it.
#[wasm_bindgen_test]
async fn presses() {
    let (host, told) = open().await;
    click(&host, "[data-do=inner] b");
    assert_eq!(heard(&told), [press("inner")]);
    for nothing in ["form", "[name=key]", ".prompt", ".word"] {
        click(&host, nothing);
        assert_eq!(heard(&told), [], "{nothing}");
    }
    js("it.dispatchEvent(new MouseEvent('click', { bubbles: true }))", &find(&host, ".off"));
    js("it.dispatchEvent(new MouseEvent('click', { bubbles: true }))", &find(&host, ".cell text"));
    assert_eq!(
        heard(&told),
        [press("ask record")],
        "what is drawn can be pressed, unless it is off"
    );
}

/// Enter and Space press what is drawn as a button, once, and do not scroll; other keys do nothing there.
#[wasm_bindgen_test]
async fn presses_by_key() {
    let (host, told) = open().await;
    assert!(!key(&host, ".cell", "Enter", ""), "the browser has nothing to do with it");
    assert!(!key(&host, ".cell", " ", ""));
    assert_eq!(heard(&told), [press("ask record"), press("ask record")]);
    assert!(!key(&host, ".cell", " ", "repeat: true"));
    assert!(key(&host, ".cell", "ArrowDown", ""), "the page may scroll");
    assert!(key(&host, ".cell", "Tab", ""));
    assert!(key(&host, ".cell", "Enter", "altKey: true"));
    key(&host, ".off", "Enter", "");
    assert!(key(&host, "[data-do=inner]", "Enter", ""), "a real button presses itself");
    assert_eq!(heard(&told), []);
}

/// A form tells all its fields, boxes and radios only if they are checked; a control of its own tells its
/// value.
#[wasm_bindgen_test]
async fn forms_and_controls() {
    let (host, told) = open().await;
    let input = "it.dispatchEvent(new Event('input', { bubbles: true }))";
    let fields = |key: &str, boxed: bool, how: Option<&str>| {
        let mut fields = vec![("key", key)];
        fields.extend(boxed.then_some(("idempotent", "on")));
        fields.extend([("acks", "all"), ("client", "java"), ("value", "first words")]);
        fields.extend(how.map(|how| ("how", how)));
        fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let does = || "produce".to_owned();
    field(&host, "[name=key]").set_value("locker-7");
    js(input, &find(&host, "[name=key]"));
    let edited = Heard::Edited { does: does(), fields: fields("locker-7", false, None) };
    assert_eq!(heard(&told), [edited]);
    click(&host, "[name=idempotent]");
    let edited = Heard::Edited { does: does(), fields: fields("locker-7", true, None) };
    assert_eq!(heard(&told), [edited], "a box is no press");
    settle().await;
    // The tree says that the box is not checked: it gives way. What was typed stays.
    click(&host, ".send");
    let sent = Heard::Sent { does: does(), fields: fields("locker-7", false, Some("slowly")) };
    assert_eq!(heard(&told), [sent]);
    field(&host, "[data-do=seek]").set_value("5");
    js(input, &find(&host, "[data-do=seek]"));
    click(&host, "[data-do=detail]");
    let value = |does: &str, value: &str| Heard::Value { does: does.into(), value: value.into() };
    assert_eq!(heard(&told), [value("seek", "5"), value("detail", "on")]);
    settle().await;
    field(&host, "[data-do=detail]").set_checked(true);
    click(&host, "[data-do=detail]");
    assert_eq!(heard(&told), [value("detail", "")]);
}

/// Keys inside a place for keys are told with what the field holds around the cursor, and the browser does
/// nothing with them exactly if the Lab says so.
#[wasm_bindgen_test]
async fn keys_where_they_mean_something() {
    let (host, told) = open().await;
    told.borrow_mut().takes = vec!["ArrowUp"];
    let prompt = field(&host, ".prompt");
    prompt.set_value("caf\u{e9} \u{1f980}!");
    prompt.set_selection_range(5, 7).expect("a field of text has a cursor");
    assert!(!key(&host, ".prompt", "ArrowUp", "ctrlKey: true"), "taken");
    assert!(key(&host, ".prompt", "Tab", "shiftKey: true"), "not taken: the focus moves on");
    let whole = Key {
        place: "prompt".into(),
        does: "line".into(),
        key: "ArrowUp".into(),
        ctrl: true,
        shift: false,
        selects: true,
        before: "caf\u{e9} ".into(),
        behind: "!".into(),
    };
    let tab = Key { key: "Tab".into(), ctrl: false, shift: true, ..whole.clone() };
    assert_eq!(heard(&told), [Heard::Key(whole), Heard::Key(tab)]);
    // A button inside has no cursor; the Lab decides what Enter does, here nothing.
    assert!(key(&host, "[data-do=run]", "Enter", ""));
    let run =
        Key { place: "prompt".into(), does: "run".into(), key: "Enter".into(), ..Key::default() };
    assert_eq!(heard(&told), [Heard::Key(run)]);
    for browsers in ["altKey: true", "metaKey: true", "isComposing: true"] {
        assert!(key(&host, ".prompt", "ArrowUp", browsers), "{browsers}");
    }
    assert!(key(&host, "[name=key]", "ArrowUp", ""), "outside of such a place");
    assert_eq!(heard(&told), []);
}

/// The clock ticks when it is asked to, also while the reader is busy, and no longer.
#[wasm_bindgen_test]
async fn ticks() {
    let (host, told) = open().await;
    told.borrow_mut().delay = Some(40);
    let ticks = |heard: &[Heard]| heard.iter().filter(|it| **it == Heard::Tick).count();
    // A press every few ms, for longer than a tick takes.
    let begun = js_sys::Date::now();
    while js_sys::Date::now() - begun < 200.0 {
        click(&host, "[data-do=inner]");
        turn().await;
    }
    let before = ticks(&heard(&told));
    assert!((2..=6).contains(&before), "{before} ticks in 200 ms");
    told.borrow_mut().delay = None;
    click(&host, "[data-do=inner]");
    heard(&told);
    let begun = js_sys::Date::now();
    while js_sys::Date::now() - begun < 100.0 {
        turn().await;
    }
    assert_eq!(heard(&told), []);
}

/// Room, address and sight are told; an engine that has died is left alone.
#[wasm_bindgen_test]
async fn what_the_page_notices() {
    let (host, told) = open().await;
    let narrow = "it.style.width = '321px'";
    js(narrow, &find(&host, "[data-island]"));
    let is_room =
        |it: &Heard| matches!(it, Heard::Room(room) if room.width == 321 && room.font > 0);
    wait("the room", || told.borrow().heard.iter().any(is_room)).await;
    // Nothing comes of it if it stays.
    heard(&told);
    click(&host, "[data-do=inner]");
    settle().await;
    assert_eq!(heard(&told), [press("inner")]);
    js("document.dispatchEvent(new Event('visibilitychange'))", &JsValue::NULL);
    assert_eq!(heard(&told), [Heard::Hidden(false)]);
    js("location.hash = 'a-link'", &JsValue::NULL);
    wait("the address", || !told.borrow().heard.is_empty()).await;
    assert_eq!(heard(&told), [Heard::Fragment("a-link".into())]);
    js("dispatchEvent(new Event('highwater:dead'))", &JsValue::NULL);
    js("document.dispatchEvent(new Event('visibilitychange'))", &JsValue::NULL);
    js("location.hash = 'another'; it.style.width = '400px'", &find(&host, "[data-island]"));
    settle().await;
    let frame = "return new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))";
    JsFuture::from(js(frame, &JsValue::NULL).unchecked_into::<Promise>()).await.expect("a frame");
    assert_eq!(heard(&told), []);
    js("history.replaceState(null, '', location.pathname + location.search)", &JsValue::NULL);
}

/// A file that the reader chooses is read; the chooser is not in the island, where its press would be heard.
#[wasm_bindgen_test]
async fn chosen_files() {
    let (host, told) = open().await;
    js(
        "window.realPress = HTMLInputElement.prototype.click;\
        HTMLInputElement.prototype.click = function () { window.pressed = this;\
          this.dispatchEvent(new MouseEvent('click', { bubbles: true })) }",
        &JsValue::NULL,
    );
    for name in ["one.console", "two.console"] {
        wish(&host, &told, vec![Wish::ChooseFile]).await;
        let script = format!(
            "const data = new DataTransfer(); data.items.add(new File(['$ ls'], '{name}'));\
             const chooser = window.pressed; chooser.files = data.files;\
             chooser.dispatchEvent(new Event('change'));\
             return chooser.hidden && chooser.type == 'file'\
               && document.querySelectorAll('[type=file]').length == 1"
        );
        assert!(js(&script, &JsValue::NULL).is_truthy());
        wait("the file", || !told.borrow().heard.is_empty()).await;
        assert_eq!(heard(&told), [Heard::File { name: name.into(), text: "$ ls".into() }]);
    }
    js("HTMLInputElement.prototype.click = window.realPress", &JsValue::NULL);
}

/// A file that is dropped is read; one that is too large is not.
#[wasm_bindgen_test]
async fn dropped_files() {
    let (host, told) = open().await;
    let drop = |content: &str, name: &str| {
        let script = format!(
            "const data = new DataTransfer(); data.items.add(new File([{content}], '{name}'));\
             return ['dragover', 'drop'].map(type => it.dispatchEvent(new DragEvent(type,\
               {{ dataTransfer: data, bubbles: true, cancelable: true }}))).join()"
        );
        js(&script, &find(&host, ".word")).as_string().unwrap_or_default()
    };
    assert_eq!(drop("'$ echo \u{e9}'", "mine.console"), "false,false", "the browser stays here");
    wait("the file", || !told.borrow().heard.is_empty()).await;
    let file = Heard::File { name: "mine.console".into(), text: "$ echo \u{e9}".into() };
    assert_eq!(heard(&told), [file]);
    drop("new Uint8Array(16 * 1024 * 1024 + 1)", "huge.bin");
    wait("an answer", || !told.borrow().heard.is_empty()).await;
    assert_eq!(heard(&told), [Heard::Failed("huge.bin is larger than 16 MB.".into())]);
    let plain = "return it.dispatchEvent(new DragEvent('dragover',\
        { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true }))";
    assert!(js(plain, &find(&host, ".word")).is_truthy(), "what is no file is not ours");
}

// ---- What is wished -------------------------------------------------------------------------------

/// Focus, scrolling and filling happen after the drawing; what a reader has typed stays when it is drawn
/// again, and a list of choices shows what the tree says.
#[wasm_bindgen_test]
async fn wishes_about_elements() {
    let (host, told) = open().await;
    js("it.style.cssText = 'height: 2em; overflow: auto'", &find(&host, ".log"));
    field(&host, "[name=key]").set_value("typed");
    let area = "return it.value";
    assert_eq!(js(area, &find(&host, "textarea")).as_string().as_deref(), Some("first words"));
    js("it.value = 'mine'", &find(&host, "textarea"));
    js("it.value = 'librdkafka'", &find(&host, "select"));
    told.borrow_mut().word = "drawn";
    let fill = Wish::Fill { field: ".prompt".into(), value: "caf\u{e9} \u{1f980}".into() };
    let reveal = Wish::Reveal(".nobody".into());
    let scroll = Wish::ScrollToEnd(".log".into());
    wish(&host, &told, vec![fill, reveal, scroll, Wish::Focus(".cell".into())]).await;
    assert_eq!(text(&host, ".word"), "drawn");
    assert_eq!(field(&host, "[name=key]").value(), "typed");
    assert_eq!(js(area, &find(&host, "textarea")).as_string().as_deref(), Some("mine"));
    assert_eq!(js(area, &find(&host, "select")).as_string().as_deref(), Some("java"));
    let prompt = field(&host, ".prompt");
    assert_eq!(prompt.value(), "caf\u{e9} \u{1f980}");
    assert_eq!(prompt.selection_end().ok().flatten(), Some(7), "the cursor is at its end");
    let log = find(&host, ".log");
    assert!(log.scroll_top() > 0 && log.scroll_top() + log.client_height() >= log.scroll_height());
    let focused = host.owner_document().and_then(|document| document.active_element());
    assert!(find(&host, ".cell").is_same_node(focused.as_deref()));
    told.borrow_mut().chosen = "librdkafka";
    wish(&host, &told, Vec::new()).await;
    assert_eq!(js(area, &find(&host, "select")).as_string().as_deref(), Some("librdkafka"));
}

/// The address, without a new entry in the history; and what is kept for the next visit.
#[wasm_bindgen_test]
async fn wishes_about_address_and_storage() {
    let (host, told) = open().await;
    let length = || js("return history.length", &JsValue::NULL).as_f64();
    let hash = || js("return location.hash", &JsValue::NULL).as_string().unwrap_or_default();
    let before = length();
    wish(&host, &told, vec![Wish::Fragment("here".into())]).await;
    assert_eq!(hash(), "#here");
    wish(&host, &told, vec![Wish::Fragment(String::new())]).await;
    assert_eq!((hash().as_str(), length()), ("", before));
    let kept = || js("return localStorage.getItem('highwater:lab')", &JsValue::NULL).as_string();
    let keep = |text: Option<&str>| Wish::Keep { key: "highwater:lab", text: text.map(Into::into) };
    wish(&host, &told, vec![keep(Some("this"))]).await;
    assert_eq!(kept().as_deref(), Some("this"));
    let mut found = Vec::new();
    let again = place("<div data-island='lab'></div>");
    mount_into(find(&again, "[data-island]"), |opening, _| {
        found = opening.kept;
        Box::new(StandIn(Shared::default()))
    });
    assert_eq!(found, [("highwater:lab".to_owned(), "this".to_owned())]);
    let (host, told) = open().await;
    wish(&host, &told, vec![keep(None)]).await;
    assert_eq!(kept(), None);
}

/// Storage that is full or blocked is told once, and nothing else happens.
#[wasm_bindgen_test]
async fn storage_that_keeps_nothing() {
    let (host, told) = open().await;
    let keep = || Wish::Keep { key: "highwater:lab", text: Some("this".into()) };
    let block = "window.realSetItem = Storage.prototype.setItem;\
        Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }";
    js(block, &JsValue::NULL);
    told.borrow_mut().wishes = vec![keep(), keep()];
    click(&host, "[data-do=inner]");
    settle().await;
    told.borrow_mut().wishes = vec![keep()];
    click(&host, "[data-do=inner]");
    settle().await;
    js("Storage.prototype.setItem = window.realSetItem", &JsValue::NULL);
    let failed = |it: &Heard| matches!(it, Heard::Failed(_));
    assert_eq!(heard(&told).into_iter().filter(failed).count(), 1, "once is enough");
    // Blocked altogether: the browser throws when it is only looked at.
    let block = "Object.defineProperty(window, 'localStorage', { configurable: true,\
        get() { throw new DOMException('blocked', 'SecurityError') } })";
    js(block, &JsValue::NULL);
    let (host, told) = open().await;
    told.borrow_mut().wishes = vec![keep()];
    click(&host, "[data-do=inner]");
    settle().await;
    js("delete window.localStorage", &JsValue::NULL);
    assert_eq!(heard(&told).into_iter().filter(failed).count(), 1);
}

/// Texts go to the clipboard, by hand where there is none; what cannot be copied is told.
#[wasm_bindgen_test]
async fn copies() {
    let (host, told) = open().await;
    let failed = |it: &Heard| matches!(it, Heard::Failed(_));
    let clipboard = |value: &str| {
        let script = format!(
            "Object.defineProperty(navigator, 'clipboard', {{ configurable: true, value: {value} }})"
        );
        js(&script, &JsValue::NULL);
    };
    let copied = || js("return window.copied", &JsValue::NULL).as_string().unwrap_or_default();
    clipboard("{ writeText: async text => { window.copied = text } }");
    wish(&host, &told, vec![Wish::Copy("one".into())]).await;
    assert_eq!(copied(), "one");
    js(
        "document.execCommand = () => {\
          window.copied = document.activeElement.value + ' by hand'; return !window.refuse }",
        &JsValue::NULL,
    );
    for value in ["undefined", "{ writeText: async () => { throw new Error('no') } }"] {
        clipboard(value);
        js("window.copied = ''", &JsValue::NULL);
        wish(&host, &told, vec![Wish::Copy("two\nlines".into())]).await;
        assert_eq!(copied(), "two\nlines by hand", "{value}");
    }
    js("window.refuse = true", &JsValue::NULL);
    told.borrow_mut().wishes = vec![Wish::Copy("three".into())];
    click(&host, "[data-do=inner]");
    settle().await;
    assert_eq!(heard(&told).into_iter().filter(failed).count(), 1);
    js("delete document.execCommand; delete navigator.clipboard", &JsValue::NULL);
}

/// Texts and pictures are offered as files.
#[wasm_bindgen_test]
async fn offered_files() {
    let (host, told) = open().await;
    js(
        "window.offered = []; window.realClick = HTMLAnchorElement.prototype.click;\
        HTMLAnchorElement.prototype.click = function () {\
          if (this.download) window.offered.push([this.download, fetch(this.href)]) }",
        &JsValue::NULL,
    );
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'>\
               <rect width='30' height='20' fill='#a0c'/></svg>";
    let text = Wish::Download {
        name: "a.console".into(),
        media: "text/plain",
        text: "$ echo \u{e9}\n".into(),
    };
    let picture = Wish::DownloadPng { name: "a.png".into(), svg: svg.into() };
    wish(&host, &told, vec![text, picture]).await;
    let count = || js("return window.offered.length", &JsValue::NULL).as_f64();
    wait("two files", || count() == Some(2.0)).await;
    let look = "return Promise.all(window.offered.map(async ([name, fetched]) => {\
          const blob = await (await fetched).blob();\
          if (!name.endsWith('.png')) return [name, blob.type, await blob.text()].join();\
          const bitmap = await createImageBitmap(blob);\
          return [name, blob.type, bitmap.width, bitmap.height].join() })).then(all => all.join('|'))";
    let seen = JsFuture::from(js(look, &JsValue::NULL).unchecked_into::<Promise>()).await;
    let seen = seen.expect("both can be read").as_string().unwrap_or_default();
    assert_eq!(seen, "a.console,text/plain,$ echo \u{e9}\n|a.png,image/png,60,40");
    js("HTMLAnchorElement.prototype.click = window.realClick", &JsValue::NULL);
    told.borrow_mut().wishes = vec![Wish::DownloadPng { name: "b.png".into(), svg: "<p>".into() }];
    click(&host, "[data-do=inner]");
    let failed = Heard::Failed("b.png could not be made.".into());
    wait("the failure", || told.borrow().heard.contains(&failed)).await;
}

/// The reader's commands are kept for the panel that is shown if the engine stops.
#[wasm_bindgen_test]
async fn commands_are_kept() {
    let (host, told) = open().await;
    told.borrow_mut().commands = "echo one\necho two";
    click(&host, "[data-do=inner]");
    let kept = js("return sessionStorage.getItem('highwater:commands')", &JsValue::NULL);
    assert_eq!(kept.as_string().as_deref(), Some("echo one\necho two"));
}
