//! Runs a program to its end and leaves nobody behind: what it started goes with its process group, and what left that is
//! found by a word in its environment.

mod leash;
mod look_up;
mod one_shot;
pub(in crate::io) mod printed;

pub use leash::end_left;
pub(in crate::io) use leash::runs_in;
pub(in crate::io) use look_up::look_up;
pub use one_shot::{OneShot, OneShotEnd, Said, Stream, end_left_turns};

use crate::io::process::{key_of, wait_gone};
use crate::wire::team_file::Env;
use leash::{Bears, GONE_WITHIN, Leash, mark_of};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::Pid;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout_at};

/// What is read at once.
const PIECE: usize = 64 << 10;

/// What is to be run.
pub(in crate::io) struct Run<'a> {
    /// The file to run, however the words name it.
    pub(in crate::io) program: &'a Path,
    /// The words, of which the first is its name.
    pub(in crate::io) argv: &'a [OsString],
    pub(in crate::io) cwd: &'a Path,
    pub(in crate::io) env: &'a Env,
    pub(in crate::io) limit: Duration,
    pub(in crate::io) keep: Keep,
    /// The workspace whose check it is.
    pub(in crate::io) root: &'a Path,
    /// Its standard input, where it has one: what it is to read, or a lock that is held for as long as it lives.
    pub(in crate::io) held: Option<&'a File>,
}

/// What is kept of that which it prints. All of it is read, so that nobody waits for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Keep {
    /// The first so many bytes of its standard output; of its standard error the last few.
    First(usize),
    /// The last so many bytes of both together.
    Last(usize),
}

/// How it ended.
#[derive(Debug)]
pub(in crate::io) struct Ran {
    /// How it exited; none if its time was over.
    pub(in crate::io) status: Option<ExitStatus>,
    /// What it printed.
    pub(in crate::io) output: Vec<u8>,
    /// Whether it printed more than is kept.
    pub(in crate::io) cut: bool,
    /// What it complained, where that is kept apart.
    pub(in crate::io) complaint: Vec<u8>,
}

/// Bytes that are kept of a complaint.
const COMPLAINT_BYTES: usize = 4_096;

impl Run<'_> {
    /// Runs it, without a standard input. Afterwards nobody lives whom it started.
    ///
    /// # Errors
    /// If it cannot be started, or its pipes cannot be made.
    pub(in crate::io) async fn to_its_end(&self) -> io::Result<Ran> {
        let mark = mark_of(self.root.as_os_str());
        // git starts nobody who would leave it.
        let is_foreign = matches!(self.keep, Keep::Last(_));
        let (mut output, ours) = Tap::new(self.keep)?;
        let (mut complaint, theirs) = match self.keep {
            Keep::First(_) => {
                let (tap, end) = Tap::new(Keep::Last(COMPLAINT_BYTES))?;
                (Some(tap), end)
            }
            Keep::Last(_) => (None, ours.try_clone()?),
        };
        let mut child = self.start(&mark, ours.into(), theirs.into())?;
        let key = child.id().and_then(key_of);
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let mut leash = Leash { bears: Bears::Check, group, mark: is_foreign.then_some(mark) };
        let until = Instant::now() + self.limit;
        let ended = async {
            // It is not collected yet, so that its number is nobody else's.
            if let Some(key) = key {
                wait_gone(key).await;
            }
        };
        let in_time = {
            let ended = timeout_at(until, ended);
            tokio::pin!(ended);
            let mut is_open = true;
            loop {
                tokio::select! {
                    ended = &mut ended => break ended.is_ok(),
                    () = read_all(&mut output, complaint.as_mut()), if is_open => is_open = false,
                }
            }
        };
        let over = Instant::now() + GONE_WITHIN;
        leash.end_all(key, over).await;
        // Once it is collected, its number may be somebody else's.
        (leash.group, leash.mark) = (None, None);
        // Nobody writes any more; what is in the pipes is what was printed last.
        let _ = timeout_at(over, read_all(&mut output, complaint.as_mut())).await;
        let status = timeout_at(over, child.wait()).await;
        let status = if in_time { status.ok().transpose()? } else { None };
        let complaint = complaint.map(|tap| tap.kept).unwrap_or_default();
        Ok(Ran { status, cut: output.cut, output: output.kept, complaint })
    }

    fn start(&self, mark: &OsStr, out: Stdio, err: Stdio) -> io::Result<Child> {
        let (name, arguments) = self.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(self.program);
        command.arg0(name).args(arguments).current_dir(self.cwd);
        command.env_clear().envs(self.env).env(Bears::Check.name(), mark);
        command.process_group(0).kill_on_drop(true);
        let input = self.held.map(File::try_clone).transpose()?.map_or_else(Stdio::null, Stdio::from);
        command.stdin(input).stdout(out).stderr(err).spawn()
    }
}

/// One end of a pipe, and what is kept of that which comes out of it.
struct Tap {
    from: Option<Receiver>,
    keep: Keep,
    kept: Vec<u8>,
    cut: bool,
}

impl Tap {
    /// With the other end, which is the program's.
    fn new(keep: Keep) -> io::Result<(Self, std::os::fd::OwnedFd)> {
        let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok((Self { from: Some(Receiver::from_owned_fd(ours)?), keep, kept: Vec::new(), cut: false }, theirs))
    }

    /// Reads until nobody has the other end any more.
    async fn read(&mut self) {
        let mut piece = vec![0; PIECE];
        while let Some(from) = &mut self.from {
            match from.read(&mut piece).await {
                Ok(read @ 1..) => self.take(piece.get(..read).unwrap_or_default()),
                _ => self.from = None,
            }
        }
    }

    /// Reads a piece and keeps nothing of it: how long it is, 0 at the end. Waits for ever where the end was read before.
    async fn next(&mut self, piece: &mut [u8]) -> usize {
        match &mut self.from {
            Some(from) => from.read(piece).await.unwrap_or(0),
            None => std::future::pending().await,
        }
    }

    fn take(&mut self, piece: &[u8]) {
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

async fn read_all(output: &mut Tap, complaint: Option<&mut Tap>) {
    match complaint {
        Some(complaint) => {
            tokio::join!(output.read(), complaint.read());
        }
        None => output.read().await,
    }
}
