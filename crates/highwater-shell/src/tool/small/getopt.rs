//! Options of small tools, by the rules of GNU's getopt: `-ab`, `-n5`, `-n 5`, `--lines=5`, `--`,
//! options also behind other words.

use std::fmt;

use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::catalogue::{self, CommandInfo};
use crate::tool::small::gnu::GNU;
use crate::tool::{Ended, refuse};

/// The options that a tool has.
pub(super) struct Known {
    pub(super) tool: &'static str,
    /// Letters; a `:` behind one that takes a value.
    pub(super) short: &'static str,
    /// Long names, each with its letter.
    pub(super) long: &'static [(&'static str, u8)],
    /// The exit status when they are wrong.
    pub(super) status: u8,
}

/// What was given.
pub(super) struct Given {
    /// Letters with their values, in order.
    pub(super) options: Vec<(u8, Vec<u8>)>,
    /// What is no option.
    pub(super) operands: Vec<Vec<u8>>,
}

impl Given {
    pub(super) fn has(&self, letter: u8) -> bool {
        self.options.iter().any(|(given, _)| *given == letter)
    }

    /// The last value of an option.
    pub(super) fn value(&self, letter: u8) -> Option<&[u8]> {
        let mut options = self.options.iter().rev();
        options.find(|(given, _)| *given == letter).map(|(_, value)| value.as_slice())
    }
}

impl Known {
    fn takes_value(&self, letter: u8) -> Option<bool> {
        let short = self.short.as_bytes();
        let place = short.iter().position(|known| *known == letter && letter != b':')?;
        Some(short.get(place + 1) == Some(&b':'))
    }

    /// Reads arguments.
    pub(super) fn read(&self, arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Given, Ended> {
        let mut given = Given { options: Vec::new(), operands: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            if word == b"--" {
                given.operands.extend(rest.by_ref().cloned());
            } else if let Some(long) = word.strip_prefix(b"--") {
                self.long_option(long, &mut rest, &mut given, out)?;
            } else if word.len() > 1 && word[0] == b'-' {
                self.short_options(&word[1..], &mut rest, &mut given, out)?;
            } else {
                given.operands.push(word.clone());
            }
        }
        Ok(given)
    }

    fn short_options<'a>(
        &self,
        letters: &[u8],
        rest: &mut impl Iterator<Item = &'a Vec<u8>>,
        given: &mut Given,
        out: &mut Out<'_>,
    ) -> Result<(), Ended> {
        for (place, letter) in letters.iter().enumerate() {
            let shown = char::from(*letter);
            let Some(takes_value) = self.takes_value(*letter) else {
                if self.elsewhere().is_some_and(|(letters, _)| letters.as_bytes().contains(letter))
                {
                    return Err(self.only_elsewhere(&format!("-{shown}"), out));
                }
                return Err(self.wrong(format_args!("invalid option -- '{shown}'"), out));
            };
            if !takes_value {
                given.options.push((*letter, Vec::new()));
                continue;
            }
            let value = match &letters[place + 1..] {
                [] => rest.next().cloned(),
                attached => Some(attached.to_vec()),
            };
            let Some(value) = value else {
                let text = format_args!("option requires an argument -- '{shown}'");
                return Err(self.wrong(text, out));
            };
            given.options.push((*letter, value));
            break;
        }
        Ok(())
    }

    fn long_option<'a>(
        &self,
        word: &[u8],
        rest: &mut impl Iterator<Item = &'a Vec<u8>>,
        given: &mut Given,
        out: &mut Out<'_>,
    ) -> Result<(), Ended> {
        let end = word.iter().position(|byte| *byte == b'=').unwrap_or(word.len());
        let name = String::from_utf8_lossy(&word[..end]).into_owned();
        // GNU takes long names cut short, if only one begins so.
        let mut begins = self.long.iter().filter(|(long, _)| long.starts_with(&*name));
        let exact = self.long.iter().find(|(long, _)| *long == name);
        let only = begins.next().filter(|_| begins.next().is_none());
        let Some((long, letter)) = exact.or(only).copied() else {
            if name == "help" {
                return Err(self.help(out));
            }
            if self.elsewhere().is_some_and(|(_, names)| names.contains(&&*name)) {
                return Err(self.only_elsewhere(&format!("--{name}"), out));
            }
            let text = format_args!("unrecognized option '--{name}'");
            return Err(self.wrong(text, out));
        };
        let attached = word.get(end + 1..).map(<[u8]>::to_vec);
        let value = match (self.takes_value(letter), attached) {
            (Some(true), None) => rest.next().cloned().ok_or_else(|| {
                self.wrong(format_args!("option '--{long}' requires an argument"), out)
            })?,
            (Some(true), Some(value)) => value,
            (_, Some(_)) => {
                let text = format_args!("option '--{long}' doesn't allow an argument");
                return Err(self.wrong(text, out));
            }
            (_, None) => Vec::new(),
        };
        given.options.push((letter, value));
        Ok(())
    }

    fn elsewhere(&self) -> Option<(&'static str, &'static [&'static str])> {
        let row = GNU.iter().find(|(tool, _, _)| *tool == self.tool);
        row.map(|(_, letters, names)| (*letters, *names))
    }

    fn only_elsewhere(&self, option: &str, out: &mut Out<'_>) -> Ended {
        let tool = self.tool;
        let text = format_args!(
            "{tool}: {option} exists in GNU {tool}, but Highwater does not have it; see {tool} --help"
        );
        refuse(text, self.status, out)
    }

    /// How the tool is called here, from the table of commands.
    fn help(&self, out: &mut Out<'_>) -> Ended {
        let found = catalogue::commands().iter().find(|command| command.name == self.tool);
        if let Some(CommandInfo { name, usage, about }) = found {
            let text = format!("Usage: {name} {usage}\n{name} {about}.\n");
            out.write(Fd::Stdout, text);
        }
        Ended(0)
    }

    /// Says what is wrong with the options, in GNU's words.
    pub(super) fn wrong(&self, what: fmt::Arguments<'_>, out: &mut Out<'_>) -> Ended {
        let tool = self.tool;
        let usage = match tool {
            "grep" => "Usage: grep [OPTION]... PATTERNS [FILE]...\n",
            _ => "",
        };
        let text = format_args!("{tool}: {what}\n{usage}Try '{tool} --help' for more information.");
        refuse(text, self.status, out)
    }
}

/// A text between GNU's quotes, as in the locale C.UTF-8.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    format!("\u{2018}{text}\u{2019}")
}
