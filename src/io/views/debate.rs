//! The files of a debate, `.tasuki/debates/ID/`: `debate.json`, and a file for each round in `context/`.

use super::Views;
use super::debates_written::RoundFile;
use crate::engine::flow::id::FlowId;
use crate::engine::words::Millis;
use crate::io::folder::{Folder, FolderError, Stamp, mtime_ns};
use rustix::io::Errno;
use std::ffi::OsString;
use std::path::Path;

impl Views {
    /// Whether the file of a round, in which so many roles are to be, has to be written.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn round_file(
        &self,
        id: &FlowId,
        (round, name): (u8, &str),
        roles: usize,
    ) -> Result<RoundFile, FolderError> {
        let context = self.debate_folder(id)?.make_own(CONTEXT)?;
        let now = context.stat(OsString::from(name).as_os_str()).ok().map(|stat| Stamp::of(&stat));
        Ok(match (self.debates.rounds.get(&(id.clone(), round)), now) {
            (Some((_, written)), now) if now.as_ref() != Some(written) => RoundFile::Damaged,
            (Some((there, _)), _) if *there == roles => RoundFile::Current,
            _ => RoundFile::Due,
        })
    }

    /// Writes the file of a round, of which each piece is made when the one before is written.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn write_round(
        &mut self,
        id: &FlowId,
        (round, name): (u8, &str),
        roles: usize,
        pieces: &mut dyn Iterator<Item = String>,
    ) -> Result<(), FolderError> {
        let context = self.debate_folder(id)?.make_own(CONTEXT)?;
        let name = OsString::from(name);
        let written = context.write_pieces(&name, pieces);
        let stamp = written.map_err(|errno| context.failed("write", &name, errno))?;
        self.debates.rounds.insert((id.clone(), round), (roles, stamp));
        Ok(())
    }

    /// The file of a round is to be written again.
    pub fn forget_round(&mut self, id: &FlowId, round: u8) {
        self.debates.rounds.remove(&(id.clone(), round));
    }

    /// Writes another file of a debate. Of one that is over nothing is kept in memory.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn write_of_debate(
        &mut self,
        id: &FlowId,
        (name, text): (&str, &str),
        is_over: bool,
    ) -> Result<(), FolderError> {
        let (folder, name) = (self.debate_folder(id)?, OsString::from(name));
        folder.write(&name, text).map_err(|errno| folder.failed("write", &name, errno))?;
        if is_over {
            self.debates.rounds.retain(|(debate, _), _| debate != id);
        }
        Ok(())
    }

    /// Removes the folders of debates that ended before that moment. One in which worktrees lie stays.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove_debates_before(&self, before: Millis) -> Result<(), FolderError> {
        let debates = self.home.make_own(".tasuki")?.make_own("debates")?;
        for name in debates.names()? {
            let Some(id) = name.to_str().filter(|name| FlowId::new(name).is_ok()) else { continue };
            let folder = debates.enter(id)?;
            let is_old = folder
                .stat(OVERVIEW.as_ref())
                .is_ok_and(|stat| mtime_ns(&stat) < i128::from(before.0) * 1_000_000);
            if !is_old || has_worktrees(&folder.path().join("worktrees")) || !has_ended(&folder) {
                continue;
            }
            let path = folder.path().to_owned();
            std::fs::remove_dir_all(&path).map_err(|error| {
                let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
                FolderError::Io { doing: "remove", path, errno }
            })?;
        }
        Ok(())
    }

    fn debate_folder(&self, id: &FlowId) -> Result<Folder, FolderError> {
        self.home.make_own(".tasuki")?.make_own("debates")?.make_own(id.as_str())
    }
}

const CONTEXT: &str = "context";
const OVERVIEW: &str = "debate.json";

/// Whether a worktree lies in a folder. What somebody has written there since one was removed is none.
fn has_worktrees(folder: &Path) -> bool {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.any(|entry| entry.is_ok_and(|entry| entry.path().join(".git").exists())),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Whether what is kept of a debate says that it is over.
fn has_ended(debate: &Folder) -> bool {
    let text = debate.read(OVERVIEW.as_ref()).ok().and_then(|file| std::io::read_to_string(file).ok());
    let overview = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let status = overview.as_ref().and_then(|overview| overview.get("status"));
    status.is_some_and(|status| {
        status.get("Failed").is_some() || matches!(status.as_str(), Some("Completed" | "Cancelled"))
    })
}
