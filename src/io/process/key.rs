//! Which process has a number, whoever had it before.

use super::record::record;
use crate::engine::words::ProcessKey;
use rustix::io::Errno;
use rustix::process::Pid;
use std::io;

/// The process that has this number now; `None` if there is none, or only the remains of one that has ended.
#[must_use]
pub fn key_of(pid: u32) -> Option<ProcessKey> {
    find(pid).ok().flatten()
}

/// As [`key_of`], for those who must know whether nothing was found or nothing could be looked at.
///
/// # Errors
/// What the kernel says if it does not let us look, as with too many open files.
pub fn find(pid: u32) -> io::Result<Option<ProcessKey>> {
    let found = read_stat_of(pid)?;
    Ok(found.filter(|(_, ended)| !ended).map(|(start_ticks, _)| ProcessKey { pid, start_ticks }))
}

/// Whether the process still runs: the same one, not a later one with its number.
#[must_use]
pub fn alive(key: ProcessKey) -> bool {
    key_of(key.pid) == Some(key)
}

/// Start time, and whether it has ended and only waits to be collected.
fn read_stat_of(pid: u32) -> io::Result<Option<(u64, bool)>> {
    match record(format!("/proc/{pid}/stat")) {
        Ok(line) => Ok(read_stat(&line)),
        // It may end while it is read.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The name in parentheses may hold anything, parentheses and spaces included: what counts follows the last one.
pub(super) fn read_stat(line: &str) -> Option<(u64, bool)> {
    let (_, fields) = line.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X");
    // The state is field 3, the start time field 22.
    Some((fields.nth(18)?.parse().ok()?, ended))
}

pub(super) fn raw(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
