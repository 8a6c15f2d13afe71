//! A claim as a tree, and how it is written down again.

use std::fmt;

use super::kind::Kind;
use super::names::Entry;
use super::token::quote;

/// A part of a claim.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where it begins in the text.
    pub(super) at: usize,
    /// What it will be.
    pub(super) kind: Kind,
    /// How deep it is.
    pub(super) depth: u8,
    pub(super) what: What,
}

/// What a part says.
#[derive(Clone, Debug)]
pub(super) enum What {
    None,
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Node>),
    Not(Box<Node>),
    Negative(Box<Node>),
    /// Two parts and what stands between them.
    Two(Operator, Box<[Node; 2]>),
    /// `all NAME in LIST: BODY` and its like.
    Each(Quantifier, String, Box<[Node; 2]>),
    /// A name that `in` gave; so many were given inside of it.
    Local(String, usize),
    /// Something that can be asked: a name by itself, or a field of an object.
    Asked(Option<Box<Node>>, &'static Entry, Vec<Node>),
}

/// What stands between two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    Contains,
    Plus,
    Minus,
    Times,
    Modulo,
}

impl Operator {
    pub(super) const ALL: [Self; 14] = [
        Self::Or,
        Self::And,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::AtMost,
        Self::Greater,
        Self::AtLeast,
        Self::In,
        Self::Contains,
        Self::Plus,
        Self::Minus,
        Self::Times,
        Self::Modulo,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::In => "in",
            Self::Contains => "contains",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Modulo => "%",
        }
    }

    /// What binds stronger is higher.
    pub(super) const fn level(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Plus | Self::Minus => 5,
            Self::Times | Self::Modulo => 6,
            _ => 4,
        }
    }
}

/// The level of `not`, between `and` and comparisons.
pub(super) const NOT: u8 = 3;
/// The level of comparisons, of which there may be one.
pub(super) const COMPARISON: u8 = 4;
/// The level of a sign in front of a number.
const SIGN: u8 = 7;

/// What is asked of each of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantifier {
    All,
    Any,
    Count,
    /// What the body is, for each.
    Each,
    /// Those for which it holds.
    Only,
    Sum,
}

impl Quantifier {
    pub(super) const ALL: [Self; 6] =
        [Self::All, Self::Any, Self::Count, Self::Each, Self::Only, Self::Sum];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
            Self::Count => "count",
            Self::Each => "each",
            Self::Only => "only",
            Self::Sum => "sum",
        }
    }
}

impl Node {
    fn level(&self) -> u8 {
        match &self.what {
            What::Two(operator, _) => operator.level(),
            What::Not(_) => NOT,
            What::Each(..) => 0,
            What::Negative(_) => SIGN,
            What::Number(number) if *number < 0 => SIGN,
            _ => u8::MAX,
        }
    }

    /// In parentheses, if it binds less than that.
    fn write(&self, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.level() < least { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::None => f.write_str("none"),
            What::Bool(value) => value.fmt(f),
            What::Number(number) => number.fmt(f),
            What::Text(text) => f.write_str(&quote(text)),
            What::List(items) => {
                f.write_str("[")?;
                separated(items, f)?;
                f.write_str("]")
            }
            What::Not(inner) => {
                f.write_str("not ")?;
                inner.write(NOT, f)
            }
            What::Negative(inner) => {
                f.write_str("-")?;
                inner.write(u8::MAX, f)
            }
            What::Two(operator, sides) => {
                let level = operator.level();
                // A comparison of comparisons needs parentheses on both sides.
                let left = if level == COMPARISON { level + 1 } else { level };
                sides[0].write(left, f)?;
                write!(f, " {} ", operator.name())?;
                sides[1].write(level + 1, f)
            }
            What::Each(quantifier, name, parts) => {
                write!(f, "{} {name} in ", quantifier.name())?;
                parts[0].write(COMPARISON + 1, f)?;
                write!(f, ": {}", parts[1])
            }
            What::Local(name, _) => f.write_str(name),
            What::Asked(object, entry, arguments) => {
                if let Some(object) = object {
                    object.write(u8::MAX, f)?;
                    f.write_str(".")?;
                }
                f.write_str(entry.name)?;
                if entry.takes.is_empty() {
                    return Ok(());
                }
                f.write_str("(")?;
                separated(arguments, f)?;
                f.write_str(")")
            }
        }
    }
}

fn separated(nodes: &[Node], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (place, node) in nodes.iter().enumerate() {
        if place > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{node}")?;
    }
    Ok(())
}
