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

/// Lines of a program and a number; `#` starts a remark.
pub(crate) fn parse(text: &str) -> Outcome<Vec<Budget>> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let (program, number) = line.split_once(' ').unwrap_or((line, ""));
            let kilobytes = number.trim().parse().map_err(|_| {
                Trouble::new(format!("{FILE}: `{line}` is not a program and a whole number of kB."))
            })?;
            Ok(Budget { program: program.to_owned(), kilobytes })
        })
        .collect()
}

/// What an old version of the file kept lower, or kept at all.
pub(crate) fn loosened(old: &[Budget], new: &[Budget]) -> Vec<String> {
    old.iter()
        .filter_map(|before| match new.iter().find(|b| b.program == before.program) {
            None => Some(format!("the budget of `{}` is gone", before.program)),
            Some(now) if now.kilobytes > before.kilobytes => Some(format!(
                "the budget of `{}` went up from {} to {} kB",
                before.program, before.kilobytes, now.kilobytes
            )),
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
        assert!(loosened(&old, &parse("reader 140\nlab 300").unwrap()).is_empty());
        let worse = loosened(&old, &parse("reader 146").unwrap());
        assert_eq!(worse.len(), 2, "{worse:?}");
        assert!(parse("reader many").is_err());
    }
}
