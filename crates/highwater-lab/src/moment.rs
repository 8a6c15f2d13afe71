//! Moments of a transcript, and what it says of its commands: comments that a figure shows.
//!
//! `# moment: NAME` names the moment between the commands around it. Each other comment that stands right above a
//! command is said with that command; lines of the head (`# title: ...`) are not. `# try: WORDS | COMMAND` offers a
//! command at the prompt.

use highwater_core::world::input::InputKind;
use highwater_shell::transcript::Transcript;

use crate::run::Run;

/// Lines of the head, which say what a scene is.
const HEAD: [&str; 6] = ["title", "about", "watch", "view", "topic", "goal"];
const MOMENT: &str = "# moment: ";
const TRY: &str = "# try: ";

/// What a transcript says of its commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What is said with each command; empty: nothing.
    captions: Vec<String>,
    /// Each name with the number of commands before it.
    moments: Vec<(String, usize)>,
    tries: Vec<(String, String)>,
}

impl Told {
    /// Reads it out of the text of a transcript.
    ///
    /// # Errors
    /// The text is no transcript, or two moments have one name.
    pub fn read(text: &str) -> Result<Self, String> {
        let transcript = Transcript::parse(text).map_err(|error| error.to_string())?;
        let lines: Vec<&str> = text.lines().collect();
        let mut told = Self { tries: tries(&lines)?, ..Self::default() };
        let mut from = 0;
        for (number, block) in transcript.blocks.iter().enumerate() {
            let upto = block.line.saturating_sub(1).min(lines.len());
            told.comments(lines.get(from..upto).unwrap_or_default(), number)?;
            from = upto + block.command.lines().count();
        }
        told.moments_in(lines.get(from..).unwrap_or_default(), transcript.blocks.len())?;
        Ok(told)
    }

    /// The comments between two commands: the last of them in one piece belong to the command behind them.
    fn comments(&mut self, lines: &[&str], before: usize) -> Result<(), String> {
        self.moments_in(lines, before)?;
        let own = lines.iter().rev().take_while(|line| line.starts_with('#'));
        let mut said: Vec<&str> = own.filter_map(|line| caption(line)).collect();
        said.reverse();
        self.captions.push(said.join(" "));
        Ok(())
    }

    fn moments_in(&mut self, lines: &[&str], before: usize) -> Result<(), String> {
        for name in lines.iter().filter_map(|line| line.strip_prefix(MOMENT)) {
            let name = name.trim();
            if self.commands_before(name, 0).is_some() {
                return Err(format!("there is already a moment named `{name}`"));
            }
            self.moments.push((name.to_owned(), before));
        }
        Ok(())
    }

    /// How many commands come before a moment: one with a name, `start`, `end` or a number of commands.
    #[must_use]
    pub fn commands_before(&self, moment: &str, commands: usize) -> Option<usize> {
        match moment {
            "start" => Some(0),
            "end" => Some(commands.max(self.captions.len())),
            _ => {
                let named = self.moments.iter().find(|(name, _)| name == moment);
                let number = || moment.parse().ok().filter(|number| *number <= commands);
                named.map(|(_, before)| *before).or_else(number)
            }
        }
    }

    /// The names of all moments that have one.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.moments.iter().map(|(name, _)| name.as_str())
    }

    /// Commands offered at the prompt, each with what it is called.
    #[must_use]
    pub fn tries(&self) -> &[(String, String)] {
        &self.tries
    }

    /// What is said with the n-th command, counted from 0.
    #[must_use]
    pub fn caption(&self, command: usize) -> Option<&str> {
        self.captions.get(command).map(String::as_str).filter(|said| !said.is_empty())
    }
}

fn tries(lines: &[&str]) -> Result<Vec<(String, String)>, String> {
    let mut tries = Vec::new();
    for offer in lines.iter().filter_map(|line| line.strip_prefix(TRY)) {
        let Some((words, command)) = offer.split_once(" | ") else {
            return Err(format!("`# try: {offer}` must be `# try: WORDS | COMMAND`"));
        };
        tries.push((words.trim().to_owned(), command.trim().to_owned()));
    }
    Ok(tries)
}

/// What a comment says, if it is meant for the reader.
fn caption(line: &str) -> Option<&str> {
    let said = line.strip_prefix("# ")?.trim();
    let is_head = said.split_once(": ").is_some_and(|(name, _)| HEAD.contains(&name));
    let is_own = line.starts_with(MOMENT) || line.starts_with(TRY);
    (!is_head && !is_own && !said.is_empty()).then_some(said)
}

/// The steps that the world had taken after each command of a run that a transcript has made.
#[must_use]
pub fn steps_after_commands(run: &Run) -> Vec<u64> {
    let mut steps = Vec::new();
    for (input, stop) in run.timeline().inputs().zip(run.timeline().stops()) {
        match (&input.kind, steps.last_mut()) {
            // What ends a command, such as Ctrl-C, belongs to it.
            (InputKind::Interrupt | InputKind::EndOfInput, Some(last)) => *last = stop.step,
            _ => steps.push(stop.step),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# title: A test\n#! brokers 1\n# Say it.\n$ echo a\na\n# moment: middle\n# Twice\n# over.\n$ echo b\nb\n# moment: late\n";

    #[test]
    fn comments_are_said_with_the_command_behind_them() {
        let told = Told::read(TEXT).unwrap();
        assert_eq!(told.caption(0), Some("Say it."));
        assert_eq!(told.caption(1), Some("Twice over."));
        assert_eq!(told.caption(2), None);
    }

    #[test]
    fn moments_stand_between_commands() {
        let told = Told::read(TEXT).unwrap();
        let before = |name| told.commands_before(name, 2);
        assert_eq!(before("start"), Some(0));
        assert_eq!(before("middle"), Some(1));
        assert_eq!(before("late"), Some(2));
        assert_eq!(before("end"), Some(2));
        assert_eq!(before("1"), Some(1));
        assert_eq!(before("3"), None);
        assert_eq!(before("nowhere"), None);
    }

    #[test]
    fn what_is_offered_has_words_and_a_command() {
        let told = Told::read("# try: list | ls -l\n$ echo a\na\n").unwrap();
        assert_eq!(told.tries(), [("list".to_owned(), "ls -l".to_owned())]);
        assert_eq!(told.caption(0), None);
        assert!(Told::read("# try: ls\n$ echo a\na\n").unwrap_err().contains("WORDS"));
    }

    #[test]
    fn a_name_is_given_once() {
        let twice = format!("{TEXT}# moment: middle\n");
        assert!(Told::read(&twice).unwrap_err().contains("middle"));
    }
}
