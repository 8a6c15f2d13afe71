//! What is kept from visit to visit: the text, damage, blocked storage, other windows.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use highwater_lesson::quiz::hash::hex;
use highwater_lesson::quiz::keeper::{ASIDE, Blocked, KEY, Keeper, Store};
use highwater_lesson::quiz::progress::{Ending, HEAD, Kept, KeptCard, Progress};
use highwater_lesson::quiz::schedule::{FIRST_EASE, Grade, LEAST_EASE, LONGEST, Schedule};
use proptest::prelude::*;

/// A browser's storage, shared by its windows.
#[derive(Clone, Default)]
struct Shelf {
    texts: Rc<RefCell<BTreeMap<String, String>>>,
    unreadable: bool,
    full: Rc<RefCell<bool>>,
    /// Nothing more can be set aside.
    no_room_aside: bool,
}

impl Shelf {
    fn with(text: &str) -> Self {
        let shelf = Self::default();
        shelf.texts.borrow_mut().insert(KEY.to_owned(), text.to_owned());
        shelf
    }

    fn text(&self, key: &str) -> String {
        self.texts.borrow().get(key).cloned().unwrap_or_default()
    }
}

impl Store for Shelf {
    fn get(&self, key: &str) -> Result<Option<String>, Blocked> {
        if self.unreadable { Err(Blocked) } else { Ok(self.texts.borrow().get(key).cloned()) }
    }

    fn set(&mut self, key: &str, text: &str) -> Result<(), Blocked> {
        if self.unreadable || *self.full.borrow() || (self.no_room_aside && key == ASIDE) {
            return Err(Blocked);
        }
        self.texts.borrow_mut().insert(key.to_owned(), text.to_owned());
        Ok(())
    }
}

#[test]
fn the_text_is_what_it_says() {
    let mut progress = Progress::default();
    progress.note(1, "who decides", Ending::Wrong, 20_000);
    progress.note(1, "who decides", Ending::Right, 20_001);
    progress.note(2, "", Ending::Shown, 20_001);
    progress.note_card(3, "the-log", Schedule::NEW.after(Grade::Good, 20_001), 20_001);
    let text = progress.write();
    let expected = "highwater-progress 1\n\
                    q 0000000000000001 2 1 1 0 20001 right who_decides\n\
                    q 0000000000000002 1 0 0 1 20001 shown -\n\
                    c 0000000000000003 20002 1 2500 1 20001 the-log\n";
    assert_eq!(text, expected);
    assert_eq!(Progress::read(&text), (progress, Vec::new()));
}

#[test]
fn damage_is_set_aside_and_the_rest_is_there() {
    let good = format!("q {} 1 1 0 0 5 right a", hex(9));
    let shelf = Shelf::with(&format!("{HEAD}\n{good}\nq 12 nonsense\n\u{0}\u{fffd}\n"));
    let keeper = Keeper::open(shelf.clone());
    assert!(keeper.progress().question(9).is_some());
    assert!(keeper.says().contains("set aside"));
    assert_eq!(shelf.text(ASIDE), "q 12 nonsense\n\u{0}\u{fffd}\n");
    assert_eq!(shelf.text(KEY), format!("{HEAD}\n{good}\n"));
    // A second time nothing is damaged, and nothing is set aside twice.
    assert!(Keeper::open(shelf.clone()).says().contains("kept in this browser"));
    shelf.texts.borrow_mut().insert(KEY.to_owned(), "q 12 nonsense\nmore\n".to_owned());
    let _ = Keeper::open(shelf.clone());
    assert_eq!(shelf.text(ASIDE), "q 12 nonsense\n\u{0}\u{fffd}\nmore\n");
}

/// Where nothing can be set aside, what is there is not touched.
#[test]
fn damage_is_never_written_over() {
    let shelf = Shelf { no_room_aside: true, ..Shelf::with("of another version\n") };
    let mut keeper = Keeper::open(shelf.clone());
    keeper.note(1, "", Ending::Right, 1);
    assert_eq!(shelf.text(KEY), "of another version\n");
    assert!(keeper.says().contains("keep nothing"));
    // The same where another window has written it meanwhile.
    let shelf = Shelf::default();
    let mut keeper = Keeper::open(shelf.clone());
    shelf.texts.borrow_mut().insert(KEY.to_owned(), "of another version\n".to_owned());
    keeper.note(1, "", Ending::Right, 1);
    assert_eq!(shelf.text(ASIDE), "of another version\n");
    assert!(keeper.says().contains("set aside"));
}

#[test]
fn without_storage_it_works_and_says_so() {
    let mut keeper = Keeper::open(Shelf { unreadable: true, ..Shelf::default() });
    assert!(keeper.says().contains("gone when you leave"));
    keeper.note(1, "", Ending::Right, 1);
    assert!(keeper.progress().question(1).is_some());
    assert_eq!(Progress::read(&keeper.export()).0, *keeper.progress(), "it can be saved to a file");
    // Full: found out when something is kept for the first time.
    let shelf = Shelf::default();
    let mut keeper = Keeper::open(shelf.clone());
    assert!(keeper.says().contains("kept in this browser"));
    *shelf.full.borrow_mut() = true;
    keeper.note(1, "", Ending::Right, 1);
    assert!(keeper.says().contains("gone when you leave"));
    *shelf.full.borrow_mut() = false;
    keeper.note(2, "", Ending::Right, 1);
    assert_eq!(Progress::read(&shelf.text(KEY)).0.questions.len(), 2, "there is room again");
}

#[test]
fn two_windows_do_not_overwrite_each_other() {
    let shelf = Shelf::default();
    let (mut one, mut other) = (Keeper::open(shelf.clone()), Keeper::open(shelf.clone()));
    one.note(1, "", Ending::Right, 1);
    other.note(2, "", Ending::Wrong, 1);
    one.note_card(3, "l", Schedule::NEW.after(Grade::Easy, 1), 1);
    let kept = Progress::read(&shelf.text(KEY)).0;
    assert_eq!((kept.questions.len(), kept.cards.len()), (2, 1));
}

#[test]
fn clear_can_be_undone_and_files_go_round() {
    let shelf = Shelf::default();
    let mut keeper = Keeper::open(shelf.clone());
    keeper.note(1, "a", Ending::Right, 1);
    let file = keeper.export();
    keeper.clear();
    assert!(keeper.progress().is_empty() && keeper.can_undo());
    assert_eq!(shelf.text(KEY), format!("{HEAD}\n"));
    keeper.undo();
    assert_eq!(keeper.export(), file);
    assert!(!keeper.can_undo());
    keeper.clear();
    keeper.import(&file);
    assert_eq!(keeper.export(), file);
    assert_eq!(keeper.news(), "The answers of the file are here now.");
    keeper.import(&format!("\u{feff}{file}rubbish\n"));
    assert!(keeper.news().contains("could not be read"));
    assert_eq!(keeper.export(), file, "a file that is loaded twice counts once");
    keeper.import("a shopping list\n");
    assert!(keeper.news().contains("no progress in this file"));
    assert_eq!(shelf.text(ASIDE), "", "a file is not set aside: its owner has it");
}

#[test]
fn an_older_hash_is_followed_once() {
    let shelf = Shelf::default();
    let mut keeper = Keeper::open(shelf.clone());
    keeper.note(1, "a", Ending::Right, 1);
    keeper.rename(&[5, 1], 2);
    assert_eq!(keeper.progress().question(2).map(Kept::attempts), Some(1));
    assert!(keeper.progress().question(1).is_none());
    assert!(shelf.text(KEY).contains(&hex(2)));
    keeper.note(1, "a", Ending::Wrong, 2);
    keeper.rename(&[1], 2);
    assert_eq!(keeper.progress().question(2).map(|kept| kept.last), Some(Ending::Right));
}

/// The first repetitions of SM-2, by the source: 1 day, 6 days, then times the easiness.
#[test]
fn sm2_as_published() {
    let mut card = Schedule::NEW;
    assert!(card.is_due(0));
    let mut intervals = Vec::new();
    for _ in 0..5 {
        card = card.after(Grade::Good, card.due);
        intervals.push(card.interval);
    }
    assert_eq!(intervals, [1, 6, 15, 38, 95], "6 x 2.5, 15 x 2.5 and 38 x 2.5, rounded up");
    assert_eq!(card.ease, FIRST_EASE, "quality 4 leaves the easiness alone");
    let easy = Schedule::NEW.after(Grade::Easy, 0);
    assert_eq!(easy.ease, 2600);
    let hard = Schedule::NEW.after(Grade::Hard, 0);
    assert_eq!(hard.ease, 2360);
    let forgot = card.after(Grade::Forgot, 500);
    assert_eq!((forgot.interval, forgot.due, forgot.repetitions), (1, 501, 0));
    assert_eq!(forgot.ease, card.ease, "below 3 the easiness does not change");
}

fn grade() -> impl Strategy<Value = Grade> {
    prop::sample::select(Grade::ALL.to_vec())
}

fn kept() -> impl Strategy<Value = Kept> {
    let ending = prop::sample::select(vec![Ending::Right, Ending::Wrong, Ending::Shown]);
    (any::<u64>(), [0_u32..9, 0..9, 0..9], any::<u32>(), ending, "[a-z0-9-]{0,8}").prop_map(
        |(hash, mut counts, day, last, id)| {
            counts[last as usize] += 1;
            let id = if id == "-" { String::new() } else { id };
            Kept { hash, counts, day, last, id }
        },
    )
}

proptest! {
    /// A schedule stays within its bounds, and what is known better comes back later.
    #[test]
    fn a_schedule_keeps_its_bounds(grades in prop::collection::vec(grade(), 0..60), days in prop::collection::vec(0_u32..5000, 60)) {
        let (mut card, mut today) = (Schedule::NEW, 20_000_u32);
        for (grade, days) in grades.into_iter().zip(days) {
            let after = Grade::ALL.map(|grade| card.after(grade, today).interval);
            prop_assert!(after.is_sorted(), "{after:?}");
            card = card.after(grade, today);
            prop_assert!(card.ease >= LEAST_EASE && (1..=LONGEST).contains(&card.interval));
            prop_assert_eq!(card.due, today + card.interval);
            today += days;
        }
    }

    /// Whatever stands in storage, reading it does not panic, and no line of it is lost.
    #[test]
    fn reading_never_panics(lines in prop::collection::vec("[qc] [0-9a-f]{14,17}( [0-9]{1,11}){3,6}( right| x| -)?|.{0,30}", 0..12)) {
        let text = lines.join("\n");
        let (progress, strange) = Progress::read(&text);
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty() && *line != HEAD) {
            let head = line.trim_start_matches('\u{feff}') == HEAD;
            let understood = Progress::read(&format!("{HEAD}\n{line}")).1.is_empty();
            prop_assert!(head || understood || strange.iter().any(|other| other == line));
        }
        prop_assert_eq!(Progress::read(&progress.write()), (progress, Vec::new()));
    }

    /// A text goes round, whatever was answered.
    #[test]
    fn progress_goes_round(questions in prop::collection::vec(kept(), 0..6), grades in prop::collection::vec((any::<u64>(), grade(), 0_u32..90_000), 0..6)) {
        let mut progress = Progress::default();
        let mut cards = Progress::default();
        progress.merge(Progress { questions, cards: Vec::new() });
        for (hash, grade, day) in grades {
            let schedule = Schedule::NEW.after(grade, day);
            cards.merge(Progress {
                questions: Vec::new(),
                cards: vec![KeptCard { hash, schedule, day, lesson: "l".to_owned() }],
            });
        }
        progress.merge(cards);
        prop_assert_eq!(Progress::read(&progress.write()), (progress.clone(), Vec::new()));
        // Merging what is there already changes nothing.
        let mut twice = progress.clone();
        twice.merge(progress.clone());
        prop_assert_eq!(twice, progress);
    }
}
