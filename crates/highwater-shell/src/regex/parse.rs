//! What the front ends share: the tree of an expression, and reading it piece by piece.

use std::fmt;

/// So many brackets may be open at once.
const DEPTH_MAX: usize = 100;
/// The most often that something can be repeated by a count.
pub(super) const COUNT_MAX: u32 = 32_767;

/// Why an expression is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// In the words of the language it was written in.
    pub text: String,
    /// The character at which it was noticed.
    pub at: usize,
    /// Whether the language has it, and Highwater has not.
    pub is_ours: bool,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Problem {}

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    One(Set),
    Assert(Assertion),
    All(Vec<Node>),
    Any(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
}

/// What must hold between two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    Begin,
    End,
    /// Before the end, or before a line end at the end (Java's `$`).
    EndOrLastLine,
    WordBegin,
    WordEnd,
    WordBorder,
    NoWordBorder,
}

/// Characters, as ranges. What is no UTF-8 fits no set, as in grep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) negated: bool,
}

impl Set {
    pub(super) fn one(character: char) -> Self {
        let mut set = Self::default();
        set.add(character, character);
        set
    }

    pub(super) fn of(ranges: &[(char, char)], negated: bool) -> Self {
        let ranges = ranges.iter().map(|(low, high)| (u32::from(*low), u32::from(*high)));
        Self { ranges: ranges.collect(), negated }
    }

    pub(super) fn add(&mut self, low: char, high: char) {
        self.ranges.push((u32::from(low), u32::from(high)));
    }

    /// Takes all of another set in.
    pub(super) fn add_set(&mut self, other: &Self) {
        if !other.negated {
            self.ranges.extend_from_slice(&other.ranges);
            return;
        }
        let mut ranges = other.ranges.clone();
        ranges.sort_unstable();
        let mut next = 0;
        for (low, high) in ranges {
            if low > next {
                self.ranges.push((next, low - 1));
            }
            next = next.max(high + 1);
        }
        self.ranges.push((next, u32::from(char::MAX)));
    }

    pub(super) fn has(&self, character: u32) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&character)) != self.negated
    }
}

/// The digits, word characters and blanks of `\d`, `\w` and `\s`.
pub(super) fn class(letter: char) -> Option<Set> {
    let (ranges, negated): (&[(char, char)], bool) = match letter {
        'd' | 'D' => (&[('0', '9')], letter == 'D'),
        'w' | 'W' => (&[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')], letter == 'W'),
        's' | 'S' => (&[(' ', ' '), ('\t', '\r')], letter == 'S'),
        _ => return None,
    };
    Some(Set::of(ranges, negated))
}

/// The classes that POSIX names, in ASCII.
pub(super) fn posix_class(name: &str) -> Option<Set> {
    let ranges: &[(char, char)] = match name {
        "alnum" => &[('a', 'z'), ('A', 'Z'), ('0', '9')],
        "alpha" => &[('a', 'z'), ('A', 'Z')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('a', 'f'), ('A', 'F')],
        _ => return None,
    };
    Some(Set::of(ranges, false))
}

/// A place in the text of an expression.
pub(super) struct Reader {
    pub(super) text: Vec<char>,
    pub(super) at: usize,
    depth: usize,
}

impl Reader {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.chars().collect(), at: 0, depth: 0 }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.text.get(self.at + 1).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let wanted = text.chars();
        let found = self.text.get(self.at..).unwrap_or_default();
        let fits = found.len() >= wanted.clone().count()
            && wanted.clone().zip(found).all(|(wanted, found)| wanted == *found);
        if fits {
            self.at += wanted.count();
        }
        fits
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(10)) {
            self.at += 1;
            value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        value
    }

    pub(super) fn problem(&self, text: &str) -> Problem {
        Problem { text: text.to_owned(), at: self.at, is_ours: false }
    }

    /// What the language has and this engine has not.
    pub(super) fn refuse(&self, what: &str) -> Problem {
        let text = format!("Highwater's regular expressions have no {what}");
        Problem { text, at: self.at, is_ours: true }
    }

    /// Goes into brackets, as deep as they may be.
    pub(super) fn enter(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            Err(self.refuse("more than 100 brackets in brackets"))
        } else {
            Ok(())
        }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// One node of several.
pub(super) fn joined(mut nodes: Vec<Node>, make: fn(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        0 => Node::Empty,
        1 => nodes.remove(0),
        _ => make(nodes),
    }
}
