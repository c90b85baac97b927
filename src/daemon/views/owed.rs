//! Views that are written at once, before a segment is left in disorder, and which of them could not be.

use crate::daemon::views::item::{Item, Job};
use crate::daemon::views::worker::{BatchShown, Worker};
use crate::engine::words::MessageId;
use crate::io::journal::Reader;
use crate::io::views::Views;
use std::collections::BTreeSet;

/// Writes a batch here and now, and makes it durable.
///
/// # Errors
/// What could not be written, or not be made durable.
pub fn write_now(views: Views, reader: Reader, mut job: Job) -> Result<(), Owed> {
    let all: BTreeSet<MessageId> = job.iter().filter_map(ended).cloned().collect();
    job.push(Item::Sync);
    let mut worker = Worker::new(views, reader);
    worker.quiet = true;
    let BatchShown { failed, why, unread, .. } = worker.write(job);
    if failed.is_empty() && unread.is_empty() {
        return Ok(());
    }
    let is_durable = !failed.iter().any(|item| matches!(item, Item::Sync));
    let why = why.or_else(|| unread.first().map(|(_, why)| why.clone())).unwrap_or_default();
    let failed = failed.iter().filter_map(ended).cloned();
    let unwritten = failed.chain(unread.into_iter().map(|(id, _)| id));
    Err(Owed { ids: if is_durable { unwritten.collect() } else { all }, why })
}

fn ended(item: &Item) -> Option<&MessageId> {
    match item {
        Item::Finished { view, .. } => Some(&view.id),
        _ => None,
    }
}

/// Messages that have ended, and whose views are not on the disk.
#[derive(Debug)]
pub struct Owed {
    pub ids: BTreeSet<MessageId>,
    /// Why the last of them could not be written.
    pub why: String,
}
