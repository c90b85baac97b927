//! Files that were views and are used again for the next ones. Making and removing files costs some file systems dear: ext4
//! without a journal passes over every inode that was freed in the last minutes before it makes a file, so that a busy
//! daemon pays a millisecond for each view where it should pay 20 µs. So a view that is replaced or goes is kept beside, in
//! `.tasuki/spare/`, and written over when it has lain there for a while.
//!
//! A reader must never see that. Whoever has the file open keeps it for himself: a write lease is refused while anybody does,
//! and such a file is removed as it always was. Whoever is just about to open a view finds, under its name, either the old
//! file or the new one; and the old one waits behind [`RESTING`] others, so that even a reader that the system stopped in
//! the midst of open(2) does not come to hold another view than the one it asked for.
//!
//! Only views that are written again at every start are made of spare files: after a power cut such a file may hold what
//! it held before.

use crate::io::folder::{Folder, FolderError, Stamp};
use crate::io::lease;
use rustix::fs::{FileType, RenameFlags};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;

/// A file is used again only when this many others were put aside after it.
const RESTING: usize = 128;
/// Files that are kept; what goes beyond that is removed.
const KEPT_MAX: usize = 1_024;
/// Largest file that is kept: a block of most file systems, so that all of them together take 4 MiB.
const BYTES_MAX: i64 = 4_096;

/// Files put aside, the oldest first.
#[derive(Debug)]
pub(super) struct Spares {
    folder: Folder,
    kept: VecDeque<OsString>,
    next: u64,
}

impl Spares {
    /// Opens `.tasuki/spare/` below `root`, and takes up what an earlier daemon has left there.
    pub(super) fn open(root: &Folder) -> Result<Self, FolderError> {
        let folder = root.make_own(".tasuki")?.make_own("spare")?;
        let mut numbers = Vec::new();
        for name in folder.names()? {
            match name.to_str().and_then(|name| name.parse::<u64>().ok()) {
                Some(number) => numbers.push(number),
                None => drop(folder.remove(&name)), // half written when it was killed
            }
        }
        numbers.sort_unstable();
        let next = numbers.last().map_or(0, |last| last + 1);
        let kept = numbers.into_iter().map(|number| number.to_string().into()).collect();
        Ok(Self { folder, kept, next })
    }

    /// Writes a whole view: a reader sees the old one or the new one. Not synced.
    pub(super) fn write(&mut self, to: &Folder, name: &OsStr, text: &str) -> Result<Stamp, Errno> {
        let Some((spare, file)) = self.take() else { return self.write_new(to, name, text) };
        let stamp = fill(file, text);
        let placed = stamp.and_then(|stamp| self.put_in_place(&spare, to, name).map(|()| stamp));
        if placed.is_err() {
            let _ = self.folder.remove(&spare);
        }
        match placed {
            // Another device, or a folder in the way: a file of the folder's own goes there, or says why not.
            Err(Errno::XDEV | Errno::ISDIR | Errno::NOTDIR) => to.write(name, text),
            Err(Errno::NOSPC | Errno::DQUOT) => {
                self.clear();
                to.write(name, text)
            }
            placed => placed,
        }
    }

    /// Gives back the room that the kept files take.
    fn clear(&mut self) {
        for name in std::mem::take(&mut self.kept) {
            let _ = self.folder.remove(&name);
        }
    }

    /// Takes a view away; that there is none is as good.
    pub(super) fn remove(&mut self, from: &Folder, name: &OsStr) -> Result<(), Errno> {
        let spare = self.new_name();
        if self.kept.len() >= KEPT_MAX || !is_worth_keeping(from, name) {
            return from.remove(name);
        }
        match from.rename_new(name, &self.folder, &spare) {
            Ok(()) => self.kept.push_back(spare),
            Err(_) => return from.remove(name),
        }
        Ok(())
    }

    /// Where there is nothing to be used again.
    fn write_new(&mut self, to: &Folder, name: &OsStr, text: &str) -> Result<Stamp, Errno> {
        if !is_worth_keeping(to, name) || self.kept.len() >= KEPT_MAX {
            return to.write(name, text);
        }
        let spare = self.new_name();
        let stamp = match self.folder.write(&spare, text) {
            Ok(stamp) => stamp,
            Err(_) => return to.write(name, text),
        };
        match self.put_in_place(&spare, to, name) {
            Ok(()) => Ok(stamp),
            Err(_) => {
                let _ = self.folder.remove(&spare);
                to.write(name, text)
            }
        }
    }

    /// Gives a file that was just written its name, and keeps what had that name. The two change places: ext4 takes a rename
    /// over another file for a wish to have it on the disk (`auto_da_alloc`).
    fn put_in_place(&mut self, spare: &OsStr, to: &Folder, name: &OsStr) -> Result<(), Errno> {
        use rustix::fs::{renameat, renameat_with};
        if !is_file(to, name) {
            return renameat(&self.folder, spare, to, name);
        }
        match renameat_with(&self.folder, spare, to, name, RenameFlags::EXCHANGE) {
            Ok(()) => {
                // What was there lies under the spare's name now, and rests behind the others.
                if is_worth_keeping(&self.folder, spare) {
                    self.kept.push_back(spare.to_owned());
                } else {
                    let _ = self.folder.remove(spare);
                }
                Ok(())
            }
            // It went meanwhile, or the file system cannot do it.
            Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS) => renameat(&self.folder, spare, to, name),
            Err(errno) => Err(errno),
        }
    }

    /// The oldest file that nobody has open and that has no other name. Others are not kept any longer.
    fn take(&mut self) -> Option<(OsString, File)> {
        while self.kept.len() > RESTING {
            let name = self.kept.pop_front()?;
            let file = self.folder.open_for_writing(&name).ok();
            match file.filter(is_ours_alone) {
                Some(file) => return Some((name, file)),
                None => drop(self.folder.remove(&name)),
            }
        }
        None
    }

    fn new_name(&mut self) -> OsString {
        let name = self.next.to_string().into();
        self.next += 1;
        name
    }
}

/// Whether nobody else has this file, by another name or open. Once that is so it stays so: nobody knows its name, and
/// whoever looked up its old one did so long ago.
fn is_ours_alone(file: &File) -> bool {
    let one_name = rustix::fs::fstat(file).is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode).is_file()
            && stat.st_nlink == 1
            && stat.st_mode & 0o7777 == 0o600
    });
    one_name && lease::take_alone(file).is_ok()
}

/// Writes over a file. Its blocks are kept: cutting it off first would free them, and make ext4 write it out when it is
/// closed.
fn fill(mut file: File, text: &str) -> Result<Stamp, Errno> {
    let errno = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let length = text.len() as u64;
    file.write_all(text.as_bytes()).map_err(errno)?;
    if file.metadata().map_err(errno)?.len() != length {
        file.set_len(length).map_err(errno)?;
    }
    Ok(Stamp::of(&rustix::fs::fstat(&file)?))
}

fn is_file(folder: &Folder, name: &OsStr) -> bool {
    folder.stat(name).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_file())
}

fn is_worth_keeping(folder: &Folder, name: &OsStr) -> bool {
    let fits =
        |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode).is_file() && stat.st_size <= BYTES_MAX;
    folder.stat(name).is_ok_and(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::PathBuf;

    /// A folder of views, its path, and what is put aside.
    fn bench() -> (tempfile::TempDir, PathBuf, Folder, Spares) {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let (active, spares) = (folder.make_own("active").unwrap(), Spares::open(&folder).unwrap());
        let path = root.path().join("active/x.yaml");
        (root, path, active, spares)
    }

    fn write(spares: &mut Spares, to: &Folder, number: usize) -> String {
        // Now longer, now shorter than what the file held before.
        let text = format!("襷 {}", "x".repeat(1 + number * 7 % 50));
        spares.write(to, "x.yaml".as_ref(), &text).unwrap();
        text
    }

    #[test]
    fn files_are_used_again_and_hold_only_what_was_written_last() {
        let (_root, path, active, mut spares) = bench();
        let mut inodes = BTreeSet::new();
        for number in 0..RESTING * 4 {
            let text = write(&mut spares, &active, number);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            inodes.insert(fs::metadata(&path).unwrap().ino());
        }
        // A child that another test starts meanwhile has for a moment all that is open, and what is in use is left alone.
        assert!(inodes.len() <= RESTING * 2, "{} files for {} views", inodes.len(), RESTING * 4);
    }

    #[test]
    fn whoever_has_a_view_open_or_linked_keeps_it_as_it_was() {
        let (root, path, active, mut spares) = bench();
        let first = write(&mut spares, &active, 0);
        let reader = File::open(&path).unwrap();
        let second = write(&mut spares, &active, 1);
        let link = root.path().join("mine.yaml");
        fs::hard_link(&path, &link).unwrap();
        for number in 2..RESTING * 3 {
            write(&mut spares, &active, number);
        }
        assert_eq!(std::io::read_to_string(reader).unwrap(), first);
        assert_eq!(fs::read_to_string(link).unwrap(), second);
    }

    #[test]
    fn a_large_view_leaves_nothing_behind() {
        let (root, path, active, mut spares) = bench();
        let large = "襷".repeat(100_000);
        for text in [large.as_str(), "small", large.as_str(), "small"] {
            spares.write(&active, "x.yaml".as_ref(), text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        spares.write(&active, "x.yaml".as_ref(), &large).unwrap();
        spares.remove(&active, "x.yaml".as_ref()).unwrap();
        let kept = fs::read_dir(root.path().join(".tasuki/spare")).unwrap().flatten();
        let bytes: u64 = kept.map(|file| file.metadata().unwrap().len()).sum();
        assert!(bytes <= 2 * "small".len() as u64, "{bytes} bytes are kept");
    }

    #[test]
    fn what_goes_is_kept_beside_up_to_a_limit_and_over_a_restart() {
        let (root, path, active, mut spares) = bench();
        for number in 0..KEPT_MAX + 10 {
            active.write("x.yaml".as_ref(), &number.to_string()).unwrap();
            spares.remove(&active, "x.yaml".as_ref()).unwrap();
            assert!(!path.exists());
        }
        spares.remove(&active, "x.yaml".as_ref()).unwrap();
        assert_eq!(fs::read_dir(root.path().join(".tasuki/spare")).unwrap().count(), KEPT_MAX);
        let again = Spares::open(&Folder::open(root.path()).unwrap()).unwrap();
        assert_eq!(again.kept, spares.kept);
        assert_eq!(again.next, spares.kept.len() as u64);
    }
}
