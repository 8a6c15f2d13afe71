//! Every fault of a block names its place, what is wrong and what to do.

use highwater_lesson::{LessonError, SceneFile, Site, Source, build_page};

const TEMPLATE: &str = "<!-- highwater:title --><!-- highwater:summary --><!-- highwater:main -->";
const MATTER: &str =
    "---\nid: x\nnumber: 1\ntitle: T\nsummary: S\ngoals: g\nminutes: 5\nneeds: nothing\n---\n";

fn no_scenes(_: &str) -> Result<Vec<SceneFile>, String> {
    Err("there are none".to_owned())
}

/// The fault of a lesson; its text starts at line 10.
#[track_caller]
fn fault_of(text: &str) -> LessonError {
    let text = format!("{MATTER}{text}");
    let lesson = Source { file: "x.md", text: &text };
    match build_page(
        &Source { file: "t.html", text: TEMPLATE },
        &lesson,
        &no_scenes,
        &Site::default(),
    ) {
        Ok(page) => panic!("no fault found in\n{text}\n{}", page.built.html),
        Err(fault) => fault,
    }
}

/// `line:column: problem` and the remedy, of a quiz whose TOML starts at line 11.
#[track_caller]
fn quiz(toml: &str) -> (String, String) {
    let fault = fault_of(&format!("````quiz id=q\n{toml}\n````\n"));
    assert!(fault.remedy.len() > 5, "no remedy: {fault}");
    (format!("{}:{}: {}", fault.line, fault.column, fault.problem), fault.remedy)
}

/// The problem of one question, whose own lines start at line 12.
#[track_caller]
fn question(kind: &str, lines: &str) -> String {
    quiz(&format!("[[questions]]\ntype = \"{kind}\"\nprompt.prompt = \"?\"\n{lines}")).0
}

#[test]
fn tables_and_fields() {
    assert_eq!(quiz("").0, "11:1: this quiz asks nothing");
    let (problem, _) = quiz("[[questions]\ntype = 1");
    assert!(problem.starts_with("11:") && problem.contains("this is no TOML"), "{problem}");
    let (problem, remedy) = quiz("[[question]]\ntype = \"Order\"");
    assert_eq!(problem, "11:3: a quiz has no field `question`");
    assert_eq!(remedy, "did you mean `questions`?");
    let (problem, remedy) = quiz("[[questions]]\ntype = \"MultipleChoise\"");
    assert_eq!(problem, "12:8: `MultipleChoise` is no type of question");
    assert_eq!(remedy, "did you mean `MultipleChoice`?");
    assert_eq!(quiz("[[questions]]\nid = \"a\"").0, "11:1: a question needs `type`");
    assert_eq!(quiz("[[questions]]\ntype = 3").0, "12:8: `type` is a text, not a number");
    let (problem, remedy) = quiz("[[questions]]\ntype = \"Order\"\nprompt.promt = \"?\"");
    assert_eq!(problem, "13:8: `prompt` has no field `promt`");
    assert_eq!(remedy, "did you mean `prompt`?");
    assert_eq!(
        quiz("[[questions]]\ntype = \"Order\"\nprompt = \"Ok\"").0,
        "13:10: `prompt` has fields of its own; this is a text"
    );
    assert_eq!(question("Match", "hints = \"h\""), "11:1: a question needs `pairs`");
    assert_eq!(question("Order", "pairs = []"), "14:1: a question has no field `pairs`");
    assert_eq!(
        quiz("[[questions]]\ntype = \"Order\"\nmultipart = \"a\"\nprompt.prompt = \"?\"").0,
        "13:13: nothing is called `a` in `[multipart]`"
    );
    assert_eq!(
        question("Order", "items = [\"a\", \"b\"]\nwas = \"12\""),
        "15:7: `12` is no hash of a question"
    );
}

#[test]
fn choices() {
    let options = |options: &str| question("MultipleChoice", &format!("options = [{options}]"));
    assert_eq!(question("MultipleChoice", ""), "11:1: this question has no options");
    assert_eq!(
        options("{ text = \"a\", right = true }"),
        "11:1: a choice needs two options or more"
    );
    assert_eq!(options("{ text = \"a\" }, { text = \"b\" }"), "11:1: no option is right");
    assert_eq!(
        options("{ text = \"a\", right = true }, { text = \"a \" }"),
        "14:51: this option is there twice"
    );
    assert_eq!(options("{ right = true }"), "14:12: an option needs `text`");
    assert_eq!(options("{ text = \"\" }"), "14:21: `text` is empty");
    assert_eq!(options("{ text = \"a\", rigth = true }"), "14:26: an option has no field `rigth`");
    assert_eq!(
        options("{ text = \"a\", right = 1 }"),
        "14:34: `right` is true or false, not a number"
    );
    assert_eq!(options("\"a\""), "14:12: an option has fields of its own; this is a text");
    assert_eq!(
        options("{ text = \"a\", claim = \"c\", law = \"l\" }"),
        "14:45: `claim` and `law` exclude each other"
    );
    assert_eq!(
        options("{ text = \"a\", at = 3 }"),
        "14:31: `at` says where a `claim` holds, and there is none"
    );
    assert_eq!(
        options("{ text = \"a\", claim = \"c\", figure = \"f\" }"),
        "14:48: no figure above this question is named `f`"
    );
    let both = "options = []\nanswer.answer = \"a\"";
    assert_eq!(question("MultipleChoice", both), "15:1: `options` and `answer` exclude each other");
    let both = "prompt.distractors = [\"b\"]\noptions = []";
    let expected = "14:22: `options` and `distractors` exclude each other";
    assert_eq!(question("MultipleChoice", both), expected);
    let far = "prompt.distractors = [\"b\"]\nprompt.answerIndex = 2\nanswer.answer = \"a\"";
    assert_eq!(question("MultipleChoice", far), "15:22: there are 2 options, counted from 0");
    let far =
        "prompt.distractors = [\"b\"]\nprompt.answerIndex = 0\nanswer.answer = [\"a\", \"c\"]";
    assert_eq!(question("MultipleChoice", far), "15:22: `answerIndex` is for one right answer");
}

#[test]
fn answers_that_are_typed() {
    assert_eq!(question("ShortAnswer", ""), "11:1: a question needs `answer`");
    assert_eq!(
        question("ShortAnswer", "answer.anser = \"a\""),
        "14:8: `answer` has no field `anser`"
    );
    assert_eq!(
        question("ShortAnswer", "prompt.response = \"numerical\"\nanswer.answer = \"1\""),
        "14:19: `numerical` is no kind of response"
    );
    assert_eq!(
        question("ShortAnswer", "prompt.response = \"numeric\"\nanswer.answer = \"one\""),
        "15:17: `one` is no number"
    );
    assert_eq!(
        question("ShortAnswer", "answer.answer = \"a b\"\nanswer.alternatives = [\"A  b\"]"),
        "15:24: this answer counts already"
    );
    let code = "prompt.response = \"code\"\nanswer.answer = \"a\"\nanswer.caseSensitive = false";
    assert_eq!(question("ShortAnswer", code), "16:24: in code, case always counts");
}

#[test]
fn traced_programs() {
    let tracing = |lines: &str| question("Tracing", lines);
    assert_eq!(tracing(""), "13:1: `prompt` needs `program`");
    let program = "prompt.program = \"a\\nb\"";
    let with = |answer: &str| tracing(&format!("{program}\n{answer}"));
    assert_eq!(with("answer.stdout = \"a\""), "15:1: `answer` needs `doesCompile`");
    assert_eq!(
        with("answer.doesCompile = true\nanswer.lineNumber = 1"),
        "16:21: a program that succeeds has no `lineNumber`"
    );
    assert_eq!(
        with("answer.doesCompile = false\nanswer.stdout = \"\""),
        "16:17: a program that fails has no `stdout`"
    );
    assert_eq!(
        with("answer.doesCompile = false\nanswer.lineNumber = 3"),
        "16:21: the program has 2 lines, and no line 3"
    );
    assert_eq!(
        with("answer.doesCompile = false\nanswer.lineNumber = -1"),
        "16:21: `lineNumber` is a whole number from 0 on"
    );
}

#[test]
fn orders_and_matches() {
    let order =
        |before: &str| question("Order", &format!("items = [\"a\", \"b\"]\nbefore = {before}"));
    assert_eq!(order("[]"), "15:10: every order is right");
    assert_eq!(order("[[1, 3]]"), "15:11: there are 2 items");
    assert_eq!(order("[[0, 1]]"), "15:11: there are 2 items");
    assert_eq!(order("[[2, 1]]"), "15:11: `items` has 1 before 2, or they are one");
    assert_eq!(order("[[1]]"), "15:11: a rule names two items");
    assert_eq!(order("1"), "15:10: `before` is a list, not a number");
    assert_eq!(question("Order", "items = [\"a\"]"), "14:9: an order needs two items or more");
    assert_eq!(question("Order", "items = [\"a\", \"a\"]"), "14:15: this item is there twice");
    let pairs = |pairs: &str| question("Match", &format!("pairs = {pairs}"));
    assert_eq!(pairs("[[\"a\", \"b\"]]"), "14:9: a match needs two pairs or more");
    assert_eq!(pairs("[[\"a\"]]"), "14:10: a pair has two texts");
    assert_eq!(pairs("[[\"a\", \"b\"], [\"a\", \"c\"]]"), "14:23: what is matched is there twice");
    assert_eq!(pairs("[[\"a\", \"b\"], [\"c\", \"b\"]]"), "14:9: there is one thing to choose");
    assert_eq!(
        pairs("[[\"a\", \"b\"], [\"c\", \"d\"]]\nothers = [\"d\"]"),
        "15:11: this fits one of the pairs"
    );
}

#[test]
fn questions_that_are_there_twice() {
    let one = "[[questions]]\ntype = \"Order\"\nprompt.prompt = \"?\"\nitems = [\"a\", \"b\"]\n";
    assert_eq!(quiz(&format!("{one}{one}")).0, "15:1: this question is there twice");
    let named = one.replace("type", "id = \"n\"\ntype");
    let other = named.replace("\"?\"", "\"!\"");
    assert_eq!(
        quiz(&format!("{named}{other}")).0,
        "16:1: a question with the id `n` is there already"
    );
    assert_eq!(quiz(&format!("{one}[[questions.variants]]")).0, "11:1: two variants ask the same");
    let (problem, _) = quiz(&format!("{one}[[questions.variants]]\ntype = \"Match\""));
    assert_eq!(problem, "16:1: a variant has no field `type`");
    let twice = "````quiz id=q\n[[questions]]\ntype = \"Order\"\nprompt.prompt = \"?\"\nitems = [\"a\", \"b\"]\n````\n";
    let fault = fault_of(&format!("{twice}\n{twice}"));
    assert_eq!((fault.line, fault.column), (17, 13));
    assert_eq!(fault.problem, "a question named `q` is there already");
}

/// Faults inside a text are found where they stand, or, where escapes stand before them, at the text.
#[test]
fn words_inside_texts() {
    let found = question("Order", "items = [\"a\", \"see [b](ftp://x)\"]");
    assert_eq!(found, "14:20: `ftp:` is no kind of link");
    let found = question("Order", "items = [\"a\", \"\\\"see\\\" [b](ftp://x)\"]");
    assert_eq!(found, "14:15: `ftp:` is no kind of link");
    let found =
        question("Order", "context = \"\"\"\nOne.\n\n<b>two</b>\n\"\"\"\nitems = [\"a\", \"b\"]");
    assert_eq!(found, "17:1: a lesson holds no HTML of its own");
    let found = question("Order", "items = [\"a\", \"* b\\n* c\"]");
    assert_eq!(found, "14:15: only one paragraph can stand here");
}

#[test]
fn cards() {
    let cards = |text: &str| {
        let fault = fault_of(&format!("```recall\n{text}```\n"));
        assert!(fault.remedy.len() > 5);
        format!("{}:{}: {}", fault.line, fault.column, fault.problem)
    };
    assert_eq!(cards(""), "10:1: there is no card in this block");
    assert_eq!(cards("What?\n"), "11:1: this belongs to no card");
    assert_eq!(cards("A: a\n"), "11:4: this answer has no question");
    assert_eq!(cards("Q: q\n"), "11:4: this card has no answer");
    assert_eq!(cards("Q: q\nQ: r\nA: a\n"), "11:4: this card has no answer");
    assert_eq!(cards("Q: q\nA:\n"), "12:1: there is nothing on this side of the card");
    assert_eq!(cards("Q: q\nA: a\nQ: q\nA: b\n"), "13:4: this card is there twice");
    assert_eq!(cards("Q: q\nA: [a](ftp://x)\n"), "12:4: `ftp:` is no kind of link");
    let fault = fault_of("```recall of=x\nQ: q\nA: a\n```\n");
    assert_eq!(fault.problem, "a `recall` block has no attribute `of`");
}
