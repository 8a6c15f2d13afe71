//! How fast the Lab's page is in Chromium: from the load to the first press that counts, a step with its frame, a
//! drag of the timeline, a line more in a long terminal. `cargo xtask bench` prints it; no time is asked for here, since
//! machines differ, only that each thing is done.

use serde_json::{Value, json};

use crate::browser::{Visit, site};
use crate::page::Page;

/// 12 partitions, three replicas each, on five brokers, with 10,000 records in them.
const LARGE: &str = "#! brokers 5\n\
    $ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions 12 --replication-factor 3\n\
    $ seq 1 10000 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events\n\
    $ hw produce --topic parcel-events --key locker-7 --value CODE_SENT --count 100\n";

/// Notes when the engine has drawn the Lab for the first time.
const WATCH: &str = "new MutationObserver(() => {\
      if (!window.ready && document.querySelector('.lab-root')) window.ready = performance.now();\
    }).observe(document, { childList: true, subtree: true })";

/// Does something so many times and tells how long each took until it was painted.
const TIMED: &str = "const [does, times] = [arguments[0], arguments[1]], done = arguments[arguments.length - 1];\
    const took = [];\
    const act = { step: () => document.querySelector('[data-do=back]').click(),\
      drag: n => { const track = document.querySelector('[data-do=seek]');\
        track.value = (n * 37) % track.max; track.dispatchEvent(new Event('input', { bubbles: true })) },\
      line: n => { document.querySelector('#lab-prompt').value = `echo ${n}`;\
        document.querySelector('.tty-form').requestSubmit() } }[does];\
    const next = () => { if (took.length === times) return done(took);\
      const start = performance.now(); act(took.length);\
      const painted = new MessageChannel();\
      painted.port1.onmessage = () => { took.push(performance.now() - start); setTimeout(next) };\
      requestAnimationFrame(() => painted.port2.postMessage(0)) };\
    next()";

fn open(page: &Page) {
    page.open(&format!("{}lab/", site()));
    page.wait("the Lab to run", || page.exists(".lab-root"));
}

/// Types at the prompt, as one who pastes.
fn types(page: &Page, text: &str) {
    page.js_with(
        "document.querySelector('#lab-prompt').value = arguments[0];\
         document.querySelector('.tty-form').requestSubmit()",
        &[json!(text)],
    );
    page.next_frame();
}

fn say(what: &str, mut took: Vec<f64>) {
    took.sort_by(f64::total_cmp);
    let (median, slowest) = (took[took.len() / 2], took[took.len() - 1]);
    println!("  {what}: median {median:.1} ms, slowest {slowest:.1} ms of {}", took.len());
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().map(|list| list.iter().filter_map(Value::as_f64).collect()).unwrap_or_default()
}

fn timed(page: &Page, does: &str, times: u32) -> Vec<f64> {
    let took = page.js_async_with(TIMED, &[json!(does), json!(times)]);
    let took = numbers(&took);
    assert_eq!(took.len(), times as usize, "{does}");
    took
}

#[test]
fn measure() {
    Visit::new().at(1280, 800).run(|page| {
        page.browser.cdp("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": WATCH }));
        let mut ready = Vec::new();
        for _ in 0..9 {
            open(page);
            ready.extend(page.js("return window.ready").as_f64());
        }
        // The first one fetches and compiles what the others find in the cache.
        println!("  load to interactive, the first: {:.1} ms", ready.remove(0));
        say("load to interactive, files in the cache", ready);
        types(page, LARGE);
        page.js("document.querySelector(`[data-do='view:replicas']`).click()");
        say("a step and its frame, 36 replicas, 10,000 records", timed(page, "step", 60));
        say("a drag and its frame", timed(page, "drag", 60));
        types(page, "seq 1 10000");
        say("a line more at 10,000", timed(page, "line", 60));
    });
}
