//! Views that are written at once, before a segment is left in disorder, and which of them could not be.

use super::{Item, Job, Shown, Worker};
use crate::engine::words::MessageId;
use crate::io::journal::Reader;
use crate::io::views::Views;
use std::collections::BTreeSet;

/// Writes a batch here and now, and makes it durable.
///
/// # Errors
/// What could not be written, or not be made durable.
pub fn write_now(views: Views, reader: Reader, job: Job) -> Result<(), Owed> {
    let all: BTreeSet<MessageId> = job.iter().filter_map(ended).cloned().collect();
    let mut worker = Worker { quiet: true, ..Worker::new(views, reader) };
    let mut shown = Shown::default();
    let mut items = job.into_iter().peekable();
    while worker.show_next(&mut items, &mut shown) {}
    worker.show(Item::Sync, &mut shown);
    let unread = std::mem::take(&mut worker.unread_ended);
    if shown.failed.is_empty() && unread.is_empty() {
        return Ok(());
    }
    let is_durable = !shown.failed.iter().any(|item| matches!(item, Item::Sync));
    let failed = shown.failed.iter().filter_map(ended).cloned();
    let ids = if is_durable { failed.chain(unread.keys().cloned()).collect() } else { all };
    let why = shown.why.or_else(|| unread.into_values().next()).unwrap_or_default();
    Err(Owed { ids, why })
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
    /// Which.
    pub ids: BTreeSet<MessageId>,
    /// Why the last of them could not be written.
    pub why: String,
}
