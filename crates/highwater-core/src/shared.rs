//! A value of the cluster that copies of a world share until one of them changes it.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use crate::scope::Always;

/// Copying it copies a pointer; the first change after that copies the value. A build without the
/// cluster does not hold it and must not look at it.
#[derive(Clone, Debug)]
pub struct Shared<T>(Always<Rc<T>>);

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        Self(Always::of(Rc::default))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.known()
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Rc::make_mut(self.0.known_mut())
    }
}
