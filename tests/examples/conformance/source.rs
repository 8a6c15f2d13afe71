//! The transcripts of a file: a `.console` file is one, behind those that it continues; a lesson holds several. Decides
//! which of them a real cluster cannot play.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use highwater_lesson::{Course, Source};
use highwater_shell::lang::{Command, Compound, List, Parsed, Part, Word, parse};
use highwater_shell::transcript::{Continued, Transcript};

/// What our `hw` for a real cluster can do: `launchers.rs`.
pub(crate) const REAL: [&str; 5] = ["crash", "stop", "pause", "resume", "start"];

/// A transcript that can be played.
#[derive(Debug)]
pub(crate) struct Playable {
    /// What it is called in tables: the file, and the line and the figure in a lesson.
    pub(crate) name: String,
    /// All that is played.
    pub(crate) transcript: Transcript,
    /// How many of its commands are those of others, which are compared by themselves.
    pub(crate) before: usize,
    /// By how many lines its own commands stand further below in the file.
    pub(crate) lines_above: usize,
}

/// The transcripts of a file.
pub(crate) fn read(file: &Path) -> Result<Vec<Playable>, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let text = read_text(file)?;
    if file.extension().is_some_and(|end| end == "md") {
        return read_lesson(file, &name);
    }
    let beside = |name: &str| read_text(&file.with_file_name(format!("{name}.console")));
    let Continued { whole, before } =
        Continued::read(&text, &beside).map_err(|e| format!("{}: {e}.", file.display()))?;
    Ok(vec![Playable { name: name.into_owned(), transcript: whole, before, lines_above: 0 }])
}

fn read_text(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("Cannot read {}: {e}.", file.display()))
}

/// Those of a lesson, which is read with its neighbours: it uses the terms that they define.
fn read_lesson(file: &Path, name: &str) -> Result<Vec<Playable>, String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let entries =
        fs::read_dir(folder).map_err(|e| format!("Cannot read {}: {e}.", folder.display()))?;
    let lessons = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut lessons: Vec<PathBuf> = lessons
        .filter(|path| {
            path.extension().is_some_and(|end| end == "md") && !path.ends_with("README.md")
        })
        .collect();
    lessons.sort();
    let texts: Result<Vec<_>, String> =
        lessons.iter().map(|path| Ok((path.to_string_lossy(), read_text(path)?))).collect();
    let texts = texts?;
    let sources = texts.iter().map(|(file, text)| Source { file, text });
    let course = Course::read(&sources.collect::<Vec<_>>());
    let is_it = |path: &str| Path::new(path).file_name() == file.file_name();
    let Some(lesson) = course.lessons.iter().find(|lesson| is_it(lesson.source.file)) else {
        let fault = course.faults.iter().find(|fault| is_it(&fault.file));
        return Err(fault.map_or_else(|| format!("{name} is no lesson."), ToString::to_string));
    };
    let blocks = lesson.console_blocks().map_err(|fault| fault.to_string())?;
    let mut playable = Vec::new();
    for block in blocks {
        let text = lesson.source.text;
        let first = text[..block.body.start].matches('\n').count();
        let figure = block.id.as_deref().unwrap_or("listing");
        let parse = |text: &str| {
            Transcript::parse(text).map_err(|e| format!("{name}, the block at line {first}: {e}."))
        };
        let (whole, before) = (parse(&block.text(text))?, block.before.matches('\n').count());
        let own = parse(&text[block.body.clone()])?.blocks.len();
        playable.push(Playable {
            name: format!("{name}:{first} {figure}"),
            before: whole.blocks.len().saturating_sub(own),
            transcript: whole,
            // Lines are counted in the whole text, of which the lesson has the last part.
            lines_above: first.saturating_sub(before),
        });
    }
    Ok(playable)
}

impl Playable {
    /// What of it only the simulator can do: names of commands; empty, if a real cluster can play it.
    pub(crate) fn only_simulated(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for block in &self.transcript.blocks {
            if let Ok(Parsed::Complete(list)) = parse(block.command.as_bytes()) {
                in_list(&list, &mut found);
            }
        }
        found
    }
}

fn in_list(list: &List, found: &mut BTreeSet<String>) {
    for item in &list.items {
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
        for command in pipelines.flat_map(|pipeline| &pipeline.commands) {
            in_command(command, found);
        }
    }
}

fn in_command(command: &Command, found: &mut BTreeSet<String>) {
    let plain = |word: &Word| word.plain().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let mut words = command.words.iter();
    if words.next().and_then(plain).as_deref() == Some("hw") {
        let verb = words.next().and_then(plain).unwrap_or_else(|| "...".to_owned());
        if !REAL.contains(&verb.as_str()) {
            found.insert(format!("hw {verb}"));
        }
    }
    let values = command.assignments.iter().map(|assignment| &assignment.value);
    // A variable may hold a command: `WORK='hw work ...'`.
    for part in values.clone().flat_map(|word| &word.parts) {
        if let Part::Literal { bytes, .. } = part
            && let Some(held) = bytes.strip_prefix(b"hw ")
            && let Some(verb) = String::from_utf8_lossy(held).split_whitespace().next()
            && !REAL.contains(&verb)
        {
            found.insert(format!("hw {verb}"));
        }
    }
    for part in command.words.iter().chain(values).flat_map(|word| &word.parts) {
        if let Part::Substitution { list, .. } = part
            && let Some(list) = list.get()
        {
            in_list(list, found);
        }
    }
    match command.compound.get() {
        Some(Compound::Subshell(list) | Compound::Group(list)) => in_list(list, found),
        Some(Compound::For { body, .. }) => in_list(body, found),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only_simulated(text: &str) -> Vec<String> {
        let transcript = Transcript::parse(text).unwrap();
        let name = String::new();
        let playable = Playable { name, transcript, before: 0, lines_above: 0 };
        playable.only_simulated().into_iter().collect()
    }

    /// Wherever in a line it stands; words that only look like it do not count.
    #[test]
    fn what_only_the_simulator_can_do() {
        assert!(only_simulated("$ hw crash 1; (hw start 1) && echo hw work\n").is_empty());
        let text =
            "$ for n in 1 2; do A=$(hw produce $n | cat) || { hw cut 1 2; }; done\n$ (hw work) &\n";
        assert_eq!(only_simulated(text), ["hw cut", "hw produce", "hw work"]);
        assert_eq!(only_simulated("$ hw $what\n"), ["hw ..."]);
        assert_eq!(only_simulated("$ W='hw work --as a'; D='hw stop'\n$ $W\n"), ["hw work"]);
    }

    fn lessons() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/lessons")
    }

    /// A lesson's transcripts have its lines, and one that goes on from a figure has what stands above it.
    #[test]
    fn the_transcripts_of_a_lesson() {
        let file = lessons().join("partitions.md");
        let text = fs::read_to_string(&file).unwrap();
        let all = read(&file).unwrap();
        let grow = all.iter().find(|playable| playable.name.ends_with(" grow")).unwrap();
        assert!(grow.before > 0 && grow.only_simulated().is_empty());
        for playable in &all {
            for block in &playable.transcript.blocks[playable.before..] {
                let line = text.lines().nth(block.line + playable.lines_above - 1).unwrap();
                let first = block.command.lines().next().unwrap();
                assert_eq!(line, format!("$ {first}"), "{}", playable.name);
            }
        }
    }

    /// A scene's transcript is played behind the one that it continues.
    #[test]
    fn a_transcript_that_continues_another() {
        let file = lessons().join("scenes/parcel-lockers/send-locker-4.console");
        let all = read(&file).unwrap();
        let [one] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((one.before, one.transcript.blocks.len()), (7, 8));
    }
}
