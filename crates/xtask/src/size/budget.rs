//! The budgets of first loads: a committed file whose numbers only go down.

use std::fs;
use std::path::Path;

use crate::trouble::{OrSay, Outcome, Trouble};

/// Where the budgets are, from the root of the repository.
pub(crate) const FILE: &str = "crates/xtask/budgets.txt";

/// What the pages that start one program may fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Budget {
    /// The program's name, as trunk names its files.
    pub program: String,
    /// The most, in 1000 bytes of brotli.
    pub kilobytes: usize,
}

/// Reads the file.
pub(crate) fn read(file: &Path) -> Outcome<Vec<Budget>> {
    parse(&fs::read_to_string(file).or_say(|| format!("read {FILE}"))?)
}

/// What stands before a budget that was set too low, and why it was.
const RAISED: &str = "raised ";

/// Lines of a program and a number; `#` starts a remark.
pub(crate) fn parse(text: &str) -> Outcome<Vec<Budget>> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .filter(|line| !line.starts_with(RAISED))
        .map(|line| {
            let (program, number) = line.split_once(' ').unwrap_or((line, ""));
            let kilobytes = number.trim().parse().map_err(|_| {
                Trouble::new(format!("{FILE}: `{line}` is not a program and a whole number of kB."))
            })?;
            Ok(Budget { program: program.to_owned(), kilobytes })
        })
        .collect()
}

/// Budgets that were raised on purpose, once: a program with its number before and after. The line says
/// why: `raised lab 300 680: the number is older than the page`.
pub(crate) fn raised(text: &str) -> Vec<(String, usize, usize)> {
    let read = |line: &str| {
        let (numbers, why) = line.strip_prefix(RAISED)?.split_once(':')?;
        let mut words = numbers.split_whitespace();
        let program = words.next()?.to_owned();
        let (from, to) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        (!why.trim().is_empty() && words.next().is_none()).then_some((program, from, to))
    };
    text.lines().filter_map(|line| read(line.trim())).collect()
}

/// What an old version of the file kept lower, or kept at all, but for what was `raised`.
pub(crate) fn loosened(
    old: &[Budget],
    new: &[Budget],
    raised: &[(String, usize, usize)],
) -> Vec<String> {
    let is_raised = |before: &Budget, now: &Budget| {
        raised.iter().any(|(program, from, to)| {
            *program == now.program && *from == before.kilobytes && now.kilobytes <= *to
        })
    };
    old.iter()
        .filter_map(|before| match new.iter().find(|b| b.program == before.program) {
            None => Some(format!("the budget of `{}` is gone", before.program)),
            Some(now) if now.kilobytes > before.kilobytes && !is_raised(before, now) => {
                Some(format!(
                    "the budget of `{}` went up from {} to {} kB",
                    before.program, before.kilobytes, now.kilobytes
                ))
            }
            Some(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_only_goes_down() {
        let old = parse("# remark\nreader 145\nlab 300\n").unwrap();
        assert!(loosened(&old, &parse("reader 140\nlab 300").unwrap(), &[]).is_empty());
        let worse = loosened(&old, &parse("reader 146").unwrap(), &[]);
        assert_eq!(worse.len(), 2, "{worse:?}");
        assert!(parse("reader many").is_err());
    }

    #[test]
    fn a_budget_is_raised_with_a_reason_alone() {
        let old = parse("lab 300").unwrap();
        let text = "raised lab 300 680: older than the page\nlab 680";
        let new = parse(text).unwrap();
        assert!(loosened(&old, &new, &raised(text)).is_empty());
        for text in
            ["raised lab 300 680:\nlab 680", "raised lab 300 670: a reason\nlab 680", "lab 680"]
        {
            assert_eq!(loosened(&old, &new, &raised(text)).len(), 1, "{text}");
        }
        let later = parse("lab 690").unwrap();
        assert_eq!(loosened(&new, &later, &raised(text)).len(), 1, "only from what it was");
    }
}
