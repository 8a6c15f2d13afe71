//! The tree back as text that parses to the same tree.
//!
//! Decides one spelling: `&>file` comes back as `> file 2>&1`, `<<-X` with its tabs taken, comments
//! not at all. Used where a command is shown again, as in a list of jobs or a derived transcript.

use highwater_core::scope;

use super::ast::{
    AndOr, Assignment, Command, Compound, Connector, List, Part, Pipeline, Redirect,
    RedirectTarget, Word,
};
use super::parser::is_keyword;
use super::quote::quote_always;

/// Text in the making, with the heredocs that follow its last line.
#[derive(Default)]
struct Printer {
    out: Vec<u8>,
    here_documents: Vec<(String, Vec<u8>)>,
    /// How many loops are around this place: bash begins a line for each part of one.
    loops: usize,
}

/// Prints commands as bash shows them. The bytes may be no UTF-8 where the input was none.
#[must_use]
pub fn print(list: &List) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.list(list);
    if printer.out.ends_with(b"\n") {
        printer.out.pop();
    }
    printer.out
}

/// Prints one word.
#[must_use]
pub fn print_word(word: &Word) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.word(word);
    printer.out
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn list(&mut self, list: &List) {
        let start = self.out.len();
        for item in &list.items {
            if self.out.len() > start {
                self.separate();
            }
            self.and_or(item);
            if item.background {
                self.text(" &");
            }
            self.flush_here_documents();
        }
    }

    /// What must stand between a command and what follows it.
    fn separate(&mut self) {
        let is_separate = self.out.ends_with(b"\n");
        let separator = match self.out.strip_suffix(b" &") {
            _ if is_separate => "",
            Some(_) => " ",
            None => "; ",
        };
        self.text(separator);
    }

    fn and_or(&mut self, and_or: &AndOr) {
        self.pipeline(&and_or.first);
        for (connector, pipeline) in &and_or.rest {
            self.text(match connector {
                Connector::And => " && ",
                Connector::Or => " || ",
            });
            self.pipeline(pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        if pipeline.negated {
            self.text("! ");
        }
        for (index, command) in pipeline.commands.iter().enumerate() {
            if index > 0 {
                self.text(" | ");
            }
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        let start = self.out.len();
        if let Some(compound) = command.compound.get() {
            self.compound(compound);
        }
        for Assignment { name, value, .. } in &command.assignments {
            self.gap(start);
            self.text(name);
            self.text("=");
            self.word(value);
        }
        // Only behind a redirection is a keyword a word like any other.
        let is_keyword = command.words.first().is_some_and(is_keyword);
        if is_keyword {
            self.redirects(command, start);
        }
        for word in &command.words {
            self.gap(start);
            self.word(word);
        }
        if !is_keyword {
            self.redirects(command, start);
        }
    }

    fn compound(&mut self, compound: &Compound) {
        // Heredocs that wait for the end of the line must not go into the brackets.
        let waiting = std::mem::take(&mut self.here_documents);
        match compound {
            Compound::Subshell(list) => {
                self.text("( ");
                self.list(list);
                self.text(" )");
            }
            Compound::Group(list) => {
                self.text("{ ");
                self.list(list);
                self.separate();
                self.text("}");
            }
            Compound::For { name, words, body } => {
                self.text("for ");
                self.text(name);
                self.text(" in");
                for word in words {
                    self.text(" ");
                    self.word(word);
                }
                self.text(";");
                self.new_line();
                self.text("do");
                self.loops += 1;
                self.new_line();
                self.list(body);
                self.loops -= 1;
                if !self.out.ends_with(b" &") && !self.out.ends_with(b"\n") {
                    self.text(";");
                }
                self.new_line();
                self.text("done");
            }
        }
        self.here_documents = waiting;
    }

    fn new_line(&mut self) {
        if !self.out.ends_with(b"\n") {
            self.text("\n");
        }
        for _ in 0..self.loops {
            self.text("    ");
        }
    }

    /// What stands between `$(` and `)`.
    fn substitution(list: &List, out: &mut Vec<u8>) {
        let mut inside = Self::default();
        inside.list(list);
        out.extend_from_slice(b"$(");
        // `$((` would be arithmetic.
        if inside.out.first() == Some(&b'(') {
            out.push(b' ');
        }
        out.append(&mut inside.out);
        out.push(b')');
    }

    /// What stands between `$((` and `))`, with both.
    fn arithmetic(expression: &Word, out: &mut Vec<u8>) {
        out.extend_from_slice(b"$((");
        for part in &expression.parts {
            match part {
                Part::Literal { bytes, .. } => out.extend_from_slice(bytes),
                part => Self::dollar(part, out),
            }
        }
        out.extend_from_slice(b"))");
    }

    /// A part that begins with `$`, as it may stand in front of anything.
    fn dollar(part: &Part, out: &mut Vec<u8>) {
        match part {
            Part::Variable { name, .. } => {
                out.extend_from_slice(b"${");
                out.extend_from_slice(name.as_bytes());
                out.push(b'}');
            }
            Part::ExitStatus { .. } => out.extend_from_slice(b"$?"),
            Part::Substitution { list, .. } => {
                if let Some(list) = list.get() {
                    Self::substitution(list, out);
                }
            }
            Part::Arithmetic { expression, .. } => {
                if let Some(expression) = expression.get() {
                    Self::arithmetic(expression, out);
                }
            }
            Part::Literal { .. } => {}
        }
    }

    fn redirects(&mut self, command: &Command, start: usize) {
        for redirect in &command.redirects {
            self.gap(start);
            self.redirect(redirect);
        }
    }

    /// A blank, unless nothing was printed since `start`.
    fn gap(&mut self, start: usize) {
        if self.out.len() > start {
            self.text(" ");
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        let (operator, fd_default) = match &redirect.target {
            RedirectTarget::Read(_) => ("<", 0),
            RedirectTarget::Write(_) => (">", 1),
            RedirectTarget::Append(_) => (">>", 1),
            RedirectTarget::DuplicateOf(_) => (">&", 1),
            RedirectTarget::HereDocument(_) => ("<<", 0),
        };
        if redirect.fd != fd_default {
            self.out.push(b'0' + redirect.fd);
        }
        self.text(operator);
        let names_a_file = matches!(
            redirect.target,
            RedirectTarget::Read(_) | RedirectTarget::Write(_) | RedirectTarget::Append(_)
        );
        if names_a_file {
            self.text(" ");
        }
        match &redirect.target {
            RedirectTarget::Read(word)
            | RedirectTarget::Write(word)
            | RedirectTarget::Append(word) => self.word(word),
            RedirectTarget::DuplicateOf(fd) => self.out.push(b'0' + fd),
            RedirectTarget::HereDocument(body) => self.here_document(body),
        }
    }

    fn word(&mut self, word: &Word) {
        for (index, part) in word.parts.iter().enumerate() {
            match part {
                Part::Literal { bytes, quoted: true } => self.text(&quote_always(bytes)),
                Part::Literal { bytes, quoted: false } => self.out.extend_from_slice(bytes),
                Part::ExitStatus { quoted } => self.text(if *quoted { "\"$?\"" } else { "$?" }),
                Part::Variable { name, quoted: true } => {
                    for text in ["\"$", name, "\""] {
                        self.text(text);
                    }
                }
                Part::Variable { name, quoted: false } => {
                    let is_followed = matches!(word.parts.get(index + 1),
                        Some(Part::Literal { bytes, quoted: false })
                            if bytes.first().is_some_and(|byte| Part::is_name_byte(*byte)));
                    let (open, close) = if is_followed { ("${", "}") } else { ("$", "") };
                    for text in [open, name, close] {
                        self.text(text);
                    }
                }
                Part::Substitution { quoted, .. } | Part::Arithmetic { quoted, .. } => {
                    if scope::CLUSTER {
                        let mark = if *quoted { "\"" } else { "" };
                        self.text(mark);
                        Self::dollar(part, &mut self.out);
                        self.text(mark);
                    }
                }
            }
        }
    }

    /// Prints the delimiter and keeps the body for the end of the line.
    fn here_document(&mut self, body: &Word) {
        let is_literal = body.parts.iter().all(|part| matches!(part, Part::Literal { .. }));
        let mut text = Vec::new();
        for part in &body.parts {
            match part {
                Part::Literal { bytes, .. } if is_literal => text.extend_from_slice(bytes),
                Part::Literal { bytes, .. } => {
                    for byte in bytes {
                        if b"$`\\".contains(byte) {
                            text.push(b'\\');
                        }
                        text.push(*byte);
                    }
                }
                part => Self::dollar(part, &mut text),
            }
        }
        let mut delimiter = String::from("EOF");
        while text.split(|byte| *byte == b'\n').any(|line| line == delimiter.as_bytes()) {
            delimiter.push('F');
        }
        let mark = if is_literal { "'" } else { "" };
        for part in [mark, &delimiter, mark] {
            self.text(part);
        }
        self.here_documents.push((delimiter, text));
    }

    fn flush_here_documents(&mut self) {
        if self.here_documents.is_empty() {
            return;
        }
        self.out.push(b'\n');
        for (delimiter, body) in std::mem::take(&mut self.here_documents) {
            self.out.extend_from_slice(&body);
            self.text(&delimiter);
            self.out.push(b'\n');
        }
    }
}
