//! The views: files that people, agents and their programs read, and that follow from the journal. Each is written whole
//! under another name and renamed, so a reader never sees half of one, and none is synced: what a power cut takes is written
//! again at start. Names are made from checked words only.
//!
//! What is open (`queue/active/`, `status/agents/`, `status/daemon.yaml`) is remembered by its stamp, so that a view that
//! somebody edited or deleted is found and written again at once ([`Views::altered`]). A folder that was moved away or
//! removed is made anew ([`Views::refresh`]); a link is never followed.

mod beside;
mod debate;
mod debates_written;
mod last_word;
mod leftover;
mod lines;
mod log;
mod lost;
mod retention;

pub use last_word::last_word;
pub use lines::{LastLines, line};

use crate::engine::flow::id::FlowId;
use crate::engine::words::{AgentName, MessageId};
use crate::io::folder::{Folder, FolderError, Stamp};
use crate::io::mailbox::MAIN_ZONE;
use crate::wire::time::Day;
use debates_written::DebatesWritten;
pub use debates_written::RoundFile;
use rustix::io::Errno;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A view of something open.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum View {
    /// `queue/active/ID.yaml` in the drop zone of this number.
    Active(u32, MessageId),
    /// `status/agents/NAME.yaml`
    Agent(AgentName),
    /// `status/daemon.yaml`
    Daemon,
    /// `.tasuki/sessions/ID.json`
    Session(FlowId),
}

/// A file up to this size reaches a disk whole or not at all.
const PAGE_BYTES: i64 = 4_096;

/// The folders of views and what was written to those of what is open.
#[derive(Debug)]
pub struct Views {
    root: PathBuf,
    home: Folder,
    folders: Folders,
    /// `active/` in the drop zones of worktrees.
    far: BTreeMap<u32, Folder>,
    /// Whose status is written where besides.
    beside: Vec<(AgentName, PathBuf)>,
    /// The dated folder that was written to last.
    today: Option<(Day, Folder)>,
    written: HashMap<View, Stamp>,
    debates: DebatesWritten,
    /// A folder was made anew since [`Views::refresh`] was asked.
    lost: bool,
}

#[derive(Debug)]
struct Folders {
    queue: Folder,
    active: Folder,
    results: Folder,
    done: Folder,
    inbox: Folder,
    status: Folder,
    agents: Folder,
    sessions: Folder,
}

impl Folders {
    fn open(root: &Path) -> Result<Self, FolderError> {
        let root = Folder::open(root)?;
        let queue = root.make_own("queue")?;
        let status = root.make_own("status")?;
        Ok(Self {
            active: queue.make_own("active")?,
            results: queue.make_own("results")?,
            done: queue.make_own("done")?,
            inbox: queue.make_own("inbox")?,
            queue,
            agents: status.make_own("agents")?,
            status,
            sessions: root.make_own(".tasuki")?.make_own("sessions")?,
        })
    }

    /// The folder of a view of something open.
    fn of<'f>(&'f self, far: &'f BTreeMap<u32, Folder>, view: &View) -> &'f Folder {
        match view {
            View::Active(zone, _) => far.get(zone).unwrap_or(&self.active),
            View::Agent(_) => &self.agents,
            View::Daemon => &self.status,
            View::Session(_) => &self.sessions,
        }
    }

    fn all(&self) -> [&Folder; 8] {
        let Self { queue, active, results, done, inbox, status, agents, sessions } = self;
        [queue, active, results, done, inbox, status, agents, sessions]
    }
}

impl Views {
    /// Opens the views of the workspace at `root`; folders that are missing are made, ours are narrowed to 0700.
    ///
    /// # Errors
    /// [`FolderError`]: one is not ours, not a folder, or everybody may write to it.
    pub fn open(root: &Path) -> Result<Self, FolderError> {
        let root = std::fs::canonicalize(root).map_err(|error| {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            FolderError::Io { doing: "open", path: root.to_owned(), errno }
        })?;
        let folders = Folders::open(&root)?;
        let home = Folder::open(&root)?;
        Ok(Self {
            root,
            home,
            folders,
            far: BTreeMap::new(),
            beside: Vec::new(),
            today: None,
            written: HashMap::new(),
            debates: DebatesWritten::default(),
            lost: false,
        })
    }

    /// The workspace that they are of.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Shows what is open for the drop zone at `place` in `place/active/`.
    ///
    /// # Errors
    /// As [`Views::open`].
    pub fn add_zone(&mut self, number: u32, place: &Path) -> Result<(), FolderError> {
        self.far.insert(number, Folder::open(place)?.make_own("active")?);
        Ok(())
    }

    /// Writes a view of something open.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn write(&mut self, view: View, text: &str) -> Result<(), FolderError> {
        let name = view.file_name();
        let stamp = self.retry(|views| {
            let folder = views.folder(&view);
            folder.write(&name, text).map_err(|errno| folder.failed("write", &name, errno))
        })?;
        self.written.insert(view, stamp);
        Ok(())
    }

    /// Removes a view of something that is open no longer; that there is none is as good.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove(&mut self, view: &View) -> Result<(), FolderError> {
        self.written.remove(view);
        let (folder, name) = (self.folder(view), view.file_name());
        folder.remove(&name).map_err(|errno| folder.failed("remove", &name, errno))
    }

    /// Writes `.tasuki/sessions/ID.json` of a session that changes no more: from now on it is kept as finished messages are.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn write_last(&mut self, id: FlowId, text: &str) -> Result<(), FolderError> {
        self.write(View::Session(id.clone()), text)?;
        self.written.remove(&View::Session(id));
        Ok(())
    }

    /// Writes `queue/results/ID.yaml`, the answer to message ID.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn write_result(&mut self, id: &MessageId, text: &str) -> Result<(), FolderError> {
        let name = file_name(id.as_str());
        self.retry(|views| {
            let folder = &views.folders.results;
            folder.write(&name, text).map_err(|errno| folder.failed("write", &name, errno))
        })?;
        Ok(())
    }

    /// Writes `queue/inbox/ID.yaml`, a message to the user that was not read yet. Whoever shows it to a person removes it, so it is
    /// never written again.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn write_letter(&mut self, id: &MessageId, text: &str) -> Result<(), FolderError> {
        let name = file_name(id.as_str());
        self.retry(|views| {
            let folder = &views.folders.inbox;
            folder.write(&name, text).map_err(|errno| folder.failed("write", &name, errno))
        })?;
        Ok(())
    }

    /// Writes `queue/done/DAY/ID.yaml`, then removes the view of it as open. A crash between the two leaves both; the open
    /// one is found by [`Views::list_active`] and removed at start.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn finish(&mut self, zone: u32, id: &MessageId, day: &Day, text: &str) -> Result<(), FolderError> {
        self.write_done(id, day, text)?;
        self.remove(&View::Active(zone, id.clone()))
    }

    /// Writes `queue/done/DAY/ID.yaml` and leaves the view of it as open to somebody who still reads it.
    ///
    /// # Errors
    /// [`FolderError`]
    pub fn write_done(&mut self, id: &MessageId, day: &Day, text: &str) -> Result<(), FolderError> {
        let name = file_name(id.as_str());
        self.retry(|views| {
            let folder = views.dated(day)?;
            folder.write(&name, text).map_err(|errno| folder.failed("write", &name, errno))
        })?;
        Ok(())
    }

    /// Whether `queue/active/ID.yaml` is there.
    #[must_use]
    pub fn is_open_shown(&self, id: &MessageId) -> bool {
        self.folders.active.stat(&file_name(id.as_str())).is_ok()
    }

    /// Whether a finished message's views are there, as [`Views::is_end_shown`] says, and the open one is gone.
    #[must_use]
    pub fn has_finished(&self, id: &MessageId, day: &Day, answered: bool) -> bool {
        self.is_end_shown(id, day, answered) && !self.is_open_shown(id)
    }

    /// Whether the view of a finished message is there, and the answer's if it has one, as far as their sizes tell: after a
    /// power cut a file that was not synced may be there and empty, or be there in part, which is a page or more. What was
    /// only to be read stays open to its reader for a while.
    #[must_use]
    pub fn is_end_shown(&self, id: &MessageId, day: &Day, answered: bool) -> bool {
        let name = file_name(id.as_str());
        let whole =
            |folder: &Folder| folder.stat(&name).is_ok_and(|stat| (1..PAGE_BYTES).contains(&stat.st_size));
        let dated = self.folders.done.enter(day.as_str());
        (!answered || whole(&self.folders.results)) && dated.is_ok_and(|folder| whole(&folder))
    }

    /// The same where their sizes tell nothing: whether they hold these texts.
    #[must_use]
    pub fn holds_end(&self, id: &MessageId, day: &Day, result: Option<&str>, done: &str) -> bool {
        let name = file_name(id.as_str());
        let holds = |folder: &Folder, text: &str| {
            let read = folder.read(&name).and_then(|file| read_up_to(file, text.len() + 1));
            read.is_ok_and(|bytes| bytes == text.as_bytes())
        };
        let dated = self.folders.done.enter(day.as_str());
        result.is_none_or(|text| holds(&self.folders.results, text))
            && dated.is_ok_and(|folder| holds(&folder, done))
    }

    /// What is in the `active/` folders, whoever wrote it: to be compared with what is open, at start.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn list_active(&self) -> Result<Vec<View>, FolderError> {
        let mut views = Vec::new();
        let all = std::iter::once((&MAIN_ZONE, &self.folders.active)).chain(&self.far);
        for (zone, folder) in all {
            let ids = folder.names()?.into_iter().filter_map(|name| MessageId::new(stem(&name)?).ok());
            views.extend(ids.map(|id| View::Active(*zone, id)));
        }
        Ok(views)
    }

    /// The agents that have a status file, for removing those of agents that are in the team no longer.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn list_agents(&self) -> Result<Vec<AgentName>, FolderError> {
        let names = self.folders.agents.names()?;
        Ok(names.iter().filter_map(|name| AgentName::new(stem(name)?).ok()).collect())
    }

    /// Those of the files that are views of something open and are not as they were written: somebody edited, replaced or
    /// deleted them. What was never written here is of no concern.
    #[must_use]
    pub fn altered<'p>(&self, files: impl IntoIterator<Item = &'p Path>) -> Vec<View> {
        let mut views: Vec<View> = files.into_iter().filter_map(|path| self.view_at(path)).collect();
        views.sort_unstable();
        views.dedup();
        views.retain(|view| self.is_altered(view));
        views
    }

    /// The same for everything open, for when events were lost.
    #[must_use]
    pub fn altered_all(&self) -> Vec<View> {
        let mut views: Vec<View> =
            self.written.keys().filter(|view| self.is_altered(view)).cloned().collect();
        views.sort_unstable();
        views
    }

    /// Makes folders anew that were moved away or removed. True if there were any: everything open is to be written again.
    ///
    /// # Errors
    /// As [`Views::open`]
    pub fn refresh(&mut self) -> Result<bool, FolderError> {
        let gone = |folder: &&Folder| !folder.is_at(folder.path());
        if self.folders.all().iter().any(gone) || self.far.values().any(|folder| gone(&folder)) {
            self.reopen()?;
        }
        Ok(std::mem::take(&mut self.lost))
    }

    /// Makes every view durable, with all else on its file system: before a segment of the journal turns.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn sync(&self) -> Result<(), FolderError> {
        for folder in [&self.folders.queue, &self.folders.status, &self.folders.sessions] {
            folder.sync_all().map_err(|errno| folder.failed("sync", "".as_ref(), errno))?;
        }
        Ok(())
    }

    fn reopen(&mut self) -> Result<(), FolderError> {
        self.lost = true;
        self.today = None;
        self.written.clear();
        // Another workspace in its place is not this one's to write to, and whose memory was removed makes none anew.
        if !self.home.is_at(&self.root) {
            return Err(FolderError::Io { doing: "find", path: self.root.clone(), errno: Errno::NOENT });
        }
        self.home.enter(".tasuki")?;
        self.folders = Folders::open(&self.root)?;
        for folder in self.far.values_mut() {
            let Some(place) = folder.path().parent() else { continue };
            *folder = Folder::open(place)?.make_own("active")?;
        }
        Ok(())
    }

    /// Tries once more if a folder was removed under our hands.
    fn retry<T>(
        &mut self,
        mut write: impl FnMut(&mut Self) -> Result<T, FolderError>,
    ) -> Result<T, FolderError> {
        match write(self) {
            Err(FolderError::Io { errno: Errno::NOENT, .. }) => {
                self.reopen()?;
                write(self)
            }
            other => other,
        }
    }

    fn folder(&self, view: &View) -> &Folder {
        self.folders.of(&self.far, view)
    }

    fn dated(&mut self, day: &Day) -> Result<&Folder, FolderError> {
        let today = match self.today.take() {
            Some((of, folder)) if of == *day => (of, folder),
            _ => (day.clone(), self.folders.done.make_own(day.as_str())?),
        };
        Ok(&self.today.insert(today).1)
    }

    fn is_altered(&self, view: &View) -> bool {
        let Some(written) = self.written.get(view) else { return false };
        let now = self.folder(view).stat(&view.file_name());
        !now.is_ok_and(|stat| Stamp::of(&stat) == *written)
    }

    fn view_at(&self, path: &Path) -> Option<View> {
        let parent = path.parent()?;
        if parent == self.folders.sessions.path() {
            let id = path.file_name()?.to_str()?.strip_suffix(".json")?;
            return FlowId::new(id).ok().map(View::Session);
        }
        let stem = stem(path.file_name()?)?;
        if parent == self.folders.agents.path() {
            return AgentName::new(stem).ok().map(View::Agent);
        }
        if parent == self.folders.status.path() {
            return (stem == "daemon").then_some(View::Daemon);
        }
        let far = self.far.iter().find(|(_, folder)| folder.path() == parent).map(|(zone, _)| *zone);
        let zone = far.or((parent == self.folders.active.path()).then_some(MAIN_ZONE))?;
        MessageId::new(stem).ok().map(|id| View::Active(zone, id))
    }
}

impl View {
    fn file_name(&self) -> OsString {
        match self {
            Self::Active(_, id) => file_name(id.as_str()),
            Self::Agent(name) => file_name(name.as_str()),
            Self::Daemon => file_name("daemon"),
            Self::Session(id) => format!("{id}.json").into(),
        }
    }
}

fn read_up_to(file: File, bytes: usize) -> Result<Vec<u8>, Errno> {
    let mut read = Vec::new();
    let done = file.take(bytes as u64).read_to_end(&mut read);
    done.map(|_| read).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn file_name(word: &str) -> OsString {
    format!("{word}.yaml").into()
}

fn stem(name: &std::ffi::OsStr) -> Option<&str> {
    name.to_str()?.strip_suffix(".yaml")
}
