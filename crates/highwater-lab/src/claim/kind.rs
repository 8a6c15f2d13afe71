//! Kinds of values, as far as they are known before anything is looked at: an error of kinds is found by reading
//! the claim alone, also in a part that no run reaches.

use std::fmt;

/// What one value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// Not known: an empty list says nothing of what it holds.
    Any,
    /// `none` alone.
    None,
    Bool,
    Number,
    Text,
    Topic,
    Partition,
    Replica,
    Record,
    Broker,
    Group,
    Member,
    Reader,
    Hazards,
}

impl Base {
    /// With its article.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::None => "`none`",
            Self::Bool => "a yes or no",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Topic => "a topic",
            Self::Partition => "a partition",
            Self::Replica => "a replica",
            Self::Record => "a record",
            Self::Broker => "a broker",
            Self::Group => "a group",
            Self::Member => "a member",
            Self::Reader => "a reader",
            Self::Hazards => "`hazards`",
        }
    }

    /// Several of them.
    const fn plural(self) -> &'static str {
        match self {
            Self::Any | Self::None => "values",
            Self::Bool => "yes or no",
            Self::Number => "numbers",
            Self::Text => "texts",
            Self::Topic => "topics",
            Self::Partition => "partitions",
            Self::Replica => "replicas",
            Self::Record => "records",
            Self::Broker => "brokers",
            Self::Group => "groups",
            Self::Member => "members",
            Self::Reader => "readers",
            Self::Hazards => "hazards",
        }
    }

    /// What stands for it where a plain value is wanted: the name of a topic, the number of a broker.
    const fn plain(self) -> Self {
        match self {
            Self::Topic | Self::Partition | Self::Group | Self::Member | Self::Reader => Self::Text,
            Self::Broker => Self::Number,
            other => other,
        }
    }
}

/// What a value is: one of those, or a list of them, or a list of such lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) base: Base,
    /// How many lists it lies in.
    pub(super) lists: u8,
}

impl Kind {
    pub(super) const BOOL: Self = Self::one(Base::Bool);
    pub(super) const NUMBER: Self = Self::one(Base::Number);
    pub(super) const TEXT: Self = Self::one(Base::Text);
    pub(super) const ANY: Self = Self::one(Base::Any);

    pub(super) const fn one(base: Base) -> Self {
        Self { base, lists: 0 }
    }

    pub(super) const fn list(base: Base) -> Self {
        Self { base, lists: 1 }
    }

    /// A list of such values.
    pub(super) const fn listed(self) -> Self {
        Self { lists: self.lists.saturating_add(1), ..self }
    }

    /// What a list of this kind holds.
    pub(super) fn item(self) -> Option<Self> {
        self.lists.checked_sub(1).map(|lists| Self { lists, ..self })
    }

    /// What stands for it where a plain value is wanted.
    pub(super) const fn plain(self) -> Self {
        Self { base: self.base.plain(), ..self }
    }

    /// Whether it may be `none` and nothing else.
    pub(super) fn is_none(self) -> bool {
        self == Self::one(Base::None)
    }

    /// What both are, as plain values; `None`: they have nothing in common.
    pub(super) fn common(self, other: Self) -> Option<Self> {
        if self.is_none() {
            return Some(other);
        }
        if other.is_none() || self == other {
            return Some(self);
        }
        match (self.base, other.base) {
            // An empty list is one of every kind, also of lists.
            (Base::Any | Base::None, _) if self.lists > 0 && self.lists <= other.lists => {
                Some(other)
            }
            (_, Base::Any | Base::None) if other.lists > 0 && other.lists <= self.lists => {
                Some(self)
            }
            (Base::Any, _) if self.lists == 0 => Some(other),
            (_, Base::Any) if other.lists == 0 => Some(self),
            _ => (self.plain() == other.plain()).then(|| self.plain()),
        }
    }

    /// Whether it can be taken where that is wanted.
    pub(super) fn fits(self, wanted: Self) -> bool {
        let is_some = |base| base == Base::Any;
        (is_some(wanted.base) && self.lists >= wanted.lists)
            || (is_some(self.base) && self.lists <= wanted.lists)
            || self.is_none()
            || self == wanted
            || self.plain() == wanted
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lists {
            0 => f.write_str(self.base.name()),
            1 => write!(f, "a list of {}", self.base.plural()),
            _ => write!(f, "a list of lists of {}", self.base.plural()),
        }
    }
}
