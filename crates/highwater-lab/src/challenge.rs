//! Challenges: something to bring about in as few commands as one can, judged by what the engine has counted.

use highwater_core::error::ErrorCode;
use highwater_core::world::event::EventKind;
use highwater_core::world::input::InputKind;
use highwater_scene::words::lab as words;

use crate::run::Run;

/// A challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// Lose a record that Kafka acknowledged.
    LoseAcknowledged,
    /// Let a group get a record twice.
    ReadTwice,
    /// Let acks=all be refused although a leader is alive.
    RefuseAWrite,
}

impl Challenge {
    const ALL: [Self; 3] = [Self::LoseAcknowledged, Self::ReadTwice, Self::RefuseAWrite];

    /// Its id in links and heads.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::LoseAcknowledged => "lose-acknowledged",
            Self::ReadTwice => "read-twice",
            Self::RefuseAWrite => "refuse-a-write",
        }
    }

    /// The challenge of that id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|challenge| challenge.id() == id)
    }

    /// Its title.
    #[must_use]
    pub fn title(self) -> &'static str {
        words::challenge(self.id())
    }

    /// Whether it has been brought about by the present moment.
    #[must_use]
    pub fn is_met(self, run: &Run) -> bool {
        let hazards = run.timeline().world().hazards();
        match self {
            Self::LoseAcknowledged => {
                hazards.acknowledged_records_lost
                    + hazards.overtaken_records_lost
                    + hazards.committed_records_lost
                    > 0
            }
            Self::ReadTwice => hazards.records_redelivered > 0,
            Self::RefuseAWrite => run.events().iter().any(|event| {
                matches!(&event.kind, EventKind::AppendRefused { error, .. }
                    if error.code == ErrorCode::NotEnoughReplicas)
            }),
        }
    }

    /// How many commands were given so far: what `;`, `&&` and line ends divide counts one by one.
    #[must_use]
    pub fn commands(run: &Run) -> u64 {
        let here = run.now();
        let past = run.timeline().inputs().filter(|input| input.at <= here);
        let lines = past.map(|input| match &input.kind {
            InputKind::Line(line) => simple_commands(line),
            InputKind::Fault(_) => 1,
            InputKind::Interrupt | InputKind::EndOfInput => 0,
        });
        lines.sum()
    }

    /// The result, in one sentence.
    #[must_use]
    pub fn verdict(self, run: &Run) -> String {
        let commands = Self::commands(run);
        if self.is_met(run) {
            words::met(self.title(), commands)
        } else {
            words::not_met(self.title())
        }
    }
}

/// The commands of a line; a pipeline counts as one.
fn simple_commands(line: &str) -> u64 {
    let (mut count, mut quote, mut is_empty) = (0, None, true);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                is_empty = false;
            }
            (Some(open), c) if c == open => quote = None,
            (None, '#') if is_empty => break,
            (None, ';' | '\n') => {
                count += u64::from(!is_empty);
                is_empty = true;
            }
            (None, '&' | '|') if chars.peek() == Some(&c) => {
                chars.next();
                count += u64::from(!is_empty);
                is_empty = true;
            }
            (_, c) if !c.is_whitespace() => is_empty = false,
            _ => {}
        }
    }
    count + u64::from(!is_empty)
}
