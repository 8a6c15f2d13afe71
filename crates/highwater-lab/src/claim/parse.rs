//! Text to tree. Names and kinds are looked at here, so that what is wrong is said before anything is played.

use super::check;
use super::error::{ClaimError, choose};
use super::kind::{Base, Kind};
use super::names::{self, Entry};
use super::token::{Token, What as Piece, cut};
use super::tree::{COMPARISON, NOT, Node, Operator, Quantifier, What};

/// The longest text in bytes.
pub const TEXT_MAX: usize = 4_000;
/// How deep a claim may be.
const DEPTH_MAX: u8 = 60;

/// Words that cannot be names of items.
const WORDS: [&str; 7] = ["or", "and", "not", "in", "contains", "none", "true"];

/// Reads an expression of any kind.
pub(super) fn parse(text: &str) -> Result<Node, ClaimError> {
    if text.len() > TEXT_MAX {
        let what = format!("an expression of {} bytes", text.len());
        return Err(ClaimError::new(0, what, format!("at most {TEXT_MAX} are read: divide it")));
    }
    let mut parser = Parser { tokens: cut(text)?, next: 0, depth: 0, locals: Vec::new() };
    let node = parser.level(1)?;
    match parser.peek() {
        Piece::End => Ok(node),
        _ => Err(parser.unexpected("an operator, or the end")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: u8,
    /// What `in` has given names to, outermost first.
    locals: Vec<(String, Kind)>,
}

impl Parser {
    fn peek(&self) -> &Piece {
        self.tokens.get(self.next).map_or(&Piece::End, |token| &token.what)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(0, |token| token.at)
    }

    fn take(&mut self) -> Piece {
        let piece = self.peek().clone();
        // The last one is the end, which stays.
        self.next = (self.next + 1).min(self.tokens.len().saturating_sub(1));
        piece
    }

    /// Takes that word or sign, if it is next.
    fn eat(&mut self, wanted: &str) -> bool {
        let is_it = match self.peek() {
            Piece::Name(name) => name == wanted,
            Piece::Sign(sign) => *sign == wanted,
            _ => false,
        };
        if is_it {
            self.take();
        }
        is_it
    }

    fn expect(&mut self, wanted: &str, why: &str) -> Result<(), ClaimError> {
        if self.eat(wanted) { Ok(()) } else { Err(self.unexpected(&format!("`{wanted}` {why}"))) }
    }

    fn unexpected(&self, wanted: &str) -> ClaimError {
        let found = match self.peek() {
            Piece::Name(name) => format!("`{name}`"),
            Piece::Number(number) => format!("`{number}`"),
            Piece::Text(_) => "a text".to_owned(),
            Piece::Sign(sign) => format!("`{sign}`"),
            Piece::End => "the end".to_owned(),
        };
        let what = format!("{found} comes where it cannot be");
        ClaimError::new(self.at(), what, format!("here comes {wanted}"))
    }

    fn node(&self, at: usize, kind: Kind, what: What) -> Result<Node, ClaimError> {
        let below = match &what {
            What::List(items) => items.iter().map(|item| item.depth).max().unwrap_or(0),
            What::Not(inner) | What::Negative(inner) => inner.depth,
            What::Two(_, parts) | What::Each(_, _, parts) => parts[0].depth.max(parts[1].depth),
            What::Asked(object, _, arguments) => {
                let parts = object.as_deref().into_iter().chain(arguments);
                parts.map(|part| part.depth).max().unwrap_or(0)
            }
            _ => 0,
        };
        let depth = below.saturating_add(1);
        if depth > DEPTH_MAX { Err(too_deep(at)) } else { Ok(Node { at, kind, depth, what }) }
    }

    /// Operators that bind at least so strongly.
    fn level(&mut self, least: u8) -> Result<Node, ClaimError> {
        self.depth += 1;
        let node = if self.depth > DEPTH_MAX { Err(too_deep(self.at())) } else { self.two(least) };
        self.depth -= 1;
        node
    }

    fn two(&mut self, least: u8) -> Result<Node, ClaimError> {
        let mut left = self.one(least)?;
        let mut compared = false;
        while let Some(operator) = self.operator().filter(|it| it.level() >= least) {
            let at = self.at();
            if compared && operator.level() == COMPARISON {
                let remedy = "one of both goes in parentheses, or write `and` between them";
                return Err(ClaimError::new(at, "a comparison of a comparison", remedy));
            }
            self.take();
            let right = self.level(operator.level() + 1)?;
            let kind = check::two(operator, &left, &right)?;
            compared = operator.level() == COMPARISON;
            left = self.node(left.at, kind, What::Two(operator, Box::new([left, right])))?;
        }
        Ok(left)
    }

    fn operator(&self) -> Option<Operator> {
        let name = match self.peek() {
            Piece::Name(name) => name.as_str(),
            Piece::Sign(sign) => sign,
            _ => return None,
        };
        Operator::ALL.into_iter().find(|operator| operator.name() == name)
    }

    /// One part, with what stands in front of it and what is asked of it.
    fn one(&mut self, least: u8) -> Result<Node, ClaimError> {
        let at = self.at();
        if self.eat("not") {
            if least > NOT {
                let remedy = "put `not ...` in parentheses";
                return Err(ClaimError::new(at, "`not` behind an operator", remedy));
            }
            let inner = self.level(NOT)?;
            check::wants(&inner, Kind::BOOL, "`not`")?;
            return self.node(at, Kind::BOOL, What::Not(Box::new(inner)));
        }
        if self.eat("-") {
            let inner = self.level(u8::MAX)?;
            check::wants(&inner, Kind::NUMBER, "`-`")?;
            return match inner.what {
                What::Number(number) if number >= 0 => {
                    self.node(at, Kind::NUMBER, What::Number(-number))
                }
                _ => self.node(at, Kind::NUMBER, What::Negative(Box::new(inner))),
            };
        }
        let mut node = self.primary()?;
        while self.eat(".") {
            let at = self.at();
            let Piece::Name(name) = self.take() else {
                self.next -= 1;
                return Err(self.unexpected("the name of a field"));
            };
            let entry = check::field(&node, &name, at)?;
            node = self.asked(node.at, Some(Box::new(node)), entry)?;
        }
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, ClaimError> {
        let at = self.at();
        match self.take() {
            Piece::Number(number) => self.node(at, Kind::NUMBER, What::Number(number)),
            Piece::Text(text) => self.node(at, Kind::TEXT, What::Text(text)),
            Piece::Sign("(") => {
                let inner = self.level(1)?;
                self.expect(")", "to close a parenthesis")?;
                Ok(Node { at, ..inner })
            }
            Piece::Sign("[") => self.list(at),
            Piece::Name(name) => self.named(at, &name),
            piece => {
                if piece != Piece::End {
                    self.next -= 1;
                }
                Err(self.unexpected("a value"))
            }
        }
    }

    /// What stands between `[` and `]`.
    fn list(&mut self, at: usize) -> Result<Node, ClaimError> {
        let mut items: Vec<Node> = Vec::new();
        let mut kind = Kind::one(Base::None);
        while !self.eat("]") {
            if !items.is_empty() {
                self.expect(",", "or `]`")?;
            }
            let item = self.level(1)?;
            kind = check::item(kind, &item)?;
            items.push(item);
        }
        let kind = if items.is_empty() { Kind::ANY } else { kind };
        self.node(at, kind.listed(), What::List(items))
    }

    fn named(&mut self, at: usize, name: &str) -> Result<Node, ClaimError> {
        match name {
            "none" => return self.node(at, Kind::one(Base::None), What::None),
            "true" | "false" => return self.node(at, Kind::BOOL, What::Bool(name == "true")),
            _ => {}
        }
        if let Some(quantifier) = Quantifier::ALL.into_iter().find(|it| it.name() == name) {
            return self.each(at, quantifier);
        }
        let given = self.locals.iter().enumerate().rev().find(|(_, (local, _))| local == name);
        if let Some((place, (_, kind))) = given {
            return self.node(at, *kind, What::Local(name.to_owned(), place));
        }
        match names::find(Base::Any, name) {
            Some(entry) => self.asked(at, None, entry),
            None => Err(self.unknown(at, name)),
        }
    }

    fn unknown(&self, at: usize, name: &str) -> ClaimError {
        let what = format!("there is no `{name}`");
        if WORDS.contains(&name) {
            return ClaimError::new(
                at,
                format!("`{name}` comes where it cannot be"),
                "here comes a value",
            );
        }
        // A field that stands alone: `hw = 3`.
        let known =
            self.locals.iter().map(|(local, _)| local.as_str()).chain(names::names(Base::Any));
        let known: Vec<&str> = known.collect();
        if let Some(of) = names::owners(name).next() {
            let remedy = format!("it is asked of {}, behind a dot", of.name());
            return ClaimError::new(at, what, remedy);
        }
        ClaimError::new(at, what, choose(name, &known))
    }

    /// `all NAME in LIST: BODY`, from behind its first word on.
    fn each(&mut self, at: usize, quantifier: Quantifier) -> Result<Node, ClaimError> {
        let name_at = self.at();
        let word = quantifier.name();
        let Piece::Name(name) = self.peek().clone() else {
            return Err(self.unexpected(&format!("a name for each item: `{word} p in LIST: ...`")));
        };
        let is_taken = names::find(Base::Any, &name).is_some()
            || WORDS.contains(&name.as_str())
            || name == "false"
            || Quantifier::ALL.iter().any(|known| known.name() == name);
        if is_taken {
            let what = format!("`{name}` means something else already");
            return Err(ClaimError::new(name_at, what, "take another name, such as one letter"));
        }
        self.take();
        self.expect("in", &format!("and a list: `{word} {name} in LIST: ...`"))?;
        let list = self.level(COMPARISON + 1)?;
        let Some(item) = list.kind.item() else {
            let what = format!("`{list}` is {}", list.kind);
            return Err(ClaimError::new(list.at, what, format!("`{word}` goes through a list")));
        };
        self.expect(":", &format!("and what is asked of each: `{word} {name} in LIST: ...`"))?;
        self.locals.push((name.clone(), item));
        let body = self.level(1);
        self.locals.pop();
        let body = body?;
        let kind = check::each(quantifier, item, &body)?;
        self.node(at, kind, What::Each(quantifier, name, Box::new([list, body])))
    }

    /// Something that can be asked, from behind its name on.
    fn asked(
        &mut self,
        at: usize,
        object: Option<Box<Node>>,
        entry: &'static Entry,
    ) -> Result<Node, ClaimError> {
        let mut arguments: Vec<Node> = Vec::new();
        let place = self.at();
        if self.eat("(") {
            while !self.eat(")") {
                if !arguments.is_empty() {
                    self.expect(",", "or `)`")?;
                }
                arguments.push(self.level(1)?);
            }
            if entry.takes.is_empty() {
                let what = format!("`{}` takes nothing", entry.name);
                return Err(ClaimError::new(place, what, "write it without parentheses"));
            }
        }
        let kind = check::arguments(entry, &arguments, place)?;
        self.node(at, kind, What::Asked(object, entry, arguments))
    }
}

fn too_deep(at: usize) -> ClaimError {
    let what = "too many parts inside of parts";
    ClaimError::new(at, what, format!("at most {DEPTH_MAX} are read: divide it"))
}
