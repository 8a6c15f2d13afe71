//! Time in the Lab: step, play, the timeline, jumps, two futures, restart; and the keyboard, which works inside the
//! Lab, does nothing outside of it, and is never caught.

use serde_json::json;

use crate::browser::Visit;
use crate::keyboard::{must_show_focus, walk};
use crate::lab_desk::{Desk, at, visit};
use crate::page::key;

/// A situation, opened at its first step.
fn crash(test: impl FnOnce(&Desk<'_>)) {
    at(1280, |desk| {
        desk.open("start=leader-crash");
        test(desk);
    });
}

fn plays(desk: &Desk<'_>) -> bool {
    desk.exists(".bar [data-do=play][aria-label=Pause]")
}

/// A step on, a step back, by mouse and by keyboard; the sentence and the time follow.
#[test]
fn step_by_step() {
    crash(|desk| {
        let (start, count) = desk.step();
        assert!(start > 0 && count > start + 10);
        let said = desk.say();
        desk.press("forward");
        assert_eq!(desk.step(), (start + 1, count));
        assert_ne!(desk.say(), said);
        assert_eq!(desk.status(), desk.say(), "one sentence by ear");
        desk.press("back");
        assert_eq!((desk.step(), desk.say()), ((start, count), said));
        desk.focus("[data-do=forward]");
        desk.keys(key::ENTER);
        desk.keys(key::SPACE);
        assert_eq!(desk.step(), (start + 2, count));
        assert_eq!(desk.focused(), "Step");
        desk.fill("[data-do=detail]", "yes");
        let before = desk.time();
        desk.press("forward");
        assert_ne!(desk.time(), before);
        let (here, of) = desk.step();
        assert!(here <= start + 3 && of == count, "a message is less than a step");
    });
}

/// It plays until the reader stops it, and stops by itself where nothing happens any more.
#[test]
fn it_plays_and_stops() {
    crash(|desk| {
        desk.fill("[data-do=speed]", "fast");
        let (start, _) = desk.step();
        desk.press("play");
        desk.wait("it to play on", || desk.step().0 > start + 2);
        assert!(plays(desk));
        desk.press("play");
        assert!(!plays(desk));
        let here = desk.step();
        desk.stays("the moment", 500, || desk.step() == here);
        desk.to_the_end();
        desk.press("back");
        desk.press("play");
        desk.wait("it to stop by itself", || !plays(desk));
        let (here, count) = desk.step();
        assert_eq!(here, count);
        assert!(desk.say().contains("Nothing more happens"), "{}", desk.say());
    });
}

/// The timeline by keyboard, and by a press at a place on it.
#[test]
fn the_timeline() {
    crash(|desk| {
        let (_, count) = desk.step();
        desk.focus(".track-input");
        desk.keys(key::HOME);
        assert_eq!(desk.step(), (0, count));
        desk.keys(&key::RIGHT.repeat(3));
        assert_eq!(desk.step(), (3, count));
        assert!(
            desk.attribute(".track-input", "aria-valuetext")
                .starts_with(&format!("step 3 of {count}"))
        );
        desk.keys(key::LEFT);
        assert_eq!(desk.step(), (2, count));
        desk.keys(key::END);
        assert_eq!(desk.step(), (count, count));
        desk.press_at(".track-input", 50);
        desk.next_frame();
        let (here, _) = desk.step();
        assert!(here.abs_diff(count / 2) <= 2, "step {here} of {count} in the middle");
        assert!(desk.exists(".track-marks .lab-failure"), "what failed has its mark");
        assert!(desk.exists(".track-marks .lab-gap"), "a silence has its word");
    });
}

/// Dragging leads to the step under the pointer, at once and all the way, by mouse and by finger.
#[test]
fn the_timeline_is_dragged() {
    for (width, finger) in [(1280, false), (320, true)] {
        at(width, |desk| {
            desk.open("start=leader-crash");
            let (_, count) = desk.step();
            let script = "const it = document.querySelector('.track-input'); it.scrollIntoView({ block: 'center' });\
                          const box = it.getBoundingClientRect(); return [box.x, box.width, box.y + box.height - 20]";
            let place = desk.js(script);
            let number = |nth: usize| place[nth].as_f64().unwrap_or(0.0);
            let at = |percent: f64| {
                // As far as the thumb's middle goes.
                let (x, width) = (number(0) + 9.0, number(1) - 18.0);
                (x + width * percent / 100.0, number(2))
            };
            let send = |kind: &str, percent: f64| {
                let (x, y) = at(percent);
                if finger {
                    let points =
                        if kind == "End" { json!([]) } else { json!([{ "x": x, "y": y }]) };
                    let event = json!({ "type": format!("touch{kind}"), "touchPoints": points });
                    desk.browser.cdp("Input.dispatchTouchEvent", &event);
                } else {
                    let kind = match kind {
                        "Start" => "mousePressed",
                        "Move" => "mouseMoved",
                        _ => "mouseReleased",
                    };
                    let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
                    desk.browser.cdp("Input.dispatchMouseEvent", &event);
                }
                desk.next_frame();
            };
            send("Start", 20.0);
            for percent in [30.0, 50.0, 80.0, 40.0] {
                send("Move", percent);
                let (here, _) = desk.step();
                let wanted = (count as f64 * percent / 100.0).round() as usize;
                assert!(here.abs_diff(wanted) <= 2, "{here} of {count} at {percent} %");
                assert!(desk.time().contains(&format!("{here} of {count}")), "the words follow");
            }
            let here = desk.step();
            send("End", 40.0);
            assert_eq!(desk.step(), here);
        });
    }
}

/// Jumps lead to the next step of a kind, and say so where there is none.
#[test]
fn jumps() {
    crash(|desk| {
        for kind in ["command", "append", "change", "failure", "election"] {
            desk.focus(".track-input");
            desk.keys(key::HOME);
            let mut here = 0;
            for _ in 0..2 {
                desk.press(&format!("jump:{kind}"));
                let (now, _) = desk.step();
                assert!(now > here, "{kind}: from {here} to {now}");
                here = now;
            }
        }
        desk.to_the_end();
        let end = desk.step();
        desk.press("jump:failure");
        assert_eq!(desk.step().0, end.0);
        assert_ne!(desk.status(), "");
    });
}

/// A run of three records, two steps before its end.
fn short(desk: &Desk<'_>) {
    desk.form("topic", &[]);
    for _ in 0..3 {
        desk.form("send", &[]);
    }
    desk.press("back");
    desk.press("back");
    // At a moment of the past a command is under way in the first.
    desk.press("new-tab");
}

/// A fork keeps the future that was; the two are compared, switched and dropped.
#[test]
fn two_futures() {
    at(1280, |desk| {
        short(desk);
        desk.press("fork");
        assert!(!desk.offers("fork") && desk.offers("compare"));
        desk.line("hw crash 3; sleep 10");
        assert!(desk.exists(".track-marks .lab-other"), "the other future is a second line");
        desk.press("compare");
        assert!(desk.exists("[data-do=compare][aria-pressed=true]"));
        let differences = desk.text(".lab-differences");
        assert!(differences.contains("roker 3"), "{}", desk.text(".lab-compared"));
        assert!(desk.exists(".lab-compared .lab-other-draw[inert] svg"));
        desk.shot("comparing-1280");
        desk.press("compare");
        assert!(!desk.exists(".lab-compared"));
        desk.press("end-fork");
        assert!(!desk.exists(".lab-other") && desk.offers("fork"));
        desk.press("back");
        desk.press("back");
        desk.press("new-tab");
        desk.line("hw stop 1");
        assert!(desk.offers("compare"), "what is typed in the past makes a fork by itself");
        assert!(desk.say().contains("other"), "and says so: {}", desk.say());
    });
}

/// Whoever switches to the other future finds it as it was left, and the first one too on the way back.
#[test]
fn futures_are_switched() {
    at(1280, |desk| {
        short(desk);
        let past = (desk.step(), desk.commands());
        assert!(past.1.is_empty());
        desk.press("fork");
        desk.line("hw crash 3; sleep 10");
        let here = (desk.step(), desk.commands());
        desk.press("switch");
        assert_eq!((desk.step(), desk.commands()), past, "the other knows nothing of it");
        desk.press("switch");
        assert_eq!((desk.step(), desk.commands()), here);
    });
}

/// The same while the two are compared, each step and moment as it was.
#[test]
fn futures_are_switched_while_compared() {
    at(1280, |desk| {
        short(desk);
        desk.press("fork");
        desk.line("hw crash 3; sleep 10");
        let here = (desk.step(), desk.commands());
        desk.press("compare");
        desk.press("switch");
        assert!(desk.exists(".lab-compared") && desk.commands().is_empty());
        desk.press("switch");
        assert_eq!((desk.step(), desk.commands()), here, "compared, it is as it was left");
    });
}

/// Restart begins anew, and can be taken back with everything there was.
#[test]
fn restart_and_back() {
    at(1280, |desk| {
        desk.form("topic", &[]);
        desk.form("send", &[]);
        let (here, screen) = (desk.step(), desk.screen());
        assert!(!desk.offers("undo-restart"));
        desk.press("restart");
        assert_eq!(desk.step(), (0, 0));
        assert_eq!((desk.screen().as_str(), desk.count(".lab-draw [data-cell]")), ("", 0));
        desk.press("undo-restart");
        assert_eq!((desk.step(), desk.screen()), (here, screen));
        assert_eq!(desk.count(".lab-draw [data-cell]"), 1);
        assert!(desk.exists(".lab-step-done"), "the task is as far as it was");
    });
}

/// Outside the Lab keys are the browser's, and inside it only those of the place mean something.
#[test]
fn keys_do_nothing_outside() {
    crash(|desk| {
        let (here, said) = (desk.step(), desk.say());
        let keys = [
            "s",
            "p",
            "k",
            "1",
            "?",
            "n",
            key::SPACE,
            key::LEFT,
            key::RIGHT,
            key::END,
            key::ESCAPE,
        ];
        for place in [".top-nav a", "#lab", "[data-do=restart]", "[data-do='view:records']"] {
            desk.focus(place);
            for press in keys.iter().filter(|press| **press != key::SPACE || place == "#lab") {
                desk.keys(press);
            }
            assert_eq!((desk.step(), desk.say()), (here, said.clone()), "{place}");
            assert!(!desk.exists(".lab-asked, #lab-form"), "{place}");
        }
    });
}

/// Tab leads through the whole Lab in the order of reading, shows where it is, and leaves.
#[test]
fn tab_leads_through_the_lab() {
    for width in [1280, 320] {
        visit(Visit::new().at(width, 800), false, |desk| {
            desk.form("topic", &[]);
            desk.form("send", &[]);
            desk.press("form:send");
            let stops = walk(desk, "Skip to the Lab");
            let place = |name: &str| {
                let found = stops.iter().position(|stop| stop.starts_with(name));
                found.unwrap_or_else(|| panic!("{name:?} is no stop at {width}: {stops:#?}"))
            };
            let order = [
                "Share",
                "Records",
                "cell ",
                "Show as table",
                "Step back",
                "Play",
                "Timeline",
                "Jump to the next",
                "Restart",
                "Send a record",
                "More",
                "Close",
            ];
            for pair in order.windows(2) {
                assert!(place(pair[0]) < place(pair[1]), "{pair:?}: {stops:#?}");
            }
            for name in ["Check now", "New terminal", "Command", "Run", "Ctrl-C", "all commands"] {
                place(name);
            }
            let cells = stops.iter().filter(|stop| stop.starts_with("cell ")).count();
            assert_eq!(cells, 1, "the drawing is one stop: {stops:#?}");
        });
    }
}

/// A menu opens and closes, and whoever presses something in it is not lost.
#[test]
fn menus_keep_the_focus() {
    crash(|desk| {
        for (menu, item) in
            [("menu:jump", "jump:command"), ("menu:more", "form:disk"), ("menu:share", "copy:link")]
        {
            let button = format!("[data-do='{menu}']");
            desk.focus(&button);
            desk.keys(key::ENTER);
            assert!(desk.exists(&format!("[data-do='{item}']")), "{menu} is open");
            assert_eq!(desk.attribute(&button, "aria-expanded"), "true");
            desk.keys(key::ESCAPE);
            assert!(!desk.exists(".lab-menu-list"), "Esc closes {menu}");
            let focused = || {
                desk.js(
                    "return document.activeElement.dataset?.do ?? document.activeElement.localName",
                )
            };
            assert_eq!(focused(), menu);
            desk.keys(key::ENTER);
            desk.focus(&format!("[data-do='{item}']"));
            desk.keys(key::ENTER);
            assert!(!desk.exists(".lab-menu-list"), "what was pressed closes {menu}");
            assert_ne!(focused(), "body", "{item}: the focus is lost");
            if item.starts_with("form:") {
                desk.press("close-form");
                assert_ne!(focused(), "body", "closing {item}: the focus is lost");
            }
        }
    });
}

/// Arrow keys, Home and End lead through a menu, from its button on; Tab goes through it and out of it.
#[test]
fn menus_by_arrow_keys() {
    crash(|desk| {
        let focused = || desk.js("return document.activeElement.dataset?.do ?? ''");
        for (menu, first, second, last) in [
            ("menu:jump", "jump:command", "jump:append", "jump:failure"),
            ("menu:more", "form:partitions", "form:link", "form:wait"),
            ("menu:share", "copy:link", "save:transcript", "save:png"),
        ] {
            desk.focus(&format!("[data-do='{menu}']"));
            desk.keys(key::HOME);
            assert_eq!(focused(), menu, "a closed menu has no first item");
            for (pressed, item) in [
                (key::DOWN, first),
                (key::DOWN, second),
                (key::UP, first),
                (key::UP, last),
                (key::DOWN, first),
                (key::END, last),
                (key::HOME, first),
                (key::TAB, second),
            ] {
                desk.keys(pressed);
                assert_eq!(focused(), item, "{menu}");
            }
            desk.keys(key::ESCAPE);
            assert_eq!((focused(), desk.exists(".lab-menu-list")), (menu.into(), false));
            desk.keys(key::UP);
            assert_eq!(focused(), last, "from below");
            desk.keys(key::TAB);
            assert_ne!(focused(), last, "nobody is held");
            desk.focus(&format!("[data-do='{menu}']"));
            desk.keys(key::ESCAPE);
        }
        // Nothing is taken where no menu is.
        let step = desk.step();
        desk.focus("[data-do=restart]");
        desk.keys(key::DOWN);
        assert_eq!((focused(), desk.step()), ("restart".into(), step));
    });
}

/// Whoever presses a button that is gone then, by keyboard, is led on.
#[test]
fn no_press_loses_the_focus() {
    at(1280, |desk| {
        short(desk);
        desk.press("view:replicas");
        desk.press("ask:replica:parcel-events-0@1");
        for does in [
            "form:send",
            "close-form",
            "type:hw crash 1",
            "type:hw start 1",
            "close-partition",
            "let-go",
            "compare",
            "switch",
            "end-fork",
            "fork",
            "restart",
            "undo-restart",
            "new-tab",
            "check",
        ] {
            if !desk.offers(does) {
                panic!("{does} is not there: {:?}", desk.all_deeds());
            }
            let selector = format!("[data-do='{does}']");
            desk.focus(&selector);
            desk.keys(key::ENTER);
            let focused = desk.js("return document.activeElement.localName");
            assert_ne!(focused, "body", "{does}: the focus is lost");
        }
    });
}

/// Where Tab completes, Esc and then Tab leaves; Shift and Tab leave at once.
#[test]
fn the_prompt_is_left() {
    at(1280, |desk| {
        desk.focus("#lab-prompt");
        desk.insert("kafka-to");
        desk.keys(key::TAB);
        assert_eq!(desk.prompt_text(), "kafka-topics.sh ", "Tab completes");
        assert_eq!(desk.focused(), "Command");
        desk.keys(key::ESCAPE);
        desk.keys(key::TAB);
        assert_ne!(desk.focused(), "Command", "Esc and Tab leave");
        must_show_focus(desk);
        desk.focus("#lab-prompt");
        desk.press_with(key::SHIFT, key::TAB);
        assert_ne!(desk.focused(), "Command");
        assert_eq!(desk.prompt_text(), "kafka-topics.sh ");
        assert_eq!(desk.js("return document.querySelector('.lab-asked')"), json!(null));
    });
}
