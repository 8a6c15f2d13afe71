//! How much of Kafka this build holds. A page about one broker must not make its readers download how
//! brokers replicate, so `if scope::CLUSTER` guards the ways into that code: it is always compiled
//! and checked, and left out of a program whose build does not ask for it.

use std::fmt;
use std::hash::{Hash, Hasher};

/// More than one replica, faults, elections, and the parts of storage that only the Lab shows
/// (feature `cluster`, on by default).
pub const CLUSTER: bool = cfg!(feature = "cluster");

/// The most brokers that a cluster may have.
pub const MOST_BROKERS: u32 = if CLUSTER { 9 } else { 1 };

/// Whether a world hashes all that happens in it. A page shows no such number.
pub const TRACE: bool = CLUSTER;

/// Something that only a build with the cluster can hold. In another build it takes no room, cannot be
/// there, and leaves no code behind to copy or drop it.
pub struct Lab<T>(<Build<CLUSTER> as Holds<T>>::Held);

/// A build, with or without the cluster.
#[derive(Debug)]
pub struct Build<const HAS_CLUSTER: bool>;

/// How a build holds what belongs to the cluster.
pub trait Holds<T> {
    /// What stands in its place.
    type Held;
    /// Holds nothing.
    fn nothing() -> Self::Held;
    /// Holds it, if this build can.
    fn hold(value: T) -> Self::Held;
    /// Looks at it.
    fn look(held: &Self::Held) -> Option<&T>;
    /// Looks at it to change it.
    fn change(held: &mut Self::Held) -> Option<&mut T>;
}

impl<T> Holds<T> for Build<true> {
    type Held = Option<Box<T>>;

    fn nothing() -> Self::Held {
        None
    }

    fn hold(value: T) -> Self::Held {
        Some(Box::new(value))
    }

    fn look(held: &Self::Held) -> Option<&T> {
        held.as_deref()
    }

    fn change(held: &mut Self::Held) -> Option<&mut T> {
        held.as_deref_mut()
    }
}

/// What stands in the place of something that this build cannot hold.
#[derive(Debug)]
pub struct Nothing;

impl<T> Holds<T> for Build<false> {
    type Held = Nothing;

    fn nothing() -> Nothing {
        Nothing
    }

    fn hold(_value: T) -> Nothing {
        Nothing
    }

    fn look(_held: &Nothing) -> Option<&T> {
        None
    }

    fn change(_held: &mut Nothing) -> Option<&mut T> {
        None
    }
}

type Here = Build<CLUSTER>;

/// What a panic says that only a fault of our own can lead to.
pub(crate) const ABSENT: &str = "only a build with the cluster looks at what belongs to it";

impl<T> Lab<T> {
    /// Holds something.
    #[must_use]
    #[inline]
    pub fn new(value: T) -> Self {
        Self(<Here as Holds<T>>::hold(value))
    }

    /// Looks at it.
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<&T> {
        <Here as Holds<T>>::look(&self.0)
    }

    /// Looks at it to change it.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        <Here as Holds<T>>::change(&mut self.0)
    }

    /// What a build with the cluster always puts in, and no other build asks for.
    ///
    /// # Panics
    /// Nothing was put in.
    #[must_use]
    pub fn known(&self) -> &T {
        self.get().expect(ABSENT)
    }

    /// Whether it holds anything.
    #[must_use]
    pub fn is_some(&self) -> bool {
        self.get().is_some()
    }
}

impl<T> Default for Lab<T> {
    fn default() -> Self {
        Self(<Here as Holds<T>>::nothing())
    }
}

impl<T: Clone> Clone for Lab<T> {
    fn clone(&self) -> Self {
        self.get().map_or_else(Self::default, |value| Self::new(value.clone()))
    }
}

impl<T: PartialEq> PartialEq for Lab<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for Lab<T> {}

impl<T: fmt::Debug> fmt::Debug for Lab<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: Hash> Hash for Lab<T> {
    /// As what it holds, so that a trace does not tell that this stands between.
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some(held) = self.get() {
            held.hash(state);
        }
    }
}

/// As `Lab`, for what every build with the cluster holds from the beginning: it stands in its place
/// without a pointer between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Always<T>([T; HELD]);

const HELD: usize = CLUSTER as usize;

impl<T: Hash> Hash for Always<T> {
    /// As what it holds, so that a trace does not tell that this stands between.
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some(held) = self.get() {
            held.hash(state);
        }
    }
}

impl<T> Always<T> {
    /// Holds something, if this build can.
    #[must_use]
    #[inline]
    pub fn new(value: T) -> Self {
        let mut value = Some(value);
        Self::of(|| value.take().expect(ABSENT))
    }

    /// Holds what is made, if this build can.
    #[must_use]
    #[inline]
    pub fn of(mut make: impl FnMut() -> T) -> Self {
        Self(std::array::from_fn(|_| make()))
    }

    /// Looks at it; `None`: this build has nothing of the kind.
    #[must_use]
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.0.first()
    }

    /// Looks at it.
    ///
    /// # Panics
    /// This build has nothing of the kind.
    #[must_use]
    #[inline]
    pub fn known(&self) -> &T {
        self.0.first().expect(ABSENT)
    }

    /// Looks at it to change it.
    ///
    /// # Panics
    /// This build has nothing of the kind.
    #[inline]
    pub fn known_mut(&mut self) -> &mut T {
        self.0.first_mut().expect(ABSENT)
    }
}
