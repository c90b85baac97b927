//! Messages to the user that nobody has read yet, as `queue/inbox/` has them.

use super::titles::title_of;
use crate::engine::words::Millis;
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::api::LetterInfo;
use crate::wire::message::view::MessageView;
use std::fs;

/// Unread messages of which the first line is shown.
const LETTERS_SHOWN: usize = 3;
/// More than any letter has: a message of a MiB, escaped.
const LETTER_BYTES_MAX: u64 = 16 << 20;

/// What is told of the letters that nobody has read, until the folder changes.
#[derive(Debug, Clone)]
pub(super) struct Letters {
    pub(super) unread: usize,
    pub(super) at: Option<Millis>,
    /// The first line of each of the newest.
    pub(super) first_lines: Option<String>,
    pub(super) newest: Option<String>,
}

impl Letters {
    pub(super) fn of(workspace: &Workspace, unread: usize, at: Option<Millis>) -> Self {
        let letters = if unread > 0 { letters(workspace) } else { Vec::new() };
        let lines = letters.iter().rev().take(LETTERS_SHOWN);
        let lines: Vec<String> =
            lines.map(|letter| format!("{}: {}", letter.from, title_of(&letter.content))).collect();
        let first_lines = Some(lines.join("\n")).filter(|lines| !lines.is_empty());
        Self { unread, at, first_lines, newest: letters.last().map(|newest| newest.id.clone()) }
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
