//! What the network does to messages between two parties: cut or slow, until the rule is removed.

use std::fmt;

use crate::ids::{BrokerId, NodeId};
use crate::time::SimDuration;

/// One side of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// A broker.
    Broker(BrokerId),
    /// The controller.
    Controller,
    /// All clients.
    Clients,
}

/// A standing fault of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// Messages of this party
    pub from: Party,
    /// to that one
    pub to: Party,
    /// suffer this.
    pub effect: Effect,
}

impl Rule {
    /// Whether it concerns messages from one node to another.
    #[must_use]
    pub fn is_for(&self, from: NodeId, to: NodeId) -> bool {
        self.from.holds(from) && self.to.holds(to)
    }
}

/// What happens to a message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It is lost.
    Cut,
    /// It takes so much longer.
    Slow(SimDuration),
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It arrives so much later than usual.
    Delay(SimDuration),
    /// It is lost, by this rule.
    Drop(Rule),
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broker(id) => id.fmt(f),
            Self::Controller => f.write_str("controller"),
            Self::Clients => f.write_str("clients"),
        }
    }
}

impl Party {
    fn holds(self, node: NodeId) -> bool {
        match (self, node) {
            (Self::Broker(broker), NodeId::Broker(id)) => broker == id,
            (Self::Controller, NodeId::Controller) | (Self::Clients, NodeId::Client(_)) => true,
            _ => false,
        }
    }
}

/// What these rules do to a message from one node to another: a cut wins, delays add up.
#[must_use]
pub fn verdict(rules: &[Rule], from: NodeId, to: NodeId) -> Verdict {
    let mut delay = SimDuration(0);
    for rule in rules {
        if rule.is_for(from, to) {
            match rule.effect {
                Effect::Cut => return Verdict::Drop(*rule),
                Effect::Slow(span) => delay = SimDuration(delay.0.saturating_add(span.0)),
            }
        }
    }
    Verdict::Delay(delay)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A rule is for one direction; delays add up; a cut is a cut.
    #[test]
    fn rules_are_one_way() {
        let (one, two) = (Party::Broker(BrokerId(1)), Party::Broker(BrokerId(2)));
        let rule = |from, to, effect| Rule { from, to, effect };
        let slow = rule(one, two, Effect::Slow(SimDuration(5)));
        let there = (NodeId::Broker(BrokerId(1)), NodeId::Broker(BrokerId(2)));
        let seen = |rules: &[Rule]| verdict(rules, there.0, there.1);
        assert_eq!(seen(&[]), Verdict::Delay(SimDuration(0)));
        assert_eq!(seen(&[slow, slow]), Verdict::Delay(SimDuration(10)));
        assert_eq!(verdict(&[slow], there.1, there.0), Verdict::Delay(SimDuration(0)));
        let cut = rule(one, two, Effect::Cut);
        assert_eq!(seen(&[slow, cut]), Verdict::Drop(cut));
        assert_eq!(seen(&[rule(one, Party::Clients, Effect::Cut)]), Verdict::Delay(SimDuration(0)));
    }
}
