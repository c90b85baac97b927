//! A place for what few things of a kind have: of a hundred thousand messages that wait, hardly one is a part of a task, has a
//! deadline, or was ever tried. Where all of it is as usual, it takes the eight bytes of a null pointer.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};

/// A value that has a usual form, which most have.
pub trait Usual: Clone + PartialEq + 'static {
    /// That form.
    fn usual() -> &'static Self;
}

/// A value that takes no memory of its own until it is changed.
#[derive(Debug, Clone)]
pub struct Seldom<T>(Option<Box<T>>);

impl<T: Usual> Seldom<T> {
    /// Holds this value.
    pub fn new(value: T) -> Self {
        Self((value != *T::usual()).then(|| Box::new(value)))
    }
}

impl<T> Default for Seldom<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Usual> Deref for Seldom<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::usual())
    }
}

impl<T: Usual> DerefMut for Seldom<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::usual().clone()))
    }
}

/// Whether it was ever changed makes no difference.
impl<T: Usual> PartialEq for Seldom<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Usual + Eq> Eq for Seldom<T> {}

/// As if what it holds was there.
impl<T: Usual + Serialize> Serialize for Seldom<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(to)
    }
}

impl<'de, T: Usual + Deserialize<'de>> Deserialize<'de> for Seldom<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Usual for u64 {
        fn usual() -> &'static Self {
            &7
        }
    }

    #[test]
    fn what_is_as_usual_takes_nothing_and_is_equal_however_it_came_about() {
        let usual = Seldom::<u64>::default();
        assert_eq!((*usual, usual.0.is_none(), size_of_val(&usual)), (7, true, 8));
        let mut changed = Seldom::new(7);
        assert!(changed.0.is_none());
        *changed = 8;
        assert_ne!(changed, usual);
        *changed = 7;
        assert_eq!(changed, usual);
        assert_eq!((*Seldom::new(9), *Seldom::new(9).clone()), (9, 9));
    }
}
