//! The branch of a step's worktree, and the folder that the worktree has.

use crate::engine::form::as_text;
use std::fmt;

/// What every branch of a step begins with.
pub const BRANCH_PREFIX: &str = "agent/";
/// Folder of all worktrees in a repository.
pub const WORKTREES: &str = ".orchestrator-worktrees";
/// Longest branch in bytes: its folder's name has as many, and file systems end at 255.
pub const BRANCH_BYTES_MAX: usize = 200;

/// The branch of a worktree: `agent/`, then letters, digits, `-` and `_` of ASCII, of which the first is no dash. So git, a shell and a
/// file system all read it as one plain name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchName(String);

/// Why a text is not such a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadBranch {
    /// It does not begin with `agent/`.
    #[error("does not begin with `{BRANCH_PREFIX}`")]
    Prefix,
    /// Nothing stands behind `agent/`.
    #[error("has no name behind `{BRANCH_PREFIX}`")]
    Empty,
    /// Behind `agent/` stands a dash, which programs take for an option.
    #[error("has a dash right behind `{BRANCH_PREFIX}`")]
    Dash,
    /// It has another character.
    #[error("has {0:?} behind `{BRANCH_PREFIX}`, which is no letter or digit of ASCII, no `-` and no `_`")]
    Character(char),
    /// It has more than [`BRANCH_BYTES_MAX`].
    #[error("has more than {BRANCH_BYTES_MAX} bytes")]
    TooLong,
}

impl BranchName {
    /// Checks `text` and makes it a branch.
    ///
    /// # Errors
    /// [`BadBranch`]
    pub fn new(text: &str) -> Result<Self, BadBranch> {
        let rest = text.strip_prefix(BRANCH_PREFIX).ok_or(BadBranch::Prefix)?;
        if text.len() > BRANCH_BYTES_MAX {
            return Err(BadBranch::TooLong);
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match (rest.chars().find(|c| !is_plain(*c)), rest.chars().next()) {
            (Some(c), _) => Err(BadBranch::Character(c)),
            (None, None) => Err(BadBranch::Empty),
            (None, Some('-')) => Err(BadBranch::Dash),
            (None, Some(_)) => Ok(Self(text.to_owned())),
        }
    }

    /// The branch as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its worktree's folder: `agent-jwt-auth` for `agent/jwt-auth`.
    #[must_use]
    pub fn folder(&self) -> String {
        self.0.replace('/', "-")
    }
}

as_text!(BranchName, "the branch", BranchName::new, as_str);

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with which somebody might leave the folder, give an option, confuse git or fool the eye.
    const HOSTILE: [&str; 66] = [
        "",
        "agent",
        "agent/",
        "agent//",
        "agent//a",
        "/agent/a",
        "agent/..",
        "agent/../x",
        "agent/../../etc",
        "agent/.",
        "agent/./a",
        "agent/a/b",
        "agent/a/",
        "agent/a/../b",
        "agent/-x",
        "agent/-",
        "agent/--force",
        "agent/--upload-pack=x",
        "-agent/a",
        "--agent/a",
        "agent/a.lock",
        "agent/.a",
        "agent/a.",
        "agent/a..b",
        "agent/a b",
        "agent/ a",
        "agent/a ",
        " agent/a",
        "agent/a\n",
        "agent/\na",
        "agent/a\r",
        "agent/a\tb",
        "agent/a\0",
        "agent/\0",
        "agent/\u{1b}[2J",
        "agent/a\u{7f}",
        "agent/a~1",
        "agent/a^",
        "agent/a:b",
        "agent/a?",
        "agent/a*",
        "agent/[a]",
        "agent/a\\b",
        "agent/a@{1}",
        "agent/@",
        "agent/a;rm",
        "agent/$(id)",
        "agent/`id`",
        "agent/a|b",
        "agent/a&b",
        "agent/a>b",
        "agent/\"a\"",
        "agent/'a'",
        "agent/a#b",
        "agent/a%2f",
        "agent/認証",
        "agent/é",
        "agent/аuth",
        "agent/a\u{200b}",
        "agent/\u{202e}a",
        "agent/😀",
        "agent/１",
        "Agent/a",
        "AGENT/a",
        "ａgent/a",
        "refs/heads/agent/a",
    ];

    #[test]
    fn sixty_hostile_branches_are_refused() {
        for text in HOSTILE {
            assert!(BranchName::new(text).is_err(), "{text:?}");
        }
        assert_eq!(BranchName::new(&format!("agent/{}", "a".repeat(195))), Err(BadBranch::TooLong));
        assert_eq!(BranchName::new("agent/a/b"), Err(BadBranch::Character('/')));
        assert_eq!(BranchName::new("agent/-x"), Err(BadBranch::Dash));
        assert_eq!(BranchName::new("agent/"), Err(BadBranch::Empty));
    }

    #[test]
    fn a_branch_has_its_folder() {
        for (text, folder) in
            [("agent/jwt-auth", "agent-jwt-auth"), ("agent/_", "agent-_"), ("agent/A1", "agent-A1")]
        {
            assert_eq!(BranchName::new(text).unwrap().folder(), folder);
        }
        assert!(BranchName::new(&format!("agent/{}", "a".repeat(194))).is_ok());
    }
}
