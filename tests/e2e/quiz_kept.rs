//! What is kept of answers from one visit to the next, and what happens when nothing can be.

use serde_json::json;

use crate::browser::Visit;
use crate::page::Page;
use crate::quiz_site::{QuizSite, awake};

const KEY: &str = "highwater:progress";
const ASIDE: &str = "highwater:progress:aside";

#[track_caller]
fn kept(page: &Page, key: &str) -> String {
    let text = page.js_with("return localStorage.getItem(arguments[0]) ?? ''", &[json!(key)]);
    text.as_str().unwrap_or_default().to_owned()
}

/// Answers the first question right.
#[track_caller]
fn answer(page: &Page) {
    page.click("[data-ask='0'] input[value='0']");
    page.click("[data-ask='0'] [data-ask-do=check]");
    page.wait("a verdict", || page.text("[data-ask='0'] .quiz-verdict") == "Right.");
}

#[track_caller]
fn legend(page: &Page, question: usize) -> String {
    page.text(&format!("[data-ask='{question}'] legend"))
}

/// What was answered is known on the next visit; a question that was edited asks again, and the others stay.
#[test]
fn an_edited_question_asks_again() {
    let site = QuizSite::new("quiz-edited");
    Visit::new().run(|page| {
        site.open(page);
        answer(page);
        page.click("[data-ask='2'] [data-ask-do=show]");
        page.wait("the answer", || !page.text("[data-ask='2'] .quiz-verdict").is_empty());
        let text = kept(page, KEY);
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains(" 1 1 0 0 ") && text.contains("right who-decides"), "{text}");

        site.open(page);
        assert_eq!(legend(page, 0), "Question 1 of 7 · right last time");
        assert_eq!(legend(page, 1), "Question 2 of 7");
        assert_eq!(legend(page, 2), "Question 3 of 7 · shown last time");

        site.write(|lesson| lesson.replace("Who decides where", "Who really decides where"));
        site.open(page);
        assert_eq!(legend(page, 0), "Question 1 of 7 · changed since you answered");
        assert_eq!(legend(page, 2), "Question 3 of 7 · shown last time");

        // A hash that is named as the older one is followed.
        let hash = text.lines().find(|line| line.contains("who-decides")).unwrap_or_default();
        let hash = hash.split(' ').nth(1).unwrap_or_default().to_owned();
        site.write(|lesson| {
            let named = format!("id = \"who-decides\"\nwas = \"{hash}\"");
            lesson
                .replace("Who decides where", "Who really decides where")
                .replace("id = \"who-decides\"", &named)
        });
        site.open(page);
        assert_eq!(legend(page, 0), "Question 1 of 7 · right last time");
    });
}

/// Cards come back, and the list of what is due says so on the day.
#[test]
fn cards_come_back() {
    let site = QuizSite::new("quiz-cards");
    Visit::new().run(|page| {
        site.open(page);
        assert_eq!(page.text(".due"), "");
        page.click(".card > summary");
        page.click(".card [data-ask-at='2']");
        page.wait("a word", || page.text(".card-said") == "It comes back tomorrow.");
        assert_eq!(page.attribute(".card [data-ask-at='2']", "aria-pressed"), "true");
        assert_eq!(page.text(".card-when"), "tomorrow");
        // Two days later, as far as storage knows.
        page.js_with(
            "localStorage.setItem(arguments[0], localStorage.getItem(arguments[0])\
               .replace(/^(c [^ ]+) (\\d+)/m, (_, head, due) => `${head} ${due - 2}`))",
            &[json!(KEY)],
        );
        site.open(page);
        assert_eq!(page.text(".due"), "1 card is due for review.One question of each kind: 1 card");
        assert_eq!(page.text(".card-when"), "due");
        let anki = page.attribute(".cards a[download]", "href");
        assert!(anki.starts_with("data:text/plain;charset=utf-8,%23separator%3Atab%0A"), "{anki}");
        assert_eq!(page.attribute(".cards a[download]", "download"), "highwater-everything.txt");
    });
}

/// With storage blocked everything works, and the page says what that means.
#[test]
fn with_storage_blocked() {
    let site = QuizSite::new("quiz-blocked");
    Visit::new().without_storage().run(|page| {
        site.open(page);
        assert!(page.text(".quiz-data p").contains("gone when you leave"));
        answer(page);
        assert_eq!(page.text(".quiz-score p"), "1 of 7 right.");
        page.click(".card > summary");
        page.click(".card [data-ask-at='3']");
        page.wait("a word", || page.text(".card-said") == "It comes back tomorrow.");
        let file = page.attribute(".quiz-data a[download]", "href");
        assert!(file.contains("who-decides"), "it can be saved to a file: {file}");
    });
}

/// What cannot be read is set aside, with a word; the rest is there.
#[test]
fn damage_is_set_aside() {
    let site = QuizSite::new("quiz-damaged");
    Visit::new().run(|page| {
        site.open(page);
        answer(page);
        page.js_with(
            "localStorage.setItem(arguments[0], localStorage.getItem(arguments[0]) + 'q 12 rubbish\\n')",
            &[json!(KEY)],
        );
        site.open(page);
        assert!(page.text(".quiz-data p").contains("set aside"));
        assert_eq!(legend(page, 0), "Question 1 of 7 · right last time");
        assert_eq!(kept(page, ASIDE), "q 12 rubbish\n");
    });
}

/// Clear, undo, clear, and back from the file that was saved.
#[test]
fn cleared_and_loaded() {
    let site = QuizSite::new("quiz-cleared");
    Visit::new().run(|page| {
        site.open(page);
        answer(page);
        let saved = kept(page, KEY);
        let file = page.attribute(".quiz-data a[download]", "href");
        page.click(".quiz-data [data-ask-do=clear]");
        page.wait("a word", || page.text(".quiz-news") == "Your answers are cleared.");
        assert_eq!(kept(page, KEY), "highwater-progress 1\n");
        page.click(".quiz-data [data-ask-do=undo]");
        page.wait("undone", || page.exists(".quiz-data [data-ask-do=clear]"));
        assert_eq!(kept(page, KEY), saved);
        page.click(".quiz-data [data-ask-do=clear]");
        page.wait("cleared", || kept(page, KEY) == "highwater-progress 1\n");
        let load = "const input = document.querySelector('[data-ask-field=file]');\
             const data = new DataTransfer();\
             data.items.add(new File([decodeURIComponent(arguments[0].split(',')[1])], 'progress.txt'));\
             input.files = data.files; input.dispatchEvent(new Event('change', { bubbles: true }))";
        page.js_with(load, &[json!(file)]);
        page.wait("a word", || page.text(".quiz-news") == "The answers of the file are here now.");
        assert_eq!(kept(page, KEY), saved);
        page.js_with(load, &[json!("data:,milk%0Abread")]);
        page.wait("a word", || page.text(".quiz-news").contains("no progress in this file"));
        assert_eq!(kept(page, KEY), saved);
    });
}

/// Opened from a file, where no browser loads the program: the page says so, and every answer can be opened.
#[test]
fn from_a_file() {
    let site = QuizSite::new("quiz-file");
    Visit::new().run(|page| {
        page.open(&format!("file://{}", site.file().canonicalize().expect("it is there").display()));
        page.js("document.querySelector('.quiz-set').scrollIntoView()");
        page.wait("the program to fail", || page.engine() == "failed");
        page.click("[data-ask='0'] .quiz-told > summary");
        assert!(page.js("return document.querySelector('[data-ask=\"0\"] .quiz-told .quiz-why').checkVisibility()") == true);
    });
}

/// Two windows at once keep what either has answered.
#[test]
fn two_windows() {
    let site = QuizSite::new("quiz-windows");
    Visit::new().run(|page| {
        site.open(page);
        // What another window has kept meanwhile.
        page.js_with(
            "localStorage.setItem(arguments[0], 'highwater-progress 1\\nq 00000000000000aa 1 1 0 0 9 right other\\n')",
            &[json!(KEY)],
        );
        answer(page);
        let text = kept(page, KEY);
        assert!(text.contains("00000000000000aa") && text.contains("who-decides"), "{text}");
        page.js("history.back()");
        page.open(&site.url());
        awake(page);
        assert_eq!(legend(page, 0), "Question 1 of 7 · right last time");
    });
}
