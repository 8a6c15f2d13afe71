//! What is kept of a reader's answers: a text, a line for each question and each card.
//!
//! ```text
//! highwater-progress 1
//! q HASH times right wrong shown day last ID
//! c HASH due interval ease repetitions day LESSON
//! ```
//!
//! `times` is how often it was answered or shown, `last` how that ended (`right`, `wrong`, `shown`), `day` the day of that, counted
//! from 1970 in the reader's calendar; an ID that is not there is `-`. The reader of it takes what it can: a line that
//! is no such line is given back, to be set aside.

use highwater_core::number::{join, unsigned};

use super::hash::{from_hex, hex};
use super::schedule::{LEAST_EASE, LONGEST, Schedule};

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Answered, and right.
    Right,
    /// Answered, and wrong.
    Wrong,
    /// The reader has only asked to be shown.
    Shown,
}

impl Ending {
    const ALL: [Self; 3] = [Self::Right, Self::Wrong, Self::Shown];

    fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Shown => "shown",
        }
    }
}

/// What is kept of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What it is known by.
    pub hash: u64,
    /// How often it was right, wrong and only shown.
    pub counts: [u32; 3],
    /// The day of the last time.
    pub day: u32,
    /// How it ended then.
    pub last: Ending,
    /// What the author calls it; empty if nothing.
    pub id: String,
}

impl Kept {
    /// How often it was answered. What was only shown was not attempted.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.counts[0].saturating_add(self.counts[1])
    }
}

/// What is kept of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCard {
    /// What it is known by.
    pub hash: u64,
    /// When it comes back.
    pub schedule: Schedule,
    /// The day on which it was seen last.
    pub day: u32,
    /// The lesson that it belongs to.
    pub lesson: String,
}

/// All that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Questions, in the order in which they were met.
    pub questions: Vec<Kept>,
    /// Cards, in that order.
    pub cards: Vec<KeptCard>,
}

/// The first line.
pub const HEAD: &str = "highwater-progress 1";

impl Progress {
    /// Reads a text. What is not understood comes back line by line.
    #[must_use]
    pub fn read(text: &str) -> (Self, Vec<String>) {
        let (mut progress, mut strange) = (Self::default(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_end();
            let is_head = number == 0 && line.trim_start_matches('\u{feff}') == HEAD;
            if line.is_empty() || is_head {
                continue;
            }
            if progress.take_line(line).is_none() {
                strange.push(line.to_owned());
            }
        }
        (progress, strange)
    }

    fn take_line(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["q", hash, times, right, wrong, shown, day, last, id] => {
                let counts = [number(right)?, number(wrong)?, number(shown)?];
                let sum = counts.iter().fold(0_u32, |sum, count| sum.saturating_add(*count));
                let last = Ending::ALL.into_iter().find(|ending| ending.name() == last)?;
                let is_sound = number(times)? == sum && counts[last as usize] > 0;
                let kept =
                    Kept { hash: from_hex(hash)?, counts, day: number(day)?, last, id: name(id)? };
                is_sound.then(|| self.merge_question(kept))
            }
            ["c", hash, due, interval, ease, repetitions, day, lesson] => {
                let schedule = Schedule {
                    due: number(due)?,
                    interval: number(interval)?,
                    ease: number(ease)?,
                    repetitions: number(repetitions)?,
                };
                let is_sound = schedule.ease >= LEAST_EASE && schedule.interval <= LONGEST;
                let (hash, day, lesson) = (from_hex(hash)?, number(day)?, name(lesson)?);
                is_sound.then(|| self.merge_card(KeptCard { hash, schedule, day, lesson }))
            }
            _ => None,
        }
    }

    /// The text, which [`Progress::read`] reads.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = [HEAD, "\n"].concat();
        for Kept { hash, counts, day, last, id } in &self.questions {
            let sum = counts.iter().fold(0_u32, |sum, count| sum.saturating_add(*count));
            let mut words = vec!["q".to_owned(), hex(*hash), sum.to_string()];
            words.extend(counts.iter().map(u32::to_string));
            words.extend([day.to_string(), last.name().to_owned(), written(id)]);
            out.push_str(&[&join(&words, " "), "\n"].concat());
        }
        for KeptCard { hash, schedule, day, lesson } in &self.cards {
            let Schedule { due, interval, ease, repetitions } = schedule;
            let mut words = vec!["c".to_owned(), hex(*hash)];
            words.extend([due, interval, ease, repetitions, day].map(u32::to_string));
            words.push(written(lesson));
            out.push_str(&[&join(&words, " "), "\n"].concat());
        }
        out
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty() && self.cards.is_empty()
    }

    /// What is kept of a question.
    #[must_use]
    pub fn question(&self, hash: u64) -> Option<&Kept> {
        self.questions.iter().find(|kept| kept.hash == hash)
    }

    /// What is kept of a card.
    #[must_use]
    pub fn card(&self, hash: u64) -> Option<&KeptCard> {
        self.cards.iter().find(|kept| kept.hash == hash)
    }

    /// Notes how a question ended.
    pub fn note(&mut self, hash: u64, id: &str, ending: Ending, day: u32) {
        let known = self.questions.iter().position(|kept| kept.hash == hash);
        let place = known.unwrap_or_else(|| {
            let (counts, id) = ([0; 3], plain(id));
            self.questions.push(Kept { hash, counts, day, last: ending, id });
            self.questions.len() - 1
        });
        let Some(kept) = self.questions.get_mut(place) else { return };
        let count = &mut kept.counts[ending as usize];
        // Both sums must fit where they are read.
        *count = count.saturating_add(1).min(MOST);
        (kept.last, kept.day) = (ending, day);
    }

    /// Notes when a card comes back.
    pub fn note_card(&mut self, hash: u64, lesson: &str, schedule: Schedule, day: u32) {
        let kept = KeptCard { hash, schedule, day, lesson: plain(lesson) };
        match self.cards.iter_mut().find(|other| other.hash == hash) {
            Some(other) => *other = kept,
            None => self.cards.push(kept),
        }
    }

    /// A question is known by another hash now, and nobody has to answer it again.
    pub fn rename(&mut self, was: u64, hash: u64) {
        if self.question(hash).is_none()
            && let Some(kept) = self.questions.iter_mut().find(|kept| kept.hash == was)
        {
            kept.hash = hash;
        }
    }

    /// Whether a question of that name was answered that read otherwise.
    #[must_use]
    pub fn has_another_of(&self, id: &str, hash: u64) -> bool {
        let id = plain(id);
        !id.is_empty() && self.questions.iter().any(|kept| kept.id == id && kept.hash != hash)
    }

    /// Takes in what was kept elsewhere, in another window or in a file: of each thing that with more in it.
    pub fn merge(&mut self, other: Self) {
        other.questions.into_iter().for_each(|kept| self.merge_question(kept));
        other.cards.into_iter().for_each(|kept| self.merge_card(kept));
    }

    fn merge_question(&mut self, new: Kept) {
        let weight = |kept: &Kept| (kept.counts.map(u64::from).iter().sum::<u64>(), kept.day);
        match self.questions.iter_mut().find(|kept| kept.hash == new.hash) {
            Some(kept) if weight(kept) < weight(&new) => *kept = new,
            Some(_) => {}
            None => self.questions.push(new),
        }
    }

    fn merge_card(&mut self, new: KeptCard) {
        match self.cards.iter_mut().find(|kept| kept.hash == new.hash) {
            Some(kept) if kept.day < new.day => *kept = new,
            Some(_) => {}
            None => self.cards.push(new),
        }
    }

    /// How many cards of each lesson are due, in the order in which the lessons were met.
    #[must_use]
    pub fn due(&self, today: u32) -> Vec<(&str, u32)> {
        let mut due: Vec<(&str, u32)> = Vec::new();
        for card in self.cards.iter().filter(|card| card.schedule.is_due(today)) {
            match due.iter_mut().find(|(lesson, _)| *lesson == card.lesson) {
                Some((_, count)) => *count += 1,
                None => due.push((&card.lesson, 1)),
            }
        }
        due
    }
}

/// The most that is counted.
const MOST: u32 = 1_000_000;

fn number(text: &str) -> Option<u32> {
    u32::try_from(unsigned(text)?).ok()
}

/// A name without what would end its line or its word.
fn plain(id: &str) -> String {
    let word = |c: char| if c.is_whitespace() || c.is_control() { '_' } else { c };
    let plain: String = id.chars().map(word).collect();
    if plain == "-" { "_".to_owned() } else { plain }
}

fn written(id: &str) -> String {
    if id.is_empty() { "-".to_owned() } else { id.to_owned() }
}

fn name(word: &str) -> Option<String> {
    match word {
        "" => None,
        "-" => Some(String::new()),
        word => Some(word.to_owned()).filter(|word| plain(word) == *word),
    }
}
