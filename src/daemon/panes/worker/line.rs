//! A person's words that stand in the input without Enter: nothing is typed behind them. Where a person's key has reached the
//! pane since nothing stood there, and the line of the cursor is another now, it is theirs until it is entered or gone. What is
//! known of that stands at the pane itself, so that it outlives the daemon.

use super::left::{Left, REPRINTED};
use super::{End, Worker, answered};
use crate::engine::input::Report;
use crate::engine::screen::doorbell::HEAD;
use crate::engine::screen::unsent::{ASKS, Stands, is_continuation, stands};
use crate::io::process;
use crate::io::tmux::{CtrlLetter, CursorLine, Key, People, Remembered, Screen, TmuxError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Wait between output and the look for whose it is: what a key makes a program print comes in one go.
const LOOK_AFTER: Duration = Duration::from_millis(20);
/// Wait between two of these looks, while somebody is there and the pane prints on.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// A key this long ago, in tmux's seconds, may be the one that made the line what it is.
const JUST_NOW: u64 = 1;
/// What is printed so soon after somebody came, in tmux's seconds, may be by a key of theirs.
const CAME_AND_TYPED: u64 = 2;
/// What a terminal shows anew is there after this time.
const SHOWN_WITHIN: Duration = Duration::from_millis(150);

/// A program takes Enter within a few ms and shows it; one that is busy later. It is looked for this long, and this often.
const ENTERED_WITHIN: Duration = Duration::from_millis(500);
const ENTERED_PAUSE: Duration = Duration::from_millis(10);

/// What is known of the line that is being typed. Times are tmux's own, in seconds.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// What stood in the line of the cursor when nobody's words did, and when that was last so.
    free: Option<String>,
    free_at: Option<u64>,
    /// Whether its program edited its line itself then.
    edits: bool,
    /// Whether since then it has asked for a line, with its terminal reading that.
    asks: bool,
    /// What last stood there that was not nothing: a program may have been seen just before it drew its prompt.
    prompt: Option<String>,
    /// When that was last so before tasuki typed a line.
    ours_at: Option<u64>,
    /// When a person last pressed a key that may have gone to this pane.
    typed_at: Option<u64>,
    /// The same, where that was a line of a person's that tasuki typed and entered: what stands there then is what its program shows.
    entered_at: Option<u64>,
    /// Somebody's words, and the newest key when they were seen.
    words: Option<Arc<str>>,
    words_at: u64,
    /// Whether keys came while it could not be told what stood there, as in the middle of a turn.
    unwatched: bool,
    /// For which newest key the terminal was asked to show what stands in its input.
    reprinted_for: Option<u64>,
    /// What is written down at the pane.
    written: Option<Remembered>,
    /// What the loop was told.
    told: Option<Arc<str>>,
    /// How often somebody had come when nobody was there.
    nobody_at: Option<u64>,
    asked: Option<Instant>,
    /// When to look whose output it is.
    due: Option<Instant>,
}

impl Line {
    /// Whether no key has come since a line was entered for a person: what stands there is a new prompt, or what was printed last.
    fn is_as_entered(&self) -> bool {
        self.entered_at.is_some_and(|at| Some(at) == self.typed_at)
    }

    fn is_touched(&self) -> bool {
        self.typed_at.zip(self.free_at).is_some_and(|(typed, free)| typed >= free)
    }
}

impl Worker {
    /// A line is typed from now on.
    pub(super) fn types_a_line(&mut self) {
        self.line.ours_at = self.line.free_at;
    }

    /// Whether a person's key may have come since that was typed, or since an earlier daemon last looked.
    pub(super) fn is_touched_since(&self) -> bool {
        self.line.typed_at.zip(self.line.ours_at).is_some_and(|(typed, ours)| typed >= ours)
    }

    /// Whether its program has no input box of its own: then the line of the cursor is its input.
    pub(super) fn is_plain(&self) -> bool {
        self.launch.profile.screen.is_none()
    }

    /// What an earlier daemon knew, of a pane that is taken over.
    pub(super) async fn recall_line(&mut self) -> Result<(), TmuxError> {
        let known = self.pane.remembered().await?;
        let line = &mut self.line;
        line.typed_at = self.pane.person_before();
        line.free_at = Some(known.as_ref().map_or(0, |known| known.free_at));
        line.ours_at = line.free_at;
        line.unwatched = line.is_touched();
        if let Some(known) = known {
            line.free.clone_from(&known.free);
            (line.edits, line.asks) = (known.edits, known.asks);
            line.words = known.draft.as_deref().map(Arc::from);
            line.words_at = line.typed_at.unwrap_or_default();
            let was_busy = known.busy;
            line.written = Some(known);
            if was_busy || self.line.unwatched {
                self.may_still_be_at_it();
            }
            if self.is_plain() && self.line.words.is_some() {
                // Whether they still stand there is seen, and told, as soon as the pane counts as still: nothing may be printed for
                // hours, which would bring a look.
                let due = self.printed + self.quiet();
                self.line.due = Some(due);
                self.look_by(due);
            }
        }
        Ok(())
    }

    /// The pane printed something: it may be what a person types.
    pub(super) fn heard_line(&mut self, at: Instant) {
        if !self.is_plain() || self.line.nobody_at == Some(self.pane.comes()) || self.line.due.is_some() {
            return;
        }
        let again = self.line.asked.map(|asked| asked + LOOK_AGAIN);
        let due = again.map_or(at + LOOK_AFTER, |again| again.max(at + LOOK_AFTER));
        self.line.due = Some(due);
        self.look_by(due);
    }

    /// The turn is over in which keys came: what they left is looked at now, for nothing else need bring a look.
    pub(super) fn look_at_unwatched(&mut self) {
        if self.is_plain() && self.line.unwatched {
            let due = Instant::now() + LOOK_AFTER;
            self.line.due = Some(due);
            self.look_by(due);
        }
    }

    /// Looks whose output it was, if it is time.
    pub(super) async fn watch_line(&mut self) -> Result<(), End> {
        match self.line.due {
            None => return Ok(()),
            Some(due) if Instant::now() < due => {
                self.look_by(due);
                return Ok(());
            }
            Some(_) => self.line.due = None,
        }
        self.line.asked = Some(Instant::now());
        let looked = if self.awaited.is_some() || self.unread.is_some() {
            self.pane.people().await.map(|people| self.note_people(&people))
        } else {
            self.judge_line(false).await
        };
        match answered(looked)? {
            Ok(()) => self.tell_line().await,
            Err(error) => tracing::debug!(%error, "it is not known whose words are in a pane"),
        }
        Ok(())
    }

    /// Whether somebody's words stand in the input, before something is typed. The screen is the one that was just seen, and
    /// counts if no key has come since nothing stood there.
    pub(super) async fn has_unsent(&mut self, screen: &Screen, people: &People) -> Result<bool, TmuxError> {
        self.note_people(people);
        if self.line.words.is_none() && !self.line.is_touched() {
            let row = row_of(screen);
            if !self.is_own(&row) {
                self.take_free(row, people.now).await?;
            }
        } else {
            self.judge_line(true).await?;
        }
        self.tell_line().await;
        Ok(self.line.words.is_some())
    }

    pub(super) fn note_people(&mut self, people: &People) {
        self.line.nobody_at = (!people.anybody).then(|| self.pane.comes());
        // Of a pane that was just made, what was typed before is not meant for it.
        let started = self.started.map(|started| people.now.saturating_sub(started.elapsed().as_secs()));
        let free_at = *self.line.free_at.get_or_insert(started.unwrap_or(people.now));
        // Who types in the second in which they come is known by what that makes the program print at once.
        let printed = people.now.saturating_sub(self.printed.elapsed().as_secs());
        let came = people.came_at.filter(|came| (*came..=came + CAME_AND_TYPED).contains(&printed));
        let typed = people.typed_at.max(people.left_at).max(came);
        // Enter may come in the second of the keys before it.
        let just_now = typed.is_some_and(|typed| people.now.saturating_sub(typed) <= JUST_NOW);
        if just_now || typed > self.line.typed_at {
            self.may_be_at_somebodys();
        }
        if typed > self.line.typed_at {
            self.line.typed_at = typed;
            self.line.unwatched |= self.awaited.is_some() && typed >= Some(free_at);
        }
    }

    /// Looks at the line of the cursor; `may_press` is whether the terminal may be asked to show what stands in its input.
    async fn judge_line(&mut self, may_press: bool) -> Result<(), TmuxError> {
        let (mut line, mut people) = self.pane.cursor_line().await?;
        self.note_people(&people);
        if line.in_mode {
            return Ok(());
        }
        if self.is_own(&line.text) {
            self.line.words = None;
            return self.remember_line().await;
        }
        if self.line.words.is_none() && !self.line.is_touched() {
            return self.take_free(line.text, people.now).await;
        }
        let asks = self.asks_for_a_line();
        if self.line.is_as_entered() && !is_continuation(&line.text) && !asks {
            return self.take_free(line.text, people.now).await;
        }
        let mut standing = self.standing_in(&line).or_else(|| asks.then(|| ASKS.to_owned()));
        let reprints = process::line_keys(&self.tty).ok().flatten().is_some_and(|keys| keys.reprints);
        let in_doubt = match &standing {
            // The terminal would show nothing: what was begun is in its program.
            Some(words) if is_continuation(words) || asks => false,
            // It has read its line.
            None if self.line.asks && !asks => false,
            Some(_) => reprints && self.line.reprinted_for != self.line.typed_at,
            None => self.is_in_doubt(&line, &people, reprints),
        };
        if in_doubt && reprints && may_press && self.minds(people.here.as_ref()).is_none() {
            self.line.reprinted_for = self.line.typed_at;
            (line, people) = self.reprinted_line().await?;
            // Nothing else stands in that row, unless its program has printed behind it at once: then it is asked again.
            let is_alone = !line.text.is_empty() || line.above.ends_with(REPRINTED);
            standing = Some(if is_alone { line.text.clone() } else { line.above.clone() });
            standing = standing.filter(|text| !text.is_empty());
            if !is_alone {
                self.line.reprinted_for = None;
            }
        } else if in_doubt && standing.is_none() && (reprints || self.line.words.is_some()) {
            if reprints && line.text.is_empty() && self.line.words.is_some() && self.is_by_a_key(&people) {
                // Entered, it seems, and nobody's to see to; the terminal is asked before anything is typed.
                (self.line.words, self.line.unwatched) = (None, true);
                return self.remember_line().await;
            }
            return Ok(());
        }
        match standing {
            None => self.take_free(line.text, people.now).await,
            Some(words) => {
                self.line.words = Some(Self::line_of(&self.masked(&words)).into());
                self.line.words_at = self.line.typed_at.unwrap_or(people.now);
                (self.line.unwatched, self.line.asks) = (false, asks || self.line.asks);
                self.remember_line().await
            }
        }
    }

    /// Whose words stand in it, if any do.
    fn standing_in(&self, line: &CursorLine) -> Option<String> {
        let behind = |free: Option<&str>| match stands(&line.text, &line.above, free) {
            Stands::Nothing | Stands::Prompt => None,
            Stands::Words(words) => Some(words),
        };
        let words = behind(self.line.free.as_deref())?;
        match self.line.prompt.as_deref().filter(|prompt| line.text.starts_with(*prompt)) {
            Some(prompt) => behind(Some(prompt)),
            None => Some(words),
        }
    }

    /// Whether a program that edits its line itself has its terminal read one instead, as a shell does for `read`: that is somebody's to
    /// answer.
    pub(super) fn asks_for_a_line(&self) -> bool {
        self.line.edits && self.is_canonical() && !self.is_occupied() && self.waits_for_a_line()
    }

    fn is_canonical(&self) -> bool {
        process::terminal_mode(&self.tty).is_ok_and(|mode| mode.canonical)
    }

    /// Whether words may stand in the input though nothing is seen of them: the program may have printed behind them, and shown its
    /// prompt anew. Nothing but a key clears them; and where there is a prompt, an empty line is not what is free.
    fn is_in_doubt(&self, line: &CursorLine, people: &People, reprints: bool) -> bool {
        let by_a_key = self.is_by_a_key(people);
        let is_empty = line.text.is_empty();
        let left_by_itself =
            self.line.words.is_some() && (!by_a_key || is_empty && self.line.prompt.is_some());
        // A terminal that gives whole lines does not tell Enter from a print: its row is empty after both.
        left_by_itself || is_empty && reprints || self.line.unwatched && (is_empty || reprints)
    }

    /// Whether a key may have made the line what it is.
    fn is_by_a_key(&self, people: &People) -> bool {
        let Some(typed) = self.line.typed_at else { return false };
        typed > self.line.words_at || people.now.saturating_sub(typed) <= JUST_NOW
    }

    /// Whether the cursor stands in a line that shows the program's prompt.
    pub(super) fn is_at_prompt(&self, screen: &Screen) -> bool {
        self.line.prompt.as_deref().is_some_and(|prompt| row_of(screen) == prompt.trim_end())
    }

    /// Has a terminal that gives whole lines show what stands in its input. What it shows by itself need not be that: it takes
    /// away one column of a character that is two wide.
    pub(super) async fn reprinted_line(&mut self) -> Result<(CursorLine, People), TmuxError> {
        if let Some(letter) = CtrlLetter::new('r') {
            self.forget_seen();
            self.pane.key(Key::Ctrl(letter)).await?;
            tokio::time::sleep(SHOWN_WITHIN).await;
        }
        self.pane.cursor_line().await
    }

    /// Nobody's words stand there.
    pub(super) async fn take_free(&mut self, row: String, now: u64) -> Result<(), TmuxError> {
        // While something else has the terminal, or asks, nothing is learnt of that.
        let edits = !self.is_canonical() || self.line.edits && !self.waits_for_a_line();
        let line = &mut self.line;
        if !row.is_empty() {
            line.prompt = Some(row.clone());
        }
        (line.edits, line.asks) = (edits, false);
        (line.free, line.free_at, line.words, line.unwatched) = (Some(row), Some(now), None, false);
        self.remember_line().await
    }

    /// Writes down at the pane what another daemon could not know: not each moment at which nothing stood there.
    async fn remember_line(&mut self) -> Result<(), TmuxError> {
        let line = &self.line;
        let draft = line.words.as_deref().map(str::to_owned);
        let (free_at, free, busy) = (line.free_at.unwrap_or(0), line.free.clone(), self.is_long_at_rest());
        let (edits, asks) = (line.edits, line.asks);
        let what = Remembered { free_at, free, draft, busy, edits, asks };
        let is_known = line.written.as_ref().is_some_and(|written| {
            let touched = line.typed_at.is_some_and(|typed| typed >= written.free_at);
            Remembered { free_at, ..written.clone() } == what && !touched
        });
        if is_known {
            return Ok(());
        }
        self.pane.remember(&what).await?;
        self.line.written = Some(what);
        Ok(())
    }

    /// Writes down at the pane, if that is not known there, whether its program is at something that nobody awaits.
    pub(super) async fn remember_rest(&mut self) {
        let is_written = self.line.written.as_ref().is_some_and(|written| written.busy);
        if is_written != self.is_long_at_rest()
            && let Err(error) = self.remember_line().await
        {
            tracing::debug!(%error, "it cannot be written down at a pane that its program is busy");
        }
    }

    /// Tells the loop when words begin or cease to stand there.
    async fn tell_line(&mut self) {
        if self.line.words != self.line.told {
            self.line.told.clone_from(&self.line.words);
            let (words, boxed) = (self.line.told.clone(), !self.is_plain());
            self.report(Report::Unsent { words, boxed }).await;
        }
    }

    /// The same of an input box, whose program shows them.
    pub(super) async fn tell_box(&mut self, text: Option<&str>) {
        self.line.words = text.map(|text| Self::line_of(&self.masked(text)).into());
        self.tell_line().await;
    }

    /// Whether a line is one that tasuki typed, with nothing behind it. Where none of tasuki's can stand, a person has recalled one.
    fn is_own(&self, line: &str) -> bool {
        let own = self.typed_last.as_deref().filter(|_| matches!(self.left, Left::Line(..)));
        match own.map(str::trim_end) {
            Some(own) => line.ends_with(own) || (line.contains(HEAD) && !line.contains(own)),
            None if self.line.words.is_some() && self.left != Left::Unknown => false,
            None => line.contains(HEAD) && !(self.left == Left::Nothing && self.line.is_touched()),
        }
    }

    /// What is known to stand there.
    pub(super) fn unsent_words(&self) -> Option<Arc<str>> {
        self.line.words.clone()
    }

    /// A person had lines typed and entered, with whatever stood before them. That is a person's key: where another row than the
    /// free one stands there then, as the prompt for the rest of what was begun, it is theirs.
    pub(super) async fn has_entered(&mut self, last: &str) -> Result<(), TmuxError> {
        if !self.is_plain() {
            return Ok(());
        }
        let gone_by = Instant::now() + ENTERED_WITHIN;
        let people = loop {
            let (line, people) = self.pane.cursor_line().await?;
            if last.is_empty() || !line.text.ends_with(last.trim_end()) || Instant::now() >= gone_by {
                break people;
            }
            tokio::time::sleep(ENTERED_PAUSE).await;
        };
        self.note_people(&people);
        (self.line.words, self.line.unwatched, self.line.typed_at) = (None, false, Some(people.now));
        self.line.entered_at = Some(people.now);
        self.remember_line().await?;
        self.tell_line().await;
        Ok(())
    }

    /// What is free is what stands in the line now: a person has said so.
    pub(super) async fn believe_line(&mut self) -> Result<(), TmuxError> {
        let (line, people) = self.pane.cursor_line().await?;
        self.note_people(&people);
        self.take_free(line.text, people.now).await?;
        self.tell_line().await;
        Ok(())
    }

    /// Whether words stand in the line of the cursor, after a key that takes them away.
    pub(super) async fn still_unsent(&mut self) -> Result<(CursorLine, bool), TmuxError> {
        let (line, people) = self.pane.cursor_line().await?;
        self.note_people(&people);
        let stands = self.standing_in(&line).is_some();
        Ok((line, stands))
    }
}

/// The row of the cursor. Counted from below, for rows above it may be joined.
fn row_of(screen: &Screen) -> String {
    let below = usize::from(screen.height.saturating_sub(screen.cursor.1)).max(1);
    let row = screen.rows.len().checked_sub(below).and_then(|at| screen.rows.get(at));
    row.map(|row| row.trim_end().to_owned()).unwrap_or_default()
}
