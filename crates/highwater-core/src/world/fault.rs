//! What can be done to a cluster: crash, stop, start, pause and resume a broker; cut and slow the
//! network; slow a disk; lose a message.

use std::fmt;

use crate::ids::{BrokerId, MessageId};
use crate::net::rule::{Effect, Party, Rule};
use crate::time::SimDuration;

/// The longest that a message or a write may be made to take: an hour.
pub const MOST_DELAY: SimDuration = SimDuration::from_millis(3_600_000);

/// Something that is done to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The broker's process is killed (SIGKILL). What it has written is still there: the page cache
    /// belongs to the machine.
    Crash(BrokerId),
    /// The broker's machine loses power: what was not flushed to disk is gone.
    PowerLoss(BrokerId),
    /// The broker is asked to end (SIGTERM): a controlled shutdown.
    Stop(BrokerId),
    /// The broker's process is started.
    Start(BrokerId),
    /// The broker's process does nothing any more (SIGSTOP).
    Pause(BrokerId),
    /// It goes on (SIGCONT).
    Resume(BrokerId),
    /// The network treats messages between two parties so from now on.
    AddRule(Rule),
    /// The network treats messages between these two as usual, both ways.
    Heal(Party, Party),
    /// The network treats messages of the first of these to the other as usual; what it does to those the
    /// other way stays.
    HealOneWay(Party, Party),
    /// Each write to the broker's disk takes so long from now on.
    SlowDisk(BrokerId, SimDuration),
    /// The broker's disk is as fast as usual.
    HealDisk(BrokerId),
    /// The network and the disks are as usual.
    HealAll,
    /// This message is lost on its way.
    Drop(MessageId),
}

impl fmt::Display for Fault {
    /// As the line of `hw` that does it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(id) => write!(f, "hw crash {id}"),
            Self::PowerLoss(id) => write!(f, "hw crash {id} --power-loss"),
            Self::Stop(id) => write!(f, "hw stop {id}"),
            Self::Start(id) => write!(f, "hw start {id}"),
            Self::Pause(id) => write!(f, "hw pause {id}"),
            Self::Resume(id) => write!(f, "hw resume {id}"),
            Self::AddRule(Rule { from, to, effect: Effect::Cut }) => {
                write!(f, "hw cut {from} {to} --one-way")
            }
            Self::AddRule(Rule { from, to, effect: Effect::Slow(span) }) => {
                write!(f, "hw slow {from} {to} {} --one-way", Millis(*span))
            }
            Self::Heal(one, other) => write!(f, "hw heal {one} {other}"),
            Self::HealOneWay(from, to) => write!(f, "hw heal {from} {to} --one-way"),
            Self::SlowDisk(id, span) => write!(f, "hw slow --disk {id} {}", Millis(*span)),
            Self::HealDisk(id) => write!(f, "hw heal --disk {id}"),
            Self::HealAll => f.write_str("hw heal"),
            Self::Drop(message) => write!(f, "hw drop {message}"),
        }
    }
}

/// A span in milliseconds, exactly: as many decimals as it needs.
#[derive(Clone, Copy, Debug)]
pub struct Millis(pub SimDuration);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, micros) = (self.0.0 / 1_000, self.0.0 % 1_000);
        if micros == 0 {
            return write!(f, "{whole}");
        }
        f.write_str(format!("{whole}.{micros:03}").trim_end_matches('0'))
    }
}

/// Why something cannot be done to the cluster as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// There is no such broker.
    NoSuchBroker(BrokerId),
    /// It does not run.
    NotRunning(BrokerId),
    /// It runs already.
    Running(BrokerId),
    /// It is paused, and can only be crashed or resumed.
    Paused(BrokerId),
    /// It is not paused.
    NotPaused(BrokerId),
    /// No such message is on its way.
    NoSuchMessage(MessageId),
    /// Nothing is wrong there: with the network, or with a disk.
    NothingToHeal,
    /// A link from somebody to itself.
    OneEnd,
    /// Slow by nothing, or by more than an hour.
    BadDelay(SimDuration),
    /// At a moment after the end of time.
    AfterTheEnd,
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchBroker(id) => write!(f, "there is no broker {id}"),
            Self::NotRunning(id) => write!(f, "broker {id} is not running"),
            Self::Running(id) => write!(f, "broker {id} is running already"),
            Self::Paused(id) => write!(f, "broker {id} is paused; resume or crash it"),
            Self::NotPaused(id) => write!(f, "broker {id} is not paused"),
            Self::NoSuchMessage(id) => write!(f, "no message {id} is on its way"),
            Self::OneEnd => f.write_str("a link has two different ends"),
            Self::BadDelay(span) => {
                let (given, most) = (Millis(*span), Millis(MOST_DELAY));
                write!(f, "{given} ms is no delay; it is from 0.001 to {most} ms")
            }
            Self::AfterTheEnd => f.write_str("time ends after a thousand years"),
            Self::NothingToHeal => f.write_str("nothing is cut or slow there"),
        }
    }
}
