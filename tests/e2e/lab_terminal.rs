//! The Lab's terminals: tabs, history, completion, chips, keys that end things, pasted transcripts, words that ask.

use serde_json::json;

use crate::lab_desk::{Desk, at};
use crate::page::{Page, key};

const TOPIC: &str = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions 2 --replication-factor 3";
const READ: &str = "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic parcel-events --from-beginning";
const WRITE: &str =
    "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events";

/// The tabs, the one in front marked.
fn tabs(desk: &Desk<'_>) -> Vec<String> {
    desk.texts_of(
        "return [...document.querySelectorAll('.lab-tabs [data-do^=\"tab:\"]')].map(tab =>\
           tab.textContent + (tab.getAttribute('aria-pressed') === 'true' ? ' *' : ''))",
    )
}

/// What is typed key by key is run by Enter, and by Run.
#[test]
fn a_line_is_typed() {
    for width in [1280, 320] {
        at(width, |desk| {
            desk.press("#lab-prompt");
            Page::press(desk, "echo one; echo two");
            desk.keys(key::ENTER);
            assert_eq!(desk.lines(), ["$ echo one; echo two", "one", "two"]);
            assert!(!desk.exists(".tty-touched"), "it was typed, not pressed");
            assert_eq!(desk.focused(), "Command");
            assert!(desk.status().contains("2 lines: one"), "{}", desk.status());
            desk.insert("echo three");
            desk.press(".tty-form [type=submit]");
            assert_eq!(desk.lines().last().map(String::as_str), Some("three"));
            desk.press_with(key::SHIFT, key::ENTER);
            assert_eq!(desk.prompt_text(), "\n", "another line of a longer command");
        });
    }
}

/// Each tab has a prompt and an output of its own, and is named by what runs in it.
#[test]
fn tabs_are_apart() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.line(READ);
        assert_eq!(tabs(desk), ["1: console-consumer *"]);
        assert!(desk.exists(".lab-busy"));
        desk.press("new-tab");
        assert_eq!((tabs(desk).len(), desk.focused().as_str()), (2, "Command"));
        assert_eq!(desk.lines().len(), 0);
        desk.line("echo a line | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events");
        desk.press("tab:1");
        assert!(desk.screen().ends_with("\na line"), "{}", desk.screen());
        assert_eq!(desk.focused(), "Command");
        desk.form("send", &[("value", "PRESSED")]);
        assert!(tabs(desk)[1].ends_with('*'), "a press types where a prompt is: {:?}", tabs(desk));
        assert!(desk.last_command().contains("PRESSED"));
        desk.press("tab:1");
        desk.press_with(key::CTRL, "c");
        desk.next_frame();
        assert!(!desk.exists(".lab-busy"), "Ctrl-C ends the reader");
        assert_eq!(tabs(desk)[0], "1 *");
        assert!(desk.screen().contains("Processed a total of 2 messages"), "{}", desk.screen());
    });
}

/// Ctrl-D ends what reads from the keyboard; both have a button.
#[test]
fn end_of_input() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.line(WRITE);
        assert_eq!(desk.text(".tty-form .tty-prompt"), ">");
        desk.line("a line");
        desk.line("another");
        desk.press_with(key::CTRL, "d");
        desk.next_frame();
        assert_eq!(desk.text(".tty-form .tty-prompt"), "$", "the producer has ended");
        assert_eq!(desk.text(".lab-chart .lab-value"), "2");
        desk.line(WRITE);
        desk.line("a third");
        desk.press("end-of-input");
        assert_eq!(desk.text(".tty-form .tty-prompt"), "$");
        assert_eq!(desk.text(".lab-chart .lab-value"), "3");
        desk.line(READ);
        desk.press("interrupt");
        assert!(!desk.exists(".lab-busy"));
        assert_eq!(desk.focused(), "Command");
    });
}

/// Up and Down walk the history, by key and by the buttons for fingers.
#[test]
fn history() {
    at(1280, |desk| {
        desk.line("echo one");
        desk.line("echo two");
        desk.focus("#lab-prompt");
        for (press, line) in [
            (key::UP, "echo two"),
            (key::UP, "echo one"),
            (key::UP, "echo one"),
            (key::DOWN, "echo two"),
            (key::DOWN, ""),
        ] {
            desk.keys(press);
            assert_eq!(desk.prompt_text(), line);
        }
        desk.keys(&[key::UP, key::ENTER].concat());
        assert_eq!(desk.commands(), ["echo one", "echo two", "echo two"]);
    });
    at(320, |desk| {
        desk.line("echo one");
        desk.press("history:older");
        assert_eq!(desk.prompt_text(), "echo one");
        desk.press("history:newer");
        assert_eq!(desk.prompt_text(), "");
    });
}

/// Tab completes what was typed where there is something to complete, and else leaves; several words can be pressed.
#[test]
fn completion() {
    at(1280, |desk| {
        desk.line(TOPIC);
        desk.focus("#lab-prompt");
        desk.keys(key::TAB);
        assert_eq!(desk.focused(), "Run", "nothing was typed: Tab leaves");
        desk.focus("#lab-prompt");
        desk.insert("kafka-console-");
        desk.keys(key::TAB);
        let candidates = desk.texts_of(
            "return [...document.querySelectorAll('.lab-candidates button')].map(it => it.textContent)",
        );
        assert_eq!(candidates, ["kafka-console-consumer.sh", "kafka-console-producer.sh"]);
        desk.shot("candidates-1280");
        desk.press("candidate:kafka-console-consumer.sh");
        assert_eq!(
            (desk.prompt_text().as_str(), desk.focused().as_str()),
            ("kafka-console-consumer.sh ", "Command")
        );
        assert!(!desk.exists(".lab-candidates"));
        desk.insert("--bootstrap-server localhost:9092 --topic par");
        desk.keys(key::TAB);
        assert!(desk.prompt_text().ends_with(" --topic parcel-events "), "{}", desk.prompt_text());
        desk.fill("#lab-prompt", "zebra");
        desk.keys(key::TAB);
        assert_ne!(desk.focused(), "Command", "no candidate: Tab leaves");
        desk.fill("#lab-prompt", "kafka-console-");
        desk.keys(key::TAB);
        assert!(desk.exists(".lab-candidates"));
        desk.keys(key::ESCAPE);
        assert!(!desk.exists(".lab-candidates"));
        desk.keys(key::TAB);
        assert_ne!(desk.focused(), "Command", "Esc and Tab leave");
    });
}

/// A chip fills the prompt and runs nothing.
#[test]
fn chips() {
    at(1280, |desk| {
        desk.line(TOPIC);
        let before = desk.commands();
        let chip = desk.attribute(".tty-chips [data-do^='fill:kafka-topics.sh']", "data-do");
        desk.press(&chip);
        assert_eq!(desk.commands(), before);
        assert_eq!(format!("fill:{}", desk.prompt_text()), chip);
        assert_eq!(desk.focused(), "Command");
        desk.keys(key::ENTER);
        assert_eq!(desk.commands().len(), before.len() + 1);
        assert!(desk.screen().contains("PartitionCount: 2"), "{}", desk.screen());
    });
}

/// A pasted transcript is played: with `#!` as a run of its own, else here, command by command.
#[test]
fn a_transcript_is_pasted() {
    at(1280, |desk| {
        desk.line("$ echo one\none\n# a word about it\n$ echo two\ntwo");
        assert_eq!(desk.lines(), ["$ echo one", "one", "$ echo two", "two"]);
        desk.line("echo three\necho four");
        assert_eq!(desk.commands().len(), 4, "plain lines are commands too");
        desk.line("#! brokers 5\n$ hw crash 5\n$ echo done");
        assert!(desk.offers("undo-restart"), "what was there can be had back");
        desk.to_the_end();
        assert_eq!(desk.commands(), ["hw crash 5", "echo done"]);
        desk.press("undo-restart");
        assert_eq!(desk.commands().len(), 4);
        desk.line("$ echo 'never closed");
        assert!(desk.engine() == "running");
    });
}

/// Words of the output that name something ask about it.
#[test]
fn words_ask() {
    for width in [1280, 320] {
        at(width, |desk| {
            desk.line(TOPIC);
            desk.line("hw produce --topic parcel-events --key locker-7 --value CODE_SENT");
            desk.line(
            "kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic parcel-events",
        );
            for thing in ["broker:", "partition:", "topic:", "record:"] {
                let word = format!(".tty-thing[data-do^='ask:{thing}']");
                assert!(desk.exists(&word), "no word asks about a {thing}");
                desk.js_with(
                    "document.querySelector(arguments[0]).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })",
                    &[json!(word)],
                );
                desk.press(&word);
                assert_ne!(desk.text(".ask-title"), "", "{thing}");
            }
        });
    }
}

/// With 10,000 lines shown, another line touches only the newest part of the log.
#[test]
fn ten_thousand_lines() {
    at(1280, |desk| {
        // Ten commands, so that it is not one piece.
        for thousand in 0..10 {
            desk.line(&format!("seq {} {}", thousand * 1_000 + 1, (thousand + 1) * 1_000));
        }
        let pages = desk.count(".tty-page");
        assert!(pages > 10, "{pages} pages");
        assert!(desk.count(".tty-line") >= 10_000);
        desk.js("window.pages = [...document.querySelectorAll('.tty-page')].slice(0, -1); window.touched = 0;\
             new MutationObserver(changes => { window.touched += changes.filter(change =>\
               window.pages.some(page => page.contains(change.target))).length })\
               .observe(document.querySelector('.tty-log'),\
                 { subtree: true, childList: true, characterData: true, attributes: true })");
        desk.line("echo one more");
        assert_eq!(desk.lines().last().map(String::as_str), Some("one more"));
        let state =
            desk.js("return [window.pages.every(page => page.isConnected), window.touched]");
        assert_eq!(state, json!([true, 0]), "an older part was made anew, or touched");
        let end = desk.js("const log = document.querySelector('.tty-log');\
             return log.scrollHeight - log.scrollTop - log.clientHeight");
        assert!(end.as_f64().is_some_and(|rest| rest < 4.0), "the newest line is seen: {end}");
        desk.shot("lines-1280");
    });
}
