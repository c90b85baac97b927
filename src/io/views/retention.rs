//! What is kept for `retention` and then removed: finished messages and results. In small batches, since a folder of a
//! busy day holds many files and nothing waits for it.

use super::{Views, stem};
use crate::engine::words::{MessageId, Millis};
use crate::io::folder::{Folder, FolderError, mtime_ns};
use crate::io::wire::time::Day;
use rustix::io::Errno;

impl Views {
    /// Removes at most `batch` files of days before `day`, and the folders that are empty then. Gives how many files went;
    /// fewer than `batch` means that nothing is left to remove. Only what has the name of a view is removed.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove_done_before(&mut self, day: &Day, batch: usize) -> Result<usize, FolderError> {
        let mut days: Vec<Day> =
            self.folders.done.names()?.iter().filter_map(|name| Day::parse(name.to_str()?)).collect();
        days.retain(|of| of < day);
        days.sort_unstable();
        let mut removed = 0;
        for day in days {
            let folder = self.folders.done.enter(day.as_str())?;
            removed += remove(&folder, batch - removed, |_| true)?;
            if removed >= batch {
                break;
            }
            let done = &self.folders.done;
            match done.remove_folder(day.as_str().as_ref()) {
                // Somebody keeps something of their own there.
                Ok(_) | Err(Errno::NOTEMPTY | Errno::EXIST) => {}
                Err(errno) => return Err(done.failed("remove", day.as_str().as_ref(), errno)),
            }
        }
        Ok(removed)
    }

    /// Removes at most `batch` results that were written before `before`, on the wall. Gives how many went.
    ///
    /// # Errors
    /// [`FolderError::Io`]
    pub fn remove_results_before(&mut self, before: Millis, batch: usize) -> Result<usize, FolderError> {
        remove(&self.folders.results, batch, |stat| mtime_ns(stat) < i128::from(before.0) * 1_000_000)
    }
}

fn remove(
    folder: &Folder,
    batch: usize,
    old: impl Fn(&rustix::fs::Stat) -> bool,
) -> Result<usize, FolderError> {
    let names = folder.names()?;
    let views = names.iter().filter(|name| stem(name).is_some_and(|stem| MessageId::new(stem).is_ok()));
    let due = views.filter(|name| folder.stat(name).is_ok_and(|stat| old(&stat)));
    let mut removed = 0;
    for name in due.take(batch) {
        folder.remove(name).map_err(|errno| folder.failed("remove", name, errno))?;
        removed += 1;
    }
    Ok(removed)
}
