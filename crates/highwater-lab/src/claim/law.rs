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
use highwater_shell::simulation::{Dice, fewest};
use highwater_shell::transcript::Transcript;

use super::error::choose;
use super::{Claim, Explanation, Mistake, State};

/// The topic of every scenario.
const TOPIC: &str = "parcel-events";
/// Where its tools ask.
const SERVER: &str = "--bootstrap-server localhost:9092";

/// What a scenario has drawn: command lines.
#[derive(Clone, Debug)]
struct Script {
    brokers: u32,
    /// Makes the topic.
    create: String,
    /// What happens then. Some of it may be left out.
    acts: Vec<String>,
    /// How every run ends.
    end: Vec<String>,
}

impl Script {
    /// The transcript with these acts and so many lines of its end, without outputs.
    fn transcript(&self, acts: &[String], end: usize) -> String {
        let end = self.end.get(..end).unwrap_or(&self.end);
        let lines = std::iter::once(&self.create).chain(acts).chain(end);
        let mut text = format!("#! brokers {}\n", self.brokers);
        for line in lines {
            text.push_str(&format!("$ {line}\n"));
        }
        text
    }
}

/// A random scenario.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What happens in it, for authors.
    pub about: &'static str,
    write: fn(&mut Dice) -> Script,
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
    pub fn find(name: &str) -> Result<Self, Mistake> {
        Self::ALL.into_iter().find(|known| known.name == name).ok_or_else(|| {
            let names = Self::ALL.map(|known| known.name);
            Mistake::new(format!("there is no scenario `{name}`"), choose(name, &names))
        })
    }

    fn script(&self, seed: u64) -> Script {
        (self.write)(&mut Dice::new(seed, who(self.name)))
    }

    /// The transcript of a seed, without outputs.
    #[must_use]
    pub fn transcript(&self, seed: u64) -> String {
        let script = self.script(seed);
        script.transcript(&script.acts, script.end.len())
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
    /// Why the law does not hold at the end of the transcript.
    pub why: Explanation,
    /// The transcript that leads there, without outputs, and without what of the run is not needed for it.
    pub transcript: String,
}

/// Plays a scenario with one seed after the other: the first run in which the claim does not hold, if there is one.
///
/// # Errors
/// There is no such scenario, or the claim asks something that has no answer in a run.
pub fn search(
    scenario: &str,
    claim: &Claim,
    seeds: Range<u64>,
    when: When,
) -> Result<Option<Counterexample>, Mistake> {
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
) -> Result<Option<Counterexample>, Mistake> {
    let script = scenario.script(seed);
    let text = script.transcript(&script.acts, script.end.len());
    let found = first_failure(claim, &text, when).map_err(|mistake| {
        let what = format!("scenario {} with seed {seed}: {}", scenario.name, mistake.what);
        Mistake { what, ..mistake }
    })?;
    let Some(commands) = found else { return Ok(None) };
    // The topic is made first, then come the acts, then the end.
    let acts = script.acts.get(..commands.saturating_sub(1)).unwrap_or(&script.acts);
    let end = commands.saturating_sub(1 + script.acts.len());
    let acts = fewest(acts, |acts| {
        let text = script.transcript(acts, end);
        first_failure(claim, &text, When::AtEnd) == Ok(Some(1 + acts.len() + end))
    });
    let transcript = script.transcript(&acts, end);
    let why = played(&transcript, |session, _, is_last| {
        Ok(if is_last { Some(explain(claim, session)?) } else { None })
    })?;
    Ok(Some(Counterexample { seed, why: why.unwrap_or_default(), transcript }))
}

/// After how many commands of a transcript a claim does not hold.
fn first_failure(claim: &Claim, text: &str, when: When) -> Result<Option<usize>, Mistake> {
    played(text, |session, after, is_last| {
        if when == When::AtEnd && !is_last {
            return Ok(None);
        }
        let told = explain(claim, session).map_err(|mistake| Mistake {
            what: format!("after {after} commands, {}", mistake.what),
            ..mistake
        })?;
        Ok((!told.holds).then_some(after))
    })
}

fn explain(claim: &Claim, session: &Session) -> Result<Explanation, Mistake> {
    let snapshot = session.timeline().snapshot();
    let told = claim.explain_at(&State::new(session, &snapshot));
    told.map_err(|error| Mistake::new(format!("at {}: {}", error.at, error.what), error.remedy))
}

/// Plays a transcript and looks at it after each command, until something is found.
fn played<T>(
    text: &str,
    mut look: impl FnMut(&Session, usize, bool) -> Result<Option<T>, Mistake>,
) -> Result<Option<T>, Mistake> {
    let broken = |error: &dyn fmt::Display| {
        Mistake::new(format!("it cannot be played: {error}"), "this is a mistake of the scenario")
    };
    let transcript = Transcript::parse(text).map_err(|error| broken(&error))?;
    let options = options_of(&transcript, &ClusterOptions::default());
    let mut session = Session::new(options).map_err(|error| broken(&error))?;
    let last = transcript.blocks.len();
    for (after, block) in (1..).zip(&transcript.blocks) {
        session.run(&block.command).map_err(|error| broken(&error))?;
        let found = look(&session, after, after == last)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
