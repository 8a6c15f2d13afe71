//! Text to transcript.
//!
//! Decides which line is a command, a comment, output or an exit line. Where a command ends, the
//! shell's lexer says.

use super::{
    BROKERS_DEFAULT, BROKERS_MAX, Block, Note, TRANSCRIPT_BYTES_MAX, Transcript, TranscriptError,
    TranscriptErrorKind as Kind,
};
use highwater_core::ids::BrokerId;
use highwater_core::world::options::OwnSetting;

use crate::lang::{Extent, INPUT_BYTES_MAX, Missing, first_command};

impl Transcript {
    /// Reads a transcript.
    ///
    /// # Errors
    /// The first line that does not follow the format, and what to do about it.
    pub fn parse(text: &str) -> Result<Self, TranscriptError> {
        if text.len() > TRANSCRIPT_BYTES_MAX {
            return Err(TranscriptError { line: 1, what: Kind::TooLong });
        }
        // Some editors put it first.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut reader = Reader { rest: text, line: 0 };
        let mut transcript = Self {
            brokers: BROKERS_DEFAULT,
            broker_properties: Vec::new(),
            own_properties: Vec::new(),
            blocks: Vec::new(),
            preamble: Vec::new(),
            ends_with_line_end: text.is_empty() || text.ends_with('\n'),
        };
        transcript.read_preamble(&mut reader)?;
        while let Some(command) = reader.command()? {
            let line = command.line;
            let raw = reader.outcome()?;
            transcript.blocks.push(raw.into_block(line, command.text));
        }
        Ok(transcript)
    }

    fn read_preamble(&mut self, reader: &mut Reader<'_>) -> Result<(), TranscriptError> {
        let mut has_brokers = false;
        // On which line each line of one broker stands.
        let mut own = Vec::new();
        while let Some(text) = reader.peek() {
            if text.starts_with("$ ") {
                break;
            }
            reader.take();
            if !is_note(text) && !text.is_empty() {
                return reader.error(Kind::OutputBeforeCommand);
            }
            if let Some(directive) = text.strip_prefix("#!") {
                if directive.ends_with('\r') {
                    return reader.error(Kind::CarriageReturn);
                }
                match self.directive(directive.trim(), &mut has_brokers) {
                    Ok(()) => {}
                    Err(what) => return reader.error(what),
                }
                own.resize(self.own_properties.len(), reader.line);
            }
            self.preamble.push(text.to_owned());
        }
        // How many there are may be said below.
        let is_there = |broker: BrokerId| broker.0.unsigned_abs() <= self.brokers;
        match self.own_properties.iter().zip(own).find(|(line, _)| !is_there(line.broker)) {
            Some((_, line)) => {
                Err(TranscriptError { line, what: Kind::UnknownBroker(self.brokers) })
            }
            None => Ok(()),
        }
    }

    fn directive(&mut self, text: &str, has_brokers: &mut bool) -> Result<(), Kind> {
        let (name, value) = text.split_once(' ').unwrap_or((text, ""));
        let value = value.trim();
        match name {
            "brokers" if *has_brokers => Err(Kind::RepeatedBrokers),
            "brokers" => {
                let count = value.parse().ok().filter(|count| (1..=BROKERS_MAX).contains(count));
                self.brokers = count.ok_or(Kind::BadBrokerCount)?;
                *has_brokers = true;
                Ok(())
            }
            "broker" => {
                let (broker, value) = of_broker(value)?;
                let (key, value) = value.split_once('=').ok_or(Kind::BadBrokerProperty)?;
                let (key, value) = (key.trim(), value.trim());
                if key.is_empty() || key.contains([' ', '\t']) {
                    return Err(Kind::BadBrokerProperty);
                }
                let (key, value) = (key.to_owned(), value.to_owned());
                let Some(broker) = broker else {
                    self.broker_properties.push((key, value));
                    return Ok(());
                };
                let line = OwnSetting { broker, key, value };
                let same = |other: &&OwnSetting| other.broker == broker && other.key == line.key;
                if self.own_properties.iter().find(same).is_some_and(|other| *other != line) {
                    return Err(Kind::ContradictoryProperty);
                }
                self.own_properties.push(line);
                Ok(())
            }
            _ => Err(Kind::UnknownDirective),
        }
    }
}

/// The broker that a `#! broker` line is for, if it names one, and what stands behind that.
fn of_broker(text: &str) -> Result<(Option<BrokerId>, &str), Kind> {
    let (number, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok((None, text));
    }
    let id = number.parse().ok().filter(|id| *id > 0).ok_or(Kind::BadBrokerProperty)?;
    Ok((Some(BrokerId(id)), rest.trim_start()))
}

/// Walks over the lines of a file.
struct Reader<'a> {
    rest: &'a str,
    /// Number of the line taken last.
    line: usize,
}

struct TypedCommand {
    line: usize,
    text: String,
}

/// What stands below a command, line by line.
enum Raw {
    Output(String),
    Note(String),
}

struct RawOutcome {
    lines: Vec<Raw>,
    /// The status, and how many of the lines stand before it.
    exit: Option<(u8, usize)>,
}

impl<'a> Reader<'a> {
    fn error<T>(&self, what: Kind) -> Result<T, TranscriptError> {
        Err(TranscriptError { line: self.line, what })
    }

    fn peek(&self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        Some(self.rest.split('\n').next().unwrap_or(self.rest))
    }

    fn take(&mut self) -> Option<&'a str> {
        let text = self.peek()?;
        self.advance(text.len());
        Some(text)
    }

    /// Takes that many bytes, which are whole lines, and the line end after them.
    fn advance(&mut self, bytes: usize) {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += 1 + taken.matches('\n').count();
        self.rest = rest.strip_prefix('\n').unwrap_or(rest);
    }

    fn command(&mut self) -> Result<Option<TypedCommand>, TranscriptError> {
        let Some(typed) = self.rest.strip_prefix("$ ") else { return Ok(None) };
        let line = self.line + 1;
        let wrong = |what| Err(TranscriptError { line, what });
        // Mostly a command ends before the next one begins; only a heredoc may hold a `$ `.
        let until_next = typed.find("\n$ ").map_or(typed, |end| &typed[..end]);
        let bytes = match first_command(bounded(until_next)) {
            Extent::Incomplete(Missing::HereDocumentEnd) => first_command(bounded(typed)),
            extent => extent,
        };
        let bytes = match bytes {
            Extent::Complete { bytes } if bytes <= INPUT_BYTES_MAX => bytes,
            Extent::Incomplete(missing) if typed.len() <= INPUT_BYTES_MAX => {
                return wrong(Kind::Unfinished(missing));
            }
            Extent::Incomplete(missing) if until_next.len() <= INPUT_BYTES_MAX => {
                // A heredoc looked beyond the next command and did not end within bounds.
                return wrong(if missing == Missing::HereDocumentEnd {
                    Kind::CommandTooLong
                } else {
                    Kind::Unfinished(missing)
                });
            }
            _ => return wrong(Kind::CommandTooLong),
        };
        let text = typed[..bytes].to_owned();
        self.rest = typed;
        self.advance(bytes);
        if text.split('\n').any(|typed_line| typed_line.ends_with('\r')) {
            return wrong(Kind::CarriageReturn);
        }
        Ok(Some(TypedCommand { line, text }))
    }

    fn outcome(&mut self) -> Result<RawOutcome, TranscriptError> {
        let mut raw = RawOutcome { lines: Vec::new(), exit: None };
        while let Some(text) = self.peek() {
            if text.starts_with("$ ") {
                break;
            }
            self.take();
            if text.starts_with("#!") {
                return self.error(Kind::LateDirective);
            }
            if is_note(text) || (raw.exit.is_some() && text.is_empty()) {
                raw.lines.push(Raw::Note(text.to_owned()));
            } else if raw.exit.is_some() {
                return self.error(Kind::OutputAfterExit);
            } else if let Some(status) = text.strip_prefix("[exit ") {
                match exit_status(status) {
                    Some(status) => raw.exit = Some((status, raw.lines.len())),
                    None => return self.error(Kind::BadExit),
                }
            } else if let Some(escaped) = text.strip_prefix('\\') {
                if !needs_escape(escaped) {
                    return self.error(Kind::NeedlessEscape);
                }
                raw.lines.push(Raw::Output(escaped.to_owned()));
            } else {
                raw.lines.push(Raw::Output(text.to_owned()));
            }
        }
        Ok(raw)
    }
}

impl RawOutcome {
    fn into_block(self, line: usize, command: String) -> Block {
        let exit = self.exit.map_or(0, |(status, _)| status);
        let is_text = |raw: &Raw| matches!(raw, Raw::Output(text) if !text.is_empty());
        let output_end = match self.exit {
            Some((_, before)) => before,
            None => self.lines.iter().rposition(is_text).map_or(0, |last| last + 1),
        };
        let mut block = Block { line, command, output: Vec::new(), exit, notes: Vec::new() };
        for (index, raw) in self.lines.into_iter().enumerate() {
            let is_after = index >= output_end;
            match raw {
                Raw::Output(text) if !is_after => block.output.push(text),
                Raw::Output(text) | Raw::Note(text) => {
                    let after = if is_after { block.length() } else { block.output.len() };
                    block.notes.push(Note { after, text });
                }
            }
        }
        block
    }
}

/// Enough to see that a command is too long, and no more.
fn bounded(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(INPUT_BYTES_MAX + 1)]
}

/// Whether a line is a comment or a directive.
fn is_note(text: &str) -> bool {
    text == "#" || text.starts_with("# ") || text.starts_with("#!")
}

/// Whether an output line would be taken for something else.
pub(super) fn needs_escape(text: &str) -> bool {
    text.starts_with("$ ") || is_note(text) || text.starts_with("[exit ") || text.starts_with('\\')
}

/// The status in `N]`, as the writer spells it.
fn exit_status(text: &str) -> Option<u8> {
    let digits = text.strip_suffix(']')?;
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}
