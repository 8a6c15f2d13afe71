//! `cargo xtask conformance`: plays transcripts against a real Kafka and compares. This finds the
//! jars and the transcripts; the playing is done by an example of the tests package, which knows
//! transcripts, so that xtask itself stays quick to compile.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::places;
use crate::process::Job;
use crate::tools::kafka;
use crate::trouble::{Outcome, Trouble};

/// Where the transcripts are that are played when none is named.
const ALL: [&str; 3] = ["tests/transcripts/kafka", "tests/transcripts/recorded", "web/lessons"];

/// Everything in it ends by itself after its own time; this is only there to be large.
const BOUND_OF_ONE: Duration = Duration::from_secs(4 * 60 * 60);

/// What a person can say.
#[derive(Args)]
pub(crate) struct Asked {
    /// Console transcripts, such as tests/transcripts/kafka/03-keys.console, lessons with transcripts in
    /// them, or folders of both; without one, all that the project has (about three hours)
    files: Vec<PathBuf>,
    /// Writes what the real Kafka prints into the files; comments stay, and so does what differs
    /// only in times, ids and the like. Lessons are not written: `highwater run --write` does that
    #[arg(long, requires = "files", conflicts_with = "only")]
    record: bool,
    /// Plays only there
    #[arg(long, value_enum)]
    only: Option<Only>,
}

/// One of the places where a transcript can be played.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// The real Kafka
    Real,
    /// The simulator, which needs no Java
    Sim,
}

impl Asked {
    /// As the example knows it.
    fn task(&self) -> &'static str {
        match self.only {
            Some(Only::Real) => "real",
            Some(Only::Sim) => "sim",
            None if self.record => "record",
            None => "compare",
        }
    }
}

/// Plays; says whether nothing differed.
pub(crate) fn run(cache: &Path, asked: &Asked) -> Outcome<bool> {
    let files = transcripts(&asked.files)?;
    let class_path = match asked.only {
        Some(Only::Sim) => String::new(),
        _ => kafka::class_path(cache)?,
    };
    let bound = BOUND_OF_ONE.saturating_mul(u32::try_from(files.len()).unwrap_or(u32::MAX));
    let ended = Job::new("playing against a real Kafka", "cargo")
        .args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "highwater-tests",
            "--example",
            "conformance",
            "--",
            asked.task(),
        ])
        .args([class_path])
        .args(&files)
        .dir(places::root())
        .bound(bound)
        .run()?;
    Ok(ended.is_ok())
}

/// The files that are meant, each as a whole path: the example runs at the root, and they were named
/// from where the user is.
fn transcripts(named: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    if named.is_empty() {
        return transcripts(&ALL.map(|folder| places::root().join(folder)));
    }
    let mut files = Vec::new();
    for path in named {
        let whole = path.canonicalize().map_err(|_| {
            Trouble::new(format!(
                "There is no transcript {}; name a file that exists.",
                path.display()
            ))
        })?;
        if whole.is_dir() {
            let inside = places::files_below(&whole)?;
            files.extend(inside.into_iter().filter(|file| is_transcript(file)));
        } else {
            files.push(whole);
        }
    }
    if files.is_empty() {
        return Err(Trouble::new(
            "There is no transcript in this folder; their names end in .console, those of lessons in .md.",
        ));
    }
    Ok(files)
}

/// Whether there are transcripts in it: a `.console` file is one, a lesson holds some.
fn is_transcript(file: &Path) -> bool {
    let is_prose = file.file_name().is_some_and(|name| name == "README.md");
    !is_prose && file.extension().is_some_and(|end| end == "console" || end == "md")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use std::fs;

    /// A folder stands for its transcripts, in order; other files in it are left alone.
    #[test]
    fn a_folder_stands_for_its_transcripts() {
        let scratch = Scratch::new("transcripts");
        let at = |name: &str| scratch.path().join(name);
        for name in ["b.console", "a.console", "c.md", "README.md"] {
            fs::write(at(name), "").unwrap();
        }
        let found = transcripts(&[scratch.path().to_owned(), at("README.md")]).unwrap();
        let names: Vec<_> = found.iter().filter_map(|file| file.file_name()).collect();
        assert_eq!(names, ["a.console", "b.console", "c.md", "README.md"]);
        fs::create_dir(at("empty")).unwrap();
        assert!(transcripts(&[at("empty")]).is_err());
        let said = transcripts(&[at("no.console")]).unwrap_err().to_string();
        assert!(said.ends_with("name a file that exists."), "{said}");
    }

    /// Without a name it is all that there is.
    #[test]
    fn no_name_means_all() {
        let found = transcripts(&[]).unwrap();
        assert!(found.iter().all(|file| is_transcript(file)));
        assert!(found.len() > 70, "{}", found.len());
        let lessons = found.iter().filter(|file| file.extension().is_some_and(|end| end == "md"));
        assert!(lessons.count() >= 10);
    }
}
