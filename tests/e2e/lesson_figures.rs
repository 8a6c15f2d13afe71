//! Figures of a whole cluster on one page: what a reader does with one, and that the others stay as they are.

use serde_json::json;

use crate::browser::Visit;
use crate::lesson::{Figure, drawn_in, fits, open, widths};
use crate::page::key;

/// Whether something of the figure stands in the window.
#[track_caller]
fn is_in_the_window(figure: &Figure<'_>, selector: &str) -> bool {
    let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();\
         return box.bottom > 0 && box.top < innerHeight && box.height > 0";
    figure.js_with(script, &[json!(figure.of(selector))]) == true
}

/// Step, step back, play, the keys and a press on the timeline, its end, and playing anew from there.
#[test]
fn back_and_forth() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            let (begin, all) = figure.step();
            assert!(begin > 0 && begin < all, "it begins at its moment: {begin} of {all}");
            figure.do_it("forward");
            assert_eq!(figure.step(), (begin + 1, all));
            let next = (figure.moment(), figure.drawn());
            let caption = "Broker 3 is cut off from broker 1: its fetches no longer arrive.";
            assert!(figure.says().starts_with(caption), "{}", figure.says());
            figure.do_it("back");
            assert_eq!(figure.step(), (begin, all));
            assert_ne!(figure.drawn(), next.1);
            figure.do_it("forward");
            assert_eq!((figure.moment(), figure.drawn()), next, "the same moment looks the same");
            figure.do_it("back");
            figure.do_it("play");
            figure.wait("it to play", || figure.step().0 > begin + 1);
            figure.do_it("play");
            let stopped = figure.step();
            figure.stays("paused", 900, || figure.step() == stopped);

            // A press in the middle, as the end of a drag.
            figure.reveal(&figure.of(".track-input"));
            figure.press_at(&figure.of(".track-input"), 50);
            figure.wait("the middle", || figure.step().0.abs_diff(all / 2) <= 1);
            figure.to_the_end();
            assert!(
                figure.exists(&figure.of("[data-do=forward][aria-disabled=true]")),
                "nothing comes after it"
            );
            let end = figure.drawn();
            figure.do_it("play");
            figure.wait("it to begin anew", || (begin..all).contains(&figure.step().0));
            figure.wait("the end", || {
                figure.step() == (all, all)
                    && figure.exists(&figure.of("[data-do=play][aria-label=Play]"))
            });
            assert_eq!(figure.drawn(), end);
            figure.focus(&figure.of(".track-input"));
            figure.press(key::HOME);
            figure.wait("the start", || figure.step().0 == 0);
            assert!(
                figure.exists(&figure.of("[data-do=back][aria-disabled=true]")),
                "nothing comes before it"
            );
            fits(page, "the figure");
            figure.shot(&format!("start-{width}"));
        });
    });
}

/// A handle that is held and moved takes the picture with it.
#[test]
fn the_timeline_is_dragged() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "refused");
            figure.reveal(&figure.of(".track-input"));
            let places = figure.js_with(
                "const box = document.querySelector(arguments[0]).getBoundingClientRect();\
                 return [box.left + 14, box.right - 14, box.top + box.height / 2]",
                &[json!(figure.of(".track-input"))],
            );
            let mouse = |kind: &str, x: f64| {
                let y = places[2].as_f64().unwrap_or_default();
                let event = json!({
                    "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1,
                });
                figure.browser.cdp("Input.dispatchMouseEvent", &event);
            };
            let (left, right) =
                (places[0].as_f64().unwrap_or_default(), places[1].as_f64().unwrap_or_default());
            mouse("mousePressed", left);
            figure.wait("the start", || figure.step().0 <= 1);
            let mut seen = vec![figure.step().0];
            for part in 1..=4 {
                mouse("mouseMoved", left + (right - left) * f64::from(part) / 4.0);
                figure.next_frame();
                seen.push(figure.step().0);
            }
            mouse("mouseReleased", right);
            assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{width} px: {seen:?}");
        });
    });
}

/// Buttons of the text lead to their moments, and bring the figure into the window.
#[test]
fn buttons_lead_to_moments() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            for (moment, says, isr) in [
                (
                    "behind",
                    "An order with acks=1",
                    "follower, in the ISR, offsets 0 to 1, high watermark 2, 1 record behind",
                ),
                (
                    "shrunk",
                    "Broker 3 has been behind",
                    "follower, out of the ISR, offsets 0 to 1, high watermark 2, 1 record behind",
                ),
                ("healed", "The link is whole again", "follower, in the ISR, offsets 0 to 2"),
            ] {
                figure.show(moment);
                figure.wait("the moment", || {
                    figure.says().starts_with(says) && !figure.says().is_empty()
                });
                let third = figure.drawn();
                let third = third.iter().find(|it| it.starts_with("orders-0 on broker 3"));
                let third = third.cloned().unwrap_or_default();
                assert!(third.contains(isr), "{moment}: {third}");
                assert!(is_in_the_window(&figure, ".lab-draw"), "{moment} at {width} px");
                figure.shot(&format!("{moment}-{width}"));
            }
        });
    });
}

/// The reader's command makes a run of the reader's own. A button of the text shows the lesson's, and the own one is
/// kept behind a button; a new command there begins a new one.
#[test]
fn an_own_run_is_kept() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            figure.line("hw stop 4");
            figure.wait("the command", || figure.text(&figure.of(".did")).contains("$ hw stop 4"));
            let (own, drawn) = (figure.moment(), figure.drawn());
            assert!(
                drawn.iter().any(|it| it.starts_with("broker 4") && it != "broker 4"),
                "{drawn:?}"
            );
            assert!(figure.screen().concat().contains("hw stop 4"));
            assert_eq!(figure.text(&figure.of("[data-do=own-run]")), "The lesson's run");

            figure.show("behind");
            figure.wait("the moment", || figure.says().starts_with("An order with acks=1"));
            assert!(!figure.screen().concat().contains("hw stop 4"), "it is the lesson's run");
            assert_eq!(figure.text(&figure.of("[data-do=own-run]")), "Back to my run");
            figure.do_it("forward");
            let lesson = figure.moment();
            figure.do_it("own-run");
            figure.wait("the own run", || figure.moment() == own);
            assert_eq!(figure.drawn(), drawn);
            assert!(figure.screen().concat().contains("hw stop 4"));
            // And back to where the lesson's was left.
            figure.do_it("own-run");
            figure.wait("the lesson's", || figure.moment() == lesson);
            figure.do_it("own-run");
            figure.line("hw start 4");
            figure.wait("the command", || figure.text(&figure.of(".did")).contains("$ hw start 4"));
            fits(page, "an own run");
            figure.shot(&format!("own-{width}"));
        });
    });
}

/// Whatever is done to one figure, the other stays as it is: picture, time, terminal, and what is typed there.
#[test]
fn two_figures_do_not_disturb_each_other() {
    widths(|_, visit| {
        visit.run(|page| {
            let first = open(page, "drill", "first");
            let second = first.other("second");
            second.terminal();
            page.browser.cdp("Input.insertText", &json!({ "text": "half a line" }));
            let before = (second.shows(), second.typed());
            first.line("hw start 3");
            first.wait("the command", || first.text(&first.of(".did")).contains("$ hw start 3"));
            first.do_it("back");
            first.press_on(&first.of(".lab-draw [data-do]:not(:disabled)"));
            first.do_it("play");
            first.show("found");
            assert_eq!((second.shows(), second.typed()), before);
            assert_eq!(first.typed(), "");
            let before = first.shows();
            second.terminal();
            second.press(key::ENTER);
            second.wait("the line to be run", || second.typed().is_empty());
            second.do_it("back");
            second.show("loop");
            assert_eq!(first.shows(), before);
            let twice = page.texts_of(
                "const seen = new Set(); const twice = [];\
                 for (const it of document.querySelectorAll('[id]'))\
                   seen.has(it.id) ? twice.push(it.id) : seen.add(it.id);\
                 return twice",
            );
            assert!(twice.is_empty(), "ids that are there twice: {twice:?}");
        });
    });
}

/// A thing in the picture tells about itself in its own figure, below it.
#[test]
fn things_tell_about_themselves() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            figure.show("behind");
            let thing = figure.of("[data-do='ask:replica:orders-0@3'] .hw-hit");
            figure.press_on(&thing);
            figure.wait("a panel", || figure.exists(&figure.of(".exhibit-asked")));
            let told = figure.text(&figure.of(".exhibit-asked"));
            assert!(told.contains("orders-0"), "{told}");
            assert_eq!(figure.count(".exhibit-asked"), 1, "in one figure only");
            fits(page, "a panel");
            figure.shot(&format!("asked-{width}"));
        });
    });
}

/// The Lab opens at the moment and with the state that the figure shows, in the lesson's run and in the reader's.
#[test]
fn opens_in_the_lab() {
    widths(|width, visit| {
        visit.run(|page| {
            for own in [false, true] {
                let figure = open(page, "replication", "copies");
                figure.show("behind");
                if own {
                    figure.line("hw stop 4");
                    figure.do_it("back");
                }
                let (moment, drawn) = (figure.moment(), figure.drawn());
                figure.do_it("open-lab");
                page.wait("the Lab", || page.exists(".lab-root"));
                page.next_frame();
                assert!(
                    page.js("return location.pathname")
                        .as_str()
                        .is_some_and(|it| it.ends_with("/lab/"))
                );
                // The step and the time; the future stays behind.
                let place = |time: &str| {
                    let words: Vec<&str> = time.split(' ').collect();
                    (words[1].to_owned(), words[4..].join(" "))
                };
                assert_eq!(place(&page.time()), place(&moment), "own: {own}");
                if own {
                    let script = "return [...document.querySelectorAll('.lab-terminal .tty-line')]\
                         .map(line => line.textContent)";
                    page.click("[data-do=forward]");
                    page.wait("the command", || {
                        page.texts_of(script).concat().contains("hw stop 4")
                    });
                }
                let replicas = |list: &[String]| {
                    let mut list: Vec<String> = list
                        .iter()
                        .filter(|it| it.starts_with("orders-") && it.contains(" on broker "))
                        .cloned()
                        .collect();
                    list.sort();
                    list.dedup();
                    list
                };
                if !own {
                    assert!(!replicas(&drawn).is_empty(), "{drawn:?}");
                    page.click("[data-do='view:replicas']");
                    page.wait("the replicas", || page.exists(".lab-draw [data-replica]"));
                    assert_eq!(replicas(&drawn_in(page, ".lab-draw")), replicas(&drawn));
                }
                page.picture(&format!("shots/lesson-in-the-lab-{width}-{own}.png"), false);
                page.browser.done("back", async |client| client.back().await);
            }
        });
    });
}

/// Off the window nothing plays: a figure that was scrolled away waits, and other pages of the browser do not matter.
#[test]
fn plays_only_where_it_is_seen() {
    Visit::new().run(|page| {
        let figure = open(page, "replication", "copies");
        let begin = figure.step();
        figure.stays("nothing plays by itself", 1_000, || figure.step() == begin);
        figure.do_it("play");
        figure.wait("it to play", || figure.step().0 > begin.0);
        page.js("document.querySelector('footer, .foot').scrollIntoView({ behavior: 'instant' })");
        page.wait("it to stop", || {
            let at = figure.step();
            std::thread::sleep(std::time::Duration::from_millis(900));
            figure.step() == at
        });
        assert!(figure.step().0 < figure.step().1, "it has not played to its end unseen");
    });
}
