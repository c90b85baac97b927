//! Reads from tmux and writes to it: one future that owns the client processes and never waits for one side only.

use super::calls::{CallAnswer, Calls};
use super::command::{Part, TmuxCommand};
use super::escape::Escape;
use super::flood::Flood;
use super::hearing::Hearing;
use super::notification::SessionId;
use super::options::GUARD;
use super::parse::Parser;
use super::quote::shown;
use super::server::{GUARD_FLAGS, Server, TALKER_FLAGS};
use crate::engine::words::PaneId;
use crate::io::mux::error::MuxError;
use crate::io::mux::screen::Printed;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{self, Child, ChildStderr, ChildStdin};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

/// How long a call may take. tmux answers within 1 ms, within 10 ms under load; 5 s is a server that does not run.
pub const CALL_DEADLINE: Duration = Duration::from_secs(5);

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
    Run(Vec<u8>, Vec<Part>, oneshot::Sender<CallAnswer>),
    /// Count the output of a pane.
    Watch(PaneId, oneshot::Sender<watch::Receiver<Printed>>),
    /// Tell when the size of a pane changes.
    WatchSize(PaneId, oneshot::Sender<watch::Receiver<()>>),
}

/// Talks with tmux for all handles. Its client processes die with it.
#[derive(Debug)]
pub struct Driver {
    child: Child,
    stdin: ChildStdin,
    hearing: Hearing,
    stderr: ChildStderr,
    guard: Option<Guard>,
    /// For starting the guard.
    server: Server,
    /// When a person was last at the session, before us.
    person: Option<u64>,
    receiver: mpsc::Receiver<Call>,
    parser: Parser,
    calls: Calls,
    escape: Escape,
    chunk: Box<[u8]>,
    flood: Flood,
}

/// A second client, which is told nothing of output.
///
/// tmux reads from a pane only while some client can take more. `pause-after` is meant to free the agents of a client
/// that does not read, but tmux looks at the time only when it reads: with up to 512 bytes left over in its buffer it
/// goes on, with more the agents stand still for as long as we do (2 of 12 runs, 3.3a; the same code in 3.7c). A
/// client that wants no output can always take more.
#[derive(Debug)]
struct Guard {
    child: Child,
    /// It ends when this is closed, as when we are killed.
    _stdin: Option<ChildStdin>,
}

/// What came first.
enum Event {
    Read(usize),
    Wrote(usize),
    Asked(Option<Call>),
    ToldMissed,
    Rested,
}

/// What is said of a guard that does not come.
const NO_GUARD: &str = "the second of the two clients could not be attached";

/// Why there is no next turn.
enum End {
    /// In words.
    Because(String),
    /// tmux hung up; it may have complained elsewhere.
    HungUp,
    /// The guard has ended, by a person's hand or with everything else.
    Unguarded,
}

impl Driver {
    /// Starts the client that talks, and tells when it is attached. Nothing may be asked before that: tmux may read a
    /// command before it has attached us (1 in 1,000 on a loaded machine), and then runs it for no session.
    pub(super) fn start(
        server: &Server,
        receiver: mpsc::Receiver<Call>,
        mut calls: Calls,
        person: Option<u64>,
    ) -> Result<(Self, oneshot::Receiver<SessionId>), MuxError> {
        let mut command = attach(server, TALKER_FLAGS);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(MuxError::start)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(MuxError::Gone { why: "its pipes were not made".to_owned() });
        };
        let hearing = Hearing::of(stdout).map_err(MuxError::start)?;
        let attached = calls.await_session();
        let (parser, chunk) = (Parser::new(), vec![0; READ_BYTES].into_boxed_slice());
        let (guard, escape) = (None, Escape::Raw);
        let (server, flood) = (server.clone(), Flood::new(Instant::now()));
        let driver = Self {
            child,
            stdin,
            hearing,
            stderr,
            guard,
            server,
            person,
            receiver,
            parser,
            calls,
            escape,
            chunk,
            flood,
        };
        Ok((driver, attached))
    }

    /// Starts the guard and waits until it is attached. Nothing is asked before that ([`Calls::has_room`]): tmux 3.3a dies
    /// if it has news to tell while a control-mode client is half connected (3 of 60 runs with a window made meanwhile).
    async fn guard(&mut self) -> Result<(), End> {
        let mut command = attach(&self.server, GUARD_FLAGS);
        let spawned = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = spawned.map_err(|error| End::Because(format!("{NO_GUARD}: {error}")))?;
        self.calls.await_guard(child.id().unwrap_or_default());
        self.guard = Some(Guard { _stdin: child.stdin.take(), child });
        let attached = async {
            while self.calls.is_attaching() {
                self.turn().await?;
            }
            Ok(())
        };
        timeout(CALL_DEADLINE, attached).await.unwrap_or_else(|_| Err(End::Because(NO_GUARD.to_owned())))
    }

    /// Writes down that it was us who came just now, and when a person was there before: the next connection tells them apart. And which
    /// client is the guard: for as long as it is there, the session has a daemon.
    fn note_ourselves(&mut self) {
        let people = format!("#{{session_activity}} {}", self.person.unwrap_or(0));
        let target = self.server.window_target();
        let set = |name: &str, value: String| {
            TmuxCommand::silent("set-option").flag("-F").flag("-t").word(&target).word(name).word(value)
        };
        let guard = self.calls.guard().unwrap_or_default().to_owned();
        if let Ok((line, parts)) = set("@tasuki_people", people).then(set(GUARD, guard)).into_line() {
            self.calls.send(&line, parts, None);
        }
    }

    /// Says how this server writes buffers.
    pub(super) fn read_buffers_as(&mut self, escape: Escape) {
        self.escape = escape;
    }

    /// Starts the second client, talks until the connection ends, and says how it ended. All that still wait are told too.
    pub async fn run(mut self) -> String {
        let why = match self.guard().await {
            Ok(()) => {
                self.note_ourselves();
                self.drive().await
            }
            Err(end) => self.ended(end).await,
        };
        // It has ended already, or it will not end by itself.
        let _ = self.child.kill().await;
        why
    }

    /// Talks while something is waited for.
    ///
    /// # Errors
    /// [`MuxError::Gone`] if the connection ends first.
    pub async fn meanwhile<T>(&mut self, something: impl Future<Output = T>) -> Result<T, MuxError> {
        tokio::select! {
            done = something => Ok(done),
            why = self.drive() => Err(MuxError::Gone { why }),
        }
    }

    /// As [`Self::run`], but may be dropped and called again.
    async fn drive(&mut self) -> String {
        let end = self.turns().await;
        self.ended(end).await
    }

    /// Why it ended, after all that wait have been told.
    async fn ended(&mut self, end: End) -> String {
        let why = match end {
            End::Because(why) => why,
            End::HungUp => self.last_words().await,
            End::Unguarded => self.unguarded().await,
        };
        self.receiver.close();
        self.calls.close(&why);
        why
    }

    async fn turns(&mut self) -> End {
        loop {
            if let Err(end) = self.turn().await {
                return end;
            }
        }
    }

    /// Waits for one thing to do and does it.
    async fn turn(&mut self) -> Result<(), End> {
        let Self { stdin, hearing, guard, receiver, calls, chunk, flood, .. } = self;
        let room = calls.has_room();
        // A reply that is waited for is never left lying.
        let rest = flood.rests_until(Instant::now()).filter(|_| calls.in_flight() == 0);
        hearing.close(rest.is_some()).map_err(|_| End::HungUp)?;
        let Calls { out, notices, .. } = calls;
        let missed = notices.has_missed();
        let event = tokio::select! {
            () = rested(rest) => Event::Rested,
            read = hearing.read(chunk) => Event::Read(read.map_err(|_| End::HungUp)?),
            wrote = stdin.write(out), if !out.is_empty() => Event::Wrote(wrote.map_err(|_| End::HungUp)?),
            call = receiver.recv(), if room => Event::Asked(call),
            () = notices.tell_missed(), if missed => Event::ToldMissed,
            () = gone(guard) => return Err(End::Unguarded),
        };
        match event {
            Event::Read(0) => return Err(End::HungUp),
            Event::Read(bytes) => self.read(bytes).map_err(End::Because)?,
            Event::Wrote(bytes) => drop(self.calls.out.drain(..bytes)),
            Event::Asked(None) => return Err(End::Because("tasuki closed it".to_owned())),
            Event::Asked(Some(call)) => self.asked(call),
            Event::ToldMissed | Event::Rested => {}
        }
        Ok(())
    }

    fn read(&mut self, bytes: usize) -> Result<(), String> {
        let now = Instant::now();
        self.calls.read_at(now);
        self.parser.feed(&self.chunk[..bytes]);
        while let Some(line) = self.parser.next_line() {
            if let Some(length) = self.calls.line(&line)? {
                self.parser.hold(length, self.escape);
            }
        }
        self.flood.read(now, self.calls.pieces());
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
                Call::WatchSize(pane, answer) => drop(answer.send(self.calls.watch_size(pane))),
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

    /// Where the guard ended with the server, the client will say so; else somebody has ended it, and we end too
    /// rather than endanger the agents.
    async fn unguarded(&mut self) -> String {
        self.guard = None;
        match timeout(END_DEADLINE, self.turns()).await {
            Ok(End::Because(why)) => why,
            Ok(End::HungUp) => self.last_words().await,
            Ok(End::Unguarded) | Err(_) => "somebody ended the second of its two clients".to_owned(),
        }
    }
}

/// A control-mode client of our session. `-N`: it never starts a server. `-E`: our own environment is not copied into
/// the session.
fn attach(server: &Server, flags: &str) -> process::Command {
    let mut command = server.program();
    command.args(["-N", "-C", "attach-session", "-E", "-t", &server.session_target(), "-f", flags]);
    command.stdin(Stdio::piped());
    command
}

/// Waits for the end of the guard; for ever where there is none.
async fn gone(guard: &mut Option<Guard>) {
    match guard {
        // That it cannot be watched is as bad as its end.
        Some(guard) => drop(guard.child.wait().await),
        None => std::future::pending().await,
    }
}

/// Waits for the end of a rest; for ever where there is none.
async fn rested(rest: Option<Instant>) {
    match rest {
        Some(until) => sleep_until(until).await,
        None => std::future::pending().await,
    }
}

impl Calls {
    /// Whether another call may be taken.
    pub(super) fn has_room(&self) -> bool {
        !self.is_attaching() && self.in_flight() < IN_FLIGHT_MAX && self.out.len() < OUT_BYTES_MAX
    }
}
