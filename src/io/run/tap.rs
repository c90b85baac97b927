//! A pipe from a program, and what is kept of that which comes out of it.

use rustix::pipe::{PipeFlags, pipe_with};
use std::io;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;

/// What is read at once.
pub(super) const PIECE: usize = 64 << 10;

/// What is kept of that which it prints. All of it is read, so that nobody waits for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Keep {
    /// The first so many bytes of its standard output; of its standard error the last few.
    First(usize),
    /// The last so many bytes of both together.
    Last(usize),
}

/// One end of a pipe, and what is kept of that which comes out of it.
pub(super) struct Tap {
    pub(super) from: Option<Receiver>,
    keep: Keep,
    pub(super) kept: Vec<u8>,
    pub(super) cut: bool,
}

impl Tap {
    /// With the other end, which is the program's.
    pub(super) fn new(keep: Keep) -> io::Result<(Self, std::os::fd::OwnedFd)> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok((Self { from: Some(Receiver::from_owned_fd(ours)?), keep, kept: Vec::new(), cut: false }, theirs))
    }

    /// Reads until nobody has the other end any more.
    pub(super) async fn read(&mut self) {
        let mut piece = vec![0; PIECE];
        while let Some(from) = &mut self.from {
            match from.read(&mut piece).await {
                Ok(read @ 1..) => self.take(piece.get(..read).unwrap_or_default()),
                _ => self.from = None,
            }
        }
    }

    /// Reads a piece and keeps nothing of it: how long it is, 0 at the end. Waits for ever where the end was read before.
    pub(super) async fn next(&mut self, piece: &mut [u8]) -> usize {
        match &mut self.from {
            Some(from) => from.read(piece).await.unwrap_or(0),
            None => std::future::pending().await,
        }
    }

    pub(super) fn take(&mut self, piece: &[u8]) {
        match self.keep {
            Keep::First(most) => {
                let room = most.saturating_sub(self.kept.len()).min(piece.len());
                self.kept.extend_from_slice(piece.get(..room).unwrap_or_default());
                self.cut |= room < piece.len();
            }
            Keep::Last(most) => {
                self.kept.extend_from_slice(piece);
                let over = self.kept.len().saturating_sub(most);
                self.cut |= over > 0;
                self.kept.drain(..over);
            }
        }
    }
}
