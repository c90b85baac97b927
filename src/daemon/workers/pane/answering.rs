//! Answering a dialog: the mark is moved to the choice, one key at a time and each one seen, and Enter is pressed only where
//! the mark stands on it and the dialog is the one that was meant.

use super::reading::Read;
use super::{End, Worker};
use crate::daemon::request::{Answered, PaneLook, PaneResponse};
use crate::engine::doorbell;
use crate::engine::input::Report;
use crate::engine::need::AnsweredBy;
use crate::engine::reading::{Choose, Dialog, State, StyledRow};
use crate::io::tmux::{Key, Rows, Screen, TmuxError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a key may take to show: Claude Code takes none within 200 ms of a dialog's first sight.
const KEY_WAIT: Duration = Duration::from_millis(1_000);
/// Keys that move the mark, beyond one for each choice: some are lost.
const KEYS_LOST: usize = 4;
/// How often Enter is pressed on a dialog that stays.
const ENTERS: usize = 3;
/// How soon the profile tries again to answer.
const TRY_AGAIN: Duration = Duration::from_secs(1);
/// Between two looks at a screen that makes no sound.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Why nothing was answered.
enum Stopped {
    Refused(String),
    Tmux(TmuxError),
}

impl From<TmuxError> for Stopped {
    fn from(error: TmuxError) -> Self {
        Self::Tmux(error)
    }
}

impl From<End> for Stopped {
    fn from(_: End) -> Self {
        Self::Tmux(TmuxError::Gone { why: "the connection has ended".to_owned() })
    }
}

fn refused<T>(why: impl Into<String>) -> Result<T, Stopped> {
    Err(Stopped::Refused(why.into()))
}

impl Worker {
    /// Answers what the agent asks; `of` is the dialog that was meant, if that was said.
    pub(super) async fn answer(&mut self, wish: &str, of: Option<&str>) -> Result<PaneResponse, TmuxError> {
        let chosen = self.choose(wish, of, AnsweredBy::Person).await;
        self.look_by(Instant::now()); // what it showed meanwhile was heard here
        match chosen {
            Ok(answered) => Ok(PaneResponse::Answered(answered)),
            Err(Stopped::Refused(why)) => Ok(PaneResponse::Ready(false, Some(why))),
            Err(Stopped::Tmux(error)) => Err(error),
        }
    }

    /// Answers what the profile was told to answer, once for each dialog; what it was not told waits for a person.
    pub(super) async fn answer_by_profile(&mut self, read: &Read) -> Result<(), End> {
        let waits = read.state == State::WaitingInput;
        let Some(dialog) = read.dialog.as_ref().filter(|_| waits) else {
            if read.state != State::Unknown {
                self.answered = None;
            }
            return Ok(());
        };
        let id = dialog.id();
        if self.answered.as_ref() == Some(&id) {
            return Ok(());
        }
        let launch = self.launch.clone();
        let Some(standing) = launch.profile.answers.iter().find(|answer| answer.fits(&read.rule, dialog))
        else {
            return Ok(());
        };
        let chosen = self.choose(&standing.choose, Some(&id), AnsweredBy::Profile).await;
        self.look_by(Instant::now() + LOOK_AGAIN); // what it showed meanwhile was heard here
        let why = match chosen {
            Ok(_) => {
                self.answered = Some(id);
                return Ok(());
            }
            Err(Stopped::Tmux(TmuxError::Gone { .. })) => return Err(End::Disconnected),
            Err(Stopped::Tmux(error)) => error.to_string(),
            Err(Stopped::Refused(why)) => why,
        };
        // Somebody types, or nothing is to be typed: it is tried again.
        tracing::debug!(%why, "a dialog was not answered by its profile");
        self.look_by(Instant::now() + TRY_AGAIN);
        Ok(())
    }

    async fn choose(&mut self, wish: &str, of: Option<&str>, by: AnsweredBy) -> Result<Answered, Stopped> {
        let rules = self.launch.profile.screen.clone();
        let Some(rules) = rules.as_deref().and_then(|rules| rules.choices.as_ref()) else {
            return refused(
                "its profile does not say how it is answered: answer in its pane (`tasuki attach`)",
            );
        };
        let Some((rule, dialog)) = self.asked().await? else { return refused("it asks nothing") };
        if of.is_some_and(|of| of != dialog.id()) {
            return refused(format!("it asks something else by now: {}", in_one_line(&dialog)));
        }
        if rules.typed.contains(&rule) {
            return self.type_answer(&dialog, wish, by).await;
        }
        if dialog.marked.is_none() {
            return refused("which choice is marked cannot be seen: answer in its pane (`tasuki attach`)");
        }
        let at = match dialog.choose(&Choose::read(wish), rules) {
            Ok(at) => at,
            Err(why) => return refused(format!("{why}; it offers: {}", in_one_line(&dialog))),
        };
        self.mark(&dialog, at).await?;
        let taken = self.take(&dialog).await?;
        let choice = self.masked(&dialog.choices[at]);
        self.report(Report::Answered { choice: choice.as_str().into(), by }).await;
        self.told = None; // what it asks next is new
        Ok(Answered { choice, taken })
    }

    /// Types an answer into a dialog that takes a line of text, and presses Enter once it stands there.
    async fn type_answer(
        &mut self,
        dialog: &Dialog,
        text: &str,
        by: AnsweredBy,
    ) -> Result<Answered, Stopped> {
        let line = doorbell::clean(text.trim());
        if line.is_empty() {
            return refused("it takes a text, and this is none");
        }
        if let Some((guard, _)) = self.hands_off().await? {
            return refused(guard.words());
        }
        self.forget_seen();
        self.pane.paste(&line).await?;
        let profile = &self.launch.profile;
        let settles = Duration::from_millis(profile.enter_after_ms.max(profile.quiet_ms));
        let deadline = Instant::now() + settles;
        while self.listen_once(deadline).await? {}
        let Some((_, shown)) = self.asked().await? else { return refused("it asks nothing any more") };
        if shown.id() == dialog.id() {
            return refused("the text is not shown there; Enter was not pressed");
        }
        let taken = self.take(&shown).await?;
        let choice = self.masked(&line);
        self.report(Report::Answered { choice: choice.as_str().into(), by }).await;
        self.told = None; // what it asks next is new
        Ok(Answered { choice, taken })
    }

    /// Moves the mark to this choice.
    async fn mark(&mut self, dialog: &Dialog, at: usize) -> Result<(), Stopped> {
        for _ in 0..dialog.choices.len() + KEYS_LOST {
            let now = self.still_asked(dialog).await?;
            if now.marked == Some(at) {
                return Ok(());
            }
            let key = match (now.in_row.is_some(), now.marked.is_some_and(|marked| marked < at)) {
                (false, true) => Key::Down,
                (false, false) => Key::Up,
                (true, true) => Key::Right,
                (true, false) => Key::Left,
            };
            self.strike(key).await?;
            self.wait_for(|shown| shown.is_some_and(|shown| shown.marked != now.marked)).await?;
        }
        refused("the mark did not move to that choice: answer in its pane (`tasuki attach`)")
    }

    /// Presses Enter, and again where nothing at all came of it: another dialog may look just like the one that went.
    /// Whether this one did.
    async fn take(&mut self, dialog: &Dialog) -> Result<bool, Stopped> {
        for _ in 0..ENTERS {
            let printed = self.output.borrow().pieces;
            self.strike(Key::Enter).await?;
            let gone = |shown: Option<&Dialog>| shown.is_none_or(|shown| shown.id() != dialog.id());
            // Twice: some programs draw their dialog anew in pieces.
            if self.wait_for(gone).await? {
                self.listen_once(Instant::now() + LOOK_AGAIN).await?;
                if self.wait_for(gone).await? {
                    return Ok(true);
                }
            }
            if self.output.borrow().pieces != printed {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Presses a key, if nobody minds.
    async fn strike(&mut self, key: Key) -> Result<(), Stopped> {
        if let Some((guard, _)) = self.hands_off().await? {
            return refused(guard.words());
        }
        self.forget_seen();
        self.pane.key(key).await?;
        Ok(())
    }

    /// Waits until what is asked is as wanted; whether it came to that.
    async fn wait_for(&mut self, wanted: impl Fn(Option<&Dialog>) -> bool) -> Result<bool, Stopped> {
        let deadline = Instant::now() + KEY_WAIT;
        loop {
            self.listen_once(deadline.min(Instant::now() + LOOK_AGAIN)).await?;
            let shown = self.asked().await?.map(|(_, dialog)| dialog);
            if wanted(shown.as_ref()) {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
        }
    }

    /// The dialog as it stands now, if it is the same. Some programs draw it anew in pieces.
    async fn still_asked(&mut self, dialog: &Dialog) -> Result<Dialog, Stopped> {
        let deadline = Instant::now() + KEY_WAIT;
        loop {
            match self.asked().await? {
                Some((_, now)) if now.id() == dialog.id() && now.marked.is_some() => return Ok(now),
                _ if Instant::now() < deadline => {}
                Some((_, now)) => {
                    return refused(format!("it asks something else by now: {}", in_one_line(&now)));
                }
                None => return refused("it asks nothing any more"),
            }
            self.listen_once(deadline.min(Instant::now() + LOOK_AGAIN)).await?;
        }
    }

    /// What it asks at this moment, and the rule that knows it.
    async fn asked(&self) -> Result<Option<(String, Dialog)>, TmuxError> {
        let asks = |read: Option<Read>| {
            let read = read.filter(|read| read.dialog.as_ref().is_some_and(|dialog| !dialog.is_empty()))?;
            Some((read.rule, read.dialog?))
        };
        let screen = self.pane.capture(0, self.rows()).await?;
        let asked = asks(self.read(&screen));
        if asked.as_ref().is_none_or(|(_, dialog)| dialog.in_row.is_none()) {
            return Ok(asked);
        }
        // Colours tell what is marked: of one screen, its text included.
        let coloured = self.pane.capture(0, Rows::Coloured).await?;
        let styled: Vec<StyledRow> = coloured.rows.iter().map(|row| StyledRow::read(row)).collect();
        let rows = styled.iter().map(|row| row.text.clone()).collect();
        let screen = Screen { rows, given: Rows::AsShown, ..coloured };
        Ok(asks(self.read(&screen)).map(|(rule, dialog)| (rule, dialog.marked_by(&styled))))
    }

    /// What its screen is read as, and why.
    pub(super) async fn explain(&mut self) -> Result<PaneResponse, TmuxError> {
        let why = self.closed().await?;
        let screen = self.pane.capture(0, self.rows()).await?;
        let profile = &self.launch.profile;
        let version = profile.screen.as_deref().map(|rules| rules.version.clone());
        let above = screen.rows.len().saturating_sub(usize::from(screen.height));
        let Read { state, rule, matched, input, dialog, .. } = self.read(&screen).unwrap_or_default();
        Ok(PaneResponse::Look(Box::new(PaneLook {
            version,
            state: state.name(),
            rule,
            matched,
            rows: screen.rows[above..].to_vec(),
            title: screen.title,
            cursor: screen.cursor,
            input,
            asks: dialog.map(|dialog| self.harmless(dialog)),
            why,
        })))
    }

    /// What is asked, without anything that would read as a claim where it is shown.
    pub(super) fn harmless(&self, dialog: Dialog) -> Dialog {
        let Dialog { text, choices, cut, .. } = dialog;
        let choices = choices.iter().map(|choice| self.masked(choice)).collect();
        let text = self.masked(&text) + if cut { "\n…" } else { "" };
        Dialog { text, choices, cut, ..Dialog::default() }
    }

    /// A text without the agent's phrase.
    pub(super) fn masked(&self, text: &str) -> String {
        if self.phrase.is_empty() { text.to_owned() } else { text.replace(&self.phrase, "······") }
    }
}

/// What may be chosen, for people.
fn in_one_line(dialog: &Dialog) -> String {
    if dialog.choices.is_empty() { "nothing to choose from".to_owned() } else { dialog.choices.join(" · ") }
}
