//! Where a run in the Lab begins: every choice opens, the task ticks itself off, challenges are judged and shared.

use std::fs;
use std::path::PathBuf;

use crate::lab_desk::{Desk, at};
use crate::page::key;

/// The steps of the task that are done, and the one that is next.
fn steps(desk: &Desk<'_>) -> (u64, u64) {
    (desk.count(".lab-step-done"), desk.count(".lab-step-next"))
}

/// Every choice of the list opens, says what it is and what to watch, and draws something.
#[test]
fn every_beginning_opens() {
    at(1280, |desk| {
        let options = desk.texts_of(
            "return [...document.querySelectorAll('.lab-start option')].map(it => `${it.value}|${it.textContent}`)",
        );
        assert!(options.len() >= 15, "{options:?}");
        let mut titles = Vec::new();
        for option in &options {
            let (id, title) = option.split_once('|').expect("a value and a name");
            desk.begin(id);
            assert_eq!(desk.text(".lab-side-title"), title);
            assert_ne!(desk.text(".lab-scene p"), "", "{id} says nothing of itself");
            if !["task", "empty"].contains(&id) {
                assert!(desk.exists(".lab-watch, .lab-verdict"), "{id} says not what to look at");
            }
            let (here, count) = desk.step();
            assert!(here <= count);
            if count > 0 {
                desk.press("forward");
                assert_eq!(desk.step().0, here + 1, "{id}");
                assert_ne!(desk.text(".lab-draw"), "", "{id} draws nothing");
            }
            titles.push(title);
        }
        titles.sort_unstable();
        titles.dedup();
        assert_eq!(titles.len(), options.len(), "two have one name");
    });
}

/// The list of beginnings by keyboard.
#[test]
fn by_keyboard() {
    at(1280, |desk| {
        desk.focus(".lab-start select");
        desk.keys(key::DOWN);
        assert_eq!(desk.attribute(".lab-start option:checked", "value"), "empty");
        assert_ne!(
            desk.text(".lab-side-title"),
            "An empty cluster",
            "choosing alone begins nothing"
        );
        desk.keys(&[key::TAB, key::ENTER].concat());
        assert_eq!(desk.text(".lab-side-title"), "An empty cluster");
        assert_eq!(desk.focused(), "Begin", "the focus stays");
    });
}

/// A link to a beginning opens it; one that does not exist says so.
#[test]
fn by_link() {
    at(1280, |desk| {
        desk.fresh("start=zombie-leader");
        assert_eq!(desk.attribute(".lab-start option:checked", "value"), "zombie-leader");
        desk.fresh("start=no-such-thing");
        assert!(desk.say().contains("no-such-thing"), "{}", desk.say());
        assert_eq!(desk.engine(), "running");
    });
}

/// The task's five steps tick themselves off, each when it has come true, however it was done.
#[test]
fn the_task_ticks_itself_off() {
    for width in [1280, 320] {
        at(width, |desk| {
            assert_eq!(steps(desk), (0, 1));
            desk.form("topic", &[]);
            assert_eq!(steps(desk), (1, 1));
            for key in ["locker-1", "locker-2"] {
                desk.form("send", &[("key", key)]);
            }
            assert_eq!(steps(desk), (1, 1));
            desk.line("hw produce --topic parcel-events --key locker-3 --value CODE_SENT");
            assert_eq!(steps(desk), (2, 1), "typed is as good as pressed");
            desk.form("read", &[]);
            assert_eq!(steps(desk), (3, 1));
            assert!(desk.exists(".lab-step-done .lab-tick"), "a tick, and its word");
            desk.press("view:replicas");
            desk.press("ask:broker:1");
            desk.press("type:hw crash 1");
            desk.press("let-go");
            assert_eq!(steps(desk), (4, 1));
            desk.press("ask:replica:parcel-events-0@2");
            desk.press("let-go");
            assert_eq!(steps(desk), (5, 0));
            assert!(desk.exists(".lab-scene .lab-met"), "all done, and it says so");
        });
    }
}

/// The commands of a challenge's model.
fn solution(id: &str) -> Vec<String> {
    let path = format!("../web/lab/challenges/{id}.console");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(path).expect("the model can be read");
    text.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

/// Each challenge is solved by typing, shows its verdict with the number of commands, and its link opens with it.
#[test]
fn challenges() {
    at(1280, |desk| {
        for id in ["lose-acknowledged", "read-twice", "refuse-a-write"] {
            desk.fresh(&format!("start={id}"));
            let before = desk.text(".lab-verdict");
            assert!(!desk.exists(".lab-verdict.lab-met"), "{id}: {before}");
            let commands = solution(id);
            for command in &commands {
                desk.line(command);
            }
            for _ in 0..40 {
                if desk.exists(".lab-verdict.lab-met") {
                    break;
                }
                desk.press("forward");
            }
            let verdict = desk.text(".lab-verdict.lab-met");
            assert_ne!(verdict, before, "{id} is met: {}", desk.screen());
            assert!(verdict.contains(char::is_numeric), "{id} counts the commands: {verdict}");
            desk.press(".lab-scene [data-do='copy:link']");
            let link = desk.js("return location.hash.slice(1)");
            let link = link.as_str().unwrap_or_default().to_owned();
            assert!(link.starts_with(&format!("challenge={id}&play=")), "{link}");
            desk.fresh(&link);
            assert_eq!(desk.say(), verdict, "{id}: the link opens with the verdict");
            assert_eq!(desk.text(".lab-verdict.lab-met"), verdict);
            assert_eq!(desk.commands(), commands, "{id}");
            desk.focus(".track-input");
            desk.keys(key::HOME);
            assert!(!desk.exists(".lab-verdict.lab-met"), "{id} was met before it began");
        }
    });
}
