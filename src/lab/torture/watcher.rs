//! Reads what the daemon shows, all the while, as people and programs do: each file is whole whenever it is read, is its
//! user's alone, and what is written once stays as it was read first. The oracle compares that with what is there in the end.

use super::record::{Note, Recorder, digest};
use crate::io::clock;
use crate::io::workspace::Workspace;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two rounds: what is written meanwhile is met in the midst of it often enough, and something is left for others.
const REST: Duration = Duration::from_millis(5);
/// How a view may be opened: by its user alone.
const MODE: u32 = 0o600;

/// A thread that reads until it is told to end.
#[derive(Debug)]
pub(super) struct Watcher {
    over: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
}

impl Watcher {
    pub(super) fn start(workspace: Workspace, record: Recorder) -> io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let eyes = Eyes { workspace, record, known: BTreeSet::new(), told: BTreeSet::new(), files: 0 };
        let until = over.clone();
        let thread = std::thread::Builder::new().name("watcher".into()).spawn(move || eyes.watch(&until))?;
        Ok(Self { over, thread })
    }

    /// Ends it after one more round.
    pub(super) fn end(self) -> io::Result<()> {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| io::Error::other("whoever reads the views broke down"))?
    }
}

struct Eyes {
    workspace: Workspace,
    record: Recorder,
    /// Files that are written once and have been read.
    known: BTreeSet<PathBuf>,
    /// Files of which something was said.
    told: BTreeSet<PathBuf>,
    files: u64,
}

impl Eyes {
    fn watch(mut self, over: &AtomicBool) -> io::Result<()> {
        let mut rounds = 0;
        loop {
            let last = over.load(Ordering::Relaxed);
            self.round()?;
            rounds += 1;
            if last {
                return self.record.note(&Note::Watched { files: self.files, rounds });
            }
            clock::rest(REST);
        }
    }

    fn round(&mut self) -> io::Result<()> {
        let days: Vec<PathBuf> = paths(&self.workspace.done()).flat_map(|day| views(&day)).collect();
        for path in views(&self.workspace.results()).into_iter().chain(days) {
            if !self.known.contains(&path)
                && let Some(bytes) = self.read(&path, ends_a_message)?
            {
                let shown = path.strip_prefix(self.workspace.root()).unwrap_or(&path);
                let (path_text, digest) = (shown.to_string_lossy().into_owned(), digest(&bytes));
                self.record.note(&Note::Seen { path: path_text, digest })?;
                self.known.insert(path);
            }
        }
        for path in views(&self.workspace.active()) {
            self.read(&path, ends_a_message)?;
        }
        for path in views(&self.workspace.agents_status()) {
            self.read(&path, |last| last.starts_with("statistics: {") && last.ends_with('}'))?;
        }
        for path in views(&self.workspace.status()) {
            // Notes stand last, where there are any.
            self.read(&path, |last| last.starts_with("counts: {") || last.starts_with("- "))?;
        }
        Ok(())
    }

    /// The bytes of a view; none if it has gone. One that is not whole, or not its user's alone, is a finding.
    fn read(&mut self, path: &Path, ends: fn(&str) -> bool) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        let mode = File::open(path).and_then(|mut file| {
            file.read_to_end(&mut bytes)?;
            Ok(file.metadata()?.permissions().mode() & 0o777)
        });
        let mode = match mode {
            Ok(mode) => mode,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                self.tell(path, &format!("cannot be read: {error}"))?;
                return Ok(None);
            }
        };
        self.files += 1;
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let last = text.lines().last().unwrap_or_default();
        if !text.ends_with('\n') || !ends(last) {
            self.tell(path, &format!("was there in part: it ended with {last:.200?}"))?;
        }
        if mode != MODE {
            self.tell(path, &format!("may be opened with mode {mode:o}, not {MODE:o}"))?;
        }
        Ok(Some(bytes))
    }

    /// Each once: one that is there for long is read a thousand times.
    fn tell(&mut self, path: &Path, what: &str) -> io::Result<()> {
        if self.told.insert(path.to_owned()) {
            let text = format!("{} {what}", path.display());
            self.record.note(&Note::Odd { text, at: 0 })?;
        }
        Ok(())
    }
}

/// A line that a message's view may end with: it has to be there, and names a field.
fn ends_a_message(last: &str) -> bool {
    last.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains('"'))
}

/// Views in a folder; none if it is not there. What begins with a dot is nobody's to read.
fn views(folder: &Path) -> Vec<PathBuf> {
    let is_view = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && name.ends_with(".yaml")
    };
    paths(folder).filter(is_view).collect()
}

fn paths(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}
