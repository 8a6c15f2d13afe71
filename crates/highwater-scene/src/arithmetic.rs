//! The arithmetic that gives a record its partition, step by step. Every number comes from the
//! event; nothing is computed anew, so that what is shown is what decided.

use highwater_core::client::partitioner::Choice;
use highwater_core::client::partitioner::steps::Step as Sum;
use highwater_core::ids::PartitionId;
use highwater_core::world::event::EventKind;

use crate::digits::{int, signed};
use crate::fill::Arg::{N, S};
use crate::fill::fill;
use crate::node::Node;
use crate::template::tree;
use crate::words;

/// What one step of the arithmetic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The key.
    Key,
    /// How many bytes it has.
    Bytes,
    /// Its hash, signed where the client's library sees it signed.
    Hash,
    /// How the sign was dealt with.
    Sign,
    /// The remainder.
    Remainder,
    /// Why there is no arithmetic.
    Reason,
    /// The partition.
    Partition,
}

/// One step, in words and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it is.
    pub kind: StepKind,
    /// What it says: `murmur2 = −713338313`.
    pub text: String,
}

/// The steps behind a record's partition; `None` for any other event.
#[must_use]
pub fn of_event(event: &EventKind) -> Option<Vec<Step>> {
    match event {
        EventKind::RecordPartitioned { key, partition, why, .. } => {
            Some(steps(key.as_deref(), &Choice { partition: partition.partition, why: *why }))
        }
        _ => None,
    }
}

/// The steps from a key to a choice.
#[must_use]
pub fn steps(key: Option<&[u8]>, choice: &Choice) -> Vec<Step> {
    let mut steps = Vec::with_capacity(6);
    let mut push = |kind, text: String| steps.push(Step { kind, text });
    match key {
        Some(key) => push(StepKind::Key, fill("\"{0}\"", &[S(&words::shown(key))])),
        None => push(StepKind::Key, words::no_key().to_owned()),
    }
    choice.each_step(key, |step| {
        let (kind, text) = match step {
            Sum::Bytes(count) => (StepKind::Bytes, words::bytes(count.into())),
            Sum::Hash(function, value) => {
                (StepKind::Hash, fill("{0} = {1}", &[S(function.name()), S(&signed(value))]))
            }
            Sum::Masked(left) => {
                (StepKind::Sign, fill("& 0x7fffffff = {0}", &[S(&int(left.into()))]))
            }
            Sum::Negated(left) => (StepKind::Sign, words::without_sign(&int(left.into()))),
            Sum::Remainder { partitions, rest } => {
                let division = fill("mod {0} = {1}", &[N(partitions.into()), N(rest.into())]);
                (StepKind::Remainder, division)
            }
            Sum::Reason(why) => (StepKind::Reason, words::partition_reason(&why).to_owned()),
            Sum::Partition(PartitionId(partition)) => {
                (StepKind::Partition, words::partition(partition))
            }
        };
        push(kind, text);
    });
    steps
}

/// The steps in one line: `"locker-7" → 8 bytes → ... → partition 0`.
#[must_use]
pub fn line(steps: &[Step]) -> String {
    let texts: Vec<&str> = steps.iter().map(|step| step.text.as_str()).collect();
    texts.join(" \u{2192} ")
}

/// The steps as an element of HTML that may break between steps: `p.hw-sum`, a `span.hw-sum-step`
/// each.
#[must_use]
pub fn node(steps: &[Step]) -> Node {
    let mut parts = Vec::new();
    for step in steps {
        if !parts.is_empty() {
            parts.push(Node::Text(" \u{2192} ".into()));
        }
        let class = match step.kind {
            StepKind::Partition => "hw-sum-step hw-sum-end",
            _ => "hw-sum-step",
        };
        let values = vec![class.into(), step.text.clone().into()];
        parts.push(tree("<span class='{}'>{}</span>", values));
    }
    tree("<p class='hw-sum' key='sum'>{}</p>", vec![parts.into()])
}
