//! Whether somebody has a file open for writing: a read lease (`F_SETLEASE`, fcntl(2)) is refused while anybody does, and
//! while it is held nobody can come to.
//!
//! Whoever opens a leased file for writing waits in open(2) until the lease is gone, and its holder gets a signal. That is
//! SIGIO by default, which would kill the daemon; here it is SIGURG, which does nothing unless a program asks for it, so
//! there is nothing to install and nothing to forget. Leases are held for as long as it takes to read 1 MiB, never longer.

use super::c_library::fcntl;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};

/// `F_SETSIG` of `asm-generic/fcntl.h`, which every architecture shares; the libc crate has it for few.
const F_SETSIG: libc::c_int = 10;

/// A read lease; given back when dropped.
#[derive(Debug)]
pub struct Lease<'f>(BorrowedFd<'f>);

/// Why there is no lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoLease {
    /// Somebody has the file open for writing.
    InUse,
    /// The file system has no leases, or the file is not ours.
    Unknown(Errno),
}

/// Takes a read lease on a regular file that is open for reading only.
///
/// # Errors
/// [`NoLease`]
pub fn take<'f>(file: &'f impl AsFd) -> Result<Lease<'f>, NoLease> {
    let file = file.as_fd();
    fcntl(file, F_SETSIG, libc::SIGURG).map_err(NoLease::Unknown)?;
    match fcntl(file, libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(_) => Ok(Lease(file)),
        Err(Errno::AGAIN) => Err(NoLease::InUse),
        Err(other) => Err(NoLease::Unknown(other)),
    }
}

impl Lease<'_> {
    /// Whether somebody waits in open(2) for it to be given back.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        // While it is being broken the kernel names what it is to become.
        fcntl(self.0, libc::F_GETLEASE, 0).is_ok_and(|kind| kind == libc::F_UNLCK)
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // Fails only where there is no lease any more, which is what is wanted.
        let _ = fcntl(self.0, libc::F_SETLEASE, libc::F_UNLCK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags};
    use std::fs::{File, OpenOptions};
    use std::time::{Duration, Instant};

    /// What another test starts has a copy of the writer's descriptor until it is another program.
    fn take_soon(reader: &File) -> Lease<'_> {
        let late = Instant::now() + Duration::from_secs(20);
        loop {
            match take(reader) {
                Err(NoLease::InUse) if Instant::now() < late => std::thread::yield_now(),
                taken => return taken.unwrap(),
            }
        }
    }

    #[test]
    fn a_writer_is_seen_and_none_comes_while_the_lease_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yaml");
        std::fs::write(&path, "to: a").unwrap();
        let reader = File::open(&path).unwrap();

        let writer = OpenOptions::new().append(true).open(&path).unwrap();
        assert_eq!(take(&reader).unwrap_err(), NoLease::InUse);
        drop(writer);

        let lease = take_soon(&reader);
        assert!(!lease.is_wanted());
        // A writer that will not wait is turned away at once, and we get the signal: that we live is the test.
        let open = || rustix::fs::open(&path, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty());
        assert_eq!(open().unwrap_err(), Errno::WOULDBLOCK);
        assert!(lease.is_wanted());
        // Others may read meanwhile.
        assert!(File::open(&path).is_ok());
        drop(lease);
        assert!(open().is_ok());
    }

    #[test]
    fn a_writer_that_waits_comes_in_when_the_lease_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yaml");
        std::fs::write(&path, "to: a").unwrap();
        let reader = File::open(&path).unwrap();
        let lease = take_soon(&reader);
        let writer = std::thread::spawn(move || std::fs::write(&path, "to: b"));
        drop(lease);
        writer.join().unwrap().unwrap();
        assert_eq!(std::io::read_to_string(&reader).unwrap(), "to: b");
    }

    #[test]
    fn what_has_no_leases_says_so() {
        let (read, _write) = std::io::pipe().unwrap();
        assert!(matches!(take(&read), Err(NoLease::Unknown(_))));
    }
}
