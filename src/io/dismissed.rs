//! `.tasuki/dismissed/`: what a person has put aside of what waits for them, one file a need, so that nobody writes over another.

use crate::io::folder::{Folder, FolderError};
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::layout::hash_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// More than any file there has: an id and a time.
const FILE_BYTES_MAX: u64 = 64 << 10;

/// One need that was put aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dismissal {
    /// As in `tasuki needs --json`.
    pub id: String,
    /// Since when it waited (RFC 3339): one of the same id that waits since later is another.
    pub since: String,
}

impl Dismissal {
    /// Writes it down; it outlives a power cut.
    ///
    /// # Errors
    /// [`FolderError`] if the disk takes nothing.
    pub fn write(&self, workspace: &Workspace) -> Result<(), FolderError> {
        let memory = Folder::open(&workspace.memory())?;
        let folder = memory.make_own("dismissed")?;
        let name = name_of(&self.id);
        let text = serde_json::to_string(self).unwrap_or_default();
        folder.write_durably(&name, &text).map_err(|errno| folder.failed("write", &name, errno))?;
        // With the name, and with the folder, which may be new.
        folder.sync_all().map_err(|errno| folder.failed("sync", &name, errno))
    }
}

/// What was put aside, each with the time since which it waited. One that cannot be read was not: it is shown again.
#[must_use]
pub fn dismissed(workspace: &Workspace) -> BTreeMap<String, String> {
    let entries = fs::read_dir(workspace.dismissed()).into_iter().flatten().flatten();
    let read = |entry: fs::DirEntry| {
        let text = regular::read(&entry.path(), FILE_BYTES_MAX).ok()?;
        serde_json::from_str(&text).ok().map(|Dismissal { id, since }| (id, since))
    };
    entries.filter_map(read).collect()
}

/// The file of a need that was put aside: it was written when that happened.
#[must_use]
pub fn dismissal_file(workspace: &Workspace, id: &str) -> PathBuf {
    workspace.dismissed().join(name_of(id))
}

/// Forgets what was put aside and waits no more.
///
/// # Errors
/// [`FolderError`]
pub fn forget(workspace: &Workspace, id: &str) -> Result<(), FolderError> {
    let folder = Folder::open(&workspace.dismissed())?;
    let name = name_of(id);
    folder.remove(&name).map_err(|errno| folder.failed("remove", &name, errno))
}

/// An id may be longer than a name.
fn name_of(id: &str) -> OsString {
    format!("{}.json", hash_of(id)).into()
}
