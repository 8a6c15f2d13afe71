//! The static page of a question of each kind: `UPDATE_EXPECT=1` writes the golden file anew.

use std::fs;
use std::path::Path;

use highwater_lesson::quiz::page::{due, progress};
use highwater_lesson::{SceneFile, Site, Source, build_page};

use crate::EVERYTHING;

fn golden(name: &str, html: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quiz/golden").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, html).expect("it can be written");
    }
    assert_eq!(html, fs::read_to_string(&file).expect("the golden file"));
}

#[test]
fn a_page_of_every_kind() {
    let template = "<title><!-- highwater:title --></title><!-- highwater:summary -->\n<!-- highwater:main -->\n";
    let template = Source { file: "t.html", text: template };
    let lesson = Source { file: "everything.md", text: EVERYTHING };
    let none = |_: &str| -> Result<Vec<SceneFile>, String> { Err("none".to_owned()) };
    let page = build_page(&template, &lesson, &none, &Site::default())
        .unwrap_or_else(|fault| panic!("{fault}"))
        .built;
    golden("everything.html", &page.html);
    for refused in ["style=", "onclick", "<script"] {
        assert!(!page.html.contains(refused), "the policy refuses {refused}");
    }
    // What an id names is there once.
    let ids: Vec<&str> =
        page.html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "{ids:?}");
    for named in page.html.split("aria-describedby=\"").skip(1) {
        let named = named.split('"').next().expect("a value");
        assert!(ids.contains(&named), "nothing is called {named}");
    }
}

#[test]
fn islands_beside_the_questions() {
    golden("beside.html", &format!("{}{}", progress(), due()));
}
