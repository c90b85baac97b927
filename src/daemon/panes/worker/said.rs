//! What was said in a turn that is over, or interrupted, without a claim: it is told before the turn is given up, for it belongs to
//! the answer.

use super::Worker;
use super::looking::{is_whole, read_answer};
use super::reading::Read;
use crate::daemon::panes::orders::Typed;
use crate::engine::input::Report;
use crate::engine::screen::Screen as Seen;
use crate::engine::screen::answer::{Answer, rows_said, without_phrase};
use crate::engine::screen::doorbell::HEAD;
use crate::engine::screen::echo;
use crate::io::tmux::Screen;
use std::sync::Arc;

/// What an agent has said in a turn that it did not claim.
#[derive(Debug, Clone)]
pub(super) enum Words {
    /// As the agent itself has it.
    Own(Answer),
    /// Only its screen has it.
    Shown,
    /// Nothing, as the agent itself has it: its program shows a notice on its screen.
    None,
}

impl Worker {
    /// Tells what was said in the turn; once, until there is more.
    pub(super) async fn tell_said(
        &mut self,
        typed: &Typed,
        words: Words,
        screen: &Screen,
        read: Option<&Read>,
    ) {
        let notice = matches!(words, Words::None);
        let Answer { text, truncated } = match words {
            Words::Own(own) => own,
            Words::Shown | Words::None => self.shown(typed, screen, read).await,
        };
        let text = without_phrase(&text, &typed.phrase);
        let is_told = self.said.as_ref().map_or(text.is_empty(), |(told, as_notice)| {
            **told == *text && (*as_notice == notice || text.is_empty())
        });
        if is_told {
            return;
        }
        let text: Arc<str> = text.into();
        self.said = Some((text.clone(), notice));
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        self.report(Report::Said { id, turn, text, truncated, notice }).await;
    }

    /// What stands behind the turn's line, without the words by which its screen says that it met a limit.
    async fn shown(&self, typed: &Typed, screen: &Screen, read: Option<&Read>) -> Answer {
        let whole = if is_whole(screen, typed) { None } else { self.whole().await };
        let mut screen = whole.unwrap_or_else(|| screen.clone());
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
}

/// Leaves out what its screen shows besides its words: its input box, what stands below, how it is doing, and what it says of a
/// limit.
fn leave_out(read: &Read, screen: &mut Screen) {
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

/// What stood before the turn's line when it was typed.
pub(super) fn prompt_of(screen: &Screen, typed: &Typed) -> Option<String> {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let echo = echo::own_echo(&Seen::lines(&rows), &typed.line, typed.turn.token, typed.stood)?;
    let row = rows.get(echo.first_row)?.trim_end();
    // The words of a message have no head, and a long line goes on in the next row.
    let begins = |at: &usize| row.get(*at..).is_some_and(|shown| typed.line.starts_with(shown));
    let at = row.find(HEAD).or_else(|| (0..row.len()).find(begins))?;
    let prompt = row.get(..at)?.trim_end();
    (!prompt.is_empty()).then(|| prompt.to_owned())
}
