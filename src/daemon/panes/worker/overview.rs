//! What is shown of a pane elsewhere: what its agent is doing, and frames of its screen.

use super::mask::line_of;
use super::read::Read;
use super::session::Session;
use crate::engine::screen::reading::{ScreenState, plain};
use crate::engine::words::Millis;
use crate::io::frame::KeptFrame;
use crate::io::frames::{Frames, NewFrame};
use crate::io::mux::PaneScreen;
use std::time::Duration;
use tokio::time::Instant;

/// How often the last line of a pane is told.
const DOING_EVERY: Duration = Duration::from_secs(1);

/// What was shown last.
#[derive(Debug)]
pub(super) struct Overview {
    frames: Frames,
    /// The state that was last kept a frame of.
    kept: Option<ScreenState>,
    doing: Doing,
}

/// What was last told of a pane, the row that this was read from, and when.
#[derive(Debug, Default)]
struct Doing {
    line: String,
    row: String,
    at: Option<Instant>,
}

impl Overview {
    pub(super) fn new(frames: Frames) -> Self {
        Self { frames, kept: None, doing: Doing::default() }
    }

    /// The next screen is kept, though its state be the same.
    pub(super) fn forget_kept(&mut self) {
        self.kept = None;
    }

    /// Keeps what was shown when its state changed, without anything that would read as a claim where it is shown again.
    pub(super) fn keep_frame(&mut self, screen: &PaneScreen, read: &Read, session: &Session) {
        if self.kept.replace(read.state) == Some(read.state) {
            return;
        }
        let above = screen.rows.len().saturating_sub(usize::from(screen.height));
        let rows = session.agent.mask.rows(screen, above);
        let title = Some(session.agent.mask.text(&screen.title));
        self.frames.keep(NewFrame {
            agent: session.agent.name().to_string(),
            provider: session.agent.launch.provider.clone(),
            state: read.state.name(),
            rule: read.rule.clone(),
            at: Millis(0),
            frame: KeptFrame { rows, title, cursor: Some(screen.cursor) },
        });
    }

    /// The last meaningful line, if that is to be told now.
    pub(super) fn doing(
        &mut self,
        screen: &PaneScreen,
        read: Option<&Read>,
        session: &Session,
    ) -> Option<String> {
        let now = session.now();
        if self.doing.at.is_some_and(|at| now.duration_since(at) < DOING_EVERY) {
            return None;
        }
        // Phrase and token never stand side by side in anything that tasuki writes.
        let meaningful = |row: &String| is_word(row) && !row.contains(&session.agent.mask.phrase);
        // What is in and below an input box tells nothing of what it does.
        let end = read.map_or(screen.rows.len(), |read| read.end(screen));
        let at = screen.rows[..end].iter().rposition(meaningful)?;
        if screen.rows[at] == self.doing.row {
            return None;
        }
        self.doing.row.clone_from(&screen.rows[at]);
        let line = session.agent.mask.rows(screen, at).first().map(|row| line_of(row))?;
        if line == self.doing.line {
            return None;
        }
        (self.doing.line, self.doing.at) = (line.clone(), Some(now));
        Some(line)
    }
}

/// The last line that its program has printed.
pub(super) fn last_line(screen: &PaneScreen, session: &Session) -> Option<String> {
    // tmux itself adds a line such as "Pane is dead (status 1, …)".
    let spoken = |row: &String| {
        !row.starts_with("Pane is dead") && is_word(row) && !row.contains(&session.agent.mask.phrase)
    };
    let at = screen.rows.iter().rposition(spoken)?;
    session.agent.mask.rows(screen, at).first().map(|row| line_of(row))
}

/// Whether a row says anything: it is neither blank nor a border.
fn is_word(row: &str) -> bool {
    !plain(row).is_empty()
}
