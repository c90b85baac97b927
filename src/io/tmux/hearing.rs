//! The pipe that tmux talks into, and the ear that can be closed. While the runtime watches a pipe, each write into it wakes
//! the process, also where nobody reads; so while what comes is left lying, the pipe is taken out of what is watched.

use std::io;
use std::os::fd::OwnedFd;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::process::ChildStdout;

/// Where tmux is heard.
#[derive(Debug)]
pub(super) enum Hearing {
    /// Watched: what comes wakes us.
    Open(Receiver),
    /// Left alone: what comes lies in the pipe.
    Closed(OwnedFd),
    /// It could not be changed, and the connection is over.
    Lost,
}

impl Hearing {
    /// Of a client whose output is a pipe.
    ///
    /// # Errors
    /// If the runtime cannot watch it.
    pub(super) fn of(stdout: ChildStdout) -> io::Result<Self> {
        Receiver::from_owned_fd(stdout.into_owned_fd()?).map(Self::Open)
    }

    /// Closes the ear, or opens it again. What came meanwhile is heard then.
    ///
    /// # Errors
    /// If the runtime cannot watch the pipe.
    pub(super) fn close(&mut self, closed: bool) -> io::Result<()> {
        *self = match std::mem::replace(self, Self::Lost) {
            Self::Open(receiver) if closed => Self::Closed(receiver.into_nonblocking_fd()?),
            Self::Closed(fd) if !closed => Self::Open(Receiver::from_owned_fd(fd)?),
            as_it_is => as_it_is,
        };
        Ok(())
    }

    /// Reads what has come, once something has; gives how many bytes, none at the end. Waits for ever while it is closed.
    ///
    /// # Errors
    /// If the pipe cannot be read.
    pub(super) async fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Open(receiver) => receiver.read(into).await,
            Self::Closed(_) => std::future::pending().await,
            Self::Lost => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use tokio::time::{Duration, timeout};

    /// An open ear hears within a fraction of this.
    const A_WHILE: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn a_closed_ear_hears_nothing_and_an_opened_one_hears_what_came_meanwhile() {
        let (ours, mut theirs) = io::pipe().expect("a pipe");
        let mut hearing = Hearing::Open(Receiver::from_owned_fd(ours.into()).expect("a runtime"));
        let mut buffer = [0; 64];
        for word in ["一つ", "二つ 🎧"] {
            hearing.close(true).expect("closed");
            theirs.write_all(word.as_bytes()).expect("room");
            let waited = timeout(A_WHILE, hearing.read(&mut buffer)).await;
            assert!(waited.is_err(), "{word} is left lying");
            hearing.close(false).expect("opened");
            let length = hearing.read(&mut buffer).await.expect("a pipe");
            assert_eq!(&buffer[..length], word.as_bytes());
        }
        hearing.close(true).expect("closed");
        drop(theirs);
        hearing.close(false).expect("opened");
        assert_eq!(hearing.read(&mut buffer).await.expect("a pipe"), 0, "its end is heard too");
    }
}
