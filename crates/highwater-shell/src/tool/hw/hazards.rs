//! `hw hazards`: what went wrong so far, though Kafka allows it, as the world counts it.

use highwater_core::world::hazard::HazardCounts;
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::{Ended, refuse};

/// Prints a line for each kind.
pub(super) fn print(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    if !arguments.is_empty() {
        return refuse(format_args!("hw hazards takes no arguments\nusage: hw hazards"), 2, out);
    }
    let Some(counts) = out.hazards().copied() else { return Ended(1) };
    for (count, about) in lines(&counts) {
        out.print(Fd::Stdout, format_args!("{count:>9} {about}\n"));
    }
    Ended(0)
}

/// All kinds: of what producers were told, of what they sent, of what groups read.
fn lines(counts: &HazardCounts) -> [(u64, &'static str); 9] {
    [
        (counts.acknowledged_records_lost, "records acknowledged with acks=1 and lost"),
        (
            counts.overtaken_records_lost,
            "records acknowledged with acks=all by an overtaken leader and lost",
        ),
        (counts.unanswered_records_lost, "records sent with acks=0 and lost"),
        (counts.committed_records_lost, "committed records lost"),
        (counts.duplicate_records, "records appended once more because they were sent again"),
        (counts.reordered_records, "records appended behind later ones of their producer"),
        (counts.records_redelivered, "records that a group got again"),
        (counts.records_skipped, "records that a group left behind without work"),
        (counts.records_worked_too_late, "records worked on by a member whose they were no more"),
    ]
}
