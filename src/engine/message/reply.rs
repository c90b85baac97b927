//! What a request gets from the engine.

use super::refusal::Refusal;
use crate::engine::words::MessageId;

/// What a request gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Accepted and durable.
    Accepted {
        /// The ids, in order; of duplicates too.
        ids: Vec<MessageId>,
        /// Those that were known already.
        duplicates: Vec<MessageId>,
    },
    Done {
        /// In words.
        what: String,
        /// The message that came of it, if one did.
        id: Option<MessageId>,
    },
    /// Not done.
    Refused(Refusal),
}
