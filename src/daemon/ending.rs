//! How a life of the daemon ends: as it was told to, or since it cannot go on.

use crate::daemon::journal::handle::ThreadGone;
use crate::io::journal::JournalError;
use std::time::Duration;

/// How long workers may take to end once they were told to.
pub(in crate::daemon) const SHUTDOWN: Duration = Duration::from_secs(5);

/// How the daemon's life ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// SIGTERM or `down --keep-agents`: agents go on.
    KeepAgents,
    /// `down`: agents end too.
    StopAgents,
    /// The lock or the journal is not the daemon's any more: agents go on, and nothing is written that nobody would read.
    Displaced,
}

impl Ending {
    /// What `down` asks for.
    pub(super) fn asked(keep_agents: bool) -> Self {
        if keep_agents { Self::KeepAgents } else { Self::StopAgents }
    }
}

/// Why the loop cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// A batch could not be written: start anew, in a new segment.
    #[error("the journal could not be written: {0}")]
    Journal(#[from] JournalError),
    /// A worker thread has ended.
    #[error(transparent)]
    Thread(#[from] ThreadGone),
    /// A task without which nothing goes has ended by a fault.
    #[error("a worker broke: {0}")]
    Task(tokio::task::JoinError),
}
