//! The difference between two lists of lines, for people.
//!
//! Decides which lines count as kept (a longest common subsequence, bounded in size) and how it is
//! printed. Does not decide what may differ.

use std::fmt;

/// Largest table of the exact search; beyond it the middle counts as replaced.
const CELLS_MAX: usize = 4_000_000;
/// Equal lines shown around a difference.
const CONTEXT_LINES: usize = 2;

/// Where a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// On both sides.
    Both,
    /// Expected, but it did not come.
    Expected,
    /// It came, but was not expected.
    Actual,
}

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// On which side it stands.
    pub side: Side,
    /// The line after normalisation.
    pub text: String,
}

/// A difference, all lines of both sides included. `Display` shows a unified diff: `-` expected,
/// `+` actual, with some lines around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// In reading order, expected before actual.
    pub lines: Vec<DiffLine>,
}

impl Diff {
    pub(super) fn between(expected: &[String], actual: &[String]) -> Self {
        let pairs = expected.iter().zip(actual);
        let start = pairs.take_while(|(left, right)| left == right).count();
        let pairs = expected[start..].iter().rev().zip(actual[start..].iter().rev());
        let end = pairs.take_while(|(left, right)| left == right).count();
        let mut diff = Self { lines: Vec::new() };
        diff.push(Side::Both, &expected[..start]);
        diff.middle(&expected[start..expected.len() - end], &actual[start..actual.len() - end]);
        diff.push(Side::Both, &expected[expected.len() - end..]);
        diff
    }

    fn push(&mut self, side: Side, lines: &[String]) {
        self.lines.extend(lines.iter().map(|text| DiffLine { side, text: text.clone() }));
    }

    fn middle(&mut self, expected: &[String], actual: &[String]) {
        let width = actual.len() + 1;
        if (expected.len() + 1).saturating_mul(width) > CELLS_MAX {
            self.push(Side::Expected, expected);
            self.push(Side::Actual, actual);
            return;
        }
        // common[i * width + j]: how many lines the ends from i and j have in common.
        let mut common = vec![0u32; (expected.len() + 1) * width];
        for i in (0..expected.len()).rev() {
            for j in (0..actual.len()).rev() {
                common[i * width + j] = if expected[i] == actual[j] {
                    common[(i + 1) * width + j + 1] + 1
                } else {
                    common[(i + 1) * width + j].max(common[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < expected.len() && j < actual.len() {
            if expected[i] == actual[j] {
                self.push(Side::Both, &expected[i..=i]);
                i += 1;
                j += 1;
            } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
                self.push(Side::Expected, &expected[i..=i]);
                i += 1;
            } else {
                self.push(Side::Actual, &actual[j..=j]);
                j += 1;
            }
        }
        self.push(Side::Expected, &expected[i..]);
        self.push(Side::Actual, &actual[j..]);
    }

    /// Which lines are shown: those that differ and some around them.
    fn shown(&self) -> Vec<bool> {
        let mut shown = vec![false; self.lines.len()];
        for (index, line) in self.lines.iter().enumerate() {
            if line.side != Side::Both {
                let end = (index + CONTEXT_LINES + 1).min(shown.len());
                shown[index.saturating_sub(CONTEXT_LINES)..end].fill(true);
            }
        }
        shown
    }
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("--- expected\n+++ actual\n")?;
        let mut was_shown = true;
        for (line, is_shown) in self.lines.iter().zip(self.shown()) {
            if is_shown {
                if !was_shown {
                    f.write_str("...\n")?;
                }
                f.write_str(match line.side {
                    Side::Both => " ",
                    Side::Expected => "-",
                    Side::Actual => "+",
                })?;
                f.write_str(&line.text)?;
                f.write_str("\n")?;
            }
            was_shown = is_shown;
        }
        Ok(())
    }
}
