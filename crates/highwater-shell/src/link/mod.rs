//! Links: a session as text short enough for the fragment of a URL.
//!
//! Decides what a link carries (all that makes a session happen again: the cluster's options and what was done,
//! with times), which links can be read, and what is said of those that cannot. A link is
//! `play=1.` and base64url; `1` is its form. Behind it stand deflated bytes (`pack`) with checks in between
//! (`wire`), so that what comes before some damage is kept.

mod pack;
mod replay;
mod script;
mod wire;

use std::fmt;

use highwater_core::time::SimTime;
use highwater_core::world::input::Input;
use highwater_core::world::options::ClusterOptions;

pub use self::replay::{Replay, replay};
pub use self::script::{script, transcript};

/// Longest link that is made or read, in characters. Browsers take 80,000 and more.
pub const LINK_CHARS_MAX: usize = 64_000;

/// What stands before the form.
const PREFIX: &str = "play=";
/// The form that this version writes. A dictionary or layout of another kind is another form.
const FORM: u32 = 1;

/// All that makes a session happen again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLog {
    /// Which version of Highwater it was played with.
    pub engine: String,
    /// What kind of cluster.
    pub options: ClusterOptions,
    /// What was done, in order.
    pub inputs: Vec<Input>,
    /// Up to which moment it was played.
    pub until: SimTime,
    /// The trace's hash at that moment: whether it went the same way again.
    pub trace: u64,
}

/// What was in a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The session, as far as it could be read.
    pub log: SessionLog,
    /// What is to be said about it.
    pub notes: Vec<LinkNote>,
}

/// What a reader has to know about a link that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkNote {
    /// It is damaged; the first inputs were kept.
    Damaged {
        /// How many inputs are sound.
        kept: u32,
        /// How many there were.
        of: u32,
    },
    /// An option of the cluster that this version does not know; it was left out.
    UnknownOption(String),
    /// An input that this version does not know; it and what follows was left out.
    UnknownInput {
        /// How many inputs come before it.
        kept: u32,
        /// How many there were.
        of: u32,
        /// What it says.
        text: String,
    },
    /// Text behind the link's end, which was left out.
    TextBehind(String),
    /// An input was refused when the session was played again; it and what follows was left out.
    Refused {
        /// How many inputs were played before it.
        kept: u32,
        /// How many there were.
        of: u32,
        /// Why.
        why: String,
    },
    /// The session went another way than where the link was made.
    WentAnotherWay {
        /// The version with which it was made.
        engine: String,
    },
}

impl fmt::Display for LinkNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damaged { kept, of } => write!(
                f,
                "this link is damaged: the first {kept} of its {of} inputs are here, the rest is lost. Copy \
                 the whole link once more from where you found it"
            ),
            Self::UnknownOption(name) => write!(
                f,
                "this link sets `{name}`, which this version does not know: the cluster has its default. A \
                 newer version of the page may know it"
            ),
            Self::UnknownInput { kept, of, text } => write!(
                f,
                "input {} of {of}, `{text}`, is not known to this version: it and what follows was left out. \
                 A newer version of the page may know it",
                kept.saturating_add(1)
            ),
            Self::TextBehind(text) => write!(f, "`{text}` behind the link is no part of it"),
            Self::Refused { kept, of, why } => write!(
                f,
                "input {} of {of} is refused here: {why}. It and what follows was left out",
                kept.saturating_add(1)
            ),
            Self::WentAnotherWay { engine } => write!(
                f,
                "this session was made with version {engine} and went another way there: what you see may \
                 differ from what its author saw"
            ),
        }
    }
}

/// Why a link cannot be opened, or not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// There is no session in it.
    NotALink,
    /// It has a form that only a newer version reads.
    NewerForm(u32),
    /// It is longer than links get.
    TooLong {
        /// Its length in characters.
        chars: usize,
    },
    /// Nothing of it can be read.
    Damaged,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotALink => {
                write!(f, "there is no session in this link: one looks like `#{PREFIX}{FORM}.ZVLB...`")
            }
            Self::NewerForm(form) => write!(
                f,
                "this link was made by a newer version (form {form}; this version reads form {FORM}). Load \
                 the page again, or open it where it was made"
            ),
            Self::TooLong { chars } => write!(
                f,
                "a link has at most {LINK_CHARS_MAX} characters and this one would have {chars}. Share the \
                 transcript as a file instead"
            ),
            Self::Damaged => f.write_str(
                "this link is damaged from its beginning on: nothing of it can be read. Copy the whole link \
                 once more from where you found it",
            ),
        }
    }
}

/// Writes a session as the fragment of a URL, without `#`.
///
/// # Errors
/// The session is too long for a link.
pub fn encode(log: &SessionLog) -> Result<String, LinkError> {
    let text = format!("{PREFIX}{FORM}.{}", pack::pack(&wire::write(log)));
    if text.len() > LINK_CHARS_MAX {
        return Err(LinkError::TooLong { chars: text.len() });
    }
    Ok(text)
}

/// Reads a link: a whole URL, its fragment, or what is in it.
///
/// # Errors
/// Nothing of it can be read, and why.
pub fn decode(link: &str) -> Result<Opened, LinkError> {
    if link.len() > LINK_CHARS_MAX + LINK_CHARS_MAX / 4 {
        return Err(LinkError::TooLong { chars: link.chars().count() });
    }
    // A line that was broken in a mail.
    let link: String = link.chars().filter(|c| !c.is_whitespace()).collect();
    let fragment = link.rsplit_once('#').map_or(&*link, |(_, fragment)| fragment);
    let (form, body) = fragment
        .strip_prefix(PREFIX)
        .unwrap_or(fragment)
        .split_once('.')
        .ok_or(LinkError::NotALink)?;
    let is_number = !form.is_empty() && form.bytes().all(|byte| byte.is_ascii_digit());
    match form.parse() {
        Ok(FORM) => {}
        Ok(form) if is_number && form > FORM => return Err(LinkError::NewerForm(form)),
        _ => return Err(LinkError::NotALink),
    }
    let unpacked = pack::unpack(body);
    let mut opened = wire::read(&unpacked.bytes)?;
    if !unpacked.behind.is_empty() {
        opened.notes.push(LinkNote::TextBehind(unpacked.behind));
    }
    Ok(opened)
}
