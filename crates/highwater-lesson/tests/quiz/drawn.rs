//! Questions that draw keys and counts: what is right is computed, by the code that the simulator runs.

use highwater_core::client::partitioner::catalogue::Client;
use highwater_lesson::Source;
use highwater_lesson::quiz::model::{Badge, Kind, Question};
use highwater_lesson::quiz::state::{Act, State};
use highwater_lesson::quiz::toml::read_file;

use crate::quiz;

const LANDS: &str = r#"[[questions]]
type = "ShortAnswer"
id = "lands"
draw = { key = "locker-{1..99}", partitions = [3, 4, 6] }
compute = { hash = 'hash_of({key}, "java")', lands = '{hash} % {partitions}' }
prompt.prompt = "Key `{key}` is {hash}. Where of {partitions}?"
prompt.response = "numeric"
answer.answer = "{lands}"
hints = ["Divide {hash} by {partitions}."]
context = "{lands} is left."
"#;

const AGREE: &str = r#"[[questions]]
type = "MultipleChoice"
id = "agree"
draw = { key = "locker-{1..99}", other = ["librdkafka", "sarama", "kafka-python"] }
compute = { one = 'partition_of({key}, 3, "java")', two = 'partition_of({key}, 3, {other})' }
prompt.prompt = "Do java and {other} agree on {key}?"
[[questions.options]]
text = "Yes, on {one}"
claim = '{one} = {two}'
[[questions.options]]
text = "No"
claim = '{one} != {two}'
feedback = "{one}, {two}"
"#;

/// The fault of a text, as one line.
#[track_caller]
fn fault(text: &str) -> String {
    match read_file(&Source { file: "q", text }, "q") {
        Ok(quiz) => panic!("no fault in {text}: {quiz:#?}"),
        Err(fault) => {
            assert!(fault.remedy.len() > 5, "{fault}");
            format!("{}:{}: {}; {}", fault.line, fault.column, fault.problem, fault.remedy)
        }
    }
}

fn variants(text: &str) -> Vec<Question> {
    quiz(text).items.remove(0).variants
}

/// What stands between two texts.
#[track_caller]
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from} in {text}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no {to} in {rest}")).0
}

/// The partition of each drawn key is what the partitioner itself says, and no text has a name left in it.
#[test]
fn the_answer_is_the_partitioners() {
    let all = variants(LANDS);
    assert_eq!(all.len(), 4, "four, where nothing else is said");
    let rule = Client::from_name("java").expect("a client").rule;
    for question in &all {
        let Kind::Short { answers, .. } = &question.kind else { panic!("{question:?}") };
        let key = between(&question.prompt, "<code>", "</code>");
        let partitions = between(&question.prompt, "Where of ", "?").parse().expect("a number");
        let (hashing, bytes) = rule.hashed(Some(key.as_bytes())).expect("it hashes");
        let lands = hashing.choose(bytes, partitions).partition.0.to_string();
        assert_eq!(answers, std::slice::from_ref(&lands), "{}", question.prompt);
        assert_eq!(question.context, format!("<p>{lands} is left.</p>"));
        assert_eq!(question.id, "lands");
        assert!(!format!("{question:?}").contains("{key}"), "{question:?}");
    }
}

/// The same text gives the same variants, another id others; more seeds add to those that were there.
#[test]
fn seeds_have_names() {
    let all = variants(LANDS);
    assert_eq!(all, variants(LANDS));
    let more = variants(&LANDS.replace("hints", "seeds = 6\nhints"));
    assert_eq!(more.len(), 6);
    assert_eq!(all[..], more[..4]);
    assert_ne!(all[0].prompt, variants(&LANDS.replace("\"lands\"", "\"falls\""))[0].prompt);
}

/// Of each variant the option is right whose claim holds, and says that it was computed.
#[test]
fn claims_decide_options() {
    let all = variants(&AGREE.replace("prompt.prompt", "seeds = 8\nprompt.prompt"));
    let mut seen = [0, 0];
    for question in &all {
        let Kind::Choice { options, several: false, .. } = &question.kind else { panic!() };
        assert!(options.iter().all(|it| it.badge == Badge::Computed && it.proof.is_none()));
        let place = options.iter().position(|option| option.right).expect("one is right");
        assert_eq!(options.iter().filter(|option| option.right).count(), 1);
        let (one, two) = options[1].feedback.split_once(", ").expect("two partitions");
        assert_eq!(place == 0, one == two, "{question:?}");
        seen[place] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "both happen: {seen:?}");
}

/// `where` refuses draws.
#[test]
fn draws_are_refused() {
    for question in
        variants(&AGREE.replace("prompt.prompt", "where = '{one} != {two}'\nprompt.prompt"))
    {
        let Kind::Choice { options, .. } = &question.kind else { panic!() };
        assert!(options[1].right, "{question:?}");
    }
    let never = fault(&LANDS.replace("hints", "where = '{lands} > 9'\nhints"));
    assert!(
        never.starts_with("4:8: 200 seeds give 0 different draws, not 4; let more be"),
        "{never}"
    );
    let few = LANDS.replace("locker-{1..99}", "locker-{1..2}").replace("[3, 4, 6]", "[3, 4]");
    assert_eq!(variants(&few).len(), 4);
    assert!(
        fault(&few.replace("hints", "seeds = 5\nhints")).contains("give 4 different draws, not 5")
    );
}

/// An answer that comes from a run: the offset after so many records, as the log has it.
#[test]
fn the_answer_of_a_run() {
    let all = variants(
        r#"[[questions]]
type = "ShortAnswer"
id = "next"
draw = { count = "{3..9}", key = ["a", "b"] }
run = """
$ kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 1
$ hw produce --topic t --key {key} --value V --count {count} > ${HOME}out.txt
"""
compute.next = 'partition("t-0").end'
prompt.prompt = "{count} records of {key} are written. Which offset is next?"
answer.answer = "{next}"
"#,
    );
    for question in all {
        let Kind::Short { answers, .. } = &question.kind else { panic!() };
        assert!(question.prompt.starts_with(&format!("<p>{} records", answers[0])), "{question:?}");
    }
}

/// "Try another" goes through the variants and begins again; progress is that of the one question, and knows an
/// edited template for another.
#[test]
fn another_and_progress() {
    let quiz = quiz(LANDS);
    let hash = quiz.items[0].hash();
    let mut state = State::new(quiz);
    let mut prompts = Vec::new();
    for _ in 0..5 {
        let question = state.question(0).expect("it is asked").clone();
        let Kind::Short { answers, .. } = &question.kind else { panic!() };
        state.act(Act::Type(0, answers[0].clone()));
        let ended = state.act(Act::Check(0)).expect("it ends");
        assert_eq!((ended.hash, ended.id.as_str()), (hash, "lands"));
        prompts.push(question.prompt);
        state.act(Act::Another(0));
    }
    assert_eq!(prompts[0], prompts[4]);
    assert!((1..4).all(|other| prompts[other] != prompts[0]), "{prompts:?}");
    let edited = |from: &str, to: &str| crate::quiz(&LANDS.replace(from, to)).items[0].hash();
    assert_eq!(edited("is left", "is the rest"), hash, "the explanation may be mended");
    assert_ne!(edited("Where of", "In which of"), hash);
    assert_ne!(edited("\"java\"", "\"librdkafka\""), hash);
    assert_ne!(edited("[3, 4, 6]", "[5, 7, 9]"), hash);
}

/// Keys of a match and a printed text can be drawn, too.
#[test]
fn other_types() {
    let all = variants(
        r#"[[questions]]
type = "Match"
id = "m"
draw = { one = "a-{1..50}", two = "b-{1..50}" }
compute = { p = 'partition_of({one}, 9, "java")', q = 'partition_of({two}, 9, "java")' }
where = '{p} != {q}'
prompt.prompt = "Where?"
pairs = [["{one}", "partition {p}"], ["{two}", "partition {q}"]]
"#,
    );
    assert_eq!(all.len(), 4);
    let traced = variants(
        r#"[[questions]]
type = "Tracing"
id = "t"
draw.key = "k{1..50}"
run = "$ hw partition --client java --partitions 3 {key} | tail -n 1"
compute.printed = 'output'
prompt.program = "hw partition --client java --partitions 3 {key} | tail -n 1"
answer.doesCompile = true
answer.stdout = "{printed}"
"#,
    );
    assert!(format!("{:?}", traced[0].kind).contains("  partition "), "{traced:?}");
}

/// What is wrong with a template: where it stands, and what to do.
#[test]
fn faults_of_what_is_drawn() {
    let unknown = "`partitons`, with the draw `lands 1`: key = \"locker-";
    let same = "Key `{key}` is {hash}. Where of {partitions}?";
    let mut wrong = Vec::new();
    for (from, to, starts, holds) in [
        ("id = \"lands\"\n", "", "1:1: a question that draws needs `id`; add `id", ""),
        ("draw = {", "# {", "5:11: `compute` is for a question that draws; add `draw = ", ""),
        ("[3, 4, 6]", "[3]", "4:47: `partitions` has nothing to draw from; list two", ""),
        ("[3, 4, 6]", "[3, 4, 3]", "4:54: `partitions` has this twice; take one out", ""),
        ("[3, 4, 6]", "true", "4:47: from this `partitions` cannot be drawn; write a list", ""),
        ("{1..99}", "{9..1}", "4:16: `{9..1}` is no range of whole numbers; write a list", ""),
        ("{1..99}", "{1..99", "4:16: this range does not end", ""),
        ("{1..99}", "7", "4:16: `key` is the same in every draw", ""),
        ("key = \"", "Key = \"", "4:16: nothing can be called `Key`; use small letters", ""),
        ("hash = ", "key = ", "5:19: `key` is drawn, and cannot be computed, too", ""),
        ("of {partitions}", "of {partitons}", "6:17: nothing is drawn or computed that", unknown),
        ("of {partitions}", "of {partitons}", "6:", "; did you mean `partitions`?"),
        ("\"{lands}\"\n", "\"1\"\n", "8:17: this answer is written, not computed; add what", ""),
        ("\"{lands}\"\n", "\"{key}\"\n", "8:17: this answer is written, not computed", ""),
        ("\"java\"", "\"jave\"", "5:20: `hash_of(\"locker-", "there is no client `jave`"),
        ("'{hash} %", "'{lands} %", "5:54: `lands` is computed from itself", ""),
        ("{hash} % {partitions}", "[{hash}]", "5:54: `[", "neither a number nor a text"),
        ("hints", "seeds = 1\nhints", "9:9: `seeds` is the number of variants, 2 to 20", ""),
        ("hints", "variants = []\nhints", "9:12: `draw` and `variants` exclude each other", ""),
        ("partitions = [3", "rest = [5, 6], partitions = [3", "4:8: `rest` stands nowhere", ""),
        ("hints", "run = '$ if'\nhints", "9:7: this cannot be played: ", ""),
        (same, "Where?", "1:1: two variants ask the same; let the prompt say what is drawn", ""),
    ] {
        let text = LANDS.replace(from, to);
        // So few answers that two are the same.
        let text = if from == same { text.replace("[3, 4, 6]", "[2, 3]") } else { text };
        let text = if from == same { text.replace("hints", "seeds = 9\nhints") } else { text };
        let found = fault(&text);
        if !found.starts_with(starts) || !found.contains(holds) {
            wrong.push(format!("{found}\n    is not: {starts} ... {holds}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let order =
        "[[questions]]\ntype = \"Order\"\ndraw = { a = [1, 2] }\nprompt.prompt = \"?\"\nitems = []";
    assert!(fault(order).starts_with("3:1: a question has no field `draw`"), "{}", fault(order));
}

/// A claim that is flipped is found: then two options are right, or none is.
#[test]
fn a_flipped_claim_is_found() {
    let agree = |from: &str, to: &str| fault(&AGREE.replace(from, to));
    let both = agree("'{one} != {two}'", "'{one} = {two} or 1 = 1'");
    assert!(
        both.contains("2 of its options come true, not one\n    {one} = {two}: ")
            || both.contains("0 of")
            || both.contains("2 of its options"),
        "{both}"
    );
    let found = agree("'{one} != {two}'", "'{one} = {two}'");
    assert!(found.contains(" of its options come true, not one"), "{found}");
    assert!(found.contains(", with the draw `agree 1`: key = \"locker-"), "{found}");
    assert!(
        agree("claim = '{one} = {two}'", "right = true")
            .starts_with("9:9: an option of a question that draws has no `right`, with the draw")
    );
    assert!(
        agree("claim = '{one} = {two}'\n", "")
            .starts_with("7:1: nothing decides this option, with the draw")
    );
    let twice = agree("text = \"No\"", "text = \"Yes, on {two}\"").to_string();
    assert!(
        twice.contains("this option is there twice, with the draw `agree ")
            && twice.contains("`where` refuses draws"),
        "{twice}"
    );
}
