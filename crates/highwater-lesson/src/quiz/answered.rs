//! How much of a lesson a reader has answered, as the contents of the course say it.

use highwater_scene::node::Node;
use highwater_scene::template::tree;

use super::hash::hex;
use super::progress::Progress;

/// The questions of a lesson, in short: the first digits of what each is known by. Every lesson's page carries them
/// for all lessons, so there are only as many digits as tell the questions of the course apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    digits: usize,
    questions: Vec<u64>,
}

impl Asks {
    /// The most digits that there are.
    const DIGITS: usize = 16;

    /// Of the hashes of some questions, with so many digits.
    #[must_use]
    pub fn new(hashes: &[u64], digits: usize) -> Self {
        let questions = hashes.iter().map(|hash| first(*hash, digits)).collect();
        Self { digits, questions }
    }

    /// How many digits tell all of these apart. Four are the least, since an answer to an older wording is none of
    /// these, and should not be taken for one.
    #[must_use]
    pub fn digits_for(hashes: &[u64]) -> usize {
        let differ = |digits: &usize| {
            let mut short: Vec<u64> = hashes.iter().map(|hash| first(*hash, *digits)).collect();
            short.sort_unstable();
            short.windows(2).all(|pair| pair[0] != pair[1])
        };
        (4..Self::DIGITS).find(differ).unwrap_or(Self::DIGITS)
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// As two attributes of the page: the digits of all questions in a row, and how many each has.
    #[must_use]
    pub fn write(&self) -> (String, usize) {
        let digits = self.questions.iter().map(|first| hex(*first).split_off(16 - self.digits));
        (digits.collect(), self.digits)
    }

    /// Reads that; none where it is damaged.
    #[must_use]
    pub fn read(text: &str, digits: usize) -> Self {
        let mut questions = Vec::new();
        let mut rest = text;
        while let (1..=Self::DIGITS, Some((one, behind))) = (digits, rest.split_at_checked(digits))
        {
            questions.extend(u64::from_str_radix(one, 16).ok());
            rest = behind;
        }
        Self { digits, questions }
    }

    /// How many of them were answered, right or wrong. What was only shown was not answered.
    #[must_use]
    pub fn answered(&self, progress: &Progress) -> usize {
        let mut count = 0;
        for question in &self.questions {
            let mut kept = progress.questions.iter().filter(|kept| kept.attempts() > 0);
            count += usize::from(kept.any(|kept| first(kept.hash, self.digits) == *question));
        }
        count
    }

    /// What the contents say; nothing while nothing was answered.
    #[must_use]
    pub fn view(&self, progress: &Progress) -> Node {
        let (answered, all) = (self.answered(progress), self.questions.len());
        let words = [&answered.to_string(), " of ", &all.to_string(), " answered"].concat();
        let tick = (answered == all).then(|| {
            tree("<span class='contents-tick' aria-hidden='true'>\u{2713}</span>", Vec::new())
        });
        let said =
            (answered > 0).then(|| tree("<span>{}{}</span>", vec![tick.into(), words.into()]));
        tree("<span>{}</span>", vec![said.into()])
    }
}

/// The first digits of a hash, as a number.
fn first(hash: u64, digits: usize) -> u64 {
    hash.checked_shr(64 - 4 * digits as u32).unwrap_or_default()
}
