//! What can go wrong with the multiplexer, and what the reader can do about it.

use crate::engine::words::PaneId;
use std::sync::Arc;

/// A word has a NUL byte, which no command can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("has a NUL at byte {at}; a tmux command cannot carry one")]
pub struct HasNul {
    /// Its byte offset.
    pub at: usize,
}

/// A character that must never be typed into a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("has the control character U+{:04X} at byte {at}; only printable text may be typed into a pane", u32::from(*found))]
pub struct Unprintable {
    /// The character.
    pub found: char,
    /// Its byte offset.
    pub at: usize,
}

/// Why something could not be done with the multiplexer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum MuxError {
    /// There is no tmux.
    #[error("tmux is not installed; install it, for example with `apt-get install tmux`")]
    Missing,
    /// What is to be started in a window is not there.
    #[error("{why}")]
    NoProgram {
        /// Which program, with the cure.
        why: String,
    },
    /// tmux is older than what its flaws allow.
    #[error(
        "tmux {found} is too old; 3.3a or newer is needed (`apt-get install tmux`, or build it from tmux.github.io)"
    )]
    TooOld { found: String },
    /// `tmux -V` said something else than a version.
    #[error(
        "tmux reports its version as {text:?}, from which its age cannot be told; use a release, 3.3a or newer"
    )]
    VersionUnknown {
        /// What it said.
        text: String,
    },
    /// A name that tmux would read as something else.
    #[error("the {what} {text:?} cannot be used: {cure}")]
    BadName {
        /// What the name is for.
        what: &'static str,
        /// The name.
        text: String,
        /// What is allowed.
        cure: &'static str,
    },
    /// A tmux program that we started failed.
    #[error("tmux {command} failed: {words}")]
    Failed {
        command: String,
        /// tmux's own words.
        words: String,
    },
    /// The session belongs to another workspace or to a person.
    #[error(
        "the tmux session {session:?} on {socket:?} is not this workspace's ({owner}); set another `session:` or `tmux_socket:` in the team file, or end that session"
    )]
    Foreign {
        /// The session's name.
        session: String,
        /// The socket's name.
        socket: String,
        /// Whose it is, in words.
        owner: String,
    },
    /// Another daemon serves the session.
    #[error(
        "another daemon (process {pid}) still has the agents of this workspace in the tmux session {session:?}; it ends by itself if its .tasuki/ was removed: try again, or end it with `kill {pid}`"
    )]
    Served {
        /// The session's name.
        session: String,
        /// The daemon's process.
        pid: u32,
    },
    /// The machine refused something.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's answer.
        source: Arc<std::io::Error>,
    },
    /// tmux refused a command.
    #[error("tmux refused {command}: {words}")]
    Refused {
        command: &'static str,
        /// tmux's own words.
        words: String,
    },
    /// tmux answered something that cannot be read.
    #[error("tmux answered {command} with {words:?}, which is not what it should print")]
    Unreadable {
        command: &'static str,
        /// What it printed.
        words: String,
    },
    /// No answer in time. If it was sent, the command may still be done.
    #[error("tmux did not answer {command} within {ms} ms; is its server stopped or overloaded?")]
    Late {
        command: &'static str,
        /// How long was waited.
        ms: u64,
        /// Whether the command had been handed to tmux: then it is in doubt, else it will not be done.
        sent: bool,
    },
    /// The connection has ended. A command that was under way may have been done.
    #[error("the connection to tmux has ended: {why}")]
    Gone {
        /// How it ended.
        why: String,
    },
    /// A command cannot carry this text.
    #[error("a word of a tmux command {0}")]
    HasNul(#[from] HasNul),
    /// A text that may not be typed.
    #[error("the text {0}")]
    Unprintable(#[from] Unprintable),
    /// The pane does not exist.
    #[error("there is no pane {pane}")]
    NoPane { pane: PaneId },
    /// The pane's program has ended.
    #[error("the program in pane {pane} has ended")]
    DeadPane { pane: PaneId },
    /// Somebody reads the pane's history (copy mode); keys would go to that mode.
    #[error("pane {pane} is in copy mode; leave it there (q) so that typing reaches the program")]
    InMode { pane: PaneId },
    /// Input to the pane is switched off.
    #[error("input to pane {pane} is switched off; `tmux select-pane -e -t {pane}` switches it on")]
    InputOff { pane: PaneId },
    /// The pane is not the agent's that was meant.
    #[error("pane {pane} belongs to {found:?}, not to {meant:?}")]
    NotOurs {
        pane: PaneId,
        /// The tag that was meant.
        meant: String,
        /// The tag that was found.
        found: String,
    },
}

impl MuxError {
    /// For a tmux that could not be started.
    pub(in crate::io) fn start(source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::NotFound => Self::Missing,
            _ => Self::io("cannot start tmux")(source),
        }
    }

    pub(in crate::io) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        |source| Self::Io { what: what.into(), source: Arc::new(source) }
    }
}
