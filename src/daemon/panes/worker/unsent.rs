//! A person's words that stand in the input without Enter: what is known of them. Nothing is typed behind them. Where a person's key
//! has reached the pane since nothing was there, and the line of the cursor is another now, it is theirs until it is entered or gone.

use super::trace::{ends_with_a_colon, is_question, is_yes_or_no};
use crate::engine::screen::unsent::{Stands, is_continuation, stands};
use crate::io::mux::{CursorLine, PaneScreen, People, Remembered};
use std::sync::Arc;
use tokio::time::Instant;

/// A key this long ago, in tmux's seconds, may be the one that made the line what it is.
pub(super) const JUST_NOW: u64 = 1;

/// What is known of the line that is being typed. Times are tmux's own, in seconds.
#[derive(Debug, Default)]
pub(super) struct Unsent {
    /// What was in the line of the cursor when nobody's words did, and when that was last so.
    pub(super) free: Option<String>,
    pub(super) free_at: Option<u64>,
    /// Whether its program edited its line itself then.
    pub(super) edits: bool,
    /// Whether since then it has asked for a line, with its terminal reading that.
    pub(super) asks: bool,
    /// What last was there that was not nothing: a program may have been seen just before it drew its prompt.
    pub(super) prompt: Option<String>,
    /// When that was last so before tasuki typed a line.
    pub(super) ours_at: Option<u64>,
    /// The row in which the last line of a turn was typed to a program without an input box: its prompt, or nothing. With it, whether the
    /// program waited for a line then, so that it had drawn its prompt.
    pub(super) idle: Option<(String, bool)>,
    /// When a person last pressed a key that may have gone to this pane.
    pub(super) typed_at: Option<u64>,
    /// The same, where that was a line of a person's that tasuki typed and entered: what is there then is what its program shows.
    pub(super) entered_at: Option<u64>,
    /// Somebody's words, and the newest key when they were seen.
    pub(super) words: Option<Arc<str>>,
    pub(super) words_at: u64,
    /// Whether keys came while it could not be told what was there, as in the middle of a turn, or may have come from no person.
    pub(super) unwatched: bool,
    /// For which newest key the terminal was asked to show what is in its input.
    pub(super) reprinted_for: Option<u64>,
    /// What is written down at the pane.
    pub(super) written: Option<Remembered>,
    /// What the loop was told.
    pub(super) told: Option<Arc<str>>,
    /// How often somebody had come when nobody was there.
    pub(super) nobody_at: Option<u64>,
    pub(super) asked: Option<Instant>,
    /// When to look whose output it is.
    pub(super) due: Option<Instant>,
}

impl Unsent {
    /// Whether no key has come since a line was entered for a person: what is there is a new prompt, or what was printed last.
    pub(super) fn is_as_entered(&self) -> bool {
        self.entered_at.is_some_and(|at| Some(at) == self.typed_at)
    }

    /// Whether a person's key may have come since nothing was there.
    pub(super) fn is_touched(&self) -> bool {
        self.typed_at.zip(self.free_at).is_some_and(|(typed, free)| typed >= free)
    }

    /// Tasuki types a line from now on.
    pub(super) fn types_a_line(&mut self) {
        self.ours_at = self.free_at;
    }

    /// Whether a person's key may have come since that was typed, or since an earlier daemon last looked.
    pub(super) fn is_touched_since(&self) -> bool {
        self.typed_at.zip(self.ours_at).is_some_and(|(typed, ours)| typed >= ours)
    }

    /// Whose words stand in it, if any do.
    pub(super) fn standing_in(&self, line: &CursorLine) -> Option<String> {
        let behind = |free: Option<&str>| match stands(&line.text, &line.above, free) {
            Stands::Nothing | Stands::Prompt => None,
            Stands::Words(words) => Some(words),
        };
        let words = behind(self.free.as_deref())?;
        match self.prompt.as_deref().filter(|prompt| line.text.starts_with(*prompt)) {
            Some(prompt) => behind(Some(prompt)),
            None => Some(words),
        }
    }

    /// Whether words may stand in the input though nothing is seen of them: the program may have printed behind them, and shown its
    /// prompt anew. Nothing but a key clears them; and where there is a prompt, an empty line is not what is free.
    pub(super) fn is_in_doubt(&self, line: &CursorLine, people: &People, reprints: bool) -> bool {
        let by_a_key = self.is_by_a_key(people);
        let is_empty = line.text.is_empty();
        let left_by_itself = self.words.is_some() && (!by_a_key || is_empty && self.prompt.is_some());
        // A terminal that gives whole lines does not tell Enter from a print: its row is empty after both.
        left_by_itself || is_empty && reprints || self.unwatched && (is_empty || reprints)
    }

    /// Whether a key may have made the line what it is.
    pub(super) fn is_by_a_key(&self, people: &People) -> bool {
        let Some(typed) = self.typed_at else { return false };
        typed > self.words_at || people.now.saturating_sub(typed) <= JUST_NOW
    }

    /// Whether the cursor is in a line that shows the program's prompt.
    pub(super) fn is_at_prompt(&self, screen: &PaneScreen) -> bool {
        self.prompt.as_deref().is_some_and(|prompt| row_of(screen) == prompt.trim_end())
    }

    /// Takes up what an earlier daemon wrote down at the pane; `typed_at` is when a person last typed before this one.
    pub(super) fn recall(&mut self, known: Option<Remembered>, typed_at: Option<u64>) {
        self.typed_at = typed_at;
        self.free_at = Some(known.as_ref().map_or(0, |known| known.free_at));
        self.ours_at = self.free_at;
        self.unwatched = self.is_touched();
        if let Some(known) = known {
            self.free.clone_from(&known.free);
            (self.edits, self.asks) = (known.edits, known.asks);
            self.idle = known.idle.clone().map(|row| (row, true));
            self.words = known.draft.as_deref().map(Arc::from);
            self.words_at = self.typed_at.unwrap_or_default();
            self.written = Some(known);
        }
    }

    /// Nobody's words stand in the line, which shows this; `edits` is whether its program edits its line itself.
    pub(super) fn is_free(&mut self, row: String, now: u64, edits: bool) {
        if !row.is_empty() && !is_question(&row) {
            self.prompt = Some(row.clone());
        }
        (self.edits, self.asks) = (edits, false);
        (self.free, self.free_at, self.words, self.unwatched) = (Some(row), Some(now), None, false);
    }

    /// What another daemon could not know, if that is not written down yet: not each moment at which nothing was there.
    pub(super) fn to_remember(&self, busy: bool) -> Option<Remembered> {
        let draft = self.words.as_deref().map(str::to_owned);
        let (free_at, free) = (self.free_at.unwrap_or(0), self.free.clone());
        let (edits, asks) = (self.edits, self.asks);
        let idle = self.idle.clone().and_then(|(row, waits)| waits.then_some(row));
        let what = Remembered { free_at, free, draft, busy, edits, asks, idle };
        let is_known = self.written.as_ref().is_some_and(|written| {
            let touched = self.typed_at.is_some_and(|typed| typed >= written.free_at);
            Remembered { free_at, ..written.clone() } == what && !touched
        });
        (!is_known).then_some(what)
    }

    /// A line of a turn is typed behind this row; `waits` is whether the program waits for it. An empty row need not be its prompt, for
    /// a terminal that was asked for its input shows none there: it teaches nothing where more is known.
    pub(super) fn is_idle_at(&mut self, row: String, waits: bool) {
        let is_known = self.idle.as_ref().is_some_and(|(idle, sure)| *sure || !idle.is_empty());
        if !row.is_empty() {
            self.idle = Some((row, waits));
        } else if !is_known {
            self.idle = Some((row, waits && self.reprinted_for.is_none()));
        }
    }

    /// Whether a program without an input box asks a person for something in this row, where nobody's words stand: a question that is
    /// not what turns are typed behind. Where none was typed yet that is not known, and only yes or no is a question. A colon ends prompts, too: it is a question where
    /// that of its program is surely another, and it `waits` for a line.
    pub(super) fn is_asked_in(&self, row: &str, waits: impl FnOnce() -> bool) -> bool {
        let numberless = |row: &str| row.replace(|c: char| c.is_ascii_digit(), "");
        let Some((idle, waited)) = &self.idle else { return is_yes_or_no(row) };
        let by_colon = || *waited && ends_with_a_colon(row) && !ends_with_a_colon(idle) && waits();
        numberless(idle) != numberless(row) && (is_question(row) || by_colon())
    }

    /// Whether words stand in this row behind what is surely the program's prompt, and ask nothing: printed there, or sent by another
    /// program, which is no person's key.
    pub(super) fn is_behind_the_prompt(&self, row: &str) -> bool {
        let sure = self.idle.as_ref().filter(|(_, waited)| *waited);
        let behind = sure.map(|(idle, _)| stands(row, "", Some(idle)));
        // What looks like the prompt for the rest of a line is its program's.
        matches!(behind, Some(Stands::Words(words)) if !is_continuation(&words))
            && !self.is_asked_in(row, || true)
    }

    /// What the loop is to be told: that words begin or cease to stand there.
    pub(super) fn news(&mut self) -> Option<Option<Arc<str>>> {
        (self.words != self.told).then(|| {
            self.told.clone_from(&self.words);
            self.told.clone()
        })
    }
}

/// The row of the cursor. Counted from below, for rows above it may be joined.
pub(super) fn row_of(screen: &PaneScreen) -> String {
    let below = usize::from(screen.height.saturating_sub(screen.cursor.1)).max(1);
    let row = screen.rows.len().checked_sub(below).and_then(|at| screen.rows.get(at));
    row.map(|row| row.trim_end().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_no_prompt_unless_turns_are_typed_behind_it() {
        let mut unsent = Unsent::default();
        let asks = |unsent: &Unsent, row: &str| unsent.is_asked_in(row, || true);
        assert!(
            asks(&unsent, "Delete everything? [Y/n]") && !asks(&unsent, "Why?"),
            "no prompt is known yet"
        );
        unsent.idle = Some((String::new(), false));
        let asked = ["Delete everything? [Y/n]", "消しますか？", "Overwrite a.rs (yes/no)", "Go on [y/N]:"];
        assert_eq!(asked.map(|row| asks(&unsent, row)), [true; 4]);
        let idle = ["", "$", "~/a:", "In [2]:", "ok [1]", "done (3/4 files were written here)"];
        assert_eq!(idle.map(|row| asks(&unsent, row)), [false; 6]);
        unsent.idle = Some(("What next (1 of 9)?".to_owned(), true));
        assert!(!asks(&unsent, "What next (2 of 9)?"));
    }

    #[test]
    fn a_colon_asks_where_no_prompt_ends_so() {
        let asks = |idle: &str, waited, waits| {
            let idle = Some((idle.to_owned(), waited));
            Unsent { idle, ..Unsent::default() }.is_asked_in("Your name:", || waits)
        };
        assert!(asks("", true, true) && asks(">>>", true, true));
        assert!(!asks("", false, true), "its prompt may not have been drawn yet");
        assert!(!asks("", true, false), "it reads no line");
        assert!(!asks("~/a:", true, true), "its prompts end so");
        // Behind a row in which the terminal has shown its input, an empty one is no prompt.
        let mut unsent = Unsent { reprinted_for: Some(1), ..Unsent::default() };
        for (row, idle) in [("", ("", false)), ("task:", ("task:", true)), ("", ("task:", true))] {
            unsent.is_idle_at(row.to_owned(), true);
            assert_eq!(unsent.idle, Some((idle.0.to_owned(), idle.1)));
            assert!(!unsent.is_asked_in("task:", || true));
        }
    }

    #[test]
    fn words_behind_the_prompt_are_told_from_other_prompts() {
        let mut unsent = Unsent::default();
        assert!(!unsent.is_behind_the_prompt("rm"), "its prompt is not known yet");
        unsent.is_idle_at("~/a $".to_owned(), true);
        let behind = ["~/a $ rm", "a late print"].map(|row| unsent.is_behind_the_prompt(row));
        let other = ["", "~/a $", "~/b $", "dquote>", "Go on?"].map(|row| unsent.is_behind_the_prompt(row));
        assert_eq!((behind, other), ([true; 2], [false; 5]));
    }
}
