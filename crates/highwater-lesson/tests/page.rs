//! Proves what a lesson file becomes: one golden page that holds everything, and the real lesson.
//! `UPDATE_EXPECT=1 cargo test -p highwater-lesson` writes the golden file anew.

use std::fs;
use std::path::Path;

use highwater_lesson::{
    FigureBlock, FigureMarkup, LessonError, Page, Source, StepMark, build_page,
};

const TEMPLATE: &str = "<title><!-- highwater:title --></title>
<meta content=\"<!-- highwater:summary -->\">
<main>
<!-- highwater:main -->
</main>
";

fn first_frame(block: &FigureBlock) -> Result<FigureMarkup, LessonError> {
    let drawing = |width: &str| format!("<svg><!-- {} of {} --></svg>", width, block.scene);
    Ok(FigureMarkup {
        wide: drawing("wide"),
        narrow: drawing("narrow"),
        legend: "<span class=\"fig-legend-item\">A = locker-7</span>".to_owned(),
        table: "<table></table>".to_owned(),
        steps: vec![StepMark::Command, StepMark::Failure, StepMark::Election],
    })
}

fn build(template: &str, file: &str, text: &str) -> Page {
    let template = Source { file: "index.html", text: template };
    build_page(&template, &Source { file, text }, &first_frame).unwrap_or_else(|e| panic!("{e}"))
}

/// Every construct of the format, in one small page.
#[test]
fn a_small_lesson_becomes_its_golden_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let text = fs::read_to_string(folder.join("small.md")).expect("small.md");
    let page = build(TEMPLATE, "small.md", &text);
    let golden = folder.join("small.html");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&golden, &page.html).expect("small.html can be written");
    }
    assert_eq!(page.html, fs::read_to_string(&golden).expect("small.html"));
    assert_eq!(page.file_name, "small.html");
}

/// The first lesson fits the real template, and its page keeps the policy: nothing inline.
#[test]
fn the_first_lesson_builds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect(path);
    let page = build(&read("index.html"), "the-log.md", &read("web/lessons/the-log.md"));
    assert_eq!(page.file_name, "index.html");
    for refused in ["style=", "<style", "<script", "onclick", "<!-- highwater:"] {
        assert!(!page.html.contains(refused), "the page holds {refused}");
    }
    for action in [
        "send-locker-4",
        "replay-librdkafka",
        "replay-kafka-go",
        "replay-java",
        "read-analytics",
        "read-billing",
    ] {
        assert!(page.html.contains(&format!("data-action=\"{action}\"")), "no button {action}");
    }
}
