//! Whether a session of a worktree goes on in another workspace of the same repository. Two would give tasks of theirs to agents in one
//! worktree. The record of the worktree says which workspace has made it, and the document there whether the session goes on.

use super::error::WorktreeError;
use super::record::{Progress, Record};
use super::repository::Repository;
use crate::engine::flow::id::FlowId;
use crate::io::regular;
use crate::wire::session::document::{DOCUMENT_BYTES_MAX, import};
use std::path::{Path, PathBuf};

impl Record {
    /// The workspace that has made it, if that is not the one with this trash.
    pub(super) fn other_workspace(&self, trash: &Path) -> Option<&Path> {
        let other = self.trash.as_deref().filter(|other| *other != trash)?;
        other.parent()?.parent()
    }

    pub(super) fn session(&self) -> Option<FlowId> {
        FlowId::new(self.owner.split_once(' ')?.0).ok()
    }
}

impl Repository {
    /// The other workspace in which this session goes on with worktrees of this repository.
    ///
    /// # Errors
    /// What the machine says of the records.
    pub fn session_elsewhere(&self, session: &FlowId) -> Result<Option<PathBuf>, WorktreeError> {
        let records = self.records.all()?.into_values();
        let mut of_it = records.filter(|record| {
            record.session().as_ref() == Some(session) && !matches!(record.at, Progress::Removed { .. })
        });
        Ok(of_it.find_map(|record| self.goes_on_elsewhere(&record)))
    }

    /// Refuses a worktree whose session goes on in another workspace.
    pub(super) fn refuse_elsewhere(&self, record: &Record) -> Result<(), WorktreeError> {
        let (Some(root), Some(session)) = (self.goes_on_elsewhere(record), record.session()) else {
            return Ok(());
        };
        Err(WorktreeError::Elsewhere { branch: record.branch.clone(), session, root })
    }

    fn goes_on_elsewhere(&self, record: &Record) -> Option<PathBuf> {
        let root = record.other_workspace(&self.trash)?;
        // One that was moved may have left a link in its place.
        let here = self.trash.parent()?.parent()?;
        if here.canonicalize().ok()? == root.canonicalize().ok()? {
            return None;
        }
        let document = root.join(".tasuki/sessions").join(format!("{}.json", record.session()?));
        let text = regular::read(&document, DOCUMENT_BYTES_MAX as u64).ok()?;
        let session = import(&text).ok()?;
        // A copy of a workspace has records of the one that it was copied from, whose session works elsewhere.
        let is_here = || {
            let place = Path::new(&session.repository_path).canonicalize().ok()?;
            Some(place == self.root.canonicalize().ok()?)
        };
        (session.is_open() && is_here() == Some(true)).then(|| root.to_owned())
    }
}
