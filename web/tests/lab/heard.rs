//! What the Lab hears of events, of the clock and of the page.

use highwater_lab::heard::Key;
use highwater_lab::{Heard, Wish};
use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::helpers::{click, find, turn};
use crate::stand_in::{field, heard, js, key, open, press, settle, wait, wish};

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
