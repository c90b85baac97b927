//! Views that a daemon was writing when it was killed: files that nobody reads, and that no later view writes over where its
//! message has ended, or its agent has left the team.

use super::{Views, stem};
use crate::engine::words::{AgentName, MessageId};
use crate::io::folder::{Folder, FolderError};
use std::ffi::OsStr;

impl Views {
    /// Removes them from `queue/active/`, `status/` and `status/agents/`. The other folders' views are written again under the same name.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove_half_written(&self) -> Result<(), FolderError> {
        let is_id = |word: &str| MessageId::new(word).is_ok();
        for folder in std::iter::once(&self.folders.active).chain(self.far.values()) {
            remove(folder, &is_id)?;
        }
        remove(&self.folders.status, &|word| word == "daemon")?;
        remove(&self.folders.agents, &|word| AgentName::new(word).is_ok())
    }
}

fn remove(folder: &Folder, is_word: &dyn Fn(&str) -> bool) -> Result<(), FolderError> {
    let is_half = |name: &OsStr| {
        let whole = name.to_str().and_then(|name| name.strip_prefix('.')?.strip_suffix(".tmp"));
        whole.and_then(|name| stem(OsStr::new(name))).is_some_and(is_word)
    };
    for name in folder.names()?.iter().filter(|name| is_half(name)) {
        folder.remove(name).map_err(|errno| folder.failed("remove", name, errno))?;
    }
    Ok(())
}
