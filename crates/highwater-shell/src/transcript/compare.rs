//! When two outputs of one command are alike: `compare.py`, ported.
//!
//! Decides over whole outputs; what of a single line does not count is `normalise`'s.

use super::Block;
use super::diff::Diff;
use super::normalise::{is_blank, normalise};
use super::table::{hide_columns, sort_rows};

/// The outcome of a command as lines, as a transcript writes it: its output, then its exit status
/// when that is not 0.
#[must_use]
pub fn comparable_lines(output: &[String], exit: u8) -> Vec<String> {
    let mut lines = output.to_vec();
    // As the recorder does: empty lines at the end of an output are not seen.
    drop_empty_end(&mut lines);
    if exit != 0 {
        let status = exit.to_string();
        lines.push(["[exit ", &status, "]"].concat());
    }
    lines
}

/// Compares the lines that a command should print with those that it printed.
///
/// # Errors
/// The difference, after everything that may differ was replaced on both sides.
pub fn compare<E: AsRef<str>, A: AsRef<str>>(
    expected: &[E],
    actual: &[A],
    command: &str,
) -> Result<(), Diff> {
    let expected = normalise_output(command, expected);
    let actual = normalise_output(command, actual);
    if expected == actual { Ok(()) } else { Err(Diff::between(&expected, &actual)) }
}

impl Block {
    /// Compares this block with what its command printed and how it ended.
    ///
    /// # Errors
    /// As [`compare`].
    pub fn compare(&self, output: &[String], exit: u8) -> Result<(), Diff> {
        let expected = comparable_lines(&self.output, self.exit);
        compare(&expected, &comparable_lines(output, exit), &self.command)
    }
}

/// The output of a command with everything replaced, sorted and dropped that does not count.
pub fn normalise_output<L: AsRef<str>>(command: &str, output: &[L]) -> Vec<String> {
    let kept = output.iter().map(AsRef::as_ref).filter(|line| !is_dropped(line));
    let mut lines: Vec<String> = kept.map(str::to_owned).collect();
    drop_empty_end(&mut lines);
    if command.contains("kafka-transactions") {
        hide_columns(&mut lines);
    }
    for line in &mut lines {
        *line = normalise(line);
    }
    let unordered =
        ["kafka-groups", "kafka-consumer-groups", "kafka-share-groups", "kafka-transactions"];
    if unordered.iter().any(|name| command.contains(name)) {
        sort_rows(&mut lines);
        drop_empty_end(&mut lines);
    }
    lines
}

fn drop_empty_end(lines: &mut Vec<String>) {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
}

/// Stack traces and bash's own words about killed jobs.
fn is_dropped(line: &str) -> bool {
    let text =
        line.trim_start_matches(|character: char| u8::try_from(character).is_ok_and(is_blank));
    if text.len() < line.len() && text.starts_with("at ") {
        return true;
    }
    if let Some((_, after)) = text.strip_prefix("... ").and_then(after_number) {
        return after.starts_with(" more") || after.starts_with(" common");
    }
    let job = line.strip_prefix("bash: line ").and_then(after_number);
    let Some((_, after)) = job else { return false };
    let Some(after) = after.strip_prefix(": ") else { return false };
    after_number(after.trim_start_matches(' '))
        .is_some_and(|(_, rest)| rest.starts_with(" Killed") || rest.starts_with(" Terminated"))
}

/// Splits a text that begins with digits after them.
fn after_number(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| text.split_at(digits))
}
