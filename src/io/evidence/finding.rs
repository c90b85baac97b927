//! What a check found, in words that may be shown: no control characters, no secrets, and no more than there is room for.

use super::ground::Ground;
use crate::engine::evidence::{Evidence, HOW_BYTES_MAX};
use crate::engine::words::Millis;
use crate::io::run::printed::{clean_line, cut};
use crate::wire::clean::escape;

/// A name of a check is a part of a line.
const CHECK_BYTES_MAX: usize = 200;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finding {
    /// It is as it was claimed.
    Passed(String),
    /// It is not, and whoever claimed it can put it right.
    Failed(String),
    /// It could not be looked at.
    Broken(String),
}

impl Finding {
    /// The evidence of it, for a check that began then.
    pub(super) fn evidence(self, check: &str, began: Millis, ground: &Ground) -> Evidence {
        let (passed, broken, how) = match self {
            Self::Passed(how) => (true, false, how),
            Self::Failed(how) => (false, false, how),
            Self::Broken(how) => (false, true, how),
        };
        let at = ground.clock.now();
        let lines: Vec<String> = how.lines().map(clean_line).collect();
        Evidence {
            check: cut(&escape(check), CHECK_BYTES_MAX),
            passed,
            broken,
            how: cut(&lines.join("\n"), HOW_BYTES_MAX),
            at,
            ms: at.0.saturating_sub(began.0),
        }
    }
}
