//! What is has_priority though there is no room for others, and what was found not to be.

use super::still_written::Key;
use crate::io::folder::Stamp;
use std::collections::HashMap;

/// Tells by a file's zone, name and content whether it is has_priority.
pub type IsPriority<'a> = &'a dyn Fn(u32, &str, &[u8]) -> bool;

/// Files that were looked at and are not has_priority, as what they were.
#[derive(Debug, Default)]
pub(super) struct NotPriority(pub(super) HashMap<Key, Stamp>);

impl NotPriority {
    /// It was read, and there is no room for it after all.
    pub(super) fn add(&mut self, claim: &str, stamp: Stamp) {
        self.0.insert(Key { zone: None, name: claim.into() }, stamp);
    }
}
