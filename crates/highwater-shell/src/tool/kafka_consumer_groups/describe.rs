//! `--describe`: how far groups are, who is in them, and in which state they are.

mod members;
mod offsets;

use std::collections::VecDeque;

use highwater_core::client::admin::groups::{self, GroupsQuestion, GroupsReply};
use highwater_core::client::connection::address_of;
use highwater_core::error::KafkaError;
use highwater_core::ids::{BrokerId, GroupId};
use highwater_core::java::hash_map::Made;
use highwater_core::net::group::DescribedGroup;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::world::process::Fd;

use self::offsets::{Assigned, GroupOffsets};
use super::table::{row, width};
use super::{
    Asker, Failure, Reply, Step, ask_of_listed, error, executed, in_order, in_order_of,
    named_groups, rethrown,
};
use crate::process::Out;
use crate::tool::Next;
use crate::tool::options::{Options, Problem};

/// What stands in a cell of which nothing is known (`MISSING_COLUMN_VALUE`).
const MISSING: &str = "-";

/// A group, its coordinator, and what it is like.
type Described = (GroupId, BrokerId, DescribedGroup);

/// What is shown of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    Offsets,
    Members,
    State,
}

/// The description, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Description {
    show: Show,
    verbose: bool,
    /// Groups whose offsets are still to be asked for; the first one is asked for now.
    left: VecDeque<Described>,
    /// What is known of the offsets of the first of them.
    current: GroupOffsets,
    done: Vec<(Described, Vec<Assigned>)>,
}

impl Description {
    pub(super) fn begin(options: &Options, asker: Asker, out: &mut Out<'_>) -> Self {
        match named_groups(options) {
            Some(groups) => asker.ask(GroupsQuestion::Describe(groups), out),
            None => asker.ask_for_all(out),
        }
        let show = if options.has("members") {
            Show::Members
        } else if options.has("state") {
            Show::State
        } else {
            Show::Offsets
        };
        let (left, current, done) = (VecDeque::new(), GroupOffsets::default(), Vec::new());
        Self { show, verbose: options.has("verbose"), left, current, done }
    }

    pub(super) fn handle(&mut self, reply: &Reply<'_>, asker: Asker, out: &mut Out<'_>) -> Step {
        match reply {
            Reply::Groups(GroupsReply::Listed(answer)) => {
                ask_of_listed(answer, GroupsQuestion::Describe, asker, out)
            }
            Reply::Groups(GroupsReply::Described(answers)) => {
                let groups = in_java_order(answers)?;
                self.begin_groups(groups, asker, out)
            }
            reply => {
                let Some((_, _, described)) = self.left.front() else { return Ok(Next::Wait) };
                let described = described.clone();
                if !self.current.take(reply, &described, asker, out)? {
                    return Ok(Next::Wait);
                }
                let rows = std::mem::take(&mut self.current).rows(&described);
                if let Some(group) = self.left.pop_front() {
                    self.done.push((group, rows));
                }
                self.go_on(asker, out)
            }
        }
    }

    /// The groups are known.
    fn begin_groups(&mut self, groups: Vec<Described>, asker: Asker, out: &mut Out<'_>) -> Step {
        if self.show == Show::Offsets {
            self.left.extend(in_order(&groups, |(group, ..)| group));
            return self.go_on(asker, out);
        }
        for group in in_text_order(groups, |(group, ..)| group) {
            let is_shown = print_state(&group, Some(1), out)?;
            match self.show {
                Show::Members => members::print(&group, self.verbose, out),
                _ if is_shown => self.print_group(&group, out),
                _ => {}
            }
        }
        Ok(Next::Exit(0))
    }

    /// Asks for the next group's offsets, or prints all.
    fn go_on(&mut self, asker: Asker, out: &mut Out<'_>) -> Step {
        if let Some((group, ..)) = self.left.front() {
            asker.ask(GroupsQuestion::Offsets(group.clone()), out);
            return Ok(Next::Wait);
        }
        let done = std::mem::take(&mut self.done);
        for (group, rows) in in_text_order(done, |((group, ..), _)| group) {
            if print_state(&group, Some(rows.len()), out)? {
                offsets::print(&group.0, &rows, self.verbose, out);
            }
        }
        Ok(Next::Exit(0))
    }

    /// One group's state, with its coordinator.
    fn print_group(&self, (group, coordinator, described): &Described, out: &mut Out<'_>) {
        let coordinator = format!("{}  ({coordinator})", address_of(*coordinator));
        let (first, second) = (width(&group.0).max(15), width(&coordinator).max(25));
        let strategy = if described.protocol.is_empty() { MISSING } else { &*described.protocol };
        let count = described.members.len().to_string();
        let print = |cells: [&str; 7], out: &mut Out<'_>| {
            let [group, coordinator, strategy, state, epoch, target, members] = cells;
            let mut cells =
                vec![(group, first), (coordinator, second), (strategy, 20), (state, 20)];
            if self.verbose {
                cells.extend([(epoch, 15), (target, 25)]);
            }
            cells.push((members, 0));
            out.print(Fd::Stdout, format_args!("\n{}", row(&cells)));
        };
        let head = [
            "GROUP",
            "COORDINATOR (ID)",
            "ASSIGNMENT-STRATEGY",
            "STATE",
            "GROUP-EPOCH",
            "TARGET-ASSIGNMENT-EPOCH",
            "#MEMBERS",
        ];
        print(head, out);
        let state = &*described.state;
        print([&group.0, &coordinator, strategy, state, MISSING, MISSING, &count], out);
        out.write(Fd::Stdout, "\n");
    }
}

/// The groups in the order in which the tool looks at them, or the first of them of which nothing is
/// known (`describeConsumerGroups`).
fn in_java_order(answers: &[groups::Described]) -> Result<Vec<Described>, Problem> {
    let count = u32::try_from(answers.len()).unwrap_or(u32::MAX);
    let chain = [Made::Empty, Made::CopyOf(count)];
    let mut groups = Vec::new();
    for (group, answer) in in_order_of(answers, |(group, _)| group, &chain) {
        let (coordinator, described) = answer.map_err(|why| executed(&why))?;
        groups.push((group, coordinator, described));
    }
    Ok(groups)
}

/// Things in the order of a `TreeMap` of them by group: Java compares units of UTF-16.
fn in_text_order<T>(mut items: Vec<T>, group: impl Fn(&T) -> &GroupId) -> Vec<T> {
    sort_by_key(&mut items, |item| group(item).0.encode_utf16().collect::<Vec<u16>>());
    items
}

/// Says what a group's state means for what follows. Returns whether something follows.
fn print_state(
    (group, _, described): &Described,
    rows: Option<usize>,
    out: &mut Out<'_>,
) -> Result<bool, Failure> {
    match &*described.state {
        "Dead" => error(&format!("Consumer group '{group}' does not exist."), out),
        "Empty" => {
            let text = format_args!("\nConsumer group '{group}' has no active members.\n");
            out.print(Fd::Stderr, text);
        }
        "PreparingRebalance" | "CompletingRebalance" | "Assigning" | "Reconciling" => {
            let text = format_args!("\nWarning: Consumer group '{group}' is rebalancing.\n");
            out.print(Fd::Stderr, text);
        }
        "Stable" => {}
        other => {
            let class = "org.apache.kafka.common.KafkaException";
            let text = format!("Expected a valid consumer group state, but found '{other}'.");
            return Err(Problem::new(class, text).into());
        }
    }
    Ok(&*described.state != "Dead" && rows.is_some_and(|rows| rows > 0))
}

/// What is thrown when offsets cannot be had.
fn unknown_offsets(why: &KafkaError) -> Problem {
    rethrown(executed(why))
}
