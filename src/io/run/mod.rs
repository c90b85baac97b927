//! Runs a program to its end and leaves nobody behind: what it started goes with its process group, and what left that is
//! found by a word in its environment.

mod leash;
mod look_up;
mod one_shot;
pub(in crate::io) mod printed;
mod tap;

pub use leash::end_left;
pub(in crate::io) use leash::runs_in;
pub(in crate::io) use look_up::look_up;
pub use one_shot::{OneShot, OneShotEnd, OneShotOutput, Stream, end_left_turns};
pub(in crate::io) use tap::Keep;

use crate::io::process::{key_of, wait_gone};
use crate::wire::team_file::Env;
use leash::{Bears, GONE_WITHIN, Leash, mark_of};
use rustix::process::Pid;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tap::Tap;
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout_at};

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

async fn read_all(output: &mut Tap, complaint: Option<&mut Tap>) {
    match complaint {
        Some(complaint) => {
            tokio::join!(output.read(), complaint.read());
        }
        None => output.read().await,
    }
}
