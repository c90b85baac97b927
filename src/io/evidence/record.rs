//! The record of what was there before a task: a file that is named by its own digest, so that nobody can change it unseen.

use super::files::{Mark, sha256};
use super::part::Part;
use crate::engine::words::Millis;
use crate::io::folder::{Folder, FolderError, mtime_ns};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// A record of 50,000 files with long names.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// What is being written is called so until it is whole.
const UNFINISHED: &str = ".unfinished-";

/// What was there.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) repository: Option<KeptRepository>,
    /// The files and the report that are expected, as far as they were there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) expected: BTreeMap<String, KeptFile>,
    /// What says what the command does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) gate: BTreeMap<String, Part>,
    /// The command's program, where it was found by its name alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) program: Option<(String, Mark)>,
    /// The test files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) tests: BTreeMap<String, Mark>,
    /// Whether there were more files than are looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) more_tests: bool,
}

/// The repository of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptRepository {
    pub(super) dir: String,
    pub(super) inode: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) born_ms: Option<u64>,
    /// Digest of its log of HEAD, up to where that was then.
    pub(super) log_sha256: String,
}

/// An expected file that was there already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptFile {
    pub(super) mark: Mark,
    /// Digest of it without blanks.
    pub(super) ink: String,
}

/// A path as text from which it can be made again.
pub(super) fn text_of(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

/// The path of [`text_of`].
pub(super) fn path_of(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsStr::from_bytes(&bytes))
}

impl Record {
    /// Writes it durably; the name that it has.
    ///
    /// # Errors
    /// What the system says, and where.
    pub(super) fn keep(&self, records: &Path) -> io::Result<String> {
        let text = serde_json::to_string(self)?;
        let name = sha256(text.as_bytes());
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(records)?;
        Folder::open(records).and_then(|folder| folder.check_own()).map_err(io::Error::other)?;
        // One that is there is written anew: it may be damaged, and it is as new as who names it.
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(records)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_data()?;
        file.persist(records.join(&name))?;
        std::fs::File::open(records)?.sync_all()?;
        Ok(name)
    }

    /// Reads one.
    ///
    /// # Errors
    /// That it is missing or damaged, with what to do.
    pub(super) fn load(records: &Path, name: &str) -> Result<Self, String> {
        let what = "the record of what was there before";
        let cure = "cancel the task and send it again";
        let is_name = name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = records.join(name);
        let mut text = String::new();
        let damaged = || format!("{what} is damaged: {}; {cure}", path.display());
        if !is_name {
            return Err(damaged());
        }
        let file = match crate::io::regular::open(std::fs::OpenOptions::new().read(true), &path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(format!("{what} is missing: {}; {cure}", path.display()));
            }
            Err(error) => return Err(format!("cannot read {what}: {error}; {cure}")),
        };
        let read = file.take(RECORD_BYTES_MAX).read_to_string(&mut text);
        if read.is_err() || sha256(text.as_bytes()) != name {
            return Err(damaged());
        }
        serde_json::from_str(&text).map_err(|_| damaged())
    }
}

/// Removes the records that nobody names and that were written before a moment.
///
/// # Errors
/// What the system says, and where.
pub fn forget_records(records: &Path, named: &BTreeSet<String>, before: Millis) -> io::Result<()> {
    let folder = match Folder::open(records) {
        Ok(folder) => folder,
        Err(FolderError::Io { errno: rustix::io::Errno::NOENT, .. }) => return Ok(()),
        Err(error) => return Err(io::Error::other(error)),
    };
    let is_record = |name: &str| {
        name.starts_with(UNFINISHED)
            || (name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    for name in folder.names().map_err(io::Error::other)? {
        let is_kept = name.to_str().is_none_or(|name| !is_record(name) || named.contains(name));
        if is_kept {
            continue;
        }
        let is_old = folder.stat(&name).is_ok_and(|stat| mtime_ns(&stat) < i128::from(before.0) * 1_000_000);
        if is_old {
            folder.remove(&name).map_err(|errno| io::Error::other(folder.failed("remove", &name, errno)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_made_again_from_its_text() {
        for bytes in [&b"a/b c"[..], b"100%25", b"\xff\xfe/x%", "日本\n".as_bytes()] {
            let path = Path::new(OsStr::from_bytes(bytes));
            assert_eq!(path_of(&text_of(path)), path);
        }
        assert_ne!(text_of(Path::new(OsStr::from_bytes(b"\xff"))), text_of(Path::new("%FF")));
    }

    #[test]
    fn a_record_is_known_by_its_name_and_forgotten_when_nobody_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("a/evidence");
        forget_records(&records, &BTreeSet::new(), Millis(u64::MAX)).unwrap();
        let record = Record { more_tests: true, ..Record::default() };
        let name = record.keep(&records).unwrap();
        assert_eq!(record.keep(&records).unwrap(), name);
        assert_eq!(Record::load(&records, &name).unwrap(), record);
        let mode = rustix::fs::stat(&records).unwrap().st_mode;
        assert_eq!(mode & 0o777, 0o700);
        std::fs::write(records.join("note.txt"), "x").unwrap();
        let named = BTreeSet::from([name.clone()]);
        forget_records(&records, &named, Millis(u64::MAX)).unwrap();
        forget_records(&records, &BTreeSet::new(), Millis(1_000)).unwrap();
        assert!(records.join(&name).exists());
        std::fs::write(records.join(&name), "{}").unwrap();
        assert!(Record::load(&records, &name).unwrap_err().contains("is damaged"));
        forget_records(&records, &BTreeSet::new(), Millis(u64::MAX)).unwrap();
        assert!(Record::load(&records, &name).unwrap_err().contains("is missing"));
        assert!(Record::load(&records, "../x").unwrap_err().contains("is damaged"));
        assert!(records.join("note.txt").exists(), "what is no record stays");
    }
}
