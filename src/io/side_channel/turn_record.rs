//! The line of a turn, as an agent's own record is searched for it, and what was found.

use crate::engine::screen::answer::Spoken;
use crate::engine::screen::echo::squeezed;
use crate::engine::words::Millis;

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
        /// Its words.
        said: Spoken,
    },
    /// The turn was taken, and nothing tells how far it is.
    Taken,
}

/// The line of a turn, as it is looked for in an agent's own record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Without its white space.
    squeezed: String,
    /// From when on it counts, by the wall clock; none if no other turn has the same line.
    since: Option<Millis>,
}

impl From<&str> for Line {
    /// A line that no other turn has.
    fn from(text: &str) -> Self {
        Self { squeezed: squeezed(text), since: None }
    }
}

impl From<&String> for Line {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl Line {
    /// A line that an earlier turn may have had, too: one that was given before this moment is not meant.
    #[must_use]
    pub fn since(text: &str, since: Millis) -> Self {
        Self { squeezed: squeezed(text), since: Some(since) }
    }

    /// Whether a record of what was asked is of this line; `at` is when it was asked. A line that nothing else has may stand among
    /// other words.
    pub(super) fn is_in(&self, text: &str, at: Option<Millis>) -> bool {
        let text = squeezed(text);
        match self.since {
            None => text.contains(&self.squeezed),
            Some(since) => text == self.squeezed && at.is_some_and(|at| at >= since),
        }
    }
}

/// Why nothing was heard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unheard {
    /// It gave no answer a moment ago and is not asked again yet.
    #[error("it is not asked for a while")]
    Resting,
    /// Nobody of our own user listens there.
    #[error("no process of this user listens on port {0}")]
    Nobody(u16),
    /// There is no whole answer, or none that can be understood.
    #[error("{0}")]
    Odd(String),
}
