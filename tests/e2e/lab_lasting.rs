//! The Lab over time and beside other things: windows that change while it plays, themes, tabs behind others, and an
//! hour of play.

use serde_json::{Value, json};

use crate::browser::Visit;
use crate::lab_desk::{Desk, at, visit};
use crate::page::key;

/// Keeps hold of the engine's memory.
const MEMORY: &str = "for (const name of ['instantiate', 'instantiateStreaming']) {\
    const made = WebAssembly[name];\
    WebAssembly[name] = async (...args) => { const result = await made.apply(WebAssembly, args);\
      const instance = result.instance ?? result;\
      for (const it of Object.values(instance.exports ?? {}))\
        if (it instanceof WebAssembly.Memory) window.engineMemory = it;\
      return result } }";

/// Every timer is due much sooner.
const HURRY: &str = "const later = window.setTimeout;\
    window.setTimeout = (work, ms, ...rest) => later(work, ms / 40, ...rest)";

fn plays(desk: &Desk<'_>) -> bool {
    desk.exists(".bar [data-do=play][aria-label=Pause]")
}

/// Plays from the beginning, fast.
fn play(desk: &Desk<'_>) {
    desk.focus(".track-input");
    desk.keys(key::HOME);
    desk.fill("[data-do=speed]", "fast");
    desk.press("play");
    desk.wait("it to play", || desk.step().0 > 1);
}

fn is_whole(desk: &Desk<'_>) -> bool {
    desk.js("const box = document.querySelector('.lab-draw').getBoundingClientRect();\
         return [...document.querySelectorAll('.lab-draw > svg, .lab-replicas > svg')].every(svg =>\
           svg.getBoundingClientRect().right <= box.right + 1)\
           && document.scrollingElement.scrollWidth <= innerWidth")
        == true
}

/// The window changes while it plays: it plays on, and the drawing fits.
#[test]
fn resized_while_it_plays() {
    at(1280, |desk| {
        desk.open("start=leader-crash");
        play(desk);
        for width in [900, 320, 600, 1280] {
            let here = desk.step().0;
            desk.browser.resize(width, 800);
            desk.wait("the drawing to fit", || is_whole(desk));
            desk.wait("it to play on", || desk.step().0 > here || !plays(desk));
        }
    });
}

/// Light and dark change at once, also while it plays.
#[test]
fn another_theme() {
    at(1280, |desk| {
        desk.open("start=leader-crash");
        play(desk);
        let paper = "return getComputedStyle(document.body).backgroundColor";
        let light = desk.js(paper);
        desk.browser.media("", &[("prefers-color-scheme", "dark")]);
        desk.wait("the dark", || desk.js(paper) != light);
        desk.browser.media("", &[("prefers-color-scheme", "light")]);
        desk.wait("the light", || desk.js(paper) == light);
        assert_eq!(desk.engine(), "running");
    });
}

/// Behind another tab time stands still, and goes on from there.
#[test]
fn behind_another_tab() {
    at(1280, |desk| {
        desk.open("start=leader-crash");
        play(desk);
        let hide = "Object.defineProperty(document, 'hidden', { configurable: true, get: () => arguments[0] });\
             document.dispatchEvent(new Event('visibilitychange'))";
        let hidden = |hidden: bool| {
            desk.js_with(
                &format!("const hidden = arguments[0]; {}", hide.replace("arguments[0]", "hidden")),
                &[json!(hidden)],
            )
        };
        hidden(true);
        let here = desk.time();
        desk.stays("the moment", 1_000, || desk.time() == here);
        assert!(plays(desk), "it has not forgotten that it plays");
        hidden(false);
        desk.wait("it to go on", || desk.time() != here);
        let (from, begun) = (desk.step().0, std::time::Instant::now());
        desk.press("play");
        let steps = desk.step().0 - from;
        let most = usize::try_from(begun.elapsed().as_millis() / 160).unwrap_or(0) + 2;
        assert!(steps <= most, "nothing is made up for: {steps} steps, at most {most}");
    });
}

/// How much memory the engine and the page's scripts hold, in KiB.
fn memory(desk: &Desk<'_>) -> (u64, u64) {
    desk.browser.cdp("HeapProfiler.collectGarbage", &json!({}));
    let engine = desk.js("return window.engineMemory.buffer.byteLength / 1024");
    let usage = desk.browser.cdp("Runtime.getHeapUsage", &json!({}));
    let kib = |value: &Value| value.as_f64().map_or(0, |bytes| bytes as u64);
    (kib(&engine), kib(&usage["usedSize"]) / 1024)
}

/// The virtual time, in seconds.
fn seconds(desk: &Desk<'_>) -> f64 {
    let time = desk.time();
    let mut last = 0.0;
    let mut total = 0.0;
    for word in time.split(',').nth(1).unwrap_or_default().split_whitespace() {
        match word {
            "min" => total += last * 60.0,
            "h" => total += last * 3_600.0,
            "s" => total += last,
            number => last = number.parse().unwrap_or(0.0),
        }
    }
    total
}

/// After an hour of fast play the memory is what it was after some minutes.
#[test]
fn an_hour_of_play() {
    visit(Visit::new(), false, |desk| {
        desk.browser.cdp("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": MEMORY }));
        desk.browser.cdp("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": HURRY }));
        desk.fresh("start=empty");
        desk.line("kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 2 --replication-factor 3");
        desk.line("hw work --group g --topic t --from-beginning");
        desk.press("new-tab");
        desk.line(
            "for i in $(seq 1 300); do hw produce --topic t --key locker-7 --value CODE_SENT; sleep 15; done",
        );
        desk.to_the_end();
        desk.fill("[data-do=speed]", "fast");
        desk.press("play");
        let until = |minutes: f64| {
            let begun = std::time::Instant::now();
            while seconds(desk) < minutes * 60.0 {
                assert!(plays(desk), "it stopped at {}", desk.time());
                assert!(begun.elapsed().as_secs() < 80, "still at {}", desk.time());
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            memory(desk)
        };
        let (warm, later) = (until(30.0), until(60.0));
        desk.press("play");
        // What was played is there: the places to go back to come once, and then nothing more does.
        let again = || {
            desk.focus(".track-input");
            desk.keys(key::HOME);
            desk.press("play");
            let memory = until(30.0);
            desk.press("play");
            memory
        };
        let (second, third) = (again(), again());
        eprintln!("KiB of engine and page: {warm:?} {later:?} {second:?} {third:?}");
        assert!(later.0 <= warm.0 + warm.0 / 4, "the engine: {warm:?}, then {later:?} KiB");
        assert!(later.1 <= warm.1 + warm.1 / 4 + 1_024, "the page: {warm:?}, then {later:?} KiB");
        assert!(third.0 <= second.0 + second.0 / 50, "the engine: {second:?}, then {third:?} KiB");
        assert!(
            third.1 <= second.1 + second.1 / 4 + 512,
            "the page: {second:?}, then {third:?} KiB"
        );
        desk.press("back");
        assert_eq!(desk.engine(), "running");
    });
}
