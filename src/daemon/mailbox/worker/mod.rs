//! The mailbox's thread: claims files from the drop zone, reads them into drafts, and does away with those that the
//! loop has dealt with. Files stay where they are while the loop is behind.

mod burst;
#[cfg(test)]
mod holding;
mod knowing;
mod reading;
mod room;
pub(in crate::daemon) mod state;
mod sweep;
mod sweeping;
mod thread;
mod zones;

use crate::daemon::inbox::NewsSender;
use crate::daemon::mailbox::channel::{Mailing, mailing};
use crate::daemon::mailbox::handled::Handled;
use crate::io::clock::Clock;
use crate::io::journal::Archive;
use crate::io::mailbox::Mailbox;
use crate::io::watch::{Interest, Watch};
use state::{Disk, worker};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// The thread, as the loop sees it.
#[derive(Debug)]
pub struct Started {
    /// The way to it.
    pub mailing: Mailing,
    /// Resolves when the thread ends.
    pub alive: oneshot::Receiver<Infallible>,
    pub thread: JoinHandle<()>,
    /// Dropped files that are in the journal and still on the disk, or undone there: a snapshot has to name them.
    pub handled: Handled,
}

/// Starts the thread with the names that a file's name may hold; it does not read the files of which the journal knows already, and deals with them when it has time.
/// `handled` are all that the journal names: a power cut may put a file back under one of these names.
///
/// # Errors
/// If the system gives no thread.
pub fn start(
    mailbox: Mailbox,
    handled: Handled,
    archive: Archive,
    disk: Disk,
    clock: Clock,
    (names, news): (BTreeSet<String>, NewsSender),
) -> std::io::Result<Started> {
    let (mailing, inbox) = mailing();
    let (poke, signs) = (mailing.jobs.clone(), Arc::clone(&mailing.signs));
    let watch = Watch::start(Interest::Arrivals, move |_| signs.poke(&poke));
    let (mut worker, handled) =
        worker(mailbox, handled, archive, (disk, watch), clock, (&mailing, names, news));
    let (obituary, alive) = oneshot::channel();
    let thread = std::thread::Builder::new().name("mailbox".to_owned()).spawn(move || {
        let _ends_with_the_thread: oneshot::Sender<Infallible> = obituary;
        worker.work(&inbox);
    })?;
    Ok(Started { mailing, alive, thread, handled })
}
