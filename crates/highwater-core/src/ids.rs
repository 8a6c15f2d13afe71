//! Identifiers: one type for each kind of number or name, so that none is taken for another.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use crate::scope::{self, Lab};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A broker's `node.id`.
    BrokerId(i32)
);
id!(
    /// A partition's number within its topic, from 0.
    PartitionId(i32)
);
id!(
    /// A position in one partition's log. A record's address is (topic, partition, offset).
    Offset(i64)
);
id!(
    /// How many leaders a partition has had; batches carry the epoch they were appended in.
    LeaderEpoch(i32)
);
id!(
    /// Which registration of a broker is meant: the offset of its record in the metadata log.
    BrokerEpoch(u64)
);
id!(
    /// How often a partition's metadata has changed; each `AlterPartition` names the one it knows.
    PartitionEpoch(i32)
);
id!(
    /// A producer, consumer or admin client in the world.
    ClientId(u32)
);
id!(
    /// A running command: the shell or a tool.
    ProcessId(u32)
);
id!(
    /// One terminal of the page, with one shell.
    TerminalId(u32)
);
id!(
    /// A byte stream between processes: a pipe or prepared input.
    StreamId(u32)
);
id!(
    /// A request or response on its way.
    MessageId(u64)
);
id!(
    /// One thing that happened; ids grow in the order in which things happen.
    EventId(u64)
);

impl Offset {
    /// The offset `count` records later.
    #[must_use]
    pub fn plus(self, count: u32) -> Self {
        Self(self.0.saturating_add(i64::from(count)))
    }
}

/// Bytes as Kafka stores them: keys, values, a pipe's content. Shared, never changed.
pub type Bytes = Rc<[u8]>;

/// Where a broker stands (`broker.rack`); nothing: it does not say.
pub type Rack = Lab<Rc<str>>;

/// A topic's name. Whether Kafka accepts it is decided by `controller::topic_name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopicName(pub Rc<str>);

impl TopicName {
    /// Names a topic; no check is made.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(Rc::from(name))
    }

    /// Of a name of 8 to 16 bytes a number that stands for it among names as long: its first eight
    /// bytes, then its last eight.
    #[inline]
    fn as_number(&self) -> Option<(u64, u64)> {
        let bytes = self.0.as_bytes();
        let ends = (bytes.first_chunk()?, bytes.last_chunk()?);
        (bytes.len() <= 16).then(|| (u64::from_be_bytes(*ends.0), u64::from_be_bytes(*ends.1)))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PartialOrd for TopicName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TopicName {
    /// By bytes. Most often a name is compared with a copy of itself, or with one that differs from it
    /// in its last letters.
    fn cmp(&self, other: &Self) -> Ordering {
        if scope::CLUSTER {
            if Rc::ptr_eq(&self.0, &other.0) {
                return Ordering::Equal;
            }
            if self.0.len() == other.0.len()
                && let (Some(mine), Some(others)) = (self.as_number(), other.as_number())
            {
                return mine.cmp(&others);
            }
        }
        self.0.cmp(&other.0)
    }
}

impl fmt::Display for TopicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A `group.id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub Rc<str>);

/// What a coordinator calls a member of a group. Empty: the member has no name yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub Rc<str>);

impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Kafka's `Uuid`: 128 bits, printed as 22 characters of URL-safe base64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TopicId(pub u128);

impl fmt::Display for TopicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        // 128 bits are 21 groups of 6 and one of 2, which base64 fills up with zeros on the right.
        for group in 0..22u32 {
            let six = match 122u32.checked_sub(group * 6) {
                Some(shift) => (self.0 >> shift) & 63,
                None => (self.0 << 4) & 63,
            };
            let digit = DIGITS[usize::try_from(six).unwrap_or(0)];
            fmt::Write::write_char(f, char::from(digit))?;
        }
        Ok(())
    }
}

/// One partition of one topic.
#[derive(Clone, Debug, Eq, PartialOrd, Ord)]
pub struct TopicPartition {
    /// The topic.
    pub topic: TopicName,
    /// The partition's number.
    pub partition: PartitionId,
}

impl PartialEq for TopicPartition {
    /// Numbers are compared faster than names.
    fn eq(&self, other: &Self) -> bool {
        self.partition == other.partition
            && if scope::CLUSTER {
                self.topic.cmp(&other.topic).is_eq()
            } else {
                self.topic == other.topic
            }
    }
}

impl Hash for TopicPartition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.topic.hash(state);
        self.partition.hash(state);
    }
}

impl TopicPartition {
    /// Puts the two together.
    #[must_use]
    pub fn new(topic: &TopicName, partition: PartitionId) -> Self {
        Self { topic: topic.clone(), partition }
    }
}

impl fmt::Display for TopicPartition {
    /// `topic-partition`, as Kafka writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}

/// Who sends and receives messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeId {
    /// The active controller of the KRaft quorum.
    Controller,
    /// A broker.
    Broker(BrokerId),
    /// A producer, consumer or admin client.
    Client(ClientId),
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Names are in the order of their bytes, whatever their lengths.
    #[test]
    fn names_are_compared_by_their_bytes() {
        let mut names = vec![String::new()];
        for length in [1, 7, 8, 9, 12, 15, 16, 17, 24] {
            for (place, letter) in [(0, 'b'), (length / 2, 'b'), (length - 1, 'b'), (0, '~')] {
                let mut name = vec!['a'; length];
                name[place] = letter;
                names.push(name.iter().collect());
            }
        }
        for one in &names {
            for other in &names {
                let (first, second) = (TopicName::new(one), TopicName::new(other));
                assert_eq!(first.cmp(&second), one.cmp(other), "{one} {other}");
                let partition = PartitionId(0);
                let (first, second) = (
                    TopicPartition::new(&first, partition),
                    TopicPartition::new(&second, partition),
                );
                assert_eq!(first == second, one == other, "{one} {other}");
            }
        }
    }

    /// The text of a UUID is Kafka's: URL-safe base64 without padding (values from RFC 4648).
    #[test]
    fn topic_id_is_22_characters_of_base64() {
        assert_eq!(TopicId(0).to_string(), "AAAAAAAAAAAAAAAAAAAAAA");
        assert_eq!(TopicId(1).to_string(), "AAAAAAAAAAAAAAAAAAAAAQ");
        assert_eq!(TopicId(u128::MAX).to_string(), "_____________________w");
    }
}
