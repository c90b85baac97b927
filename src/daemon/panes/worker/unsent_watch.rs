//! Watches the line of the cursor for a person's words. What is known of them is at the pane itself, so that it outlives the
//! daemon.

use super::mask::line_of;
use super::own_line::OwnLine;
use super::session::{End, Session, answered};
use super::trace::REPRINTED;
use super::typing::{Failed, TYPED_BEHIND, not_delivered};
use super::unsent::{JUST_NOW, Unsent, row_of};
use super::work::Work;
use crate::daemon::panes::orders::Typed;
use crate::engine::input::Report;
use crate::engine::screen::unsent::{ASKS, is_continuation};
use crate::io::mux::{CtrlLetter, CursorLine, Key, MuxError, PaneScreen, People};
use std::time::Duration;
use tokio::time::Instant;

/// Wait between output and the look for whose it is: what a key makes a program print comes in one go.
const LOOK_AFTER: Duration = Duration::from_millis(20);
/// Wait between two of these looks, while somebody is there and the pane prints on.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// What is printed so soon after somebody came, in tmux's seconds, may be by a key of theirs.
const CAME_AND_TYPED: u64 = 2;
/// What a terminal shows anew is there after this time. On a loaded machine it is later: it is looked for some times more, for each
/// question that is asked again leaves its trace in the pane.
const SHOWN_WITHIN: Duration = Duration::from_millis(150);
const SHOWN_TRIES: u32 = 5;

/// A program takes Enter within a few ms and shows it; one that is busy later. It is looked for this long, and this often.
const ENTERED_WITHIN: Duration = Duration::from_millis(500);
const ENTERED_PAUSE: Duration = Duration::from_millis(10);

/// The watch, and what it needs of others.
pub(super) struct UnsentWatch<'w> {
    pub(super) session: &'w mut Session,
    pub(super) own: &'w OwnLine,
    pub(super) work: &'w mut Work,
    pub(super) unsent: &'w mut Unsent,
}

impl UnsentWatch<'_> {
    /// What an earlier daemon knew, of a pane that is taken over.
    pub(super) async fn recall(&mut self) -> Result<(), MuxError> {
        let known = self.session.pane.remembered().await?;
        let (is_known, was_busy) = (known.is_some(), known.as_ref().is_some_and(|known| known.busy));
        self.unsent.recall(known, self.session.pane.person_before());
        if !is_known {
            return Ok(());
        }
        if was_busy || self.unsent.unwatched {
            self.work.busy.may_still_be_at_it(self.session);
        }
        if self.session.agent.is_plain() && self.unsent.words.is_some() {
            // Whether they still stand there is seen, and told, as soon as the pane counts as still: nothing may be printed for
            // hours, which would bring a look.
            self.look_at(self.session.printed + self.session.agent.quiet());
        }
        Ok(())
    }

    fn look_at(&mut self, due: Instant) {
        self.unsent.due = Some(due);
        self.session.look_by(due);
    }

    /// The pane printed something: it may be what a person types.
    pub(super) fn heard(&mut self, at: Instant) {
        let nobody = self.unsent.nobody_at == Some(self.session.pane.comes());
        if !self.session.agent.is_plain() || nobody || self.unsent.due.is_some() {
            return;
        }
        let again = self.unsent.asked.map(|asked| asked + LOOK_AGAIN);
        self.look_at(again.map_or(at + LOOK_AFTER, |again| again.max(at + LOOK_AFTER)));
    }

    /// The turn is over in which keys came: what they left is looked at now, for nothing else need bring a look.
    pub(super) fn look_at_unwatched(&mut self) {
        if self.session.agent.is_plain() && self.unsent.unwatched {
            self.look_at(self.session.now() + LOOK_AFTER);
        }
    }

    /// Looks whose output it was, if it is time.
    pub(super) async fn look(&mut self) -> Result<(), End> {
        let now = self.session.now();
        match self.unsent.due {
            None => return Ok(()),
            Some(due) if now < due => {
                self.session.look_by(due);
                return Ok(());
            }
            Some(_) => self.unsent.due = None,
        }
        self.unsent.asked = Some(now);
        let looked = if self.work.awaited.is_some() || self.work.unread.is_some() {
            self.session.pane.people().await.map(|people| self.note_people(&people))
        } else {
            self.judge(false).await
        };
        match answered(looked)? {
            Ok(()) => self.tell().await,
            Err(error) => tracing::debug!(%error, "it is not known whose words are in a pane"),
        }
        Ok(())
    }

    /// Whether somebody's words stand in the input, before something is typed. The screen is the one that was just seen, and
    /// counts if no key has come since nothing was there.
    pub(super) async fn has_words(&mut self, screen: &PaneScreen, people: &People) -> Result<bool, MuxError> {
        self.note_people(people);
        let row = row_of(screen);
        let program = &self.session.program;
        self.unsent.unwatched |= self.unsent.words.is_none()
            && self.unsent.is_behind_the_prompt(&row)
            && program.reprints()
            && program.waits_for_a_line()
            && !self.is_own(&row);
        if self.unsent.words.is_none() && !self.unsent.is_touched() && !self.unsent.unwatched {
            if !self.is_own(&row) {
                self.take_free(row, people.now).await?;
            }
        } else {
            self.judge(true).await?;
        }
        self.tell().await;
        Ok(self.unsent.words.is_some() || self.unsent.unwatched && self.is_between_lines())
    }

    pub(super) fn note_people(&mut self, people: &People) {
        self.unsent.nobody_at = (!people.anybody).then(|| self.session.pane.comes());
        // Of a pane that was just made, what was typed before is not meant for it.
        let age = |started| self.session.now().duration_since(started).as_secs();
        let started = self.session.program.started.map(|started| people.now.saturating_sub(age(started)));
        let free_at = *self.unsent.free_at.get_or_insert(started.unwrap_or(people.now));
        // Who types in the second in which they come is known by what that makes the program print at once.
        let printed = people.now.saturating_sub(self.session.silence().as_secs());
        let came = people.came_at.filter(|came| (*came..=came + CAME_AND_TYPED).contains(&printed));
        let typed = people.typed_at.max(people.left_at).max(came);
        // Enter may come in the second of the keys before it.
        let just_now = typed.is_some_and(|typed| people.now.saturating_sub(typed) <= JUST_NOW);
        if just_now || typed > self.unsent.typed_at {
            self.is_somebodys();
        }
        if typed > self.unsent.typed_at {
            self.unsent.typed_at = typed;
            self.unsent.unwatched |= self.work.awaited.is_some() && typed >= Some(free_at);
        }
    }

    /// Looks at the line of the cursor; `may_press` is whether the terminal may be asked to show what is in its input.
    async fn judge(&mut self, may_press: bool) -> Result<(), MuxError> {
        let (mut line, mut people) = self.session.pane.cursor_line().await?;
        self.note_people(&people);
        if line.in_mode {
            return Ok(());
        }
        if self.is_own(&line.text) {
            self.unsent.words = None;
            return self.remember().await;
        }
        if self.unsent.words.is_none() && !self.unsent.is_touched() && !self.unsent.unwatched {
            return self.take_free(line.text, people.now).await;
        }
        let asks = self.asks_for_a_line();
        if self.unsent.is_as_entered() && !is_continuation(&line.text) && !asks {
            return self.take_free(line.text, people.now).await;
        }
        let mut standing = self.unsent.standing_in(&line).or_else(|| asks.then(|| ASKS.to_owned()));
        let reprints = self.session.program.reprints();
        let in_doubt = match &standing {
            // The terminal would show nothing: what was begun is in its program.
            Some(words) if is_continuation(words) || asks => false,
            // It has read its line.
            None if self.unsent.asks && !asks => false,
            Some(_) => {
                reprints && (self.unsent.unwatched || self.unsent.reprinted_for != self.unsent.typed_at)
            }
            None => self.unsent.is_in_doubt(&line, &people, reprints),
        };
        let may_press = may_press && !self.is_between_lines();
        if in_doubt && reprints && may_press && self.session.minds(people.here.as_ref()).is_none() {
            (line, people) = self.reprinted_line().await?;
            // Nothing else is in that row, unless its program has printed behind it at once: then it is asked again.
            let is_alone = !line.text.is_empty() || line.above.ends_with(REPRINTED);
            self.unsent.reprinted_for = self.unsent.typed_at.filter(|_| is_alone);
            let shown = if is_alone { &line.text } else { &line.above };
            standing = Some(shown.clone()).filter(|text| !text.is_empty());
        } else if in_doubt && standing.is_none() && (reprints || self.unsent.words.is_some()) {
            if reprints
                && line.text.is_empty()
                && self.unsent.words.is_some()
                && self.unsent.is_by_a_key(&people)
            {
                // Entered, it seems, and nobody's to see to; the terminal is asked before anything is typed.
                (self.unsent.words, self.unsent.unwatched) = (None, true);
                return self.remember().await;
            }
            return Ok(());
        }
        match standing {
            None => self.take_free(line.text, people.now).await,
            Some(words) => {
                self.unsent.words = Some(line_of(&self.session.agent.mask.text(&words)).into());
                self.unsent.words_at = self.unsent.typed_at.unwrap_or(people.now);
                (self.unsent.unwatched, self.unsent.asks) = (false, asks || self.unsent.asks);
                self.remember().await
            }
        }
    }

    /// Whether a program that edits its line itself has a canonical terminal, as between two lines. A key for the terminal could arrive after
    /// that, where it means a search.
    fn is_between_lines(&self) -> bool {
        self.unsent.edits && self.session.program.is_canonical()
    }

    /// Somebody has typed: what its program works on is theirs, where nothing is awaited.
    fn is_somebodys(&mut self) {
        let Work { awaited, busy, .. } = &mut *self.work;
        if awaited.is_none() {
            busy.may_be_at_somebodys(self.session);
        }
    }

    /// Whether a program that edits its line itself has its terminal read one instead, as a shell does for `read`: that is somebody's to
    /// answer.
    pub(super) fn asks_for_a_line(&self) -> bool {
        self.unsent.edits
            && self.session.program.is_canonical()
            && !self.session.program.is_occupied()
            && self.session.program.waits_for_a_line()
    }

    /// Has a terminal that gives whole lines show what is in its input. What it shows by itself need not be that: it takes
    /// away one column of a character that is two wide.
    pub(super) async fn reprinted_line(&mut self) -> Result<(CursorLine, People), MuxError> {
        if let Some(letter) = CtrlLetter::new('r') {
            self.session.press(Key::Ctrl(letter)).await?;
        }
        let mut tries = 0;
        loop {
            tokio::time::sleep(SHOWN_WITHIN).await;
            let (line, people) = self.session.pane.cursor_line().await?;
            tries += 1;
            if tries >= SHOWN_TRIES || !line.text.is_empty() || line.above.ends_with(REPRINTED) {
                return Ok((line, people));
            }
        }
    }

    /// Nobody's words stand there.
    async fn take_free(&mut self, row: String, now: u64) -> Result<(), MuxError> {
        // While something else has the terminal, or asks, nothing is learnt of that.
        let program = &self.session.program;
        let edits = !program.is_canonical() || self.unsent.edits && !program.waits_for_a_line();
        self.unsent.is_free(row, now, edits);
        self.remember().await
    }

    /// A line of a turn is typed behind this row, in which nobody's words stand.
    pub(super) async fn is_idle_at(&mut self, row: String) {
        self.unsent.is_idle_at(row, self.session.program.waits_for_a_line());
        if let Err(error) = self.remember().await {
            tracing::debug!(%error, "it cannot be written down at a pane what its program's prompt is");
        }
    }

    /// Writes down at the pane what another daemon could not know.
    async fn remember(&mut self) -> Result<(), MuxError> {
        let busy = self.work.busy.is_long_at_rest(self.session.now());
        if let Some(what) = self.unsent.to_remember(busy) {
            self.session.pane.remember(&what).await?;
            self.unsent.written = Some(what);
        }
        Ok(())
    }

    /// Writes down at the pane, if that is not known there, whether its program is at something that nobody awaits.
    pub(super) async fn remember_rest(&mut self) {
        let is_written = self.unsent.written.as_ref().is_some_and(|written| written.busy);
        if is_written != self.work.busy.is_long_at_rest(self.session.now())
            && let Err(error) = self.remember().await
        {
            tracing::debug!(%error, "it cannot be written down at a pane that its program is busy");
        }
    }

    /// Tells the loop when words begin or cease to stand there.
    async fn tell(&mut self) {
        if let Some(words) = self.unsent.news() {
            let boxed = !self.session.agent.is_plain();
            self.session.report(Report::Unsent { words, boxed }).await;
        }
    }

    /// The same of an input box, whose program shows them.
    pub(super) async fn tell_box(&mut self, text: Option<&str>) {
        self.unsent.words = text.map(|text| line_of(&self.session.agent.mask.text(text)).into());
        self.tell().await;
    }

    fn is_own(&self, line: &str) -> bool {
        self.own.is(line, self.unsent.words.is_some(), self.unsent.is_touched())
    }

    /// A person had lines typed and entered, with whatever was before them. That is a person's key: where another row than the
    /// free one is there then, as the prompt for the rest of what was begun, it is theirs.
    pub(super) async fn has_entered(&mut self, last: &str) -> Result<(), MuxError> {
        if !self.session.agent.is_plain() {
            return Ok(());
        }
        let gone_by = self.session.now() + ENTERED_WITHIN;
        let people = loop {
            let (line, people) = self.session.pane.cursor_line().await?;
            if last.is_empty() || !line.text.ends_with(last.trim_end()) || self.session.now() >= gone_by {
                break people;
            }
            tokio::time::sleep(ENTERED_PAUSE).await;
        };
        self.note_people(&people);
        (self.unsent.words, self.unsent.unwatched, self.unsent.typed_at) = (None, false, Some(people.now));
        self.unsent.entered_at = Some(people.now);
        self.remember().await?;
        self.tell().await;
        Ok(())
    }

    /// Gives a turn up where somebody has typed on behind its line. What else is there is what its program draws.
    pub(super) async fn must_stand_alone(&mut self, typed: &Typed) -> Result<(), Failed> {
        let (line, people) = self.session.pane.cursor_line().await?;
        self.note_people(&people);
        let own = typed.line.trim_end();
        if !self.unsent.is_touched_since() || !line.text.contains(own) || line.text.ends_with(own) {
            return Ok(());
        }
        Err(not_delivered(TYPED_BEHIND))
    }

    /// What is free is what is in the line now: a person has said so.
    pub(super) async fn believe(&mut self) -> Result<(), MuxError> {
        let (line, people) = self.session.pane.cursor_line().await?;
        self.note_people(&people);
        self.unsent.idle = self.unsent.idle.take().map(|_| (line.text.clone(), false));
        self.take_free(line.text, people.now).await?;
        self.tell().await;
        Ok(())
    }

    /// Whether words stand in the line of the cursor, after a key that takes them away.
    pub(super) async fn still_unsent(&mut self) -> Result<(CursorLine, bool), MuxError> {
        let (line, people) = self.session.pane.cursor_line().await?;
        self.note_people(&people);
        let stands = self.unsent.standing_in(&line).is_some();
        Ok((line, stands))
    }
}
