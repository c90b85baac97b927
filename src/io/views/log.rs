//! The append-only histories: `status/agents/NAME.log` and `status/activity.log`, one line a change.

use super::Views;
use super::lines::{LastLines, one_line};
use crate::engine::words::AgentName;
use crate::io::folder::{Folder, FolderError};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

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

    /// The last lines of an agent's history, so many bytes of them; of the whole team's, if none is named. A line that was
    /// cut off while it was being written goes first: what comes next would be added to it.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn last_lines(&self, agent: Option<&AgentName>, bytes: u64) -> Result<LastLines, FolderError> {
        let (folder, word) = match agent {
            Some(name) => (&self.folders.agents, name.as_str()),
            None => (&self.folders.status, "activity"),
        };
        let failed = |errno| folder.failed("read the end of", word.as_ref(), errno);
        let name: OsString = format!("{word}.log").into();
        let mut end = mended_end(folder, &name, bytes).map_err(failed)?;
        if (end.len() as u64) < bytes {
            let before: OsString = format!("{word}.log.1").into();
            let file = present(folder.read(&before)).map_err(failed)?;
            end.splice(
                ..0,
                file.map_or(Ok(Vec::new()), |mut file| bytes_of_end(&mut file, bytes)).map_err(failed)?,
            );
        }
        let mut lines = LastLines::default();
        for line in end.split(|byte| *byte == b'\n') {
            *lines.0.entry(String::from_utf8_lossy(line).into_owned()).or_default() += 1;
        }
        Ok(lines)
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

/// The end of a file, without a last line that has no end: that is cut off in the file too.
fn mended_end(folder: &Folder, name: &OsStr, bytes: u64) -> Result<Vec<u8>, Errno> {
    let Some(mut file) = present(folder.read(name))? else { return Ok(Vec::new()) };
    let mut end = bytes_of_end(&mut file, bytes)?;
    let whole = end.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let torn = (end.len() - whole) as u64;
    if torn > 0 && torn < bytes {
        let size = u64::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(0);
        rustix::fs::ftruncate(folder.open_for_writing(name)?, size.saturating_sub(torn))?;
        end.truncate(whole);
    }
    Ok(end)
}

fn bytes_of_end(file: &mut File, bytes: u64) -> Result<Vec<u8>, Errno> {
    let read = |file: &mut File| {
        let size = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(size.saturating_sub(bytes)))?;
        let mut end = Vec::new();
        file.take(bytes).read_to_end(&mut end).map(|_| end)
    };
    read(file).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// A file, if there is one.
fn present(opened: Result<File, Errno>) -> Result<Option<File>, Errno> {
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}
