//! What the reader does to a question, and what follows.

use highwater_lesson::quiz::model::{Answer, Kind};
use highwater_lesson::quiz::progress::{Ending, Progress};
use highwater_lesson::quiz::state::{Act, Before, State};
use highwater_lesson::quiz::view::view;
use highwater_scene::node::{Node, to_string};
use proptest::prelude::*;

use crate::{everything, quiz};

fn state() -> State {
    State::new(quiz(everything()))
}

/// All elements with a class.
fn with_class<'n>(node: &'n Node, class: &str, found: &mut Vec<&'n Node>) {
    let has = node.as_element().and_then(|element| element.get("class"));
    if has.is_some_and(|classes| classes.split(' ').any(|one| one == class)) {
        found.push(node);
    }
    node.children().iter().for_each(|child| with_class(child, class, found));
}

/// What the live region of a question says.
fn verdict(state: &State, item: usize) -> String {
    let tree = view(state, true);
    let mut verdicts = Vec::new();
    with_class(&tree, "quiz-verdict", &mut verdicts);
    verdicts[item].text_content()
}

/// Where the right options stand.
fn right(state: &State, item: usize) -> Vec<usize> {
    let Kind::Choice { options, .. } = &state.question(item).expect("it is there").kind else {
        panic!("no choice")
    };
    (0..options.len()).filter(|place| options[*place].right).collect()
}

#[test]
fn one_choice_right_then_nothing_moves_any_more() {
    let mut state = state();
    assert_eq!(state.act(Act::Check(0)), None);
    assert_eq!(verdict(&state, 0), "Choose an answer first.");
    let place = right(&state, 0)[0];
    state.act(Act::Choose(0, place, true));
    assert_eq!(verdict(&state, 0), "", "what lacked is there");
    let ended = state.act(Act::Check(0)).expect("it ended");
    assert_eq!((ended.ending, ended.id.as_str()), (Ending::Right, "who-decides"));
    assert_eq!(verdict(&state, 0), "Right.");
    let told = state.asked[0].clone();
    state.act(Act::Choose(0, (place + 1) % 3, true));
    assert_eq!(state.act(Act::Check(0)), None, "it does not count twice");
    assert_eq!(state.act(Act::Show(0)), None);
    assert_eq!(state.asked[0], told);
}

#[test]
fn radios_hold_one_and_boxes_several() {
    let mut state = state();
    for (item, expected) in [(0, 1), (1, 2)] {
        state.act(Act::Choose(item, 0, true));
        state.act(Act::Choose(item, 1, true));
        let Answer::Chosen(chosen) = &state.asked[item].answer else { panic!() };
        assert_eq!(chosen.iter().filter(|chosen| **chosen).count(), expected);
    }
    let tree = to_string(&view(&state, true));
    assert!(tree.contains("type=\"radio\"") && tree.contains("type=\"checkbox\""));
    assert!(tree.contains("Mark all that hold."));
}

/// Wrong, then again: of several choices the right ones stay, and a shown answer is begun anew.
#[test]
fn only_what_was_wrong_is_asked_again() {
    let mut state = state();
    state.act(Act::Choose(1, 0, true));
    state.act(Act::Choose(1, 2, true));
    assert_eq!(state.act(Act::Check(1)).expect("an end").ending, Ending::Wrong);
    assert_eq!(verdict(&state, 1), "Not this time. 1 missing, 1 too many.");
    state.act(Act::Choose(0, right(&state, 0)[0], true));
    state.act(Act::Check(0));
    state.act(Act::AllWrong);
    assert_eq!(state.asked[0].ending, Some(Ending::Right), "what was right is left alone");
    assert_eq!(state.asked[1].answer, Answer::Chosen(vec![true, false, false, false]));
    assert_eq!(verdict(&state, 1), "");
    state.act(Act::Choose(1, 1, true));
    assert_eq!(state.act(Act::Check(1)).expect("an end").ending, Ending::Right);
}

#[test]
fn a_match_holds_what_was_right() {
    let mut state = state();
    let Answer::Matched(fits) = state.question(6).expect("a match").right_answer() else {
        panic!()
    };
    state.act(Act::Pick(6, 0, fits[0]));
    state.act(Act::Check(6));
    assert_eq!(verdict(&state, 6), "Choose something for each first.");
    let wrong = fits[1];
    state.act(Act::Pick(6, 1, fits[2]));
    state.act(Act::Pick(6, 2, wrong));
    assert_eq!(state.act(Act::Check(6)).expect("an end").ending, Ending::Wrong);
    assert_eq!(verdict(&state, 6), "Not this time. 1 of 3 fit.");
    state.act(Act::Again(6));
    assert_eq!(state.asked[6].answer, Answer::Matched(vec![fits[0], None, None]));
    state.act(Act::Pick(6, 0, None));
    assert_eq!(state.asked[6].answer, Answer::Matched(vec![fits[0], None, None]), "it is held");
    state.act(Act::Pick(6, 1, fits[1]));
    state.act(Act::Pick(6, 2, fits[2]));
    assert_eq!(state.act(Act::Check(6)).expect("an end").ending, Ending::Right);
}

#[test]
fn items_move_by_buttons() {
    let mut state = state();
    for _ in 0..20 {
        let Answer::Ordered(order) = state.asked[5].answer.clone() else { panic!() };
        let Some(place) = (1..order.len()).find(|at| order[at - 1] > order[*at]) else { break };
        state.act(Act::Move(5, place, true));
    }
    assert_eq!(state.asked[5].answer, Answer::Ordered(vec![0, 1, 2, 3]));
    let before = state.asked[5].clone();
    state.act(Act::Move(5, 0, true));
    state.act(Act::Move(5, 3, false));
    state.act(Act::Move(5, usize::MAX, true));
    assert_eq!(state.asked[5], before, "there is nothing beyond the ends");
    assert_eq!(state.act(Act::Check(5)).expect("an end").ending, Ending::Right);
}

#[test]
fn show_me_counts_as_not_attempted() {
    let mut state = state();
    let mut progress = Progress::default();
    for item in 0..state.asked.len() {
        let ended = state.act(Act::Show(item)).expect("an end");
        progress.note(ended.hash, &ended.id, ended.ending, 1);
        assert!(verdict(&state, item).contains("does not count"));
    }
    assert_eq!(state.count(Ending::Right), 0);
    assert!(progress.questions.iter().all(|kept| kept.attempts() == 0));
    let tree = view(&state, true).text_content();
    assert!(tree.contains("Right answer.") && tree.contains("Fits: in a cluster"));
    assert!(tree.contains("It fails at line 2.") && tree.contains("A right order:"));
    state.act(Act::Again(2));
    assert_eq!(state.asked[2].answer, Answer::Typed(String::new()));
}

#[test]
fn another_variant_is_another_question_with_one_progress() {
    let mut state = state();
    state.act(Act::Type(3, "3".to_owned()));
    let first = state.act(Act::Check(3)).expect("an end");
    assert_eq!(first.ending, Ending::Right);
    state.act(Act::Another(3));
    assert_eq!(state.asked[3].ending, None);
    assert!(view(&state, true).text_content().contains("a thousand records"));
    state.act(Act::Type(3, "1,000".to_owned()));
    let second = state.act(Act::Check(3)).expect("an end");
    assert_eq!((second.ending, second.hash), (Ending::Right, first.hash));
    state.act(Act::Another(3));
    assert!(view(&state, true).text_content().contains("holds three records"), "round and round");
}

/// An edited question asks again and says so; the others stay as they were.
#[test]
fn an_edited_question_asks_again() {
    let mut progress = Progress::default();
    let mut first = state();
    for item in 0..2 {
        let ended = first.act(Act::Show(item)).expect("an end");
        progress.note(ended.hash, &ended.id, Ending::Right, 7);
    }
    let edited = everything().replace("Who decides where", "Who really decides where");
    let mut again = State::new(quiz(&edited));
    again.remember(&progress);
    assert_eq!(again.asked[0].before, Before::Changed);
    assert_eq!(again.asked[1].before, Before::Ended(Ending::Right));
    assert_eq!(again.asked[2].before, Before::Nothing);
    let words = view(&again, true).text_content();
    assert!(words.contains("changed since you answered") && words.contains("right last time"));
}

/// The static page and the live one have one tree: what differs is whether something can be pressed, and the answer for
/// readers without a program.
#[test]
fn the_static_view_is_the_live_one() {
    let state = state();
    let strip = |html: String| {
        let mut out = html.replace(" disabled=\"\"", "");
        while let Some(at) = out.find("<details class=\"quiz-told\">") {
            let end = out[at..].find("</details>").expect("it ends") + at + "</details>".len();
            out.replace_range(at..end, "");
        }
        out
    };
    let (quiet, live) = (to_string(&view(&state, false)), to_string(&view(&state, true)));
    assert_eq!(strip(quiet.clone()), strip(live.clone()));
    assert!(quiet.contains("quiz-told") && !live.contains("quiz-told"));
    assert!(!live.contains("quiz-right"), "nothing gives an answer away");
}

fn acts() -> impl Strategy<Value = Act> {
    let item = 0_usize..9;
    prop_oneof![
        (item.clone(), 0_usize..6, any::<bool>()).prop_map(|(i, o, on)| Act::Choose(i, o, on)),
        (item.clone(), "[0-9a-z ]{0,6}").prop_map(|(i, text)| Act::Type(i, text)),
        (item.clone(), "[0-9]{0,2}").prop_map(|(i, text)| Act::TypeLine(i, text)),
        (item.clone(), 0_usize..5, prop::option::of(0_usize..6))
            .prop_map(|(i, row, partner)| Act::Pick(i, row, partner)),
        (item.clone(), 0_usize..5, any::<bool>()).prop_map(|(i, at, up)| Act::Move(i, at, up)),
        item.clone().prop_map(Act::Check),
        item.clone().prop_map(Act::Show),
        item.clone().prop_map(Act::Again),
        item.prop_map(Act::Another),
        Just(Act::AllWrong),
    ]
}

proptest! {
    /// Whatever a reader does: an end is told once, and is what the answer deserves.
    #[test]
    fn anything_may_be_done(acts in prop::collection::vec(acts(), 1..60)) {
        let mut state = state();
        for act in acts {
            let before = state.asked.clone();
            let ended = state.act(act.clone());
            if let Some(ended) = ended {
                let (Act::Check(item) | Act::Show(item)) = act else { panic!("{act:?} ended it") };
                prop_assert_eq!(before[item].ending, None);
                prop_assert_eq!(state.asked[item].ending, Some(ended.ending));
                let question = state.question(item).expect("it is there");
                let right = question.is_right(&state.asked[item].answer);
                prop_assert_eq!(ended.ending == Ending::Right, right && matches!(act, Act::Check(_)));
            }
            let _ = to_string(&view(&state, true));
        }
    }
}
