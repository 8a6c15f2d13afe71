//! What may go wrong with consumers of a group, and does: records that the group gets again after somebody
//! died before the commit; records that nobody in it has worked on, because they were committed first or
//! because it began at the end; work that a member does on records that are another one's by then. Each is
//! an event with its cause, and counted.

use std::rc::Rc;

use crate::client::kafka_consumer::ConsumedRecord;
use crate::ids::{ClientId, GroupId, Offset, TopicId, TopicPartition};
use crate::log::unified_log::UnifiedLog;
use crate::sorted_map::SortedMap;
use crate::world::cluster_event::ClusterEvent;
use crate::world::group_event::{GroupEvent, Skipped};
use crate::world::hazard::Note;
use crate::world::outbox::Outbox;
use crate::world::process::Process;
use crate::world::world::World;

/// What a consumer, or the coordinator of its group, did that the group's next member will be measured
/// by. Nobody else hears of it.
#[derive(Debug)]
pub enum GroupNote {
    /// A member begins to read a partition there.
    Began {
        /// In this group.
        group: GroupId,
        /// Which partition.
        partition: TopicPartition,
        /// At this offset.
        at: Offset,
        /// Who said so.
        place: Beginning,
    },
    /// Records were handed to the application.
    HandedOut {
        /// In this group.
        group: GroupId,
        /// These.
        records: Rc<Vec<ConsumedRecord>>,
        /// The same by partition.
        pieces: Vec<Work>,
    },
    /// The application has done its work on these.
    Worked(GroupId, Vec<Work>),
    /// Somebody who is no member has set the group's offsets.
    Set(GroupId, Vec<(TopicPartition, Offset)>),
}

/// Why a member begins where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// There the group has committed.
    Committed,
    /// There the settings send it (`auto.offset.reset`).
    Reset,
    /// The application named the offset.
    Named,
}

/// A piece of work: records of one partition that followed one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The partition.
    pub partition: TopicPartition,
    /// The first offset.
    pub from: Offset,
    /// The offset after the last.
    pub to: Offset,
    /// How many records.
    pub records: u32,
}

impl Work {
    /// Cuts records that were handed out together into pieces of one partition each.
    #[must_use]
    pub fn pieces_of(records: &[ConsumedRecord]) -> Vec<Self> {
        let mut pieces: Vec<Self> = Vec::new();
        for record in records {
            let next = record.offset.plus(1);
            match pieces.last_mut() {
                Some(last) if last.partition == record.partition => {
                    last.to = next;
                    last.records += 1;
                }
                _ => pieces.push(Self {
                    partition: record.partition.clone(),
                    from: record.offset,
                    to: next,
                    records: 1,
                }),
            }
        }
        pieces
    }
}

/// How far a group is in a partition.
#[derive(Clone, Debug)]
struct Progress {
    topic: TopicId,
    /// Who reads it.
    owner: ClientId,
    /// All before this was handed out.
    handed: Offset,
    /// All before this was worked on.
    worked: Offset,
}

/// How far all groups are.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupProgress(SortedMap<(GroupId, TopicPartition), Progress>);

impl GroupProgress {
    /// Records of a partition from there on are lost: what comes in their place is new.
    pub(super) fn forget_from(&mut self, which: &TopicPartition, from: Offset) {
        for ((_, of), progress) in self.0.iter_mut() {
            if of == which {
                progress.handed = progress.handed.min(from);
                progress.worked = progress.worked.min(from);
            }
        }
    }
}

impl<P: Process> World<P> {
    /// Takes a client's notes.
    pub(super) fn take_client_notes(&mut self, client: ClientId, out: &mut Outbox) {
        for (cause, note) in std::mem::take(&mut out.notes) {
            out.because(cause);
            if let Some(Note::Group(note)) = note.get() {
                self.take_group_note(Some(client), note, out);
            }
        }
    }

    /// Takes a note; without a client it is the coordinator's.
    pub(super) fn take_group_note(
        &mut self,
        client: Option<ClientId>,
        note: &GroupNote,
        out: &mut Outbox,
    ) {
        match (note, client) {
            (GroupNote::Set(group, offsets), _) => {
                for (which, offset) in offsets {
                    if let Some(progress) = self.progress(group, which) {
                        (progress.handed, progress.worked) = (*offset, *offset);
                    }
                }
            }
            (GroupNote::Began { group, partition, at, place }, Some(client)) => {
                self.note_began(client, (group, partition), *at, *place, out);
            }
            (GroupNote::HandedOut { group, records, pieces }, Some(client)) => {
                for piece in pieces {
                    self.note_handed(client, group, piece, records, out);
                }
            }
            (GroupNote::Worked(group, pieces), Some(client)) => {
                for piece in pieces {
                    self.note_worked(client, group, piece, out);
                }
            }
            (_, None) => {}
        }
    }

    /// How far a group is in a partition, unless it has never read it, or another one of that name.
    fn progress(&mut self, group: &GroupId, which: &TopicPartition) -> Option<&mut Progress> {
        let topic = self.controller.image().topics.get(&which.topic)?.id;
        let key = (group.clone(), which.clone());
        let progress = self.hazards.groups.0.get_mut(&key)?;
        (progress.topic == topic).then_some(progress)
    }

    fn note_began(
        &mut self,
        client: ClientId,
        (group, which): (&GroupId, &TopicPartition),
        at: Offset,
        place: Beginning,
        out: &mut Outbox,
    ) {
        let Some(topic) = self.controller.image().topics.get(&which.topic).map(|it| it.id) else {
            return;
        };
        let known = self.progress(group, which).map(|progress| {
            progress.owner = client;
            progress.worked
        });
        let why = match place {
            Beginning::Committed => Skipped::CommittedFirst,
            Beginning::Reset => Skipped::BeganLater,
            Beginning::Named => {
                if let Some(progress) = self.progress(group, which) {
                    (progress.handed, progress.worked) = (at, at);
                }
                return;
            }
        };
        let start = || self.leader_log(which).map(UnifiedLog::log_start_offset);
        let from = match (known, place) {
            (Some(worked), _) => worked,
            (None, Beginning::Reset) => start().unwrap_or(at),
            (None, _) => at,
        };
        if from < at {
            self.note_skipped((group, which), (from, at), why, out);
        }
        match self.progress(group, which) {
            Some(progress) => progress.worked = progress.worked.max(at),
            None => {
                let progress = Progress { topic, owner: client, handed: at, worked: at };
                self.hazards.groups.0.insert((group.clone(), which.clone()), progress);
            }
        }
    }

    fn note_skipped(
        &mut self,
        (group, which): (&GroupId, &TopicPartition),
        (from, to): (Offset, Offset),
        why: Skipped,
        out: &mut Outbox,
    ) {
        let records = self.leader_log(which).map_or(0, |log| records_between(log, from, to));
        if records == 0 {
            return;
        }
        self.hazards.counts.records_skipped += records;
        out.emit_beside(ClusterEvent::Group(GroupEvent::RecordsSkipped {
            group: group.clone(),
            partition: which.clone(),
            from,
            to,
            records,
            why,
        }));
    }

    fn note_handed(
        &mut self,
        client: ClientId,
        group: &GroupId,
        piece: &Work,
        records: &[ConsumedRecord],
        out: &mut Outbox,
    ) {
        let Some(progress) = self.progress(group, &piece.partition) else { return };
        let (owner, handed) = (progress.owner, progress.handed);
        if owner == client {
            progress.handed = handed.max(piece.to);
        }
        if piece.from >= handed {
            return;
        }
        let again = records.iter().filter(|record| {
            record.partition == piece.partition && record.offset < handed.min(piece.to)
        });
        let again = again.count() as u64;
        self.hazards.counts.records_redelivered += again;
        out.emit_beside(ClusterEvent::Group(GroupEvent::RecordsRedelivered {
            group: group.clone(),
            partition: piece.partition.clone(),
            from: piece.from,
            to: handed.min(piece.to),
            records: again,
        }));
    }

    fn note_worked(&mut self, client: ClientId, group: &GroupId, piece: &Work, out: &mut Outbox) {
        let Some(progress) = self.progress(group, &piece.partition) else { return };
        progress.worked = progress.worked.max(piece.to);
        if progress.owner == client {
            return;
        }
        self.hazards.counts.records_worked_too_late += u64::from(piece.records);
        out.emit_beside(ClusterEvent::Group(GroupEvent::WorkedTooLate {
            group: group.clone(),
            partition: piece.partition.clone(),
            from: piece.from,
            to: piece.to,
            records: piece.records.into(),
        }));
    }

    fn leader_log(&self, which: &TopicPartition) -> Option<&UnifiedLog> {
        let image = self.controller.image().partition(&which.topic, which.partition)?;
        let leader = self.brokers.get(&image.leader?)?;
        Some(leader.partitions().get(which)?.log())
    }
}

/// How many records there are between two offsets. Of those that have been deleted, each offset counts.
fn records_between(log: &UnifiedLog, from: Offset, to: Offset) -> u64 {
    let start = log.log_start_offset();
    let gone = (to.0.min(start.0) - from.0).max(0);
    let from = from.max(start);
    let mut records = u64::try_from(gone).unwrap_or(0);
    if from < to {
        for batch in log.read(from, to, u64::MAX) {
            let inside = batch.iter_from(from).take_while(|(offset, _)| *offset < to);
            records += inside.count() as u64;
        }
    }
    records
}
