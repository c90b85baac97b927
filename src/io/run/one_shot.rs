//! A program that is asked once: it reads its prompt, and whoever waits is told what it prints as it comes.

use super::leash::{Bears, GONE_WITHIN, Leash, end_left_of, mark_of};
use super::tap::{Keep, PIECE, Tap};
use crate::engine::words::ProcessKey;
use crate::io::process::{key_of, wait_gone};
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout_at};

/// How long the program may take to end after SIGTERM. Then it is killed.
const ENDS_WITHIN: Duration = Duration::from_secs(2);
/// What is kept of its standard output, in bytes: an answer has 1 MiB, and records may have more around it.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// The same of the end of its standard error.
const COMPLAINT_BYTES_MAX: usize = 16 << 10;

/// What is to be run.
#[derive(Debug)]
pub struct OneShot<'a> {
    pub argv: &'a [String],
    pub cwd: &'a Path,
    /// Its whole environment.
    pub env: &'a BTreeMap<OsString, OsString>,
    /// What it reads from its standard input.
    pub stdin: &'a str,
    pub limit: Duration,
    /// Whose it is: the agent and its workspace. See [`end_left_turns`].
    pub whose: &'a OsStr,
}

/// Where a program prints to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneShotEnd {
    Exited(ExitStatus),
    /// It was ended, since its time was over.
    OutOfTime,
    /// It was ended, since somebody wanted that.
    Stopped,
}

/// How a program ended, and what it had printed.
#[derive(Debug)]
pub struct OneShotOutput {
    pub end: OneShotEnd,
    /// The first 16 MiB of its standard output.
    pub stdout: Vec<u8>,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
}

/// Ends whom turns of this agent have left whose program was killed; whether nobody of them is left.
pub async fn end_left_turns(whose: &OsStr) -> bool {
    end_left_of(Bears::Turn, whose).await
}

impl OneShot<'_> {
    /// Runs it to its end, or until its time is over or `stop` is. Afterwards nobody lives whom it started. `each` is given what it
    /// prints.
    ///
    /// # Errors
    /// If it cannot be started, or its pipes cannot be made.
    pub async fn run(
        &self,
        stop: impl Future<Output = ()>,
        mut each: impl FnMut(Stream, &[u8]),
    ) -> io::Result<OneShotOutput> {
        let mark = mark_of(self.whose);
        let (mut output, ours) = Tap::new(Keep::First(OUTPUT_BYTES_MAX))?;
        let (mut complaint, theirs) = Tap::new(Keep::Last(COMPLAINT_BYTES_MAX))?;
        let mut child = self.start(&mark, ours.into(), theirs.into())?;
        let key = child.id().and_then(key_of);
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let mut leash = Leash { bears: Bears::Turn, group, mark: Some(mark) };
        let mut taps = Taps { output: &mut output, complaint: &mut complaint, each: &mut each };
        let until = Instant::now() + self.limit;
        let ended = {
            let gone = timeout_at(until, gone(key));
            tokio::pin!(gone, stop);
            loop {
                tokio::select! {
                    biased;
                    () = &mut stop => break Some(OneShotEnd::Stopped),
                    gone = &mut gone => break gone.err().map(|_| OneShotEnd::OutOfTime),
                    () = taps.piece() => {}
                }
            }
        };
        if ended.is_some() {
            if let Some(group) = group {
                // It is not collected, so that its number is nobody else's.
                let _ = kill_process_group(group, Signal::TERM);
            }
            let by = Instant::now() + ENDS_WITHIN;
            taps.read_until(by, gone(key)).await;
            // Who prints no more may still be ending.
            let _ = timeout_at(by, gone(key)).await;
        }
        let over = Instant::now() + GONE_WITHIN;
        leash.end_all(key, over).await;
        (leash.group, leash.mark) = (None, None);
        // Nobody writes any more; what is in the pipes is what was printed last.
        taps.read_until(over, std::future::pending()).await;
        let status = timeout_at(over, child.wait()).await;
        let status = status.map_err(|_| io::Error::other("its end is not known"))??;
        let end = ended.unwrap_or(OneShotEnd::Exited(status));
        Ok(OneShotOutput { end, stdout: output.kept, stderr: complaint.kept })
    }

    /// A file in place of a pipe for its input: nobody has to write while it reads, and one that reads nothing disturbs nobody.
    fn start(&self, mark: &OsStr, out: Stdio, err: Stdio) -> io::Result<Child> {
        let (program, arguments) = self.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.cwd);
        command.env_clear().envs(self.env).env(Bears::Turn.name(), mark);
        command.process_group(0).kill_on_drop(true);
        let input = if self.stdin.is_empty() { Stdio::null() } else { file_with(self.stdin)?.into() };
        command.stdin(input).stdout(out).stderr(err).spawn()
    }
}

async fn gone(key: Option<ProcessKey>) {
    if let Some(key) = key {
        wait_gone(key).await;
    }
}

fn file_with(text: &str) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// Both of its pipes, and who is told.
struct Taps<'t, F> {
    output: &'t mut Tap,
    complaint: &'t mut Tap,
    each: F,
}

impl<F: FnMut(Stream, &[u8])> Taps<'_, F> {
    /// Waits for the next piece of either; for ever once both have ended.
    async fn piece(&mut self) {
        let (mut out, mut err) = (vec![0; PIECE], vec![0; PIECE]);
        let (stream, tap, read, piece) = tokio::select! {
            read = self.output.next(&mut out) => (Stream::Stdout, &mut *self.output, read, &out),
            read = self.complaint.next(&mut err) => (Stream::Stderr, &mut *self.complaint, read, &err),
        };
        match piece.get(..read).filter(|piece| !piece.is_empty()) {
            Some(piece) => {
                tap.take(piece);
                (self.each)(stream, piece);
            }
            None => tap.from = None,
        }
    }

    /// Reads until both have ended, the time is over, or `done` is.
    async fn read_until(&mut self, over: Instant, done: impl Future<Output = ()>) {
        let done = timeout_at(over, done);
        tokio::pin!(done);
        while self.output.from.is_some() || self.complaint.from.is_some() {
            tokio::select! {
                _ = &mut done => return,
                () = self.piece() => {}
            }
        }
    }
}
