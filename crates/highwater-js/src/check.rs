//! Does a transcript hold? Its commands are run in a new cluster, and their answers compared.

use highwater_shell::session::play;
use highwater_shell::transcript::{Block, Diff, Side};

use crate::engine::read_transcript;
use crate::failure::Failure;
use crate::value::Value;
use crate::wire::{CheckReport, Difference};

/// Plays a transcript and compares.
pub(crate) fn check(text: &str, options: Value) -> Result<CheckReport, Failure> {
    let (transcript, kind) = read_transcript(text, options)?;
    // What the transcript asks for is in both.
    let outcomes = play(&transcript, &kind)?;
    let mut report = CheckReport { passed: 0, failed: 0, differences: Vec::new() };
    for (block, outcome) in transcript.blocks.iter().zip(outcomes) {
        match block.compare(&outcome.output, outcome.exit) {
            Ok(()) => report.passed += 1,
            Err(diff) => {
                report.failed += 1;
                report.differences.push(difference(block, &diff));
            }
        }
    }
    Ok(report)
}

fn difference(block: &Block, diff: &Diff) -> Difference {
    let side = |other: Side| {
        let lines = diff.lines.iter().filter(move |line| line.side != other);
        lines.map(|line| line.text.clone()).collect()
    };
    Difference {
        line: u32::try_from(block.line).unwrap_or(u32::MAX),
        command: block.command.clone(),
        expected: side(Side::Actual),
        actual: side(Side::Expected),
        diff: diff.to_string(),
    }
}
