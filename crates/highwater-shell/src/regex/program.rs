//! The engine: an expression as a list of instructions, and all ways through it side by side.
//!
//! Decides where an expression fits: the first place, and there the longest text (POSIX's rule).
//! A step over one character costs at most the length of the program.

use super::Span;
use super::parse::{Assertion, Node, Problem, Set};

/// So long may a program be.
const PROGRAM_MAX: usize = 20_000;

/// One instruction.
#[derive(Clone, Debug)]
enum Step {
    One(Set),
    Assert(Assertion),
    /// Goes on at both places.
    Split(usize, usize),
    Jump(usize),
    Fits,
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(super) struct Program {
    steps: Vec<Step>,
    folds: bool,
}

/// What was met in the text: characters and the bytes at which they begin.
struct Text {
    /// A character, or `None` for a byte that is no UTF-8.
    characters: Vec<Option<char>>,
    starts: Vec<usize>,
}

/// Places of the program that are reached, each with the character at which its way began.
struct Reached {
    places: Vec<usize>,
    began: Vec<usize>,
    /// In which round a place was reached last.
    round: Vec<usize>,
}

impl Text {
    fn new(bytes: &[u8]) -> Self {
        let mut text = Self { characters: Vec::new(), starts: Vec::new() };
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                text.characters.push(Some(character));
                text.starts.push(at);
                at += character.len_utf8();
            }
            for _ in chunk.invalid() {
                text.characters.push(None);
                text.starts.push(at);
                at += 1;
            }
        }
        text.starts.push(at);
        text
    }

    fn is_word(&self, at: Option<usize>) -> bool {
        let character = at.and_then(|at| self.characters.get(at)).copied().flatten();
        character.is_some_and(|character| character == '_' || character.is_alphanumeric())
    }

    fn holds(&self, assertion: Assertion, at: usize) -> bool {
        let before = self.is_word(at.checked_sub(1));
        let after = self.is_word(Some(at));
        let end = self.characters.len();
        match assertion {
            Assertion::Begin => at == 0,
            Assertion::End => at == end,
            Assertion::EndOrLastLine => {
                at == end || at + 1 == end && self.characters[at] == Some('\n')
            }
            Assertion::WordBegin => !before && after,
            Assertion::WordEnd => before && !after,
            Assertion::WordBorder => before != after,
            Assertion::NoWordBorder => before == after,
        }
    }
}

impl Program {
    pub(super) fn new(node: &Node, folds: bool) -> Result<Self, Problem> {
        let mut program = Self { steps: Vec::new(), folds };
        program.add(node)?;
        program.push(Step::Fits)?;
        Ok(program)
    }

    fn push(&mut self, step: Step) -> Result<usize, Problem> {
        if self.steps.len() >= PROGRAM_MAX {
            let text = "Regular expression too big".to_owned();
            return Err(Problem { text, at: 0, is_ours: true });
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn add(&mut self, node: &Node) -> Result<(), Problem> {
        match node {
            Node::Empty => {}
            Node::One(set) => {
                self.push(Step::One(set.clone()))?;
            }
            Node::Assert(assertion) => {
                self.push(Step::Assert(*assertion))?;
            }
            Node::All(nodes) => {
                for node in nodes {
                    self.add(node)?;
                }
            }
            Node::Any(nodes) => {
                let mut ends = Vec::new();
                for (number, node) in nodes.iter().enumerate() {
                    if number + 1 == nodes.len() {
                        self.add(node)?;
                        break;
                    }
                    let split = self.push(Step::Split(0, 0))?;
                    self.add(node)?;
                    ends.push(self.push(Step::Jump(0))?);
                    self.steps[split] = Step::Split(split + 1, self.steps.len());
                }
                let end = self.steps.len();
                for jump in ends {
                    self.steps[jump] = Step::Jump(end);
                }
            }
            Node::Repeat(node, least, most) => self.repeat(node, *least, *most)?,
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, least: u32, most: Option<u32>) -> Result<(), Problem> {
        for _ in 0..least {
            let before = self.steps.len();
            self.add(node)?;
            // Nothing, repeated, is nothing.
            if self.steps.len() == before {
                break;
            }
        }
        let Some(most) = most else {
            let split = self.push(Step::Split(0, 0))?;
            self.add(node)?;
            self.push(Step::Jump(split))?;
            self.steps[split] = Step::Split(split + 1, self.steps.len());
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.push(Step::Split(0, 0))?);
            self.add(node)?;
        }
        let end = self.steps.len();
        for split in splits {
            self.steps[split] = Step::Split(split + 1, end);
        }
        Ok(())
    }

    /// Whether a set has the character.
    fn takes(&self, set: &Set, character: Option<char>) -> bool {
        let Some(character) = character else { return false };
        if set.has(u32::from(character)) {
            return true;
        }
        let other = |mut cases: Box<dyn Iterator<Item = char>>| match (cases.next(), cases.next()) {
            (Some(one), None) => set.has(u32::from(one)),
            _ => false,
        };
        // A negated set leaves out a character in both cases.
        self.folds
            && !set.negated
            && (other(Box::new(character.to_lowercase()))
                || other(Box::new(character.to_uppercase())))
    }

    /// Adds a place and all that is reached from it without a character.
    fn reach(&self, place: usize, began: usize, at: usize, text: &Text, reached: &mut Reached) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            if reached.round[place] == at + 1 {
                continue;
            }
            reached.round[place] = at + 1;
            match &self.steps[place] {
                Step::Split(one, other) => open.extend([*other, *one]),
                Step::Jump(to) => open.push(*to),
                Step::Assert(assertion) => {
                    if text.holds(*assertion, at) {
                        open.push(place + 1);
                    }
                }
                Step::One(_) | Step::Fits => {
                    reached.places.push(place);
                    reached.began.push(began);
                }
            }
        }
    }

    pub(super) fn fits(&self, bytes: &[u8]) -> bool {
        let text = Text::new(bytes);
        let end = text.characters.len();
        self.run(&text, 0, true).is_some_and(|(_, to)| to == end)
    }

    pub(super) fn find(&self, bytes: &[u8], from: usize) -> Option<Span> {
        let text = Text::new(bytes);
        let from = text.starts.partition_point(|start| *start < from);
        let (begin, end) = self.run(&text, from, false)?;
        Some((text.starts[begin], text.starts[end]))
    }

    /// The first and there the longest fit, in characters; `fixed`: only one that begins at `from`.
    fn run(&self, text: &Text, from: usize, fixed: bool) -> Option<(usize, usize)> {
        let new =
            || Reached { places: Vec::new(), began: Vec::new(), round: vec![0; self.steps.len()] };
        let (mut now, mut next) = (new(), new());
        let mut best: Option<(usize, usize)> = None;
        for at in from..=text.characters.len() {
            // Ways that began earlier come first, so a place keeps its earliest beginning.
            if best.is_none() && (!fixed || at == from) {
                self.reach(0, at, at, text, &mut now);
            }
            if now.places.is_empty() && (best.is_some() || fixed) {
                break;
            }
            for (place, began) in now.places.iter().zip(&now.began) {
                if best.is_some_and(|(first, _)| first < *began) {
                    continue;
                }
                match &self.steps[*place] {
                    Step::Fits => best = Some((*began, at)),
                    Step::One(set) => {
                        let character = text.characters.get(at).copied().flatten();
                        if at < text.characters.len() && self.takes(set, character) {
                            self.reach(place + 1, *began, at + 1, text, &mut next);
                        }
                    }
                    _ => {}
                }
            }
            std::mem::swap(&mut now, &mut next);
            next.places.clear();
            next.began.clear();
        }
        best
    }
}
