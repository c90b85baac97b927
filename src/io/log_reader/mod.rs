//! The logs in `status/`, read from the end line by line, and followed from there.

use crate::engine::team::Team;
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::time::read_moment;
use chrono::Local;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Bytes that are read at once: some 500 lines.
const PIECE_BYTES: u64 = 64 << 10;

/// A log and what is looked for in it.
#[derive(Debug, Clone)]
pub struct StatusLog {
    /// The file that is written to.
    path: PathBuf,
    /// Word that its lines must have.
    word: Option<String>,
}

/// A place in a log: before these bytes of this file, whatever it is called by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPlace {
    inode: u64,
    offset: u64,
}

/// Lines of a log that stand before a place, the newest first.
#[derive(Debug, Default)]
pub struct LogLines {
    /// As they stand in the file.
    pub lines: Vec<String>,
    /// Before which place it goes on; none if there is nothing before.
    pub next: Option<LogPlace>,
}

/// How much of a log is asked for.
#[derive(Debug, Clone, Copy)]
pub struct LogWish {
    /// Most lines.
    pub lines: usize,
    /// Time of the oldest line.
    pub since: Option<Millis>,
    /// Most bytes that are looked at.
    pub bytes: u64,
}

impl LogPlace {
    /// Reads what [`Self::write`] wrote; none if it is something else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (inode, offset) = text.split_once('.')?;
        Some(Self { inode: inode.parse().ok()?, offset: offset.parse().ok()? })
    }

    /// As a word.
    #[must_use]
    pub fn write(self) -> String {
        format!("{}.{}", self.inode, self.offset)
    }
}

impl StatusLog {
    fn new(path: PathBuf) -> Self {
        Self { path, word: None }
    }

    /// The log of an agent of the team, whether anything happened to it yet or not.
    #[must_use]
    pub fn of_member(workspace: &Workspace, name: &AgentName) -> Self {
        Self::new(workspace.agent_log(name))
    }

    /// The log of the whole team.
    #[must_use]
    pub fn of_team(workspace: &Workspace) -> Self {
        Self::new(workspace.activity_log())
    }

    /// The log of the agent of this name or alias, if there is one: also of one that is in the team no more.
    #[must_use]
    pub fn of_agent(workspace: &Workspace, team: Option<&Team>, name: &AgentName) -> Option<Self> {
        let name = team.and_then(|team| team.addressee(name).ok()).unwrap_or_else(|| name.clone());
        let path = workspace.agent_log(&name);
        path.exists().then(|| Self::new(path))
    }

    /// The same, but only the lines with the id.
    #[must_use]
    pub fn about(self, id: Option<&MessageId>) -> Self {
        Self { word: id.map(ToString::to_string), ..self }
    }

    /// The id that its lines must have.
    #[must_use]
    pub fn word(&self) -> Option<&str> {
        self.word.as_deref()
    }

    /// Where it ends now, behind the last whole line; none if there is no file.
    ///
    /// # Errors
    /// What the system says.
    pub fn end(&self) -> io::Result<Option<LogPlace>> {
        let Some(file) = present(&self.path)? else { return Ok(None) };
        let meta = file.metadata()?;
        let mut offset = meta.len();
        while offset > 0 {
            let start = offset.saturating_sub(PIECE_BYTES);
            let piece = read_at(&file, start, offset)?;
            if let Some(at) = piece.iter().rposition(|byte| *byte == b'\n') {
                offset = start + at as u64 + 1;
                break;
            }
            offset = start;
        }
        Ok(Some(LogPlace { inode: meta.ino(), offset }))
    }

    /// Whether any of its files is the one with this place, and a line ends there.
    #[must_use]
    pub fn has(&self, place: LogPlace) -> bool {
        let is_of = |path: PathBuf| {
            let file = present(&path).ok()??;
            let meta = file.metadata().ok().filter(|meta| meta.ino() == place.inode)?;
            // A number may have been given to another file since.
            let is_within = place.offset <= meta.len();
            let begins = || read_at(&file, place.offset - 1, place.offset).is_ok_and(|byte| byte == b"\n");
            Some(is_within && (place.offset == 0 || begins()))
        };
        log_files(&self.path).any(|path| is_of(path) == Some(true))
    }

    /// The last lines before a place, the newest first; also those of the files before.
    ///
    /// # Errors
    /// What the system says.
    pub fn before(&self, from: Option<LogPlace>, wish: LogWish) -> io::Result<LogLines> {
        let mut found = LogLines::default();
        let Some(mut from) = from else { return Ok(found) };
        let (mut is_there, mut bytes_left, mut seen) = (false, wish.bytes, Vec::new());
        for path in log_files(&self.path) {
            let Some(file) = present(&path)? else { continue };
            let meta = file.metadata()?;
            if !is_there && meta.ino() != from.inode {
                continue; // it is newer
            }
            if seen.contains(&meta.ino()) {
                continue; // it was rotated meanwhile
            }
            seen.push(meta.ino());
            if is_there {
                from = LogPlace { inode: meta.ino(), offset: meta.len() };
            }
            is_there = true;
            let begin = from.offset;
            let read = lines_before(&file, begin, &mut |line, offset| {
                // One line is always looked at.
                let is_enough = begin - offset > bytes_left && from.offset < begin;
                if found.lines.len() >= wish.lines || is_enough {
                    return ControlFlow::Break(true);
                }
                from.offset = offset;
                if wish.since.is_some_and(|since| moment_of(line).is_some_and(|at| at < since)) {
                    return ControlFlow::Break(false);
                }
                if self.word.as_ref().is_none_or(|word| has_word(line, word)) {
                    found.lines.push(line.to_owned());
                }
                ControlFlow::Continue(())
            })?;
            match read {
                ControlFlow::Break(is_more) => {
                    found.next = is_more.then_some(from);
                    return Ok(found);
                }
                ControlFlow::Continue(()) => bytes_left = bytes_left.saturating_sub(begin),
            }
        }
        Ok(found)
    }

    /// Whether any line is about the message itself, and does not only name it.
    ///
    /// # Errors
    /// What the system says.
    pub fn knows(&self, id: &MessageId) -> io::Result<bool> {
        let wish = LogWish { lines: usize::MAX, since: None, bytes: u64::MAX };
        let found = self.before(self.end()?, wish)?;
        Ok(found.lines.iter().any(|line| line.split(' ').nth(1) == Some(id.as_str())))
    }
}

/// The files of a log, the newest first, as `views/log.rs` names them; not all of them need be there.
fn log_files(path: &Path) -> impl Iterator<Item = PathBuf> {
    let older = |number: u8| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    [path.to_path_buf(), older(1), older(2)].into_iter()
}

/// Gives each line before an offset and where it begins, the last one first.
fn lines_before(
    file: &File,
    end: u64,
    each: &mut dyn FnMut(&str, u64) -> ControlFlow<bool>,
) -> io::Result<ControlFlow<bool>> {
    // What was read and not given yet: the bytes from `at` on.
    let (mut bytes, mut at) = (Vec::new(), end);
    loop {
        let mut until = bytes.len();
        while let Some(last) = until.checked_sub(1) {
            let before = bytes.get(..last).unwrap_or_default();
            // A line begins behind the end of the one before it, or with the file.
            let begins = match before.iter().rposition(|byte| *byte == b'\n') {
                Some(newline) => newline + 1,
                None if at == 0 => 0,
                None => break,
            };
            let line = String::from_utf8_lossy(before.get(begins..).unwrap_or_default()).into_owned();
            if let ControlFlow::Break(is_more) = each(line.trim_end(), at + begins as u64) {
                return Ok(ControlFlow::Break(is_more));
            }
            until = begins;
        }
        bytes.truncate(until);
        if at == 0 {
            return Ok(ControlFlow::Continue(()));
        }
        let start = at.saturating_sub(PIECE_BYTES.max(bytes.len() as u64));
        let mut piece = read_at(file, start, at)?;
        piece.append(&mut bytes);
        (bytes, at) = (piece, start);
    }
}

fn read_at(file: &File, from: u64, until: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(until - from).unwrap_or(0)];
    file.read_exact_at(&mut bytes, from)?;
    Ok(bytes)
}

fn present(path: &Path) -> io::Result<Option<File>> {
    match regular::open(OpenOptions::new().read(true), path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn moment_of(line: &str) -> Option<Millis> {
    read_moment(line.split(' ').next()?, &Local)
}

/// A log that is read on from a place, also after it was rotated.
#[derive(Debug)]
pub struct LogTail {
    log: StatusLog,
    from: Option<LogPlace>,
    file: Option<(BufReader<File>, u64)>,
}

impl LogTail {
    /// Reads on from there; from the beginning where there was no file.
    #[must_use]
    pub fn new(log: StatusLog, from: Option<LogPlace>) -> Self {
        Self { log, from, file: None }
    }

    /// The whole lines since the last time.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(&mut self) -> io::Result<Vec<String>> {
        let mut lines = Vec::new();
        if self.file.is_none() {
            self.file = self.open()?;
        }
        let Some((file, inode)) = &mut self.file else { return Ok(lines) };
        // Seen before it is read: what was written before the rotation is all there, and is read first.
        let rotated = self.log.path.metadata().map_or(true, |meta| meta.ino() != *inode);
        loop {
            let at = file.stream_position()?;
            let mut bytes = Vec::new();
            file.read_until(b'\n', &mut bytes)?;
            if bytes.last() != Some(&b'\n') {
                file.seek(SeekFrom::Start(at))?;
                break;
            }
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            if self.log.word.as_ref().is_none_or(|word| has_word(&line, word)) {
                lines.push(line);
            }
        }
        if rotated {
            self.file = None;
        }
        Ok(lines)
    }

    /// The file that is written to now, or the one with the place, where it was rotated since.
    fn open(&mut self) -> io::Result<Option<(BufReader<File>, u64)>> {
        let from = self.from.take();
        let paths = log_files(&self.log.path).filter(|_| from.is_some()).collect::<Vec<_>>();
        for path in [self.log.path.clone()].into_iter().chain(paths) {
            let Some(file) = present(&path)? else { continue };
            let inode = file.metadata()?.ino();
            if from.is_none_or(|from| from.inode == inode) {
                let mut file = BufReader::new(file);
                file.seek(SeekFrom::Start(from.map_or(0, |from| from.offset)))?;
                return Ok(Some((file, inode)));
            }
        }
        Ok(None)
    }
}

/// Whether the id is there by itself, and not as the beginning of another.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).unwrap_or_default().trim_start_matches('.').chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests;
