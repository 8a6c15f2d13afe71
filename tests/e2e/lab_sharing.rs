//! What leaves the Lab and comes back: links, files, what is kept for the next visit, and other tabs.

use std::fs;
use std::path::PathBuf;

use fantoccini::Locator;
use fantoccini::wd::WindowHandle;
use serde_json::json;

use crate::browser::{Visit, site};
use crate::lab_desk::{Desk, address, at, visit};
use crate::page::{Page, key, pictures};

/// The name under which a run is kept.
const KEPT: &str = "highwater:lab";

/// A short run, one step before its end.
fn run(desk: &Desk<'_>) {
    desk.form("topic", &[]);
    desk.form("send", &[]);
    desk.press("back");
}

fn fragment(desk: &Desk<'_>) -> String {
    desk.js("return location.hash.slice(1)").as_str().unwrap_or_default().to_owned()
}

fn kept(desk: &Desk<'_>, name: &str) -> String {
    let text = desk.js_with("return localStorage.getItem(arguments[0])", &[json!(name)]);
    text.as_str().unwrap_or_default().to_owned()
}

/// The name under which this window keeps its run, or would begin to.
fn own_name(desk: &Desk<'_>) -> String {
    let place = desk.js("return sessionStorage.getItem('highwater:lab-place') ?? '1'");
    match place.as_str() {
        Some("1") | None => KEPT.to_owned(),
        Some(place) => format!("{KEPT}-{place}"),
    }
}

/// An empty folder of this test for downloads.
fn folder(name: &str) -> PathBuf {
    let folder = pictures().join("files").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder.canonicalize().expect("it is there")
}

/// A link opens the same step with the same terminal in a page that knows nothing of it.
#[test]
fn a_link() {
    for width in [1280, 320] {
        at(width, |desk| {
            run(desk);
            let permission =
                json!({ "permission": { "name": "clipboard-write" }, "setting": "granted" });
            desk.browser.cdp("Browser.setPermission", &permission);
            desk.press("copy:link");
            let (link, step, screen) = (fragment(desk), desk.step(), desk.screen());
            assert!(link.starts_with("play="), "{link}");
            assert!(desk.say().starts_with("The link is copied"), "{}", desk.say());
            desk.fresh(&link);
            assert_eq!((desk.step().0, desk.screen()), (step.0, screen.clone()));
            assert_eq!(desk.count(".lab-draw [data-cell]"), 1);
            desk.line("echo and on");
            assert_eq!(desk.lines().last().map(String::as_str), Some("and on"));
            desk.press("tab:1");
            assert!(desk.screen().starts_with(&screen), "the run goes on from there");
            desk.fresh("play=broken");
            assert!(!desk.say().is_empty() && desk.engine() == "running");
        });
    }
}

/// Commands and transcript can be copied, where the clipboard is open and where it is not.
#[test]
fn copies() {
    at(1280, |desk| {
        desk.line("echo one");
        desk.js("window.copied = []; document.addEventListener('copy', event =>\
               window.copied.push(document.activeElement.value));\
             navigator.clipboard.writeText = text => { window.copied.push(text); return Promise.resolve() }");
        desk.press("copy:commands");
        desk.wait("the commands", || desk.js("return window.copied.at(-1)") == "echo one\n");
        desk.press("copy:transcript");
        desk.wait("the transcript", || {
            desk.js("return window.copied.at(-1)") == "$ echo one\none\n"
        });
        assert_eq!(desk.status(), "Copied.");
        desk.js("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
        desk.press("copy:commands");
        desk.wait("the old way", || desk.js("return window.copied.length") == 3);
    });
}

/// A transcript and pictures are saved as files, and the transcript opens again through the file chooser.
#[test]
fn files() {
    at(1280, |desk| {
        let folder = folder("saved");
        let allowed = json!({ "behavior": "allow", "downloadPath": folder });
        desk.browser.cdp("Page.setDownloadBehavior", &allowed);
        run(desk);
        desk.to_the_end();
        let (cells, commands) = (desk.count(".lab-draw [data-cell]"), desk.commands());
        for (does, name) in [
            ("save:transcript", "highwater.console"),
            ("save:svg", "highwater.svg"),
            ("save:png", "highwater.png"),
        ] {
            desk.press(does);
            let file = folder.join(name);
            desk.wait(name, || fs::metadata(&file).is_ok_and(|file| file.len() > 0));
        }
        let text = fs::read_to_string(folder.join("highwater.console")).expect("a transcript");
        for command in &commands {
            assert!(text.contains(&format!("$ {command}")), "{command} is not in {text}");
        }
        let svg = fs::read_to_string(folder.join("highwater.svg")).expect("a picture");
        assert!(svg.starts_with("<svg") && svg.contains("partition 0"), "{svg}");
        let png = fs::read(folder.join("highwater.png")).expect("a picture");
        assert_eq!(png.get(1..4), Some(&b"PNG"[..]));
        desk.fresh("");
        desk.browser.cdp("Page.setInterceptFileChooserDialog", &json!({ "enabled": true }));
        desk.press("open-file");
        let path = folder.join("highwater.console").display().to_string();
        desk.browser.done("a file", async |client| {
            client.find(Locator::Css("[data-lab-file]")).await?.send_keys(&path).await
        });
        desk.wait("the file to be played", || desk.text(".lab-side-title") == "highwater.console");
        desk.to_the_end();
        assert_eq!(desk.count(".lab-draw [data-cell]"), cells);
        let played = desk.screen();
        for command in &commands {
            assert!(played.contains(command), "{command} was not played: {played}");
        }
    });
}

/// Drops a file of this name and text on the Lab.
fn drop_file(desk: &Desk<'_>, name: &str, text: &str) {
    let script = "const data = new DataTransfer(); data.items.add(new File([arguments[1]], arguments[0]));\
        const target = document.querySelector('.lab-draw');\
        return ['dragover', 'drop'].map(type => !target.dispatchEvent(new DragEvent(type,\
          { dataTransfer: data, bubbles: true, cancelable: true })))";
    let prevented = desk.js_with(script, &[json!(name), json!(text)]);
    assert_eq!(prevented, json!([true, true]), "else the browser leaves the page for the file");
}

/// A dropped transcript is played; what is none is said.
#[test]
fn dropped_files() {
    at(1280, |desk| {
        drop_file(desk, "five.console", "#! brokers 5\n$ hw crash 5\n$ echo done\ndone\n");
        desk.wait("it to be played", || desk.text(".lab-side-title") == "five.console");
        desk.to_the_end();
        assert_eq!(desk.commands(), ["hw crash 5", "echo done"]);
        drop_file(desk, "bad.console", "#! brokers many\n$ echo\n");
        desk.wait("a word about it", || desk.say().contains("bad.console"));
        assert_eq!(desk.commands(), ["hw crash 5", "echo done"], "what was there stays");
    });
}

/// What was done is there again after a reload, and can be begun anew.
#[test]
fn kept_for_the_next_visit() {
    at(1280, |desk| {
        desk.form("topic", &[]);
        desk.form("send", &[]);
        let (step, screen) = (desk.step(), desk.screen());
        desk.wait("it to be kept", || kept(desk, KEPT).contains("play="));
        desk.open("");
        assert_eq!((desk.step().0, desk.screen()), (step.0, screen.clone()));
        assert!(desk.say().starts_with("Your last run is back"), "{}", desk.say());
        desk.press("restart");
        assert_eq!(desk.screen(), "");
        desk.press("undo-restart");
        assert_eq!(desk.screen(), screen);
        desk.open("");
        assert_eq!(desk.screen(), screen, "what was had back is kept again");
    });
}

/// Storage that holds nonsense is set aside with a word, and the Lab opens.
#[test]
fn damaged_storage() {
    at(1280, |desk| {
        for damaged in ["play=nonsense", "{\"not\": \"ours\"}", "", "play="] {
            let name = own_name(desk);
            desk.js_with(
                "localStorage.setItem(arguments[0], arguments[1])",
                &[json!(name), json!(damaged)],
            );
            desk.open("");
            assert_eq!(desk.engine(), "running", "{damaged:?}");
            assert_eq!(desk.step(), (0, 0), "{damaged:?}");
            if damaged.starts_with("play=n") {
                assert_ne!(desk.say(), "", "{damaged:?}");
                assert_eq!(kept(desk, "highwater:lab-damaged"), damaged, "it is not lost");
                assert_eq!(kept(desk, &name), "");
                assert!(desk.status().contains(&desk.say()), "{}", desk.status());
            }
            desk.line("echo mine");
            desk.open("");
            assert_eq!(desk.commands(), ["echo mine"], "it is kept again after {damaged:?}");
        }
    });
}

/// Where storage is blocked everything works; that nothing is kept is said once.
#[test]
fn blocked_storage() {
    visit(Visit::new().without_storage(), false, |desk| {
        let blocked =
            desk.js("try { localStorage.length; return '' } catch (error) { return error.name }");
        assert_eq!(blocked, "SecurityError");
        desk.line("echo one");
        desk.wait("it to say so", || desk.say().starts_with("This browser keeps nothing"));
        desk.line("echo two");
        assert_eq!(desk.commands(), ["echo one", "echo two"]);
        assert!(!desk.say().starts_with("This browser"), "{}", desk.say());
    });
}

fn window(desk: &Desk<'_>) -> WindowHandle {
    desk.browser.done("its window", async |client| client.window().await)
}

fn go_to(desk: &Desk<'_>, window: &WindowHandle) {
    desk.browser
        .done("another window", async |client| client.switch_to_window(window.clone()).await);
}

/// Another tab of the same browser.
fn tab(desk: &Desk<'_>) -> WindowHandle {
    let tab = desk.browser.done("a tab", async |client| client.new_window(true).await).handle;
    go_to(desk, &tab);
    tab
}

/// Two tabs do not disturb each other, and both have their run after a reload.
#[test]
fn two_tabs() {
    at(1280, |desk| {
        desk.line("echo first tab");
        let first = window(desk);
        let second = tab(desk);
        desk.open("start=empty");
        desk.line("echo second tab");
        go_to(desk, &first);
        assert_eq!(desk.commands(), ["echo first tab"]);
        desk.line("echo first again");
        go_to(desk, &second);
        assert_eq!(desk.commands(), ["echo second tab"]);
        desk.open("");
        assert_eq!(desk.commands(), ["echo second tab"], "the second has its run again");
        go_to(desk, &first);
        desk.open("");
        assert_eq!(desk.commands(), ["echo first tab", "echo first again"], "and the first");
        desk.press("restart");
        desk.line("echo anew");
        desk.open("");
        assert_eq!(desk.commands(), ["echo anew"]);
        go_to(desk, &second);
        desk.open("");
        assert_eq!(desk.commands(), ["echo second tab"]);
    });
}

/// A further tab begins with the newest run, and keeps what it makes of it elsewhere; so does a copy of a tab, which
/// takes the other for itself.
#[test]
fn a_tab_beside_another() {
    at(1280, |desk| {
        desk.line("echo mine");
        let first = window(desk);
        tab(desk);
        desk.open("");
        assert_eq!(desk.commands(), ["echo mine"], "the newest run");
        desk.line("echo another");
        go_to(desk, &first);
        desk.js_with("window.open(arguments[0])", &[json!(address(""))]);
        let windows = desk.browser.done("windows", async |client| client.windows().await);
        go_to(desk, windows.last().expect("a copy"));
        desk.live();
        assert_eq!(desk.js("return sessionStorage.getItem('highwater:lab-place')"), json!("1"));
        assert_eq!(desk.commands(), ["echo mine"]);
        desk.line("echo a copy");
        desk.open("");
        assert_eq!(desk.commands(), ["echo mine", "echo a copy"]);
        go_to(desk, &first);
        desk.open("");
        assert_eq!(desk.commands(), ["echo mine"]);
        for place in ["", "-2", "-3"] {
            assert_ne!(kept(desk, &format!("{KEPT}{place}")), "", "{place}");
        }
        assert_eq!(kept(desk, &format!("{KEPT}-4")), "");
    });
}

/// A page of this tab knows nothing of locks from now on, as one that came without encryption.
fn without_locks(desk: &Desk<'_>) {
    let script = "Object.defineProperty(Navigator.prototype, 'locks', { configurable: true, value: undefined })";
    let script = json!({ "source": script });
    desk.browser.cdp("Page.addScriptToEvaluateOnNewDocument", &script);
}

/// Where the browser has no locks, tabs are apart all the same: also two that begin at once, and a copy of one that lives.
#[test]
fn tabs_without_locks() {
    at(1280, |desk| {
        without_locks(desk);
        desk.fresh("");
        assert_eq!(desk.js("return String(navigator.locks)"), "undefined");
        let first = window(desk);
        let second = tab(desk);
        without_locks(desk);
        desk.open("");
        desk.line("echo second");
        go_to(desk, &first);
        desk.line("echo first");
        go_to(desk, &second);
        desk.open("");
        assert_eq!(desk.commands(), ["echo second"]);
        go_to(desk, &first);
        for _ in 0..3 {
            desk.open("");
            assert_eq!(desk.commands(), ["echo first"], "also where nothing was done meanwhile");
        }
        // A window that is opened from this one begins with a copy of what it knows.
        desk.js("window.open('about:blank')");
        let windows = desk.browser.done("windows", async |client| client.windows().await);
        let copy = windows.into_iter().find(|it| *it != first && *it != second).expect("a copy");
        go_to(desk, &copy);
        without_locks(desk);
        desk.open("");
        assert_eq!(desk.commands(), ["echo first"], "the newest run");
        desk.line("echo a copy");
        go_to(desk, &first);
        desk.line("echo first again");
        desk.open("");
        assert_eq!(desk.commands(), ["echo first", "echo first again"]);
        go_to(desk, &copy);
        desk.open("");
        assert_eq!(desk.commands(), ["echo first", "echo a copy"]);
        // Also after its engine has stopped.
        desk.js("dispatchEvent(new Event('highwater:dead'))");
        let place = desk.js("return sessionStorage.getItem('highwater:lab-place')");
        assert_eq!(place, json!("3"), "and it knows its place");
    });
}

/// A run is written down once in a while, not at each step, and before the page is left: not the last input is lost.
#[test]
fn kept_in_time() {
    at(1280, |desk| {
        desk.line("echo one");
        desk.js(
            "window.writes = 0; const set = Storage.prototype.setItem; Storage.prototype.setItem = function (key, value)\
             { if (key.startsWith('highwater:lab') && this === localStorage) window.writes += 1; return set.call(this, key, value) }",
        );
        let steps = "const done = arguments[0], at = performance.now(); let steps = 0; const step = () => {\
             if (performance.now() - at > 3000) return done([steps, window.writes]);\
             document.querySelector(`[data-do=${steps % 2 ? 'forward' : 'back'}]`).click();\
             steps += 1; setTimeout(step, 5) }; step()";
        let counts = desk.js_async(steps);
        let (steps, writes) = (counts[0].as_u64().unwrap_or(0), counts[1].as_u64().unwrap_or(0));
        assert!(steps > 50, "{counts}");
        assert!((2..=4).contains(&writes), "once a second: {counts}");
        // Typed, and left at once.
        desk.focus("#lab-prompt");
        desk.insert("echo two");
        Page::press(desk, key::ENTER);
        desk.open("");
        assert_eq!(desk.commands(), ["echo one", "echo two"]);
    });
}

/// A link that is opened in this tab plays; back and forward lead between what was opened, and out to the lesson.
#[test]
fn back_and_forward() {
    at(1280, |desk| {
        desk.page_is("start=leader-crash");
        assert_eq!(desk.attribute(".lab-start option:checked", "value"), "leader-crash");
        desk.page_is("start=hot-key");
        assert_eq!(desk.attribute(".lab-start option:checked", "value"), "hot-key");
        desk.click(".top-nav a:not([aria-current])");
        desk.wait("the lesson", || desk.exists(".lesson"));
        desk.browser.done("back", async |client| client.back().await);
        desk.live();
        assert_eq!(desk.js("return location.pathname"), "/lab/");
        assert!(desk.exists(".lab-side-title") && desk.engine() == "running");
        desk.browser.done("forward", async |client| client.forward().await);
        desk.wait("the lesson again", || desk.exists(".lesson"));
        desk.browser.done("back", async |client| client.back().await);
        desk.live();
        desk.line("echo it works");
        assert_eq!(desk.lines().last().map(String::as_str), Some("it works"));
        desk.keys(key::ESCAPE);
    });
}

impl Desk<'_> {
    /// Another fragment in this tab, as by a link that is pressed or an address that is edited.
    #[track_caller]
    fn page_is(&self, fragment: &str) {
        let to = address(fragment);
        assert!(to.starts_with(&site()));
        self.js_with("location.href = arguments[0]", &[json!(to)]);
        self.next_frame();
    }
}
