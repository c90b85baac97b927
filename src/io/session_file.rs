//! `.tasuki/sessions/ID.json` of a session that comes from elsewhere: kept as it came until somebody lets it go on.

use crate::engine::flow::id::FlowId;
use crate::io::folder::{Folder, FolderError};
use crate::io::workspace::Workspace;
use std::ffi::OsString;

/// Writes it down; it outlives a power cut. False if there is one of that id already, which stays as it is.
///
/// # Errors
/// [`FolderError`] if the disk takes nothing.
pub fn keep(workspace: &Workspace, id: &FlowId, text: &str) -> Result<bool, FolderError> {
    let folder = Folder::open(&workspace.memory())?.make_own("sessions")?;
    let name: OsString = format!("{id}.json").into();
    if folder.stat(&name).is_ok() {
        return Ok(false);
    }
    write(&folder, &name, text).map(|()| true)
}

/// Writes it down in place of what is there, as durably.
///
/// # Errors
/// [`FolderError`] if the disk takes nothing; what was there stays then.
pub fn replace(workspace: &Workspace, id: &FlowId, text: &str) -> Result<(), FolderError> {
    let folder = Folder::open(&workspace.memory())?.make_own("sessions")?;
    write(&folder, &format!("{id}.json").into(), text)
}

fn write(folder: &Folder, name: &OsString, text: &str) -> Result<(), FolderError> {
    folder.write_durably(name, text).map_err(|errno| folder.failed("write", name, errno))?;
    folder.sync_all().map_err(|errno| folder.failed("sync", name, errno))
}
