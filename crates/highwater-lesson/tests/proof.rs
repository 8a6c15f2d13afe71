//! Proves that what a lesson claims is held against the simulator: a key that was flipped is found, and a task whose
//! solution does not reach its goals.

use highwater_core::world::options::ClusterOptions;
use highwater_lesson::{Course, Source};

const HEAD: &str = "---\nid: x\nnumber: 1\ntitle: T\nsummary: S\ngoals: g\nminutes: 1\nneeds: nothing\n---\nWords.\n\n\
```console id=f label=L at=made\n#! brokers 3\n\
$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1:2:3\n\
Created topic t.\n# moment: made\n$ hw crash 1\n$ sleep 12\n# moment: elected\n```\n\n";

const PREDICT: &str = "```predict id=q figure=f until=elected\nWho leads?\n- two: Broker 2\n  \
claim: partition(\"t-0\").leader = 2\n- one: Broker 1\n  claim: partition(\"t-0\").leader = 1\n```\n";

const TASK: &str = "```task id=k figure=f from=made\nStop the leader.\n- Let another broker lead.\n  \
goal: partition(\"t-0\").leader = 2\nallow: hw, sleep\n$ hw crash 1\n$ sleep 12\n```\n";

fn problems(block: &str) -> Vec<String> {
    let text = format!("{HEAD}{block}");
    let course = Course::read(&[Source { file: "x.md", text: &text }]);
    let lesson = course.lessons.first().expect("it can be read");
    let faults = lesson.check(&ClusterOptions::default());
    // The sentences here are too few to be measured.
    let faults = faults.iter().filter(|fault| !fault.problem.contains("minutes"));
    faults.map(|fault| format!("{}: {}", fault.line, fault.problem)).collect()
}

#[test]
fn a_right_lesson_has_no_fault() {
    assert_eq!(problems(&[PREDICT, TASK].concat()), Vec::<String>::new());
}

#[test]
fn a_flipped_answer_is_found() {
    let flipped = PREDICT.replace("leader = 2", "leader = 3");
    let found = problems(&flipped);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("22: the question `q`: 0 of its answers come true"), "{found:?}");
    assert!(found[0].contains("partition(\"t-0\").leader is 2, not 3"), "{found:?}");
    let both = PREDICT.replace("leader = 1", "leader > 1");
    assert!(problems(&both)[0].contains("2 of its answers come true"));
}

#[test]
fn a_question_that_is_answered_in_the_first_frame_is_found() {
    let late = HEAD.replace("at=made", "at=elected");
    let text = format!("{late}{PREDICT}");
    let course = Course::read(&[Source { file: "x.md", text: &text }]);
    let faults = course.lessons[0].check(&ClusterOptions::default());
    assert!(
        faults.iter().any(|fault| fault.problem.contains("is not before `elected`")),
        "{faults:?}"
    );
}

#[test]
fn a_task_needs_a_solution_that_reaches_it() {
    let short = TASK.replace("$ sleep 12\n", "");
    assert!(
        problems(&short)[0].contains("its solution does not reach `partition(\"t-0\").leader = 2`")
    );
    let done = TASK.replace("leader = 2", "leader = 1");
    assert!(problems(&done)[0].contains("is true where the task begins"));
    let refused = TASK.replace("allow: hw, sleep", "allow: sleep");
    assert!(problems(&refused)[0].contains("its solution uses `hw`"));
}

#[test]
fn a_transcript_prints_what_the_lesson_shows() {
    let text = HEAD.replace("Created topic t.", "Created topic u.");
    let course = Course::read(&[Source { file: "x.md", text: &text }]);
    let faults = course.lessons[0].check(&ClusterOptions::default());
    let wrong = faults.iter().find(|fault| fault.problem.contains("prints something else"));
    assert_eq!(wrong.expect("it is found").line, 14);
}

fn quiz(option: &str) -> String {
    format!(
        "```quiz id=z\n[[questions]]\ntype = \"MultipleChoice\"\nprompt.prompt = \"Which?\"\n\
         [[questions.options]]\ntext = \"This\"\nright = true\n{option}\n\
         [[questions.options]]\ntext = \"That\"\n```\n"
    )
}

#[test]
fn an_option_claims_what_holds_at_its_moment() {
    let claim = |text: &str| problems(&quiz(&format!("claim = '{text}'\nat = \"elected\"")));
    assert_eq!(claim("partition(\"t-0\").leader = 2"), Vec::<String>::new());
    let found = claim("partition(\"t-0\").leader = 3");
    assert!(
        found[0].contains("this option is right, and what it claims does not hold: partition(\"t-0\").leader is 2, not 3"),
        "{found:?}"
    );
    assert!(
        claim("partition(\"u-0\").leader = none")[0].contains("there is no partition(\"u-0\")")
    );
    let wrong = quiz("")
        .replace("text = \"That\"", "text = \"That\"\nclaim = 'broker(1).up'\nat = \"made\"");
    assert!(problems(&wrong)[0].contains("this option is wrong, and what it claims holds"));
}

/// A claim is about the last figure above its quiz, unless it names one of the lesson.
#[test]
fn a_claim_is_about_the_figure_above() {
    let second = "\n```console id=g label=L at=made\n$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic u\n\
                  Created topic u.\n# moment: made\n```\n";
    let asked = |more: &str| {
        quiz(&format!("claim = 'partition(\"u-0\").epoch = 0'\nat = \"made\"\n{more}"))
    };
    let problems = |parts: &[&str]| problems(&parts.concat());
    let none = "there is no partition(\"u-0\")";
    assert!(problems(&[&asked(""), second])[0].contains(none), "the first figure stands above");
    assert_eq!(problems(&[second, &asked("")]), Vec::<String>::new());
    assert!(problems(&[second, &asked("figure = \"f\"")])[0].contains(none));
}

#[test]
fn a_law_of_a_right_option_has_no_counterexample() {
    let law = |text: &str| problems(&quiz(&format!("law = '{text}'")));
    assert_eq!(law("brokers-fail: hazards.lost_committed = 0"), Vec::<String>::new());
    let found = law("brokers-fail: hazards.lost_acknowledged = 0");
    assert!(found[0].contains("its law has a counterexample with seed"), "{found:?}");
    assert!(law("hazards.lost = 0")[0].contains("a law is written"));
    let wrong = quiz("").replace(
        "text = \"That\"",
        "text = \"That\"\nlaw = 'brokers-fail: hazards.lost_committed = 0'",
    );
    assert!(
        problems(&wrong)[0].contains("this option is wrong, and its law holds in all of 200 runs")
    );
}
