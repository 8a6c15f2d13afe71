//! The languages of GNU grep: basic and extended expressions of POSIX with GNU's additions.

use super::Gnu;
use super::parse::{Assertion, COUNT_MAX, Node, Problem, Reader, Set, class, joined, posix_class};

struct Parser {
    reader: Reader,
    extended: bool,
    open: usize,
}

/// Reads one or more expressions, each on its own line.
pub(super) fn read(text: &[u8], language: Gnu) -> Result<Node, Problem> {
    let text = String::from_utf8_lossy(text);
    let lines = text.split('\n').map(|line| {
        if language == Gnu::Fixed {
            let characters = line.chars().map(|character| Node::One(Set::one(character)));
            return Ok(joined(characters.collect(), Node::All));
        }
        let extended = language == Gnu::Extended;
        let mut parser = Parser { reader: Reader::new(line), extended, open: 0 };
        let node = parser.choice()?;
        match parser.reader.peek() {
            None => Ok(node),
            Some(_) => Err(parser.reader.problem("Unmatched ) or \\)")),
        }
    });
    Ok(joined(lines.collect::<Result<_, _>>()?, Node::Any))
}

impl Parser {
    /// Takes an operator, which basic expressions have behind a backslash.
    fn operator(&mut self, symbol: char) -> bool {
        if self.extended {
            let found = self.reader.peek() == Some(symbol);
            self.reader.at += usize::from(found);
            return found;
        }
        let found = self.reader.peek() == Some('\\') && self.reader.second() == Some(symbol);
        self.reader.at += 2 * usize::from(found);
        found
    }

    fn is_operator(&mut self, symbol: char) -> bool {
        let at = self.reader.at;
        let found = self.operator(symbol);
        self.reader.at = at;
        found
    }

    fn choice(&mut self) -> Result<Node, Problem> {
        let mut nodes = vec![self.sequence()?];
        while self.operator('|') {
            nodes.push(self.sequence()?);
        }
        Ok(joined(nodes, Node::Any))
    }

    fn sequence(&mut self) -> Result<Node, Problem> {
        let mut nodes = Vec::new();
        loop {
            let closes = self.is_operator(')') && (self.open > 0 || !self.extended);
            if self.reader.peek().is_none() || self.is_operator('|') || closes {
                return Ok(joined(nodes, Node::All));
            }
            let is_first = nodes.is_empty();
            let mut node = self.atom(is_first)?;
            // At the beginning of a basic expression a `*` is one.
            let is_anchor = matches!(node, Node::Assert(Assertion::Begin));
            while !is_anchor || self.extended {
                match self.count(&node)? {
                    Some(repeated) => node = repeated,
                    None => break,
                }
            }
            nodes.push(node);
        }
    }

    /// The repetition behind a node, if there is one.
    fn count(&mut self, node: &Node) -> Result<Option<Node>, Problem> {
        let (least, most) = if self.reader.eat("*") {
            (0, None)
        } else if self.operator('+') {
            (1, None)
        } else if self.operator('?') {
            (0, Some(1))
        } else {
            let at = self.reader.at;
            if !self.operator('{') {
                return Ok(None);
            }
            match self.interval()? {
                Some(interval) => interval,
                // In extended expressions a `{` that begins no count is one.
                None => {
                    self.reader.at = at;
                    return Ok(None);
                }
            }
        };
        Ok(Some(Node::Repeat(Box::new(node.clone()), least, most)))
    }

    /// What follows a `{`.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, Problem> {
        let least = self.reader.number();
        let has_comma = self.reader.eat(",");
        let most = if has_comma { self.reader.number() } else { least };
        if least.is_none() && !has_comma || !self.operator('}') {
            if self.extended {
                return Ok(None);
            }
            let is_end = self.reader.peek().is_none();
            let text = if is_end { "Unmatched \\{" } else { "Invalid content of \\{\\}" };
            return Err(self.reader.problem(text));
        }
        let low = least.unwrap_or(0);
        if most.is_some_and(|most| most < low) {
            return Err(self.reader.problem("Invalid content of \\{\\}"));
        }
        if low > COUNT_MAX || most.is_some_and(|most| most > COUNT_MAX) {
            return Err(self.reader.problem("Regular expression too big"));
        }
        Ok(Some((low, most)))
    }

    fn atom(&mut self, is_first: bool) -> Result<Node, Problem> {
        if self.operator('(') {
            self.reader.enter()?;
            self.open += 1;
            let node = self.choice()?;
            if !self.operator(')') {
                return Err(self.reader.problem("Unmatched ( or \\("));
            }
            self.open -= 1;
            self.reader.leave();
            return Ok(node);
        }
        let Some(character) = self.reader.next() else { return Ok(Node::Empty) };
        Ok(match character {
            '.' => Node::One(Set::of(&[('\0', char::MAX)], false)),
            '[' => Node::One(self.set()?),
            '\\' => return self.escape(),
            '^' if self.extended || is_first => Node::Assert(Assertion::Begin),
            '$' if self.extended || self.is_end() => Node::Assert(Assertion::End),
            // A repetition of nothing repeats nothing.
            '*' | '+' | '?' if self.extended && is_first => Node::Empty,
            character => Node::One(Set::one(character)),
        })
    }

    /// Whether a basic expression, or a group of it, ends here.
    fn is_end(&mut self) -> bool {
        self.reader.peek().is_none() || self.is_operator(')') || self.is_operator('|')
    }

    fn escape(&mut self) -> Result<Node, Problem> {
        let Some(letter) = self.reader.next() else {
            return Err(self.reader.problem("Trailing backslash"));
        };
        if let Some(set) = class(letter).filter(|_| !matches!(letter, 'd' | 'D')) {
            return Ok(Node::One(set));
        }
        Ok(match letter {
            '<' => Node::Assert(Assertion::WordBegin),
            '>' => Node::Assert(Assertion::WordEnd),
            'b' => Node::Assert(Assertion::WordBorder),
            'B' => Node::Assert(Assertion::NoWordBorder),
            '`' => Node::Assert(Assertion::Begin),
            '\'' => Node::Assert(Assertion::End),
            '1'..='9' => return Err(self.reader.refuse("back-references such as \\1")),
            letter => Node::One(Set::one(letter)),
        })
    }

    /// What follows a `[`.
    fn set(&mut self) -> Result<Set, Problem> {
        let mut set = Set { ranges: Vec::new(), negated: self.reader.eat("^") };
        let first = self.reader.at;
        if self.reader.peek().is_none() {
            return Err(self.reader.problem("Invalid regular expression"));
        }
        let unmatched = "Unmatched [, [^, [:, [., or [=";
        loop {
            let Some(low) = self.reader.next() else { return Err(self.reader.problem(unmatched)) };
            if low == ']' && self.reader.at > first + 1 {
                return Ok(set);
            }
            if low == '[' && matches!(self.reader.peek(), Some('.' | '=')) {
                return Err(self.reader.refuse("collating symbols such as [.a.]"));
            }
            if low == '[' && self.reader.eat(":") {
                let rest = self.reader.text.get(self.reader.at..).unwrap_or_default();
                let end = rest.windows(2).position(|two| two == [':', ']']);
                let end = end.ok_or_else(|| self.reader.problem(unmatched))?;
                let name: String = rest[..end].iter().collect();
                let class = posix_class(&name)
                    .ok_or_else(|| self.reader.problem("Invalid character class name"))?;
                set.add_set(&class);
                self.reader.at += end + 2;
                continue;
            }
            let is_range = self.reader.peek() == Some('-') && self.reader.second() != Some(']');
            if !is_range {
                set.add(low, low);
                continue;
            }
            self.reader.next();
            let Some(high) = self.reader.next() else { return Err(self.reader.problem(unmatched)) };
            if low > high {
                return Err(self.reader.problem("Invalid range end"));
            }
            set.add(low, high);
        }
    }
}
