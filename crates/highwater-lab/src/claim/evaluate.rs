//! What a claim is at a moment.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::error::ClaimError;
use super::names::{Asked, Entry};
use super::state::State;
use super::tree::{Node, Operator, Quantifier, What};
use super::value::{Thing, Value};
use super::{fields, run_fields};

/// The most parts that are looked at before a claim is given up: `all` inside of `all` over long logs.
const MOST_PARTS: u32 = 2_000_000;

/// Something that is found out, or why it cannot be.
pub(super) type Found<'a> = Result<Value<'a>, ClaimError>;

/// Finds out what a claim is.
pub(super) struct Evaluator<'a> {
    state: &'a State<'a>,
    /// What `in` has given names to, outermost first.
    pub(super) locals: Vec<(&'a str, Value<'a>)>,
    /// What was asked although it does not exist, each once.
    pub(super) missing: Vec<String>,
    parts: u32,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(state: &'a State<'a>) -> Self {
        Self { state, locals: Vec::new(), missing: Vec::new(), parts: 0 }
    }

    pub(super) fn value(&mut self, node: &'a Node) -> Found<'a> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            let remedy = "ask for fewer records, or in one loop instead of two";
            return Err(ClaimError::new(node.at, "this takes too long", remedy));
        }
        match &node.what {
            What::None => Ok(Value::None),
            What::Bool(value) => Ok(Value::Bool(*value)),
            What::Number(number) => Ok(Value::Number(*number)),
            What::Text(text) => Ok(Value::text(text)),
            What::List(items) => self.values(items).map(Value::List),
            What::Not(inner) => Ok(Value::Bool(!self.holds(inner)?)),
            What::Negative(inner) => {
                let number = self.number(inner)?;
                number.checked_neg().map(Value::Number).ok_or_else(|| too_large(node))
            }
            What::Two(operator, sides) => self.two(node, *operator, sides),
            What::Each(quantifier, name, parts) => self.each(node, *quantifier, name, parts),
            What::Local(_, place) => {
                Ok(self.locals.get(*place).map_or(Value::None, |(_, value)| value.clone()))
            }
            What::Asked(object, entry, arguments) => {
                let values = self.arguments(entry, arguments)?;
                let found = match object {
                    None => run_fields::ask(self.state, entry.what, values),
                    Some(object) => {
                        let thing = self.thing(object, entry)?;
                        fields::ask(self.state, &thing, entry.what, &values)
                    }
                };
                found.map_err(|(which, what, remedy)| {
                    let at = arguments.get(which).map_or(node.at, |argument| argument.at);
                    ClaimError { at, what, remedy }
                })
            }
        }
    }

    fn values(&mut self, nodes: &'a [Node]) -> Result<Vec<Value<'a>>, ClaimError> {
        nodes.iter().map(|node| self.value(node)).collect()
    }

    /// What an entry is given, which is never `none`.
    fn arguments(
        &mut self,
        entry: &Entry,
        nodes: &'a [Node],
    ) -> Result<Vec<Value<'a>>, ClaimError> {
        let values = self.values(nodes)?;
        for (node, value) in nodes.iter().zip(&values) {
            if matches!(value, Value::None) {
                return Err(is_none(node, &format!("`{}` needs a value", entry.name)));
            }
        }
        Ok(values)
    }

    /// The thing of which that is asked.
    fn thing(&mut self, object: &'a Node, entry: &Entry) -> Result<Thing<'a>, ClaimError> {
        let Value::Thing(thing) = self.value(object)? else {
            return Err(is_none(object, &format!("it has no `{}`", entry.name)));
        };
        if entry.what != Asked::Exists && !fields::exists(&thing) {
            let name = thing.to_string();
            if !self.missing.contains(&name) {
                self.missing.push(name);
            }
        }
        Ok(thing)
    }

    /// Whether a part holds.
    pub(super) fn holds(&mut self, node: &'a Node) -> Result<bool, ClaimError> {
        match self.value(node)? {
            Value::Bool(value) => Ok(value),
            _ => Err(is_none(node, "it is neither true nor false")),
        }
    }

    fn number(&mut self, node: &'a Node) -> Result<i64, ClaimError> {
        match self.value(node)?.plain() {
            Value::Number(number) => Ok(number),
            _ => Err(is_none(node, "nothing can be reckoned with it")),
        }
    }

    pub(super) fn list(&mut self, node: &'a Node) -> Result<Vec<Value<'a>>, ClaimError> {
        match self.value(node)? {
            Value::List(items) => Ok(items),
            _ => Err(is_none(node, "it has no items")),
        }
    }

    fn two(&mut self, node: &'a Node, operator: Operator, sides: &'a [Node; 2]) -> Found<'a> {
        let [left, right] = sides;
        match operator {
            Operator::Or => Ok(Value::Bool(self.holds(left)? || self.holds(right)?)),
            Operator::And => Ok(Value::Bool(self.holds(left)? && self.holds(right)?)),
            Operator::Equal | Operator::NotEqual => {
                let (one, other) = (self.value(left)?, self.value(right)?);
                Ok(Value::Bool(one.is(&other) == (operator == Operator::Equal)))
            }
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => {
                let order = self.order(operator, left, right)?;
                Ok(Value::Bool(match operator {
                    Operator::Less => order.is_lt(),
                    Operator::AtMost => order.is_le(),
                    Operator::Greater => order.is_gt(),
                    _ => order.is_ge(),
                }))
            }
            Operator::In => self.contains(right, left),
            Operator::Contains => self.contains(left, right),
            Operator::Plus | Operator::Minus | Operator::Times | Operator::Modulo => {
                let (one, other) = (self.value(left)?, self.value(right)?);
                match (operator, one.plain(), other.plain()) {
                    (_, Value::Number(one), Value::Number(other)) => {
                        reckon(node, operator, one, other)
                    }
                    (Operator::Plus, Value::Text(one), Value::Text(other)) => {
                        Ok(Value::Text(Cow::Owned(format!("{one}{other}"))))
                    }
                    (Operator::Plus, Value::List(mut one), Value::List(other)) => {
                        one.extend(other);
                        Ok(Value::List(one))
                    }
                    (_, Value::None, _) => Err(is_none(left, "nothing can be reckoned with it")),
                    _ => Err(is_none(right, "nothing can be reckoned with it")),
                }
            }
        }
    }

    fn order(
        &mut self,
        operator: Operator,
        left: &'a Node,
        right: &'a Node,
    ) -> Result<Ordering, ClaimError> {
        let (one, other) = (self.value(left)?.plain(), self.value(right)?.plain());
        match (&one, &other) {
            (Value::Number(one), Value::Number(other)) => Ok(one.cmp(other)),
            (Value::Text(one), Value::Text(other)) => Ok(one.cmp(other)),
            _ => {
                let node = if matches!(one, Value::None) { left } else { right };
                Err(is_none(node, &format!("`{}` cannot compare it", operator.name())))
            }
        }
    }

    fn contains(&mut self, whole: &'a Node, part: &'a Node) -> Found<'a> {
        let (held, wanted) = (self.value(whole)?.plain(), self.value(part)?);
        match held {
            Value::List(items) => Ok(Value::Bool(items.iter().any(|item| item.is(&wanted)))),
            Value::Text(text) => match wanted.plain() {
                Value::Text(piece) => Ok(Value::Bool(text.contains(&*piece))),
                _ => Err(is_none(part, "no text contains it")),
            },
            _ => Err(is_none(whole, "nothing is in it")),
        }
    }

    fn each(
        &mut self,
        node: &'a Node,
        quantifier: Quantifier,
        name: &'a str,
        parts: &'a [Node; 2],
    ) -> Found<'a> {
        let [list, body] = parts;
        let items = self.list(list)?;
        let (mut count, mut sum, mut kept) = (0i64, 0i64, Vec::new());
        for item in items {
            self.locals.push((name, item));
            let found = match quantifier {
                Quantifier::Each => self.value(body).map(|value| {
                    kept.push(value);
                    true
                }),
                Quantifier::Sum => self.number(body).and_then(|number| {
                    sum = sum.checked_add(number).ok_or_else(|| too_large(node))?;
                    Ok(true)
                }),
                _ => self.holds(body),
            };
            let item = self.locals.pop();
            match (quantifier, found?) {
                (Quantifier::All, false) => return Ok(Value::Bool(false)),
                (Quantifier::Any, true) => return Ok(Value::Bool(true)),
                (Quantifier::Count, true) => count += 1,
                (Quantifier::Only, true) => kept.extend(item.map(|(_, item)| item)),
                _ => {}
            }
        }
        Ok(match quantifier {
            Quantifier::All => Value::Bool(true),
            Quantifier::Any => Value::Bool(false),
            Quantifier::Count => Value::Number(count),
            Quantifier::Sum => Value::Number(sum),
            Quantifier::Each | Quantifier::Only => Value::List(kept),
        })
    }
}

fn reckon<'a>(node: &Node, operator: Operator, one: i64, other: i64) -> Found<'a> {
    let result = match operator {
        Operator::Plus => one.checked_add(other),
        Operator::Minus => one.checked_sub(other),
        Operator::Times => one.checked_mul(other),
        _ if other == 0 => {
            let remedy = "divide by something else";
            return Err(ClaimError::new(node.at, "a remainder of a division by 0", remedy));
        }
        // What is left of a negative number is not negative.
        _ => one.checked_rem_euclid(other),
    };
    result.map(Value::Number).ok_or_else(|| too_large(node))
}

fn too_large(node: &Node) -> ClaimError {
    ClaimError::new(node.at, format!("`{node}` is too large a number"), "take smaller ones")
}

/// `none` stands where a value is needed.
fn is_none(node: &Node, why: &str) -> ClaimError {
    let remedy = match &node.what {
        What::Asked(Some(object), ..) => {
            format!("ask `{object}.exists` or `{node} != none` first, with `and` behind it")
        }
        _ => format!("ask `{node} != none` first, with `and` behind it"),
    };
    ClaimError::new(node.at, format!("`{node}` is none here: {why}"), remedy)
}
