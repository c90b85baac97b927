//! What was said in a turn that is over, or interrupted, without a claim: it is reported before the turn is given up, for it belongs
//! to the answer.

use super::read::Read;
use super::session::Session;
use super::trace::{is_whole, prompt_of, read_answer, without_left_behind};
use crate::daemon::panes::orders::Typed;
use crate::engine::screen::answer::{ScreenAnswer, rows_said};
use crate::io::mux::PaneScreen;

/// What an agent has said in a turn that it did not claim.
#[derive(Debug, Clone)]
pub(super) enum Words {
    /// As the agent itself has it.
    Own(ScreenAnswer),
    /// Only its screen has it.
    Shown,
    /// Nothing, as the agent itself has it: its program shows a notice on its screen.
    None,
}

/// What is behind the turn's line, without the words by which its screen says that it met a limit. `resized`: whether the pane's size
/// may have changed in the turn.
pub(super) async fn shown(
    session: &Session,
    typed: &Typed,
    screen: &PaneScreen,
    read: Option<&Read>,
    resized: bool,
) -> ScreenAnswer {
    // An alternate screen has no history, and what was seen may be cleared at any moment.
    let is_all = screen.alternate || is_whole(screen, typed);
    let whole = if is_all { None } else { session.whole().await };
    let mut screen = whole.unwrap_or_else(|| screen.clone());
    if let Some(rules) = session.agent.rules().filter(|_| resized) {
        screen = without_left_behind(&screen, rules, typed);
    }
    if let Some(read) = read {
        leave_out(read, &mut screen);
    }
    if let Some(prompt) = prompt_of(&screen, typed)
        && let Some(last) = screen.rows.iter_mut().rev().find(|row| !row.trim().is_empty())
        && last.trim_end() == prompt
    {
        last.clear();
    }
    read_answer(&screen, typed).0
}

/// Leaves out what its screen shows besides its words: its input box, what is below, how it is doing, and what it says of a
/// limit.
fn leave_out(read: &Read, screen: &mut PaneScreen) {
    let above = screen.rows.len().saturating_sub(usize::from(screen.height));
    let shown = screen.rows.get_mut(above..).unwrap_or_default();
    if !read.free {
        for (_, row) in shown.iter_mut().enumerate().filter(|(at, _)| read.matched.contains(at)) {
            row.clear();
        }
    }
    if let Some(end) = read.box_at {
        screen.rows.truncate(above + end);
        let said = rows_said(&screen.rows, usize::from(screen.width));
        screen.rows.truncate(said);
    }
}
