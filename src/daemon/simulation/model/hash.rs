//! Hashes by which what was looked at before is known.

use std::hash::{DefaultHasher, Hasher as _};

/// The hash of a value, in this process.
pub(super) fn hash(of: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
