//! What is kept for `retention` and then removed: finished messages, and with each its result. In small batches, since a
//! folder of a busy day holds many files and nothing waits for it; and never by listing what is not old: a million results
//! may lie in one folder.

use super::{View, Views, stem};
use crate::engine::flow::id::FlowId;
use crate::engine::words::{MessageId, Millis};
use crate::io::folder::{Folder, FolderError, mtime_ns};
use crate::wire::time::Day;
use rustix::io::Errno;

/// A result and its finished message are written one right after the other.
const TOGETHER_NS: i128 = 60_000_000_000;

impl Views {
    /// Removes at most `batch` messages that were finished on days before that of `before`, their results with them, and
    /// the folders that are empty then. Gives how many messages went; fewer than `batch` means that nothing is left to
    /// remove. Only what has the name of a view is removed, and no result that was written since.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove_finished_before(&mut self, before: Millis, batch: usize) -> Result<usize, FolderError> {
        let today = Day::of(before);
        let mut days: Vec<Day> =
            self.folders.done.names()?.iter().filter_map(|name| Day::parse(name.to_str()?)).collect();
        days.retain(|of| *of < today);
        days.sort_unstable();
        let (mut removed, mut failed) = (0, None);
        for day in days {
            // What is in the way of one day, or of one name, keeps nothing else.
            let folder = match self.folders.done.enter(day.as_str()) {
                Ok(folder) => folder,
                Err(error) => {
                    failed.get_or_insert(error);
                    continue;
                }
            };
            removed += remove(&folder, &self.folders.results, before, batch - removed, &mut failed)?;
            if removed >= batch {
                return Ok(removed);
            }
            let done = &self.folders.done;
            match done.remove_folder(day.as_str().as_ref()) {
                // Somebody keeps something of their own there.
                Ok(_) | Err(Errno::NOTEMPTY | Errno::EXIST) => {}
                Err(errno) => drop(failed.get_or_insert(done.failed("remove", day.as_str().as_ref(), errno))),
            }
        }
        failed.map_or(Ok(removed), Err)
    }

    /// Removes at most `batch` documents of sessions that were written before that moment and are of no session that is open;
    /// how many.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove_sessions_before(&mut self, before: Millis, batch: usize) -> Result<usize, FolderError> {
        let (sessions, written) = (&self.folders.sessions, &self.written);
        let is_old = |name: &std::ffi::OsStr| {
            let id = name.to_str().and_then(|name| FlowId::new(name.strip_suffix(".json")?).ok());
            let is_over = id.is_some_and(|id| !written.contains_key(&View::Session(id)));
            is_over
                && has_ended(sessions, name)
                && sessions.stat(name).is_ok_and(|stat| mtime_ns(&stat) < i128::from(before.0) * 1_000_000)
        };
        let names = sessions.some_names(batch, is_old)?;
        for name in &names {
            sessions.remove(name).map_err(|errno| sessions.failed("remove", name, errno))?;
        }
        Ok(names.len())
    }

    /// Removes at most `batch` messages to the user that nobody has read and that came before that moment; how many.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove_letters_before(&mut self, before: Millis, batch: usize) -> Result<usize, FolderError> {
        let inbox = &self.folders.inbox;
        let is_old = |name: &std::ffi::OsStr| {
            let is_view = stem(name).is_some_and(|stem| MessageId::new(stem).is_ok());
            is_view && inbox.stat(name).is_ok_and(|stat| mtime_ns(&stat) < i128::from(before.0) * 1_000_000)
        };
        let names = inbox.some_names(batch, is_old)?;
        for name in &names {
            inbox.remove(name).map_err(|errno| inbox.failed("remove", name, errno))?;
        }
        Ok(names.len())
    }
}

/// The result goes first: a crash between the two leaves the name by which it is found. How many are gone; the first that
/// could not be removed is what `failed`.
fn remove(
    day: &Folder,
    results: &Folder,
    before: Millis,
    batch: usize,
    failed: &mut Option<FolderError>,
) -> Result<usize, FolderError> {
    let is_view = |name: &std::ffi::OsStr| stem(name).is_some_and(|stem| MessageId::new(stem).is_ok());
    let names = day.some_names(batch, is_view)?;
    let old = |stat: &rustix::fs::Stat| mtime_ns(stat) < i128::from(before.0) * 1_000_000;
    let go =
        |folder: &Folder, name| folder.remove(name).map_err(|errno| folder.failed("remove", name, errno));
    // A message that could not be shown for some days was shown with its result: they go together.
    let with_it = |stat: &rustix::fs::Stat, name| {
        day.stat(name).is_ok_and(|shown: rustix::fs::Stat| mtime_ns(stat) <= mtime_ns(&shown) + TOGETHER_NS)
    };
    let mut removed = 0;
    for name in &names {
        let answered = results.stat(name).is_ok_and(|stat| old(&stat) || with_it(&stat, name));
        let result = if answered { go(results, name) } else { Ok(()) };
        match result.and_then(|()| go(day, name)) {
            Ok(()) => removed += 1,
            Err(error) => drop(failed.get_or_insert(error)),
        }
    }
    Ok(removed)
}

/// Whether the document of a session says that it has ended. One that came from elsewhere stands still, for however long.
fn has_ended(sessions: &Folder, name: &std::ffi::OsStr) -> bool {
    let text = sessions.read(name).ok().and_then(|file| std::io::read_to_string(file).ok());
    let document = text.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let status = document.as_ref().and_then(|document| document.get("status")?.as_str());
    matches!(status, Some("Completed" | "Failed"))
}
