//! How much of a lesson was answered, as the contents say it.

use highwater_lesson::quiz::answered::Asks;
use highwater_lesson::quiz::page::answered;
use highwater_lesson::quiz::progress::{Ending, Progress};
use highwater_lesson::{Course, Program, Site, Source};
use highwater_scene::node::to_string;

const ONE: u64 = 0x0123_4567_89ab_cdef;
const TWO: u64 = 0xfedc_ba98_7654_3210;

fn asks() -> Asks {
    Asks::new(&[ONE, TWO], 4)
}

/// What the page carries says the same again; damage is no question.
#[test]
fn it_goes_through_the_page() {
    assert_eq!(asks().write(), ("0123fedc".to_owned(), 4));
    assert_eq!(Asks::read("0123fedc", 4), asks());
    let whole = Asks::new(&[ONE, TWO], 16);
    assert_eq!(Asks::read(&whole.write().0, 16), whole);
    assert!(Asks::read("", 4).is_empty() && Asks::read("0123", 0).is_empty());
    assert!(Asks::read("0123", 17).is_empty() && Asks::read("\u{e9}\u{e9}\u{e9}", 3).is_empty());
    assert_eq!(answered(&Asks::default()), "", "a lesson that asks nothing says nothing");
}

/// There are as many digits as tell all questions apart, and four at least.
#[test]
fn questions_are_told_apart() {
    assert_eq!(Asks::digits_for(&[ONE, TWO]), 4);
    assert_eq!(Asks::digits_for(&[ONE, ONE ^ 1, TWO]), 16);
    assert_eq!(Asks::digits_for(&[ONE, ONE ^ (1 << 44), TWO]), 5);
}

/// Only what was answered counts, and once.
#[test]
fn answers_count() {
    let mut progress = Progress::default();
    let says = |progress: &Progress| to_string(&asks().view(progress));
    assert_eq!(says(&progress), "<span></span>", "nothing for a new reader");
    progress.note(ONE, "", Ending::Shown, 7);
    progress.note(5, "", Ending::Right, 7);
    assert_eq!(asks().answered(&progress), 0, "shown is not answered, another question is another");
    progress.note(TWO, "", Ending::Wrong, 7);
    progress.note(TWO, "", Ending::Right, 7);
    assert_eq!(asks().answered(&progress), 1);
    assert!(says(&progress).contains("1 of 2 answered") && !says(&progress).contains('\u{2713}'));
    progress.note(ONE, "", Ending::Wrong, 8);
    assert!(says(&progress).contains("\u{2713}</span>2 of 2 answered"), "{}", says(&progress));
}

/// The contents of a course carry the questions of each lesson; a broken lesson carries none.
#[test]
fn contents_know_the_questions() {
    let lesson = |id: &str, number: u32, quiz: &str| {
        format!(
            "---\nid: {id}\nnumber: {number}\ntitle: T\nsummary: S\ngoals: g\nminutes: 5\nneeds: n\n---\nW.\n\n\
             ````quiz id=q\n{quiz}````\n"
        )
    };
    let (one, broken) = (lesson("one", 1, crate::everything()), lesson("two", 2, "broken"));
    let sources = [Source { file: "1.md", text: &one }, Source { file: "2.md", text: &broken }];
    let course = Course::read(&sources);
    let text = "<head></head><!-- highwater:course --><script data-js=\"../a.js\" data-wasm=\"../a.wasm\">";
    let template = Source { file: "t", text };
    let quiz = |name: &str| ["./quiz", name].concat();
    let (js, wasm, style) = (quiz(".js"), quiz(".wasm"), quiz(".css"));
    let programs = vec![Program { name: "quiz".to_owned(), js, wasm, style }];
    let site = Site { programs, has_pictures: false };
    let html = course.contents_page(&template, &site).expect("the slot is there");
    let program = "data-js=\"../quiz.js\" data-wasm=\"../quiz.wasm\"";
    assert!(html.contains(program), "no engine of figures is loaded: {html}");
    assert!(html.contains("href=\"../one/\"") && html.contains("href=\"../quiz.css\""), "{html}");
    let (_, rest) = html.split_once("data-lesson=\"one\"><a").expect("the first lesson");
    let (first, second) = rest.split_once("data-lesson=\"two\"><a").expect("the second");
    let (_, rest) = first.split_once("data-asks=\"").expect("its questions");
    let asks = Asks::read(rest.split_once('"').expect("the end").0, 4);
    let mut progress = Progress::default();
    let quiz = crate::quiz(crate::everything());
    quiz.items.iter().for_each(|item| progress.note(item.hash(), "", Ending::Right, 1));
    assert_eq!(asks.answered(&progress), quiz.items.len());
    assert!(!second.contains("data-asks"), "{second}");
}
