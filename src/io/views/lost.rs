//! Open views of messages that the journal does not know: it was removed, or an older one was put in its place. Such a file is the last
//! copy of an accepted message. It is kept, and it is not accepted again by itself: its task may have been done half.

use super::{View, Views, file_name};
use crate::io::folder::FolderError;
use rustix::io::Errno;
use serde::Deserialize;
use std::ffi::OsString;
use std::io::{ErrorKind, Read as _};

/// The folder in `queue/` that they are kept in.
const LOST: &str = "lost";
/// More than any view has: a message of a MiB with a hundred answers of that length.
const VIEW_BYTES_MAX: u64 = 256 << 20;

/// What shows that a file holds a message.
#[derive(Deserialize)]
#[expect(dead_code, reason = "that they are there is all that counts")]
struct Message {
    id: String,
    to: String,
    content: String,
}

impl Views {
    /// Whether `queue/done/` holds a message of this name, of whatever day.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn is_done(&self, view: &View) -> Result<bool, FolderError> {
        let name = view.file_name();
        let days = self.folders.done.names()?;
        let mut days = days.iter().filter_map(|day| self.folders.done.enter(day.to_str()?).ok());
        Ok(days.any(|day| day.stat(&name).is_ok()))
    }

    /// Whether this file holds a message, and not something of somebody's own. One that cannot be read may hold one.
    #[must_use]
    pub fn holds_message(&self, view: &View) -> bool {
        let file = self.folder(view).read(&view.file_name());
        let mut text = String::new();
        match file.map(|file| file.take(VIEW_BYTES_MAX).read_to_string(&mut text)) {
            Ok(Ok(_)) => serde_saphyr::from_str::<Message>(&text).is_ok(),
            Ok(Err(error)) => error.kind() != ErrorKind::InvalidData,
            Err(errno) => !matches!(errno, Errno::NOENT | Errno::LOOP | Errno::ISDIR),
        }
    }

    /// Moves an open view to `queue/lost/`, never over another file; the name that it has there.
    ///
    /// # Errors
    /// [`FolderError`]; calling it again is harmless.
    pub fn set_aside(&self, view: &View) -> Result<String, FolderError> {
        let (folder, name) = (self.folder(view), view.file_name());
        let lost = self.folders.queue.make_own(LOST)?;
        let stem = name.to_str().and_then(|name| name.strip_suffix(".yaml")).unwrap_or_default();
        for number in 1_u64.. {
            let free: OsString =
                if number == 1 { name.clone() } else { file_name(&format!("{stem}-{number}")) };
            match folder.rename_new(&name, &lost, &free) {
                Ok(()) => return Ok(free.to_string_lossy().into_owned()),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(folder.failed("move", &name, errno)),
            }
        }
        Ok(String::new()) // there are no 2^64 files
    }
}
