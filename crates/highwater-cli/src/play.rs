//! `highwater run` and `highwater check`: transcripts played, printed, written and compared.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::{Outcome, play};
use highwater_shell::transcript::{Block, Transcript};

/// What kind of cluster.
#[derive(Debug, clap::Args)]
pub(crate) struct ClusterArgs {
    /// What every random draw is made from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Milliseconds that a Kafka tool takes from its start to its first request
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    tool_start: u64,
}

/// What `highwater run` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The transcript
    file: PathBuf,
    /// Put the outputs into the file instead of printing them
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// What `highwater check` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The transcripts; of a folder, all `.console` files in it
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How many seeds each transcript must hold for
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// Plays a transcript; returns what is to be printed.
pub(crate) fn run(args: &RunArgs) -> Result<String, String> {
    let (mut transcript, _) = read(&args.file)?;
    let outcomes = play_file(&args.file, &transcript, &args.cluster.first())?;
    for (block, outcome) in transcript.blocks.iter_mut().zip(outcomes) {
        block.set_outcome(outcome.output, outcome.exit);
    }
    let text = transcript.write();
    if !args.write {
        return Ok(text);
    }
    fs::write(&args.file, text)
        .map_err(|error| format!("cannot write {}: {error}", args.file.display()))?;
    Ok(format!("wrote {}\n", args.file.display()))
}

/// Plays transcripts and compares; the report, and whether all passed.
pub(crate) fn check(args: &CheckArgs) -> Result<(String, bool), String> {
    let mut report = String::new();
    let (mut passed, mut failed) = (0u32, 0u32);
    for file in console_files(&args.files, true)? {
        let problems = check_file(&file, args);
        if problems.is_empty() {
            passed += 1;
        } else {
            failed += 1;
            report.push_str(&problems);
        }
    }
    let _ = writeln!(report, "{passed} passed, {failed} failed");
    Ok((report, failed == 0))
}

/// What differs in one file: nothing if it passes. The first seed that differs is told.
fn check_file(file: &Path, args: &CheckArgs) -> String {
    let transcript = match read(file) {
        Ok((transcript, _)) => transcript,
        Err(error) => return format!("{error}\n"),
    };
    let seeds = args.cluster.seed..args.cluster.seed.saturating_add(args.seeds.max(1));
    for seed in seeds {
        let outcomes = match play_file(file, &transcript, &args.cluster.options(seed)) {
            Ok(outcomes) => outcomes,
            Err(error) => return format!("{error}\n"),
        };
        let mut report = String::new();
        for (block, outcome) in transcript.blocks.iter().zip(&outcomes) {
            report.push_str(&difference(file, block, outcome, &format!(" (seed {seed})")));
        }
        if !report.is_empty() {
            let _ = writeln!(report, "again: highwater check {} --seed {seed}", file.display());
            return report;
        }
    }
    String::new()
}

/// How a command answered otherwise than its transcript says: nothing, if it did not. `when` stands behind the place.
pub(crate) fn difference(file: &Path, block: &Block, outcome: &Outcome, when: &str) -> String {
    match block.compare(&outcome.output, outcome.exit) {
        Ok(()) => String::new(),
        Err(diff) => {
            let (file, line, command) = (file.display(), block.line, &block.command);
            format!("{file}:{line}{when}\n$ {command}\n{diff}\n")
        }
    }
}

fn play_file(
    file: &Path,
    transcript: &Transcript,
    options: &ClusterOptions,
) -> Result<Vec<Outcome>, String> {
    play(transcript, options).map_err(|error| format!("{}: {error}", file.display()))
}

impl ClusterArgs {
    /// The cluster of the first seed.
    pub(crate) fn first(&self) -> ClusterOptions {
        self.options(self.seed)
    }

    fn options(&self, seed: u64) -> ClusterOptions {
        let tool_start = SimDuration::from_millis(self.tool_start);
        ClusterOptions { seed, tool_start, ..ClusterOptions::default() }
    }
}

/// Reads a transcript.
pub(crate) fn read(file: &Path) -> Result<(Transcript, String), String> {
    let text = fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let transcript =
        Transcript::parse(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok((transcript, text))
}

/// The transcripts among these files and in these folders.
fn console_files(paths: &[PathBuf], is_asked_for: bool) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = fs::read_dir(path)
                .map_err(|error| format!("cannot read the folder {}: {error}", path.display()))?;
            let mut found: Vec<PathBuf> = entries
                .filter_map(|entry| entry.ok().map(|entry| entry.path()))
                .filter(|path| path.is_dir() || path.extension().is_some_and(|e| e == "console"))
                .collect();
            found.sort();
            let inside = console_files(&found, false)?;
            if inside.is_empty() && is_asked_for {
                return Err(format!("there is no .console file in {}", path.display()));
            }
            files.extend(inside);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}
