//! The frames of `.tasuki/frames/AGENT/`: what a pane showed each time that its state changed, as [`KeptFrame`] reads it. A
//! ring: the oldest go. What a rule read wrongly is among them, and becomes a recorded screen by `tasuki detect keep`.

use super::folder::Folder;
use super::frame::KeptFrame;
use super::regular;
use crate::engine::words::Millis;
use crate::io::clock::Clock;
use crate::wire::time::{rfc3339, rfc3339_ms};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};

/// Frames that are kept of each agent; each has some 10 KB.
pub const KEPT_MAX: usize = 64;
/// Frames that may wait to be written: beyond it they are dropped, for they are no part of the work.
const WAITING_MAX: usize = 64;

/// A frame and how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFrame {
    /// Whose pane.
    pub agent: String,
    /// Its profile.
    pub provider: String,
    /// What it was read as.
    pub state: &'static str,
    /// By which rule, or a dash.
    pub rule: String,
    /// When, by the wall clock.
    pub at: Millis,
    /// What was shown.
    pub frame: KeptFrame,
}

/// The way to the thread that writes frames. It is started with the first of them, and ends with the last way to it.
#[derive(Debug, Clone)]
pub struct Frames {
    folder: PathBuf,
    clock: Clock,
    sender: Arc<OnceLock<Option<SyncSender<NewFrame>>>>,
}

impl Frames {
    /// Frames that go to this folder.
    #[must_use]
    pub fn new(folder: PathBuf, clock: Clock) -> Self {
        Self { folder, clock, sender: Arc::default() }
    }

    /// Keeps a frame of this moment, unless too many wait already.
    pub fn keep(&self, mut frame: NewFrame) {
        frame.at = self.clock.wall();
        let sender = self.sender.get_or_init(|| start(self.folder.clone()));
        if sender.as_ref().is_none_or(|sender| sender.try_send(frame).is_err()) {
            tracing::debug!("a frame could not be kept");
        }
    }
}

fn start(folder: PathBuf) -> Option<SyncSender<NewFrame>> {
    let (sender, frames) = sync_channel(WAITING_MAX);
    let thread = std::thread::Builder::new().name("frames".to_owned());
    match thread.spawn(move || work(&folder, &frames)) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(%error, "no thread for frames: none are kept");
            None
        }
    }
}

fn work(folder: &Path, frames: &Receiver<NewFrame>) {
    for frame in frames {
        if let Err(error) = put(folder, &frame) {
            tracing::debug!(%error, agent = frame.agent, "a frame could not be kept");
        }
    }
}

/// Writes a frame, and removes those of its agent that are too many, also where it could not be written. Gives its path.
///
/// # Errors
/// What the system says; that a folder is a link, or somebody else's.
pub fn put(folder: &Path, new: &NewFrame) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let own = Folder::open(folder).and_then(|folder| folder.make_own(&new.agent));
    own.map_err(io::Error::other)?;
    let folder = folder.join(&new.agent);
    let written = write(&folder, new);
    let cleared = clear(&folder, written.as_deref().ok());
    let path = written?;
    cleared.map(|()| path)
}

fn write(folder: &Path, new: &NewFrame) -> io::Result<PathBuf> {
    let moment: String = rfc3339_ms(new.at).chars().filter(|c| !matches!(c, '-' | ':')).collect();
    let (file, path) = (0..100)
        .find_map(|number| {
            let path = folder.join(format!("{moment}-{number:02}-{}.txt", new.state));
            match make(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
                made => Some(made.map(|file| (file, path))),
            }
        })
        .unwrap_or_else(|| Err(io::Error::other("there are a hundred of this moment")))?;
    let beside = path.with_extension("meta");
    let words =
        format!("provider={} state={} rule={} at={}", new.provider, new.state, new.rule, rfc3339(new.at));
    let filled = fill(file, &new.frame.text()).and_then(|()| {
        let filled = make(&beside).map(|meta| fill(meta, &new.frame.meta(&words)))?;
        filled.inspect_err(|_| drop(fs::remove_file(&beside)))
    });
    // On a full disk a file can be made and not be filled.
    filled.inspect_err(|_| drop(fs::remove_file(&path)))?;
    Ok(path)
}

fn make(path: &Path) -> io::Result<File> {
    regular::open(OpenOptions::new().write(true).create_new(true).mode(0o600), path)
}

fn fill(mut file: File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())
}

/// Removes the oldest frames that are too many, and never the one that was just written. Those that are newer than that were
/// kept by a clock that has been set back since: they go first.
fn clear(folder: &Path, written: Option<&Path>) -> io::Result<()> {
    let mut frames = list(folder)?;
    if let Some(written) = written {
        frames.sort_by_key(|path| path.as_path() <= written);
    }
    for old in frames.into_iter().rev().skip(KEPT_MAX) {
        let _ = fs::remove_file(old.with_extension("meta"));
        fs::remove_file(old)?;
    }
    Ok(())
}

/// The frames in the folder of an agent, oldest first; none if there is no such folder.
///
/// # Errors
/// What the system says.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    let is_frame = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "txt");
    let mut frames: Vec<PathBuf> = paths.into_iter().filter(is_frame).collect();
    frames.sort_unstable();
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(at: u64, row: &str) -> NewFrame {
        let frame = KeptFrame { rows: vec![row.to_owned(), "襷 🎽".to_owned()], ..KeptFrame::default() };
        let (agent, provider, rule) = ("a".to_owned(), "claude".to_owned(), "ready".to_owned());
        NewFrame { agent, provider, state: "ready", rule, at: Millis(at), frame }
    }

    #[test]
    fn the_newest_are_kept_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..KEPT_MAX as u64 + 5 {
            put(folder.path(), &frame(1_700_000_000_000 + at / 2, &format!("row {at}"))).unwrap();
        }
        let kept = list(&folder.path().join("a")).unwrap();
        assert_eq!(kept.len(), KEPT_MAX);
        assert_eq!(
            fs::read_dir(folder.path().join("a")).unwrap().count(),
            2 * KEPT_MAX,
            "and what stands beside"
        );
        assert_eq!(KeptFrame::read(&kept[0]).unwrap().rows[0], "row 5");
        assert_eq!(KeptFrame::read(kept.last().unwrap()).unwrap().rows, ["row 68", "襷 🎽"]);
        assert!(list(&folder.path().join("nobody")).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_and_the_newest_stays() {
        let folder = tempfile::tempdir().unwrap();
        for at in 0..KEPT_MAX as u64 + 1 {
            put(folder.path(), &frame(1_700_000_000_000 + at, "a row")).unwrap();
        }
        // The clock was set back.
        let early = put(folder.path(), &frame(1_600_000_000_000, "early")).unwrap();
        assert!(early.exists());
        assert_eq!(list(&folder.path().join("a")).unwrap().len(), KEPT_MAX);
        // Something lies where its second file goes.
        let other = frame(1_500_000_000_000, "other");
        let meta = folder.path().join("a/20170714T024000.000Z-00-ready.meta");
        fs::create_dir(&meta).unwrap();
        put(folder.path(), &other).unwrap_err();
        let left = list(&folder.path().join("a")).unwrap();
        assert!(left.len() <= KEPT_MAX && !left.iter().any(|path| path.with_extension("meta") == meta));
        std::os::unix::fs::symlink(folder.path().join("a"), folder.path().join("b")).unwrap();
        put(folder.path(), &NewFrame { agent: "b".to_owned(), ..other }).unwrap_err();
    }

    #[test]
    fn the_thread_writes_what_it_is_given_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let (sender, frames) = sync_channel(2);
        sender.send(frame(1_700_000_000_000, "one")).unwrap();
        sender.send(frame(1_700_000_000_001, "two")).unwrap();
        drop(sender);
        work(folder.path(), &frames);
        assert_eq!(list(&folder.path().join("a")).unwrap().len(), 2);
    }

    #[test]
    fn a_frame_that_cannot_be_written_leaves_nothing_and_the_oldest_go_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let new = frame(1_700_000_000_000, "row");
        let path = put(folder.path(), &new).unwrap();
        let beside = path.with_extension("meta");
        fs::remove_file(&path).unwrap();
        fs::remove_file(&beside).unwrap();
        fs::create_dir(&beside).unwrap();
        for number in 0..KEPT_MAX + 3 {
            fs::write(path.with_file_name(format!("2020-{number:03}.txt")), "").unwrap();
        }
        put(folder.path(), &new).unwrap_err();
        assert!(!path.exists());
        assert_eq!(list(path.parent().unwrap()).unwrap().len(), KEPT_MAX);
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_remove_what_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let at = 1_700_000_000_000;
        (0..KEPT_MAX as u64).for_each(|ms| drop(put(folder.path(), &frame(at + ms, "ahead")).unwrap()));
        let new: Vec<PathBuf> =
            (0..3).map(|ms| put(folder.path(), &frame(at - 3_600_000 + ms, "new")).unwrap()).collect();
        assert_eq!(list(&folder.path().join("a")).unwrap()[..3], new[..]);
        assert_eq!(list(&folder.path().join("a")).unwrap().len(), KEPT_MAX);
    }

    #[test]
    fn a_folder_that_is_a_link_is_not_followed() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let links = [folder.path().join("a"), folder.path().join("frames")];
        for (link, frames) in links.iter().zip([folder.path(), &links[1]]) {
            std::os::unix::fs::symlink(other.path(), link).unwrap();
            put(frames, &frame(1_700_000_000_000, "row")).unwrap_err();
        }
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
