//! Tasks that tick themselves off, and listings that walk with a figure.

use crate::browser::Visit;
use crate::lesson::{Figure, fits, open, widths};
use crate::page::{Page, key};

/// A part of a task.
fn of(task: &str, rest: &str) -> String {
    format!("[data-island=task][data-task={task}] {rest}")
}

#[track_caller]
fn verdict(page: &Page, task: &str) -> String {
    page.text(&of(task, ".quiz-verdict"))
}

#[track_caller]
fn ticked(page: &Page, task: &str) -> u64 {
    page.count(&of(task, ".task-done .task-tick"))
}

#[track_caller]
fn begin(figure: &Figure<'_>, task: &str) {
    figure.press_on(&of(task, "[data-do^='task:']"));
    figure.wait("the terminal", || figure.exists(&figure.of(".tty-input")));
    let there = "return !!document.activeElement?.matches('.tty-input')";
    figure.wait("the prompt to have the focus", || figure.js(there) == true);
}

/// The solution of a task, typed, ticks its steps off one after the other; begun again, nothing is ticked.
#[test]
fn the_solution_ticks_it_off() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "drill", "first");
            // What the lesson itself shows does not count, nor what was done before the task began.
            figure.show("found");
            assert_eq!(ticked(page, "first-mend"), 0);
            begin(&figure, "first-mend");
            assert_eq!((ticked(page, "first-mend"), verdict(page, "first-mend").as_str()), (0, ""));
            figure.line("hw start 3");
            figure.wait("the first step", || ticked(page, "first-mend") >= 1);
            figure.line("sleep 5");
            figure.wait("all steps", || ticked(page, "first-mend") == 2);
            assert_eq!(verdict(page, "first-mend"), "Done. The simulator has seen it happen.");
            fits(page, "a task");
            page.js_with(
                "document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })",
                &[serde_json::json!(of("first-mend", "fieldset"))],
            );
            figure.shot(&format!("task-{width}"));
            begin(&figure, "first-mend");
            assert_eq!((ticked(page, "first-mend"), verdict(page, "first-mend").as_str()), (0, ""));
        });
    });
}

/// A task about a group: the steps come true in their order.
#[test]
fn a_group_is_saved() {
    Visit::new().run(|page| {
        let figure = open(page, "retention", "overtaken");
        begin(&figure, "save-billing");
        figure.line(
            "kafka-consumer-groups.sh --bootstrap-server localhost:9092 --reset-offsets --group billing \
             --topic parcel-events --to-earliest --execute",
        );
        figure.wait("the first step", || ticked(page, "save-billing") == 1);
        assert_eq!(verdict(page, "save-billing"), "1 of 2 steps are done.");
        figure.line(
            "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic parcel-events \
             --group billing --timeout-ms 12000",
        );
        figure.wait("the second step", || ticked(page, "save-billing") == 2);
        assert_eq!(verdict(page, "save-billing"), "Done. The simulator has seen it happen.");
        assert!(figure.screen().concat().contains("PARCEL_COLLECTED"));
    });
}

/// A command that a task has no use for is refused with the names of those that it has; what was typed stays, and
/// nothing was run.
#[test]
fn a_command_is_refused() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "drill", "fifth");
            begin(&figure, "fifth-mend");
            let before = (figure.moment(), figure.drawn());
            page.browser.cdp("Input.insertText", &serde_json::json!({ "text": "hw stop 1" }));
            page.press(key::ENTER);
            let words = "`hw` is not for this task. It can be solved with kafka-leader-election.sh, \
                         kafka-topics.sh, grep.";
            figure.wait("the refusal", || verdict(page, "fifth-mend") == words);
            let is_in_view = "const box = document.querySelector(arguments[0])?.getBoundingClientRect();\
                              return !!box && box.top >= 0 && box.bottom <= innerHeight;";
            let hint = serde_json::json!(figure.of(".lab-hint"));
            figure.wait("the refusal beside the prompt", || {
                page.js_with(is_in_view, std::slice::from_ref(&hint)) == true
            });
            assert_eq!((figure.moment(), figure.drawn()), before);
            assert_eq!(figure.typed(), "hw stop 1", "it can be mended");
            figure.shot(&format!("refused-{width}"));
            page.press(&"\u{e003}".repeat("hw stop 1".len()));
            figure.line(
                "kafka-leader-election.sh $B --election-type preferred --all-topic-partitions",
            );
            figure.wait("all steps", || ticked(page, "fifth-mend") == 2);
            assert_eq!(verdict(page, "fifth-mend"), "Done. The simulator has seen it happen.");
        });
    });
}

/// What the lines say that are marked in the listing.
#[track_caller]
fn marked(page: &Page) -> Vec<String> {
    page.texts_of(
        "return [...document.querySelectorAll('[data-island=walk] .walk-now')]\
         .map(line => line.dataset.does)",
    )
}

/// The listing marks the lines that append when a record is added, and the line that reads when one is read.
#[test]
fn the_listing_walks() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "the-log", "storage");
            assert_eq!(marked(page), [""; 0], "nothing has run yet");
            let (mut appended, mut read, mut other) = (0, 0, 0);
            let (begin, all) = figure.step();
            for _ in begin..all {
                let sees = |list: &[String], word: &str| list.iter().all(|does| does == word);
                figure.do_it("forward");
                let lines = marked(page);
                match lines.len() {
                    0 => other += 1,
                    3 if sees(&lines, "append") => {
                        appended += 1;
                        if appended == 1 {
                            page.js("document.querySelector('[data-island=walk]').scrollIntoView({ block: 'center' })");
                            figure.shot(&format!("walk-append-{width}"));
                        }
                    }
                    1 if sees(&lines, "read") => read += 1,
                    _ => panic!("marked: {lines:?}"),
                }
                let heard = page.count("[data-island=walk] .walk-now .visually-hidden");
                assert_eq!(heard, lines.len() as u64, "by ear too");
            }
            assert!(appended >= 3 && read >= 2, "{appended} appends, {read} reads, {other} others");
            // And a record of the reader's own.
            figure.line("hw produce --topic door-log --key locker-9 --value OPENED");
            figure.wait("an append", || marked(page) == ["append"; 3] || {
                figure.do_it("back");
                marked(page) == ["append"; 3]
            });
        });
    });
}
