//! Answering a dialog: the mark is moved to the choice, one key at a time and each one seen, and Enter is pressed only where
//! the mark is on it and the dialog is the one that was meant.

use super::needs::Needs;
use super::read::Read;
use super::session::{End, Session, answered};
use crate::daemon::clients::request::{ASKS_NOTHING, NO_DIALOGS, PaneResponse};
use crate::engine::input::Report;
use crate::engine::screen::reading::{Choose, Chosen, Dialog, ScreenState, StyledRow, is_like};
use crate::engine::team::need::AnsweredBy;
use crate::io::mux::{Key, MuxError, PaneScreen, Rows};
use crate::wire::api::PaneAnswered;
use std::time::Duration;
use tokio::time::Instant;

/// How long a dialog must stand before a key is pressed: Claude Code takes none within 200 ms of its first sight.
const SETTLES: Duration = Duration::from_millis(300);
/// How long a key may take to show. One that was not seen is never pressed again: it may come yet, and on something else.
pub(super) const KEY_WAIT: Duration = Duration::from_secs(3);
/// Between what is seen of a key and Enter: Qwen Code shows where its mark is before it takes the next key.
const KEY_REST: Duration = Duration::from_millis(200);
/// So often a program that still draws is waited for before Enter; one with a clock or a spinner never rests.
const RESTS: u32 = 4;
/// After how long a key that was never seen is taken to be lost.
const KEY_LOST: Duration = Duration::from_secs(10);
/// How long an answer may take in all: whoever gave it has gone then.
const ANSWERED_WITHIN: Duration = Duration::from_secs(20);
/// How soon the profile tries again to answer, and how often.
const TRY_AGAIN: Duration = Duration::from_secs(1);
const TRIES: u32 = 5;
/// Between two looks at a screen that makes no sound.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Why nothing was answered.
pub(super) enum Stopped {
    Refused(String),
    /// Somebody types, or wants that nothing is typed.
    Guarded(String),
    Tmux(MuxError),
}

impl From<MuxError> for Stopped {
    fn from(error: MuxError) -> Self {
        Self::Tmux(error)
    }
}

impl From<End> for Stopped {
    fn from(_: End) -> Self {
        Self::Tmux(MuxError::Gone { why: "the connection has ended".to_owned() })
    }
}

/// What somebody means to answer.
enum Meant<'a> {
    /// Whatever it asks.
    Anything,
    /// What was shown by this name.
    Shown(&'a str),
    /// This, known by this rule.
    This(&'a str, &'a Dialog),
}

/// A key that has not been seen to do anything yet.
#[derive(Debug)]
struct Pressed {
    /// What was there then, with its mark.
    on: Dialog,
    at: Instant,
}

/// What a profile has tried to answer.
#[derive(Debug)]
struct Tried {
    dialog: Dialog,
    tries: u32,
}

/// What was done to answer.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The dialog that its profile has answered, for as long as it stands.
    tried: Option<Tried>,
    /// A key that was pressed on a dialog and has not been seen to do anything.
    pressed: Option<Pressed>,
    /// Whether a person has said no to it, or may have, and its agent has done nothing since.
    said_no: bool,
}

impl Answers {
    /// Whether its agent stands still since a person said no: it waits for their words.
    pub(super) fn waits_for_words(&self) -> bool {
        self.said_no
    }

    /// Its agent works, or is given a turn.
    pub(super) fn goes_on(&mut self) {
        self.said_no = false;
    }
}

pub(super) fn refused<T>(why: impl Into<String>) -> Result<T, Stopped> {
    Err(Stopped::Refused(why.into()))
}

/// The answering of a dialog, and what it needs of others.
pub(super) struct Answering<'w> {
    pub(super) session: &'w mut Session,
    pub(super) needs: &'w mut Needs,
    pub(super) answers: &'w mut Answers,
}

impl Answering<'_> {
    /// Answers what the agent asks; `of` is the dialog that was meant, if that was said.
    pub(super) async fn answer(&mut self, wish: &str, of: Option<&str>) -> Result<PaneResponse, MuxError> {
        let meant = of.map_or(Meant::Anything, Meant::Shown);
        let chosen = self.choose(wish, meant, AnsweredBy::Person).await;
        self.session.look_now(); // what it showed meanwhile was heard here
        match chosen {
            Ok(answered) => Ok(PaneResponse::Answered(answered)),
            Err(Stopped::Refused(why) | Stopped::Guarded(why)) => Ok(PaneResponse::hindered(why)),
            Err(Stopped::Tmux(error)) => Err(error),
        }
    }

    /// What it asked is gone without an answer of tasuki's: whoever typed in its pane may have said no.
    pub(super) async fn was_answered_there(&mut self) -> Result<(), End> {
        if let Ok(typed) = answered(self.needs.was_typed_to(self.session).await)? {
            self.answers.said_no |= typed;
        }
        Ok(())
    }

    /// Answers what the profile was told to answer, once for each dialog; what it was not told waits for a person.
    pub(super) async fn answer_by_profile(&mut self, read: &Read) -> Result<(), End> {
        let waits = read.state == ScreenState::WaitingInput;
        let Some(dialog) = read.dialog.as_ref().filter(|_| waits) else {
            if read.state != ScreenState::Unknown {
                self.answers.tried = None;
            }
            return Ok(());
        };
        let same = |tried: &&Tried| tried.dialog.is_same(dialog);
        let tries = self.answers.tried.as_ref().filter(same).map_or(0, |tried| tried.tries);
        if tries >= TRIES {
            return Ok(());
        }
        let launch = self.session.agent.launch.clone();
        let Some(standing) = launch.profile.answers.iter().find(|answer| answer.fits(&read.rule, dialog))
        else {
            return Ok(());
        };
        let meant = Meant::This(&read.rule, dialog);
        let chosen = self.choose(&standing.choose, meant, AnsweredBy::Profile).await;
        self.session.look_by(self.session.now() + LOOK_AGAIN); // what it showed meanwhile was heard here
        let (why, tries) = match chosen {
            Ok(PaneAnswered { proven: true, .. }) => {
                // What it asks next is new, though it be the same.
                self.answers.tried = None;
                return Ok(());
            }
            Ok(_) => ("Enter was pressed, but the dialog stays".to_owned(), TRIES),
            Err(Stopped::Tmux(MuxError::Gone { .. })) => return Err(End::Disconnected),
            Err(Stopped::Tmux(error)) => (error.to_string(), tries + 1),
            // Somebody types, or nothing is to be typed: that passes.
            Err(Stopped::Guarded(why)) => (why, tries),
            Err(Stopped::Refused(why)) => (why, tries + 1),
        };
        if tries >= TRIES {
            tracing::warn!(agent = %self.session.agent.name(), %why, "a dialog is left to a person");
        }
        self.answers.tried = Some(Tried { dialog: dialog.clone(), tries });
        self.session.look_by(self.session.now() + TRY_AGAIN);
        Ok(())
    }

    async fn choose(
        &mut self,
        wish: &str,
        meant: Meant<'_>,
        by: AnsweredBy,
    ) -> Result<PaneAnswered, Stopped> {
        let until = self.session.now() + ANSWERED_WITHIN;
        let rules = self.session.agent.launch.profile.screen.clone();
        let Some(rules) = rules.as_deref().and_then(|rules| rules.choices.as_ref()) else {
            return refused(NO_DIALOGS);
        };
        let Some((rule, dialog)) = self.asked().await? else { return refused(ASKS_NOTHING) };
        if !self.is_meant(meant, &rule, &dialog).await? {
            return refused(format!("it now asks something else: {}", self.in_one_line(&dialog)));
        }
        self.no_key_is_out(&dialog)?;
        self.session.listen_until(self.session.now() + SETTLES).await?;
        if rules.typed.contains(&rule) || dialog.opened {
            if matches!(Choose::read(wish), Choose::Yes) {
                return refused("it asks for a text, not for a choice");
            }
            return self.type_answer(&dialog, wish, by).await;
        }
        if dialog.choices.is_empty() {
            return refused("it shows nothing to choose from: answer in its pane (`tasuki attach`)");
        }
        if dialog.marked.is_none() {
            return refused("which choice is marked cannot be seen: answer in its pane (`tasuki attach`)");
        }
        let at = match dialog.choose(&Choose::read(wish), rules) {
            Ok(Chosen::At(at)) => at,
            Ok(Chosen::Field(at)) if matches!(by, AnsweredBy::Person) => {
                return self.type_in_place(&dialog, at, wish, until).await;
            }
            Ok(Chosen::Field(_)) => return refused("a profile cannot type a text of its own"),
            Err(why) => return refused(format!("{why}; it offers: {}", self.in_one_line(&dialog))),
        };
        self.mark(&dialog, at, until).await?;
        let dialog = Dialog { marked: Some(at), ..dialog };
        let taken = self.take(&dialog, until).await?;
        let answered = self.has_answered(&dialog.choices[at], taken, by).await;
        let is_no = matches!(dialog.choose(&Choose::No, rules), Ok(Chosen::At(no)) if no == at);
        self.answers.said_no = is_no && matches!(by, AnsweredBy::Person);
        let goes_on = !rules.enter_after_no.is_empty() && matches!(Choose::read(wish), Choose::No);
        if !taken || !goes_on || !self.wait_for(|shown| shown.is_some()).await? {
            return Ok(answered);
        }
        match self.asked().await? {
            Some((rule, why)) if rules.enter_after_no.contains(&rule) => {
                let proven = self.take(&why, until).await?;
                Ok(PaneAnswered { proven, ..answered })
            }
            _ => Ok(answered),
        }
    }

    /// Whether this dialog is the one that was meant.
    async fn is_meant(&mut self, meant: Meant<'_>, rule: &str, dialog: &Dialog) -> Result<bool, Stopped> {
        Ok(match meant {
            Meant::Anything => true,
            Meant::Shown(id) => {
                let asked_at = self.needs.known_as(dialog, self.session).await?;
                Dialog { asked_at, ..Dialog::default() }.id() == id
            }
            Meant::This(known_by, meant) => known_by == rule && meant.is_same(dialog),
        })
    }

    /// Tells that it was answered.
    pub(super) async fn has_answered(&mut self, choice: &str, taken: bool, by: AnsweredBy) -> PaneAnswered {
        let choice = self.session.agent.mask.text(choice);
        self.session.report(Report::Answered { choice: choice.as_str().into(), by }).await;
        if taken {
            self.session.report(Report::NeedsNothing).await;
        }
        self.answers.said_no = false;
        self.needs.forget(); // what it asks next is new
        PaneAnswered { choice, proven: taken }
    }

    /// Moves the mark to this choice.
    pub(super) async fn mark(&mut self, dialog: &Dialog, at: usize, until: Instant) -> Result<(), Stopped> {
        for _ in 0..=dialog.choices.len() {
            let now = self.still_asked(dialog, at).await?;
            if now.marked == Some(at) {
                return Ok(());
            }
            let key = match (now.in_row.is_some(), now.marked.is_some_and(|marked| marked < at)) {
                (false, true) => Key::Down,
                (false, false) => Key::Up,
                (true, true) => Key::Right,
                (true, false) => Key::Left,
            };
            self.strike(key, &now, until).await?;
            if !self.wait_for(|shown| shown.is_some_and(|shown| shown.marked != now.marked)).await? {
                break;
            }
            self.answers.pressed = None;
        }
        refused("the mark did not move to that choice: answer in its pane (`tasuki attach`)")
    }

    /// Presses Enter, once: whether it was taken cannot be told from a program that is slow, and the next Enter would be meant
    /// for what it asks then. Whether the dialog went.
    pub(super) async fn take(&mut self, dialog: &Dialog, until: Instant) -> Result<bool, Stopped> {
        if self.session.program.unread() > 0 {
            return refused("it has not taken what was typed before: answer in its pane (`tasuki attach`)");
        }
        let before = self.still_shown().await?;
        let now = self.asked().await?.map(|(_, now)| now);
        if !now.is_some_and(|now| now.is_same(dialog) && now.marked == dialog.marked) {
            return refused("it now asks something else, or nothing; Enter was not pressed");
        }
        self.strike(Key::Enter, dialog, until).await?;
        self.needs.was_entered();
        let taken = self.is_left(dialog, before.as_deref()).await?;
        self.answers.pressed = self.answers.pressed.take().filter(|_| !taken);
        Ok(taken)
    }

    /// What its screen shows once it has rested: what changes from then on, changes by the next key. `None` where it does not rest.
    async fn still_shown(&mut self) -> Result<Option<String>, Stopped> {
        for _ in 0..RESTS {
            let pieces = self.session.output.borrow().pieces;
            self.session.listen_until(self.session.now() + KEY_REST).await?;
            let shown = self.all_shown().await?;
            if self.session.output.borrow().pieces == pieces {
                return Ok(Some(shown));
            }
        }
        Ok(None)
    }

    /// Waits until a dialog is gone, or the next one is there that asks the same, below other words than were shown `before`.
    /// Each is seen twice: some programs draw their dialog anew in pieces.
    async fn is_left(&mut self, dialog: &Dialog, before: Option<&str>) -> Result<bool, Stopped> {
        let deadline = self.session.now() + KEY_WAIT;
        let mut seen_gone = false;
        let mut another: Option<(String, Instant)> = None;
        loop {
            self.session.listen_for(LOOK_AGAIN, deadline).await?;
            let (shown, all) = (self.asked().await?.map(|(_, shown)| shown), self.all_shown().await?);
            let is_gone = shown.is_none_or(|shown| !shown.is_same(dialog));
            if is_gone && seen_gone {
                return Ok(true);
            }
            seen_gone = is_gone;
            another = match (another, before) {
                _ if is_gone => None,
                (Some((like, since)), _) if is_like(&like, &all) => Some((like, since)),
                (_, Some(before)) if !is_like(before, &all) => Some((all, self.session.now())),
                _ => None,
            };
            if another.as_ref().is_some_and(|(_, since)| self.session.now().duration_since(*since) >= SETTLES)
            {
                return Ok(true);
            }
            if self.session.now() >= deadline {
                return Ok(false);
            }
        }
    }

    /// All that its screen shows.
    async fn all_shown(&self) -> Result<String, MuxError> {
        Ok(self.session.capture(0).await?.rows.join("\n"))
    }

    /// The key that was pressed last has been seen.
    pub(super) fn has_seen_key(&mut self) {
        self.answers.pressed = None;
    }

    /// A key that was pressed before may still come; the next one would be meant for what it leads to.
    fn no_key_is_out(&mut self, dialog: &Dialog) -> Result<(), Stopped> {
        let now = self.session.now();
        let out = |pressed: &Pressed| {
            let still = pressed.on.is_same(dialog) && pressed.on.marked == dialog.marked;
            still && now.duration_since(pressed.at) < KEY_LOST
        };
        self.answers.pressed = self.answers.pressed.take().filter(out);
        match self.answers.pressed {
            None => Ok(()),
            Some(_) => {
                let why =
                    "a key that was pressed before has had no visible effect yet: try again in a moment";
                Err(Stopped::Guarded(why.to_owned()))
            }
        }
    }

    /// Presses a key, if nobody minds.
    async fn strike(&mut self, key: Key, on: &Dialog, until: Instant) -> Result<(), Stopped> {
        if self.session.now() >= until {
            return refused("it takes too long: answer in its pane (`tasuki attach`)");
        }
        if let Some((guard, _)) = self.session.hands_off().await? {
            return Err(Stopped::Guarded(guard.words().to_owned()));
        }
        self.answers.pressed = Some(Pressed { on: on.clone(), at: self.session.now() });
        self.session.press(key).await?;
        Ok(())
    }

    /// Waits until what is asked is as wanted; whether it came to that.
    pub(super) async fn wait_for(
        &mut self,
        wanted: impl Fn(Option<&Dialog>) -> bool,
    ) -> Result<bool, Stopped> {
        let deadline = self.session.now() + KEY_WAIT;
        loop {
            self.session.listen_for(LOOK_AGAIN, deadline).await?;
            let shown = self.asked().await?.map(|(_, dialog)| dialog);
            if wanted(shown.as_ref()) {
                return Ok(true);
            }
            if self.session.now() >= deadline {
                return Ok(false);
            }
        }
    }

    /// The dialog as it stands now, if it is the same. Some programs draw it anew in pieces, and a choice in whose place a text may
    /// be typed otherwise once it is marked.
    async fn still_asked(&mut self, dialog: &Dialog, at: usize) -> Result<Dialog, Stopped> {
        let rules = self.session.agent.launch.profile.screen.clone();
        let rules = rules.as_deref().and_then(|rules| rules.choices.as_ref());
        let is_field = |dialog: &Dialog| rules.is_some_and(|rules| dialog.is_field(rules, at));
        let is_it = |now: &Dialog| {
            now.is_same(dialog) || (is_field(dialog) && is_field(now) && now.is_same_beside(dialog, at))
        };
        let deadline = self.session.now() + KEY_WAIT;
        loop {
            match self.asked().await? {
                Some((_, now)) if is_it(&now) && now.marked.is_some() => return Ok(now),
                _ if self.session.now() < deadline => {}
                Some((_, now)) => {
                    return refused(format!("it now asks something else: {}", self.in_one_line(&now)));
                }
                None => return refused("it no longer asks anything"),
            }
            self.session.listen_for(LOOK_AGAIN, deadline).await?;
        }
    }

    /// What it asks at this moment, and the rule that knows it.
    pub(super) async fn asked(&self) -> Result<Option<(String, Dialog)>, MuxError> {
        let asks = |read: Option<Read>| {
            let read = read.filter(|read| read.dialog.as_ref().is_some_and(|dialog| !dialog.is_empty()))?;
            Some((read.rule, read.dialog?))
        };
        let screen = self.session.capture(0).await?;
        let asked = asks(self.session.read(&screen));
        if asked.as_ref().is_none_or(|(_, dialog)| !dialog.is_coloured()) {
            return Ok(asked);
        }
        // Colours tell what is marked: of one screen, its text included.
        let coloured = self.session.pane.capture(0, Rows::Coloured).await?;
        let styled = StyledRow::read_all(coloured.rows.iter().map(String::as_str));
        let rows = styled.iter().map(|row| row.text.clone()).collect();
        let screen = PaneScreen { rows, given: Rows::AsShown, ..coloured };
        Ok(asks(self.session.read(&screen)).map(|(rule, dialog)| (rule, dialog.marked_by(&styled))))
    }

    /// What may be chosen, for people.
    fn in_one_line(&self, dialog: &Dialog) -> String {
        if dialog.choices.is_empty() {
            return "nothing to choose from".to_owned();
        }
        self.session.agent.mask.text(&dialog.choices.join(" · "))
    }
}
