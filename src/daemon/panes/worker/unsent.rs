//! A person's words that stand in the input without Enter: what is known of them. Nothing is typed behind them. Where a person's key
//! has reached the pane since nothing stood there, and the line of the cursor is another now, it is theirs until it is entered or gone.

use super::trace::is_question;
use crate::engine::screen::unsent::{Stands, stands};
use crate::io::mux::{CursorLine, PaneScreen, People, Remembered};
use std::sync::Arc;
use tokio::time::Instant;

/// A key this long ago, in tmux's seconds, may be the one that made the line what it is.
pub(super) const JUST_NOW: u64 = 1;

/// What is known of the line that is being typed. Times are tmux's own, in seconds.
#[derive(Debug, Default)]
pub(super) struct Unsent {
    /// What stood in the line of the cursor when nobody's words did, and when that was last so.
    pub(super) free: Option<String>,
    pub(super) free_at: Option<u64>,
    /// Whether its program edited its line itself then.
    pub(super) edits: bool,
    /// Whether since then it has asked for a line, with its terminal reading that.
    pub(super) asks: bool,
    /// What last stood there that was not nothing: a program may have been seen just before it drew its prompt.
    pub(super) prompt: Option<String>,
    /// When that was last so before tasuki typed a line.
    pub(super) ours_at: Option<u64>,
    /// When a person last pressed a key that may have gone to this pane.
    pub(super) typed_at: Option<u64>,
    /// The same, where that was a line of a person's that tasuki typed and entered: what stands there then is what its program shows.
    pub(super) entered_at: Option<u64>,
    /// Somebody's words, and the newest key when they were seen.
    pub(super) words: Option<Arc<str>>,
    pub(super) words_at: u64,
    /// Whether keys came while it could not be told what stood there, as in the middle of a turn.
    pub(super) unwatched: bool,
    /// For which newest key the terminal was asked to show what stands in its input.
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
    /// Whether no key has come since a line was entered for a person: what stands there is a new prompt, or what was printed last.
    pub(super) fn is_as_entered(&self) -> bool {
        self.entered_at.is_some_and(|at| Some(at) == self.typed_at)
    }

    /// Whether a person's key may have come since nothing stood there.
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

    /// Whether the cursor stands in a line that shows the program's prompt.
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

    /// What another daemon could not know, if that is not written down yet: not each moment at which nothing stood there.
    pub(super) fn to_remember(&self, busy: bool) -> Option<Remembered> {
        let draft = self.words.as_deref().map(str::to_owned);
        let (free_at, free) = (self.free_at.unwrap_or(0), self.free.clone());
        let (edits, asks) = (self.edits, self.asks);
        let what = Remembered { free_at, free, draft, busy, edits, asks };
        let is_known = self.written.as_ref().is_some_and(|written| {
            let touched = self.typed_at.is_some_and(|typed| typed >= written.free_at);
            Remembered { free_at, ..written.clone() } == what && !touched
        });
        (!is_known).then_some(what)
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
