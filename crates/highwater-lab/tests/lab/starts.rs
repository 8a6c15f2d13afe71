//! Everything that a run can begin with plays, and says what it is.

use std::fs;
use std::path::Path;

use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_lab::Heard;
use highwater_lab::challenge::Challenge;
use highwater_lab::start::{Kind, Scene, all, play};
use highwater_lab::story::StopKind;
use highwater_shell::session;
use highwater_shell::transcript::Transcript;

use crate::Reader;

#[test]
fn every_beginning_says_what_it_is() {
    let mut count = 0;
    for kind in [Kind::Situation, Kind::Scene, Kind::Challenge] {
        for scene in all(kind) {
            count += 1;
            let words = |text: &str| text.split_whitespace().count();
            assert!(!scene.title.is_empty(), "{}: no title", scene.id);
            assert!((4..=22).contains(&words(&scene.about)), "{}: {}", scene.id, scene.about);
            assert!((4..=27).contains(&words(&scene.watch)), "{}: {}", scene.id, scene.watch);
            assert_eq!(scene.goal.is_some(), kind == Kind::Challenge, "{}", scene.id);
        }
    }
    assert!(count >= 15, "{count}");
    assert!(all(Kind::Situation).count() >= 8 && all(Kind::Challenge).count() == 3);
}

/// Each is opened before its first record, can be stepped to its end, and its own topic is drawn.
#[test]
fn every_situation_can_be_stepped_through() {
    for scene in all(Kind::Situation).chain(all(Kind::Scene)) {
        let mut reader = Reader::new();
        let does = format!("start:{}", scene.id);
        reader.send("begin", &[("start", &scene.id)]);
        assert_eq!(reader.lab.note(), None, "{does}");
        assert!(reader.text().contains(&scene.title), "{does}");
        let stops = reader.lab.run().stops().len();
        assert!(stops >= 10, "{does}: {stops} stops");
        let start = reader.lab.run().position();
        let kinds: Vec<StopKind> = reader.lab.run().stops().iter().map(|stop| stop.kind).collect();
        assert!(!kinds[..start].contains(&StopKind::Append), "{does}");
        for stop in start..stops {
            assert_eq!(reader.lab.run().position(), stop, "{does}");
            reader.press("forward");
            assert!(!reader.lab.announced().is_empty(), "{does}: nothing is said of stop {stop}");
        }
        let topic = scene.topic.unwrap_or_default();
        assert!(reader.text().contains(&topic), "{does} does not draw {topic}");
    }
}

/// What came of a command and the step of the task that it was are both said by ear, however it was given.
#[test]
fn a_step_of_the_task_is_said_with_what_came_of_it() {
    let mut reader = Reader::new();
    reader.hears(Heard::Press("form:topic".to_owned()));
    reader.send("form:topic", &[("topic", "t")]);
    let said = reader.lab.announced();
    assert!(
        said.contains("Topic t now exists") && said.ends_with("Step 1 of 5 is done."),
        "{said}"
    );
    reader.types("hw produce --topic t --key k --count 3");
    let said = reader.lab.announced();
    assert!(said.contains("offset") && said.ends_with("Step 2 of 5 is done."), "{said}");
    reader.types("echo on");
    assert!(!reader.lab.announced().contains("Step"), "{}", reader.lab.announced());
    reader.types("hw consume --as r --topic t --partition 0");
    reader.types("hw consume --as r --topic t --partition 1");
    reader.types("hw crash 1");
    let said = reader.lab.announced();
    assert!(said.contains("roker 1") && said.ends_with("Step 4 of 5 is done."), "{said}");
    // Several at once, and each of them once.
    let mut pasted = Reader::new();
    let lines = [
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t",
        "hw produce --topic t --count 3",
        "echo end",
    ];
    pasted.types(&lines.join("\n"));
    let said = pasted.lab.announced();
    assert!(said.ends_with("Steps 1 and 2 of 5 are done."), "{said}");
}

/// The model solutions bring about what is asked, and nothing does before them.
#[test]
fn challenges_are_judged_by_what_happened() {
    let expected = [("lose-acknowledged", 4), ("read-twice", 2), ("refuse-a-write", 3)];
    for (id, commands) in expected {
        let challenge = Challenge::from_id(id).expect("a challenge");
        let scene: Scene = all(Kind::Challenge).find(|scene| scene.id == id).expect("its scene");
        let fresh = scene.play().expect("it begins");
        assert!(!challenge.is_met(&fresh) && fresh.stops().is_empty(), "{id}");
        let mut solved = play(&scene.text).expect("its solution plays");
        assert!(challenge.is_met(&solved), "{id}");
        let said = challenge.verdict(&solved);
        assert!(said.contains(&format!("in {commands} commands")), "{said}");
        solved.seek(0);
        assert!(!challenge.is_met(&solved), "{id} was met before it began");
    }
}

/// The file of a beginning, whole.
fn on_disk(id: &str) -> String {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/lab");
    let folders = ["situations", "scenes", "challenges"];
    let mut files = folders.iter().map(|folder| lab.join(folder).join(format!("{id}.console")));
    files.find_map(|file| fs::read_to_string(file).ok()).expect("its file")
}

/// The program holds of each file its head and its commands, and nothing else.
#[test]
fn every_beginning_is_cut_to_its_commands() {
    for scene in all(Kind::Situation).chain(all(Kind::Scene)).chain(all(Kind::Challenge)) {
        let whole = on_disk(&scene.id);
        let file = Transcript::parse(&whole).expect("it can be read");
        let held = Transcript::parse(&scene.text).expect("it can be read");
        let commands = |transcript: &Transcript| -> Vec<String> {
            transcript.blocks.iter().map(|block| block.command.clone()).collect()
        };
        assert_eq!(commands(&held), commands(&file), "{}", scene.id);
        assert_eq!(held.brokers, file.brokers, "{}", scene.id);
        let again = Scene::parse(&scene.id, &whole);
        assert_eq!(Scene { text: String::new(), ..again }, Scene { text: String::new(), ..scene });
    }
}

/// Each prints what its file says, whatever the seed and however long tools take to start.
#[test]
fn every_beginning_prints_what_it_says() {
    for scene in all(Kind::Situation).chain(all(Kind::Scene)).chain(all(Kind::Challenge)) {
        let transcript = Transcript::parse(&on_disk(&scene.id)).expect("it can be read");
        for (seed, tool_start) in [(1, 600), (2, 1_000), (3, 2_000)] {
            let tool_start = SimDuration::from_millis(tool_start);
            let base = ClusterOptions { seed, tool_start, ..ClusterOptions::default() };
            let outcomes = session::play(&transcript, &base).expect("it plays");
            for (block, outcome) in transcript.blocks.iter().zip(outcomes) {
                if let Err(diff) = block.compare(&outcome.output, outcome.exit) {
                    panic!("{}:{}, seed {seed}\n$ {}\n{diff}", scene.id, block.line, block.command);
                }
            }
        }
    }
}
