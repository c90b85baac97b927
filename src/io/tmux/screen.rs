//! What a pane shows, as text.

use super::command::{REPLY_BYTES_MAX, TmuxCommand, TmuxReply};
use super::control::Tmux;
use super::pane::Pane;
use crate::io::mux::error::MuxError;
use crate::io::mux::people::People;
use crate::io::mux::screen::{PaneScreen, Rows};

/// Replies to the commands that take a screen.
pub(super) const CAPTURE_REPLIES: usize = 5;

const FACTS: &str = "#{cursor_x}|#{cursor_y}|#{pane_width}|#{pane_height}|#{alternate_on}|#{pane_in_mode}|#{pane_dead}|#{pane_title}";

impl Pane {
    /// Takes the screen and up to `history` rows above it, and the facts around it, all of one moment.
    ///
    /// The text goes through a buffer, since tmux up to 3.5a never frees what `capture-pane -p` prints to us.
    ///
    /// # Errors
    /// [`MuxError::NoPane`]; those of [`super::control::Tmux::run`].
    pub async fn capture(&self, history: u32, rows: Rows) -> Result<PaneScreen, MuxError> {
        let replies = self.run(self.capturing(history, rows)).await?;
        self.captured(&replies, rows)
    }

    /// The same, with the people at the pane at that moment ([`Self::people`]): one question instead of two.
    ///
    /// # Errors
    /// As [`Self::capture`].
    pub async fn look(&self, history: u32, rows: Rows) -> Result<(PaneScreen, People), MuxError> {
        let replies = self.run(self.capturing(history, rows).then(Tmux::ask_people())).await?;
        let people = replies.get(CAPTURE_REPLIES).map(|reply| self.find_people(reply)).unwrap_or_default();
        Ok((self.captured(&replies, rows)?, people))
    }

    pub(super) fn capturing(&self, history: u32, rows: Rows) -> TmuxCommand {
        let buffer = format!("tasuki-screen-{}", self.id().0);
        let mut capture = TmuxCommand::silent("capture-pane");
        if rows == Rows::Joined {
            capture = capture.flag("-J");
        }
        if rows == Rows::Coloured {
            capture = capture.flag("-e");
        }
        let capture = capture.flag("-b").word(&buffer).flag("-S").word(format!("-{history}"));
        let facts = TmuxCommand::new("display-message").flag("-p").target(self.id()).word(FACTS);
        capture.target(self.id()).then(facts).then(TmuxCommand::take_buffer(&buffer))
    }

    pub(super) fn captured(&self, replies: &[TmuxReply], given: Rows) -> Result<PaneScreen, MuxError> {
        // Of: capture, facts, the buffer's length, its text, its removal.
        let at = |index: usize| replies.get(index).cloned().unwrap_or_default();
        let (facts, text) = (at(1), at(3));
        let bytes = text.buffer(self.tmux().version().buffer_escape());
        let unreadable = || MuxError::Unreadable { command: "capture-pane", words: facts.words() };
        read(&facts, &bytes, text.cut, given).ok_or_else(unreadable)
    }
}

fn read(facts: &TmuxReply, bytes: &[u8], cut: bool, given: Rows) -> Option<PaneScreen> {
    let facts = facts.text();
    let mut fields = facts.splitn(8, '|');
    let mut number = || fields.next()?.parse::<u16>().ok();
    let (cursor, width, height) = ((number()?, number()?), number()?, number()?);
    let (alternate, in_mode, dead) = (number()? != 0, number()? != 0, number()? != 0);
    let title = fields.next().unwrap_or_default().to_owned();
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let rows = text.split('\n').map(str::to_owned).collect();
    let cut = cut || bytes.len() >= REPLY_BYTES_MAX;
    Some(PaneScreen { rows, cut, cursor, width, height, alternate, in_mode, dead, given, title })
}
