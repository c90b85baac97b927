//! The end of a turn without a claim: the agent waits for input again, as it did before its turn.

use super::Worker;
use super::reading::Read;
use super::said::{Words, prompt_of};
use crate::daemon::panes::orders::Typed;
use crate::engine::input::Report;
use crate::engine::screen::Screen as Seen;
use crate::engine::screen::echo;
use crate::io::process;
use crate::io::tmux::Screen;
use std::time::Duration;
use tokio::time::Instant;

/// After how long a silence it is looked whether the turn is over: a few times, less and less often, and then no more until
/// the agent prints something, so that whoever works in silence costs nothing.
const SILENCES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16), Duration::from_secs(64)];
/// How much later it must look the same: between two steps of a script all may wait for a moment.
const AGAIN: Duration = Duration::from_secs(1);

/// How far the looking is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Over {
    /// Which silence is waited for.
    next: usize,
    /// Since when it seems to be over.
    since: Option<Instant>,
    /// Whether its end was told.
    told: bool,
}

impl Over {
    /// Nothing was looked at yet.
    pub(super) const fn new() -> Self {
        Self { next: 0, since: None, told: false }
    }

    /// It printed something.
    pub(super) const fn again(self) -> Self {
        Self { told: self.told, ..Self::new() }
    }

    /// Its end was told: until it prints something, there is no more to be said.
    const fn spent() -> Self {
        Self { next: SILENCES.len(), since: None, told: true }
    }
}

impl Worker {
    /// Reports the end of a turn that was not claimed, once it is sure, and what was said in it; and what is said later on, for
    /// somebody may go on with it by hand.
    pub(super) async fn look_for_end(
        &mut self,
        typed: &Typed,
        screen: &Screen,
        read: Option<&Read>,
        said: Words,
    ) {
        let free = read.map(|read| read.free);
        let Some(mut over) = self.over.filter(|_| self.unread.is_none()) else { return };
        let Some(silence) = SILENCES.get(over.next) else { return };
        let at = over.since.map_or(self.printed + *silence, |since| since + AGAIN);
        if Instant::now() < at {
            return self.look_by(at);
        }
        let waits =
            free.unwrap_or_else(|| process::waits_for_input(self.process.pid, &self.tty) == Some(true));
        match (waits, over.since) {
            (true, Some(_)) => {
                self.over = Some(Over::spent());
                self.tell_said(typed, said, screen, read).await;
                if !over.told {
                    let (id, turn) = (typed.id.clone(), typed.turn.number);
                    // What a profile reads as free has asked for nothing.
                    let asks =
                        free.is_none() && !stands_where_it_stood(screen, typed) && !self.is_at_prompt(screen);
                    self.report(Report::TurnOver { id, turn, asks }).await;
                }
                return;
            }
            (true, None) => {
                over.since = Some(Instant::now());
                self.look_by(Instant::now() + AGAIN);
            }
            (false, _) => {
                over = Over { next: over.next + 1, since: None, ..over };
                if let Some(silence) = SILENCES.get(over.next) {
                    self.look_by(self.printed + *silence);
                }
            }
        }
        self.over = Some(over);
    }
}

/// Whether what stands before the cursor is what stood before the turn's line when it was typed: nothing, or the same prompt.
/// A question that the agent asks stands there, too, or in the row above: what is typed would be taken for its answer.
fn stands_where_it_stood(screen: &Screen, typed: &Typed) -> bool {
    // Counted from below, for rows above the cursor may be joined.
    let from_below = usize::from(screen.height.saturating_sub(screen.cursor.1)).max(1);
    let Some(at) = screen.rows.len().checked_sub(from_below) else { return false };
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let (Some(row), Some(above)) = (rows.get(at).map(|row| row.trim_end()), rows.get(..at)) else {
        return false;
    };
    let echo = echo::own_echo(&Seen::lines(&rows), &typed.line, typed.turn.token, typed.stood);
    let printed = above.get(echo.map_or(0, |echo| echo.last_row + 1)..).unwrap_or_default();
    match prompt_of(screen, typed) {
        Some(prompt) => row == prompt,
        None => {
            row.is_empty()
                && !printed.iter().rev().find(|row| !row.trim().is_empty()).is_some_and(|row| asks(row))
        }
    }
}

/// Whether a row asks for something: `Remove it?`, `Remove it? [y/N]`, `Your name:`.
fn asks(row: &str) -> bool {
    let row = row.trim_end();
    let choice = row.strip_suffix([']', ')']).and_then(|row| row.rfind(['[', '(']));
    let before = choice.and_then(|at| row.get(..at)).map_or(row, str::trim_end);
    [row, before].iter().any(|row| row.ends_with(['?', '？', ':', '：']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_told_from_an_answer() {
        let questions = [
            "Remove it?",
            "Remove it? [y/N] ",
            "消しますか？",
            "Go on (yes/no)?",
            "Name:",
            "Go on? (y)",
            "[1]?",
        ];
        assert_eq!(questions.map(asks), [true; 7]);
        let answers =
            ["", "done", "I wonder? I do not.", "ok [1]", "(done)", "]", "all is well)", "終わり。", "$"];
        assert_eq!(answers.map(asks), [false; 9]);
    }
}
