//! The language of `java.util.regex`, as far as people name topics with it.
//!
//! Only whole texts are matched (`Pattern.matches`), so a reluctant `*?` fits what `*` fits. Words of
//! errors are those of `PatternSyntaxException`.

use super::parse::{Assertion, COUNT_MAX, Node, Problem, Reader, Set, class, joined, posix_class};

struct Parser {
    reader: Reader,
    folds: bool,
}

/// Reads an expression; also whether it folds cases.
pub(super) fn read(text: &str) -> Result<(Node, bool), Problem> {
    let mut parser = Parser { reader: Reader::new(text), folds: false };
    if parser.reader.eat("(?i)") {
        parser.folds = true;
    }
    let node = parser.choice()?;
    match parser.reader.peek() {
        None => Ok((node, parser.folds)),
        Some(_) => Err(parser.reader.problem("Unmatched closing ')'")),
    }
}

impl Parser {
    fn choice(&mut self) -> Result<Node, Problem> {
        let mut nodes = vec![self.sequence()?];
        while self.reader.eat("|") {
            nodes.push(self.sequence()?);
        }
        Ok(joined(nodes, Node::Any))
    }

    fn sequence(&mut self) -> Result<Node, Problem> {
        let mut nodes = Vec::new();
        while let Some(next) = self.reader.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            if self.reader.eat("\\Q") {
                while self.reader.peek().is_some() && !self.reader.eat("\\E") {
                    nodes.extend(self.reader.next().map(|quoted| Node::One(Set::one(quoted))));
                }
                // What follows repeats the last character only.
                if let Some(last) = nodes.pop() {
                    nodes.push(self.repeated(last)?);
                }
                continue;
            }
            let node = self.atom()?;
            nodes.push(self.repeated(node)?);
        }
        Ok(joined(nodes, Node::All))
    }

    fn repeated(&mut self, node: Node) -> Result<Node, Problem> {
        let (least, most) = match self.reader.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.reader.next();
                let least = self.reader.number();
                let least = least.ok_or_else(|| self.reader.problem("Illegal repetition"))?;
                let most = if self.reader.eat(",") { self.reader.number() } else { Some(least) };
                if self.reader.peek() != Some('}') {
                    return Err(self.reader.problem("Unclosed counted closure"));
                }
                if most.is_some_and(|most| most < least) {
                    return Err(self.reader.problem("Illegal repetition range"));
                }
                if least.max(most.unwrap_or(0)) > COUNT_MAX {
                    return Err(self.reader.refuse("counts above 32767"));
                }
                (least, most)
            }
            _ => return Ok(node),
        };
        self.reader.next();
        match self.reader.peek() {
            Some('?') => drop(self.reader.next()),
            Some('+') => return Err(self.reader.refuse("possessive repetition such as *+")),
            Some('*') => {
                return Err(self.reader.problem("Dangling meta character '*'"));
            }
            _ => {}
        }
        Ok(Node::Repeat(Box::new(node), least, most))
    }

    fn atom(&mut self) -> Result<Node, Problem> {
        let Some(character) = self.reader.next() else { return Ok(Node::Empty) };
        Ok(match character {
            '(' => return self.group(),
            '[' => Node::One(self.set()?),
            '\\' => return self.escape(),
            // Line ends are no `.`.
            '.' => Node::One(Set::of(
                &[('\n', '\n'), ('\r', '\r'), ('\u{85}', '\u{85}'), ('\u{2028}', '\u{2029}')],
                true,
            )),
            '^' => Node::Assert(Assertion::Begin),
            '$' => Node::Assert(Assertion::EndOrLastLine),
            '*' | '+' | '?' => {
                self.reader.at -= 1;
                let text = format!("Dangling meta character '{character}'");
                return Err(self.reader.problem(&text));
            }
            '{' => return Err(self.reader.problem("Illegal repetition")),
            character => Node::One(Set::one(character)),
        })
    }

    /// What follows a `(`.
    fn group(&mut self) -> Result<Node, Problem> {
        self.reader.enter()?;
        if self.reader.eat("?") {
            let rest = self.reader.text.get(self.reader.at..).unwrap_or_default();
            match rest {
                [':', ..] => self.reader.at += 1,
                ['=' | '!', ..] => return Err(self.reader.refuse("look-ahead such as (?=...)")),
                ['<', '=' | '!', ..] => {
                    return Err(self.reader.refuse("look-behind such as (?<=...)"));
                }
                ['>', ..] => return Err(self.reader.refuse("independent groups (?>...)")),
                ['<', ..] => {
                    let length = rest.iter().position(|character| *character == '>');
                    let length = length.ok_or_else(|| {
                        self.reader.problem("named capturing group is missing trailing '>'")
                    })?;
                    self.reader.at += length + 1;
                }
                _ => {
                    return Err(self.reader.refuse("flags such as (?m) other than a leading (?i)"));
                }
            }
        }
        let node = self.choice()?;
        if !self.reader.eat(")") {
            return Err(self.reader.problem("Unclosed group"));
        }
        self.reader.leave();
        Ok(node)
    }

    fn escape(&mut self) -> Result<Node, Problem> {
        let assertion = match self.reader.peek() {
            Some('b') => Assertion::WordBorder,
            Some('B') => Assertion::NoWordBorder,
            Some('A') => Assertion::Begin,
            Some('z') => Assertion::End,
            Some('Z') => Assertion::EndOrLastLine,
            Some('1'..='9' | 'k') => {
                return Err(self.reader.refuse("back-references such as \\1"));
            }
            Some('G') => return Err(self.reader.refuse("\\G")),
            _ => return Ok(Node::One(self.escaped_set()?)),
        };
        self.reader.next();
        Ok(Node::Assert(assertion))
    }

    /// What follows a backslash, as a set: a class, or one character.
    fn escaped_set(&mut self) -> Result<Set, Problem> {
        let Some(letter) = self.reader.next() else {
            return Err(self.reader.problem("Unexpected internal error"));
        };
        if let Some(set) = class(letter) {
            return Ok(set);
        }
        Ok(Set::one(match letter {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\x0c',
            'a' => '\x07',
            'e' => '\x1b',
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            'p' | 'P' => return self.property(letter == 'P'),
            letter if letter.is_ascii_alphanumeric() => {
                return Err(self.reader.problem("Illegal/unsupported escape sequence"));
            }
            other => other,
        }))
    }

    fn hex(&mut self, count: usize) -> Result<char, Problem> {
        let mut value = 0;
        for _ in 0..count {
            let digit = self.reader.next().and_then(|digit| digit.to_digit(16));
            let digit =
                digit.ok_or_else(|| self.reader.problem("Illegal hexadecimal escape sequence"))?;
            value = value * 16 + digit;
        }
        char::from_u32(value).ok_or_else(|| self.reader.refuse("half characters such as \\ud800"))
    }

    /// `\p{Alpha}` and the others of POSIX.
    fn property(&mut self, negated: bool) -> Result<Set, Problem> {
        let mut name = String::new();
        if self.reader.eat("{") {
            while let Some(next) = self.reader.next().filter(|next| *next != '}') {
                name.push(next.to_ascii_lowercase());
            }
        }
        match posix_class(&name) {
            Some(set) => Ok(Set { negated, ..set }),
            None => Err(self.reader.refuse("\\p{...} but those of POSIX, such as \\p{Alpha}")),
        }
    }

    /// What follows a `[`.
    fn set(&mut self) -> Result<Set, Problem> {
        self.reader.enter()?;
        let negated = self.reader.eat("^");
        let mut set = Set::default();
        let first = self.reader.at;
        loop {
            let is_first = self.reader.at == first;
            let Some(next) = self.reader.next() else {
                return Err(self.reader.problem("Unclosed character class"));
            };
            let member = match next {
                ']' if !is_first => break,
                '[' => self.set()?,
                '&' if self.reader.eat("&") => {
                    return Err(self.reader.refuse("intersections such as [a-z&&[^b]]"));
                }
                '\\' => self.escaped_set()?,
                other => Set::one(other),
            };
            let low = single(&member);
            let is_range = self.reader.peek() == Some('-')
                && !matches!(self.reader.second(), Some(']' | '[') | None);
            let (Some(low), true) = (low, is_range) else {
                set.add_set(&member);
                continue;
            };
            self.reader.next();
            let high = match self.reader.next() {
                Some('\\') => single(&self.escaped_set()?),
                other => other,
            };
            match high {
                Some(high) if low <= high => set.add(low, high),
                _ => return Err(self.reader.problem("Illegal character range")),
            }
        }
        self.reader.leave();
        set.negated = negated;
        Ok(set)
    }
}

/// The only character of a set.
fn single(set: &Set) -> Option<char> {
    match set.ranges.as_slice() {
        [(low, high)] if low == high && !set.negated => char::from_u32(*low),
        _ => None,
    }
}
