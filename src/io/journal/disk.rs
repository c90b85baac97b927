//! Every system call of the journal: nothing else in this folder touches a file.
//!
//! [`Folder`] only reads and may be shared; [`Disk`] is the hand that writes. Names are resolved beneath a folder
//! that was opened once, so that a folder put in its place later is not followed.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};

use super::counters::Counters;
use super::error::JournalError;

/// A file of the journal and its name, for errors.
#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: String,
    file: File,
}

impl Named {
    /// The same file after it was given this name.
    pub(super) fn renamed(self, name: String) -> Self {
        Self { name, ..self }
    }
}

/// The folder of the journal, for reading.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    fd: Arc<OwnedFd>,
    path: Arc<Path>,
}

impl Folder {
    /// Opens the folder at `path`.
    pub(super) fn at(path: &Path) -> Result<Self, JournalError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => Ok(Self { fd: Arc::new(fd), path: path.into() }),
            Err(source) => Err(JournalError::Io {
                doing: "open the folder",
                path: path.to_owned(),
                source: source.into(),
            }),
        }
    }

    /// The names in the folder, in no order. A name that is not UTF-8 is not ours.
    pub(super) fn names(&self) -> Result<Vec<String>, JournalError> {
        let fail = |source: rustix::io::Errno| self.error("list", "", source.into());
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&*self.fd).map_err(fail)? {
            if let Ok(name) = entry.map_err(fail)?.file_name().to_str() {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Opens a file for reading; `None` if there is none of that name.
    pub(super) fn open(&self, name: &str) -> Result<Option<Named>, JournalError> {
        match self.open_as(name, OFlags::RDONLY) {
            Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => self.must_be_file(name, opened).map(Some),
        }
    }

    /// What was opened under a name. A folder or a link is not, a pipe is, and neither can be read as a file.
    fn must_be_file(&self, name: &str, opened: io::Result<File>) -> Result<Named, JournalError> {
        if self.is_in_the_way(name) {
            return Err(JournalError::NotAFile { path: self.path_of(name) });
        }
        let file = opened.map_err(|source| self.error("open", name, source))?;
        Ok(Named { name: name.to_owned(), file })
    }

    /// Bytes of a file.
    pub(super) fn size(&self, file: &Named) -> Result<u64, JournalError> {
        let meta = file.file.metadata().map_err(|source| self.error("look at", &file.name, source))?;
        Ok(meta.len())
    }

    /// Reads up to `buf.len()` bytes from `offset`; fewer only at the end of the file.
    pub(super) fn read(&self, file: &Named, buf: &mut [u8], offset: u64) -> Result<usize, JournalError> {
        let mut done = 0;
        while let Some(rest) = buf.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match file.file.read_at(rest, offset + done as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(again) if again.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.error("read", &file.name, source)),
            }
        }
        Ok(done)
    }

    /// Forgets what the page cache holds of a file that is already synced, so that the next read asks the disk. A hint;
    /// it matters after a failed flush, when the cache may show what the disk never got.
    pub(super) fn forget_cached(&self, file: &Named) {
        #[cfg(test)]
        crate::io::fake::forget_cached(&self.path, &file.name);
        // A file system without the advice reads as it always did.
        let _ = rustix::fs::fadvise(&file.file, 0, None, rustix::fs::Advice::DontNeed);
    }

    /// Has the disk begin to read a file that will be read from its beginning to its end: it is read while the first lines
    /// are understood. A hint.
    pub(super) fn read_ahead(&self, file: &Named) {
        let _ = rustix::fs::fadvise(&file.file, 0, None, rustix::fs::Advice::WillNeed);
    }

    /// Whether something else than a file is under a name: a folder, a link, a pipe.
    pub(super) fn is_in_the_way(&self, name: &str) -> bool {
        let found = rustix::fs::statat(&*self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|stat| !FileType::from_raw_mode(stat.st_mode).is_file())
    }

    /// Whether a file can still be found.
    ///
    /// # Errors
    /// [`JournalError::Io`] if it was removed.
    pub(super) fn has_name(&self, file: &Named) -> Result<(), JournalError> {
        has_name(&file.file).map_err(|source| self.error("find", &file.name, source))
    }

    /// The path of a copy that was made before, and that it was.
    pub(super) fn kept_copy(&self, name: &str) -> Option<(PathBuf, bool)> {
        self.open(name).ok().flatten().map(|_| (self.path_of(name), true))
    }

    /// The path of a name in this folder, for people.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(super) fn error(&self, doing: &'static str, name: &str, source: io::Error) -> JournalError {
        JournalError::Io { doing, path: self.path_of(name), source }
    }

    fn open_as(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(rustix::fs::openat(&*self.fd, name, flags, Mode::RUSR | Mode::WUSR)?.into())
    }
}

/// What is told of a file that is written to and has no name any more.
const REMOVED: &str = "it was removed or moved to another disk while the daemon ran: stop the daemon, put .tasuki/ back if you can, and start it again";

/// The hand that writes. Each of its methods is one operation between which a crash may fall.
#[derive(Debug)]
pub(super) struct Disk {
    pub(super) folder: Folder,
    pub(super) counters: Counters,
    #[cfg(test)]
    pub(super) tap: super::tests::Tap,
}

impl Disk {
    pub(super) fn new(folder: Folder) -> Self {
        Self {
            folder,
            counters: Counters::default(),
            #[cfg(test)]
            tap: super::tests::Tap::default(),
        }
    }

    /// Opens the folder at `path`, makes it if it is missing.
    pub(super) fn make(path: &Path) -> Result<Self, JournalError> {
        make_folder(path)?;
        Ok(Self::new(Folder::at(path)?))
    }

    /// Makes an empty file, or empties the one that has this name.
    pub(super) fn create(&mut self, name: &str) -> Result<Named, JournalError> {
        self.run("make", name, Op::Create { name }, |folder| {
            folder.open_as(name, OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC)
        })
        .map(|file| Named { name: name.to_owned(), file })
    }

    /// Opens a file for reading and writing.
    pub(super) fn open_to_write(&self, name: &str) -> Result<Named, JournalError> {
        self.folder.must_be_file(name, self.folder.open_as(name, OFlags::RDWR))
    }

    /// Writes all of `bytes` at `offset`: one call, unless the system takes only a part; then the rest is offered once
    /// more, and the error is the reason.
    pub(super) fn write(&mut self, file: &Named, bytes: &[u8], offset: u64) -> Result<(), JournalError> {
        self.counters.bytes += bytes.len() as u64;
        self.run("write to", &file.name, Op::Write { name: &file.name, bytes, offset }, |_| {
            file.file.write_all_at(bytes, offset)
        })
    }

    /// Makes the contents of a file durable, and its length where that changed.
    pub(super) fn datasync(&mut self, file: &Named) -> Result<(), JournalError> {
        self.counters.fdatasyncs += 1;
        let op = Op::Sync { name: &file.name, whole: false };
        self.run("make durable", &file.name, op, |_| {
            file.file.sync_data()?;
            has_name(&file.file) // flushing what nobody will find says yes all the same
        })
    }

    /// Makes a new file durable as a whole.
    pub(super) fn sync(&mut self, file: &Named) -> Result<(), JournalError> {
        self.counters.fsyncs += 1;
        let op = Op::Sync { name: &file.name, whole: true };
        self.run("make durable", &file.name, op, |_| file.file.sync_all())
    }

    /// Makes the names in the folder durable.
    pub(super) fn sync_names(&mut self) -> Result<(), JournalError> {
        self.counters.fsyncs += 1;
        self.run("make durable the names in", "", Op::SyncNames, |folder| Ok(rustix::fs::fsync(&*folder.fd)?))
    }

    /// Gives a file another name; a file that had it is gone.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), JournalError> {
        self.run("give its name to", to, Op::Rename { from, to }, |folder| {
            Ok(rustix::fs::renameat(&*folder.fd, from, &*folder.fd, to)?)
        })
    }

    /// Removes a file; whether there was one.
    pub(super) fn remove(&mut self, name: &str) -> Result<bool, JournalError> {
        self.run("remove", name, Op::Remove { name }, |folder| {
            match rustix::fs::unlinkat(&*folder.fd, name, AtFlags::empty()) {
                Ok(()) => Ok(true),
                Err(rustix::io::Errno::NOENT) => Ok(false),
                Err(source) => Err(source.into()),
            }
        })
    }

    /// Cuts a file to `len` bytes.
    pub(super) fn truncate(&mut self, file: &Named, len: u64) -> Result<(), JournalError> {
        self.run("cut", &file.name, Op::Truncate { name: &file.name, len }, |_| file.file.set_len(len))
    }

    /// Takes room on the disk for a file, so that it is there when there is none left.
    pub(super) fn allocate(&mut self, file: &Named, len: u64) -> Result<(), JournalError> {
        use rustix::fs::FallocateFlags;
        self.run("take room for", &file.name, Op::Allocate { name: &file.name }, |_| {
            match rustix::fs::fallocate(&file.file, FallocateFlags::empty(), 0, len) {
                // A file system that cannot promise room gives it to bytes that are written.
                Err(rustix::io::Errno::OPNOTSUPP) => {
                    file.file.write_all_at(&vec![b'\n'; usize::try_from(len).unwrap_or(usize::MAX)], 0)
                }
                other => Ok(other?),
            }
        })
    }

    /// Copies bytes into a file of a folder beneath; both are made if they are missing. The path, and whether that
    /// file was there before.
    pub(super) fn keep_copy(
        &mut self,
        below: &str,
        name: &str,
        bytes: &[u8],
    ) -> Result<(PathBuf, bool), JournalError> {
        self.make_below(below)?;
        let name = format!("{below}/{name}");
        if let Some(kept) = self.folder.kept_copy(&name) {
            return Ok(kept);
        }
        let path = self.folder.path_of(&name);
        let part = format!("{name}.tmp");
        let file = self.create(&part)?;
        self.write(&file, bytes, 0)?;
        self.sync(&file)?;
        self.rename(&part, &name)?;
        Ok((path, false))
    }

    /// Moves what is no file out of the way, into a folder beneath, where it takes a name that is free.
    pub(super) fn move_aside(&mut self, below: &str, name: &str) -> Result<(), JournalError> {
        self.make_below(below)?;
        let mut to = format!("{below}/{name}");
        for number in 2..=u64::MAX {
            let op = Op::Rename { from: name, to: &to };
            let moved = self.change(&op, |folder| {
                let flags = RenameFlags::NOREPLACE;
                Ok(rustix::fs::renameat_with(&*folder.fd, name, &*folder.fd, to.as_str(), flags)?)
            });
            match moved {
                Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {
                    to = format!("{below}/{name}.{number}");
                }
                moved => return moved.map_err(|source| self.folder.error("move aside", name, source)),
            }
        }
        Ok(())
    }

    fn make_below(&self, below: &str) -> Result<(), JournalError> {
        match rustix::fs::mkdirat(&*self.folder.fd, below, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(source) => Err(self.folder.error("make the folder", below, source.into())),
        }
    }

    fn run<T>(
        &mut self,
        doing: &'static str,
        name: &str,
        op: Op<'_>,
        call: impl FnOnce(&Folder) -> io::Result<T>,
    ) -> Result<T, JournalError> {
        self.change(&op, call).map_err(|source| self.folder.error(doing, name, source))
    }

    /// Makes a change, of which tests keep a record, and which they may refuse.
    #[cfg(not(test))]
    fn change<T>(&mut self, _op: &Op<'_>, call: impl FnOnce(&Folder) -> io::Result<T>) -> io::Result<T> {
        call(&self.folder)
    }

    #[cfg(test)]
    fn change<T>(&mut self, op: &Op<'_>, call: impl FnOnce(&Folder) -> io::Result<T>) -> io::Result<T> {
        self.tap.before(op)?;
        let path = &self.folder.path;
        crate::io::fake::around(
            path,
            |path| super::tests::change(op, &|name| path(None, name)),
            || call(&self.folder),
        )
    }
}

fn has_name(file: &File) -> io::Result<()> {
    let has_name = rustix::fs::fstat(file)?.st_nlink > 0;
    if has_name { Ok(()) } else { Err(io::Error::new(io::ErrorKind::NotFound, REMOVED)) }
}

/// Makes a folder, for its owner only, and those above it; each is durable in the one above it.
fn make_folder(path: &Path) -> Result<(), JournalError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let fail = |doing| move |source| JournalError::Io { doing, path: path.to_owned(), source };
    if path.is_dir() {
        return Ok(());
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(above)?;
    std::fs::DirBuilder::new().mode(0o700).create(path).map_err(fail("make the folder"))?;
    File::open(above).and_then(|above| above.sync_all()).map_err(fail("make durable the folder"))
}

/// One operation that changes something, as tests see it.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the fields are for tests, which record and refuse operations")
)]
pub(super) enum Op<'a> {
    Create { name: &'a str },
    Write { name: &'a str, bytes: &'a [u8], offset: u64 },
    Sync { name: &'a str, whole: bool },
    SyncNames,
    Rename { from: &'a str, to: &'a str },
    Remove { name: &'a str },
    Truncate { name: &'a str, len: u64 },
    Allocate { name: &'a str },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_itself_refuses_is_an_error() {
        // A disk that is full for ever, which cannot be flushed either; nor can names that are in no file system on a disk.
        let mut disk = Disk::make(Path::new("/proc/self")).unwrap();
        let full = File::options().read(true).write(true).open("/dev/full").unwrap();
        let file = Named { name: "full".to_owned(), file: full };
        assert!(disk.write(&file, b"x", 0).unwrap_err().no_space());
        for (what, done) in [
            ("a flush", disk.datasync(&file)),
            ("a flush of a whole file", disk.sync(&file)),
            ("a flush of names", disk.sync_names()),
            ("a new file", disk.create("new").map(drop)),
            ("a new name", disk.rename("status", "new")),
            ("a removal", disk.remove("status").map(drop)),
        ] {
            assert!(matches!(done, Err(JournalError::Io { .. })), "{what}");
        }
    }
}
