//! How far a group is in each partition (`collectGroupsOffsets`, `printOffsets`).

use std::rc::Rc;

use highwater_core::client::admin::groups::{GroupsQuestion, GroupsReply};
use highwater_core::client::{OffsetAnswers, TopicAnswers};
use highwater_core::ids::{GroupId, Offset, TopicPartition};
use highwater_core::java::hash_map::{in_set_order, partition_hash};
use highwater_core::net::group::{DescribedGroup, DescribedMember, OffsetAndMetadata};
use highwater_core::net::message::OffsetSpec;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::world::process::Fd;

use super::super::partitions::image_of;
use super::super::table::{row, widest};
use super::{Asker, Failure, MISSING, Reply, unknown_offsets};
use crate::process::Out;

/// A partition as the table shows it.
#[derive(Clone, Debug)]
pub(super) struct Assigned {
    which: TopicPartition,
    committed: Option<OffsetAndMetadata>,
    log_end: Option<Offset>,
    /// Member, host and client; of a partition that nobody reads, each is missing.
    reader: [Rc<str>; 3],
}

/// What is known so far of one group's offsets.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupOffsets {
    committed: Vec<(TopicPartition, OffsetAndMetadata)>,
    ends: Vec<(TopicPartition, Offset)>,
}

impl GroupOffsets {
    /// Takes an answer in and asks for more. Returns whether all is known.
    pub(super) fn take(
        &mut self,
        reply: &Reply<'_>,
        described: &DescribedGroup,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<bool, Failure> {
        match reply {
            Reply::Groups(GroupsReply::Offsets(answer)) => {
                let fetched = answer.as_ref().map_err(unknown_offsets)?;
                for (which, offset) in fetched {
                    if let Ok(Some(offset)) = offset {
                        self.committed.push((which.clone(), offset.clone()));
                    }
                }
                let is_known = self.partitions(described).is_empty();
                if !is_known {
                    asker.ask(GroupsQuestion::Topics, out);
                }
                Ok(is_known)
            }
            Reply::Topics(answers) => {
                let led = self.led(described, answers)?;
                let is_known = led.is_empty();
                if !is_known {
                    let wanted = led.into_iter().map(|which| (which, OffsetSpec::Latest));
                    asker.ask(GroupsQuestion::LogOffsets(Rc::new(wanted.collect())), out);
                }
                Ok(is_known)
            }
            Reply::Offsets(answers) => {
                self.ends = ends(answers)?;
                Ok(true)
            }
            Reply::Groups(_) => Ok(false),
        }
    }

    /// The partitions that the table is about.
    fn partitions(&self, described: &DescribedGroup) -> Vec<TopicPartition> {
        let mut partitions: Vec<TopicPartition> = Vec::new();
        let assigned = described.members.iter().flat_map(|member| &member.partitions);
        for which in assigned.chain(self.committed.iter().map(|(which, _)| which)) {
            if !partitions.contains(which) {
                partitions.push(which.clone());
            }
        }
        partitions
    }

    /// Those that have a leader.
    fn led(
        &self,
        described: &DescribedGroup,
        topics: &TopicAnswers,
    ) -> Result<Vec<TopicPartition>, Failure> {
        let mut led = Vec::new();
        for which in self.partitions(described) {
            let image = image_of(&which.topic, topics).map_err(|why| unknown_offsets(&why))?;
            if image.partition(which.partition).is_none() || image.leader(which.partition).is_some()
            {
                led.push(which);
            }
        }
        Ok(led)
    }

    /// The rows: members with most partitions first, then what nobody reads.
    pub(super) fn rows(self, described: &DescribedGroup) -> Vec<Assigned> {
        let mut members: Vec<&DescribedMember> = described.members.iter().collect();
        sort_by_key(&mut members, |member| std::cmp::Reverse(member.partitions.len()));
        let mut rows = Vec::new();
        for member in &members {
            let reader = [
                Rc::clone(&member.member.0),
                Rc::clone(&member.host),
                Rc::clone(&member.client_id),
            ];
            let partitions = member.partitions.iter().cloned();
            rows.extend(self.assigned(partitions, &reader));
        }
        let is_read =
            |which: &TopicPartition| members.iter().any(|member| member.partitions.contains(which));
        let left = self.committed.iter().map(|(which, _)| which.clone());
        let nobody = [MISSING; 3].map(Rc::from);
        rows.extend(self.assigned(left.filter(|which| !is_read(which)), &nobody));
        rows
    }

    /// Partitions of one reader, by topic and number.
    fn assigned(
        &self,
        partitions: impl Iterator<Item = TopicPartition>,
        reader: &[Rc<str>; 3],
    ) -> Vec<Assigned> {
        let mut rows = Vec::new();
        for which in partitions {
            let known = self.committed.iter().find(|(known, _)| *known == which);
            let end = self.ends.iter().find(|(known, _)| *known == which);
            rows.push(Assigned {
                committed: known.map(|(_, committed)| committed.clone()),
                log_end: end.map(|(_, end)| *end),
                reader: reader.clone(),
                which,
            });
        }
        sort_by_key(&mut rows, |row| (row.which.topic.as_str().to_owned(), row.which.partition));
        rows
    }
}

/// Where logs end, or the first failure in Java's order.
fn ends(answers: &OffsetAnswers) -> Result<Vec<(TopicPartition, Offset)>, Failure> {
    let mut ends = Vec::new();
    for (which, answer) in in_set_order(answers, |(which, _)| partition_hash(which)) {
        let found = answer.map_err(|why| unknown_offsets(&why))?;
        ends.push((which, found.map_or(Offset(-1), |(_, offset)| offset)));
    }
    Ok(ends)
}

/// Prints the table of one group.
pub(super) fn print(group: &GroupId, rows: &[Assigned], verbose: bool, out: &mut Out<'_>) {
    let first = widest(15, [&*group.0].into_iter());
    let topic = widest(15, rows.iter().map(|row| row.which.topic.as_str()));
    let member = widest(15, rows.iter().map(|row| &*row.reader[0]));
    let host = widest(15, rows.iter().map(|row| &*row.reader[1]));
    let print = |cells: [&str; 10], out: &mut Out<'_>| {
        let [g, t, partition, epoch, current, end, lag, m, h, client] = cells;
        let mut cells = vec![(g, first), (t, topic), (partition, 10)];
        if verbose {
            cells.push((epoch, 15));
        }
        cells.extend([(current, 15), (end, 15), (lag, 15), (m, member), (h, host), (client, 0)]);
        out.print(Fd::Stdout, format_args!("\n{}", row(&cells)));
    };
    let head = [
        "GROUP",
        "TOPIC",
        "PARTITION",
        "LEADER-EPOCH",
        "CURRENT-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
        "CONSUMER-ID",
        "HOST",
        "CLIENT-ID",
    ];
    print(head, out);
    let shown = |number: Option<i64>| number.map_or(MISSING.to_owned(), |n| n.to_string());
    for assigned in rows {
        let committed = assigned.committed.as_ref();
        let current = committed.map(|committed| committed.offset.0);
        let end = assigned.log_end.map(|end| end.0);
        let lag = current.filter(|current| *current != -1).zip(end).map(|(at, end)| end - at);
        let epoch = committed.map(|committed| committed.leader_epoch).filter(|epoch| *epoch >= 0);
        let [member, host, client] = &assigned.reader;
        print(
            [
                &group.0,
                assigned.which.topic.as_str(),
                &assigned.which.partition.to_string(),
                &shown(epoch.map(i64::from)),
                &shown(current),
                &shown(end),
                &shown(lag),
                member,
                host,
                client,
            ],
            out,
        );
    }
    out.write(Fd::Stdout, "\n");
}
