//! Waiting for a file to appear or to be written, woken by inotify: the moment is known to some microseconds.

use super::stamp;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Longer than anything here takes; a wait that is over fails loudly.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

/// What is waited for in one folder, or of one file.
pub(crate) struct Watch {
    fd: OwnedFd,
}

/// What came.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// The name in the folder; empty for a watched file.
    pub(crate) name: String,
    /// When it was known here.
    pub(crate) at: u64,
}

impl Watch {
    /// Files that are renamed into a folder.
    pub(crate) fn arrivals(folder: &Path) -> Self {
        Self::new(folder, WatchFlags::MOVED_TO)
    }

    /// Writes to a file.
    pub(crate) fn writes(file: &Path) -> Self {
        Self::new(file, WatchFlags::MODIFY)
    }

    /// Writes to any file of a folder, and files that are renamed into it.
    pub(crate) fn changes(folder: &Path) -> Self {
        Self::new(folder, WatchFlags::MODIFY | WatchFlags::MOVED_TO)
    }

    fn new(path: &Path, what: WatchFlags) -> Self {
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).expect("inotify");
        inotify::add_watch(&fd, path, what).expect("a watch");
        Self { fd }
    }

    /// Everything that came since, once there is something.
    pub(crate) fn next(&self) -> Vec<Seen> {
        loop {
            let mut polled = [PollFd::new(&self.fd, PollFlags::IN)];
            match poll(&mut polled, Some(&PATIENCE)) {
                Ok(0) => panic!("nothing came in a minute"),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => panic!("{error}"),
            }
            let at = stamp::now();
            let seen = self.read(at);
            if !seen.is_empty() {
                return seen;
            }
        }
    }

    /// Forgets what came so far.
    pub(crate) fn drain(&self) {
        self.read(0);
    }

    /// Waits until this name came; gives the moment.
    pub(crate) fn until(&self, name: &str) -> u64 {
        loop {
            if let Some(seen) = self.next().into_iter().find(|seen| seen.name == name) {
                return seen.at;
            }
        }
    }

    fn read(&self, at: u64) -> Vec<Seen> {
        let mut seen = Vec::new();
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW), "events were lost");
                    let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
                    seen.push(Seen { name: name.unwrap_or_default(), at });
                }
                Err(Errno::AGAIN) => return seen,
                Err(Errno::INTR) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}
