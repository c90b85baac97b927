//! What is wanted though there is no room for others, and what was found not to be.

use super::patience::Key;
use crate::io::folder::Stamp;
use std::collections::HashMap;

/// Tells by a file's name and content whether it is wanted.
pub type Wanted<'a> = &'a dyn Fn(&str, &[u8]) -> bool;

/// Files that were looked at and are not wanted, as what they were.
#[derive(Debug, Default)]
pub(super) struct Unwanted(pub(super) HashMap<Key, Stamp>);

impl Unwanted {
    /// It was read, and there is no room for it after all.
    pub(super) fn add(&mut self, claim: &str, stamp: Stamp) {
        self.0.insert(Key { zone: None, name: claim.into() }, stamp);
    }
}
