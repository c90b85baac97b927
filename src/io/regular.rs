//! Files in places where anything may lie: pipes, devices, links and folders are told from them, and not waited for.

use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Opens a file that must be one: a pipe would be waited for without end, and a link leads anywhere.
///
/// # Errors
/// What the system says; that it is no file, with what to do.
pub(crate) fn open(how: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let no_file = || io::Error::other(format!("{} is not a file: move it away", path.display()));
    let opened = how.custom_flags(flags.bits().cast_signed()).open(path).map_err(|error| {
        // A link, a pipe that nobody reads, a folder.
        let is_none = [Errno::LOOP, Errno::NXIO, Errno::ISDIR]
            .into_iter()
            .any(|errno| Some(errno) == Errno::from_io_error(&error));
        if is_none { no_file() } else { error }
    })?;
    if opened.metadata()?.is_file() { Ok(opened) } else { Err(no_file()) }
}

/// Opens a file to which a link may lead, for reading; none if it is something else. What was opened is looked at, not what was
/// there before.
///
/// # Errors
/// What the system says.
pub(crate) fn open_linked(path: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    Ok(if opened.metadata()?.is_file() { Some(opened) } else { None })
}

/// Who owns what may decide what is run, if it is neither us nor root: he could write anything into it.
pub(crate) fn foreign_owner(meta: &Metadata) -> Option<u32> {
    let us = rustix::process::geteuid().as_raw();
    Some(meta.uid()).filter(|owner| *owner != us && *owner != 0)
}

/// The text of a file of at most so many bytes.
///
/// # Errors
/// As [`open`]; what is longer, or no UTF-8.
pub(crate) fn read(path: &Path, bytes_max: u64) -> io::Result<String> {
    let (mut text, file) = (String::new(), open(OpenOptions::new().read(true), path)?);
    let read = file.take(bytes_max.saturating_add(1)).read_to_string(&mut text)?;
    if read as u64 > bytes_max {
        return Err(io::Error::other(format!("{} is longer than {bytes_max} bytes", path.display())));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "襷x").unwrap();
        assert_eq!(read(&path, 4).unwrap(), "襷x");
        assert!(read(&path, 3).unwrap_err().to_string().ends_with("is longer than 3 bytes"));
        assert!(read(Path::new("/dev/zero"), 3).is_err());
    }

    #[test]
    fn a_link_leads_to_a_file_or_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link, pipe) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
        std::fs::write(&file, "x").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
        assert!(open(OpenOptions::new().read(true), &link).is_err());
        assert!(open_linked(&link).unwrap().is_some());
        for other in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            assert!(open_linked(other).unwrap().is_none(), "{}", other.display());
        }
    }
}
