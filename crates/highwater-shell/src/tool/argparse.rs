//! Options and commands as tools read them that use argparse4j, and how these tools complain: their usage,
//! then the complaint, broken into lines.

use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::{Ended, refuse};

/// Columns of a line of a complaint.
const WIDTH: usize = 75;

/// What a tool, or one of its commands, takes.
pub(crate) struct Parser {
    /// How it is called, with the end of the line.
    pub(crate) usage: &'static str,
    /// The rest of what `--help` prints.
    pub(crate) help: &'static str,
    pub(crate) flags: &'static [Flag],
    /// Not two of these flags may be given.
    pub(crate) either: &'static [&'static str],
    /// Whether one of them must be.
    pub(crate) needs_one: bool,
    /// Its commands, one of which must be given, each with what follows it. Of one without a usage, that
    /// is not looked at.
    pub(crate) commands: &'static [(&'static str, Parser)],
}

/// A command that Kafka has and Highwater does not: what follows it is not looked at.
pub(crate) const NOT_YET: Parser =
    Parser { usage: "", help: "", flags: &[], either: &[], needs_one: false, commands: &[] };

/// A flag.
pub(crate) struct Flag {
    /// What it is called, with its dashes; the first is its name.
    pub(crate) names: &'static [&'static str],
    /// Whether a value follows it.
    pub(crate) takes_value: bool,
}

impl Flag {
    pub(crate) const fn of(names: &'static [&'static str], takes_value: bool) -> Self {
        Self { names, takes_value }
    }
}

/// Where the cluster is, as tools take it that know no short names for it.
pub(crate) const SERVER_FLAGS: &[Flag] = &[
    Flag::of(&["--bootstrap-server"], true),
    Flag::of(&["--bootstrap-controller"], true),
    Flag::of(&["--command-config"], true),
];

/// What was given, of the tool and of its command.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// The command.
    pub(crate) command: &'static str,
    values: Vec<(&'static str, String)>,
}

/// Why there is nothing to be done.
enum Stop {
    /// This was asked for.
    Help(String),
    /// The usage that fits, and what is wrong.
    Wrong(&'static str, String),
}

impl Given {
    /// The value of a flag; of several, the last.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.values.iter().rev();
        values.find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Says so if one of these flags, or the command, is one that Highwater does not have.
    pub(crate) fn refuse_absent(
        &self,
        absent: &[&str],
        commands: &[&str],
        out: &mut Out<'_>,
    ) -> Result<(), Ended> {
        let flag = absent.iter().find(|name| self.has(name)).copied();
        let command = Some(self.command).filter(|command| !commands.contains(command));
        match flag.or(command) {
            None => Ok(()),
            Some(name) => {
                let text = format!("{name} exists in Kafka, but Highwater does not have it yet.");
                Err(refuse(format_args!("{text}"), 1, out))
            }
        }
    }

    /// All values of a flag.
    pub(crate) fn all<'g>(&'g self, name: &'g str) -> impl Iterator<Item = &'g str> {
        let given = self.values.iter().filter(move |(known, _)| *known == name);
        given.map(|(_, value)| value.as_str())
    }

    /// Whether a flag was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

impl Parser {
    /// Reads the arguments of a tool.
    fn read(&self, arguments: &[Vec<u8>]) -> Result<Given, Stop> {
        let words: Vec<String> =
            arguments.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let mut given = Given::default();
        self.take(&words, &mut given)?;
        Ok(given)
    }

    /// What a tool of that name was given. Where that is a call for help, or wrong, it says so and ends; after
    /// help with this status.
    pub(crate) fn given(
        &self,
        arguments: &[Vec<u8>],
        (name, after_help): (&str, u8),
        out: &mut Out<'_>,
    ) -> Result<Given, Ended> {
        self.read(arguments).map_err(|stop| match stop {
            Stop::Help(text) => {
                out.write(Fd::Stdout, text);
                Ended(after_help)
            }
            Stop::Wrong(usage, text) => complain(name, usage, &text, out),
        })
    }

    /// The same for a tool with words of its own for what is wrong.
    pub(crate) fn given_or(
        &self,
        arguments: &[Vec<u8>],
        after_help: u8,
        complain: fn(&str, &mut Out<'_>) -> Ended,
        out: &mut Out<'_>,
    ) -> Result<Given, Ended> {
        self.read(arguments).map_err(|stop| match stop {
            Stop::Help(text) => {
                out.write(Fd::Stdout, text);
                Ended(after_help)
            }
            Stop::Wrong(_, text) => complain(&text, out),
        })
    }

    fn wrong(&self, text: String) -> Stop {
        Stop::Wrong(self.usage, text)
    }

    fn take(&self, words: &[String], given: &mut Given) -> Result<(), Stop> {
        let mut rest = words;
        let mut has_command = false;
        while let Some((word, after)) = rest.split_first() {
            if word.starts_with('-') {
                rest = self.take_flag(word, after, given)?;
                continue;
            }
            if self.commands.is_empty() {
                let text = [std::slice::from_ref(word), after].concat().join(" ");
                return Err(self.wrong(format!("unrecognized arguments: '{text}'")));
            }
            let Some((name, command)) = self.commands.iter().find(|(name, _)| name == word) else {
                let names: Vec<String> =
                    self.commands.iter().map(|(name, _)| format!("'{name}'")).collect();
                let names = names.join(", ");
                let text = format!("invalid choice: '{word}' (choose from {names})");
                return Err(self.wrong(text));
            };
            given.command = name;
            has_command = true;
            if !command.usage.is_empty() {
                command.take(after, given)?;
            }
            break;
        }
        if !self.commands.is_empty() && !has_command {
            return Err(self.wrong("too few arguments".to_owned()));
        }
        if self.needs_one && !self.either.iter().any(|name| given.has(name)) {
            let names: Vec<String> =
                self.either.iter().filter_map(|name| self.find(name)).map(called).collect();
            let names = names.join(" ");
            return Err(self.wrong(format!("one of the arguments {names} is required")));
        }
        Ok(())
    }

    /// Takes a flag and its value; returns the words behind it.
    fn take_flag<'a>(
        &self,
        word: &str,
        after: &'a [String],
        given: &mut Given,
    ) -> Result<&'a [String], Stop> {
        if ["-h", "--help"].contains(&word) {
            return Err(Stop::Help([self.usage, self.help].concat()));
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        let flag = self.flag(name)?;
        let Some(key) = flag.names.first().copied() else { return Ok(after) };
        if self.either.contains(&key) {
            let mut others = self.either.iter().filter(|other| **other != key && given.has(other));
            if let Some(other) = others.next().and_then(|other| self.find(other)) {
                let (this, other) = (called(flag), called(other));
                let text = format!("argument {this}: not allowed with argument {other}");
                return Err(self.wrong(text));
            }
        }
        if !flag.takes_value {
            given.values.push((key, String::new()));
            return Ok(after);
        }
        let next = after.split_first().filter(|(next, _)| is_value(next));
        let (value, after) = match (attached, next) {
            (Some(value), _) => (value, after),
            (None, Some((next, after))) => (next.clone(), after),
            (None, None) => {
                let text = format!("argument {}: expected one argument", called(flag));
                return Err(self.wrong(text));
            }
        };
        given.values.push((key, value));
        Ok(after)
    }

    fn find(&self, name: &str) -> Option<&'static Flag> {
        self.flags.iter().find(|flag| flag.names.contains(&name))
    }

    /// The flag of that name, or the only one that begins so.
    fn flag(&self, name: &str) -> Result<&'static Flag, Stop> {
        if let Some(flag) = self.find(name) {
            return Ok(flag);
        }
        let mut fitting: Vec<(&str, &'static Flag)> = Vec::new();
        if name.starts_with("--") {
            for flag in self.flags {
                let names = flag.names.iter().filter(|known| known.starts_with(name));
                fitting.extend(names.map(|known| (*known, flag)));
            }
        }
        match fitting.as_slice() {
            [(_, flag)] => Ok(flag),
            [] => Err(self.wrong(format!("unrecognized arguments: '{name}'"))),
            _ => {
                let mut names: Vec<&str> = fitting.iter().map(|(known, _)| *known).collect();
                names.sort_unstable();
                let names = names.join(", ");
                Err(self.wrong(format!("ambiguous option: {name} could match {names}")))
            }
        }
    }
}

/// A flag as complaints name it.
fn called(flag: &Flag) -> String {
    flag.names.join("/")
}

/// Says what is wrong, exit 1.
pub(crate) fn complain(name: &str, usage: &str, text: &str, out: &mut Out<'_>) -> Ended {
    let lines = justified(&[name, ": error: ", text].concat());
    out.print(Fd::Stderr, format_args!("{usage}{lines}"));
    Ended(1)
}

/// The text in lines of one width: all but the last are filled up with blanks between the words in
/// the middle. A line may also end after a hyphen.
fn justified(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for piece in pieces(text) {
        if !line.is_empty() && line.len() + piece.trim_end().len() >= WIDTH {
            lines.push_str(&filled(line.trim_end()));
            lines.push('\n');
            line.clear();
        }
        line.push_str(piece);
    }
    lines.push_str(line.trim_end());
    lines.push('\n');
    lines
}

/// A text cut where a line may end: after blanks, and after hyphens before a letter.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let ends = |at: &usize| {
            let next = bytes.get(*at).copied().unwrap_or(b' ');
            match bytes[*at - 1] {
                b' ' => next != b' ',
                b'-' => next.is_ascii_alphabetic(),
                _ => false,
            }
        };
        let end = (1..bytes.len()).find(ends).unwrap_or(bytes.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn filled(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let gaps = words.len().saturating_sub(1);
    let missing = WIDTH.saturating_sub(line.len());
    if gaps == 0 || missing == 0 {
        return line.to_owned();
    }
    let (each, extra) = (missing / gaps, missing % gaps);
    let first = (gaps - extra).div_ceil(2);
    let mut text = String::new();
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            let is_wider = (first..first + extra).contains(&(number - 1));
            text.push_str(&" ".repeat(1 + each + usize::from(is_wider)));
        }
        text.push_str(word);
    }
    text
}

/// A word that begins with `-` is an option, unless it looks like a number.
pub(super) fn is_value(word: &str) -> bool {
    word.strip_prefix('-')
        .is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Complaints are broken and filled as real Kafka's were (recorded: perf-test.console).
    #[test]
    fn lines() {
        for (text, lines) in [
            (
                "kafka-producer-perf-test: error: At least one of --bootstrap-server, \
                 --command-property, --producer-props, --producer.config or --command-config must \
                 be specified.",
                "kafka-producer-perf-test: error: At  least  one  of  --bootstrap-server, --\n\
                 command-property, --producer-props,  --producer.config  or --command-config\n\
                 must be specified.\n",
            ),
            (
                "kafka-producer-perf-test: error: argument --payload-file: not allowed with \
                 argument --record-size",
                "kafka-producer-perf-test: error: argument --payload-file:  not allowed with\n\
                 argument --record-size\n",
            ),
            ("", "\n"),
            ("one", "one\n"),
        ] {
            assert_eq!(justified(text), lines);
        }
        assert_eq!(justified(&"x".repeat(200)).len(), 201);
    }
}
