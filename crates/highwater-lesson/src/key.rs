//! The marks of keys: a letter always comes with one shape and one colour class.

/// A key of a figure, by its letter. Four at most: more would not be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMark {
    /// A disc.
    A,
    /// A square.
    B,
    /// A triangle.
    C,
    /// A diamond.
    D,
}

impl KeyMark {
    /// Reads `a` to `d`, as lesson files write it after `key:`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "a" => Some(Self::A),
            "b" => Some(Self::B),
            "c" => Some(Self::C),
            "d" => Some(Self::D),
            _ => None,
        }
    }

    /// The class that carries the key's colours.
    pub const fn class(self) -> &'static str {
        match self {
            Self::A => "hw-key-a",
            Self::B => "hw-key-b",
            Self::C => "hw-key-c",
            Self::D => "hw-key-d",
        }
    }

    /// The shape, as SVG path data in a box of 14 by 14.
    pub const fn path(self) -> &'static str {
        match self {
            Self::A => "M7 1a6 6 0 1 1 0 12A6 6 0 1 1 7 1z",
            Self::B => "M1.5 1.5h11v11h-11z",
            Self::C => "M7 .8l6.5 11.9H.5z",
            Self::D => "M7 .2L13.8 7 7 13.8.2 7z",
        }
    }
}
