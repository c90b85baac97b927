//! Calls of the C library that no safe crate offers. The only module with `unsafe`.
#![expect(
    unsafe_code,
    reason = "fcntl for leases, mallopt for little memory; each call has its reason beside it"
)]

use rustix::io::Errno;
use std::os::fd::{AsRawFd, BorrowedFd};

/// fcntl(2) with one of the commands that take an int or nothing.
pub(super) fn fcntl(
    file: BorrowedFd<'_>,
    command: libc::c_int,
    argument: libc::c_int,
) -> Result<libc::c_int, Errno> {
    // SAFETY: these commands take an int or nothing and touch no memory of ours, and `file` is open for as long as it is borrowed.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), command, argument) };
    if answer == -1 {
        Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
    } else {
        Ok(answer)
    }
}

/// Has memory that is free given back to the system: a long text (1 MiB) passes through several threads, and glibc would keep a few
/// copies of it in the heap of each for good. To be called before threads are started. Elsewhere than with glibc nothing is done.
pub(crate) fn keep_little_memory() {
    #[cfg(target_env = "gnu")]
    for (what, value) in [
        (libc::M_MMAP_THRESHOLD, LONG_BYTES),
        (libc::M_TRIM_THRESHOLD, 2 * LONG_BYTES),
        (libc::M_ARENA_MAX, HEAPS),
    ] {
        // SAFETY: mallopt(3) sets a number of the allocator's own, and is called before there are other threads. That it refuses one
        // is no harm.
        let _ = unsafe { libc::mallopt(what, value) };
    }
}

/// What is longer than this has pages of its own, which go back to the system at once; in bytes. A burst of common messages is
/// shorter: fresh pages cost time.
#[cfg(target_env = "gnu")]
const LONG_BYTES: libc::c_int = 512 << 10;
/// Heaps for all threads: one is always free while another one is busy.
#[cfg(target_env = "gnu")]
const HEAPS: libc::c_int = 2;
