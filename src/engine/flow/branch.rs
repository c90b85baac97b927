//! The branch of a step's worktree, and the folder that the worktree has.

use super::debate::{ROUNDS_MAX, RoleId};
use super::id::FlowId;
use crate::engine::form::as_text;
use std::fmt;

/// A UUID as text.
const UUID_BYTES: usize = 36;

/// What every branch of a step begins with.
pub const BRANCH_PREFIX: &str = "agent/";
/// What the branch of a speech in a debate begins with.
const DEBATE_PREFIX: &str = "debate-";
/// Folder of all worktrees in a repository.
pub const WORKTREES: &str = ".orchestrator-worktrees";
/// Longest branch in bytes: its folder's name has as many, and file systems end at 255.
pub const BRANCH_BYTES_MAX: usize = 200;

/// The branch of a worktree: `agent/`, then letters, digits, `-` and `_` of ASCII, of which the first is no dash; or, of a speech in a
/// debate, `debate-UUID-rROUND-ROLE`. So git, a shell and a file system all read it as one plain name.
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
        if speech(text).is_some() {
            return Ok(Self(text.to_owned()));
        }
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

    /// The debate, the round and the role whose speech is made on it; none of another one.
    #[must_use]
    pub fn speech(&self) -> Option<(&str, u8, &str)> {
        speech(&self.0)
    }

    /// The name of its worktree's folder: `agent-jwt-auth` for `agent/jwt-auth`.
    #[must_use]
    pub fn folder(&self) -> String {
        self.0.replace('/', "-")
    }
}

/// The debate, the round and the role of a branch that is one of a debate.
fn speech(text: &str) -> Option<(&str, u8, &str)> {
    let (id, rest) = text.strip_prefix(DEBATE_PREFIX)?.split_at_checked(UUID_BYTES)?;
    let (round, role) = rest.strip_prefix("-r")?.split_once('-')?;
    let is_written_so = FlowId::new(id).is_ok_and(|found| found.as_str() == id) && round.len() == 1;
    let round = round.parse().ok().filter(|round| is_written_so && (1..=ROUNDS_MAX).contains(round))?;
    RoleId::new(role).is_ok().then_some((id, round, role))
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
    fn a_speech_has_a_branch_of_one_form_alone() {
        let of = |text: &str| {
            BranchName::new(text).ok().and_then(|branch| {
                branch.speech().map(|(id, round, role)| (id.to_owned(), round, role.to_owned()))
            })
        };
        let id = "a1b2c3d4-e5f6-4890-abcd-ef1234567890";
        let found = of(&format!("debate-{id}-r2-a-b_c"));
        assert_eq!(found, Some((id.to_owned(), 2, "a-b_c".to_owned())));
        let capital = id.to_uppercase();
        for bad in [
            format!("debate-{id}-r0-qa"),
            format!("debate-{id}-r6-qa"),
            format!("debate-{id}-r01-qa"),
            format!("debate-{id}-r+1-qa"),
            format!("debate-{id}-r1-"),
            format!("debate-{id}-r1-..-x"),
            format!("debate-{id}-r1-a/b"),
            format!("debate-{capital}-r1-qa"),
            format!("debate-{}-r1-qa", &id[1..]),
            "debate-".to_owned(),
            "debate-家家家家家家家家家家家家-r1-qa".to_owned(),
        ] {
            assert!(BranchName::new(&bad).is_err(), "{bad}");
        }
        assert_eq!(of("agent/a"), None);
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
