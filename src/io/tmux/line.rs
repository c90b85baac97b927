//! The line that the cursor of a pane is in, whole, however its terminal has wrapped it; and what is remembered of that
//! line at the pane itself, beyond the life of a daemon.

use super::command::{TmuxCommand, TmuxReply};
use super::control::Tmux;
use super::pane::Pane;
use super::screen::CAPTURE_REPLIES;
use crate::io::mux::error::MuxError;
use crate::io::mux::memory::Remembered;
use crate::io::mux::people::People;
use crate::io::mux::screen::{CursorLine, PaneScreen, Rows};

/// The option in which it is.
const OPTION: &str = "@tasuki_line";

impl Pane {
    /// Takes the line of the cursor, and who is at the pane, at one moment.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn cursor_line(&self) -> Result<(CursorLine, People), MuxError> {
        let both = self.capturing(0, Rows::AsShown).then(self.capturing(0, Rows::Joined));
        let replies = self.run(both.then(Tmux::ask_people())).await?;
        let (shown, rest) = replies.split_at_checked(CAPTURE_REPLIES).unwrap_or_default();
        let (shown, joined) = (self.captured(shown, Rows::AsShown)?, self.captured(rest, Rows::Joined)?);
        let people = rest.get(CAPTURE_REPLIES).map(|reply| self.find_people(reply)).unwrap_or_default();
        Ok((line_of(&shown, &joined), people))
    }

    /// Writes down, at the pane, what is known of its input.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn remember(&self, what: &Remembered) -> Result<(), MuxError> {
        let set = TmuxCommand::silent("set-option").flag("-p").target(self.id());
        self.run(set.word(OPTION).word(what.written())).await.map(drop)
    }

    /// What was written down, if anything was.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`Tmux::run`].
    pub async fn remembered(&self) -> Result<Option<Remembered>, MuxError> {
        let show = TmuxCommand::new("show-options").flag("-pqv").target(self.id());
        let replies = self.run(show.word(OPTION)).await?;
        Ok(Remembered::read(&replies.first().map(TmuxReply::text).unwrap_or_default()))
    }

    /// Clears the screen of the terminal itself: its program is told nothing.
    ///
    /// # Errors
    /// As [`Self::paste`].
    pub async fn reset_screen(&self) -> Result<(), MuxError> {
        self.if_ours(TmuxCommand::silent("send-keys").flag("-R").target(self.id())).await
    }
}

/// Each joined row is made of as many shown ones as hold the same characters: counted without spaces, which are not the same
/// in both.
fn line_of(shown: &PaneScreen, joined: &PaneScreen) -> CursorLine {
    let count = |row: &String| row.chars().filter(|c| !c.is_whitespace()).count();
    let below = usize::from(shown.height.saturating_sub(shown.cursor.1)).max(1);
    let cursor = shown.rows.len().saturating_sub(below);
    let mut begin = shown.rows.len();
    let mut at = joined.rows.len();
    while begin > cursor && at > 0 {
        at -= 1;
        let whole = count(&joined.rows[at]);
        let mut held = 0;
        while let Some(before) = begin.checked_sub(1) {
            begin = before;
            held += count(&shown.rows[begin]);
            if held >= whole {
                break;
            }
        }
    }
    let row = |at: usize| joined.rows.get(at).map(|row| row.trim_end().to_owned());
    let above = joined.rows.get(..at).into_iter().flatten().rev().find(|row| !row.trim().is_empty());
    CursorLine {
        text: row(at).unwrap_or_default(),
        above: above.map(|row| row.trim_end().to_owned()).unwrap_or_default(),
        in_mode: shown.in_mode,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(rows: &[&str], cursor: (u16, u16), height: u16) -> PaneScreen {
        PaneScreen {
            rows: rows.iter().map(|row| (*row).to_owned()).collect(),
            cut: false,
            cursor,
            width: 6,
            height,
            alternate: false,
            in_mode: false,
            dead: false,
            given: Rows::AsShown,
            title: String::new(),
        }
    }

    #[test]
    fn the_line_of_the_cursor_is_whole_wherever_in_it_that_stands() {
        let rows = ["$ ls", "a", "$ rm -", "rf ~/a", "bc", "", ""];
        let joined = ["$ ls", "a", "$ rm -rf ~/abc", "", ""];
        let text = |at: u16| line_of(&screen(&rows, (1, at), 7), &screen(&joined, (1, at), 7));
        for at in 2..5 {
            let line = text(at);
            assert_eq!((line.text.as_str(), line.above.as_str()), ("$ rm -rf ~/abc", "a"), "{at}");
        }
        assert_eq!((text(0).text.as_str(), text(0).above.as_str()), ("$ ls", ""));
        assert_eq!((text(6).text.as_str(), text(6).above.as_str()), ("", "$ rm -rf ~/abc"));
        assert_eq!(text(1).text, "a");
    }
}
