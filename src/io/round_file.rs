//! The file of a round of a debate, for whoever looks at it: which one it is, and writing it again.

use crate::io::folder::{Folder, FolderError, Stamp};
use crate::io::regular;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// How much of a file is compared at once, in bytes.
const PART_BYTES: usize = 64 << 10;

/// A file that is held against what should be in it, without holding it: all that was said in a round is long.
pub(crate) struct Compared {
    file: File,
}

impl Compared {
    /// # Errors
    /// As [`regular::open`].
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: regular::open(OpenOptions::new().read(true), path)? })
    }

    /// Goes past this text if the file goes on with it, and else stays where it is.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn goes_on_with(&mut self, text: &str) -> io::Result<bool> {
        let (from, mut part) = (self.file.stream_position()?, vec![0; PART_BYTES.min(text.len())]);
        for expected in text.as_bytes().chunks(PART_BYTES) {
            let here = &mut part[..expected.len()];
            let is_there = match self.file.read_exact(here) {
                Ok(()) => here == expected,
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => false,
                Err(error) => return Err(error),
            };
            if !is_there {
                self.file.seek(SeekFrom::Start(from))?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether nothing more is in it.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.file.read(&mut [0])? == 0)
    }
}

/// Which file has this name in a folder of contexts; none if there is no such file.
pub(crate) fn stamp(context: &Path, name: &str) -> Option<Stamp> {
    let folder = Folder::open(context).ok()?;
    folder.stat(OsStr::new(name)).ok().map(|stat| Stamp::of(&stat))
}

/// Writes the file again, and makes its folder if there is none. Its name until it is whole is none that the daemon's views have: both may write at the same time.
///
/// # Errors
/// [`FolderError`]
pub(crate) fn write_again(
    context: &Path,
    name: &str,
    pieces: &mut dyn Iterator<Item = String>,
) -> Result<Stamp, FolderError> {
    let name_of = |path: &'_ Path| path.file_name().and_then(OsStr::to_str).map(str::to_owned);
    let debate = context.parent().and_then(|debate| Some((debate.parent()?, name_of(debate)?)));
    let (Some((debates, debate)), Some(own)) = (debate, name_of(context)) else {
        return Err(FolderError::NotAFolder { path: context.to_owned() });
    };
    // Somebody may have removed it with all that was in it, and with its debate's.
    let folder = Folder::open(debates)?.make_own(&debate)?.make_own(&own)?;
    let (name, whole) = (OsStr::new(name), format!(".{}-{name}", std::process::id()));
    let whole = OsStr::new(&whole);
    let written = folder.write_pieces(whole, pieces);
    let placed = written.and_then(|stamp| folder.replace(whole, name).map(|()| stamp));
    let placed = placed.inspect_err(|_| {
        let _ = folder.remove(whole);
    });
    placed.map_err(|errno| folder.failed("write", name, errno))
}
