//! tmux's version: which one runs, and what differs between them.

use super::escape::Escape;
use super::quote::shown;
pub use super::release::{OLDEST, Version};
use crate::io::mux::error::MuxError;

impl Version {
    /// Reads what `tmux -V` or `#{version}` says: `tmux 3.3a`, `3.4`, `next-3.6`, `3.5-rc2`.
    ///
    /// # Errors
    /// [`MuxError::VersionUnknown`] for `master` and other names without a number.
    pub fn read(text: &str) -> Result<Self, MuxError> {
        let trimmed = text.trim();
        let word = trimmed.strip_prefix("tmux ").unwrap_or(trimmed);
        let word = word.strip_prefix("next-").unwrap_or(word);
        Self::parse(word).ok_or_else(|| MuxError::VersionUnknown { text: shown(text.as_bytes()) })
    }

    /// This version if it is supported.
    ///
    /// # Errors
    /// [`MuxError::TooOld`].
    pub fn supported(self) -> Result<Self, MuxError> {
        if self >= OLDEST { Ok(self) } else { Err(MuxError::TooOld { found: self.to_string() }) }
    }

    /// How `show-buffer` writes to a control-mode client.
    #[must_use]
    pub fn buffer_escape(self) -> Escape {
        if self < (Self { major: 3, minor: 4, letter: None }) { Escape::Backslash } else { Escape::Raw }
    }

    fn parse(word: &str) -> Option<Self> {
        let (major, rest) = word.split_once('.')?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (minor, rest) = rest.split_at_checked(digits)?;
        let letter = rest.chars().next().filter(char::is_ascii_lowercase);
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()?, letter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        let read = |text: &str| Version::read(text).unwrap();
        for (text, shown) in [
            ("tmux 3.3a\n", "3.3a"),
            ("3.4", "3.4"),
            ("tmux next-3.6", "3.6"),
            ("tmux 3.5-rc2", "3.5"),
            ("tmux 3.10", "3.10"),
        ] {
            assert_eq!(read(text).to_string(), shown);
        }
        let order = ["2.9a", "3.2a", "3.3", "3.3a", "3.4", "3.5a", "3.10", "4.0"].map(read);
        assert!(order.is_sorted());
        assert!(order[3..].iter().all(|version| version.supported().is_ok()));
        assert!(order[..3].iter().all(|version| version.supported().is_err()));
        for unknown in ["tmux master", "tmux openbsd-7", "", "tmux 3", "bash: tmux: not found"] {
            assert!(matches!(Version::read(unknown), Err(MuxError::VersionUnknown { .. })), "{unknown}");
        }
    }

    #[test]
    fn buffers_are_escaped_up_to_3_3a() {
        assert_eq!(Version::read("3.3a").unwrap().buffer_escape(), Escape::Backslash);
        assert_eq!(Version::read("3.4").unwrap().buffer_escape(), Escape::Raw);
    }
}
