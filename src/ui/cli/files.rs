//! What the workspace's files say, for verbs that work without a daemon: views are for people, and this reads them as one.

use crate::engine::words::MessageId;
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::message::view::MessageView;
use std::fs;
use std::path::{Path, PathBuf};

/// The answer to a message, if it is written.
pub(super) fn result(workspace: &Workspace, id: &MessageId) -> Option<MessageView> {
    view(&workspace.result_file(id))
}

/// What the daemon says of a message that has ended, of one that it need not know any more.
pub(super) fn finished(workspace: &Workspace, id: &MessageId) -> Option<MessageView> {
    let view = view(&done_file(workspace, id)?)?;
    Some(MessageView {
        // One that was given to nobody says there to whom it went.
        agent: (view.attempt > 0).then(|| view.to.clone()),
        answered: result(workspace, id).is_some(),
        redelivered: false,
        verified: Some(view.verified.unwrap_or_default()),
        ..view
    })
}

/// Where a finished message is kept.
pub(super) fn done_file(workspace: &Workspace, id: &MessageId) -> Option<PathBuf> {
    let name = format!("{id}.yaml");
    let mut days: Vec<PathBuf> =
        fs::read_dir(workspace.done()).ok()?.flatten().map(|entry| entry.path()).collect();
    days.sort();
    days.into_iter().rev().map(|day| day.join(&name)).find(|path| path.is_file())
}

/// More than any view has: a message of a MiB with a hundred answers of that length.
const VIEW_BYTES_MAX: u64 = 256 << 20;

fn view(path: &Path) -> Option<MessageView> {
    MessageView::read(&regular::read(path, VIEW_BYTES_MAX).ok()?)
}

/// Any other view, or as a map.
pub(super) fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_saphyr::from_str(&regular::read(path, VIEW_BYTES_MAX).ok()?).ok()
}
