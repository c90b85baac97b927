//! What is kept of a worktree that was removed: an entry `FOLDER-TIME` of `.tasuki/trash`, with what is needed to get it back.

use super::error::WorktreeError;
use super::record::{Record, write_durably};
use super::repository::Repository;
use crate::engine::flow::branch::BranchName;
use crate::engine::words::Millis;
use crate::io::regular;
use crate::io::workspace::folders::private_folder;
use crate::wire::time::rfc3339_ms;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Its description in an entry.
pub(super) const FILE: &str = "removed.json";
/// Its commits in an entry, if there are any.
pub(super) const BUNDLE: &str = "commits.bundle";
/// Commits in an entry that the branch has not, as messages, if there are any.
pub(super) const LEFT: &str = "left.mbox";
/// As a record's.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// What is known of a worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trashed {
    pub branch: BranchName,
    /// Where it was, for a person to read.
    pub path: String,
    /// The commit with which its work began.
    pub base: String,
    /// The commit at which its branch was.
    pub head: String,
    /// When, by RFC 3339.
    pub removed_at: String,
    /// For whom it was made.
    pub owner: String,
    /// What it was made from.
    pub from: Vec<String>,
    /// When it was made, in seconds since 1970.
    pub begun_s: u64,
}

impl Trashed {
    pub(super) fn of(record: &Record, base: &str, head: &str, removed_ms: u64, path: &Path) -> Self {
        Self {
            branch: record.branch.clone(),
            path: path.to_string_lossy().into_owned(),
            base: base.to_owned(),
            head: head.to_owned(),
            removed_at: rfc3339_ms(Millis(removed_ms)),
            owner: record.owner.clone(),
            from: record.from.clone(),
            begun_s: record.begun_s,
        }
    }
}

/// The name of an entry: of two, the later one sorts last.
pub(super) fn entry_name(branch: &BranchName, removed_ms: u64) -> String {
    format!("{}-{}", branch.folder(), rfc3339_ms(Millis(removed_ms)).replace(':', ""))
}

impl Repository {
    /// The folder of an entry, which is made if it is missing.
    pub(super) fn make_entry(&self, entry: &str) -> Result<PathBuf, WorktreeError> {
        let path = self.trash.join(entry);
        let folders = [self.trash.parent(), Some(&self.trash), Some(&path)];
        for folder in folders.into_iter().flatten() {
            private_folder(folder).map_err(|error| WorktreeError::Io {
                path: folder.to_owned(),
                source: io::Error::other(error),
            })?;
        }
        Ok(path)
    }

    /// Writes down what an entry is. It is the last that comes into it.
    pub(super) fn describe(&self, folder: &Path, trashed: &Trashed) -> Result<(), WorktreeError> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(trashed).map_err(io::Error::from);
        let written = text.and_then(|text| write_durably(&path, &text));
        written.map_err(|source| WorktreeError::Io { path, source })
    }

    /// What lies in the trash, by entry: the oldest of a name first. What is no worktree is left out.
    ///
    /// # Errors
    /// If the trash cannot be read.
    pub fn trashed(&self) -> Result<Vec<(String, Trashed)>, WorktreeError> {
        let failed = |source| WorktreeError::Io { path: self.trash.clone(), source };
        let entries = match fs::read_dir(&self.trash) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut all = Vec::new();
        for entry in entries {
            let Ok(name) = entry.map_err(failed)?.file_name().into_string() else { continue };
            let text = regular::read(&self.trash.join(&name).join(FILE), FILE_BYTES_MAX);
            let trashed = text.ok().and_then(|text| serde_json::from_str(&text).ok());
            all.extend(trashed.map(|trashed| (name, trashed)));
        }
        all.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(all)
    }

    /// The entry that is meant by its own name, a branch or a folder: of several, the newest.
    pub(super) fn find_trashed(&self, name: &str) -> Result<(String, Trashed), WorktreeError> {
        let is_meant = |(entry, trashed): &(String, Trashed)| {
            entry == name || trashed.branch.as_str() == name || trashed.branch.folder() == name
        };
        let found = self.trashed()?.into_iter().rfind(is_meant);
        found.ok_or_else(|| WorktreeError::NotThere {
            what: "in the trash, a worktree",
            name: name.to_owned(),
        })
    }
}
