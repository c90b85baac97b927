//! What a task has done in its worktree, for a person.

use crate::engine::words::counted;
use crate::ui::cli::table::harmless;
use crate::wire::session::work::{TaskFile, TaskPull, TaskWork};

/// Commits and files that are listed of each; `--json` has more.
const LISTED_MAX: usize = 20;
/// Digits of a commit, as git shows it.
const COMMIT_DIGITS: usize = 9;

/// The lines below "Changes".
pub(super) fn lines(work: &TaskWork) -> Vec<String> {
    if let Some(why) = &work.unknown {
        return vec![harmless(&format!("not known: {why}"))];
    }
    let (commits, files) = (counted(work.commits_in_all, "commit"), counted(work.files_in_all, "file"));
    let mut out = vec![format!("{commits}, {files}, since {}", short(&work.base))];
    let listed = work.commits.iter().take(LISTED_MAX);
    out.extend(listed.map(|commit| harmless(&format!("  {} {}", short(&commit.id), commit.title))));
    out.extend(more(work.commits_in_all, work.commits.len(), "commit"));
    let listed = work.files.iter().take(LISTED_MAX);
    out.extend(listed.map(|file| harmless(&format!("  {} {}", lines_of(file), file.path))));
    out.extend(more(work.files_in_all, work.files.len(), "file"));
    if work.uncommitted_in_all > 0 {
        let named = work.uncommitted.join(", ");
        let dots = if work.uncommitted.len() < work.uncommitted_in_all { ", …" } else { "" };
        let what = counted(work.uncommitted_in_all, "file");
        out.push(harmless(&format!("{what} not committed: {named}{dots}")));
    }
    out.extend(work.notes.iter().map(|note| harmless(&format!("note: {note}"))));
    out
}

/// The lines below "Pull request".
pub(super) fn pull_lines(pull: &TaskPull) -> Vec<String> {
    let mut out = Vec::new();
    if let (Some(number), Some(url)) = (pull.number, &pull.url) {
        out.push(harmless(&format!("#{number} {url}")));
    }
    out.extend(pull.why.as_ref().map(|why| harmless(&format!("none: {why}"))));
    out.extend(pull.command.as_ref().map(|command| harmless(&format!("by hand: {command}"))));
    out
}

fn short(commit: &str) -> &str {
    commit.get(..COMMIT_DIGITS).unwrap_or(commit)
}

fn more(in_all: usize, named: usize, what: &str) -> Option<String> {
    let left = in_all.saturating_sub(named.min(LISTED_MAX));
    (left > 0).then(|| format!("  and {left} {what}s more"))
}

/// `+3 -1`, or that it is no text.
fn lines_of(file: &TaskFile) -> String {
    match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} -{removed}"),
        _ => "binary".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::session::work::TaskCommit;

    #[test]
    fn what_is_not_listed_is_counted_and_no_letter_acts_on_the_terminal() {
        let commit =
            |at: usize| TaskCommit { id: format!("{at:040x}"), title: format!("仕事 \u{1b}[2J {at}") };
        let files = vec![
            TaskFile { path: "家.rs".to_owned(), added: Some(3), removed: Some(0) },
            TaskFile { path: "絵.png".to_owned(), added: None, removed: None },
        ];
        let work = TaskWork {
            base: "c0ffee0123456".to_owned(),
            commits: (0..50).map(commit).collect(),
            commits_in_all: 61,
            files,
            files_in_all: 2,
            uncommitted: vec!["a.txt".to_owned()],
            uncommitted_in_all: 2,
            ..TaskWork::default()
        };
        let lines = lines(&work);
        assert_eq!(lines[0], "61 commits, 2 files, since c0ffee012");
        assert_eq!(lines.len(), 1 + LISTED_MAX + 1 + 2 + 1, "{lines:#?}");
        assert_eq!(lines[LISTED_MAX + 1], "  and 41 commits more");
        assert_eq!(
            &lines[LISTED_MAX + 2..],
            ["  +3 -0 家.rs", "  binary 絵.png", "2 files not committed: a.txt, …"]
        );
        assert!(!lines.concat().contains('\u{1b}'));
    }
}
