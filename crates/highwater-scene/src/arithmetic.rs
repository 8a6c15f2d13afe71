//! The arithmetic that gives a record its partition, step by step. Every number comes from the
//! event; nothing is computed anew, so that what is shown is what decided.

use highwater_core::client::partitioner::{Choice, SignRule, Why};
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
    match choice.why {
        Why::Hashed { function, hash, sign, dividend, partitions } => {
            let length = key.map_or(0, <[u8]>::len);
            push(StepKind::Bytes, words::bytes(i64::try_from(length).unwrap_or(i64::MAX)));
            let value = match sign {
                SignRule::Unsigned => i64::from(hash),
                _ => i64::from(hash.cast_signed()),
            };
            let name = function.name();
            push(StepKind::Hash, fill("{0} = {1}", &[S(name), S(&signed(value))]));
            let dividend_text = int(dividend.into());
            match sign {
                SignRule::Masked => {
                    push(StepKind::Sign, fill("& 0x7fffffff = {0}", &[S(&dividend_text)]));
                }
                SignRule::Absolute if !highwater_core::scope::CLUSTER => {}
                SignRule::AbsoluteRemainder | SignRule::Absolute if value < 0 => {
                    push(StepKind::Sign, words::without_sign(&dividend_text));
                }
                _ => {}
            }
            let (count, remainder) = (partitions.into(), (dividend % partitions.max(1)).into());
            let division = fill("mod {0} = {1}", &[N(count), N(remainder)]);
            push(StepKind::Remainder, division);
        }
        _ => push(StepKind::Reason, words::partition_reason(&choice.why).to_owned()),
    }
    let PartitionId(partition) = choice.partition;
    push(StepKind::Partition, words::partition(partition));
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
