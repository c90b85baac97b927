//! Looks at files of an agent's tree: beneath its folder, and without waiting for what is no file.

use crate::io::folder::mtime_ns;
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::Path;

/// A file is compared by its bytes up to this size, and by its size and time of change above.
pub(super) const COMPARED_BYTES_MAX: u64 = 8 << 20;
/// A report is read by people and models; sixteen times a long book is no report.
pub(super) const REPORT_BYTES_MAX: u64 = 16 << 20;

/// What tells a file from itself at another time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) size: u64,
    /// SHA-256 of its bytes; none where there are too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<String>,
    /// When it was changed; only of what is not compared by its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) changed_ns: Option<i64>,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) mark: Mark,
    /// SHA-256 of its bytes but for blanks.
    pub(super) ink: String,
    /// Whether it has nothing but blanks.
    pub(super) is_blank: bool,
}

/// Why a file does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unfit {
    /// There is none.
    Missing,
    /// Its path, or a link on it, leads out of the agent's folder.
    Outside,
    /// It is a link or lies behind one, where none is followed.
    Link,
    /// It is something else, as a folder or a pipe.
    NoFile(&'static str),
    /// The system refuses it.
    Refused(String),
    /// It cannot be looked at on this machine.
    Unable(String),
}

/// What is done with links on a path. None leads out of the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    Followed,
    /// A link to an older file is not a file that was made.
    Refused,
}

/// An agent's folder.
#[derive(Debug)]
pub(super) struct Tree(OwnedFd);

impl Tree {
    /// Opens it.
    pub(super) fn open(cwd: &Path) -> Result<Self, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(cwd, flags, Mode::empty()).map(Self)
    }

    /// Reads a file beneath it.
    pub(super) fn see(&self, path: &Path, compared_max: u64, links: Links) -> Result<Seen, Unfit> {
        let file = self.file(path, links)?;
        read(file, compared_max).map_err(|error| Unfit::Refused(error.to_string()))
    }

    /// Opens a file beneath it. What is no file is not opened for reading: that alone may wake another program.
    fn file(&self, path: &Path, links: Links) -> Result<File, Unfit> {
        let looked = self.open_beneath(path, OFlags::PATH, links)?;
        is_file(&looked)?;
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let opened = self.open_beneath(path, flags, links)?;
        is_file(&opened)?;
        Ok(opened.into())
    }

    fn open_beneath(&self, path: &Path, flags: OFlags, links: Links) -> Result<OwnedFd, Unfit> {
        let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        if links == Links::Refused {
            resolve |= ResolveFlags::NO_SYMLINKS;
        }
        let open = || rustix::fs::openat2(&self.0, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve);
        let mut opened = open();
        // Somebody moved a folder meanwhile.
        for _ in 0..8 {
            if !matches!(opened, Err(Errno::AGAIN)) {
                break;
            }
            opened = open();
        }
        opened.map_err(|errno| match errno {
            Errno::NOENT | Errno::NOTDIR => Unfit::Missing,
            Errno::XDEV => Unfit::Outside,
            Errno::LOOP if links == Links::Refused => Unfit::Link,
            Errno::LOOP => Unfit::NoFile("a circle of links"),
            Errno::NOSYS => Unfit::Unable("this kernel has no openat2: run Linux 5.6 or newer".to_owned()),
            errno => Unfit::Refused(errno.to_string()),
        })
    }
}

fn is_file(fd: &OwnedFd) -> Result<(), Unfit> {
    let stat = rustix::fs::fstat(fd).map_err(|errno| Unfit::Refused(errno.to_string()))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(Unfit::NoFile("a folder")),
        FileType::Fifo => Err(Unfit::NoFile("a pipe")),
        FileType::Socket => Err(Unfit::NoFile("a socket")),
        FileType::Symlink => Err(Unfit::NoFile("a link")),
        _ => Err(Unfit::NoFile("a device")),
    }
}

/// Reads an open file: all of it up to that size, and the beginning of what is larger.
pub(super) fn read(file: File, compared_max: u64) -> std::io::Result<Seen> {
    let changed_ns = mtime_ns(&rustix::fs::fstat(&file)?);
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.take(compared_max.saturating_add(1)).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    let is_whole = read <= compared_max;
    let mark = if is_whole {
        Mark { size: read, sha256: Some(sha256(&bytes)), changed_ns: None }
    } else {
        Mark { size: size.max(read), sha256: None, changed_ns: i64::try_from(changed_ns).ok() }
    };
    let is_blank = is_blank(&bytes);
    bytes.retain(|byte| !byte.is_ascii_whitespace());
    Ok(Seen { mark, ink: sha256(&bytes), is_blank })
}

/// In hex.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether nobody would see anything of it. Holes of a file are zeros.
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    let unseen = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{3164}' | '\u{feff}')
    };
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        // A character may be cut at the end of what was read.
        let is_whole = chunk.invalid().is_empty() || chunks.peek().is_none();
        if !is_whole || !chunk.valid().chars().all(unseen) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_would_see_is_blank() {
        for blank in ["", " \n\t\r\n", "\0\0\0", "\u{feff}", "\u{3000}\n", "\u{200b}\u{a0}"] {
            assert!(is_blank(blank.as_bytes()), "{blank:?}");
        }
        for text in ["x", "\n\n.", "襷", "👩‍💻", "\0\0a"] {
            assert!(!is_blank(text.as_bytes()), "{text:?}");
        }
        assert!(!is_blank(b"\xff\xfe\x00x") && is_blank(&"\u{3000}".as_bytes()[..2]));
    }
}
