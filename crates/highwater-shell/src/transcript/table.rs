//! Rows and columns of the tools that print in random order: groups and transactions.
//!
//! Decides, as `compare.py` does, which columns are hidden and which runs of rows are sorted.

/// Columns of `kafka-transactions.sh` that are random.
const HIDDEN: [&str; 6] = [
    "Coordinator",
    "CoordinatorId",
    "ProducerId",
    "CurrentTransactionStartTimeMs",
    "TransactionDurationMs",
    "LastTimestamp",
];
const HEADS: [&str; 3] = ["TransactionalId\t", "CoordinatorId\t", "ProducerId\t"];
/// A line that begins so is no row of a table and ends a run of rows.
const BETWEEN: [&str; 14] = [
    "GROUP ",
    "TOPIC ",
    "TransactionalId ",
    "ProducerId ",
    "Topic ",
    "[",
    "*",
    "Error",
    "Warn",
    "WARN",
    "Consumer group",
    "These",
    "Request",
    "Deletion",
];

/// Replaces the random cells of a tab-separated table.
pub(super) fn hide_columns(lines: &mut [String]) {
    let is_head = |line: &&String| HEADS.iter().any(|head| line.starts_with(head));
    let Some(head) = lines.iter().find(is_head).cloned() else { return };
    let columns = head.matches('\t').count();
    for line in lines {
        if *line == head || line.matches('\t').count() != columns {
            continue;
        }
        let mut shown = String::with_capacity(line.len());
        for (index, (name, cell)) in head.split('\t').zip(line.split('\t')).enumerate() {
            if index > 0 {
                shown.push('\t');
            }
            shown.push_str(if HIDDEN.contains(&name.trim()) { "*" } else { cell });
        }
        *line = shown;
    }
}

/// Sorts every run of rows between headings and empty lines.
pub(super) fn sort_rows(lines: &mut [String]) {
    let is_between =
        |line: &String| line.is_empty() || BETWEEN.iter().any(|start| line.starts_with(start));
    for rows in lines.split_mut(is_between) {
        rows.sort_unstable();
    }
}
