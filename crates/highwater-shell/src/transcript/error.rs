//! What may be wrong with a transcript, with the line and the remedy.
//!
//! Decides the words. Finds nothing itself.

use crate::lang::Missing;
use std::fmt;

/// Why a transcript cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptError {
    /// Line of the file, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: TranscriptErrorKind,
}

/// What is wrong with a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscriptErrorKind {
    /// More than [`super::TRANSCRIPT_BYTES_MAX`] bytes.
    TooLong,
    /// One command is longer than the shell takes.
    CommandTooLong,
    /// A line ends in a carriage return.
    CarriageReturn,
    /// Text before the first command.
    OutputBeforeCommand,
    /// A `#!` line that says nothing known.
    UnknownDirective,
    /// A number of brokers that is none, or out of bounds.
    BadBrokerCount,
    /// `#! broker` without `key=value`.
    BadBrokerProperty,
    /// `#! broker N` for a broker that is not there; so many are.
    UnknownBroker(u32),
    /// `#! broker N` with another value for a key than before.
    ContradictoryProperty,
    /// `#! brokers` twice.
    RepeatedBrokers,
    /// A directive after the first command.
    LateDirective,
    /// The command never ends, or only after another one begins.
    Unfinished(Missing),
    /// `[exit N]` with an N that is no status from 1 to 255.
    BadExit,
    /// Output after `[exit N]`.
    OutputAfterExit,
    /// A backslash before something that needs none.
    NeedlessEscape,
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use TranscriptErrorKind as Kind;
        f.write_str("line ")?;
        fmt::Display::fmt(&self.line, f)?;
        f.write_str(": ")?;
        if let Kind::Unfinished(missing) = self.what {
            f.write_str(missing.as_str())?;
        }
        if let Kind::UnknownBroker(brokers) = self.what {
            f.write_str("there is no broker of this number, they are 1 to ")?;
            fmt::Display::fmt(&brokers, f)?;
        }
        f.write_str(match self.what {
            Kind::TooLong => "the transcript is longer than 16 MiB; split it",
            Kind::CommandTooLong => "this command is longer than 1 MiB; split it",
            Kind::CarriageReturn => {
                "the line ends in CR LF; save the file with LF line ends (dos2unix does it)"
            }
            Kind::OutputBeforeCommand => {
                "text before the first command; begin a command with `$ `, a comment with `# `"
            }
            Kind::UnknownDirective => {
                "unknown directive; there are `#! brokers N`, `#! broker key=value` and \
                 `#! broker N key=value`, and a comment begins with `# `"
            }
            Kind::BadBrokerCount => "`#! brokers` needs a number from 1 to 9",
            Kind::BadBrokerProperty => {
                "`#! broker` needs key=value, as in server.properties; for one broker its number stands \
                 before it: `#! broker 2 broker.rack=a`"
            }
            Kind::UnknownBroker(_) => "; ask for more with `#! brokers N`, or take the line out",
            Kind::ContradictoryProperty => {
                "this broker has another value for this key above; keep one"
            }
            Kind::RepeatedBrokers => "`#! brokers` stands here a second time; keep one",
            Kind::LateDirective => "a directive stands after a command; move it to the top",
            Kind::Unfinished(_) => {
                " is missing before the next command or the end; add it, or quote what asks for it"
            }
            Kind::BadExit => {
                "an exit line reads `[exit N]` with N from 1 to 255 (0 is not written); \
                 as output write `\\[exit ...`"
            }
            Kind::OutputAfterExit => {
                "output after the exit line; put `[exit N]` last, or write `\\[exit N]` \
                 if it is output"
            }
            Kind::NeedlessEscape => {
                "a `\\` at the beginning of an output line protects `$ `, `#`, `[exit ` and `\\` \
                 only; write `\\\\` for a backslash"
            }
        })
    }
}

impl std::error::Error for TranscriptError {}
