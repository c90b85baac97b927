//! What of a journal is read.

use crate::engine::words::Seq;
use crate::io::workspace::Workspace;

/// What of a journal is read: all its segments, up to a step.
#[derive(Debug, Clone)]
pub struct Pages {
    pub workspace: Workspace,
    /// The last step that counts: what is behind it is not told yet.
    pub until: Seq,
}

impl Pages {
    /// All that is there.
    #[must_use]
    pub fn all(workspace: &Workspace) -> Self {
        Self { workspace: workspace.clone(), until: Seq(u64::MAX) }
    }
}
