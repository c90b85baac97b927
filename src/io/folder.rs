//! An open folder. Everything in it is reached by one name from its descriptor, never by a path from the root, so that
//! nobody can put a link or another folder in the way between a look and a touch.

mod stamp;

pub(crate) use stamp::{FileId, Stamp, file_type, mtime_ns};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, RenameFlags, ResolveFlags, SeekFrom, Stat, StatxFlags,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Room for the names of one system call, some hundreds: what the C library gives them.
const NAMES_BYTES: usize = 32 << 10;

/// What went wrong with a folder, and where; the cure is in the words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    /// A call failed.
    #[error("cannot {doing} {path}: {errno}")]
    Io {
        /// What was tried.
        doing: &'static str,
        path: PathBuf,
        /// Why not.
        errno: Errno,
    },
    /// A link, a file or something else where a folder should be.
    #[error("{path} is not a folder; move it away, and it is made again")]
    NotAFolder { path: PathBuf },
    /// It belongs to another user.
    #[error(
        "{path} belongs to user {owner}, not to {us}; use a workspace of your own, or let root `chown` it to you"
    )]
    NotOurs {
        path: PathBuf,
        /// Its owner's user id.
        owner: u32,
        /// Our user id.
        us: u32,
    },
    /// Anybody may put files into it, or swap what is in it.
    #[error("anybody can write to {path}; check what is in it, then `chmod o-w` it")]
    WorldWritable { path: PathBuf },
    /// A drop zone of two daemons.
    #[error(
        "the daemon of another workspace takes what is dropped into {path}; name the folder in one team file only"
    )]
    Shared { path: PathBuf },
}

/// What a file is called until it is whole.
fn temporary_of(name: &OsStr) -> OsString {
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(".tmp");
    temporary
}

/// An open folder and the path it was opened by, which is for messages only.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens an existing folder by a path without links at its end.
    pub(crate) fn open(path: &Path) -> Result<Self, FolderError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|errno| failed("open", path.into(), errno))?;
        Ok(Self { fd, path: path.to_owned() })
    }

    /// A folder in this one, made if there is none.
    pub(crate) fn make(&self, name: &str) -> Result<Self, FolderError> {
        match rustix::fs::mkdirat(&self.fd, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => self.enter(name),
            Err(errno) => Err(self.failed("make", name.as_ref(), errno)),
        }
    }

    /// As [`Folder::make`]; refused if it is not ours or everybody may write to it, and then narrowed to 0700.
    pub(crate) fn make_own(&self, name: &str) -> Result<Self, FolderError> {
        let folder = self.make(name)?;
        folder.check_own()?;
        Ok(folder)
    }

    /// Refuses a folder that is not ours or that everybody may write to; narrows it to 0700.
    pub(crate) fn check_own(&self) -> Result<(), FolderError> {
        let stat = self.own_stat()?;
        let us = rustix::process::geteuid().as_raw();
        if stat.st_uid != us {
            return Err(FolderError::NotOurs { path: self.path.clone(), owner: stat.st_uid, us });
        }
        if stat.st_mode & 0o002 != 0 {
            return Err(FolderError::WorldWritable { path: self.path.clone() });
        }
        if stat.st_mode & 0o7777 != 0o700 {
            rustix::fs::fchmod(&self.fd, Mode::RWXU)
                .map_err(|errno| failed("chmod", self.path.clone(), errno))?;
        }
        Ok(())
    }

    /// A folder that is in this one.
    pub(crate) fn enter(&self, name: &str) -> Result<Self, FolderError> {
        let fd = self.open_at(name.as_ref(), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty());
        let fd = fd.map_err(|errno| self.failed("open", name.as_ref(), errno))?;
        Ok(Self { fd, path: self.path.join(name) })
    }

    pub(crate) fn own_stat(&self) -> Result<Stat, FolderError> {
        rustix::fs::fstat(&self.fd).map_err(|errno| failed("stat", self.path.clone(), errno))
    }

    /// What is under a name; a link is not followed.
    pub(crate) fn stat(&self, name: &OsStr) -> Result<Stat, Errno> {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// When what is under a name was made, in nanoseconds since 1970; none where the file system does not keep it.
    pub(crate) fn born_ns(&self, name: &OsStr) -> Option<u64> {
        let (flags, wanted) = (AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME | StatxFlags::INO);
        let found = rustix::fs::statx(&self.fd, name, flags, wanted).ok()?;
        stamp::born_ns(&found)
    }

    /// Opens a file for reading, without following a link and without waiting for the other end of a pipe.
    pub(crate) fn read(&self, name: &OsStr) -> Result<File, Errno> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        self.open_at(name, flags, Mode::empty()).map(File::from)
    }

    /// Writes a whole file, 0600, and gives it its name then: a reader sees the old one or the new one. Not synced.
    pub(crate) fn write(&self, name: &OsStr, text: &str) -> Result<Stamp, Errno> {
        self.write_whole(name, text, false)
    }

    /// The same, and what is in it is on the disk before it has its name: whoever finds it after a power cut finds it whole.
    pub(crate) fn write_durably(&self, name: &OsStr, text: &str) -> Result<Stamp, Errno> {
        self.write_whole(name, text, true)
    }

    /// As [`Folder::write`], of a text that comes in pieces: none of them is kept.
    pub(crate) fn write_pieces(
        &self,
        name: &OsStr,
        mut pieces: &mut dyn Iterator<Item = String>,
    ) -> Result<Stamp, Errno> {
        let temporary = temporary_of(name);
        let mut file = self.create(&temporary)?;
        let written =
            Iterator::try_for_each(&mut pieces, |text: String| self.fill(&mut file, &temporary, &text));
        let written = written.and_then(|()| self.place(file, &temporary, name, false));
        self.or_removed(written, &temporary)
    }

    fn write_whole(&self, name: &OsStr, text: &str, durable: bool) -> Result<Stamp, Errno> {
        let temporary = temporary_of(name);
        let mut file = self.create(&temporary)?;
        let written = self.fill(&mut file, &temporary, text);
        let written = written.and_then(|()| self.place(file, &temporary, name, durable));
        self.or_removed(written, &temporary)
    }

    /// Where there was no room for it, what there is of it takes some, and nobody else would remove it.
    fn or_removed(&self, written: Result<Stamp, Errno>, temporary: &OsStr) -> Result<Stamp, Errno> {
        written.inspect_err(|_| {
            let _ = self.remove(temporary);
        })
    }

    fn fill(&self, file: &mut File, temporary: &OsStr, text: &str) -> Result<(), Errno> {
        self.change(&Op::Write { name: temporary, text }, || {
            file.write_all(text.as_bytes()).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
        })
    }

    fn place(&self, file: File, temporary: &OsStr, name: &OsStr, durable: bool) -> Result<Stamp, Errno> {
        if durable {
            self.change(&Op::Sync { name: temporary }, || rustix::fs::fdatasync(&file))?;
        }
        let stamp = Stamp::of(&rustix::fs::fstat(&file)?);
        drop(file);
        let rename = Op::Rename { from: temporary, folder: self, to: name };
        self.change(&rename, || self.put_in_place(temporary, name))?;
        Ok(stamp)
    }

    /// Gives a file that was just written its name. ext4 writes out what is renamed over another file (150 µs to 1.5 ms; 20 µs
    /// without), and nobody wishes that of a view: so the two change places, if they are files, and the old one goes.
    fn put_in_place(&self, temporary: &OsStr, name: &OsStr) -> Result<(), Errno> {
        let is_file = self.stat(name).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_file());
        if !is_file {
            return rustix::fs::renameat(&self.fd, temporary, &self.fd, name);
        }
        match rustix::fs::renameat_with(&self.fd, temporary, &self.fd, name, RenameFlags::EXCHANGE) {
            Ok(()) => self.unlink(temporary),
            // It went meanwhile, or the file system cannot do it.
            Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS) => {
                rustix::fs::renameat(&self.fd, temporary, &self.fd, name)
            }
            Err(errno) => Err(errno),
        }
    }

    /// Makes a file that was not there; what has its name is a leftover of ours and goes.
    fn create(&self, name: &OsStr) -> Result<File, Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let open = || self.open_at(name, flags, Mode::RUSR | Mode::WUSR).map(File::from);
        let create = || self.change(&Op::Create { name }, open);
        match create() {
            Err(Errno::EXIST) => self.remove(name).and_then(|()| create()),
            other => other,
        }
    }

    /// Opens a file that is there for writing over it.
    pub(crate) fn open_for_writing(&self, name: &OsStr) -> Result<File, Errno> {
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        self.open_at(name, flags, Mode::empty()).map(File::from)
    }

    /// Opens a file for appending, made 0600 if there is none. A pipe is refused: its reader might be waited for for ever.
    pub(crate) fn append(&self, name: &OsStr) -> Result<File, Errno> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = self.open_at(name, flags, Mode::RUSR | Mode::WUSR)?;
        let is_file = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode).is_file();
        if is_file { Ok(file.into()) } else { Err(Errno::INVAL) }
    }

    /// Gives a file another name, here or in another folder, unless that name is taken.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &Self, new: &OsStr) -> Result<(), Errno> {
        let rename = || match rustix::fs::renameat_with(&self.fd, from, &to.fd, new, RenameFlags::NOREPLACE) {
            // Some network file systems have no such flag. Whoever uses this makes sure that the name is new.
            Err(Errno::INVAL | Errno::NOSYS) if matches!(to.stat(new), Err(Errno::NOENT)) => {
                rustix::fs::renameat(&self.fd, from, &to.fd, new)
            }
            other => other,
        };
        self.change(&Op::Rename { from, folder: to, to: new }, rename)
    }

    /// Gives a file another name here, replacing what had that name; that there is none is as good.
    pub(crate) fn replace(&self, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
        match rustix::fs::renameat(&self.fd, from, &self.fd, to) {
            Err(Errno::NOENT) => Ok(()),
            other => other,
        }
    }

    /// Removes a file; that there is none is as good.
    pub(crate) fn remove(&self, name: &OsStr) -> Result<(), Errno> {
        self.change(&Op::Remove { name }, || self.unlink(name))
    }

    fn unlink(&self, name: &OsStr) -> Result<(), Errno> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Err(Errno::NOENT) => Ok(()),
            other => other,
        }
    }

    /// Makes everything durable that was written to its file system.
    pub(crate) fn sync_all(&self) -> Result<(), Errno> {
        self.change(&Op::SyncAll, || rustix::fs::syncfs(&self.fd))
    }

    /// Removes an empty folder; false if it is not empty.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> Result<bool, Errno> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// Whether a path means this folder, which is kept open, so that its number is not used again.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let ours = self.own_stat().ok().map(|stat| FileId::of(&stat));
        ours.is_some() && ours == rustix::fs::lstat(path).ok().map(|stat| FileId::of(&stat))
    }

    /// The path it was opened by.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The names in it, in no order, without `.` and `..`. Read through the descriptor itself: opening the folder anew would
    /// wake everybody who watches it, our own watches at each sweep. So one thread alone lists a folder.
    pub(crate) fn names(&self) -> Result<Vec<OsString>, FolderError> {
        self.some_names(usize::MAX, |_| true)
    }

    /// The first of those names that are wanted, and no more than `most`: the rest of a large folder is not read.
    pub(crate) fn some_names(
        &self,
        most: usize,
        wanted: impl Fn(&OsStr) -> bool,
    ) -> Result<Vec<OsString>, FolderError> {
        use std::os::unix::ffi::OsStrExt;
        let refuse = |errno| failed("list", self.path.clone(), errno);
        rustix::fs::seek(&self.fd, SeekFrom::Start(0)).map_err(refuse)?;
        let mut buffer = Vec::with_capacity(NAMES_BYTES);
        let mut entries = RawDir::new(&self.fd, buffer.spare_capacity_mut());
        let mut names = Vec::new();
        while names.len() < most
            && let Some(entry) = entries.next()
        {
            let entry = entry.map_err(refuse)?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." && wanted(OsStr::from_bytes(name)) {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// Makes a change, of which tests keep a record, and which they may refuse.
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "tests want to know in which folder")]
    fn change<T>(&self, _op: &Op<'_>, call: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
        call()
    }

    #[cfg(test)]
    fn change<T>(&self, op: &Op<'_>, call: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
        super::fake::around(&self.path, |path| op.change(path), call)
    }

    /// A `FolderError` about a name in it.
    pub(crate) fn failed(&self, doing: &'static str, name: &OsStr, errno: Errno) -> FolderError {
        failed(doing, self.path.join(name), errno)
    }

    /// Opens one name beneath this folder. The name is one step, so `O_NOFOLLOW` alone would do; `openat2` makes the kernel
    /// refuse a mistake here as well, and is left out where it is missing (before Linux 5.6, or behind an old sandbox).
    fn open_at(&self, name: &OsStr, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        if name.as_encoded_bytes().contains(&b'/') || name == ".." {
            return Err(Errno::XDEV);
        }
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(&self.fd, name, flags, mode, resolve) {
            Err(Errno::NOSYS | Errno::PERM) => rustix::fs::openat(&self.fd, name, flags, mode),
            other => other,
        }
    }
}

/// A change, as tests see it.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the fields are for tests, which record and refuse changes")
)]
enum Op<'a> {
    Create { name: &'a OsStr },
    Write { name: &'a OsStr, text: &'a str },
    Sync { name: &'a OsStr },
    Rename { from: &'a OsStr, folder: &'a Folder, to: &'a OsStr },
    Remove { name: &'a OsStr },
    SyncAll,
}

#[cfg(test)]
impl Op<'_> {
    fn change(&self, path: super::fake::Paths<'_>) -> super::fake::Change {
        use super::fake::Change;
        let at = |name: &OsStr| path(None, &name.to_string_lossy());
        match *self {
            Self::Create { name } => Change::Create { name: at(name) },
            Self::Write { name, text } => {
                Change::Write { name: at(name), bytes: text.as_bytes().to_vec(), offset: 0 }
            }
            Self::Sync { name } => Change::Sync { name: at(name), whole: true },
            Self::Rename { from, folder, to } => {
                Change::Rename { from: at(from), to: path(Some(&folder.path), &to.to_string_lossy()) }
            }
            Self::Remove { name } => Change::Remove { name: at(name) },
            Self::SyncAll => Change::SyncAll,
        }
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn failed(doing: &'static str, path: PathBuf, errno: Errno) -> FolderError {
    match errno {
        Errno::NOTDIR | Errno::LOOP => FolderError::NotAFolder { path },
        errno => FolderError::Io { doing, path, errno },
    }
}
