//! How much of a lesson a reader has answered, as the contents of the course say it.

use highwater_scene::node::Node;
use highwater_scene::template::tree;

use super::progress::Progress;

/// The questions of a lesson, in short: of each, what it is known by now and what it was known by before. The upper
/// half of a hash is enough to tell a course's questions apart, and a page carries them for every lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks(Vec<Vec<u32>>);

impl Asks {
    /// Of the hashes of each question.
    #[must_use]
    pub fn new(questions: &[Vec<u64>]) -> Self {
        let short = |hashes: &Vec<u64>| hashes.iter().map(|hash| short(*hash)).collect();
        Self(questions.iter().map(short).collect())
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As an attribute of the page: a word for each question, with `-` between its hashes.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = String::new();
        for question in &self.0 {
            for (place, hash) in question.iter().enumerate() {
                out.push_str(match (place, out.is_empty()) {
                    (0, true) => "",
                    (0, false) => " ",
                    _ => "-",
                });
                out.push_str(&super::hash::hex(u64::from(*hash))[8..]);
            }
        }
        out
    }

    /// Reads that. What is no hash is left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut asks = Vec::new();
        for word in text.split_whitespace() {
            let hashes = word.split('-').filter_map(|hash| u32::from_str_radix(hash, 16).ok());
            asks.push(hashes.collect());
        }
        Self(asks)
    }

    /// How many of them were answered, right or wrong. What was only shown was not answered.
    #[must_use]
    pub fn answered(&self, progress: &Progress) -> usize {
        let mut count = 0;
        for hashes in &self.0 {
            let mut kept = progress.questions.iter().filter(|kept| kept.attempts() > 0);
            count += usize::from(kept.any(|kept| hashes.contains(&short(kept.hash))));
        }
        count
    }

    /// What the contents say; nothing while nothing was answered.
    #[must_use]
    pub fn view(&self, progress: &Progress) -> Node {
        let (answered, all) = (self.answered(progress), self.0.len());
        let words = [&answered.to_string(), " of ", &all.to_string(), " answered"].concat();
        let tick = (answered == all).then(|| {
            tree("<span class='contents-tick' aria-hidden='true'>\u{2713}</span>", Vec::new())
        });
        let said =
            (answered > 0).then(|| tree("<span>{}{}</span>", vec![tick.into(), words.into()]));
        tree("<span>{}</span>", vec![said.into()])
    }
}

fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}
