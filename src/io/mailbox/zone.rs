//! One drop zone: a folder that is swept for `*.yaml`, where what is claimed from it lies, and where what is refused goes.

use super::name::{self, NameKind, Seq};
use crate::io::folder::{FileId, Folder, FolderError, file_type, mtime_ns};
use rustix::fs::{FileType, FlockOperation};
use rustix::io::Errno;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The zone of `queue/` itself.
pub const MAIN_ZONE: u32 = 0;
/// Where claims of a zone on another device lie, in the zone.
const OWN_CLAIMS: &str = ".claim";
/// Hints that are given and remembered, so that each is given once; where more such files lie at once the others get none.
const HINTS_MAX: usize = 100;

/// A drop zone.
#[derive(Debug)]
pub(super) struct Zone {
    number: u32,
    place: PathBuf,
    pub(super) folder: Folder,
    /// `.claim` in the zone, if it lies on another device than `.tasuki/claim`, since nothing is renamed across devices.
    own_claims: Option<Folder>,
    /// Whether it is swept; else it is only kept for what was claimed from it.
    pub(super) is_wanted: bool,
    hinted: HashSet<OsString>,
    /// What was said last of what is wrong with it.
    pub(super) trouble: Option<FolderError>,
}

/// A file that may be taken.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// Earlier drops come first; files of one moment go by name.
    pub(super) mtime_ns: i128,
    pub(super) name: OsString,
    pub(super) zone: u32,
    /// An ordinary file of ours: worth a look whether it is still written. Others are claimed at once and judged then.
    pub(super) ordinary: bool,
    pub(super) bad_name: bool,
    pub(super) seq: Seq,
}

impl Zone {
    /// Opens the zone at `place`, which is made if it is missing; its parent must exist.
    pub(super) fn open(number: u32, place: &Path, claims: &Folder) -> Result<Self, FolderError> {
        let (Some(parent), Some(name)) = (place.parent(), place.file_name().and_then(|name| name.to_str()))
        else {
            return Err(FolderError::NotAFolder { path: place.to_owned() });
        };
        let folder = Folder::open(parent)?.make_own(name)?;
        let same_device = FileId::of(&folder.own_stat()?).same_device(FileId::of(&claims.own_stat()?));
        let own_claims = if same_device { None } else { Some(folder.make_own(OWN_CLAIMS)?) };
        if number != MAIN_ZONE {
            take_hold(&folder)?;
        }
        let place = place.to_owned();
        let hinted = HashSet::new();
        Ok(Self { number, place, folder, own_claims, is_wanted: true, hinted, trouble: None })
    }

    /// Opens what there is of a zone that nobody may want any more: for what was claimed from it. Nothing is made.
    pub(super) fn left(number: u32, place: &Path) -> Result<Self, FolderError> {
        let folder = Folder::open(place)?;
        let own_claims = folder.enter(OWN_CLAIMS).ok();
        let (place, hinted) = (place.to_owned(), HashSet::new());
        Ok(Self { number, place, folder, own_claims, is_wanted: false, hinted, trouble: None })
    }

    /// Opens the folder again if its path means another one now, or none: somebody moved it away or removed it. Whether it did.
    pub(super) fn refresh(&mut self, claims: &Folder) -> Result<bool, FolderError> {
        if self.folder.is_at(&self.place) {
            return self.check_mode().map(|()| false);
        }
        // Claims lie on a drive that was taken out: a folder in its place would hide that they are still to come.
        let is_away = self.own_claims.is_some() && !exists(&self.place);
        if is_away && !is_beside(&self.place, &self.folder)? {
            return Err(FolderError::Io { doing: "find", path: self.place.clone(), errno: Errno::NOENT });
        }
        let hinted = std::mem::take(&mut self.hinted);
        *self = Self { hinted, ..Self::open(self.number, &self.place, claims)? };
        Ok(true)
    }

    /// Nothing can be moved out of a folder whose owner may not write to it: that is said of the folder, and not of each file.
    fn check_mode(&self) -> Result<(), FolderError> {
        let is_whole = |mode: u32| mode & 0o700 == 0o700;
        if self.number == MAIN_ZONE || is_whole(self.folder.own_stat()?.st_mode) {
            return Ok(());
        }
        Err(FolderError::Io { doing: "take files from", path: self.place.clone(), errno: Errno::ACCESS })
    }

    /// It is swept no more, and another daemon may sweep it.
    pub(super) fn let_go(&mut self) {
        self.is_wanted = false;
        let _ = rustix::fs::flock(&self.folder, FlockOperation::Unlock);
    }

    /// Where its claimed files lie.
    pub(super) fn claims<'z>(&'z self, shared: &'z Folder) -> &'z Folder {
        self.own_claims.as_ref().unwrap_or(shared)
    }

    /// Its claims folder, if that is not the shared one.
    pub(super) fn own_claims(&self) -> Option<&Folder> {
        self.own_claims.as_ref()
    }

    /// Where what is refused goes.
    pub(super) fn rejected(&self) -> Result<Folder, FolderError> {
        self.folder.make_own("rejected")
    }

    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// What there is to take, and names that are hinted at for the first time.
    pub(super) fn list(&mut self, us: u32) -> Result<(Vec<Candidate>, Vec<OsString>), FolderError> {
        let (mut candidates, mut hints, mut hinted) = (Vec::new(), Vec::new(), HashSet::new());
        for name in self.folder.names()? {
            let kind = match name::kind(&name) {
                NameKind::Other if self.holds_drops(&name) || self.is_meant(&name) => NameKind::Hint,
                kind => kind,
            };
            match kind {
                NameKind::Other => {}
                NameKind::Hint if self.hinted.contains(&name) => drop(hinted.insert(name)),
                NameKind::Hint => hints.push(name),
                kind => candidates.extend(self.candidate(name, kind != NameKind::Drop, us)),
            }
        }
        hints.truncate(HINTS_MAX.saturating_sub(hinted.len()));
        hinted.extend(hints.iter().cloned());
        self.hinted = hinted;
        Ok((candidates, hints))
    }

    /// Whether this is a folder of somebody's own in which files lie that are called as if they were to be taken.
    fn holds_drops(&self, name: &OsStr) -> bool {
        if !name.to_str().is_some_and(is_foreign_folder) || !self.is_folder(name) {
            return false;
        }
        let names =
            name.to_str().and_then(|name| self.folder.enter(name).ok()?.names().ok()).unwrap_or_default();
        names.iter().any(|name| name::kind(name) == NameKind::Drop)
    }

    /// Whether this is a file that somebody wrote under a name without any ending. What is still written often has one.
    fn is_meant(&self, name: &OsStr) -> bool {
        let has_end = name.as_encoded_bytes().iter().any(|byte| matches!(byte, b'.' | b'~'));
        let is_file = |stat: &rustix::fs::Stat| file_type(stat) == FileType::RegularFile && stat.st_size > 0;
        name != "STOP" && !has_end && self.folder.stat(name).is_ok_and(|stat| is_file(&stat))
    }

    /// Whether this name is a folder's.
    pub(super) fn is_folder(&self, name: &OsStr) -> bool {
        self.folder.stat(name).is_ok_and(|stat| file_type(&stat) == FileType::Directory)
    }

    /// None if it is gone already.
    fn candidate(&self, name: OsString, bad_name: bool, us: u32) -> Option<Candidate> {
        let stat = self.folder.stat(&name).ok()?;
        let ordinary = file_type(&stat) == FileType::RegularFile && stat.st_uid == us && !bad_name;
        Some(Candidate {
            mtime_ns: mtime_ns(&stat),
            name,
            zone: self.number,
            ordinary,
            bad_name,
            seq: Seq::of(&stat),
        })
    }
}

/// Whether a folder of this name in `queue/` is not tasuki's own, nor one that somebody still writes.
#[must_use]
pub fn is_foreign_folder(name: &str) -> bool {
    const OURS: [&str; 6] = ["active", "results", "done", "rejected", "inbox", "lost"];
    !(OURS.contains(&name) || name == "STOP" || name.starts_with('.') || name.ends_with(".tmp"))
}

/// Whether there is something at a path.
pub(super) fn exists(place: &Path) -> bool {
    rustix::fs::lstat(place).is_ok()
}

/// Whether what is made at a path is on the same device as this folder.
fn is_beside(place: &Path, folder: &Folder) -> Result<bool, FolderError> {
    let parent = Folder::open(place.parent().unwrap_or(place))?;
    Ok(FileId::of(&parent.own_stat()?).same_device(FileId::of(&folder.own_stat()?)))
}

/// Makes the zone this daemon's: two that sweep one folder would share its files out between two workspaces. Where a file system
/// has no locks, nobody knows. A lock ends with its process.
fn take_hold(folder: &Folder) -> Result<(), FolderError> {
    match rustix::fs::flock(folder, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(FolderError::Shared { path: folder.path().to_owned() }),
        _ => Ok(()),
    }
}

/// Refuses a path in which everybody may swap a folder for another: one that all may write to and that is not sticky.
pub(super) fn check_ancestors(path: &Path) -> Result<(), FolderError> {
    const STICKY: u32 = 0o1000;
    for path in path.ancestors() {
        let stat = rustix::fs::stat(path).map_err(|errno| FolderError::Io {
            doing: "stat",
            path: path.to_owned(),
            errno,
        })?;
        if stat.st_mode & 0o002 != 0 && stat.st_mode & STICKY == 0 {
            return Err(FolderError::WorldWritable { path: path.to_owned() });
        }
    }
    Ok(())
}
