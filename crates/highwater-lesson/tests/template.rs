//! Proves that the lesson which `cargo xtask new-lesson` writes passes its check.

use highwater_core::world::options::ClusterOptions;
use highwater_lesson::{Course, Source};

#[test]
fn a_new_lesson_passes_its_check() {
    let text = include_str!("../../xtask/src/new_lesson.md");
    let text = text.replace("NAME", "new").replace("NUMBER", "2");
    let first = include_str!("../../../web/lessons/the-log.md");
    let course = Course::read(&[
        Source { file: "the-log.md", text: first },
        Source { file: "new.md", text: &text },
    ]);
    let lesson = course.lessons.get(1).expect("it can be read");
    let faults = lesson.check(&ClusterOptions::default());
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults, Vec::<String>::new());
}
