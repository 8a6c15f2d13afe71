//! Questions of a quiz that a figure answers: the same as a block `predict`.

use highwater_core::world::options::ClusterOptions;
use highwater_lesson::{Course, LessonError, SceneFile, Site, Source, build_page};

const TEMPLATE: &str = "<!-- highwater:title --><!-- highwater:summary --><!-- highwater:main -->";

const HEAD: &str = "---\nid: x\nnumber: 1\ntitle: T\nsummary: S\ngoals: g\nminutes: 1\nneeds: nothing\n---\nWords.\n\n\
```console id=copies label=L at=made\n#! brokers 3\n\
$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders --replica-assignment 1:2:3\n\
Created topic orders.\n# moment: made\n$ hw crash 1\n$ sleep 12\n# moment: after-crash\n```\n\n";

const PREDICT: &str = r#"[[questions]]
type = "Predict"
id = "who-leads"
figure = "copies"
until = "after-crash"
prompt.prompt = "Broker 1 dies. Who leads then?"
hints = ["Look who is *in sync*."]
[[questions.options]]
value = "two"
text = "Broker 2"
claim = 'partition("orders-0").leader = 2'
[[questions.options]]
value = "nobody"
text = "Nobody"
claim = 'partition("orders-0").leader = none'
"#;

/// The same in a block of its own.
const BLOCK: &str = "```predict id=who-leads figure=copies until=after-crash\nBroker 1 dies. Who leads then?\n\
- two: Broker 2\n  claim: partition(\"orders-0\").leader = 2\n\
- nobody: Nobody\n  claim: partition(\"orders-0\").leader = none\nhint: Look who is *in sync*.\n```\n";

const ONE: &str =
    "[[questions]]\ntype = \"Order\"\nprompt.prompt = \"One?\"\nitems = [\"a\", \"b\"]\n";

fn block(toml: &str) -> String {
    format!("{HEAD}```quiz id=q\n{toml}```\n")
}

fn page(text: &str) -> Result<String, LessonError> {
    let none = |_: &str| -> Result<Vec<SceneFile>, String> { Err("none".to_owned()) };
    let (template, lesson) = (Source { file: "t", text: TEMPLATE }, Source { file: "x.md", text });
    build_page(&template, &lesson, &none, &Site::default()).map(|page| page.built.html)
}

/// What the check finds, with its lines.
fn problems(toml: &str) -> Vec<String> {
    let text = block(toml);
    let course = Course::read(&[Source { file: "x.md", text: &text }]);
    let faults = course.lessons.first().expect("it can be read").check(&ClusterOptions::default());
    let faults = faults.iter().filter(|fault| !fault.problem.contains("minutes"));
    faults.map(|fault| format!("{}: {}", fault.line, fault.problem)).collect()
}

/// Its TOML in a lesson with the figure that it names is right: for the example of AUTHORS.md.
#[track_caller]
pub(crate) fn in_a_lesson(toml: &str) {
    assert_eq!(problems(toml), Vec::<String>::new(), "{toml}");
}

/// The page is the same as with a block `predict`.
#[test]
fn it_is_a_predict_block() {
    let same = page(&block(PREDICT)).expect("it is right");
    assert_eq!(same, page(&format!("{HEAD}{BLOCK}")).expect("it is right"));
    assert!(same.contains("data-island=\"quiz\"") && same.contains("data-moment=\"after-crash\""));
    in_a_lesson(PREDICT);
    // Without a name an option is called by its place.
    let unnamed = page(&block(&PREDICT.replace("value = \"two\"\n", ""))).expect("it is right");
    assert!(unnamed.contains("value=\"option-1\"") && unnamed.contains("data-value=\"option-1\""));
}

/// It divides the block; the parts around it have names and numbers of their own.
#[test]
fn it_divides_a_block() {
    let two = ONE.replace("One", "Two");
    let html = page(&block(&[ONE, PREDICT, &two].concat())).expect("it is right");
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("no {text} in {html}"));
    let order = [
        place("data-questions=\"q\""),
        place("data-quiz=\"who-leads\""),
        place("data-questions=\"q-2\""),
    ];
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(html.matches("data-island=\"questions\"").count(), 2);
    assert!(html.contains("id=\"q-1-prompt\"") && html.contains("id=\"q-2-1-prompt\""));
}

/// A flipped answer is found, as in a block `predict`: then none comes true, or several do.
#[test]
fn a_flipped_answer_is_found() {
    let flipped = problems(&PREDICT.replace("leader = 2", "leader = 3"));
    assert_eq!(flipped.len(), 1, "{flipped:?}");
    let problem = "23: the question `who-leads`: 0 of its answers come true, not one";
    assert!(flipped[0].starts_with(problem), "{flipped:?}");
    assert!(flipped[0].contains("leader is 2, not 3"), "{flipped:?}");
    let both = problems(&PREDICT.replace("leader = none", "leader > 1"));
    assert!(both[0].contains("2 of its answers come true"), "{both:?}");
    let early = problems(&PREDICT.replace("after-crash", "made"));
    assert!(early[0].contains("the first frame of `copies` is not before `made`"), "{early:?}");
    let never = problems(&PREDICT.replace("after-crash", "afterwards"));
    assert!(never[0].contains("afterwards"), "{never:?}");
}

/// What is wrong with one: where, and what to do. Its lines begin at 23.
#[test]
fn faults() {
    let mut wrong = Vec::new();
    for (from, to, starts) in [
        ("id = \"who-leads\"\n", "", "23:1: a question needs `id`; add"),
        ("\"who-leads\"", "\"Who leads\"", "25:6: `Who leads` cannot be a name; use lower-case"),
        ("\"who-leads\"", "\"q\"", "25:6: a question named `q` is there already; choose"),
        ("figure = \"copies\"\n", "", "23:1: a question needs `figure`; add"),
        ("\"copies\"", "\"cpies\"", "26:10: no figure above this question is named `cpies`; use"),
        (
            "until = \"after-crash\"\n",
            "",
            "23:1: nothing answers this question; add `until = \"MOM",
        ),
        ("prompt.prompt", "prompt.promt", "28:8: `prompt` has no field `promt`; did you mean"),
        ("hints = [", "hints = [\"one\", ", "29:17: there are two hints; keep one"),
        (
            "hints = [\"Look who is *in sync*.\"]",
            "context = \"c\"",
            "29:1: a question has no field `context`",
        ),
        ("\"nobody\"", "\"two\"", "35:9: `two` is there twice; give every option"),
        ("\"Nobody\"", "\"Broker 2\"", "36:8: this option is there twice; change one"),
        (
            "claim = 'partition(\"orders-0\").leader = none'\n",
            "",
            "23:1: the option `nobody` cannot be decided; add `claim`",
        ),
        (
            "claim = 'partition(\"orders-0\").leader = none'\n",
            "right = true\n",
            "37:1: an option has no field `right`",
        ),
    ] {
        let fault = page(&block(&PREDICT.replace(from, to))).expect_err(to);
        let found = format!("{}:{}: {}; {}", fault.line, fault.column, fault.problem, fault.remedy);
        if !found.starts_with(starts) {
            wrong.push(format!("{found}\n    is not: {starts}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (few, _) = PREDICT.rsplit_once("[[").expect("two options");
    let fault = page(&block(few)).expect_err("one option");
    assert_eq!(fault.problem, "a question needs two options or more");
    // A file of questions has no figures.
    let alone = Source { file: "q.toml", text: PREDICT };
    let fault = highwater_lesson::quiz::toml::read_file(&alone, "q").expect_err("no figure");
    assert_eq!(fault.problem, "no figure above this question is named `copies`");
}
