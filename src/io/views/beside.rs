//! An agent's status beside the main one, where its drop zone has a folder for it: `DIR/agents/NAME.yaml`. Whoever sees only that
//! folder sees how the agent is. It is written whenever the main one is, and a fault of it is none of that one.

use super::{Views, file_name, read_up_to};
use crate::engine::words::AgentName;
use crate::io::folder::{Folder, FolderError};
use crate::wire::zone::ZoneSpec;
use std::path::{Path, PathBuf};

const AGENTS: &str = "agents";
/// More than any status has.
const STATUS_BYTES_MAX: usize = 64 << 10;

impl Views {
    /// Has the status of each owner written where its zone says, and removes what was written where none says so any more.
    pub fn set_beside(&mut self, zones: &[ZoneSpec]) {
        let wanted = zones.iter().filter_map(|zone| Some((zone.owner.clone()?, zone.status.clone()?)));
        let wanted: Vec<(AgentName, PathBuf)> = wanted.collect();
        let before = std::mem::replace(&mut self.beside, wanted);
        for (agent, place) in before.iter().filter(|old| !self.beside.contains(old)) {
            // A folder that cannot be opened may be on a drive that was taken out: nobody reads it.
            let folder = Folder::open(place).and_then(|folder| folder.enter(AGENTS));
            let _ = folder.map(|folder| folder.remove(&file_name(agent.as_str())));
        }
        for (agent, place) in self.beside.iter().filter(|new| !before.contains(new)) {
            // What is there by now; the next one is written in both places, and what is wrong is told then.
            let _ = self.agent_text(agent).map(|text| write(place, agent, &text));
        }
    }

    /// What the status of an agent says.
    fn agent_text(&self, agent: &AgentName) -> Option<String> {
        let file = self.folders.agents.read(&file_name(agent.as_str())).ok()?;
        String::from_utf8(read_up_to(file, STATUS_BYTES_MAX).ok()?).ok()
    }

    /// Writes the status of this agent where it is to be besides `status/agents/`. All are tried.
    ///
    /// # Errors
    /// [`FolderError`] of the first that could not be written.
    pub fn write_beside(&self, agent: &AgentName, text: &str) -> Result<(), FolderError> {
        let places = self.beside.iter().filter(|(of, _)| of == agent);
        places.map(|(_, place)| write(place, agent, text)).fold(Ok(()), Result::and)
    }
}

fn write(place: &Path, agent: &AgentName, text: &str) -> Result<(), FolderError> {
    let folder = match (Folder::open(place), place.parent(), place.file_name().and_then(|name| name.to_str()))
    {
        (Err(_), Some(parent), Some(name)) => Folder::open(parent)?.make(name)?,
        (opened, ..) => opened?,
    };
    // It may hold more than this, and be for others to read: what is in it alone is ours.
    let folder = folder.make_own(AGENTS)?;
    let name = file_name(agent.as_str());
    folder.write(&name, text).map(drop).map_err(|errno| folder.failed("write", &name, errno))
}
