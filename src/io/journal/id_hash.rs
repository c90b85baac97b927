//! A message's id as a number.

use crate::engine::words::MessageId;
use sha2::Digest as _;

/// The first 16 bytes of the SHA-256 of a message id. Two ids of a workspace collide with a chance of 2^-88 at a
/// million ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdHash(pub u128);

impl IdHash {
    /// The hash of an id.
    #[must_use]
    pub fn of(id: &MessageId) -> Self {
        let hash = sha2::Sha256::digest(id.as_str());
        Self(hash.iter().take(16).fold(0, |sum, &byte| sum << 8 | u128::from(byte)))
    }
}
