//! `--reset-offsets`: moves the offsets of groups that nobody is in, or only shows where to
//! (`GroupOffsetsResetter`).

mod plan;
mod resetting;

use std::collections::VecDeque;

use highwater_core::client::admin::groups::{Described, GroupsQuestion, GroupsReply};
use highwater_core::error::ErrorCode;
use highwater_core::ids::GroupId;
use highwater_core::java::hash_map::{Made, in_set_order, partition_hash};
use highwater_core::world::process::Fd;

pub(super) use self::plan::Plan;
use self::resetting::{Progress, Resetting};
use super::csv::{self, Offsets};
use super::table::{row, widest};
use super::{
    Asker, Failure, Reply, Step, ask_of_listed, error, executed, in_order, in_order_of,
    named_groups, rethrown,
};
use crate::process::Out;
use crate::tool::Next;
use crate::tool::options::Options;

/// The change, as far as it has come.
#[derive(Clone, Debug)]
pub(super) struct Reset {
    plan: Plan,
    left: VecDeque<Described>,
    current: Option<Resetting>,
    done: Vec<(GroupId, Offsets)>,
}

impl Reset {
    pub(super) fn begin(options: &Options, plan: Plan, asker: Asker, out: &mut Out<'_>) -> Self {
        match named_groups(options) {
            Some(groups) => asker.ask(GroupsQuestion::Describe(groups), out),
            None => asker.ask_for_all(out),
        }
        Self { plan, left: VecDeque::new(), current: None, done: Vec::new() }
    }

    pub(super) fn handle(&mut self, reply: &Reply<'_>, asker: Asker, out: &mut Out<'_>) -> Step {
        match reply {
            Reply::Groups(GroupsReply::Listed(answer)) => {
                ask_of_listed(answer, GroupsQuestion::Describe, asker, out)
            }
            Reply::Groups(GroupsReply::Described(answers)) => {
                let count = u32::try_from(answers.len()).unwrap_or(u32::MAX);
                let chain = [Made::Empty, Made::CopyOf(count)];
                self.left.extend(in_order_of(answers, |(group, _)| group, &chain));
                self.go_on(asker, out)
            }
            reply => {
                let Some(current) = &mut self.current else { return Ok(Next::Wait) };
                match current.take(&self.plan, reply, asker, out)? {
                    Progress::Asked => Ok(Next::Wait),
                    Progress::Done(offsets) => {
                        self.done.push((current.group.clone(), offsets));
                        self.current = None;
                        self.go_on(asker, out)
                    }
                }
            }
        }
    }

    /// Begins with the next group, or ends.
    fn go_on(&mut self, asker: Asker, out: &mut Out<'_>) -> Step {
        while let Some((group, described)) = self.left.pop_front() {
            let state = match described {
                Ok((_, described)) => described.state,
                // It comes to be with its first offset.
                Err(why) if why.code == ErrorCode::GroupIdNotFound => "Dead".into(),
                Err(why) => return Err(rethrown(executed(&why)).into()),
            };
            if !matches!(&*state, "Empty" | "Dead") {
                let text = format!(
                    "Assignments can only be reset if the group '{group}' is inactive, but the \
                     current state is {state}."
                );
                error(&text, out);
                self.done.push((group, Vec::new()));
                continue;
            }
            let mut current = Resetting::new(group);
            match current.begin(&self.plan, asker, out)? {
                Progress::Asked => {
                    self.current = Some(current);
                    return Ok(Next::Wait);
                }
                Progress::Done(offsets) => self.done.push((current.group, offsets)),
            }
        }
        self.print(out);
        Ok(Next::Exit(0))
    }

    /// Shows all that was changed, or would be.
    fn print(&self, out: &mut Out<'_>) {
        let done = in_order(&self.done, |(group, _)| group);
        let mut done: Vec<(GroupId, Offsets)> = done;
        for (_, offsets) in &mut done {
            *offsets = in_set_order(offsets, |(which, _)| partition_hash(which));
        }
        if self.plan.export {
            return self.export(&done, out);
        }
        let group = widest(15, done.iter().map(|(group, _)| &*group.0));
        let rows = || done.iter().flat_map(|(_, offsets)| offsets);
        let topic = widest(15, rows().map(|(which, _)| which.topic.as_str()));
        let print = |cells: [&str; 4], out: &mut Out<'_>| {
            let [first, second, third, last] = cells;
            let row = row(&[(first, group), (second, topic), (third, 10), (last, 0)]);
            out.print(Fd::Stdout, format_args!("\n{row}"));
        };
        if !done.is_empty() {
            print(["GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"], out);
        }
        for (group, offsets) in &done {
            for (which, offset) in offsets {
                let (number, offset) = (which.partition.to_string(), offset.to_string());
                print([&group.0, which.topic.as_str(), &number, &offset], out);
            }
        }
        out.write(Fd::Stdout, "\n");
    }

    fn export(&self, done: &[(GroupId, Offsets)], out: &mut Out<'_>) {
        let is_single = self.plan.groups.len() == 1;
        for (group, offsets) in done {
            for (which, offset) in offsets {
                let topic = csv::name(which.topic.as_str());
                let mut line = format!("{topic},{},{offset}\n", which.partition);
                if !is_single {
                    line = [&csv::name(&group.0), ",", &line].concat();
                }
                out.write(Fd::Stdout, line);
            }
        }
        out.write(Fd::Stdout, "\n");
    }
}
