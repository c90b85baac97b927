//! A segment's file is made under another name first.

use super::append::prepare;
use super::disk::{Disk, Named};
use super::error::JournalError;

/// Makes a new segment under a name that is not yet its own, with prepared newlines if there is room, and flushes it.
pub(super) fn write_new(disk: &mut Disk, part: &str, bytes: &[u8]) -> Result<(Named, u64), JournalError> {
    let file = disk.create(part)?;
    disk.write(&file, bytes, 0)?;
    let prepared = prepare(disk, &file, bytes.len() as u64);
    disk.sync(&file)?;
    Ok((file, prepared))
}
