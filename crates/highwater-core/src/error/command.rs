//! What a person asked of the simulator that makes no sense.

use std::fmt;

use crate::scope::Lab;
use crate::world::fault::Impossible;

/// What a person asked of the simulator that cannot be done. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// The input names a terminal that does not exist.
    NoSuchTerminal(u32),
    /// The input is larger than a terminal takes at once.
    InputTooLong {
        /// Its length in bytes.
        bytes: u64,
        /// The most that is taken.
        most: u64,
    },
    /// The input lies before the present of the world it was given to.
    InputInThePast,
    /// A cluster option is out of range; the text says which and what is possible.
    BadOption(&'static str),
    /// The cluster as it is does not let that be done to it.
    Impossible(Lab<Impossible>),
    /// A line of a broker's configuration file that says something impossible, or has no effect here.
    BadSetting(Lab<String>),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchTerminal(id) => write!(f, "there is no terminal {id}"),
            Self::InputTooLong { bytes, most } => {
                write!(f, "this input has {bytes} bytes and a terminal takes {most}; split it")
            }
            Self::InputInThePast => {
                f.write_str("this input lies in the past; seek there first, then give it")
            }
            Self::BadOption(what) => f.write_str(what),
            Self::Impossible(why) => why.get().map_or(Ok(()), |why| why.fmt(f)),
            Self::BadSetting(why) => f.write_str(why.get().map_or("", |why| why)),
        }
    }
}
