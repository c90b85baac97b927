//! The agent on a pseudo-terminal, for what tmux hides: bytes as they are written, and what waits unread.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

use super::workspace::{Workspace, deadline, is_over};

pub(crate) struct Pty {
    child: Child,
    ours: OwnedFd,
    theirs: OwnedFd,
    seen: Vec<u8>,
}

impl Pty {
    pub(crate) fn start(workspace: &Workspace, script: Option<&Path>) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags).expect("a pseudo-terminal");
        grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("its other end");
        let theirs = ioctl_tiocgptpeer(&ours, flags).expect("its other end");
        let end = || Stdio::from(theirs.try_clone().expect("a copy"));
        let child =
            workspace.agent(script).stdin(end()).stdout(end()).stderr(end()).spawn().expect("the agent");
        Self { child, ours, theirs, seen: Vec::new() }
    }

    pub(crate) fn write(&self, bytes: &str) {
        let mut rest = bytes.as_bytes();
        while !rest.is_empty() {
            let count = rustix::io::write(&self.ours, rest).expect("a write");
            rest = &rest[count..];
        }
    }

    /// Bytes that the agent has not read.
    pub(crate) fn unread(&self) -> u64 {
        rustix::io::ioctl_fionread(&self.theirs).expect("FIONREAD")
    }

    /// Reads until `text` was written, and gives all that was written since the last call.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let deadline = deadline();
        // A terminal writes a line's end as two bytes.
        let text = text.replace('\n', "\r\n");
        loop {
            if let Some(at) = find(&self.seen, text.as_bytes()) {
                let rest = self.seen.split_off(at + text.len());
                let seen = std::mem::replace(&mut self.seen, rest);
                return String::from_utf8_lossy(&seen).replace("\r\n", "\n");
            }
            let shown = String::from_utf8_lossy(&self.seen);
            assert!(!is_over(deadline), "never wrote {text:?}:\n{shown}");
            self.read_some();
        }
    }

    /// Waits for the end of the agent: its exit code, or none if a signal ended it.
    pub(crate) fn end(mut self) -> Option<i32> {
        let deadline = deadline();
        loop {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status.code();
            }
            assert!(!is_over(deadline), "never ended: {}", String::from_utf8_lossy(&self.seen));
            self.read_some();
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn read_some(&mut self) {
        let tick = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
        let mut ready = [PollFd::new(&self.ours, PollFlags::IN)];
        // Another test's child that ends interrupts it.
        let count = rustix::io::retry_on_intr(|| poll(&mut ready, Some(&tick))).expect("poll");
        if count > 0 {
            let mut buffer = [0; 4096];
            let count = rustix::io::read(&self.ours, &mut buffer).expect("a read");
            self.seen.extend_from_slice(&buffer[..count]);
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}
