//! `highwater run` and `highwater check`: transcripts played, printed, written and compared.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_lesson::{Course, Source};
use highwater_shell::session::{Outcome, play};
use highwater_shell::transcript::{Block, Continued};

use crate::files::{self, Read, is_lesson, read};
use crate::pages::{read_lessons, source_of};

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
    /// The transcript, or a lesson with transcripts in it
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
    /// Transcripts and lessons; of a folder, all `.console` and `.md` files in it and below. A pattern of names stands for
    /// those that fit (`*`, `?`, `[ab]`; `**` for any folders between), also where the shell has not replaced it
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
    let is_lesson = is_lesson(&args.file);
    let text = if is_lesson { lesson_with_outputs(args) } else { with_outputs(args) }?;
    if !args.write {
        return Ok(text);
    }
    fs::write(&args.file, text)
        .map_err(|error| format!("cannot write {}: {error}", args.file.display()))?;
    Ok(format!("wrote {}\n", args.file.display()))
}

/// A transcript with what it prints.
fn with_outputs(args: &RunArgs) -> Result<String, String> {
    let read = read(&args.file)?;
    let outcomes = play_file(&args.file, &read, &args.cluster.first())?;
    let mut own = read.own;
    for (block, outcome) in own.blocks.iter_mut().zip(outcomes) {
        block.set_outcome(outcome.output, outcome.exit);
    }
    Ok(own.write())
}

/// Plays transcripts and compares; the report, and whether all passed.
pub(crate) fn check(args: &CheckArgs) -> Result<(String, bool), String> {
    let mut report = String::new();
    let (mut passed, mut failed) = (0u32, 0u32);
    let (lessons, transcripts): (Vec<PathBuf>, Vec<PathBuf>) =
        files::to_check(&args.files)?.into_iter().partition(|file| is_lesson(file));
    for (file, problems) in check_lessons(&lessons, args)? {
        if problems.is_empty() {
            passed += 1;
            let _ = writeln!(report, "{file}");
        } else {
            failed += 1;
            report.push_str(&problems);
        }
    }
    for file in transcripts {
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

/// A lesson with what its transcripts print.
fn lesson_with_outputs(args: &RunArgs) -> Result<String, String> {
    let files = read_lessons(&with_neighbours(std::slice::from_ref(&args.file)))?;
    let sources: Vec<Source<'_>> = files.iter().map(source_of).collect();
    let course = Course::read(&sources);
    let is_it = |file: &str| Path::new(file) == args.file;
    let Some(lesson) = course.lessons.iter().find(|lesson| is_it(lesson.source.file)) else {
        let fault = course.faults.iter().find(|fault| is_it(&fault.file));
        return Err(fault.map_or("there is no lesson".to_owned(), ToString::to_string));
    };
    lesson.with_outputs(&args.cluster.first()).map_err(|error| error.to_string())
}

/// Each lesson with how long it takes, and what is wrong with it.
fn check_lessons(paths: &[PathBuf], args: &CheckArgs) -> Result<Vec<(String, String)>, String> {
    let files = read_lessons(&with_neighbours(paths))?;
    let sources: Vec<Source<'_>> = files.iter().map(source_of).collect();
    let course = Course::read(&sources);
    let is_asked_for = |file: &str| paths.iter().any(|path| path.as_path() == Path::new(file));
    let faults = course.faults.iter().filter(|fault| is_asked_for(&fault.file));
    let mut all: Vec<(String, String)> =
        faults.map(|fault| (fault.file.clone(), format!("{fault}\n"))).collect();
    let lessons = course.lessons.iter().filter(|lesson| is_asked_for(lesson.source.file));
    for lesson in lessons {
        let mut problems = String::new();
        for seed in args.seeds() {
            let options = args.cluster.options(seed);
            let is_first = seed == args.cluster.seed;
            let faults =
                if is_first { lesson.check(&options) } else { lesson.check_transcripts(&options) };
            problems.extend(faults.iter().map(|fault| format!("{fault}\n")));
            if !problems.is_empty() {
                let file = lesson.source.file;
                let _ = writeln!(problems, "again: highwater check {file} --seed {seed}");
                break;
            }
        }
        let parts = lesson.parts().into_iter().map(|part| {
            let name = if part.title.is_empty() { "core" } else { &part.title };
            format!("{name} {} min", part.minutes())
        });
        let parts: Vec<String> = parts.collect();
        all.push((format!("{}: {}", lesson.source.file, parts.join(", ")), problems));
    }
    Ok(all)
}

/// Lessons with those beside them, which count as read: their terms are known.
fn with_neighbours(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut around = paths.to_vec();
    for folder in paths.iter().filter_map(|path| path.parent()) {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let beside = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let beside = beside.map(|entry| entry.path()).filter(|path| is_lesson(path));
        let is_new = |path: &PathBuf| {
            path.file_name() != Some("README.md".as_ref())
                && !paths.iter().any(|known| known.file_name() == path.file_name())
        };
        around.extend(beside.filter(is_new));
    }
    around.sort();
    around.dedup();
    around
}

impl CheckArgs {
    fn seeds(&self) -> std::ops::Range<u64> {
        self.cluster.seed..self.cluster.seed.saturating_add(self.seeds.max(1))
    }
}

/// What differs in one file: nothing if it passes. The first seed that differs is told.
fn check_file(file: &Path, args: &CheckArgs) -> String {
    let read = match read(file) {
        Ok(read) => read,
        Err(error) => return format!("{error}\n"),
    };
    for seed in args.seeds() {
        let outcomes = match play_file(file, &read, &args.cluster.options(seed)) {
            Ok(outcomes) => outcomes,
            Err(error) => return format!("{error}\n"),
        };
        let mut report = String::new();
        for (block, outcome) in read.own.blocks.iter().zip(&outcomes) {
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

/// Plays a transcript after those that it continues; the outcomes of its own commands.
fn play_file(file: &Path, read: &Read, options: &ClusterOptions) -> Result<Vec<Outcome>, String> {
    let Continued { whole, before } = &read.continued;
    let mut outcomes =
        play(whole, options).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(outcomes.split_off((*before).min(outcomes.len())))
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
