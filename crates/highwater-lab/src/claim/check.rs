//! Which kinds go together.

use super::error::{ClaimError, choose};
use super::kind::{Base, Kind};
use super::names::{self, Asked, Entry};
use super::tree::{Node, Operator, Quantifier, What};

/// Refuses a part that is not of the kind that somebody wants.
pub(super) fn wants(node: &Node, wanted: Kind, who: &str) -> Result<(), ClaimError> {
    if node.kind.fits(wanted) && (!node.kind.is_none() || wanted == Kind::ANY) {
        return Ok(());
    }
    let what = format!("`{node}` is {}, and {who} takes {wanted}", node.kind);
    let remedy = match (wanted.base, node.kind.base, node.kind.lists) {
        (Base::Bool, _, 0) => "compare it with something: `... = ...`".to_owned(),
        (Base::Bool, ..) => "ask something of its items: `any x in ...: ...`".to_owned(),
        (Base::Number, _, 1..) => format!("for how many there are, write `length({node})`"),
        (Base::Number, Base::Text, 0) => match &node.what {
            What::Text(_) => "write numbers without quotes".to_owned(),
            _ => format!("write `number({node})`"),
        },
        (Base::Text, Base::Number, 0) if matches!(node.what, What::Number(_)) => {
            format!("put it in quotes: \"{node}\"")
        }
        _ => format!("put {wanted} here"),
    };
    Err(ClaimError::new(node.at, what, remedy))
}

/// What two parts make with what stands between them.
pub(super) fn two(operator: Operator, left: &Node, right: &Node) -> Result<Kind, ClaimError> {
    let who = format!("`{}`", operator.name());
    match operator {
        Operator::Or | Operator::And => {
            wants(left, Kind::BOOL, &who)?;
            wants(right, Kind::BOOL, &who)?;
            Ok(Kind::BOOL)
        }
        Operator::Equal | Operator::NotEqual => {
            same(left, right, &who)?;
            comparable(left)?;
            comparable(right)?;
            Ok(Kind::BOOL)
        }
        Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => {
            for side in [left, right] {
                if side.kind.plain() != Kind::TEXT {
                    wants(side, Kind::NUMBER, &who)?;
                }
            }
            same(left, right, &who)?;
            Ok(Kind::BOOL)
        }
        Operator::In => contains(right, left, &who),
        Operator::Contains => contains(left, right, &who),
        Operator::Plus if left.kind.lists > 0 || left.kind.plain() == Kind::TEXT => {
            let kind = same(left, right, &who)?;
            Ok(if kind.lists > 0 { kind } else { kind.plain() })
        }
        Operator::Plus | Operator::Minus | Operator::Times | Operator::Modulo => {
            wants(left, Kind::NUMBER, &who)?;
            wants(right, Kind::NUMBER, &who)?;
            Ok(Kind::NUMBER)
        }
    }
}

/// Both sides have something in common.
fn same(left: &Node, right: &Node, who: &str) -> Result<Kind, ClaimError> {
    if let Some(common) = left.kind.common(right.kind) {
        return Ok(common);
    }
    let what = format!(
        "`{left}` is {}, `{right}` is {}: {who} says nothing about the two",
        left.kind, right.kind
    );
    let numbers = left.kind.plain() == Kind::NUMBER || right.kind.plain() == Kind::NUMBER;
    let is_quoted = |node: &Node| matches!(node.what, What::Text(_));
    let remedy = if numbers && (is_quoted(left) || is_quoted(right)) {
        "write numbers without quotes".to_owned()
    } else if numbers && left.kind.lists + right.kind.lists > 0 {
        let list = if left.kind.lists > 0 { left } else { right };
        format!("for how many there are, write `length({list})`")
    } else {
        "put two of one kind there".to_owned()
    };
    Err(ClaimError::new(right.at, what, remedy))
}

/// Some things have no name that they could be compared by.
fn comparable(node: &Node) -> Result<(), ClaimError> {
    if matches!(node.kind.base, Base::Record | Base::Replica | Base::Hazards) {
        let what = format!("`{node}` is {}, which is nothing to compare", node.kind);
        let fields = names::names(node.kind.base);
        let remedy = if node.kind.lists == 0 {
            format!("ask one of its fields: {}", fields.join(", "))
        } else {
            format!("take a field of each: `each x in {node}: x.{}`", fields.get(1).unwrap_or(&""))
        };
        return Err(ClaimError::new(node.at, what, remedy));
    }
    Ok(())
}

fn contains(whole: &Node, part: &Node, who: &str) -> Result<Kind, ClaimError> {
    if whole.kind.plain() == Kind::TEXT {
        wants(part, Kind::TEXT, &format!("{who} of a text"))?;
        return Ok(Kind::BOOL);
    }
    let Some(item) = whole.kind.item() else {
        let what = format!("`{whole}` is {}, and {who} looks into a list or a text", whole.kind);
        return Err(ClaimError::new(whole.at, what, "write `=`, or put a list there"));
    };
    comparable(whole)?;
    comparable(part)?;
    if item.common(part.kind).is_none() {
        let what = format!("`{whole}` is {}, which never holds {}", whole.kind, part.kind);
        let remedy = match (item.plain(), &part.what) {
            (Kind::NUMBER, What::Text(_)) => "write numbers without quotes".to_owned(),
            (Kind::TEXT, What::Number(number)) => format!("put it in quotes: \"{number}\""),
            _ => format!("look for {item}"),
        };
        return Err(ClaimError::new(part.at, what, remedy));
    }
    Ok(Kind::BOOL)
}

/// What a list holds with one more item.
pub(super) fn item(kind: Kind, node: &Node) -> Result<Kind, ClaimError> {
    kind.common(node.kind).ok_or_else(|| {
        let what = format!("`{node}` is {}, in a list of others: {kind}", node.kind);
        ClaimError::new(node.at, what, "a list holds values of one kind")
    })
}

/// What becomes of a list whose items are asked that.
pub(super) fn each(quantifier: Quantifier, item: Kind, body: &Node) -> Result<Kind, ClaimError> {
    let who = format!("`{}`", quantifier.name());
    match quantifier {
        Quantifier::Each => Ok(body.kind.listed()),
        Quantifier::Sum => wants(body, Kind::NUMBER, &who).map(|()| Kind::NUMBER),
        _ => {
            wants(body, Kind::BOOL, &format!("{who} behind its `:`"))?;
            Ok(match quantifier {
                Quantifier::Count => Kind::NUMBER,
                Quantifier::Only => item.listed(),
                _ => Kind::BOOL,
            })
        }
    }
}

/// The field of that name.
pub(super) fn field(node: &Node, name: &str, at: usize) -> Result<&'static Entry, ClaimError> {
    if node.kind.lists == 0
        && let Some(entry) = names::find(node.kind.base, name)
        && node.kind.base != Base::Any
    {
        return Ok(entry);
    }
    let known = names::names(node.kind.base);
    if node.kind.lists > 0 {
        let what = format!("`{node}` is {}, which has no `{name}`", node.kind);
        let remedy = format!("ask each of its items: `all x in {node}: x.{name} ...`");
        return Err(ClaimError::new(at, what, remedy));
    }
    if known.is_empty() || node.kind.base == Base::Any {
        let what = format!("`{node}` is {}, of which nothing can be asked", node.kind);
        let remedy = match names::owners(name).next() {
            Some(of) => format!("`{name}` is asked of {}", of.name()),
            None => format!("take `.{name}` out"),
        };
        return Err(ClaimError::new(at, what, remedy));
    }
    let what = format!("{} has no `{name}`", node.kind);
    Err(ClaimError::new(at, what, choose(name, &known)))
}

/// What an entry gives when it is given that.
pub(super) fn arguments(
    entry: &'static Entry,
    given: &[Node],
    at: usize,
) -> Result<Kind, ClaimError> {
    if given.len() != entry.takes.len() {
        let taken: Vec<String> = entry.takes.iter().map(ToString::to_string).collect();
        let what = format!("`{}` takes {}, not {}", entry.name, entry.takes.len(), given.len());
        let remedy = format!("write `{}({})`", entry.name, taken.join(", "));
        return Err(ClaimError::new(at, what, remedy));
    }
    for (node, wanted) in given.iter().zip(entry.takes) {
        wants(node, *wanted, &format!("`{}`", entry.name))?;
    }
    let first = given.first();
    match entry.what {
        Asked::Length => {
            let node = first.filter(|node| node.kind.lists == 0 && node.kind != Kind::TEXT);
            if let Some(node) = node {
                let what = format!("`{node}` is {}, which has no length", node.kind);
                return Err(ClaimError::new(node.at, what, "put a list or a text here"));
            }
        }
        Asked::InOrder => {
            let item = first.and_then(|node| Some((node, node.kind.item()?)));
            let is_ordered =
                |kind: Kind| [Kind::NUMBER, Kind::TEXT, Kind::ANY].contains(&kind.plain());
            if let Some((node, _)) = item.filter(|(_, item)| !is_ordered(*item)) {
                let what = format!("`{node}` is {}, which have no order", node.kind);
                let remedy = "put numbers or texts here: `each x in ...: x.offset`";
                return Err(ClaimError::new(node.at, what, remedy));
            }
        }
        Asked::Unique => {
            if let Some(node) = first {
                comparable(node)?;
                return Ok(node.kind);
            }
        }
        _ => {}
    }
    Ok(entry.gives)
}
