//! Plays console transcripts against a real Kafka cluster, started here for each of them, and in
//! the simulator, and compares both with what the transcript says. Called by `cargo xtask
//! conformance`, which finds the jars. This decides what is played and written.

mod addresses;
mod cluster;
mod guardian;
mod launchers;
mod report;
mod session;
mod settings;
mod source;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::{Outcome, play};
use highwater_shell::transcript::Transcript;

use cluster::Cluster;
use report::{Row, Sides, Skipped, table, told_of_skipped};
use session::Session;
use source::Playable;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Real, recorded and simulated output are compared.
    Compare,
    /// The same without the simulator.
    Real,
    /// The same without a real cluster.
    Simulated,
    /// As `Compare`; then what the real cluster printed becomes what is recorded.
    Record,
}

impl Task {
    fn named(name: &str) -> Option<Self> {
        match name {
            "compare" => Some(Self::Compare),
            "real" => Some(Self::Real),
            "sim" => Some(Self::Simulated),
            "record" => Some(Self::Record),
            _ => None,
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, class_path, files @ ..] = arguments.as_slice() else { return usage() };
    let Some(task) = Task::named(task) else { return usage() };
    let (mut rows, mut skipped) = (Vec::new(), Vec::new());
    for (index, file) in files.iter().enumerate() {
        println!("\n[{} of {}] {file}", index + 1, files.len());
        for row in play_file(task, class_path, Path::new(file), &mut skipped) {
            // So that something is told of a long run that is stopped.
            println!("{}", table(std::slice::from_ref(&row)));
            rows.push(row);
        }
    }
    if rows.len() > 1 {
        println!("\n{}", table(&rows));
    }
    print!("{}", told_of_skipped(&skipped));
    let is_good = !(rows.is_empty() && skipped.is_empty()) && rows.iter().all(Row::is_alike);
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("usage: conformance compare|real|sim|record CLASS_PATH TRANSCRIPT...");
    eprintln!("`cargo xtask conformance` finds the class path and is easier to call");
    ExitCode::FAILURE
}

/// Plays the transcripts of a file and tells how that went; of a lesson, those that a real cluster can play.
fn play_file(task: Task, class_path: &str, file: &Path, skipped: &mut Vec<Skipped>) -> Vec<Row> {
    let playable = match source::read(file) {
        Ok(playable) => playable,
        Err(sentence) => {
            println!("{sentence}");
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let mut row = Row::new(&name);
            row.trouble = true;
            return vec![row];
        }
    };
    let mut rows = Vec::new();
    for one in playable {
        let only_simulated = one.only_simulated();
        if task != Task::Simulated && !only_simulated.is_empty() {
            skipped.push(Skipped { name: one.name, uses: only_simulated });
            continue;
        }
        let started = Instant::now();
        let mut row = Row::new(&one.name);
        println!("  {}", one.name);
        if let Err(sentence) = play_into(&mut row, task, class_path, file, one) {
            println!("{sentence}");
            row.trouble = true;
        }
        row.seconds = started.elapsed().as_secs();
        rows.push(row);
    }
    rows
}

fn play_into(
    row: &mut Row,
    task: Task,
    class_path: &str,
    file: &Path,
    one: Playable,
) -> Result<(), String> {
    let Playable { transcript: whole, before, lines_above, .. } = one;
    let record = task == Task::Record;
    if record && (before > 0 || file.extension().is_some_and(|end| end != "console")) {
        return Err("Only a transcript that stands alone can be recorded.".to_owned());
    }
    let mut transcript = whole;
    row.commands = transcript.blocks.len() - before;
    let simulated = match task {
        Task::Real => None,
        _ => Some(
            play(&transcript, &ClusterOptions::default())
                .map_err(|e| format!("The simulator cannot play it: {e}."))?,
        ),
    };
    let mut simulated = simulated.map(Vec::into_iter);
    let cluster = match task {
        Task::Simulated => None,
        _ => Some(start(class_path, &transcript)?),
    };
    let mut session = cluster.as_ref().map(Session::start).transpose()?;
    for (index, block) in transcript.blocks.iter_mut().enumerate() {
        let begun = Instant::now();
        let real = session.as_mut().map(|session| session.run(&block.command)).transpose()?;
        let simulated = simulated.as_mut().and_then(Iterator::next);
        if index < before {
            continue;
        }
        let recorded = Outcome { output: block.output.clone(), exit: block.exit };
        let sides = Sides { command: &block.command, recorded, real, simulated };
        let judgement = sides.judge();
        row.count(&judgement);
        let place = [index - before + 1, row.commands, block.line + lines_above];
        tell(place, begun, &sides, judgement.is_alike(record));
        // What is alike by the rules stays as it is: its times and ids are as good as new ones.
        if record
            && judgement.real_recorded == Some(false)
            && let Some(Outcome { output, exit }) = sides.real
        {
            block.set_outcome(output, exit);
        }
    }
    if record {
        fs::write(file, transcript.write())
            .map_err(|e| format!("Cannot write {}: {e}.", file.display()))?;
        row.was_recorded = true;
    }
    Ok(())
}

fn start(class_path: &str, transcript: &Transcript) -> Result<Cluster, String> {
    let started = Instant::now();
    println!("  a cluster starts (brokers: {})", transcript.brokers);
    let cluster = Cluster::start(class_path, transcript)?;
    println!("  it is up after {} s", started.elapsed().as_secs());
    Ok(cluster)
}

/// One line for a command, and all that came out where it differs. Of its place: number, of how many, line.
fn tell([number, of, line]: [usize; 3], begun: Instant, sides: &Sides<'_>, is_alike: bool) {
    let verdict = if is_alike { "same" } else { "DIFFERS" };
    let seconds = begun.elapsed().as_secs_f64();
    let first = sides.command.lines().next().unwrap_or_default();
    println!("  {number:3}/{of} {seconds:6.1} s  {verdict:7}  $ {first}");
    if !is_alike {
        println!("  line {line}:\n{sides}");
    }
}
