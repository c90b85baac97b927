//! What tasuki knows of a worktree that it makes, has made or has removed: one file a folder, in the repository's folder of git's
//! own. It is written before anything is made, so that whatever a kill leaves has its record.
//!
//! It stays when the worktree is removed: no name is used twice.

use super::error::WorktreeError;
use crate::engine::flow::branch::BranchName;
use crate::io::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// A record is some hundred bytes, and forty more for each branch that the worktree is made from.
const RECORD_BYTES_MAX: u64 = 1 << 20;

/// A worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) branch: BranchName,
    /// For whom it is: the same may ask for it again.
    pub(super) owner: String,
    /// What it is made from, in order. The first is where its branch begins, the others are merged into it.
    pub(super) from: Vec<String>,
    /// What these are called, each in the place of its own, as far as they have names: the messages of the merges say them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) names: Vec<String>,
    /// In seconds since 1970: the time of its merges, so that those that are made again are the same.
    pub(super) begun_s: u64,
    pub(super) at: Progress,
    /// Whether all was done in it that the team file wants done before anybody works there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) is_set_up: bool,
    /// The trash of the workspace that has made it: several may use one repository, and each knows only its own sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trash: Option<PathBuf>,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "kebab-case")]
pub(super) enum Progress {
    /// It is being made, or what made it was killed. Nobody has been told of it.
    Making,
    /// All of it is there, and its owner may know of it.
    Made {
        /// The commit with which its work begins.
        base: String,
        /// The entry of the trash that it was got back from, as long as that is there.
        restored: Option<String>,
    },
    /// It is being removed: from here on, what is there of its folder may be a part of it.
    Removing {
        base: String,
        head: String,
        /// Its entry in the trash.
        entry: String,
        /// When that began, in ms since 1970; the name of the entry has it, too.
        removed_ms: u64,
    },
    /// It was removed. Its name is not given again.
    Removed {
        entry: String,
        /// The commit at which its branch was; none in what older versions have written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        head: Option<String>,
    },
    /// It is got back from the trash, or what did so was killed.
    Restoring { base: String, head: String, entry: String },
}

/// The records of a repository.
#[derive(Debug, Clone)]
pub(super) struct Records(PathBuf);

impl Records {
    /// Those of the repository whose folder of git's own this is.
    pub(super) fn of(common_dir: &Path) -> Self {
        Self(common_dir.join("tasuki").join("worktrees"))
    }

    /// Makes what is missing of their folder.
    pub(super) fn prepare(&self) -> Result<(), WorktreeError> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        made.map_err(|source| WorktreeError::Io { path: self.0.clone(), source })
    }

    /// Where the locks are.
    pub(super) fn lock_folder(&self) -> &Path {
        self.0.parent().unwrap_or(&self.0)
    }

    /// The lock of all writers.
    pub(super) fn lock(&self) -> PathBuf {
        self.lock_folder().join("lock")
    }

    /// The lock of whoever sets this worktree up, or removes it.
    pub(super) fn set_up_lock(&self, branch: &BranchName) -> PathBuf {
        self.lock_folder().join(format!("setting-up-{}", branch.folder()))
    }

    /// The record of a worktree by its folder's name; none if tasuki has never made it.
    pub(super) fn read(&self, folder: &str) -> Result<Option<Record>, WorktreeError> {
        let path = self.path(folder);
        let failed = |source| WorktreeError::Io { path: path.clone(), source };
        match regular::read(&path, RECORD_BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| failed(error.into())),
        }
    }

    /// All of them, by folder.
    pub(super) fn all(&self) -> Result<BTreeMap<String, Record>, WorktreeError> {
        let failed = |source| WorktreeError::Io { path: self.0.clone(), source };
        let mut all = BTreeMap::new();
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(all),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let Some(folder) = name.to_str().and_then(|name| name.strip_suffix(".json")) else { continue };
            if let Some(record) = self.read(folder)? {
                all.insert(folder.to_owned(), record);
            }
        }
        Ok(all)
    }

    /// Writes it, on the disk, whole or not at all.
    pub(super) fn write(&self, record: &Record) -> Result<(), WorktreeError> {
        let path = self.path(&record.branch.folder());
        let text = serde_json::to_string_pretty(record).map_err(io::Error::from);
        let written = text.and_then(|text| write_durably(&path, &text));
        written.map_err(|source| WorktreeError::Io { path, source })
    }

    /// Forgets one whose worktree was not made.
    pub(super) fn forget(&self, branch: &BranchName) -> Result<(), WorktreeError> {
        let path = self.path(&branch.folder());
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(WorktreeError::Io { path, source: error })
            }
            _ => Ok(()),
        }
    }

    fn path(&self, folder: &str) -> PathBuf {
        self.0.join(format!("{folder}.json"))
    }
}

/// Writes a file under its name when it is whole and on the disk. What a kill leaves of it has a name that nobody reads, and is
/// written over the next time.
pub(super) fn write_durably(path: &Path, text: &str) -> io::Result<()> {
    let half = path.with_extension("tmp");
    let mut how = OpenOptions::new();
    let written = regular::open(how.write(true).create(true).truncate(true).mode(0o600), &half)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&half, path))
        .and_then(|()| path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all()));
    if written.is_err() {
        // On a full disk it would take the room that others need.
        let _ = fs::remove_file(&half);
    }
    written
}
