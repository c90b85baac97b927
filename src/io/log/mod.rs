//! The daemon's log: `.tasuki/daemon.log`, one line an event, 0600, three files of 10 MiB.
//!
//! One thread owns the file. Whoever logs hands it a line and goes on: a full or slow disk costs lines of the log, which
//! are counted, and never the daemon's time.

use crate::io::clock;
use crate::wire::clean::Cleaner;
use crate::wire::time;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::fmt::{MakeWriter, format::Writer, time::FormatTime};
use tracing_subscriber::layer::SubscriberExt as _;

/// A log begins a new file at this size (durability, limits).
pub const LOG_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// Files of one log, the newest included (durability, limits).
pub const LOG_FILES_MAX: u32 = 3;
/// Lines on their way to the file: a burst of a thousand messages with a line each fits, and costs about 200 KB.
const LINES_WAITING_MAX: usize = 1_024;
/// A longer line is cut: what somebody wants to read of it is in the journal.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// How long an ending daemon waits for its last lines; a disk that needs longer has a problem that no line can tell.
const CLOSE_WAIT: Duration = Duration::from_secs(2);

/// How often a full channel is asked again.
const CLOSE_STEP: Duration = Duration::from_millis(10);

/// The open log. Dropping it writes what waits and closes the file.
#[derive(Debug)]
pub struct Log {
    sink: Sink,
    keeper: Option<JoinHandle<()>>,
    done: Receiver<()>,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// A level that is none.
    #[error(
        "{filter:?} is no log level ({why}); use error, warn, info, debug or trace, or a list like info,tasuki::io=debug"
    )]
    Filter {
        /// What was asked for.
        filter: String,
        /// What is wrong with it.
        why: String,
    },
    /// The machine said no.
    #[error("cannot write {}", .path.display())]
    Io {
        /// The log file.
        path: PathBuf,
        /// What the machine said.
        source: io::Error,
    },
    /// A pattern for secrets is wrong: a bug.
    #[error("a pattern for secrets is wrong; please report this")]
    Pattern(#[from] regex::Error),
}

impl Log {
    /// Opens `path` and starts the thread that keeps it.
    ///
    /// # Errors
    /// [`LogError`] if the file cannot be opened.
    pub fn start(path: &Path) -> Result<Self, LogError> {
        let cleaner = Cleaner::shared()?;
        let io = |source| LogError::Io { path: path.to_path_buf(), source };
        let file = open(path).map_err(io)?;
        let bytes = file.metadata().map_err(io)?.len();
        let (lines, waiting) = sync_channel(LINES_WAITING_MAX);
        let (finished, done) = sync_channel(1);
        let sink = Sink { lines, lost: Arc::default() };
        let keeper = Keeper { path: path.to_path_buf(), file, bytes, cleaner, lost: Arc::clone(&sink.lost) };
        let keeper = std::thread::Builder::new()
            .name("log".into())
            .spawn(move || {
                keeper.keep(&waiting);
                // Nobody waits for it if the daemon gave up waiting.
                let _ = finished.send(());
            })
            .map_err(io)?;
        Ok(Self { sink, keeper: Some(keeper), done })
    }

    /// What `tracing` is to be given: everything that `filter` (a level, or a list of `target=level`) lets through.
    ///
    /// # Errors
    /// [`LogError::Filter`] says what is wrong with the filter.
    pub fn subscriber(
        &self,
        filter: &str,
    ) -> Result<impl tracing::Subscriber + Send + Sync + use<>, LogError> {
        let targets: Targets = filter.parse().map_err(|error: ParseError| LogError::Filter {
            filter: filter.into(),
            why: error.to_string(),
        })?;
        let lines = tracing_subscriber::fmt::layer()
            .with_timer(WallTime)
            .with_ansi(false)
            .with_writer(self.sink.clone());
        Ok(tracing_subscriber::registry().with(lines).with(targets))
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // The subscriber lives as long as the process, so the end is a message and not a closed channel. A full channel
        // is asked again while the thread still empties it.
        let mut patience = CLOSE_WAIT;
        while self.sink.lines.try_send(Order::Close).is_err() && !patience.is_zero() {
            patience = patience.saturating_sub(CLOSE_STEP);
            if self.done.recv_timeout(CLOSE_STEP) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
        if self.done.recv_timeout(patience).is_ok() {
            self.keeper.take().map(JoinHandle::join);
        }
    }
}

/// Moves `x.log` to `x.log.1` and that to `x.log.2`; the oldest goes. A crash between two renames costs the oldest file.
///
/// # Errors
/// When a file is there and cannot be renamed.
pub fn rotate(path: &Path) -> io::Result<()> {
    for older in (1..LOG_FILES_MAX).rev() {
        let from = if older == 1 { path.to_path_buf() } else { numbered(path, older - 1) };
        match std::fs::rename(&from, numbered(path, older)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// What the thread is asked to do.
#[derive(Debug)]
enum Order {
    Write(Vec<u8>),
    Close,
}

/// The writing end, one a place that logs.
#[derive(Debug, Clone)]
struct Sink {
    lines: SyncSender<Order>,
    lost: Arc<AtomicU64>,
}

impl MakeWriter<'_> for Sink {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Write for Sink {
    /// Takes a whole event: `fmt` formats into memory and writes once.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        if self.lines.try_send(Order::Write(event.to_vec())).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The owner of the file.
struct Keeper {
    path: PathBuf,
    file: File,
    bytes: u64,
    cleaner: &'static Cleaner,
    lost: Arc<AtomicU64>,
}

impl Keeper {
    fn keep(mut self, waiting: &Receiver<Order>) {
        while let Ok(Order::Write(event)) = waiting.recv() {
            let text = String::from_utf8_lossy(&event);
            let line = self.cleaner.line(cut(text.trim_end_matches('\n')));
            if self.write(&line).is_err() {
                self.lost.fetch_add(1, Ordering::Relaxed);
                // Whoever started the daemon is to hear of it all the same: a terminal, or the journal of systemd.
                let _ = writeln!(io::stderr(), "{line}");
            }
            self.admit_losses();
        }
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        if self.bytes >= LOG_BYTES_MAX {
            self.turn();
        }
        self.file.write_all(format!("{line}\n").as_bytes())?;
        self.bytes += line.len() as u64 + 1;
        Ok(())
    }

    /// Says how many lines are missing as soon as the disk takes a line again.
    fn admit_losses(&mut self) {
        let lost = self.lost.load(Ordering::Relaxed);
        if lost == 0 {
            return;
        }
        let now = time::rfc3339_ms(clock::wall_now());
        let line =
            format!("{now} WARN lines of this log that were lost: {lost}; the disk was full or too slow");
        if self.write(&line).is_ok() {
            self.lost.fetch_sub(lost, Ordering::Relaxed);
        }
    }

    /// Goes on in the old file if a new one cannot be had.
    fn turn(&mut self) {
        if let Ok(file) = rotate(&self.path).and_then(|()| open(&self.path)) {
            self.file = file;
        }
        self.bytes = 0;
    }
}

struct WallTime;

impl FormatTime for WallTime {
    fn format_time(&self, w: &mut Writer<'_>) -> std::fmt::Result {
        w.write_str(&time::rfc3339_ms(clock::wall_now()))
    }
}

/// A pipe is refused: its reader might be waited for for ever.
fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or(0);
    let file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
    let is_pipe = file.metadata()?.file_type().is_fifo();
    if is_pipe { Err(io::Error::other("it is a pipe")) } else { Ok(file) }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

fn cut(line: &str) -> &str {
    line.get(..line.floor_char_boundary(LINE_BYTES_MAX)).unwrap_or(line)
}

#[cfg(test)]
mod tests;
