//! What the reader has answered in one block of questions, and what that changes. No page in here.

use super::model::{Answer, Question, Quiz};
use super::progress::{Ending, Progress};

/// A block of questions, as the reader has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The questions.
    pub quiz: Quiz,
    /// The state of each.
    pub asked: Vec<Asked>,
}

/// The state of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Which variant is asked.
    pub variant: usize,
    /// The answer so far.
    pub answer: Answer,
    /// The order in which options are shown.
    pub shown: Vec<usize>,
    /// Rows of a Match question that were right the last time: they need not be chosen again.
    pub held: Vec<bool>,
    /// How it ended; nothing while it is asked.
    pub ending: Option<Ending>,
    /// The reader wanted it checked before there was enough of an answer.
    pub lacks: bool,
    /// How often it was begun: its fields are new ones then.
    pub round: u32,
    /// What an earlier visit has left.
    pub before: Before,
}

/// What an earlier visit has left of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing.
    Nothing,
    /// It was answered, or shown.
    Ended(Ending),
    /// Another wording of it was answered.
    Changed,
}

/// What a reader does. The first number is the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Chooses an option, or takes it back; for a traced program: 0 succeeds, 1 fails.
    Choose(usize, usize, bool),
    /// Types: into the only field, or for a traced program what it prints.
    Type(usize, String),
    /// Types the line of a fault.
    TypeLine(usize, String),
    /// Chooses a row's partner.
    Pick(usize, usize, Option<usize>),
    /// Moves what stands at a place up (or down).
    Move(usize, usize, bool),
    /// Wants it checked.
    Check(usize),
    /// Wants to see the answer.
    Show(usize),
    /// Tries the same question again.
    Again(usize),
    /// Tries another variant.
    Another(usize),
    /// Tries again whatever is wrong.
    AllWrong,
}

/// What is to be kept of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The question's hash.
    pub hash: u64,
    /// Its name.
    pub id: String,
    /// How it ended.
    pub ending: Ending,
}

impl Asked {
    fn new(question: &Question, variant: usize, round: u32) -> Self {
        Self {
            variant,
            answer: question.unanswered(),
            shown: question.shown(),
            held: Vec::new(),
            ending: None,
            lacks: false,
            round,
            before: Before::Nothing,
        }
    }
}

impl State {
    /// Questions that nobody has answered.
    #[must_use]
    pub fn new(quiz: Quiz) -> Self {
        let mut asked = Vec::with_capacity(quiz.items.len());
        for item in &quiz.items {
            let first = item.variants.first().cloned().unwrap_or_default();
            asked.push(Asked::new(&first, 0, 0));
        }
        Self { quiz, asked }
    }

    /// Says of each question what an earlier visit has left of it.
    pub fn remember(&mut self, progress: &Progress) {
        for (item, asked) in self.quiz.items.iter().zip(&mut self.asked) {
            let hash = item.hash();
            asked.before = match progress.question(hash) {
                Some(kept) => Before::Ended(kept.last),
                None if progress.has_another_of(item.id(), hash) => Before::Changed,
                None => Before::Nothing,
            };
        }
    }

    /// The variant that is asked.
    #[must_use]
    pub fn question(&self, item: usize) -> Option<&Question> {
        self.quiz.items.get(item)?.variants.get(self.asked.get(item)?.variant)
    }

    /// How many ended so.
    #[must_use]
    pub fn count(&self, ending: Ending) -> usize {
        self.asked.iter().filter(|asked| asked.ending == Some(ending)).count()
    }

    /// Does what the reader does; returns what is to be kept.
    pub fn act(&mut self, act: Act) -> Option<Ended> {
        match act {
            Act::Check(item) => return self.check(item),
            Act::Show(item) => return self.show(item),
            Act::Again(item) => self.again(item),
            Act::Another(item) => self.another(item),
            Act::AllWrong => {
                for item in 0..self.asked.len() {
                    if self.asked.get(item).is_some_and(|it| it.ending == Some(Ending::Wrong)) {
                        self.again(item);
                    }
                }
            }
            Act::Choose(item, option, on) => {
                let several = self.question(item).is_some_and(Question::takes_several);
                self.change(item, |asked| asked.choose(option, on, several));
            }
            Act::Type(item, text) => self.change(item, |asked| match &mut asked.answer {
                Answer::Typed(typed) | Answer::Traced { prints: typed, .. } => *typed = text,
                _ => {}
            }),
            Act::TypeLine(item, text) => self.change(item, |asked| {
                if let Answer::Traced { line, .. } = &mut asked.answer {
                    *line = text;
                }
            }),
            Act::Pick(item, row, partner) => self.change(item, |asked| {
                let is_held = asked.held.get(row) == Some(&true);
                if let Answer::Matched(partners) = &mut asked.answer
                    && let Some(chosen) = partners.get_mut(row).filter(|_| !is_held)
                {
                    *chosen = partner;
                }
            }),
            Act::Move(item, place, up) => self.change(item, |asked| {
                let other = if up { place.checked_sub(1) } else { Some(place + 1) };
                if let (Answer::Ordered(order), Some(other)) = (&mut asked.answer, other)
                    && place.max(other) < order.len()
                {
                    order.swap(place, other);
                }
            }),
        }
        None
    }

    /// Changes an answer, which only a question that is still asked has.
    fn change(&mut self, item: usize, to: impl FnOnce(&mut Asked)) {
        if let Some(asked) = self.asked.get_mut(item).filter(|asked| asked.ending.is_none()) {
            asked.lacks = false;
            to(asked);
        }
    }

    fn check(&mut self, item: usize) -> Option<Ended> {
        let question = self.question(item)?;
        let answer = &self.asked.get(item)?.answer;
        let (complete, right) = (question.is_complete(answer), question.is_right(answer));
        let asked = self.asked.get_mut(item).filter(|asked| asked.ending.is_none())?;
        if !complete {
            asked.lacks = true;
            return None;
        }
        self.end(item, if right { Ending::Right } else { Ending::Wrong })
    }

    fn show(&mut self, item: usize) -> Option<Ended> {
        self.asked.get(item).filter(|asked| asked.ending.is_none())?;
        self.end(item, Ending::Shown)
    }

    fn end(&mut self, item: usize, ending: Ending) -> Option<Ended> {
        let asked = self.asked.get_mut(item)?;
        (asked.ending, asked.lacks) = (Some(ending), false);
        let item = self.quiz.items.get(item)?;
        Some(Ended { hash: item.hash(), id: item.id().to_owned(), ending })
    }

    /// Asks again, with what was right still there.
    fn again(&mut self, item: usize) {
        let Some(question) = self.question(item).cloned() else { return };
        let Some(asked) = self.asked.get_mut(item) else { return };
        let shown = asked.ending == Some(Ending::Shown);
        asked.ending = None;
        match &mut asked.answer {
            // What was typed can be mended, and an order moved on.
            Answer::Typed(_) | Answer::Traced { .. } | Answer::Ordered(_) if !shown => {}
            Answer::Chosen(chosen) if !shown && question.takes_several() => {
                for (place, chosen) in chosen.iter_mut().enumerate() {
                    *chosen = *chosen && question.is_right_option(place);
                }
            }
            Answer::Matched(partners) if !shown => {
                asked.held = question.right_rows(partners);
                for (partner, right) in partners.iter_mut().zip(&asked.held) {
                    *partner = partner.filter(|_| *right);
                }
            }
            _ => {
                let (variant, round, before) = (asked.variant, asked.round + 1, asked.before);
                *asked = Asked { before, ..Asked::new(&question, variant, round) };
            }
        }
    }

    fn another(&mut self, item: usize) {
        let (Some(all), Some(asked)) = (self.quiz.items.get(item), self.asked.get_mut(item)) else {
            return;
        };
        let next = (asked.variant + 1) % all.variants.len().max(1);
        if let Some(question) = all.variants.get(next) {
            let (round, before) = (asked.round + 1, asked.before);
            *asked = Asked { before, ..Asked::new(question, next, round) };
        }
    }
}

impl Asked {
    fn choose(&mut self, option: usize, on: bool, several: bool) {
        match &mut self.answer {
            Answer::Chosen(chosen) if option < chosen.len() => {
                if !several {
                    chosen.fill(false);
                }
                chosen[option] = on;
            }
            Answer::Traced { succeeds, .. } => *succeeds = Some(option == 0),
            _ => {}
        }
    }
}
