//! How many tests passed and failed, read from what the test runners print.

use std::fmt;

use crate::process::Ended;

/// A number of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed.
    pub failed: u32,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

impl Counts {
    /// The sum of two.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }

    /// A stage that is one check as a whole.
    pub(crate) fn of_one(ok: bool) -> Self {
        Self { passed: u32::from(ok), failed: u32::from(!ok) }
    }

    /// What a run of tests says. One that ended badly without naming a failed test (it did not
    /// compile, it crashed, it was stopped) counts as one failure.
    pub(crate) fn of_tests(ended: &Ended) -> Self {
        let mut counts = Self::in_text(&ended.text);
        if !ended.is_ok() && counts.failed == 0 {
            counts.failed = 1;
        }
        counts
    }

    /// The sum over all lines such as `test result: ok. 3 passed; 0 failed; 0 ignored; ...`, which
    /// libtest and wasm-bindgen's runner print alike.
    pub(crate) fn in_text(text: &str) -> Self {
        text.lines().filter_map(result_line).fold(Self::default(), Self::plus)
    }
}

fn result_line(line: &str) -> Option<Counts> {
    let rest = line.trim().strip_prefix("test result: ")?;
    let number = |word: &str| {
        let before = &rest[..rest.find(&format!(" {word}"))?];
        before.rsplit(' ').next()?.parse().ok()
    };
    Some(Counts { passed: number("passed")?, failed: number("failed")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Job;

    #[test]
    fn sums_what_libtest_and_wasm_bindgen_print() {
        let text = "\
running 2 tests
test a ... ok
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
no tests to run!
test result: FAILED. 10 passed; 3 failed; 0 ignored; 0 filtered out; finished in 0.02s
the words \"test result: ok. 5 passed; 0 failed\" in the middle of a line do not count
";
        assert_eq!(Counts::in_text(text), Counts { passed: 12, failed: 3 });
        assert_eq!(Counts::in_text("test result: gibberish"), Counts::default());
    }

    #[test]
    fn a_bad_end_without_a_failed_test_is_one_failure() {
        let run = |script: &str| Job::new("x", "sh").args(["-c", script]).quiet().run().unwrap();
        let crashed = run("echo 'test result: ok. 4 passed; 0 failed; 0 ignored'; exit 101");
        assert_eq!(Counts::of_tests(&crashed), Counts { passed: 4, failed: 1 });
        let failed = run("echo 'test result: FAILED. 4 passed; 2 failed; 0 ignored'; exit 101");
        assert_eq!(Counts::of_tests(&failed), Counts { passed: 4, failed: 2 });
    }
}
