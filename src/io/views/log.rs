//! The append-only histories: `status/agents/NAME.log` and `status/activity.log`, one line a change.

use super::Views;
use crate::engine::words::AgentName;
use crate::io::folder::{Folder, FolderError};
use crate::io::log::turns_text;
use rustix::io::Errno;
use std::ffi::OsString;
use std::io::Write as _;

/// Size at which a history is put aside and a new one begun (durability, limits).
const LOG_BYTES_MAX: u64 = 10 << 20;

impl Views {
    /// Adds a line to an agent's history. Control characters are written as escapes, so that a line is a line and no
    /// terminal acts on it.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn append_agent(&mut self, agent: &AgentName, line: &str) -> Result<(), FolderError> {
        self.append_agent_lines(agent, &[line.to_owned()])
    }

    /// Adds lines to an agent's history, in one write.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn append_agent_lines(&mut self, agent: &AgentName, lines: &[String]) -> Result<(), FolderError> {
        self.append(|views| &views.folders.agents, agent.as_str(), lines)
    }

    /// Adds a line to the history of the whole team.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn append_activity(&mut self, line: &str) -> Result<(), FolderError> {
        self.append_activity_lines(&[line.to_owned()])
    }

    /// Adds lines to the history of the whole team, in one write.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn append_activity_lines(&mut self, lines: &[String]) -> Result<(), FolderError> {
        self.append(|views| &views.folders.status, "activity", lines)
    }

    fn append(
        &mut self,
        folder: fn(&Views) -> &Folder,
        word: &str,
        lines: &[String],
    ) -> Result<(), FolderError> {
        if lines.is_empty() {
            return Ok(());
        }
        let text: String = lines.iter().map(|line| one_line(line)).collect();
        self.retry(|views| {
            let folder = folder(views);
            append(folder, word, &text).map_err(|errno| folder.failed("append to", word.as_ref(), errno))
        })
    }
}

/// `NAME.log` is the newest, then `NAME.log.1` and `NAME.log.2`. `tail -F` follows it over a turn.
fn append(folder: &Folder, word: &str, text: &str) -> Result<(), Errno> {
    let name: OsString = format!("{word}.log").into();
    let mut file = folder.append(&name)?;
    let mut size = u64::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(0);
    if size > 0 && size + text.len() as u64 > LOG_BYTES_MAX {
        let (first, second) = (format!("{word}.log.1"), format!("{word}.log.2"));
        // A crash between the two leaves no `.1`, and nothing of the newest is lost.
        folder.replace(first.as_ref(), second.as_ref())?;
        folder.replace(&name, first.as_ref())?;
        file = folder.append(&name)?;
        size = 0;
    }
    file.write_all(text.as_bytes()).map_err(|error| {
        // A full disk takes a part of it: whoever tries again writes the whole.
        let _ = file.set_len(size);
        Errno::from_io_error(&error).unwrap_or(Errno::IO)
    })
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c.is_control() || turns_text(c) || matches!(c, '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{feff}') {
            line.extend(c.escape_debug())
        } else {
            line.push(c)
        }
    }
    line.push('\n');
    line
}
