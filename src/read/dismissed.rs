//! What a person has put aside of what waits, as its folder says it.

use super::files;
use crate::engine::words::Millis;
use crate::io::dismissed::dismissed;
use crate::io::workspace::Workspace;
use std::collections::BTreeMap;

/// For how long a task that failed is shown.
pub(super) const FAILED_MS: u64 = 24 * 3_600_000;

/// What was put aside, until its folder changes.
#[derive(Debug, Default)]
pub(super) struct Dismissed {
    /// When the folder was changed last.
    at: Option<Millis>,
    /// The ids, and since when each waited.
    since: BTreeMap<String, String>,
}

impl Dismissed {
    /// Looks again if the folder has changed; whether it has.
    pub(super) fn look(&mut self, workspace: &Workspace) -> bool {
        let at = files::modified(&workspace.dismissed());
        let has_changed = at != self.at;
        if has_changed {
            *self = Self { at, since: dismissed(workspace) };
        }
        has_changed
    }

    /// Looks again the next time in any case.
    pub(super) fn forget(&mut self) {
        self.at = None;
    }

    /// Whether this need was put aside, and not an earlier one of the same id.
    pub(super) fn has(&self, id: &str, since: &str) -> bool {
        self.since.get(id).is_some_and(|dismissed| dismissed.as_str() >= since)
    }

    /// All of them.
    pub(super) fn all(&self) -> &BTreeMap<String, String> {
        &self.since
    }
}

/// What the need of a failed task is called.
pub(super) fn failure_id(task: &str) -> String {
    format!("failed.{task}")
}
