//! The files of a debate, `.tasuki/debates/ID/`: `debate.json`, and a file for each round in `context/`.

use super::Views;
use crate::engine::flow::id::FlowId;
use crate::io::folder::{Folder, FolderError, Stamp};
use std::collections::HashMap;
use std::ffi::OsString;

/// What was written of debates that are under way.
#[derive(Debug, Default)]
pub(super) struct DebatesWritten {
    /// By debate and round: how many roles are in the file, and the file.
    rounds: HashMap<(FlowId, u8), (usize, Stamp)>,
}

/// What is to be written of a round, and what was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundFile {
    /// It has what it is to have.
    Current,
    /// It is to be written.
    Due,
    /// So is this one, and somebody has changed or removed what was there.
    Damaged,
}

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

    /// Writes the file of a round.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn write_round(
        &mut self,
        id: &FlowId,
        (round, name): (u8, &str),
        roles: usize,
        text: &str,
    ) -> Result<(), FolderError> {
        let context = self.debate_folder(id)?.make_own(CONTEXT)?;
        let name = OsString::from(name);
        let stamp = context.write(&name, text).map_err(|errno| context.failed("write", &name, errno))?;
        self.debates.rounds.insert((id.clone(), round), (roles, stamp));
        Ok(())
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

    fn debate_folder(&self, id: &FlowId) -> Result<Folder, FolderError> {
        self.home.make_own(".tasuki")?.make_own("debates")?.make_own(id.as_str())
    }
}

const CONTEXT: &str = "context";
