//! What can be done to a cluster: crash, stop, start, pause and resume a broker; cut and slow the
//! network; lose a message.

use std::fmt;

use crate::ids::{BrokerId, MessageId};
use crate::net::rule::{Effect, Party, Rule};

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
    /// The network is as usual.
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
                write!(f, "hw slow {from} {to} {} --one-way", span.0 / 1_000)
            }
            Self::Heal(one, other) => write!(f, "hw heal {one} {other}"),
            Self::HealAll => f.write_str("hw heal"),
            Self::Drop(message) => write!(f, "hw drop {message}"),
        }
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
    /// The network does nothing to these two.
    NothingToHeal,
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
            Self::NothingToHeal => f.write_str("nothing is cut or slowed there"),
        }
    }
}
