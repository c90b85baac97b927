//! The daemon that serves a session: the session's option `@tasuki_daemon`.

use crate::engine::words::ProcessKey;
use crate::io::process;
use std::fmt;

/// A daemon that has connected to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ServedBy(ProcessKey);

impl ServedBy {
    /// Where the session says who serves it.
    pub(super) const OPTION: &str = "@tasuki_daemon";

    /// This process.
    pub(super) fn here() -> Option<Self> {
        process::key_of(std::process::id()).map(Self)
    }

    /// Reads `PID TICKS`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (pid, ticks) = text.split_once(' ')?;
        Some(Self(ProcessKey { pid: pid.parse().ok()?, start_ticks: ticks.parse().ok()? }))
    }

    /// Its process, if it lives and is another than this one.
    pub(super) fn rival(self) -> Option<u32> {
        let is_other = self.0.pid != std::process::id() && process::alive(self.0);
        is_other.then_some(self.0.pid)
    }
}

impl fmt::Display for ServedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.pid, self.0.start_ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_that_lives_is_a_rival_and_nobody_else() {
        let own = ServedBy::here().unwrap();
        assert_eq!(ServedBy::read(&own.to_string()), Some(own));
        assert_eq!(own.rival(), None);
        let parent = std::os::unix::process::parent_id();
        let key = process::key_of(parent).unwrap();
        assert_eq!(ServedBy(key).rival(), Some(parent));
        let later = ProcessKey { start_ticks: key.start_ticks + 1, ..key };
        assert_eq!(ServedBy(later).rival(), None, "its number is somebody else's by now");
        for text in ["", "1", "x 1", "1 x", "1 2 3"] {
            assert_eq!(ServedBy::read(text), None, "{text:?}");
        }
    }
}
