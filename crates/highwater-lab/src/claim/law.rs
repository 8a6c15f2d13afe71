//! Laws: claims that are to hold in every run of a random scenario. A search finds the first run in which one does
//! not, or none; that none was found among so many proves nothing of the others.
//!
//! A scenario writes a transcript from a seed, and the transcript is all there is: whoever plays it anywhere sees
//! the counterexample.

mod brokers_fail;
mod keyed_producers;
mod members;

use std::fmt;
use std::ops::Range;

use highwater_core::draw::who;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::{Session, options_of};
use highwater_shell::simulation::Dice;
use highwater_shell::transcript::Transcript;

use super::error::choose;
use super::{Claim, ClaimError, State};

/// The topic of every scenario.
const TOPIC: &str = "parcel-events";
/// Where its tools ask.
const SERVER: &str = "--bootstrap-server localhost:9092";

/// A random scenario.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What happens in it, for authors.
    pub about: &'static str,
    write: fn(&mut Dice) -> Vec<String>,
}

impl Scenario {
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self {
            name: "keyed-producers",
            about: "Two to four client libraries send records with a few keys to a topic of 2 to 6 partitions, one \
                    after the other. A value is a running number, the key and the library: `07 locker-3 java`. \
                    In the end the whole topic is read; `lines` are the values as they came.",
            write: keyed_producers::write,
        },
        Self {
            name: "group-members-come-and-go",
            about: "Members of the group billing join, leave and are killed while records come to a topic of 2 to \
                    6 partitions. In the end one member is sure to be there, and five minutes pass.",
            write: members::write,
        },
        Self {
            name: "brokers-fail",
            about: "Three brokers with all replicas of a topic of 1 to 3 partitions crash, are cut off and come \
                    back, while records are sent with acks=all and acks=1. A value is a running number, the key \
                    and the acks: `07 locker-3 acks=1`. In the end all is healed, and a minute passes.",
            write: brokers_fail::write,
        },
    ];

    /// The one of that name.
    ///
    /// # Errors
    /// There is none; which there are.
    pub fn find(name: &str) -> Result<Self, LawError> {
        Self::ALL.into_iter().find(|known| known.name == name).ok_or_else(|| {
            let names = Self::ALL.map(|known| known.name);
            LawError::new(format!("there is no scenario `{name}`"), choose(name, &names))
        })
    }

    /// The transcript of a seed, without outputs.
    #[must_use]
    pub fn transcript(&self, seed: u64) -> String {
        let mut dice = Dice::new(seed, who(self.name));
        let mut text = String::new();
        for line in (self.write)(&mut dice) {
            // A line of the head stands as it is.
            text.push_str(if line.starts_with('#') { "" } else { "$ " });
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

/// When a law is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At the end of each run.
    AtEnd,
    /// After each command of it.
    AfterEach,
}

/// A run in which a law does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// Its seed.
    pub seed: u64,
    /// After so many commands it does not hold.
    pub after: usize,
    /// Why not, in words.
    pub because: Vec<String>,
    /// The transcript that leads there, up to that command.
    pub transcript: String,
}

/// Why a search came to no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LawError {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl LawError {
    fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for LawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.remedy)
    }
}

impl std::error::Error for LawError {}

/// Plays a scenario with one seed after the other: the first run in which the claim does not hold, if there is one.
///
/// # Errors
/// There is no such scenario, or the claim asks something that has no answer in a run.
pub fn search(
    scenario: &str,
    claim: &Claim,
    seeds: Range<u64>,
    when: When,
) -> Result<Option<Counterexample>, LawError> {
    let scenario = Scenario::find(scenario)?;
    for seed in seeds {
        if let Some(found) = look(&scenario, claim, seed, when)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Plays one run.
fn look(
    scenario: &Scenario,
    claim: &Claim,
    seed: u64,
    when: When,
) -> Result<Option<Counterexample>, LawError> {
    let text = scenario.transcript(seed);
    let broken = |error: &dyn fmt::Display| {
        let what = format!("scenario {} cannot be played with seed {seed}: {error}", scenario.name);
        LawError::new(what, "this is a mistake of the scenario")
    };
    let transcript = Transcript::parse(&text).map_err(|error| broken(&error))?;
    let options = options_of(&transcript, &ClusterOptions::default());
    let mut session = Session::new(options).map_err(|error| broken(&error))?;
    let last = transcript.blocks.len();
    for (after, block) in (1..).zip(&transcript.blocks) {
        session.run(&block.command).map_err(|error| broken(&error))?;
        if when == When::AtEnd && after < last {
            continue;
        }
        let snapshot = session.timeline().snapshot();
        let told = claim.explain_at(&State::new(&session, &snapshot));
        let told = told.map_err(|error| asks_too_much(&error, seed, after))?;
        if !told.holds {
            let lines = transcript.blocks.get(after).map_or(usize::MAX, |next| next.line - 1);
            let led: Vec<&str> = text.lines().take(lines).collect();
            let transcript = format!("{}\n", led.join("\n"));
            return Ok(Some(Counterexample { seed, after, because: told.because, transcript }));
        }
    }
    Ok(None)
}

fn asks_too_much(error: &ClaimError, seed: u64, after: usize) -> LawError {
    let what = format!("with seed {seed}, after {after} commands, at {}: {}", error.at, error.what);
    LawError::new(what, error.remedy.clone())
}
