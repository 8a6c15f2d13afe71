//! The Lab's figures: what must be seen at once is, it can be read, and only what changed is drawn again.

use serde_json::json;

use crate::lab_desk::{Desk, at};

/// A transcript of a cluster with 12 partitions, 36 replicas on 5 brokers, and 10,000 records.
const BIG: &str = "#! brokers 5\n\
    $ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions 12 --replication-factor 3\n\
    $ hw produce --topic parcel-events --count 10000";

/// Watches what of the drawing is touched, and counts its nodes.
const WATCH: &str = "window.touched = [];\
    new MutationObserver(changes => { for (const change of changes) {\
      const lane = change.target.parentElement?.closest('g[role=group]') ?? change.target.closest?.('g[role=group]');\
      window.touched.push((lane?.getAttribute('aria-label').split(':')[0] ?? 'no lane') + ' | '\
        + [change.type, change.attributeName ?? '', change.target.nodeName, change.addedNodes.length,\
           change.removedNodes.length].join(' ')) } })\
      .observe(document.querySelector('.lab-draw'),\
        { subtree: true, childList: true, attributes: true, characterData: true });\
    return document.querySelectorAll('.lab-draw *').length";

fn big(desk: &Desk<'_>) {
    desk.line(BIG);
    desk.to_the_end();
    desk.wait("10,000 records", || desk.text(".lab-chart .lab-value") == "10000");
}

fn touched(desk: &Desk<'_>) -> Vec<String> {
    let touched = desk.texts_of("return window.touched");
    desk.js("window.touched = []");
    touched
}

/// All 36 replicas stand in a window of 1280 by 800 that was not scrolled, with leader, ISR and lag in words of at
/// least 12 px.
#[test]
fn every_replica_is_seen_at_once() {
    at(1280, |desk| {
        big(desk);
        desk.press("view:replicas");
        desk.js("document.activeElement.blur(); scrollTo(0, 0)");
        desk.next_frame();
        desk.shot("replicas-1280");
        let boxes = desk.js(
            "return [...document.querySelectorAll('.lab-draw [data-replica]')].map(it => {\
               const box = it.getBoundingClientRect();\
               return [box.top, box.bottom, box.left, box.right] })",
        );
        let boxes = boxes.as_array().cloned().unwrap_or_default();
        assert_eq!(boxes.len(), 36);
        for place in &boxes {
            let [top, bottom, left, right] =
                [0, 1, 2, 3].map(|at| place[at].as_f64().unwrap_or(-1.0));
            assert!(top >= 0.0 && bottom <= 800.0 && left >= 0.0 && right <= 1280.0, "{boxes:?}");
        }
        let wrong = desk.texts_of(
            "const wrong = [];\
             for (const text of document.querySelectorAll('.lab-draw text')) {\
               const size = parseFloat(getComputedStyle(text).fontSize);\
               if (size < 12) wrong.push(`${size} px: ${text.textContent}`);\
             }\
             for (const replica of document.querySelectorAll('.lab-draw [data-replica]')) {\
               const said = replica.querySelector('[aria-label]').getAttribute('aria-label');\
               const shown = [...replica.querySelectorAll('text')].map(text => text.textContent).join(' ');\
               if (!/: (leader|follower), (in|out of) the ISR, /.test(said)) wrong.push(said);\
               if (!/^[LF] (leads|in sync|[\\d,]+ behind)/.test(shown)) wrong.push(`${said}: ${shown}`);\
               if (!replica.querySelector('.hw-bar')) wrong.push(`no bar: ${said}`);\
             }\
             return wrong",
        );
        assert!(wrong.is_empty(), "{wrong:#?}");
        let rows = desk.texts_of(
            "return [...document.querySelectorAll('.lab-draw g[role=group]')].map(row => [\
               row.querySelectorAll('.hw-leads').length, row.querySelectorAll('[data-replica]').length,\
               ].join(' '))",
        );
        assert_eq!(rows, vec!["1 3"; 12], "one leader and three replicas each");
    });
}

/// At a phone's width they are all there too, and nothing of them leaves the window sideways.
#[test]
fn every_replica_is_there_on_a_phone() {
    at(320, |desk| {
        big(desk);
        desk.press("view:replicas");
        assert_eq!(desk.count(".lab-draw [data-replica]"), 36);
        desk.fits();
        let small = desk.texts_of(
            "return [...document.querySelectorAll('.lab-draw text')]\
             .filter(text => parseFloat(getComputedStyle(text).fontSize) < 12).map(text => text.textContent)",
        );
        assert!(small.is_empty(), "{small:?}");
        desk.shot("replicas-320");
    });
}

/// A step touches little of a large drawing, and what does not concern it touches nothing.
#[test]
fn only_what_changed_is_drawn_again() {
    at(1280, |desk| {
        big(desk);
        for view in ["replicas", "records"] {
            desk.press(&format!("view:{view}"));
            desk.to_the_end();
            let nodes = desk.js(WATCH).as_u64().unwrap_or_default();
            assert!(nodes > 100, "{view} has {nodes} nodes");
            desk.press("form:send");
            desk.press("close-form");
            desk.press("new-tab");
            desk.press("check");
            let unrelated = touched(desk);
            assert!(unrelated.is_empty(), "{view}: {unrelated:#?}");
            let mut changes = 0;
            for does in ["back", "back", "back", "forward", "forward", "forward"] {
                desk.press(does);
                let step = touched(desk);
                let mut lanes: Vec<&str> =
                    step.iter().filter_map(|change| change.split(" | ").next()).collect();
                lanes.sort_unstable();
                lanes.dedup();
                assert!(lanes.len() <= 2, "{view}, {does}: {step:#?}");
                assert!(!lanes.contains(&"no lane"), "{view} was drawn anew: {step:#?}");
                changes += step.len();
            }
            assert!(changes > 0, "{view}: six steps have changed nothing");
        }
    });
}

/// One record more in a strip: the cells that stay are the same nodes.
#[test]
fn cells_that_stay_are_the_same_nodes() {
    at(1280, |desk| {
        desk.form("topic", &[]);
        for key in ["locker-1", "locker-2", "locker-3"] {
            desk.form("send", &[("key", key)]);
        }
        desk.js("window.cells = [...document.querySelectorAll('.lab-draw [data-cell]')]");
        let before = desk.count(".lab-draw [data-cell]");
        assert_eq!(before, 3);
        desk.form("send", &[("key", "locker-4")]);
        assert_eq!(desk.count(".lab-draw [data-cell]"), 4);
        assert_eq!(
            desk.js("return window.cells.every(cell => cell.isConnected)"),
            json!(true),
            "a cell was made anew"
        );
    });
}
