//! What an agent itself says of its turns, where it can be asked: stronger evidence than what it draws on its screen.

mod address;
mod messages;
mod opencode;
mod transcript;

use crate::engine::words::Millis;
pub use opencode::OpenCode;
pub use transcript::{Transcribed, Transcripts};

/// What an agent's own record says of a turn that it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnRecord {
    /// It works on it, or asks something.
    Working,
    /// Its model gave no answer, and it tries again.
    Retrying {
        /// What the other side said.
        why: String,
        /// When, by the wall clock.
        at: Millis,
    },
    /// It has ended its turn, and this is all that it said in it, to the letter.
    Over {
        /// Its words, in Markdown as a rule; the words of its tools are not among them.
        said: String,
    },
    /// The turn was taken, and nothing tells how far it is.
    Taken,
}

/// Why nothing was heard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unheard {
    /// It gave no answer a moment ago and is not asked again yet.
    #[error("it is not asked for a while")]
    Resting,
    /// Nobody of our own user listens there.
    #[error("nobody of this user listens on port {0}")]
    Nobody(u16),
    /// There is no whole answer, or none that can be understood.
    #[error("{0}")]
    Odd(String),
}
