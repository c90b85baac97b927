//! The turn that is being broken off, remembered at its pane: where a daemon is killed in the midst of that, the next one goes on.

use super::command::{TmuxCommand, TmuxReply};
use super::error::TmuxError;
use super::pane::Pane;
use crate::engine::words::{MessageId, Token};

/// The option in which it stands.
const OPTION: &str = "@tasuki_breaks";

/// A turn that is being broken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaking {
    /// Since when, by tmux's clock in seconds.
    pub since: u64,
    pub id: MessageId,
    /// Its number.
    pub turn: u16,
    pub token: Option<Token>,
    /// The line that was typed.
    pub line: String,
}

impl Pane {
    /// Writes down, at the pane, that a turn is being broken off; or that none is.
    ///
    /// # Errors
    /// [`TmuxError::NoPane`]; those of [`super::Tmux::run`].
    pub async fn note_breaking(&self, what: Option<&Breaking>) -> Result<(), TmuxError> {
        let set = TmuxCommand::silent("set-option").flag("-p");
        let set = match what {
            Some(what) => set.target(self.id()).word(OPTION).word(what.written()),
            None => set.flag("-u").target(self.id()).word(OPTION),
        };
        self.run(set).await.map(drop)
    }

    /// What was written down, if anything was.
    ///
    /// # Errors
    /// [`TmuxError::NoPane`]; those of [`super::Tmux::run`].
    pub async fn breaking(&self) -> Result<Option<Breaking>, TmuxError> {
        let show = TmuxCommand::new("show-options").flag("-pqv").target(self.id());
        let replies = self.run(show.word(OPTION)).await?;
        Ok(Breaking::read(&replies.first().map(TmuxReply::text).unwrap_or_default()))
    }
}

impl Breaking {
    /// One line; what was typed stands last, since it may hold anything.
    fn written(&self) -> String {
        let token = self.token.as_ref().map_or("-", Token::as_str);
        let line = self.line.replace(['\n', '\r'], " ");
        format!("{} {} {} {token} {line}", self.since, self.id, self.turn)
    }

    fn read(written: &str) -> Option<Self> {
        let mut parts = written.splitn(5, ' ');
        let since = parts.next()?.parse().ok()?;
        let id = MessageId::new(parts.next()?).ok()?;
        let turn = parts.next()?.parse().ok()?;
        let token = match parts.next()? {
            "-" => None,
            token => Some(Token::new(token).ok()?),
        };
        Some(Self { since, id, turn, token, line: parts.next()?.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_down_is_read_back() {
        for (token, line) in
            [(Some("k7m2qx"), "[tasuki] 仕事 🎏 (token k7m2qx)"), (None, ""), (None, " #{x} $(y)  ")]
        {
            let token = token.map(|token| Token::new(token).unwrap());
            let id = MessageId::new("m-1").unwrap();
            let what = Breaking { since: 1_795_599_702, id, turn: 2, token, line: line.to_owned() };
            assert_eq!(Breaking::read(&what.written()), Some(what));
        }
        for bad in ["", "x", "1 m-1", "1 m-1 2", "1 m-1 2 -", "1 m-1 70000 - x", "1 m-1 2 ??? x"] {
            assert_eq!(Breaking::read(bad), None, "{bad}");
        }
    }
}
