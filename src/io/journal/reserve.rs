//! Room kept for the end: what is open can be closed in order on a disk that is full.

use std::path::Path;

use super::disk::Disk;
use super::error::JournalError;

/// Bytes of the reserve: a snapshot of all that is open, a list of ids and a thousand steps go into it many times over.
pub const RESERVE_BYTES: u64 = 8 << 20;
/// Below this much free space nothing new is accepted: eight times the reserve, so that what runs can go on for hours
/// at the pace of a team while somebody makes room.
pub const LOW_SPACE_BYTES: u64 = 64 << 20;

const NAME: &str = "reserve";
const PART: &str = "reserve.tmp";

/// Whether the disk that holds `dir` has less free space than [`LOW_SPACE_BYTES`].
///
/// # Errors
/// [`JournalError::Io`] if the system does not tell.
pub fn low_space(dir: &Path) -> Result<bool, JournalError> {
    Ok(free_space(dir)? < LOW_SPACE_BYTES)
}

/// Whether new messages are better left where they are: the disk that holds `dir` has less free space than `low_bytes`, or
/// than a twentieth of a disk that is small.
///
/// # Errors
/// [`JournalError::Io`] if the system does not tell.
pub fn is_short_of_space(dir: &Path, low_bytes: u64) -> Result<bool, JournalError> {
    let total = fs2::total_space(dir).map_err(|source| JournalError::Io {
        doing: "look at the disk of",
        path: dir.to_owned(),
        source,
    })?;
    Ok(free_space(dir)? < low_bytes.min(total / 20))
}

/// Takes the reserve if it is not there yet and the disk has room enough to spare. Whether it is there now.
///
/// # Errors
/// [`JournalError::Io`] if the machine refuses; no room is no error.
pub fn make_reserve(dir: &Path) -> Result<bool, JournalError> {
    let mut disk = Disk::make(dir)?;
    if disk.folder.open(NAME)?.is_some() {
        return Ok(true);
    }
    if free_space(dir)? < LOW_SPACE_BYTES + RESERVE_BYTES {
        return Ok(false);
    }
    match take(&mut disk) {
        Err(error) if error.no_space() => {
            disk.remove(PART)?;
            Ok(false)
        }
        taken => taken.map(|()| true),
    }
}

/// Gives the reserve back to the disk; whether there was one.
///
/// # Errors
/// [`JournalError::Io`] if the machine refuses.
pub fn free_reserve(dir: &Path) -> Result<bool, JournalError> {
    Disk::make(dir)?.remove(NAME)
}

fn take(disk: &mut Disk) -> Result<(), JournalError> {
    let file = disk.create(PART)?;
    disk.allocate(&file, RESERVE_BYTES)?;
    disk.sync(&file)?;
    disk.rename(PART, NAME)
}

fn free_space(dir: &Path) -> Result<u64, JournalError> {
    #[cfg(test)]
    if let Some(free) = crate::io::fake::free_bytes() {
        return Ok(free);
    }
    fs2::available_space(dir).map_err(|source| JournalError::Io {
        doing: "ask for the free space of",
        path: dir.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::Millis;
    use crate::io::fake::{Chance, Faults, Machine, World};
    use std::collections::BTreeMap;
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn the_reserve_is_room_on_the_disk_and_not_only_a_length() {
        let dir = tempfile::tempdir().unwrap();
        if free_space(dir.path()).unwrap() < LOW_SPACE_BYTES + RESERVE_BYTES {
            println!("skipped: the disk has too little room for a reserve");
            return;
        }
        assert!(!free_reserve(dir.path()).unwrap());
        assert!(make_reserve(dir.path()).unwrap());
        let meta = dir.path().join(NAME).metadata().unwrap();
        assert!(meta.len() == RESERVE_BYTES && meta.blocks() * 512 >= RESERVE_BYTES);
        assert!(make_reserve(dir.path()).unwrap());
        assert!(free_reserve(dir.path()).unwrap());
        assert!(!dir.path().join(NAME).exists() && !dir.path().join(PART).exists());
    }

    /// Does something on a disk that has so many free bytes.
    fn with_free<T>(free_bytes: u64, f: impl FnOnce() -> T) -> T {
        let machine = Machine {
            root: "/nowhere".into(),
            elapsed_ms: 0,
            slept_ms: 0,
            wall: Millis(1),
            chance: Chance::new(1),
            world: World::default(),
            flushed: BTreeMap::new(),
            free_bytes,
            faults: Faults::default(),
            made: Vec::new(),
            log: None,
        };
        machine.install();
        let done = f();
        Machine::remove();
        done
    }

    #[test]
    fn the_reserve_is_not_taken_from_what_others_need() {
        let dir = tempfile::tempdir().unwrap();
        let made = with_free(LOW_SPACE_BYTES + RESERVE_BYTES - 1, || make_reserve(dir.path()));
        assert!(!made.unwrap() && !dir.path().join(NAME).exists());
    }

    #[test]
    fn a_small_disk_is_short_of_space_below_a_twentieth_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let stat = rustix::fs::statvfs(dir.path()).unwrap();
        let twentieth = stat.f_blocks * stat.f_frsize / 20;
        for (free, short) in [(twentieth - 1, true), (twentieth, false)] {
            let found = with_free(free, || is_short_of_space(dir.path(), u64::MAX));
            assert_eq!(found.unwrap(), short, "{free} free bytes of {}", twentieth * 20);
        }
    }
}
