//! What the loop hears of tmux.

use crate::engine::input::FoundPane;
use crate::engine::words::PaneId;
use crate::io::mux::Mux;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the loop hears.
#[derive(Debug)]
pub enum TmuxNews {
    /// The connection is gone: somebody detached it, or its server ended. The agents may well live.
    Cut {
        /// What tmux said.
        why: String,
    },
    /// The server is gone, and every pane with it.
    Lost {
        /// What tmux said.
        why: String,
    },
    /// There is a connection again.
    Back {
        /// The connection.
        tmux: Mux,
        /// The agents' panes that are there.
        found: PanesFound,
    },
}

/// The agents' panes that are there.
#[derive(Debug, Clone, Default)]
pub struct PanesFound {
    /// Whose they are, and what lives in them.
    pub panes: Vec<FoundPane>,
    pub terminals: BTreeMap<PaneId, PathBuf>,
}
