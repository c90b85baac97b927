//! What cannot be accepted: moved to `rejected/NAME`, byte for byte, with `NAME.reason.yaml` beside it.

use super::name::Claim;
use super::zone::Zone;
use super::{MAIN_ZONE, Mailbox};
use crate::engine::message::refusal::Refusal;
use crate::engine::words::Millis;
use crate::io::folder::{Folder, FolderError, file_type};
use crate::wire;
use crate::wire::FILE_BYTES_MAX;
use crate::wire::status;
use crate::wire::status::Reason;
use rustix::fs::{FileType, Stat};
use rustix::io::Errno;
use std::io::Read as _;

impl Mailbox {
    /// Moves a claimed file to the `rejected/` folder of its zone and gives the name it has there; none if it is not there
    /// any more, or if it was written to after it was read and so is a message of its own. `from` is its sender as far as
    /// it is known, `at` the wall clock.
    ///
    /// # Errors
    /// [`FolderError`]; calling it again is harmless.
    pub fn reject(
        &mut self,
        claim: &str,
        refusal: &Refusal,
        from: Option<&str>,
        at: Millis,
    ) -> Result<Option<String>, FolderError> {
        if self.written_since(claim)? {
            self.claim_anew(claim)?;
            self.taken.remove(claim);
            return Ok(None);
        }
        let zone = Claim::parse(claim).and_then(|parts| self.zones.get(&parts.zone));
        let Some(zone) = zone.or_else(|| self.zones.get(&MAIN_ZONE)) else { return Ok(None) };
        let folder = self.home(claim);
        // Where the zone's folder is gone, or is no longer to be written to; but nothing is moved to another device.
        let main = || self.zones.get(&MAIN_ZONE).filter(|_| std::ptr::eq(folder, &self.claims));
        let rejected = zone.rejected().or_else(|error| main().map_or(Err(error), Zone::rejected))?;
        let stat = match folder.stat(claim.as_ref()) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(folder.failed("stat", claim.as_ref(), errno)),
        };
        let moved = move_with_reason(folder, claim, &stat, &rejected, refusal, from, at)?;
        self.taken.remove(claim);
        self.unread.retain(|unread| unread != claim);
        Ok(Some(moved))
    }
}

/// The reason first: a crash between the two leaves the claim, which is set aside at the next start and finds the
/// reason with its own inode in it. So no file is ever rejected without a reason, and none has two. The reason is on the
/// disk before the file is moved: after a power cut nobody would make it again.
fn move_with_reason(
    folder: &Folder,
    claim: &str,
    stat: &Stat,
    rejected: &Folder,
    refusal: &Refusal,
    from: Option<&str>,
    at: Millis,
) -> Result<String, FolderError> {
    let dropped = Claim::parse(claim).map_or(claim, |parts| parts.name);
    let bytes = bytes(folder, claim, stat, refusal).unwrap_or_default();
    let refusal = &wire::message::refused::located(&bytes, refusal.clone());
    let excerpt = refusal.line.zip(refusal.column).and_then(|(line, at)| status::excerpt(&bytes, line, at));
    let reason = Reason { name: dropped, refusal, text: excerpt.as_deref(), from, at, inode: stat.st_ino };
    let text = status::reason(&reason);
    let name = free_name(dropped, |name| is_free(rejected, name, stat.st_ino))
        .map_err(|errno| rejected.failed("look for", dropped.as_ref(), errno))?;
    let beside = format!("{name}.reason.yaml");
    rejected
        .write_durably(beside.as_ref(), &text)
        .map_err(|errno| rejected.failed("write", beside.as_ref(), errno))?;
    match folder.rename_new(claim.as_ref(), rejected, name.as_ref()) {
        Ok(()) => Ok(name),
        Err(errno) => Err(folder.failed("move", claim.as_ref(), errno)),
    }
}

/// The name itself, or the first of `-2`, `-3` … that is free; found in a few steps even where a writer was refused a
/// thousand times. The same folder gives the same name.
fn free_name(dropped: &str, is_free: impl Fn(&str) -> Result<bool, Errno>) -> Result<String, Errno> {
    let free = |number: u64| is_free(&numbered(dropped, number));
    let mut high = 1;
    while !free(high)? {
        high *= 2; // no folder holds 2^63 names
    }
    let mut low = high / 2; // taken, or 0
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if free(middle)? { high = middle } else { low = middle }
    }
    Ok(numbered(dropped, high))
}

/// Whether both a file and its reason can have this name: nothing has it, or only the reason that this same file was given
/// before a crash.
fn is_free(rejected: &Folder, name: &str, inode: u64) -> Result<bool, Errno> {
    let beside = format!("{name}.reason.yaml");
    let none = |name: &str| match rejected.stat(name.as_ref()) {
        Ok(_) => Ok(false),
        Err(Errno::NOENT) => Ok(true),
        Err(errno) => Err(errno),
    };
    Ok(none(name)? && (none(&beside)? || is_of(rejected, &beside, inode)))
}

fn is_of(rejected: &Folder, beside: &str, inode: u64) -> bool {
    let mut text = String::new();
    let read = rejected.read(beside.as_ref()).map(|file| file.take(64 << 10).read_to_string(&mut text));
    matches!(read, Ok(Ok(_))) && text.lines().any(|line| line == format!("inode: {inode}"))
}

/// `x.yaml`, `x-2.yaml`, `x-3.yaml` …
fn numbered(name: &str, number: u64) -> String {
    match (number, name.rsplit_once('.')) {
        (1, _) => name.to_owned(),
        (_, Some((stem, end))) => format!("{stem}-{number}.{end}"),
        (_, None) => format!("{name}-{number}"),
    }
}

/// What is in the file, if the reason can say where in it something is wrong.
fn bytes(folder: &Folder, claim: &str, stat: &Stat, refusal: &Refusal) -> Option<Vec<u8>> {
    let has_place = refusal.line.is_some() || refusal.field.is_some();
    if !has_place || file_type(stat) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    folder.read(claim.as_ref()).ok()?.take(FILE_BYTES_MAX as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_free_name_is_found_in_a_few_looks() {
        for taken in [0, 1, 2, 3, 4, 7, 8, 100, 5_000] {
            let looks = Cell::new(0);
            let free = |name: &str| {
                looks.set(looks.get() + 1);
                let number =
                    name.strip_prefix("a.b-").and_then(|rest| rest.strip_suffix(".yaml")?.parse().ok());
                Ok(number.unwrap_or(1) > taken)
            };
            assert_eq!(free_name("a.b.yaml", free), Ok(numbered("a.b.yaml", taken + 1)));
            assert!(looks.get() < 30, "{taken}: {}", looks.get());
        }
        assert_eq!(free_name("x.yaml", |_| Err(Errno::IO)), Err(Errno::IO));
        assert_eq!(
            (numbered("x.yaml", 1), numbered("x.yaml", 2)),
            ("x.yaml".to_owned(), "x-2.yaml".to_owned())
        );
    }
}
