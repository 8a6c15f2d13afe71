//! Proves that every fault of a lesson or a template names its file, line, column, cause and remedy.

use highwater_lesson::{LessonError, SceneFile, Site, Source, build_page};

const TEMPLATE: &str = "<!-- highwater:title --><!-- highwater:summary --><!-- highwater:main -->";
const MATTER: &str =
    "---\nid: x\nnumber: 1\ntitle: T\nsummary: S\ngoals: g\nminutes: 5\nneeds: nothing\n---\n";
const FIGURE: &str = "```figure id=f scene=s label=L\nSay.\n```\n";

fn scenes(scene: &str) -> Result<Vec<SceneFile>, String> {
    if scene == "unknown" {
        return Err("no scene `unknown`".to_owned());
    }
    let create =
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 2";
    let text = format!("#! brokers 1\n$ {create}\n$ hw produce --topic t --key k --value v\n");
    Ok(vec![SceneFile { name: "java".to_owned(), text }])
}

fn fault_in(template: &str, text: &str) -> LessonError {
    let template = Source { file: "index.html", text: template };
    match build_page(&template, &Source { file: "x.md", text }, &scenes, &Site::default()) {
        Ok(page) => panic!("no fault found in\n{text}\n{}", page.built.html),
        Err(error) => error,
    }
}

/// `line:column: problem` of the fault, which must come with a remedy.
fn fault(text: &str) -> String {
    let error = fault_in(TEMPLATE, text);
    assert!(error.remedy.len() > 5, "no remedy: {error}");
    assert_eq!(error.file, "x.md");
    format!("{}:{}: {}", error.line, error.column, error.problem)
}

/// The fault of a lesson whose front matter is good; its text starts at line 10.
fn body(text: &str) -> String {
    fault(&format!("{MATTER}{text}"))
}

#[test]
fn an_error_reads_like_a_compilers() {
    let shown = fault_in(TEMPLATE, "hello").to_string();
    let expected = "x.md:1:1: a lesson starts with its front matter\n  \
                    remedy: start the file with a line of three dashes, then `id: ...` and the others";
    assert_eq!(shown, expected);
}

#[test]
fn front_matter() {
    assert_eq!(fault("---\nid: x\n"), "1:1: the front matter never ends");
    assert_eq!(fault("---\nid x\n---\n"), "2:1: this line has no key and value");
    assert_eq!(fault("---\ncolour: x\n---\n"), "2:1: `colour` is no key of the front matter");
    assert_eq!(fault("---\nid: x\nid: y\n---\n"), "3:1: `id` is there twice");
    assert_eq!(fault("---\nid: \n---\n"), "2:5: `id` has no value");
    assert_eq!(fault("---\nid: x\n---\n"), "3:1: `number` is missing");
    let changed = |from: &str, to: &str| fault(&MATTER.replace(from, to));
    assert_eq!(
        changed("minutes: 5", "minutes: five"),
        "7:10: `minutes` must be a number from 1 to 999, not `five`"
    );
    assert_eq!(changed("id: x", "id: My Log"), "2:5: `My Log` cannot be an id");
}

#[test]
fn markdown() {
    assert_eq!(body("# Title\n"), "10:1: a lesson has one title only");
    assert_eq!(body("## A\n\n## A\n"), "12:1: a heading named `a` is there already");
    assert_eq!(body("a <b>b</b>\n"), "10:3: a lesson holds no HTML of its own");
    assert_eq!(body("<div>\n</div>\n"), "10:1: a lesson holds no HTML of its own");
    assert_eq!(
        body("<!-- a --><script>\n</script>-->\n"),
        "10:1: a lesson holds no HTML of its own"
    );
    assert_eq!(body("![a](b.png)\n"), "10:1: a lesson holds no image files");
    assert_eq!(body("```quizz\n```\n"), "10:1: `quizz` is no kind of block");
    let nested = format!("* a\n\n  {}", FIGURE.replace('\n', "\n  "));
    assert_eq!(body(&nested), "12:3: this block must start its line");
}

#[test]
fn links() {
    assert_eq!(body("ä [a](ftp://x)\n"), "10:3: `ftp:` is no kind of link");
    assert_eq!(body("[a](/lab/)\n"), "10:1: this link works on one server only");
    assert_eq!(body("[a](term:isr)\n"), "10:1: the term `isr` is used before its definition");
    let twice = "[a](term:isr \"A.\")\n[b](term:isr \"B.\")\n";
    assert_eq!(body(twice), "11:1: a term named `isr` is there already");
    assert_eq!(body("[a](term:isr \"a\")\n"), "10:1: a term is defined by one whole sentence");
    assert_eq!(body("[a](term:ISR \"A.\")\n"), "10:1: `ISR` cannot name a term");
    assert_eq!(body("[a](action:Go)\n"), "10:1: `Go` cannot name an action");
    assert_eq!(body("[a](key:e)\n"), "10:1: `e` is no key mark");
}

#[test]
fn figures() {
    let with = |attributes: &str| body(&format!("```figure {attributes}\nSay.\n```\n"));
    assert_eq!(with("id=f scene=s"), "10:10: this `figure` block has no `label`");
    assert_eq!(with("id=f size=2"), "10:16: a `figure` block has no attribute `size`");
    assert_eq!(with("id=f id=g"), "10:16: `id` is there twice");
    assert_eq!(with("id=F scene=s label=L"), "10:14: `F` cannot be a name");
    assert_eq!(with("id=f scene=s at=x label=L"), "10:27: `at` must be a whole number");
    assert_eq!(with("id=f parcels"), "10:16: this is no attribute");
    assert_eq!(with("id= scene=s"), "10:14: this attribute has no value");
    assert_eq!(with("id=f label=\"L"), "10:22: this quote never closes");
    assert_eq!(with("id=f scene=unknown label=L"), "10:1: no scene `unknown`");
    assert_eq!(body("```figure id=f scene=s label=L\n```\n"), "10:1: this figure says nothing");
    assert_eq!(
        body("```figure id=f scene=s label=L\nSay.\n"),
        "10:1: this `figure` block never ends"
    );
    let twice = "13:14: a figure named `f` is there already";
    assert_eq!(body(&format!("{FIGURE}{FIGURE}")), twice);
    let list = "```figure id=f scene=s label=L\n* a\n* b\n```\n";
    assert_eq!(body(list), "11:1: only one paragraph can stand here");
}

#[test]
fn questions() {
    let with = |lines: &str| body(&format!("{FIGURE}```predict id=q figure=f\n{lines}```\n"));
    assert_eq!(with("Q?\n- a: A\n"), "13:1: a question needs two options or more");
    assert_eq!(with("- a: A\n- b: B\n"), "14:1: this question asks nothing");
    assert_eq!(with("Q?\n- a: A\n- a: B\n"), "16:3: `a` is there twice");
    assert_eq!(with("Q?\n- a: A\n- B\n"), "16:1: this is neither an option nor a hint");
    assert_eq!(with("Q?\n- a: A\n- b: B\nhint: x\nhint: y\n"), "18:1: there are two hints");
    assert_eq!(with("Q?\n- a: [A](key:x)\n- b: B\n"), "15:6: `x` is no key mark");
    let early = body("```predict id=q figure=f\nQ?\n- a: A\n- b: B\n```\n");
    assert_eq!(early, "10:24: no figure above this question is named `f`");
}

#[test]
fn templates() {
    let text = format!("{MATTER}Hello.\n");
    let missing = fault_in("<!-- highwater:title --><!-- highwater:main -->", &text);
    assert_eq!(missing.problem, "the template has no slot `summary`");
    let unknown = fault_in(&format!("{TEMPLATE}\n <!-- highwater:foot -->"), &text);
    assert_eq!(unknown.problem, "the template has a slot `foot` that no lesson fills");
    assert_eq!((unknown.file.as_str(), unknown.line, unknown.column), ("index.html", 2, 2));
}
