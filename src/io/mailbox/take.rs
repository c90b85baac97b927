//! From a name in a drop zone to bytes: look, claim, judge, read.

use super::name::{self, Claim, Seq};
use super::still_written::{Busy, Key};
use super::zone::{Candidate, Zone};
use super::{Found, Mailbox};
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::words::Millis;
use crate::io::folder::{FileId, Folder, Stamp, file_type};
use crate::io::lease::Lease;
use crate::wire;
use crate::wire::FILE_BYTES_MAX;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;

/// What a look at a file says.
enum Look {
    /// It can be opened.
    Open(File, Stat),
    /// It is claimed and judged then.
    Unfit,
    Gone,
}

/// A file that was opened before it was claimed, and which one it is: a descriptor never comes to mean another.
struct Opened<'f> {
    file: &'f File,
    id: FileId,
    /// Held from before the claim until it is read: nobody writes it meanwhile.
    lease: Option<Lease<'f>>,
}

/// What became of an attempt to read a claimed file.
pub(super) enum Attempt {
    Whole(Vec<u8>, Stamp),
    Refused(Refusal, Stamp),
    Wait(Busy),
    Gone,
}

impl Mailbox {
    /// Claims a file and reads it, if nobody writes it.
    pub(super) fn take(&mut self, candidate: Candidate, now: Millis) -> Option<Found> {
        let Candidate { name, zone: number, ordinary, bad_name, seq, .. } = candidate;
        let key = Key { zone: Some(number), name };
        let zone = self.zones.get(&number)?;
        let look = if ordinary { look(zone, &key) } else { Look::Unfit };
        let (file, seq) = match &look {
            Look::Open(file, stat) => (Some((file, stat)), Seq::of(stat)),
            Look::Unfit => (None, seq),
            Look::Gone => {
                self.still_written.forget(&key);
                return None;
            }
        };
        // It is left where it is while its writer has it open, so that nothing vanishes under anybody's hands.
        let opened = match file {
            Some((file, stat)) => match self.still_written.ready(&key, file, Stamp::of(stat), now) {
                Ok(lease) => Some(Opened { file, id: FileId::of(stat), lease }),
                Err(busy) => return self.later(&key, busy, now),
            },
            None => None,
        };
        let (seq, number) = self.claimed_as(&key, seq);
        let seq = self.recent.fresh(seq);
        let name: Cow<'_, str> = match key.name.to_str().filter(|_| !bad_name) {
            Some(name) => name.into(),
            None => name::likeness(&key.name).into(),
        };
        let claim = Claim { zone: number, name: &name, bad_name };
        // From here its writer cannot reach it by its name any more; the same name may be used for the next message. A
        // crash before the rename leaves the file where it was, after it the claim, which is read at the next start.
        let claims = zone.claims(&self.claims);
        let (claim, seq) = match super::rename_new(&zone.folder, &key.name, claims, &claim, seq) {
            Ok(claimed) => claimed,
            // It went meanwhile; if it did not, it is the folder of claims that is gone.
            Err(Errno::NOENT) if zone.folder.stat(&key.name).is_err() => return None,
            Err(errno) => return self.later(&key, Busy::Stuck(errno), now),
        };
        self.recent.add(seq);
        self.still_written.rename(&key, Key { zone: None, name: claim.clone().into() });
        self.read(claim, opened, now)
    }

    /// Reads a claimed file, or keeps it for later.
    pub(super) fn read_again(&mut self, claim: String, now: Millis) -> Option<Found> {
        self.read(claim, None, now)
    }

    fn read(&mut self, claim: String, opened: Option<Opened<'_>>, now: Millis) -> Option<Found> {
        let key = Key { zone: None, name: claim.clone().into() };
        let attempt = self.attempt(&claim, opened, &key, now);
        if let Attempt::Wait(busy) = attempt {
            self.unread.push_back(claim);
            return self.later(&key, busy, now);
        }
        self.still_written.forget(&key);
        let parts = Claim::parse(&claim)?;
        let (name, zone): (Arc<str>, u32) = (parts.name.into(), parts.zone);
        let claim: Arc<str> = claim.as_str().into();
        match attempt {
            Attempt::Whole(bytes, stamp) => {
                self.taken.insert(claim.clone(), stamp);
                Some(Found::Read { claim, name, zone, bytes })
            }
            Attempt::Refused(refusal, stamp) => {
                self.taken.insert(claim.clone(), stamp);
                Some(Found::Bad { claim, name, zone, refusal })
            }
            Attempt::Wait(_) | Attempt::Gone => None,
        }
    }

    fn attempt(&mut self, claim: &str, opened: Option<Opened<'_>>, key: &Key, now: Millis) -> Attempt {
        let folder = self.home(claim);
        let stat = match folder.stat(claim.as_ref()) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Attempt::Gone,
            Err(errno) => return Attempt::Wait(Busy::Stuck(errno)),
        };
        if let Err(refusal) = judge(claim, &stat, self.us, folder) {
            return Attempt::Refused(refusal, Stamp::of(&stat));
        }
        let id = FileId::of(&stat);
        match opened {
            Some(Opened { file, id: opened, lease: Some(lease) }) if opened == id && stat.st_size > 0 => {
                let read = read_leased(file, Stamp::of(&stat));
                // Whoever was about to write it when it was claimed writes into the claim, and is waited for.
                if lease.is_wanted() { Attempt::Wait(Busy::Open) } else { read }
            }
            Some(Opened { file, id: opened, .. }) if opened == id => {
                self.read_if_ready(file, &stat, key, now)
            }
            _ => match folder.read(claim.as_ref()) {
                Ok(file) if rustix::fs::fstat(&file).is_ok_and(|now| FileId::of(&now) == id) => {
                    self.read_if_ready(&file, &stat, key, now)
                }
                Err(Errno::ACCESS | Errno::PERM) => {
                    let why = format!("the file's mode is {:o}", stat.st_mode & 0o7777);
                    Attempt::Refused(Refusal::new(Code::Unreadable, why), Stamp::of(&stat))
                }
                // Somebody swaps files in `.tasuki/claim/`; it is judged again.
                Ok(_) => Attempt::Wait(Busy::Moving),
                Err(errno) => Attempt::Wait(Busy::Stuck(errno)),
            },
        }
    }

    fn read_if_ready(&mut self, file: &File, stat: &Stat, key: &Key, now: Millis) -> Attempt {
        match self.still_written.ready(key, file, Stamp::of(stat), now) {
            Ok(lease) => read_whole(file, lease.is_some()),
            Err(busy) => Attempt::Wait(busy),
        }
    }

    /// Says that a file is waited for, if it is time to.
    pub(super) fn later(&mut self, key: &Key, busy: Busy, now: Millis) -> Option<Found> {
        if !self.still_written.report(key, busy, now) {
            return None;
        }
        let (zone, name) = match key.zone {
            Some(zone) => (zone, name::likeness(&key.name)),
            None => Claim::parse(key.name.to_str()?).map(|claim| (claim.zone, claim.name.to_owned()))?,
        };
        let refusal = busy.refusal(&name);
        Some(Found::Later { name, zone, refusal })
    }
}

/// Opens a file in a drop zone; what is opened here is read after the claim, if it is still the same.
fn look(zone: &Zone, key: &Key) -> Look {
    let file = match zone.folder.read(&key.name) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Look::Gone,
        // Unreadable, or not what it was when it was listed.
        Err(_) => return Look::Unfit,
    };
    match rustix::fs::fstat(&file) {
        Ok(stat) if file_type(&stat) == FileType::RegularFile => Look::Open(file, stat),
        _ => Look::Unfit,
    }
}

/// Reads a file of which a lease said, when it was looked at and since, that nobody writes it.
fn read_leased(mut file: &File, stamp: Stamp) -> Attempt {
    if stamp.size > FILE_BYTES_MAX as u64 {
        return Attempt::Refused(wire::too_large(stamp.size), stamp);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or(0));
    match file.by_ref().take(stamp.size).read_to_end(&mut bytes) {
        Ok(read) if read as u64 == stamp.size => Attempt::Whole(bytes, stamp),
        Ok(_) => Attempt::Wait(Busy::Moving),
        Err(error) => Attempt::Wait(Busy::Stuck(Errno::from_io_error(&error).unwrap_or(Errno::IO))),
    }
}

/// Reads a file of which a lease says that nobody writes it; without one, it must be the same before and after.
pub(super) fn read_whole(file: &File, leased: bool) -> Attempt {
    let stamp = || rustix::fs::fstat(file).map(|stat| Stamp::of(&stat));
    let read = |before: Stamp| {
        let mut bytes = Vec::with_capacity(usize::try_from(before.size).unwrap_or(0) + 1);
        let read = file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        Ok((bytes, leased || stamp()? == before))
    };
    match stamp() {
        Ok(before) if before.size > FILE_BYTES_MAX as u64 => {
            Attempt::Refused(wire::too_large(before.size), before)
        }
        Ok(before) => match read(before) {
            Ok((bytes, true)) => Attempt::Whole(bytes, before),
            Ok((_, false)) => Attempt::Wait(Busy::Moving),
            Err(errno) => Attempt::Wait(Busy::Stuck(errno)),
        },
        Err(errno) => Attempt::Wait(Busy::Stuck(errno)),
    }
}

/// Whether a claimed thing can be a message at all (durability, classes 39-50).
fn judge(claim: &str, stat: &Stat, us: u32, folder: &Folder) -> Result<(), Refusal> {
    let bad = |code, why: String| Err(Refusal::new(code, why));
    if let Some(claim) = Claim::parse(claim).filter(|claim| claim.bad_name) {
        return bad(
            Code::BadFileName,
            format!("the file's name cannot be used; it is kept as {}", wire::shown(claim.name)),
        );
    }
    match file_type(stat) {
        FileType::RegularFile => {}
        FileType::Symlink => {
            let target = rustix::fs::readlinkat(folder, claim, Vec::new()).unwrap_or_default();
            let target = wire::shown(&target.to_string_lossy());
            return bad(Code::Symlink, format!("this is a symbolic link to {target}"));
        }
        FileType::Directory => return bad(Code::Folder, "this is a folder".to_owned()),
        other => return bad(Code::NotAFile, format!("this is {}", kind_words(other))),
    }
    if stat.st_uid != us {
        return bad(Code::NotOurs, format!("the file belongs to user {}, not to {us}", stat.st_uid));
    }
    if stat.st_nlink > 1 {
        return bad(Code::HardLink, format!("the file has {} hard links", stat.st_nlink));
    }
    if stat.st_mode & 0o002 != 0 {
        return bad(
            Code::WorldWritable,
            format!("anybody can write to the file (mode {:o})", stat.st_mode & 0o7777),
        );
    }
    Ok(())
}

fn kind_words(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        _ => "not a regular file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::fake::{Chance, Change, Faults, Machine, World};
    use crate::io::lease;
    use crate::io::mailbox::Budget;
    use rustix::fs::{Mode, OFlags};
    use std::collections::BTreeMap;
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};

    const CLAIM: &str = "00000000000000010000000000000001-0-x.yaml";

    /// A mailbox with a claimed file of so many bytes, and where that lies.
    fn claimed(bytes: usize) -> (tempfile::TempDir, Mailbox, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let mailbox = Mailbox::open(root.path()).unwrap();
        let path = root.path().join(".tasuki/claim").join(CLAIM);
        fs::write(&path, "x".repeat(bytes)).unwrap();
        (root, mailbox, path)
    }

    fn stamp(path: &PathBuf) -> Stamp {
        Stamp::of(&rustix::fs::stat(path).unwrap())
    }

    #[test]
    fn a_file_that_is_shorter_than_it_was_or_too_long_is_not_taken() {
        let (_root, _mailbox, path) = claimed(9);
        let file = File::open(&path).unwrap();
        let longer = stamp(&path);
        fs::write(&path, "x".repeat(8)).unwrap();
        assert!(
            matches!(read_leased(&file, longer), Attempt::Wait(Busy::Moving)),
            "what is missing may come"
        );
        OpenOptions::new().write(true).open(&path).unwrap().set_len(FILE_BYTES_MAX as u64 + 1).unwrap();
        for attempt in [read_leased(&file, stamp(&path)), read_whole(&file, true), read_whole(&file, false)] {
            assert!(matches!(attempt, Attempt::Refused(Refusal { code: Code::TooLarge, .. }, _)));
        }
    }

    #[test]
    fn without_a_lease_what_is_read_is_as_it_was_before_and_after() {
        let (_root, _mailbox, path) = claimed(FILE_BYTES_MAX / 2);
        let mut writer = OpenOptions::new().append(true).open(&path).unwrap();
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..200_000 {
                    writer.write_all(b"y").unwrap();
                }
                ended.store(true, Ordering::Relaxed);
            });
            while !ended.load(Ordering::Relaxed) {
                match read_whole(&File::open(&path).unwrap(), false) {
                    Attempt::Whole(bytes, stamp) => assert_eq!(bytes.len() as u64, stamp.size),
                    Attempt::Wait(Busy::Moving) => {}
                    _ => panic!("it can be read and is not too large"),
                }
            }
        });
    }

    #[test]
    fn a_file_that_somebody_wants_to_write_while_it_is_read_is_waited_for() {
        let (_root, mut mailbox, path) = claimed(9);
        let key = Key { zone: None, name: CLAIM.into() };
        for has_priority in [true, false] {
            let file = File::open(&path).unwrap();
            let id = FileId::of(&rustix::fs::fstat(&file).unwrap());
            let lease = lease::take(&file).unwrap();
            if has_priority {
                // It is turned away at once, and the lease is to be given up for it.
                rustix::fs::open(&path, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).unwrap_err();
            }
            let opened = Opened { file: &file, id, lease: Some(lease) };
            let attempt = mailbox.attempt(CLAIM, Some(opened), &key, Millis(1));
            assert_eq!(matches!(attempt, Attempt::Wait(Busy::Open)), has_priority);
            assert_eq!(matches!(attempt, Attempt::Whole(..)), !has_priority);
        }
    }

    /// Where time is counted in ticks, and a new file gets the number of one that is gone, both drops look alike.
    #[test]
    fn of_two_drops_of_one_name_in_one_tick_each_has_a_claim_of_its_own() {
        let root = tempfile::tempdir().unwrap();
        let mut mailbox = Mailbox::open(root.path()).unwrap();
        let mut world = World::default();
        world.apply(&Change::Create { name: "same".to_owned() }, true);
        let machine = Machine {
            root: root.path().join("elsewhere"),
            elapsed_ms: 0,
            slept_ms: 0,
            wall: Millis(1),
            chance: Chance::new(1),
            world,
            flushed: BTreeMap::new(),
            free_bytes: u64::MAX,
            faults: Faults::default(),
            made: Vec::new(),
            log: None,
        };
        machine.install();
        let mut take = || {
            let path = root.path().join("queue/x.yaml");
            fs::write(&path, "to: a\n").unwrap();
            Machine::with(|machine| {
                machine.world.stands_for(rustix::fs::stat(&path).unwrap().st_ino, "same")
            });
            let found = mailbox.scan(Millis(1), Budget { files: 9, bytes: 999 }).found;
            let [Found::Read { claim, .. }] = &found[..] else { panic!("{found:?}") };
            mailbox.forget(std::slice::from_ref(claim)).unwrap();
            claim.clone()
        };
        let (first, second) = (take(), take());
        Machine::remove();
        assert!(first < second, "after a kill the second would be taken for the first: {first}, {second}");
    }
}
