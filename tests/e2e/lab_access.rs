//! The Lab for everybody: axe-core finds nothing in any state, targets are large enough, and what is said by ear is
//! one sentence for each deed.

use serde_json::json;

use crate::axe::check;
use crate::browser::Visit;
use crate::lab_desk::{Desk, at, visit};
use crate::look::measure;
use crate::page::key;

/// What is too small: 44 px for controls, 24 for marks of the drawing and words that are pressed. Links in running
/// text are exempt.
const TARGETS: &str = "const wrong = [];\
    const targets = 'button, a[href], input, select, textarea, summary, [role=button]';\
    for (const target of document.querySelectorAll('.lab-root :is(' + targets + ')')) {\
      if (!target.checkVisibility({ visibilityProperty: true }) || !target.getClientRects().length) continue;\
      if (target.closest('[inert]') || target.matches('.tty-thing, .ask-more, li > .lab-thing')) continue;\
      const words = '.ask-go, .ask-link, .lab-thing, .ask-why summary';\
      const least = target.closest('.lab-draw svg') || target.matches(words) ? 24 : 44;\
      const box = (target.matches('[type=checkbox]') ? target.closest('label') : target).getBoundingClientRect();\
      if (box.width < least - 0.5 || box.height < least - 0.5)\
        wrong.push(`${Math.round(box.width)} x ${Math.round(box.height)}: ${target.className?.baseVal ?? target.className}`\
          + ` ${target.getAttribute('data-do') ?? target.textContent.trim().slice(0, 30)}`);\
    }\
    return [...new Set(wrong)]";

const READ: &str = "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic parcel-events --group billing --from-beginning";

/// Walks through the states of the Lab and looks at each.
fn states(desk: &Desk<'_>, look: &mut dyn FnMut(&str)) {
    look("start");
    desk.press("form:topic");
    look("a form");
    desk.press("close-form");
    desk.form("topic", &[]);
    desk.form("send", &[]);
    desk.form("send", &[("key", "locker-3"), ("partition", "0")]);
    desk.line(READ);
    look("records");
    desk.press("ask:record:parcel-events-0:0");
    desk.js("document.querySelectorAll('.lab-asked details').forEach(it => { it.open = true })");
    look("a panel");
    desk.press("let-go");
    desk.press("view:groups");
    look("groups");
    desk.press("view:flight");
    desk.fill("[data-do=detail]", "yes");
    for _ in 0..8 {
        desk.press("back");
        if desk.exists(".lab-message") {
            break;
        }
    }
    look("in flight");
    desk.fill("[data-do=detail]", "");
    desk.to_the_end();
    desk.press("view:replicas");
    desk.press("ask:replica:parcel-events-0@2");
    look("replicas");
    desk.press("type:hw crash 2");
    look("a broker down");
    desk.press("let-go");
    desk.press("back");
    desk.press("fork");
    desk.press("new-tab");
    desk.line("hw stop 3");
    desk.press("compare");
    look("comparing");
    desk.press("compare");
    desk.focus("#lab-prompt");
    desk.insert("kafka-");
    desk.keys(key::TAB);
    look("candidates");
    desk.press("menu:share");
    look("a menu");
    desk.press("menu:share");
    desk.js("document.querySelectorAll('.twin').forEach(it => { it.open = true })");
    desk.press("check");
    look("a table, checked");
    desk.focus(".track-input");
    desk.keys(key::HOME);
    desk.press("play");
    look("playing");
}

fn looked_at(width: u32, theme: &'static str) {
    let touch = width <= 480;
    visit(
        Visit::new().at(width, 800).theme(theme).media("prefers-reduced-motion", "reduce"),
        touch,
        |desk| {
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            states(desk, &mut |state| {
                check(desk, state, &mut found);
                if theme == "light" {
                    measure(desk, state, &mut wrong);
                    let small = desk.texts_of(TARGETS).into_iter();
                    wrong.extend(small.map(|what| format!("{state}: too small: {what}")));
                }
                desk.shot(&format!("state-{}-{width}-{theme}", state.replace([' ', ','], "-")));
            });
            wrong.sort();
            wrong.dedup();
            assert!(
                found.is_empty() && wrong.is_empty(),
                "{width}, {theme}: {found:#?} {wrong:#?}"
            );
        },
    );
}

/// At a desk, light.
#[test]
fn desk_light() {
    looked_at(1280, "light");
}

/// At a desk, dark.
#[test]
fn desk_dark() {
    looked_at(1280, "dark");
}

/// On a phone, light.
#[test]
fn phone_light() {
    looked_at(320, "light");
}

/// On a phone, dark.
#[test]
fn phone_dark() {
    looked_at(320, "dark");
}

/// Writes down what is said from now on.
fn listen(desk: &Desk<'_>) {
    desk.js(
        "window.said = []; const region = document.querySelector('.lab-root > [role=status]');\
         new MutationObserver(() => window.said.push(region.textContent))\
           .observe(region, { childList: true, characterData: true, subtree: true })",
    );
}

fn said(desk: &Desk<'_>) -> Vec<String> {
    let said = desk.texts_of("return window.said.filter(text => text.trim())");
    desk.js("window.said = []");
    said
}

/// One polite region says one thing for each deed, and nothing while it plays, but that it plays and has ended.
#[test]
fn one_sentence_for_each_deed() {
    at(1280, |desk| {
        desk.open("start=leader-crash");
        let live = "return document.querySelectorAll('[role=status], [role=alert], [aria-live]:not([aria-live=off])').length";
        assert_eq!(desk.js(live), json!(1), "one region");
        listen(desk);
        for does in [
            "forward",
            "back",
            "jump:failure",
            "view:replicas",
            "ask:broker:1",
            "let-go",
            "fork",
            "check",
        ] {
            desk.press(does);
            let once = said(desk);
            let silent = usize::from(does != "let-go");
            assert_eq!(once.len(), silent, "{does}: {once:?}");
        }
        desk.line("hw stop 1");
        assert_eq!(said(desk).len(), 1);
        desk.focus(".track-input");
        desk.keys(key::HOME);
        said(desk);
        desk.fill("[data-do=speed]", "fast");
        desk.press("play");
        let from = desk.step().0;
        desk.wait("it to play", || desk.step().0 > from + 6);
        assert_eq!(said(desk), ["Playing."], "silent while it plays");
        desk.press("play");
    });
}

/// From the top of the page, what matters is a few keys away: the figure, what can be done, the prompt.
#[test]
fn a_few_keys_to_what_matters() {
    at(1280, |desk| {
        let focused = || {
            desk.js(
                "const it = document.activeElement; return it.id || it.dataset?.do || it.localName",
            )
        };
        let to = |tabs: usize| {
            desk.js("document.activeElement.blur(); scrollTo(0, 0)");
            desk.open("");
            desk.keys(&[key::TAB, key::ENTER].concat());
            desk.keys(&key::TAB.repeat(tabs));
            let skip = desk.js("const box = document.activeElement.getBoundingClientRect();\
                return box.top >= 0 && box.left >= 0 && box.height >= 43");
            assert_eq!(skip, true, "a skip link that has the focus is seen");
            desk.keys(key::ENTER);
            focused()
        };
        assert_eq!(to(1), "view:records", "nothing is drawn yet");
        assert_eq!(to(2), "form:topic", "nothing can be sent yet");
        assert_eq!(to(3), "lab-prompt");
        desk.form("topic", &[]);
        desk.form("send", &[]);
        assert_eq!(to(2), "form:send");
        to(1);
        assert_eq!(desk.js("return !!document.activeElement.closest('.lab-draw')"), true);
        desk.press("view:groups");
        assert_eq!(to(1), "view:groups");
    });
}

/// Every control has a name, headings go down step by step, and nothing has two ids.
#[test]
fn names_and_headings() {
    at(1280, |desk| {
        let mut wrong = Vec::new();
        states(desk, &mut |state| {
            let script = "const wrong = []; let last = 0; const ids = new Set();\
                for (const it of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {\
                  const level = Number(it.localName[1]);\
                  if (level > last + 1) wrong.push(`h${last} to h${level}: ${it.textContent}`);\
                  last = level;\
                }\
                for (const it of document.querySelectorAll('[id]')) {\
                  if (ids.has(it.id)) wrong.push(`two are called ${it.id}`);\
                  ids.add(it.id);\
                }\
                for (const it of document.querySelectorAll('button, [role=button], input, select, textarea, summary')) {\
                  if (it.type === 'hidden') continue;\
                  const name = it.getAttribute('aria-label') ?? (it.textContent.trim() || it.labels?.[0]?.textContent);\
                  if (!name?.trim()) wrong.push(`no name: ${it.outerHTML.slice(0, 100)}`);\
                }\
                return wrong";
            wrong.extend(desk.texts_of(script).into_iter().map(|what| format!("{state}: {what}")));
        });
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}
