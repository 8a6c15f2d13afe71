//! Proves what a lesson file becomes: one golden page that holds everything, and the real lesson.
//! `UPDATE_EXPECT=1 cargo test -p highwater-lesson` writes the golden file anew.

use std::fs;
use std::path::Path;

use highwater_lesson::{Built, SceneFile, Site, Source, build_page};

const TEMPLATE: &str = "<title><!-- highwater:title --></title>
<meta content=\"<!-- highwater:summary -->\">
<main>
<!-- highwater:main -->
</main>
";

fn scenes(scene: &str) -> Result<Vec<SceneFile>, String> {
    let create =
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --partitions 2";
    let send = "hw produce --topic t --key k --value v";
    let text =
        format!("#! brokers 1\n$ {create}\nCreated topic t.\n$ {send}\n$ {send}\n$ {send}\n");
    match scene {
        "lockers" | "parcels" | "parcel-lockers" => {
            Ok(vec![SceneFile { name: "java".to_owned(), text }])
        }
        other => Err(format!("no scene is named `{other}`")),
    }
}

fn build(template: &str, file: &str, text: &str) -> Built {
    let template = Source { file: "index.html", text: template };
    build_page(&template, &Source { file, text }, &scenes, &Site::default())
        .unwrap_or_else(|e| panic!("{e}"))
        .built
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
    assert_eq!(page.file_name, "small/index.html");
}

fn real_scene(scene: &str) -> Vec<SceneFile> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/lessons/scenes").join(scene);
    let mut files: Vec<SceneFile> = fs::read_dir(folder)
        .expect("the scene has a folder")
        .map(|entry| entry.expect("it can be read").path())
        .map(|path| SceneFile {
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            text: fs::read_to_string(&path).expect("it can be read"),
        })
        .collect();
    files.sort_by_key(|file| (file.name != "java", file.name.clone()));
    files
}

/// The first lesson fits the real template, and its page keeps the policy: nothing inline.
#[test]
fn the_first_lesson_builds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect(path);
    let template = read("index.html");
    let template = Source { file: "index.html", text: &template };
    let lesson = read("web/lessons/the-log.md");
    let lesson = Source { file: "the-log.md", text: &lesson };
    let scenes = |scene: &str| Ok(real_scene(scene));
    let page = build_page(&template, &lesson, &scenes, &Site::default());
    let page = page.unwrap_or_else(|e| panic!("{e}")).built;
    assert_eq!(page.file_name, "the-log/index.html");
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
