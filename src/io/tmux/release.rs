//! A release of tmux.

use std::fmt;

/// A release of tmux, such as 3.3a.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub major: u16,
    /// The 3 behind the dot.
    pub minor: u16,
    /// The letter; `None` sorts before `a`.
    pub letter: Option<char>,
}

/// The oldest version that is supported. 3.2 brought the flags that we attach with; 3.2a died under load for reasons
/// that were not found; 3.3a held.
pub const OLDEST: Version = Version { major: 3, minor: 3, letter: Some('a') };

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        self.letter.map_or(Ok(()), |letter| write!(f, "{letter}"))
    }
}
