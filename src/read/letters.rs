//! Messages to the user that nobody has read yet, as `queue/inbox/` has them.

use super::folder::Folder;
use super::titles::title_of;
use crate::engine::words::Millis;
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::api::LetterInfo;
use crate::wire::message::view::MessageView;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Unread messages of which the first line is shown.
const LETTERS_SHOWN: usize = 3;
/// Letters of which that is kept, so that some can be read and the rest need not be looked at again.
const LETTERS_KEPT: usize = 64;
/// More than any letter has: a message of a MiB, escaped.
const LETTER_BYTES_MAX: u64 = 16 << 20;

/// What is told of the letters that nobody has read: each is read once, however many come.
#[derive(Debug, Default)]
pub(super) struct Letters {
    folder: Folder,
    /// Names of all that were read.
    names: BTreeSet<OsString>,
    /// The newest, the oldest of them first.
    newest: Vec<Letter>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Letter {
    accepted_at: String,
    id: String,
    name: OsString,
    /// Who wrote it, and its first line.
    line: String,
}

impl Letters {
    /// Looks whether letters have come or were read.
    pub(super) fn look(&mut self, workspace: &Workspace, now: Millis) {
        if !self.folder.has_changed(&workspace.inbox(), now) {
            return;
        }
        let there: BTreeSet<OsString> =
            paths(workspace).filter_map(|path| Some(path.file_name()?.into())).collect();
        self.names.retain(|name| there.contains(name));
        self.newest.retain(|letter| there.contains(&letter.name));
        if self.newest.len() < self.names.len().min(LETTERS_SHOWN) {
            // What came before those that went is not kept.
            self.names.clear();
            self.newest.clear();
        }
        for name in there {
            if self.names.contains(&name) {
                continue;
            }
            if let Some(letter) = read(&workspace.inbox().join(&name)) {
                let line = format!("{}: {}", letter.from, title_of(&letter.content));
                let letter =
                    Letter { accepted_at: letter.accepted_at, id: letter.id, name: name.clone(), line };
                let place = self.newest.partition_point(|other| *other < letter);
                self.newest.insert(place, letter);
                if self.newest.len() > LETTERS_KEPT {
                    self.newest.remove(0);
                }
            }
            self.names.insert(name);
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// The first line of each of the newest, the newest first.
    pub(super) fn first_lines(&self) -> Option<String> {
        let lines: Vec<&str> =
            self.newest.iter().rev().take(LETTERS_SHOWN).map(|letter| &*letter.line).collect();
        Some(lines.join("\n")).filter(|lines| !lines.is_empty())
    }

    /// The id of the newest.
    pub(super) fn newest(&self) -> Option<String> {
        self.newest.last().map(|letter| letter.id.clone())
    }
}

fn paths(workspace: &Workspace) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(workspace.inbox()).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "yaml"))
}

/// A letter; one that cannot be read is passed over: the daemon writes it again.
fn read(path: &Path) -> Option<LetterInfo> {
    MessageView::read(&regular::read(path, LETTER_BYTES_MAX).ok()?).map(LetterInfo::of)
}

/// Messages to the user that nobody has read yet, oldest first.
#[must_use]
pub fn letters(workspace: &Workspace) -> Vec<LetterInfo> {
    let mut unread: Vec<LetterInfo> = paths(workspace).filter_map(|path| read(&path)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn put(workspace: &Workspace, number: usize) {
        let (id, at) = (
            format!("note-{number:03}"),
            format!("2026-11-26T10:{:02}:{:02}.000+00:00", number / 60, number % 60),
        );
        let letter = format!(
            "id: {id}\nfrom: writer\nto: user\ntype: info\nstatus: completed\nstage: completed\nhops: 0\ncontent: 第{number}行\ntimestamp: \"{at}\"\naccepted_at: \"{at}\"\n"
        );
        fs::write(workspace.inbox().join(format!("{id}.yaml")), letter).unwrap();
    }

    fn told(letters: &mut Letters, workspace: &Workspace) -> (usize, Option<String>, Option<String>) {
        letters.look(workspace, Millis(0));
        (letters.count(), letters.first_lines(), letters.newest())
    }

    #[test]
    fn the_newest_are_told_however_many_come_and_go() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(folder.path()).unwrap();
        fs::create_dir_all(workspace.inbox()).unwrap();
        let mut letters = Letters::default();
        assert_eq!(told(&mut letters, &workspace), (0, None, None));
        let all = LETTERS_KEPT + 40;
        for number in 0..all {
            put(&workspace, number);
            letters.look(&workspace, Millis(0));
        }
        // Whatever was read of them until then, the answer is that of someone who begins.
        for gone in [all - 1, 3, 0, all - 5].into_iter().chain(4..all - 5).chain([1, all - 2]) {
            fs::remove_file(workspace.inbox().join(format!("note-{gone:03}.yaml"))).unwrap();
            assert_eq!(told(&mut letters, &workspace), told(&mut Letters::default(), &workspace), "{gone}");
        }
        assert_eq!(
            told(&mut letters, &workspace),
            (
                3,
                Some(format!("writer: 第{}行\nwriter: 第{}行\nwriter: 第2行", all - 3, all - 4)),
                Some(format!("note-{}", all - 3))
            )
        );
    }
}
