//! What a daemon is on: the folders and the lock that make it the one daemon of its workspace, held open. Whoever
//! removes them under it lets another daemon in; so it is looked again and again whether the names still mean them.

use crate::io::folder::{FileId, Folder, FolderError};
use crate::io::journal::{segment_name, segment_of};
use crate::io::process::readable_now;
use crate::io::workspace::Workspace;
use rustix::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{AtFlags, fstat, lstat, statat};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What must be there, in the workspace's folder. The lock's file alone may be removed: its folder is locked, too.
const PARTS: [(&str, bool); 3] = [(".tasuki", true), (".tasuki/journal", true), (".tasuki/lock", false)];
/// Room for the events of one look; what does not fit comes with the next.
const EVENT_BYTES: usize = 4096;

/// The folders and the lock of a daemon.
#[derive(Debug)]
pub struct Foothold {
    place: PathBuf,
    root: Folder,
    parts: Vec<Part>,
    /// The newest segment of the journal that was seen, if any was.
    newest: AtomicU32,
}

/// One of them. It is held open: the number of a file that is gone is given to the next.
#[derive(Debug)]
struct Part {
    name: &'static str,
    needed: bool,
    id: FileId,
    _held: File,
}

/// What is not the daemon's any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    path: PathBuf,
    how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Removed,
    Replaced,
    GivenTo(u32),
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = match self.how {
            How::Removed => "removed".to_owned(),
            How::Replaced => "replaced".to_owned(),
            How::GivenTo(owner) => format!("given to user {owner}"),
        };
        write!(f, "{} was {how} while the daemon ran", self.path.display())
    }
}

impl Foothold {
    /// Takes hold of what is there now.
    ///
    /// # Errors
    /// If something of it cannot be opened.
    pub fn of(workspace: &Workspace) -> io::Result<Self> {
        let place = workspace.root().to_owned();
        let root = Folder::open(&place).map_err(|error| io::Error::other(error.to_string()))?;
        let part = |(name, needed)| {
            let held = File::open(place.join(name))?;
            Ok(Part { name, needed, id: FileId::of(&fstat(&held)?), _held: held })
        };
        let parts = PARTS.into_iter().map(part).collect::<io::Result<Vec<Part>>>()?;
        Ok(Self { place, root, parts, newest: AtomicU32::new(0) })
    }

    /// What of it has been removed or replaced. A workspace that was moved as a whole is the same one, until another takes
    /// its place. What cannot be looked at is not taken for gone.
    #[must_use]
    pub fn lost(&self) -> Option<Lost> {
        let lost = |path: &Path, how| Some(Lost { path: path.to_owned(), how });
        let us = rustix::process::geteuid().as_raw();
        if self.place_has(|id| self.own_id() != Ok(id)) {
            return lost(&self.place, How::Replaced);
        }
        let part = self.parts.iter().find_map(|part| {
            let path = self.place.join(part.name);
            match statat(&self.root, part.name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) if FileId::of(&stat) != part.id => lost(&path, How::Replaced),
                Ok(stat) if stat.st_uid != us => lost(&path, How::GivenTo(stat.st_uid)),
                Err(Errno::NOENT | Errno::NOTDIR) if part.needed => lost(&path, How::Removed),
                Ok(_) | Err(_) => None,
            }
        });
        part.or_else(|| lost(&self.place.join(".tasuki/journal").join(self.lost_segment()?), How::Removed))
    }

    /// The file to which the journal was written last, if it is gone and no other is there: one that could not be begun whole is
    /// removed by the daemon itself, and then an older one is.
    fn lost_segment(&self) -> Option<String> {
        let before = self.newest.load(Ordering::Relaxed);
        let root = self.root.as_fd().as_raw_fd();
        let entries = std::fs::read_dir(format!("/proc/self/fd/{root}/.tasuki/journal")).ok()?;
        let names = entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>().ok()?;
        let there = names.iter().filter_map(|name| segment_of(name.to_str()?)).max();
        self.newest.fetch_max(there.unwrap_or(0), Ordering::Relaxed);
        (there.is_none() && before > 0).then(|| segment_name(before))
    }

    /// Whether the workspace's folder is where it was. Where another one may come is looked at again and again.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.place_has(|id| self.own_id() == Ok(id))
    }

    /// Where the workspace's folder is by now; none if it was removed.
    #[must_use]
    pub fn root(&self) -> Option<PathBuf> {
        let path = std::fs::read_link(format!("/proc/self/fd/{}", self.root.as_fd().as_raw_fd())).ok()?;
        lstat(&path).is_ok_and(|stat| self.own_id() == Ok(FileId::of(&stat))).then_some(path)
    }

    fn place_has(&self, is: impl Fn(FileId) -> bool) -> bool {
        lstat(&self.place).is_ok_and(|stat| is(FileId::of(&stat)))
    }

    fn own_id(&self) -> Result<FileId, FolderError> {
        self.root.own_stat().map(|stat| FileId::of(&stat))
    }

    /// Watches the folders in which something may be removed.
    ///
    /// # Errors
    /// If the machine gives no watch.
    pub fn watch(&self) -> io::Result<Removals> {
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let gone = WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
        let gone = gone | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR;
        for folder in ["", ".tasuki", ".tasuki/journal"].map(|name| self.place.join(name)) {
            inotify::add_watch(&events, &folder, gone)?;
        }
        Ok(Removals { events })
    }
}

/// News of what was removed or moved.
#[derive(Debug)]
pub struct Removals {
    events: OwnedFd,
}

impl Removals {
    /// Waits for the next of them.
    ///
    /// # Errors
    /// If the watch is broken.
    pub async fn next(&self) -> io::Result<()> {
        readable_now(&self.events).await?;
        let mut room = [MaybeUninit::uninit(); EVENT_BYTES];
        let mut events = Reader::new(&self.events, &mut room);
        loop {
            match events.next() {
                Ok(event) if event.events().contains(ReadFlags::QUEUE_OVERFLOW) => {}
                Ok(_) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Duration;

    /// A workspace with all that a daemon is on.
    fn workspace() -> (tempfile::TempDir, Workspace, Foothold) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("w/.tasuki/journal")).unwrap();
        fs::write(folder.path().join("w/.tasuki/lock"), "").unwrap();
        let workspace = Workspace::at(&folder.path().join("w")).unwrap();
        let foothold = Foothold::of(&workspace).unwrap();
        assert_eq!((foothold.lost(), foothold.is_in_place()), (None, true));
        (folder, workspace, foothold)
    }

    #[test]
    fn whatever_is_removed_or_replaced_is_named() {
        type Change = fn(&Path);
        let copy = |from: &Path, to: &Path| {
            fs::create_dir_all(to.join("journal")).unwrap();
            fs::copy(from.join("lock"), to.join("lock")).unwrap();
        };
        let cases: [(Change, Option<&str>); 9] = [
            (|w| fs::remove_dir_all(w.join(".tasuki")).unwrap(), Some(".tasuki was removed")),
            (|w| fs::rename(w.join(".tasuki"), w.join("old")).unwrap(), Some(".tasuki was removed")),
            (|w| fs::remove_dir(w.join(".tasuki/journal")).unwrap(), Some(".tasuki/journal was removed")),
            (|w| fs::remove_dir_all(w).unwrap(), Some(".tasuki was removed")),
            (|w| fs::remove_file(w.join(".tasuki/lock")).unwrap(), None),
            (|w| fs::write(w.join(".tasuki/lock"), "x").unwrap(), None),
            (|w| fs::rename(w, w.with_file_name("moved")).unwrap(), None),
            (
                |w| {
                    fs::remove_dir(w.join(".tasuki/journal")).unwrap();
                    fs::write(w.join(".tasuki/journal"), "").unwrap();
                },
                Some(".tasuki/journal was replaced"),
            ),
            (
                |w| {
                    fs::remove_file(w.join(".tasuki/lock")).unwrap();
                    fs::write(w.join(".tasuki/lock"), "").unwrap();
                },
                Some(".tasuki/lock was replaced"),
            ),
        ];
        for (change, expected) in cases {
            let (_folder, workspace, foothold) = workspace();
            change(workspace.root());
            let said = foothold.lost().map(|lost| lost.to_string());
            let fits = said.as_ref().zip(expected).is_some_and(|(said, expected)| said.contains(expected));
            assert!(fits || (said.is_none() && expected.is_none()), "{said:?} for {expected:?}");
        }
        // The same with all that is in it is another one all the same, and so is what took the place of the whole.
        let (_folder, workspace, foothold) = workspace();
        let (memory, old) = (workspace.memory(), workspace.root().join("old"));
        fs::rename(&memory, &old).unwrap();
        copy(&old, &memory);
        assert!(foothold.lost().is_some_and(|lost| lost.how == How::Replaced));
        let (_folder, workspace, foothold) = self::workspace();
        fs::rename(workspace.root(), workspace.root().with_file_name("moved")).unwrap();
        assert!(!foothold.is_in_place() && foothold.lost().is_none());
        fs::create_dir(workspace.root()).unwrap();
        assert!(foothold.lost().is_some_and(|lost| lost.to_string().contains("/w was replaced")));
    }

    #[test]
    fn the_last_segment_is_missed_and_no_other_one() {
        let (_folder, workspace, foothold) = workspace();
        let segment = |number: u32| workspace.journal().join(segment_name(number));
        for number in [1, 2, 3] {
            fs::write(segment(number), "").unwrap();
            fs::write(segment(number + 1).with_extension("tmp"), "").unwrap();
            assert_eq!(foothold.lost(), None);
        }
        fs::remove_file(segment(1)).unwrap();
        assert_eq!(foothold.lost(), None, "it went by its age");
        fs::remove_file(segment(3)).unwrap();
        assert_eq!(foothold.lost(), None, "it could not be begun");
        fs::remove_file(segment(2)).unwrap();
        let lost = foothold.lost().map(|lost| lost.to_string()).unwrap_or_default();
        assert!(lost.contains("journal/000003.jsonl was removed"), "{lost}");
    }

    #[tokio::test]
    async fn a_removal_is_told_and_a_write_is_not() {
        let (_folder, workspace, foothold) = workspace();
        let removals = foothold.watch().unwrap();
        let soon = |time| tokio::time::timeout(time, removals.next());
        fs::write(workspace.memory().join("daemon.log"), "a line").unwrap();
        fs::write(workspace.root().join("a file"), "").unwrap();
        assert!(soon(Duration::from_millis(100)).await.is_err(), "what is written is nobody's end");
        fs::remove_dir(workspace.journal()).unwrap();
        soon(Duration::from_secs(20)).await.expect("the news").unwrap();
        fs::rename(workspace.memory(), workspace.root().join("old")).unwrap();
        soon(Duration::from_secs(20)).await.expect("the news").unwrap();
    }
}
