//! Why a claim holds or does not: the parts that decide, with what they are at the moment.

use std::fmt;

use super::error::ClaimError;
use super::evaluate::Evaluator;
use super::names::Asked;
use super::run_fields::in_order;
use super::tree::{Node, Operator, Quantifier, What};
use super::value::Value;

/// The most characters of a value that are told.
const MOST_CHARS: usize = 120;

/// Whether a claim holds, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Whether it holds.
    pub holds: bool,
    /// The parts that decide, in words: `partition("orders-0").hw is 2, not 3`.
    pub because: Vec<String>,
    /// What was asked although it does not exist: `topic("ordrs")`. Often a typing error.
    pub missing: Vec<String>,
}

/// The parts that decide, on one line.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.because.join("; "))
    }
}

impl<'a> Evaluator<'a> {
    /// Whether a part holds, and why.
    pub(super) fn explain(
        &mut self,
        node: &'a Node,
        because: &mut Vec<String>,
    ) -> Result<bool, ClaimError> {
        match &node.what {
            What::Not(inner) => Ok(!self.explain(inner, because)?),
            What::Two(operator @ (Operator::And | Operator::Or), sides) => {
                // One side may decide; then only that one is told.
                let decides = *operator == Operator::Or;
                let mut told = Vec::new();
                for side in sides.iter() {
                    let mut of_side = Vec::new();
                    if self.explain(side, &mut of_side)? == decides {
                        because.append(&mut of_side);
                        return Ok(decides);
                    }
                    told.append(&mut of_side);
                }
                because.append(&mut told);
                Ok(!decides)
            }
            What::Two(operator, sides) => {
                let holds = self.holds(node)?;
                let told = self.compared(*operator, sides, holds)?;
                because.push(self.told(told));
                Ok(holds)
            }
            What::Each(quantifier @ (Quantifier::All | Quantifier::Any), name, parts) => {
                self.explain_each(*quantifier, name, parts, because)
            }
            What::Bool(value) => Ok(*value),
            _ => {
                let holds = self.holds(node)?;
                let first = self.out_of_order(node)?;
                because.push(self.told(format!("{node} is {holds}{first}")));
                Ok(holds)
            }
        }
    }

    /// A comparison in words.
    fn compared(
        &mut self,
        operator: Operator,
        sides: &'a [Node; 2],
        holds: bool,
    ) -> Result<String, ClaimError> {
        let [left, right] = sides;
        if operator == Operator::In {
            let (part, whole) = (self.shown(left)?, self.value(right)?);
            let is = if holds { "is in" } else { "is not in" };
            return Ok(format!("{part} {is} {right}, which is {}", short(&whole)));
        }
        let (one, other) = (short(&self.value(left)?), short(&self.value(right)?));
        let (left, is_given) = (left.to_string(), is_constant(right));
        // What stands there as it is, such as a number, needs no second mention.
        let right = if is_given { other.clone() } else { format!("{right}, which is {other}") };
        Ok(match (operator, holds) {
            (Operator::Equal, true) if is_given => format!("{left} is {one}"),
            (Operator::Equal, true) => format!("{left} is {one}, as is {}", sides[1]),
            (Operator::Equal, false) => format!("{left} is {one}, not {right}"),
            (Operator::NotEqual, true) => format!("{left} is {one}, not {right}"),
            (Operator::NotEqual, false) if is_given => format!("{left} is {one}"),
            (Operator::NotEqual, false) => format!("{left} is {one}, as is {}", sides[1]),
            (Operator::Contains, true) => format!("{left} is {one}, with {right} in it"),
            (Operator::Contains, false) => format!("{left} is {one}, without {right}"),
            (_, true) => format!("{left} is {one}, {} {right}", in_words(operator)),
            (_, false) => format!("{left} is {one}, not {} {right}", in_words(operator)),
        })
    }

    /// The first two items that are in the wrong order, where that is asked.
    fn out_of_order(&mut self, node: &'a Node) -> Result<String, ClaimError> {
        let What::Asked(_, entry, arguments) = &node.what else { return Ok(String::new()) };
        let list = arguments.first().filter(|_| entry.what == Asked::InOrder);
        let Some(list) = list else { return Ok(String::new()) };
        let items = self.list(list)?;
        let wrong = items.windows(2).find(|pair| !in_order(pair));
        Ok(match wrong {
            Some([one, next]) => format!(": {} comes before {}", short(one), short(next)),
            _ => String::new(),
        })
    }

    /// A part with what it is, unless that is the same.
    fn shown(&mut self, node: &'a Node) -> Result<String, ClaimError> {
        let value = short(&self.value(node)?);
        Ok(if is_constant(node) { value } else { format!("{node}, which is {value},") })
    }

    fn explain_each(
        &mut self,
        quantifier: Quantifier,
        name: &'a str,
        parts: &'a [Node; 2],
        because: &mut Vec<String>,
    ) -> Result<bool, ClaimError> {
        let [list, body] = parts;
        let items = self.list(list)?;
        let (count, decides) = (items.len(), quantifier == Quantifier::Any);
        for item in items {
            self.locals.push((name, item));
            // Only what decides is told.
            let told = self.holds(body).and_then(|holds| {
                let mut told = Vec::new();
                if holds == decides {
                    self.explain(body, &mut told)?;
                    if told.is_empty() {
                        told.push(self.told(format!("{body} is {holds}")));
                    }
                }
                Ok((holds == decides).then_some(told))
            });
            self.locals.pop();
            if let Some(mut told) = told? {
                because.append(&mut told);
                return Ok(decides);
            }
        }
        because.push(self.told(match (quantifier, count) {
            (_, 0) => format!("{list} is empty"),
            (Quantifier::All, _) => format!("{body} for each {name} in {list}: {count} of them"),
            _ => format!("{body} for no {name} in {list}: there are {count}"),
        }));
        Ok(!decides)
    }

    /// A sentence, with what the names in it stand for.
    fn told(&self, sentence: String) -> String {
        let named: Vec<String> =
            self.locals.iter().map(|(name, value)| format!("{name} = {}", short(value))).collect();
        if named.is_empty() { sentence } else { format!("with {}: {sentence}", named.join(", ")) }
    }
}

/// Whether a part says itself what it is.
fn is_constant(node: &Node) -> bool {
    match &node.what {
        What::None | What::Bool(_) | What::Number(_) | What::Text(_) => true,
        What::List(items) => items.iter().all(is_constant),
        _ => false,
    }
}

const fn in_words(operator: Operator) -> &'static str {
    match operator {
        Operator::Less => "less than",
        Operator::AtMost => "at most",
        Operator::Greater => "more than",
        _ => "at least",
    }
}

/// A value as it is told.
fn short(value: &Value<'_>) -> String {
    let text = value.to_string();
    if text.chars().count() <= MOST_CHARS {
        return text;
    }
    let begin: String = text.chars().take(MOST_CHARS).collect();
    format!("{begin}...")
}
