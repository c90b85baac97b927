//! The windows that agents live in: each has one pane.

use crate::engine::words::{AgentName, Nonce, PaneId};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// Which launch of which agent a pane belongs to: the pane's option `@tasuki_agent`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tag {
    pub agent: AgentName,
    /// The launch.
    pub nonce: Nonce,
}

impl Tag {
    /// Reads `NAME NONCE`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (name, nonce) = text.split_once(' ')?;
        let nonce = Nonce(u64::from_str_radix(nonce, 16).ok()?);
        let tag = Self { agent: AgentName::new(name).ok()?, nonce };
        (tag.to_string() == text).then_some(tag)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.agent, self.nonce)
    }
}

/// A window to make.
#[derive(Debug, Clone)]
pub struct WindowSpec {
    /// Name in the status line; the agent's, as a rule.
    pub name: String,
    /// Folder that the program starts in.
    pub cwd: PathBuf,
    /// The whole environment of the program: it inherits nothing, neither the server's environment nor ours. It goes
    /// over the connection, so that no `ps` shows it. tmux adds `TERM`, `TERM_PROGRAM`, `TERM_PROGRAM_VERSION`,
    /// `TMUX`, `TMUX_PANE`, `SHELL` and `PWD`, which cannot be set here, and a newer one `COLORTERM` where it is not set.
    /// Without `PATH` only `/bin` and `/usr/bin` are searched.
    pub env: Vec<(OsString, OsString)>,
    /// The program and its arguments, run without a shell. A program that does not exist shows as status 1 of an
    /// empty pane: look for it first.
    pub argv: Vec<OsString>,
    /// Whose pane it is.
    pub tag: Tag,
    /// Whether the program ends by itself after one answer; its last output is then kept from being lost.
    pub one_shot: bool,
}

/// A pane that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneFacts {
    pub pane: PaneId,
    /// The program's process id, also the id of its process group and session.
    pub pid: u32,
    /// The program's terminal.
    pub tty: PathBuf,
}

/// A pane of our session, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneRow {
    pub pane: PaneId,
    /// Whose it is; `None` for the holder's and for what people opened.
    pub tag: Option<Tag>,
    /// The program's process id.
    pub pid: u32,
    /// Whether the program has ended.
    pub dead: bool,
    /// Its exit status, once known.
    pub dead_status: Option<i32>,
    /// The signal that killed it (`TERM`), once known.
    pub dead_signal: Option<String>,
    /// Its terminal.
    pub tty: PathBuf,
    /// Whether somebody reads its history (copy mode) or the like.
    pub in_mode: bool,
    /// Whether it shows its alternate screen.
    pub alternate_on: bool,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Whether its window is the one that the session shows.
    pub window_active: bool,
    /// First word of the foreground program's command line, at most 64 characters. It is the program's to choose.
    pub current_command: String,
}

/// What became of a pane's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitFacts {
    /// Whether it has ended.
    pub dead: bool,
    /// Its exit status.
    pub status: Option<i32>,
    /// The signal that killed it, such as `TERM`.
    pub signal: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_back_and_nothing_else_is_one() {
        let tag = Tag { agent: AgentName::new("grand_boss").unwrap(), nonce: Nonce(0xabc) };
        assert_eq!(tag.to_string(), "grand_boss 0000000000000abc");
        assert_eq!(Tag::read(&tag.to_string()), Some(tag));
        for other in
            ["", "a", "a ", "a abc", "a 0000000000000ABC", "A 0000000000000abc", "a +000000000000abc"]
        {
            assert_eq!(Tag::read(other), None, "{other}");
        }
    }
}
