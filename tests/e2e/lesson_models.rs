//! Models of lessons that are typed at, and what a figure keeps from the reader until it is answered.

use serde_json::json;

use crate::lesson::{address, fits, open, wake_questions, widths};
use crate::page::Page;

/// The lesson, with one of its models awake and in view.
#[track_caller]
fn open_model(page: &Page, lesson: &str, model: &str) -> String {
    page.open(&address(lesson));
    wake_questions(page);
    let host = format!("[data-island=model][data-model={model}]");
    page.js_with(
        "document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })",
        &[json!(host)],
    );
    page.wait("the model", || page.exists(&format!("{host} input:not([readonly])")));
    host
}

/// Types into a field in place of what is there.
fn replace(page: &Page, field: &str, text: &str) {
    page.click(field);
    page.js_with("document.querySelector(arguments[0]).select()", &[json!(field)]);
    page.browser.cdp("Input.insertText", &json!({ "text": text }));
}

/// An object becomes bytes, and readers with the wrong deserializer say what Kafka's say.
#[test]
fn an_object_becomes_bytes() {
    widths(|width, visit| {
        visit.run(|page| {
            let host = open_model(page, "architecture", "bytes");
            let of = |rest: &str| format!("{host} {rest}");
            let text = |rest: &str| page.text(&of(rest));
            assert!(text(".model-bytes").starts_with("7b 22 6f 72 64 65 72 5f"));
            assert!(text(".model-read").contains("order_id = 101, amount = 49.99"));
            assert!(text(".model-read").contains(
                "SerializationException: Size of data received by LongDeserializer is not 8"
            ));
            page.picture(&format!("shots/model-bytes-{width}.png"), false);
            replace(page, &of("input"), "12345678");
            page.wait("the number", || text(".model-read").contains("3544952156018063160"));
            assert!(text(".model-happened").starts_with("8 bytes. LongDeserializer and Double"));
            page.click(&of("[data-do='example:3']"));
            page.wait("the example", || text(".model-bytes").starts_with("5a c3 bc"));
            let typed = "return document.querySelector(arguments[0]).value";
            assert_eq!(page.js_with(typed, &[json!(of("input"))]), "Z\u{fc}rich");
            page.picture(&format!("shots/model-word-{width}.png"), false);
            fits(page, "a model");
        });
    });
}

/// A key is tried out inside a lesson; a heading that is jumped to leaves it alone.
#[test]
fn a_key_inside_a_lesson() {
    widths(|width, visit| {
        visit.run(|page| {
            let host = open_model(page, "partitions", "key");
            let says = format!("{host} .key-says");
            replace(page, &format!("{host} [data-ask-field=key]"), "locker-7");
            page.wait("the key", || page.text(&says).contains("All of them choose partition 0"));
            page.picture(&format!("shots/model-key-{width}.png"), false);
            fits(page, "a key in a lesson");
            page.js("location.hash = '#check-yourself'");
            page.stays("the key", 300, || page.text(&says).contains("partition 0"));
            let link = page.attribute(&format!("{host} .key-link a"), "href");
            assert_eq!(link, "../key/#key=locker-7&partitions=3");
        });
    });
}

/// What made the trouble is neither typed out nor gone back to, before the question is answered; then it can be read.
#[test]
fn what_was_done_is_kept_until_the_answer() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "drill", "first");
            assert!(!figure.screen().concat().contains("hw stop"), "{:?}", figure.screen());
            assert_eq!(figure.step().0, 0);
            figure.line("kafka-topics.sh $B --describe --unavailable-partitions");
            figure.wait("the command", || figure.screen().concat().contains("unavailable"));
            assert!(!figure.exists(&figure.of(".exhibit-setup")));
            figure.shot(&format!("setup-kept-{width}"));
            let skip = "[data-island=quiz][data-quiz=first-cause] [data-quiz-skip]";
            page.js_with("document.querySelector(arguments[0]).click()", &[json!(skip)]);
            let setup = figure.of(".exhibit-setup");
            figure.wait("what was done", || figure.exists(&setup));
            page.click(&format!("{setup} summary"));
            assert!(figure.text(&setup).contains("$ hw stop 3"));
            fits(page, "what was done");
            page.js_with(
                "document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })",
                &[json!(setup)],
            );
            figure.shot(&format!("setup-told-{width}"));
        });
    });
}
