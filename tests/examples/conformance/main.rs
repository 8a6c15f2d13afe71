//! Plays console transcripts against a real Kafka cluster, started here for each of them, and
//! compares what its tools print with what the transcript says. Called by `cargo xtask
//! conformance`, which finds the jars.

mod cluster;
mod launchers;
mod session;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use highwater_shell::transcript::Transcript;

use cluster::Cluster;
use session::Session;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [class_path, files @ ..] = arguments.as_slice() else {
        eprintln!(
            "usage: conformance CLASS_PATH TRANSCRIPT...; use `cargo xtask conformance` instead"
        );
        return ExitCode::FAILURE;
    };
    let (mut passed, mut failed) = (0, 0);
    for file in files {
        println!("\n== {file}");
        match play(class_path, Path::new(file)) {
            Ok(counts) => {
                passed += counts.0;
                failed += counts.1;
            }
            Err(sentence) => {
                println!("{sentence}");
                failed += 1;
            }
        }
    }
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plays one transcript; says how many of its commands printed what they should.
fn play(class_path: &str, file: &Path) -> Result<(u32, u32), String> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| format!("Cannot read {}: {e}.", file.display()))?;
    let transcript = Transcript::parse(&text).map_err(|e| e.to_string())?;
    let started = Instant::now();
    let cluster = Cluster::start(class_path, &transcript)?;
    println!("a cluster of {} is up after {} s", transcript.brokers, started.elapsed().as_secs());
    let mut session = Session::start(&cluster)?;
    let (mut passed, mut failed) = (0, 0);
    for block in &transcript.blocks {
        let begun = Instant::now();
        let (output, exit) = session.run(&block.command)?;
        let first_line = block.command.lines().next().unwrap_or_default();
        let took = begun.elapsed().as_secs_f64();
        match block.compare(&output, exit) {
            Ok(()) => {
                passed += 1;
                println!("  same {took:5.1} s  $ {first_line}");
            }
            Err(difference) => {
                failed += 1;
                println!("DIFFER {took:5.1} s  $ {first_line}\n{difference}");
            }
        }
    }
    Ok((passed, failed))
}
