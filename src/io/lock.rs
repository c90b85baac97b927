//! One daemon a workspace: the folder of its memory is locked for as long as the daemon lives, and the file `lock` in it
//! says who that is.
//!
//! The lock is the kernel's (`flock`): a daemon that was killed leaves the file and no lock. Both the folder and the file
//! are locked: a file that somebody removes, to get rid of "a stale lock", lets nobody in, and programs that look at the
//! file alone (`flock .tasuki/lock …`) see it locked too.
//!
//! The folder comes last, when the file names its holder: whoever finds the folder locked reads no name of an earlier
//! daemon there, nor, in a copy of the workspace, that of the original's.

use crate::engine::words::Millis;
use crate::io::{clock, process, regular};
use crate::wire::time::{read_moment, rfc3339};
use chrono::Utc;
use fs2::FileExt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a lock that is only being looked at is tried again: far more often than people look at the same moment.
const LOOKERS_MAX: u32 = 10_000;
/// So often it is tried again at once. After that somebody who looks has lost the processor in the middle of it, and gets it back
/// within some ms: on a busy machine 10,000 tries without a rest were over sooner.
const LOOKERS_SPUN: u32 = 100;
const LOOKERS_REST: Duration = Duration::from_micros(200);
/// What a killed daemon leaves of its lock is waited for so often, and so long each time. A program that it was starting has
/// copies of its files, and its lock with them, until it runs: some ms, on a busy machine more than 100.
const LEFT_TRIES: u32 = 400;
const LEFT_REST: Duration = Duration::from_millis(5);
/// More than any line that a daemon writes there.
const NOTE_BYTES_MAX: u64 = 256;

/// The right to be this workspace's daemon; given back when it is dropped, and by the kernel when the process ends.
#[derive(Debug)]
pub struct Lock {
    folder: File,
    file: File,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// A daemon holds it.
    #[error("{holder} holds {}; talk to it with `tasuki status`, or end it with `tasuki down`", .path.display())]
    Held {
        /// The lock file.
        path: PathBuf,
        /// Who holds it.
        holder: Holder,
    },
    /// The machine said no.
    #[error("cannot lock {}", .path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
}

/// Who holds the lock, as far as its file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process, none if it has not written it yet or its file was removed.
    pub pid: Option<u32>,
    /// When it started, in RFC 3339.
    pub started_at: Option<String>,
}

impl Holder {
    /// Whether the process that it names is gone.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.pid.is_some_and(|pid| process::key_of(pid).is_none())
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.pid, &self.started_at) {
            (Some(pid), Some(at)) => write!(f, "another daemon (process {pid}, started {at})"),
            (Some(pid), None) => write!(f, "another daemon (process {pid})"),
            (None, _) => f.write_str("another daemon, of which nothing more is known,"),
        }
    }
}

impl Lock {
    /// Takes the lock at once or not at all: that of `path` itself, into which it writes this process and `started_at`, then
    /// that of the folder which `path` is in. Only what is left of a daemon that is dead is waited for.
    ///
    /// # Errors
    /// [`LockError::Held`] names who has it.
    pub fn take(path: &Path, started_at: Millis) -> Result<Self, LockError> {
        for _ in 0..LEFT_TRIES {
            match Self::try_take(path, started_at) {
                Err(LockError::Held { holder, .. }) if holder.is_dead() => clock::rest(LEFT_REST),
                taken => return taken,
            }
        }
        Self::try_take(path, started_at)
    }

    fn try_take(path: &Path, started_at: Millis) -> Result<Self, LockError> {
        let io = |source| LockError::Io { path: path.to_path_buf(), source };
        let folder = File::open(path.parent().unwrap_or(path)).map_err(io)?;
        // Before the file is touched, which may be a new one: somebody has removed that of the holder.
        if !shared(&folder).map_err(io)? {
            return Err(Self::held(path));
        }
        let mut file = open(path).map_err(io)?;
        if !seize(&file).map_err(io)? {
            return Err(Self::held(path));
        }
        note(&mut file, started_at).map_err(io)?;
        if !seize(&folder).map_err(io)? {
            return Err(Self::held(path));
        }
        Ok(Self { folder, file })
    }

    fn held(path: &Path) -> LockError {
        LockError::Held { path: path.to_path_buf(), holder: noted(path) }
    }
}

impl Drop for Lock {
    /// Not left to the closing of the two: a program that is being started at this moment has copies until it runs.
    fn drop(&mut self) {
        for part in [&self.file, &self.folder] {
            // Closing them gives the lock back all the same.
            let _ = FileExt::unlock(part);
        }
    }
}

/// Who holds the lock; none if nobody does. Nothing is kept, and no file is made.
///
/// # Errors
/// If the folder is there and cannot be read.
pub fn holder(path: &Path) -> io::Result<Option<Holder>> {
    let folder = match File::open(path.parent().unwrap_or(path)) {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok((!shared(&folder)?).then(|| noted(path)))
}

/// Whether the lock of this folder or file is ours now. Somebody who only looks, with [`holder`], keeps it for some
/// microseconds and is no reason to give up.
fn seize(part: &File) -> io::Result<bool> {
    for tries in 0..LOOKERS_MAX {
        match part.try_lock_exclusive() {
            Ok(()) => return Ok(true),
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            Err(_) if !shared(part)? => return Ok(false),
            Err(_) if tries < LOOKERS_SPUN => std::thread::yield_now(),
            Err(_) => clock::rest(LOOKERS_REST),
        }
    }
    Ok(false)
}

/// Whether nobody holds it alone; for the moment of asking it is shared with whoever else asks.
fn shared(part: &File) -> io::Result<bool> {
    match FileExt::try_lock_shared(part) {
        Ok(()) => FileExt::unlock(part).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

/// Closed in children (`O_CLOEXEC`): an agent that outlives the daemon must not keep its lock.
fn open(path: &Path) -> io::Result<File> {
    let mut how = OpenOptions::new();
    let file = regular::open(how.read(true).write(true).create(true).truncate(false).mode(0o600), path)?;
    match regular::foreign_owner(&file.metadata()?) {
        Some(owner) => Err(io::Error::other(format!("it belongs to user {owner}; remove it"))),
        None => Ok(file),
    }
}

fn note(file: &mut File, started_at: Millis) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{} {}", std::process::id(), rfc3339(started_at))
}

/// Who says in the file that it holds the lock. A file that was removed, or that cannot be read, says nothing: the lock
/// itself is what counts.
fn noted(path: &Path) -> Holder {
    let mut text = String::new();
    let file = regular::open(OpenOptions::new().read(true), path);
    let read = file.and_then(|file| file.take(NOTE_BYTES_MAX).read_to_string(&mut text));
    let mut words = text.split_whitespace().take(read.map_or(0, |_| 2));
    let pid = words.next().and_then(|word| word.parse().ok());
    let started_at = words.next().filter(|word| read_moment(word, &Utc).is_some()).map(str::to_owned);
    Holder { pid, started_at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::Mode;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

    #[test]
    fn whoever_finds_it_locked_reads_no_earlier_name() {
        const ROUNDS: u64 = 3_000;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (round, over) = (AtomicU64::new(0), AtomicBool::new(false));
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let (path, round, over) = (&path, &round, &over);
            scope.spawn(move || {
                while !over.load(SeqCst) {
                    let before = round.load(SeqCst);
                    let Some(holder) = holder(path).unwrap() else { continue };
                    // It may have been given back, and written anew, since it was found locked.
                    if round.load(SeqCst) == before {
                        // The machine may refuse to open the file; that names nobody.
                        assert_ne!(holder.pid, Some(1));
                        let _ = tell.send(());
                    }
                }
            });
            for _ in 0..ROUNDS {
                round.fetch_add(1, SeqCst);
                std::fs::write(path, "1 2026-11-26T00:00:00Z\n").unwrap();
                let lock = Lock::take(path, Millis(0)).unwrap();
                round.fetch_add(1, SeqCst);
                drop(lock);
            }
            // Whoever looks may have had no turn so far.
            let _lock = Lock::take(path, Millis(0)).unwrap();
            let looked = told.recv_timeout(Duration::from_secs(60));
            over.store(true, SeqCst);
            assert_eq!(looked, Ok(()), "nobody looked while it was locked");
        });
    }

    #[test]
    fn a_pipe_in_its_place_names_nobody_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || tell.send(noted(&path).pid));
        assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(None));
    }
}
