//! Moments of a run that was made of a transcript: before and after each of its commands, and those that the
//! transcript names. A number, too, is a moment: that at which so many commands have finished.
//!
//! The comment `# moment: NAME` names the moment between the commands around it, when the one above has finished.
//! `start` and `end` are always there. Other comments are captions of the command below them, but for the
//! heads at the beginning (`# title: ...`, web/lab/README.md). `# try: WORDS | COMMAND` offers a command at the prompt.

use highwater_core::world::input::InputKind;
use highwater_core::world::world::World;
use highwater_shell::transcript::Transcript;

use crate::claim::{Mistake, nearest};
use crate::run::Run;

/// The moment before the first command.
pub const START: &str = "start";
/// The moment after the last one.
pub const END: &str = "end";

/// What heads at the beginning of a transcript say; they are no captions.
const HEADS: [&str; 8] = ["title", "about", "asked", "watch", "view", "topic", "goal", "continues"];

/// The moments of a transcript, and what its comments say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    commands: Vec<String>,
    /// Each name with the number of commands before it.
    named: Vec<(String, usize)>,
    /// What stands above each command, and below the last one.
    captions: Vec<Vec<String>>,
    tries: Vec<(String, String)>,
}

/// A place in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The world has taken so many steps.
    pub step: u64,
    /// So many stops of the story have happened.
    pub stop: usize,
}

impl Moments {
    /// Those of a transcript.
    ///
    /// # Errors
    /// A name is no name, or is there twice.
    pub fn of(transcript: &Transcript) -> Result<Self, Mistake> {
        let commands: Vec<String> =
            transcript.blocks.iter().map(|block| block.command.clone()).collect();
        let mut moments =
            Self { commands, named: Vec::new(), captions: Vec::new(), tries: Vec::new() };
        let first = transcript.head().filter(|comment| !is_head(comment));
        moments.read(first)?;
        for block in &transcript.blocks {
            moments.read(block.comments())?;
        }
        Ok(moments)
    }

    /// Takes the comments in front of the next command.
    fn read<'a>(&mut self, comments: impl Iterator<Item = &'a str>) -> Result<(), Mistake> {
        let passed = self.captions.len();
        let mut captions = Vec::new();
        for comment in comments {
            if let Some(name) = comment.strip_prefix("moment:") {
                self.name(name.trim(), passed)?;
            } else if let Some(offer) = comment.strip_prefix("try:") {
                self.offer(offer)?;
            } else {
                captions.push(comment.to_owned());
            }
        }
        self.captions.push(captions);
        Ok(())
    }

    fn offer(&mut self, offer: &str) -> Result<(), Mistake> {
        let Some((words, command)) = offer.split_once(" | ") else {
            let remedy = "write `# try: WORDS | COMMAND`";
            return Err(Mistake::new(format!("`# try:{offer}`: this offers no command"), remedy));
        };
        self.tries.push((words.trim().to_owned(), command.trim().to_owned()));
        Ok(())
    }

    fn name(&mut self, name: &str, passed: usize) -> Result<(), Mistake> {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let what = |why: &str| format!("`# moment: {name}`: {why}");
        if name.is_empty() || !name.bytes().all(is_part) {
            let remedy = "take small letters, digits and hyphens: `# moment: leader-is-down`";
            return Err(Mistake::new(what("this is no name"), remedy));
        }
        if name == START || name == END {
            return Err(Mistake::new(what("this one is always there"), "take another name"));
        }
        if self.named.iter().any(|(known, _)| known == name) {
            return Err(Mistake::new(what("this name is there twice"), "rename one of them"));
        }
        self.named.push((name.to_owned(), passed));
        Ok(())
    }

    /// How many commands there are.
    #[must_use]
    pub fn commands(&self) -> usize {
        self.commands.len()
    }

    /// The commands that have finished at a moment.
    ///
    /// # Errors
    /// There is no moment of that name.
    pub fn commands_before(&self, name: &str) -> Result<&[String], Mistake> {
        Ok(self.commands.get(..self.passed(name)?).unwrap_or_default())
    }

    /// The names of all moments, in their order.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let named = self.named.iter().map(|(name, _)| name.as_str());
        std::iter::once(START).chain(named).chain([END]).collect()
    }

    /// What the comments say above a command, the first one being 0; below the last one with the number of all.
    #[must_use]
    pub fn captions(&self, command: usize) -> &[String] {
        self.captions.get(command).map_or(&[], Vec::as_slice)
    }

    /// What the author says while a command runs: what stands above it. One that only waits goes on with the words
    /// for the one before it.
    #[must_use]
    pub fn said(&self, command: usize) -> &[String] {
        let only_waits = |at: usize| {
            self.captions(at).is_empty()
                && self.commands.get(at).is_some_and(|line| line.starts_with("sleep "))
        };
        let mut at = command;
        while at > 0 && only_waits(at) {
            at -= 1;
        }
        self.captions(at)
    }

    /// Commands offered at the prompt, each with what it is called.
    #[must_use]
    pub fn tries(&self) -> &[(String, String)] {
        &self.tries
    }

    /// How many commands have finished at a moment.
    ///
    /// # Errors
    /// There is no moment of that name.
    pub fn passed(&self, name: &str) -> Result<usize, Mistake> {
        match name {
            START => return Ok(0),
            END => return Ok(self.commands.len()),
            _ => {}
        }
        let found = self.named.iter().find(|(known, _)| known == name);
        let found = found.map(|(_, passed)| *passed);
        let counted = || name.parse().ok().filter(|passed| *passed <= self.commands.len());
        found.or_else(counted).ok_or_else(|| {
            let names = self.names();
            let remedy = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    format!("there is {}; a comment `# moment: {name}` makes it", names.join(", "))
                }
            };
            Mistake::new(format!("there is no moment `{name}`"), remedy)
        })
    }

    /// Where in a run of this transcript no command has finished, one, two and so on, as far as they were played.
    #[must_use]
    pub fn places(&self, run: &Run) -> Vec<Place> {
        let (timeline, terminal) = (run.timeline(), run.session().terminal());
        let mut steps = vec![timeline.checkpoints().first().map_or(0, World::steps)];
        for (input, stop) in timeline.inputs().zip(timeline.stops()) {
            if input.terminal != terminal {
                break;
            }
            let next = self.commands.get(steps.len().saturating_sub(1));
            match (&input.kind, steps.last_mut()) {
                (InputKind::Line(line), _) if next == Some(line) => steps.push(stop.step),
                // The end of its input, or Ctrl-C, belongs to the command.
                (InputKind::EndOfInput | InputKind::Interrupt, Some(last)) => *last = stop.step,
                _ => break,
            }
        }
        let stops = run.stops();
        let stop_at = |step| stops.partition_point(|stop| stop.step <= step);
        steps.into_iter().map(|step| Place { step, stop: stop_at(step) }).collect()
    }

    /// Where in a run of this transcript so many commands have finished; `None`: they were not played.
    #[must_use]
    pub fn place_after(&self, run: &Run, passed: usize) -> Option<Place> {
        self.places(run).get(passed).copied()
    }

    /// Where a command begins and where it has finished, the first one being 0; `None`: it was not played.
    #[must_use]
    pub fn places_of(&self, run: &Run, command: usize) -> Option<[Place; 2]> {
        let places = self.places(run);
        Some([*places.get(command)?, *places.get(command + 1)?])
    }
}

impl Run {
    /// Goes to the moment at which so many commands of the transcript that it was made of have finished.
    ///
    /// # Errors
    /// They were not played; the run stays where it is.
    pub fn seek_after(&mut self, moments: &Moments, passed: usize) -> Result<(), Mistake> {
        let place = moments.place_after(self, passed).ok_or_else(|| {
            let what = format!("this run did not come to the end of command {passed}");
            Mistake::new(what, "play the whole transcript, and nothing else before it")
        })?;
        self.seek_step(place.step);
        Ok(())
    }

    /// Goes to a named moment of that transcript.
    ///
    /// # Errors
    /// There is no such moment, or it was not played; the run stays where it is.
    pub fn seek_to_moment(&mut self, moments: &Moments, name: &str) -> Result<(), Mistake> {
        self.seek_after(moments, moments.passed(name)?)
    }
}

/// Whether a comment at the beginning is a head: `title: ...`.
fn is_head(comment: &str) -> bool {
    comment.split_once(": ").is_some_and(|(name, _)| HEADS.contains(&name))
        || comment.starts_with("continues ")
}
