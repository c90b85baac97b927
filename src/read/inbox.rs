//! What was sent to the user and is unread: `queue/inbox/` holds each until a person has seen it.

use super::model::{Answers, Model};
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::api::{InboxInfo, InboxQuery, LetterInfo, Problem};
use crate::wire::message::view::MessageView;
use std::fs;

/// More than any letter has: a message of a MiB, escaped.
const LETTER_BYTES_MAX: u64 = 16 << 20;

impl Answers for InboxQuery {
    fn answer(self, model: &mut Model) -> Result<InboxInfo, Problem> {
        Ok(InboxInfo { unread: letters(&model.workspace) })
    }
}

/// Messages to the user that nobody has read yet, oldest first.
#[must_use]
pub fn letters(workspace: &Workspace) -> Vec<LetterInfo> {
    let entries = fs::read_dir(workspace.inbox()).into_iter().flatten().flatten();
    let paths =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    // One that cannot be read is passed over: the daemon writes it again.
    let views = paths.filter_map(|path| MessageView::read(&regular::read(&path, LETTER_BYTES_MAX).ok()?));
    let mut unread: Vec<LetterInfo> = views.map(LetterInfo::of).collect();
    unread.sort_by(|one, other| (&one.accepted_at, &one.id).cmp(&(&other.accepted_at, &other.id)));
    unread
}

impl LetterInfo {
    fn of(view: MessageView) -> Self {
        Self {
            id: view.id.to_string(),
            from: view.from.to_string(),
            kind: view.kind,
            in_reply_to: view.in_reply_to.map(|id| id.to_string()),
            parent: view.parent.map(|id| id.to_string()),
            accepted_at: view.accepted_at,
            content: view.file.content.to_string(),
        }
    }
}
