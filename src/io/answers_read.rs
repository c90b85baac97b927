//! `.tasuki/answers_read.json`: up to where a person has read the answers to their tasks.

use crate::io::folder::{Folder, FolderError};
use crate::io::regular;
use crate::io::workspace::Workspace;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;

/// Largest file that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Single answers that are remembered; whoever reads more of them one by one is told some of them again.
const ALSO_MAX: usize = 2_000;

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AnswersRead {
    /// Step of the journal up to which all were read.
    pub upto: u64,
    /// Ids of tasks behind it whose answers were read one by one, in that order.
    pub also: Vec<String>,
}

impl AnswersRead {
    /// Reads it; where there is none, or none that can be understood, nothing was read.
    #[must_use]
    pub fn read(workspace: &Workspace) -> Self {
        let text = regular::read(&workspace.answers_read_file(), FILE_BYTES_MAX).ok();
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// All were read up to a step of the journal.
    ///
    /// # Errors
    /// What the machine said.
    pub fn read_upto(workspace: &Workspace, step: u64) -> Result<(), FolderError> {
        let before = Self::read(workspace);
        if before.upto >= step {
            return Ok(());
        }
        Self { upto: step, also: Vec::new() }.write(workspace)
    }

    /// The answer to one task was read.
    ///
    /// # Errors
    /// What the machine said.
    pub fn read_one(workspace: &Workspace, id: &str) -> Result<(), FolderError> {
        let mut read = Self::read(workspace);
        if read.also.iter().any(|known| known == id) {
            return Ok(());
        }
        read.also.push(id.to_owned());
        let many = read.also.len().saturating_sub(ALSO_MAX);
        read.also.drain(..many);
        read.write(workspace)
    }

    /// Writes it. It is not synced, and of two who write at once one wins: an answer may be told again, and that does no harm.
    fn write(&self, workspace: &Workspace) -> Result<(), FolderError> {
        let folder = Folder::open(&workspace.memory())?;
        let path = workspace.answers_read_file();
        let name = path.file_name().unwrap_or(OsStr::new("answers_read.json"));
        let text = serde_json::to_string(self).unwrap_or_default();
        folder.write(name, &text).map_err(|errno| folder.failed("write", name, errno)).map(drop)
    }
}
