//! The file of a round of a debate, for whoever looks at it: which one it is, and writing it again.

use crate::io::folder::{Folder, FolderError, Stamp};
use std::ffi::OsStr;
use std::path::Path;

/// Which file has this name in a folder of contexts; none if there is no such file.
pub(crate) fn stamp(context: &Path, name: &str) -> Option<Stamp> {
    let folder = Folder::open(context).ok()?;
    folder.stat(OsStr::new(name)).ok().map(|stat| Stamp::of(&stat))
}

/// Writes the file again. Its name until it is whole is none that the daemon's views have: both may write at the same time.
///
/// # Errors
/// [`FolderError`]
pub(crate) fn write_again(
    context: &Path,
    name: &str,
    pieces: &mut dyn Iterator<Item = String>,
) -> Result<Stamp, FolderError> {
    let folder = Folder::open(context)?;
    let (name, whole) = (OsStr::new(name), format!(".{}-{name}", std::process::id()));
    let whole = OsStr::new(&whole);
    let written = folder.write_pieces(whole, pieces);
    let placed = written.and_then(|stamp| folder.replace(whole, name).map(|()| stamp));
    placed.map_err(|errno| folder.failed("write", name, errno))
}
