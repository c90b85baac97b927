//! Which file something is, in which of its states, and how old.

use rustix::fs::{FileType, Stat, Statx, StatxFlags};

/// Which file this is, for telling whether a name still means the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }

    pub(crate) fn same_device(self, other: Self) -> bool {
        self.device == other.device
    }
}

/// Which file, and which of its states: changes whenever it is written, as finely as the file system keeps time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) id: FileId,
    pub(crate) size: u64,
    mtime_ns: i128,
}

impl Stamp {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            id: FileId::of(stat),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime_ns: mtime_ns(stat),
        }
    }
}

/// Time of the last write, in nanoseconds since 1970.
pub(crate) fn mtime_ns(stat: &Stat) -> i128 {
    i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec)
}

pub(crate) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// When a file was made, in nanoseconds since 1970, if the file system says so.
pub(super) fn born_ns(found: &Statx) -> Option<u64> {
    #[cfg(test)]
    if let Some(born_ns) = crate::io::fake::born_ns(found.stx_ino) {
        return Some(born_ns);
    }
    let ns = i128::from(found.stx_btime.tv_sec) * 1_000_000_000 + i128::from(found.stx_btime.tv_nsec);
    let is_known = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
    u64::try_from(ns).ok().filter(|_| is_known)
}
