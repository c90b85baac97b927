//! What a task has done in its worktree: as the journal keeps it, and as it is shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a task has done in its worktree, from the moment at which it began to its end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskWork {
    /// Commit with which it began.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base: String,
    /// Commit at which its branch was in the end.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub head: String,
    /// Its commits, the newest first; at most 50.
    pub commits: Vec<TaskCommit>,
    /// How many commits there are.
    pub commits_in_all: usize,
    /// Files that it changed, by path; at most 200.
    pub files: Vec<TaskFile>,
    /// How many files it changed.
    pub files_in_all: usize,
    /// Files that are changed or new, and not committed; at most 10.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// How many files are not committed.
    #[serde(skip_serializing_if = "is_zero")]
    pub uncommitted_in_all: usize,
    /// What else is to be known of the worktree, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why nothing is known, where nobody could look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// A commit of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskCommit {
    /// Its whole name.
    pub id: String,
    /// First line of its message.
    pub title: String,
}

/// A file that a task has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskFile {
    /// Its path in the repository.
    pub path: String,
    /// Lines that were added; none for what is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Lines that were removed; none for what is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl TaskWork {
    /// Work of which nothing is known, for this reason.
    #[must_use]
    pub fn unknown(why: impl Into<String>) -> Self {
        Self { unknown: Some(why.into()), ..Self::default() }
    }

    /// The text that the journal keeps.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What such a text says; none if it is none.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// The pull request of a task, or how to open one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskPull {
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why none could be opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Command that opens one by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// The command that opens a pull request by hand: for a shell, with each word as it is.
#[must_use]
pub fn by_hand(repository: &str, branch: &str, base: Option<&str>, title: &str) -> String {
    let base = base.map_or(String::new(), |base| format!(" --base {}", word(base)));
    let (repository, branch, title) = (word(repository), word(branch), word(title));
    format!(
        "cd {repository} && git push origin {branch} && gh pr create --head {branch}{base} --title {title} --body ''"
    )
}

/// A text as one word of a shell, whatever it says.
pub fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_word_of_a_shell_whatever_it_says() {
        let command = by_hand("/家 r", "agent/task-1-0a", Some("main"), "It's $(rm) `x` 🎏");
        assert_eq!(
            command,
            r"cd '/家 r' && git push origin agent/task-1-0a && gh pr create --head agent/task-1-0a --base main --title 'It'\''s $(rm) `x` 🎏' --body ''"
        );
    }
}
