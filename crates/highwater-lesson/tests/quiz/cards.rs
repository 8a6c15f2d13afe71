//! Recall cards: what is shown, what is due, and what Anki gets.

use highwater_lesson::quiz::card::{Card, to_anki};
use highwater_lesson::quiz::deck::{Deck, Lesson, data_url, due, from_percent};
use highwater_lesson::quiz::progress::Progress;
use highwater_lesson::quiz::schedule::{Grade, Schedule};
use highwater_scene::node::to_string;

fn deck() -> Deck {
    let card = |hash, front: &str, back: &str| Card {
        hash,
        front: front.to_owned(),
        back: back.to_owned(),
    };
    let cards = vec![
        card(1, "What is an <em>offset</em>?", "<p>A \"place\":\n\tcounted</p>"),
        card(2, "#2", "<p>b</p>"),
    ];
    Deck::new("the-log".to_owned(), cards)
}

/// A grade may be taken back by another one: both count from where the card stood before.
#[test]
fn the_last_grade_counts() {
    let mut deck = deck();
    let mut progress = Progress::default();
    let seen = Schedule { due: 10, interval: 6, ease: 2500, repetitions: 2 };
    progress.note_card(1, "the-log", seen, 4);
    for (grade, due) in
        [(Grade::Forgot, 11), (Grade::Easy, 25), (Grade::Good, 25), (Grade::Forgot, 11)]
    {
        let (hash, schedule) = deck.grade(0, grade, &progress, 10).expect("there is a card");
        assert_eq!((hash, schedule.due), (1, due), "{grade:?}");
        progress.note_card(hash, "the-log", schedule, 10);
        let words = deck.view(&progress, 10, true);
        let pressed = to_string(&words);
        assert_eq!(pressed.matches("aria-pressed=\"true\"").count(), 1);
        assert!(words.text_content().contains("It comes back "), "{pressed}");
    }
    assert_eq!(deck.grade(7, Grade::Good, &progress, 10), None);
}

#[test]
fn what_is_due_is_listed_by_lesson() {
    let mut progress = Progress::default();
    let lesson = |id: &str, title: &str| Lesson {
        id: id.to_owned(),
        address: format!("./{id}/#to-remember"),
        title: title.to_owned(),
    };
    let lessons = [lesson("the-log", "The log"), lesson("why", "Why a topic is split")];
    let listed = |progress: &Progress, day| due(&lessons, progress, day).text_content();
    assert_eq!(listed(&progress, 10), "", "a card that nobody has seen is not due for review");
    for (hash, lesson, day) in
        [(1, "the-log", 10), (2, "the-log", 12), (3, "why", 10), (4, "gone", 9)]
    {
        progress.note_card(hash, lesson, Schedule { due: day, ..Schedule::NEW }, 9);
    }
    assert_eq!(listed(&progress, 9), "", "a lesson that is not there any more is left out");
    assert_eq!(
        listed(&progress, 11),
        "2 cards are due for review.The log: 1 cardWhy a topic is split: 1 card"
    );
    assert_eq!(
        listed(&progress, 12),
        "3 cards are due for review.The log: 2 cardsWhy a topic is split: 1 card"
    );
    let html = to_string(&due(&lessons, &progress, 12));
    assert!(html.contains("href=\"./the-log/#to-remember\""));
}

/// The header lines of Anki's manual, one card a line, and nothing that could end a field.
#[test]
fn anki_gets_its_file() {
    let deck = deck();
    let text = to_anki(&deck.lesson, &deck.cards);
    let expected = "#separator:tab\n#html:true\n#columns:Front\tBack\tTags\n#tags column:3\n\
                    \"What is an <em>offset</em>?\"\t\"<p>A \"\"place\"\":  counted</p>\"\thighwater highwater::the-log\n\
                    \"#2\"\t\"<p>b</p>\"\thighwater highwater::the-log\n";
    assert_eq!(text, expected);
    let url = data_url(&text);
    let (head, data) = url.split_once(',').expect("a head");
    assert_eq!(head, "data:text/plain;charset=utf-8");
    assert!(data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"%-_.~".contains(&byte)));
    assert_eq!(from_percent(data).as_deref(), Some(expected));
    for broken in ["%", "%2", "%zz", "%ff"] {
        assert_eq!(from_percent(broken), None, "{broken}");
    }
}
