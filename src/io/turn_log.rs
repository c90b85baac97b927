//! The log of what a one-shot program printed, byte for byte.

use super::regular;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Largest log, in bytes; what comes behind that is not kept.
const LOG_BYTES_MAX: u64 = 8 << 20;

/// A log that is written to at its end.
#[derive(Debug)]
pub struct TurnLog {
    file: File,
    room: u64,
}

impl TurnLog {
    /// Opens it, and makes it where it is not there: for its user alone. A link there is not followed.
    ///
    /// # Errors
    /// What the machine says.
    pub fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = regular::open(OpenOptions::new().append(true).create(true).mode(0o600), path)?;
        let room = LOG_BYTES_MAX.saturating_sub(file.metadata()?.len());
        Ok(Self { file, room })
    }

    /// The same with nothing in it.
    ///
    /// # Errors
    /// What the machine says.
    pub fn anew(path: &Path) -> io::Result<Self> {
        let log = Self::open(path)?;
        log.file.set_len(0)?;
        Ok(Self { room: LOG_BYTES_MAX, ..log })
    }

    /// Adds what there is room for.
    ///
    /// # Errors
    /// What the machine says.
    pub fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes.len());
        self.file.write_all(bytes.get(..room).unwrap_or_default())?;
        self.room = self.room.saturating_sub(room as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_log_is_its_users_alone_bounded_and_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/襷.log");
        TurnLog::open(&path).unwrap().add("一\u{1b}[1m\n".as_bytes()).unwrap();
        let mut log = TurnLog::open(&path).unwrap();
        log.add(&vec![b'x'; 9 << 20]).unwrap();
        log.add(b"y").unwrap();
        let (bytes, mode) = (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().permissions().mode());
        assert!(bytes.starts_with("一\u{1b}[1m\nx".as_bytes()) && bytes.ends_with(b"x"));
        assert_eq!((bytes.len(), mode & 0o777), (8 << 20, 0o600));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(TurnLog::open(&link).is_err());
    }
}
