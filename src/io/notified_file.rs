//! `.tasuki/notified.json`: what the command of `notify:` was told, so that a daemon that starts again does not tell it twice.

use crate::io::folder::{Folder, FolderError};
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::api::NotifyKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Read as _;

/// Largest file that is read: 100,000 needs at once.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// What was told.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Notified {
    /// What was asked for.
    pub on: BTreeSet<NotifyKind>,
    /// Step of the journal up to which completed tasks were told; none if nobody asked for them.
    pub seq: Option<u64>,
    /// Ids of needs that last and were told, each with 0, and of tasks behind `seq` that were, each with its step.
    pub told: BTreeMap<String, u64>,
}

impl Notified {
    /// Reads it; none if there is none, or none that can be understood: then all is told as if for the first time.
    #[must_use]
    pub fn read(workspace: &Workspace) -> Option<Self> {
        let file = regular::open(OpenOptions::new().read(true), &workspace.notified_file()).ok()?;
        let mut text = String::new();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Writes it. It is not synced: after a power cut something may be told again, and that does no harm.
    ///
    /// # Errors
    /// What the machine said.
    pub fn write(&self, workspace: &Workspace) -> Result<(), FolderError> {
        let folder = Folder::open(&workspace.memory())?;
        let path = workspace.notified_file();
        let name = path.file_name().unwrap_or(OsStr::new("notified.json"));
        let text = serde_json::to_string(self).unwrap_or_default();
        folder.write(name, &text).map_err(|errno| folder.failed("write", name, errno)).map(drop)
    }
}
