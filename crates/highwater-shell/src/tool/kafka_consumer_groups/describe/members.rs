//! Who is in a group (`printMembers`).

use highwater_core::net::group::DescribedMember;
use highwater_core::sorted_map::{SortedMap, sort_by_key};
use highwater_core::world::process::Fd;

use super::super::table::{row, widest};
use super::{Described, MISSING};
use crate::process::Out;

/// A cell that is filled up to a width.
type Cell<'a> = (&'a str, usize);

/// How wide the columns are.
struct Columns {
    group: usize,
    member: usize,
    /// `None`: no member has an instance id, and there is no such column.
    instance: Option<usize>,
    host: usize,
    client: usize,
    assignment: usize,
}

/// Prints the table.
pub(super) fn print((group, _, described): &Described, verbose: bool, out: &mut Out<'_>) {
    let members = &described.members;
    let assignments: Vec<String> = members.iter().map(assignment).collect();
    let texts = |least, of: fn(&DescribedMember) -> &str| widest(least, members.iter().map(of));
    let columns = Columns {
        group: if members.is_empty() { 15 } else { widest(15, [&*group.0].into_iter()) },
        member: texts(15, |member| &member.member.0),
        instance: members
            .iter()
            .any(|member| !instance(member).is_empty())
            .then(|| texts(17, instance)),
        host: texts(15, |member| &member.host),
        client: texts(15, |member| &member.client_id),
        assignment: widest(20, assignments.iter().map(String::as_str)),
    };
    let head = ["GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS"];
    let more = ["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"];
    out.write(Fd::Stdout, "\n");
    columns.print(head, verbose.then_some(more), out);
    for (member, assignment) in members.iter().zip(&assignments) {
        let count = member.partitions.len().to_string();
        let cells = [
            &*group.0,
            &member.member.0,
            instance(member),
            &member.host,
            &member.client_id,
            &count,
        ];
        let more = [MISSING, assignment, MISSING, MISSING];
        columns.print(cells, verbose.then_some(more), out);
    }
}

impl Columns {
    fn print(&self, cells: [&str; 6], more: Option<[&str; 4]>, out: &mut Out<'_>) {
        let [group, member, instance, host, client, count] = cells;
        let mut row_cells: Vec<Cell<'_>> = vec![(group, self.group), (member, self.member)];
        row_cells.extend(self.instance.map(|wide| (instance, wide)));
        row_cells.extend([(host, self.host), (client, self.client), (count, 15)]);
        match more {
            Some([epoch, assignment, target_epoch, target]) => row_cells.extend([
                (epoch, 15),
                (assignment, self.assignment),
                (target_epoch, 15),
                (target, 20),
            ]),
            // A blank stands behind the last cell.
            None => row_cells.push(("", 0)),
        }
        out.print(Fd::Stdout, format_args!("{}\n", row(&row_cells)));
    }
}

fn instance(member: &DescribedMember) -> &str {
    member.instance.as_deref().unwrap_or_default()
}

/// What a member reads: `t0:0,1;t1:2` (`getAssignmentString`).
fn assignment(member: &DescribedMember) -> String {
    if member.partitions.is_empty() {
        return MISSING.to_owned();
    }
    let mut topics: SortedMap<&str, Vec<i32>> = SortedMap::new();
    for which in &member.partitions {
        topics.get_or_insert_with(which.topic.as_str(), Vec::new).push(which.partition.0);
    }
    let mut texts: Vec<String> = Vec::new();
    for (topic, partitions) in topics.iter() {
        let mut partitions = partitions.clone();
        sort_by_key(&mut partitions, |number| *number);
        let numbers: Vec<String> = partitions.iter().map(ToString::to_string).collect();
        texts.push([topic, ":", &numbers.join(",")].concat());
    }
    sort_by_key(&mut texts, Clone::clone);
    texts.join(";")
}
