//! `--list`: which groups there are, of which type and in which state.

use highwater_core::client::admin::groups::{GroupsQuestion, GroupsReply};
use highwater_core::net::group::ListedGroup;
use highwater_core::world::process::Fd;

use super::table::{row, widest};
use super::{Asker, Failure, Reply, Step, in_order, not_listed};
use crate::process::Out;
use crate::tool::Next;
use crate::tool::options::{Options, split};

/// The states that a group may be in. Kafka's order of them differs from run to run.
const STATES: [&str; 7] = [
    "Stable",
    "Empty",
    "CompletingRebalance",
    "Reconciling",
    "Assigning",
    "PreparingRebalance",
    "Dead",
];

/// What groups consumers may be in.
const TYPES: [&str; 2] = ["Consumer", "Classic"];

/// The listing, while it is waited for.
#[derive(Clone, Debug)]
pub(super) struct List {
    with_type: bool,
    with_state: bool,
}

impl List {
    pub(super) fn begin(
        options: &Options,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Self, Failure> {
        let types = filter(options.one("type")?, &TYPES, "types")?;
        let states = filter(options.one("state")?, &STATES, "state")?;
        let types = types.iter().map(|name| name.to_ascii_lowercase()).collect();
        asker.ask(GroupsQuestion::List { states, types }, out);
        Ok(Self { with_type: options.has("type"), with_state: options.has("state") })
    }

    pub(super) fn handle(&mut self, reply: &Reply<'_>, out: &mut Out<'_>) -> Step {
        let Reply::Groups(GroupsReply::Listed(answer)) = reply else { return Ok(Next::Wait) };
        let mut groups = answer.clone().map_err(|error| {
            let is_table = self.with_type || self.with_state;
            not_listed(&error, is_table)
        })?;
        groups.retain(is_of_consumers);
        let groups = in_order(&groups, |listed| &listed.group);
        if self.with_type || self.with_state {
            self.print(&groups, out);
        } else {
            for listed in &groups {
                out.print(Fd::Stdout, format_args!("{}\n", listed.group));
            }
        }
        Ok(Next::Exit(0))
    }

    fn print(&self, groups: &[ListedGroup], out: &mut Out<'_>) {
        let first = widest(15, groups.iter().map(|listed| &*listed.group.0)) + 10;
        let print = |group: &str, kind: &str, state: &str, out: &mut Out<'_>| {
            let mut cells = vec![(group, first)];
            if self.with_type {
                cells.push((kind, 20));
            }
            if self.with_state {
                cells.push((state, 20));
            }
            out.print(Fd::Stdout, format_args!("{}\n", row(&cells)));
        };
        print("GROUP", "TYPE", "STATE", out);
        for listed in groups {
            print(&listed.group.0, type_name(&listed.group_type), &listed.state, out);
        }
    }
}

/// Whether members of the group are consumers, as far as one can see.
pub(super) fn is_of_consumers(listed: &ListedGroup) -> bool {
    matches!(&*listed.protocol_type, "" | "consumer")
}

/// A type of groups as tables show it (`GroupType`).
pub(crate) fn type_name(name: &str) -> &'static str {
    match name {
        "classic" => "Classic",
        "consumer" => "Consumer",
        _ => "Unknown",
    }
}

/// The names in a list, each as Kafka writes it; none: all.
fn filter(given: Option<&str>, known: &[&str], what: &str) -> Result<Vec<String>, Failure> {
    let mut names: Vec<String> = Vec::new();
    let given = given.unwrap_or_default();
    for part in split(given, ',').map(str::trim).filter(|_| !given.is_empty()) {
        match known.iter().find(|name| name.eq_ignore_ascii_case(part)) {
            Some(name) if names.iter().any(|taken| taken == name) => {}
            Some(name) => names.push((*name).to_owned()),
            None => {
                let known = known.join(", ");
                let valid = if what == "types" { what } else { "states" };
                return Err(Failure::Usage(format!(
                    "Invalid {what} list '{given}'. Valid {valid} are: {known}"
                )));
            }
        }
    }
    Ok(names)
}
