//! A pane whose size changes in the middle of a turn. On the main screen its program may leave behind what it had drawn, amid what it
//! says; on the alternate screen, which has no history, it may clear what it had said.

use super::session::Session;
use super::trace::{is_echoed, read_answer};
use crate::daemon::panes::orders::Typed;
use crate::engine::screen::answer::ScreenAnswer;
use crate::engine::screen::reading::rows_said_again;
use crate::io::mux::PaneScreen;
use std::sync::Arc;

/// Screens that are kept of one turn, the newest: somebody who drags the edge of a terminal makes one a look.
const SCREENS_MAX: usize = 16;

/// What is known of the sizes that a pane had in a turn.
#[derive(Debug, Default)]
pub(super) struct Resizing {
    /// How often its size had changed when the turn's line was typed; none where an earlier daemon typed it.
    typed_at: Option<u64>,
    /// The alternate screen as it was seen last, and before each change of its size.
    last: Option<Arc<PaneScreen>>,
    before: Vec<Arc<PaneScreen>>,
}

impl Resizing {
    /// Forgets the screens of the turn before.
    pub(super) fn begin(&mut self) {
        (self.last, self.before) = (None, Vec::new());
    }

    /// The turn's line is about to be typed; none if that was before this worker's time.
    pub(super) fn typed_at(&mut self, resized: Option<u64>) {
        self.typed_at = resized;
    }

    /// Whether the pane's size may have changed in the turn.
    pub(super) fn has_changed(&self, session: &Session) -> bool {
        self.typed_at != Some(session.resized())
    }

    /// Keeps what is seen of an alternate screen.
    pub(super) fn sees(&mut self, screen: &Arc<PaneScreen>) {
        if !screen.alternate {
            return;
        }
        let last = self.last.replace(screen.clone());
        let size = (screen.width, screen.height);
        if let Some(last) = last.filter(|last| (last.width, last.height) != size) {
            if self.before.len() >= SCREENS_MAX {
                self.before.remove(0);
            }
            self.before.push(last);
        }
    }

    /// An answer with what was seen of it before the alternate screen was cleared. What came between a look and the change nobody
    /// has seen: it stays one whose beginning may be missing.
    pub(super) fn joined(&self, answer: ScreenAnswer, screen: &PaneScreen, typed: &Typed) -> ScreenAnswer {
        if !screen.alternate || !answer.truncated || is_echoed(screen, typed) {
            return answer;
        }
        let from = self.before.iter().rposition(|before| is_echoed(before, typed)).unwrap_or(0);
        let seen = self.before.iter().skip(from).map(|before| read_answer(before, typed).0.text);
        let text = seen.chain([answer.text]).fold(String::new(), |above, below| joined(&above, &below));
        ScreenAnswer { text, ..answer }
    }
}

/// Two pieces of a text, of which the first may end with what the second begins with.
fn joined(above: &str, below: &str) -> String {
    let (rows, next): (Vec<&str>, Vec<&str>) = (above.lines().collect(), below.lines().collect());
    let own = rows.len() - rows_said_again(&rows, &next);
    rows[..own].iter().chain(&next).copied().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_screens_show_stands_once() {
        assert_eq!(joined("", "a"), "a");
        assert_eq!(joined("a", ""), "a");
        assert_eq!(
            joined("first\nthe second row, and", "the second row, and\nmore"),
            "first\nthe second row, and\nmore"
        );
        assert_eq!(joined("first", "second"), "first\nsecond");
    }
}
