//! Reads from tmux and writes to it: one future that owns the client process and never waits for one side only.

use super::calls::{Answer, Calls};
use super::command::Part;
use super::error::TmuxError;
use super::escape::Escape;
use super::parse::Parser;
use super::quote::shown;
use super::server::Server;
use crate::engine::words::PaneId;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

/// Lines whose replies may be on their way; more would only wait in the pipe.
const IN_FLIGHT_MAX: usize = 128;
/// Bytes that may wait to be written before further calls are taken.
const OUT_BYTES_MAX: usize = 1 << 20;
/// Bytes read at once: what a pipe holds.
const READ_BYTES: usize = 64 << 10;
/// How long a client that has closed its output may take to end.
const END_DEADLINE: Duration = Duration::from_millis(500);
/// Bytes of the client's complaints that are kept.
const COMPLAINT_BYTES_MAX: usize = 4 << 10;

/// What the driver is asked.
#[derive(Debug)]
pub(super) enum Call {
    /// Write a line and collect its replies.
    Run(Vec<u8>, Vec<Part>, oneshot::Sender<Answer>),
    /// Count the output of a pane.
    Watch(PaneId, oneshot::Sender<watch::Receiver<u64>>),
}

/// Talks with tmux for all handles. The client process dies with it.
#[derive(Debug)]
pub struct Driver {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
    receiver: mpsc::Receiver<Call>,
    parser: Parser,
    calls: Calls,
    escape: Escape,
    chunk: Box<[u8]>,
}

/// What came first.
enum Event {
    Read(usize),
    Wrote(usize),
    Asked(Option<Call>),
    ToldMissed,
}

impl Driver {
    /// Starts the client. `ignore-size`: it never sizes windows. `pause-after`: if we do not read, tmux drops our
    /// news after 5 s instead of stopping the agents. `-N`: it never starts a server. `-E`: our own environment is
    /// not copied into the session.
    pub(super) fn start(
        server: &Server,
        receiver: mpsc::Receiver<Call>,
        calls: Calls,
    ) -> Result<Self, TmuxError> {
        let mut child = server
            .program()
            .args(["-N", "-C", "attach-session", "-E", "-t", &server.session_target()])
            .args(["-f", "ignore-size,pause-after=5"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(TmuxError::start)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(TmuxError::Gone { why: "its pipes were not made".to_owned() });
        };
        let (parser, chunk) = (Parser::new(), vec![0; READ_BYTES].into_boxed_slice());
        let escape = Escape::Raw;
        Ok(Self { child, stdin, stdout, stderr, receiver, parser, calls, escape, chunk })
    }

    /// Says how this server writes buffers.
    pub(super) fn read_buffers_as(&mut self, escape: Escape) {
        self.escape = escape;
    }

    /// Talks until the connection ends, and says how it ended. All that still wait are told too.
    pub async fn run(mut self) -> String {
        let why = self.drive().await;
        // It has ended already, or it will not end by itself.
        let _ = self.child.kill().await;
        why
    }

    /// As [`Self::run`], but may be dropped and called again.
    pub(super) async fn drive(&mut self) -> String {
        loop {
            if let Err(why) = self.turn().await {
                let why = if why.is_empty() { self.last_words().await } else { why };
                self.receiver.close();
                self.calls.close(&why);
                return why;
            }
        }
    }

    /// Waits for one thing to do and does it. An empty error means that tmux said nothing before it hung up.
    async fn turn(&mut self) -> Result<(), String> {
        let Self { stdin, stdout, receiver, calls, chunk, .. } = self;
        let room = calls.has_room();
        let Calls { out, notices, .. } = calls;
        let missed = notices.has_missed();
        let event = tokio::select! {
            read = stdout.read(chunk) => Event::Read(read.map_err(|error| format!("cannot read: {error}"))?),
            wrote = stdin.write(out), if !out.is_empty() => {
                Event::Wrote(wrote.map_err(|_| String::new())?)
            }
            call = receiver.recv(), if room => Event::Asked(call),
            () = notices.tell_missed(), if missed => Event::ToldMissed,
        };
        match event {
            Event::Read(0) => Err(String::new()),
            Event::Read(bytes) => self.read(bytes),
            Event::Wrote(bytes) => {
                self.calls.out.drain(..bytes);
                Ok(())
            }
            Event::Asked(None) => Err("tasuki closed it".to_owned()),
            Event::Asked(Some(call)) => {
                self.asked(call);
                Ok(())
            }
            Event::ToldMissed => Ok(()),
        }
    }

    fn read(&mut self, bytes: usize) -> Result<(), String> {
        self.parser.feed(&self.chunk[..bytes]);
        while let Some(line) = self.parser.next_line() {
            if let Some(length) = self.calls.line(&line)? {
                self.parser.hold(length, self.escape);
            }
        }
        Ok(())
    }

    /// Takes a call, and whatever else waits, so that one write carries them all.
    fn asked(&mut self, call: Call) {
        let mut next = Some(call);
        while let Some(call) = next {
            match call {
                Call::Run(line, parts, answer) => self.calls.send(&line, parts, Some(answer)),
                // Who asked may have given up.
                Call::Watch(pane, answer) => drop(answer.send(self.calls.watch(pane))),
            }
            next = if self.calls.has_room() { self.receiver.try_recv().ok() } else { None };
        }
    }

    /// What the client complained of, or that it said nothing.
    async fn last_words(&mut self) -> String {
        let mut words = Vec::new();
        let mut complaints = (&mut self.stderr).take(COMPLAINT_BYTES_MAX as u64);
        // What was read by then will do.
        let _ = timeout(END_DEADLINE, complaints.read_to_end(&mut words)).await;
        if words.is_empty() { "tmux hung up without a word".to_owned() } else { shown(&words) }
    }
}

impl Calls {
    /// Whether another call may be taken.
    fn has_room(&self) -> bool {
        self.in_flight() < IN_FLIGHT_MAX && self.out.len() < OUT_BYTES_MAX
    }
}
