//! Transcripts recorded from real Kafka: the simulator prints the same, at three tool start-ups
//! and ten seeds.

use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::play;
use highwater_shell::transcript::Transcript;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Plays the first `commands` commands of a transcript and compares each with the recording.
fn check(name: &str, text: &str, commands: usize) {
    let mut transcript = Transcript::parse(text).expect("the transcript can be read");
    assert!(transcript.blocks.len() >= commands, "{name} has fewer commands");
    transcript.blocks.truncate(commands);
    for tool_start in [600, 1_000, 2_000] {
        for seed in 1..=10 {
            let options = ClusterOptions {
                seed,
                tool_start: SimDuration::from_millis(tool_start),
                ..ClusterOptions::default()
            };
            let outcomes = play(&transcript, &options).expect("the cluster can be made");
            for (block, outcome) in transcript.blocks.iter().zip(outcomes) {
                if let Err(diff) = block.compare(&outcome.output, outcome.exit) {
                    panic!(
                        "{name}:{}, seed {seed}, tools start in {tool_start} ms\n$ {}\n{diff}",
                        block.line, block.command
                    );
                }
            }
        }
    }
}

/// Keys decide partitions: topic, records and offsets of 03-keys.console.
#[test]
fn keys() {
    let text = include_str!("../../../tests/transcripts/kafka/03-keys.console");
    check("03-keys.console", text, 3);
}

/// All of a transcript.
fn check_all(name: &str, text: &str) {
    let commands = Transcript::parse(text).expect("the transcript can be read").blocks.len();
    assert!(commands > 40);
    check(name, text, commands);
}

/// Bad options and bad input of the three tools.
#[test]
fn option_errors() {
    let text = include_str!("../../../tests/transcripts/recorded/option-errors.console");
    check_all("option-errors.console", text);
}

/// Many topics: order, patterns, names, settings of every kind.
#[test]
fn topics() {
    let text = include_str!("../../../tests/transcripts/recorded/topics.console");
    check_all("topics.console", text);
}

/// Lines of every shape, and where their records went.
#[test]
fn lines() {
    let text = include_str!("../../../tests/transcripts/recorded/lines.console");
    check_all("lines.console", text);
}

/// Elections of leaders: options, files of partitions, outcomes.
#[test]
fn leader_election() {
    let text = include_str!("../../../tests/transcripts/recorded/leader-election.console");
    check_all("leader-election.console", text);
}

/// Records that are deleted: options, files of offsets, outcomes.
#[test]
fn delete_records() {
    let text = include_str!("../../../tests/transcripts/recorded/delete-records.console");
    check_all("delete-records.console", text);
}

/// Settings of topics.
#[test]
fn topic_configs() {
    let text = include_str!("../../../tests/transcripts/recorded/topic-configs.console");
    check_all("topic-configs.console", text);
    let text = include_str!("../../../tests/transcripts/kafka/18-configs.console");
    check("18-configs.console", text, 26);
}
