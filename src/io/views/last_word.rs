//! The last word of a daemon that may not write anywhere else any more.

use crate::io::folder::{Folder, FolderError};
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;

/// Adds a line to `status/activity.log` and writes `status/daemon.yaml`, in the workspace at `root`, and touches nothing else:
/// what else is there may be another daemon's by now.
///
/// # Errors
/// [`FolderError`]
pub fn last_word(root: &Path, line: &str, daemon: &str) -> Result<(), FolderError> {
    let status = Folder::open(root)?.make_own("status")?;
    let (log, page) = (OsStr::new("activity.log"), OsStr::new("daemon.yaml"));
    let mut file = status.append(log).map_err(|errno| status.failed("append to", log, errno))?;
    let told = file.write_all(super::lines::one_line(line).as_bytes());
    let written = status.write(page, daemon).map_err(|errno| status.failed("write", page, errno));
    told.map_err(|error| FolderError::Io {
        doing: "append to",
        path: status.path().join(log),
        errno: rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO),
    })?;
    written.map(drop)
}
