//! Proves that the lesson's scenes do what the lesson says: each transcript prints what its file
//! holds, and each question has exactly the answer that the text goes on to explain.

use highwater_core::world::options::ClusterOptions;
use highwater_lesson::{Act, Figure, FigureSource, Script, Story};
use highwater_shell::session::Session;
use highwater_shell::transcript::Transcript;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

macro_rules! scene {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!(
            "../../../web/lessons/scenes/parcel-lockers/", $name, ".console"
        )))),*]
    };
}

const LOCKERS: [(&str, &str); 8] = scene!(
    "java",
    "kafka-go",
    "librdkafka",
    "read-analytics",
    "read-billing",
    "crc-analytics",
    "crc-billing",
    "send-locker-4"
);

fn scripts() -> Vec<Script> {
    LOCKERS.iter().map(|(name, text)| Script::parse(name, text).expect("it can be read")).collect()
}

fn story(at: u32) -> Story {
    Story::new(scripts(), at).expect("the scene plays")
}

fn counts(story: &Story) -> Vec<i64> {
    let snapshot = story.snapshot();
    let topic = snapshot.topic(story.topic()).expect("the topic is there");
    let end = |view: &highwater_core::world::snapshot::PartitionView| {
        view.replica.as_ref().expect("it has a leader").log().log_end_offset().0
    };
    topic.partitions.iter().map(end).collect()
}

/// Every transcript prints what its file says, the continuations after what they continue.
#[test]
fn transcripts_print_what_they_say() {
    for (name, text) in LOCKERS {
        let transcript = Transcript::parse(text).expect("it can be read");
        let options = ClusterOptions { brokers: transcript.brokers, ..ClusterOptions::default() };
        let mut session = Session::new(options).expect("the options are fine");
        let script = Script::parse(name, text).expect("it can be read");
        if let Some(before) = script.continues {
            let base = scripts().into_iter().find(|script| script.name == before);
            for command in base.expect("what it continues is there").commands {
                session.run(&command).expect("the command is taken");
            }
        }
        for block in &transcript.blocks {
            let outcome = session.run(&block.command).expect("the command is taken");
            if let Err(diff) = block.compare(&outcome.output, outcome.exit) {
                panic!("{name}.console:{}\n{diff}", block.line);
            }
        }
    }
}

/// The lesson opens after four records, with two still to come.
#[test]
fn the_first_frame_holds_four_records() {
    let story = story(4);
    assert_eq!((story.position(), story.steps()), (4, 6));
    assert_eq!(counts(&story), [2, 1, 1]);
}

/// The questions of the lesson: the fifth record goes to partition 0, a fourth key shares.
#[test]
fn questions_have_the_answers_that_the_text_explains() {
    let mut story = story(4);
    story.seek(5);
    let facts = story.facts();
    assert!(facts.contains(&"partition-0".to_owned()), "{facts:?}");
    assert!(
        !facts.contains(&"partition-1".to_owned()) && !facts.contains(&"partition-2".to_owned())
    );
    story.act("send-locker-4").expect("the action is known");
    let facts = story.facts();
    assert!(facts.contains(&"shares".to_owned()), "{facts:?}");
    assert!(!facts.contains(&"own".to_owned()) && !facts.contains(&"refused".to_owned()));
    assert_eq!(counts(&story), [4, 2, 1]);
}

/// The table of the lesson: where each client family places the six.
#[test]
fn replays_place_records_as_the_table_says() {
    let mut story = story(4);
    for (action, expected) in [
        ("replay-librdkafka", [5, 1, 0]),
        ("replay-kafka-go", [3, 3, 0]),
        ("replay-java", [3, 2, 1]),
    ] {
        assert_eq!(story.act(action), Ok(true));
        assert_eq!(story.position(), 0);
        story.seek(u32::MAX);
        assert_eq!(story.steps(), 6);
        assert_eq!(counts(&story), expected, "{action}");
    }
}

/// Readers begin from the six records of the Java client, whatever was shown before, and both marks
/// stand on one log.
#[test]
fn readers_keep_their_places_on_one_log() {
    let mut story = story(2);
    story.act("replay-librdkafka").expect("the action is known");
    assert_eq!(story.act("read-analytics"), Ok(false));
    assert_eq!(story.act("read-billing"), Ok(false));
    let snapshot = story.snapshot();
    let positions: Vec<(&str, i64)> = snapshot
        .readers
        .iter()
        .map(|reader| (reader.name.as_str(), reader.positions[0].1.0))
        .collect();
    assert_eq!(positions, [("analytics", 3), ("billing", 1)]);
    assert_eq!(counts(&story), [3, 2, 1]);
}

/// Two independent readers of partition 0, after each run: what they read, where they go on, and what is left. The
/// numbers are those of the lesson.
#[test]
fn two_readers_after_each_run() {
    for (readers, analytics, left) in [("read", 3, [3, 2, 1]), ("crc", 5, [5, 1, 0])] {
        let mut story = story(4);
        for (name, reads, next) in [("analytics", analytics, analytics), ("billing", 1, 1)] {
            let action = format!("{readers}-{name}");
            let (_, text) = LOCKERS.iter().find(|(known, _)| *known == action).expect("a script");
            let printed = text.lines().filter(|line| line.starts_with("Partition:0")).count();
            assert_eq!(printed, reads, "{action}");
            assert_eq!(story.act(&action), Ok(false));
            let snapshot = story.snapshot();
            let reader = snapshot.readers.iter().find(|reader| reader.name == name);
            let position = reader.expect("it has read").positions[0].1.0;
            assert_eq!(usize::try_from(position), Ok(next), "{action}");
            assert_eq!(counts(&story), left, "{action}");
        }
        assert_eq!(story.snapshot().readers.len(), 2);
    }
}

/// Where each of the six ends up, in the order of sending: the table of the lesson, and the key that shares.
#[test]
fn the_six_land_where_the_table_says() {
    let mut story = story(4);
    for (action, expected) in [
        ("replay-java", ["0/0", "1/0", "0/1", "2/0", "0/2", "1/1"]),
        ("replay-librdkafka", ["0/0", "0/1", "0/2", "1/0", "0/3", "0/4"]),
        ("replay-kafka-go", ["0/0", "1/0", "0/1", "1/1", "0/2", "1/2"]),
    ] {
        story.act(action).expect("the action is known");
        for (step, place) in (1..).zip(expected) {
            story.seek(step);
            assert_eq!(landed(&story), place, "{action}, step {step}");
        }
    }
    story.act("send-locker-4").expect("the action is known");
    assert_eq!(landed(&story), "0/3");
}

/// Where the record of the last step stands: partition and offset.
fn landed(story: &Story) -> String {
    let partition =
        story.facts().iter().find_map(|fact| fact.strip_prefix("partition-").map(str::to_owned));
    let partition = partition.expect("a record was sent");
    let number: usize = partition.parse().expect("a number");
    format!("{partition}/{}", counts(story)[number] - 1)
}

/// A command in the past makes another future, and the way back is kept.
#[test]
fn an_own_command_forks_and_can_be_undone() {
    let mut story = story(4);
    story.type_line("hw produce --topic parcel-events --key locker-9 --value X").expect("taken");
    assert_eq!((story.position(), story.steps()), (5, 5));
    assert_eq!(counts(&story), [2, 1, 2]);
    assert!(story.has_left_run());
    story.return_to_left_run();
    assert_eq!((story.position(), story.steps()), (6, 6));
    assert_eq!(counts(&story), [3, 2, 1]);
}

/// Steps, chosen records and the terminal show in the figure; nonsense is said, not suffered.
#[test]
fn a_figure_shows_what_was_done() {
    let source = FigureSource {
        id: "parcels".to_owned(),
        label: "L".to_owned(),
        say: "<b>Next</b>".to_owned(),
        at: 4,
        scripts: scripts(),
    };
    let mut figure = Figure::new(source, true).expect("the scene plays");
    let text = |figure: &Figure| figure.view(&[480], 16).text_content();
    assert!(text(&figure).contains("step 4 of 6"));
    figure.act(Act::Step, 480, 16);
    assert!(text(&figure).contains("step 5 of 6"));
    assert!(text(&figure).contains("-713338313") || text(&figure).contains("\u{2212}713338313"));
    figure.act(Act::ToggleTerminal, 480, 16);
    figure.act(Act::Run("kafka-topics.sh --list".to_owned()), 480, 16);
    assert!(text(&figure).contains("--bootstrap-server must be specified"));
    figure.act(Act::Text("replay-nothing".to_owned()), 480, 16);
    assert!(text(&figure).contains("no script named nothing"));
    figure.act(Act::Run("x".repeat(2 << 20)), 480, 16);
    assert!(text(&figure).contains("split it"));
}

/// A button in the text does not feed a tool that waits at the terminal, nor finish a heredoc; and an
/// own run that it replaces can be had back.
#[test]
fn buttons_in_the_text_leave_own_work_alone() {
    for open in [
        "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events",
        "cat <<X",
        "echo 'open",
    ] {
        let mut story = story(6);
        story.type_line(open).expect("taken");
        story.act("send-locker-4").expect("the action is known");
        assert_eq!(counts(&story), [4, 2, 1], "{open}");
    }
    let mut story = story(6);
    story.type_line("hw produce --topic parcel-events --key locker-9 --value X").expect("taken");
    story.act("replay-librdkafka").expect("the action is known");
    story.seek(u32::MAX);
    assert_eq!(counts(&story), [5, 1, 0]);
    assert!(story.has_left_run());
    story.return_to_left_run();
    assert_eq!(counts(&story), [3, 2, 2]);
}

/// A record typed at the console producer arrives, with the prompt shown once.
#[test]
fn a_line_typed_at_a_tool_becomes_a_record() {
    let source = FigureSource { at: 6, scripts: scripts(), ..FigureSource::default() };
    let mut figure = Figure::new(source, true).expect("the scene plays");
    figure.act(Act::ToggleTerminal, 480, 16);
    let producer =
        "kafka-console-producer.sh --bootstrap-server localhost:9092 --topic parcel-events";
    figure.act(Act::Run(producer.to_owned()), 480, 16);
    figure.act(Act::Run("hello".to_owned()), 480, 16);
    assert_eq!(counts(figure.story()).iter().sum::<i64>(), 7);
    let text = figure.view(&[480], 16).text_content();
    assert!(text.contains(">hello") && !text.contains("> >"), "{text}");
    figure.act(Act::EndOfInput, 480, 16);
    figure.act(Act::Run("cat <<X".to_owned()), 480, 16);
    figure.act(Act::Run("inside".to_owned()), 480, 16);
    figure.act(Act::Run("X".to_owned()), 480, 16);
    let text = figure.view(&[480], 16).text_content();
    assert!(text.contains("$ cat <<X> inside> X"), "{text}");
}
