//! Typing to a program that has an input box: what is there is read from its screen, and Enter is proven by the line
//! having left it.

use super::needs::Needs;
use super::order_queue::OrderQueue;
use super::own_line::{InInput, OwnLine, Standing};
use super::read::Read;
use super::record::Record;
use super::screen_cache::SEARCHED_ROWS;
use super::session::{Objection, Session};
use super::trace::claims;
use super::typing::{Failed, Found, not_delivered, unconfirmed, withdrawn};
use crate::daemon::panes::orders::Typed;
use crate::engine::input::Guard;
use crate::engine::life::Receipt;
use crate::engine::screen::reading::ScreenState;
use crate::io::mux::{MuxError, PaneScreen, Person};
use std::time::Duration;
use tokio::time::Instant;

/// Rows above the screen in which a new echo is looked for.
const ECHO_ROWS: u32 = 100;
/// How long a line may stay in the input box after Enter before that is pressed again. Measured: the slowest program takes
/// 300 ms for a long paste.
const ENTER_AGAIN: Duration = Duration::from_millis(700);
/// How often Enter is pressed again.
const ENTERS_AGAIN: u32 = 3;
/// How long a sign that the line was taken is waited for.
const TAKEN_WAIT: Duration = Duration::from_secs(5);
/// Between two looks at a screen that makes no sound.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How long a screen must lack its input box before it is taken to be hidden: programs draw in pieces, and half a box is none.
const HIDDEN_AFTER: Duration = Duration::from_millis(300);
/// The same where no rule knows the screen.
const HIDDEN_UNKNOWN_AFTER: Duration = Duration::from_secs(2);

/// Since when the input box is not shown.
#[derive(Debug, Default)]
struct Hidden(Option<Instant>);

impl Hidden {
    /// Whether the box is truly hidden, and the screen not half drawn.
    fn is_sure(&mut self, has_box: bool, state: ScreenState, now: Instant) -> bool {
        if has_box {
            self.0 = None;
            return false;
        }
        let after = if state == ScreenState::Unknown { HIDDEN_UNKNOWN_AFTER } else { HIDDEN_AFTER };
        now.duration_since(*self.0.get_or_insert(now)) >= after
    }
}

/// The typing of a turn into an input box, and what it needs of others.
pub(super) struct BoxTyping<'w> {
    pub(super) session: &'w mut Session,
    pub(super) own: &'w mut OwnLine,
    pub(super) record: &'w mut Record,
    pub(super) orders: &'w mut OrderQueue,
}

impl BoxTyping<'_> {
    /// Somebody writes in the same box: the line is theirs to send or to remove from now on.
    fn leave_to_others(&mut self, typed: &Typed) -> Failed {
        self.own.last = Some(typed.line.clone());
        unconfirmed("somebody typed next to its line in the input box: they can send it or remove it")
    }

    /// What is in the input box when a turn is to be typed; nothing but the turn's own line is left there. `before` is
    /// how often that is outside of it.
    pub(super) async fn standing(
        &mut self,
        typed: &Typed,
        read: &Read,
        before: usize,
    ) -> Result<Standing, Failed> {
        let again = self.own.was_typed(typed, before);
        match &read.input {
            Some(text) if text.is_empty() => {
                if !again {
                    return Ok(Standing::Nothing);
                }
                self.own.in_input = InInput::Nothing;
                if before > 0 && typed.turn.token.is_some() {
                    return Ok(Standing::Done);
                }
                if typed.turn.redelivered {
                    return Ok(Standing::Nothing);
                }
                Err(unconfirmed("its line was typed before and is no longer in the input box"))
            }
            Some(_) if read.shows(typed) || (again && read.holds(typed)) => {
                Ok(Standing::Own(typed.line.to_string()))
            }
            Some(_) if read.begins_with(typed) => Err(self.leave_to_others(typed)),
            Some(_) if read.is_ours() => {
                self.clear().await?;
                self.own.in_input = InInput::Nothing;
                Ok(Standing::TakenAway)
            }
            _ => Err(withdrawn(Guard::Draft.words())),
        }
    }

    /// Takes an older line of tasuki's out of the input box.
    pub(super) async fn clear(&mut self) -> Result<(), Failed> {
        let key = self.session.agent.clear_key();
        let stays = || not_delivered("an older line is still in its input box");
        let Some(key) = key else { return Err(stays()) };
        let deadline = self.session.now() + TAKEN_WAIT;
        // A line of several rows takes a key for each in some programs.
        for _ in 0..=ENTERS_AGAIN {
            self.session.press(key).await?;
            let look_at = deadline.min(self.session.now() + ENTER_AGAIN);
            while self.session.now() < look_at {
                self.session.listen_once(self.session.now() + LOOK_AGAIN).await?;
                let screen = self.session.capture(0).await?;
                if self.session.read(&screen).is_some_and(|read| read.input.as_deref() == Some("")) {
                    return Ok(());
                }
            }
        }
        Err(stays())
    }

    /// Waits until the whole line is in the input box, and the pane is still.
    pub(super) async fn wait_for_line(&mut self, typed: &Typed) -> Result<(bool, Option<Person>), Failed> {
        let profile = self.session.agent.profile();
        let (quiet, cap) = (Duration::from_millis(profile.quiet_ms), profile.echo_wait_ms);
        let deadline = self.session.now() + Duration::from_millis(cap);
        loop {
            let (screen, people) = self.session.capture_with_people(0).await?;
            let read = self.session.read(&screen);
            let is_still = self.session.silence() >= quiet || self.session.now() >= deadline;
            if read.as_ref().is_some_and(|read| read.holds(typed)) && is_still {
                return Ok((true, people.here));
            }
            if self.session.now() >= deadline {
                if read.as_ref().is_some_and(|read| read.holds_more_than(typed)) {
                    return Err(self.leave_to_others(typed));
                }
                let what = read.map_or("no screen", |read| read.state.name());
                let why = format!("its line was not shown in the input box within {cap} ms ({what})");
                return Err(not_delivered(why));
            }
            self.session.listen_for(LOOK_AGAIN, deadline).await?;
        }
    }

    /// Who minds that Enter is pressed; nothing is where the line is in the input box no more, for a dialog may have come.
    pub(super) async fn may_enter(&mut self, typed: &Typed) -> Result<Objection, Failed> {
        let (screen, people) = self.session.capture_with_people(0).await?;
        let read = self.session.read(&screen);
        if !read.as_ref().is_some_and(|read| read.holds(typed)) {
            if read.is_some_and(|read| read.holds_more_than(typed)) {
                return Err(self.leave_to_others(typed));
            }
            return Err(not_delivered("its line was no longer in the input box when Enter was due"));
        }
        Ok(self.session.minds(people.here.as_ref()))
    }

    /// After Enter: waits for the line to leave the input box, and for a sign of it elsewhere; presses Enter again where it
    /// stays.
    pub(super) async fn taken(&mut self, typed: &Typed) -> Result<Receipt, Failed> {
        let (mut entered, mut again) = (self.session.now(), 0);
        let mut deadline = entered + TAKEN_WAIT;
        let mut search_at = entered + ENTER_AGAIN;
        let mut hidden = Hidden::default();
        loop {
            self.session.listen_for(LOOK_AGAIN, deadline).await?;
            let screen = self.session.capture(ECHO_ROWS).await?;
            let Some(read) = self.session.read(&screen) else { return Ok(Receipt::EnterOnly) };
            if self.record.has(typed).await {
                self.own.in_input = InInput::Nothing;
                return Ok(Receipt::Recorded);
            }
            let sure = hidden.is_sure(read.input.is_some(), read.state, self.session.now());
            if let Some(receipt) = proof(&read, &screen, typed, self.own.before, sure) {
                self.own.in_input = InInput::Nothing;
                return Ok(receipt);
            }
            let holds = read.state == ScreenState::Draft && read.holds(typed);
            if !holds && self.session.now() >= search_at {
                if let Some(receipt) = self.proof_above(typed, sure).await {
                    self.own.in_input = InInput::Nothing;
                    return Ok(receipt);
                }
                if self.record.is_transcribed(typed).await {
                    self.own.in_input = InInput::Nothing;
                    return Ok(Receipt::Recorded);
                }
                search_at = self.session.now() + ENTER_AGAIN;
            }
            if holds && self.session.now() >= entered + ENTER_AGAIN && again < ENTERS_AGAIN {
                match self.may_enter(typed).await {
                    Ok(None) if self.orders.is_called_off(typed) => return Err(self.take_back(typed).await),
                    Ok(None) => {}
                    Ok(Some((guard, _))) => return Err(stands(guard.words())),
                    Err(Failed::Verdict(_)) => continue,
                    Err(ended) => return Err(ended),
                }
                match self.session.press_enter().await {
                    Err(MuxError::InMode { .. }) => return Err(stands(Guard::CopyMode.words())),
                    entered => entered?,
                }
                (entered, again) = (self.session.now(), again + 1);
                deadline = entered + TAKEN_WAIT;
            }
            if self.session.now() >= deadline {
                self.own.in_input = InInput::of(typed);
                return Err(if holds {
                    stands("Enter was pressed, and pressed again")
                } else {
                    unconfirmed("its line left the input box, but nothing shows that it was taken")
                });
            }
        }
    }

    /// How often the line of a turn is in all of the history when it is typed: one that was never typed, nowhere.
    pub(super) async fn echoes_in_all(&self, typed: &Typed) -> Option<usize> {
        if !typed.turn.redelivered {
            return Some(0);
        }
        let whole = self.session.whole().await?;
        Some(self.session.read(&whole)?.echoes(&whole, typed))
    }

    /// What shows that the line was taken, in all of the history: a program that prints much at once moves it far up.
    async fn proof_above(&self, typed: &Typed, sure: bool) -> Option<Receipt> {
        let (before, whole) = (self.own.before_in_all?, self.session.whole().await?);
        proof(&self.session.read(&whole)?, &whole, typed, before, sure)
    }

    /// After a crash: was this turn delivered? The text is not typed again here.
    pub(super) async fn trace(
        &mut self,
        typed: &Typed,
        wait: Duration,
        needs: &Needs,
    ) -> Result<Found, Failed> {
        let deadline = self.session.now() + wait;
        let mut hidden = Hidden::default();
        let mut search_at = self.session.now();
        loop {
            let searches = self.session.now() >= search_at;
            if searches {
                search_at = self.session.now() + ENTER_AGAIN;
            }
            if self.record.has(typed).await || (searches && self.record.is_transcribed(typed).await) {
                self.own.in_input = InInput::Nothing;
                return Ok(Found::Receipt(Receipt::Recorded));
            }
            let screen = self.session.capture(SEARCHED_ROWS).await?;
            let Some(read) = self.session.read(&screen) else {
                return Err(unconfirmed("its screen cannot be read"));
            };
            (self.own.in_input, self.own.before, self.own.before_in_all) = (InInput::of(typed), 0, None);
            let sure = hidden.is_sure(read.input.is_some(), read.state, self.session.now());
            if proof(&read, &screen, typed, 0, sure).is_some() || claims(&screen, typed) {
                self.own.in_input = InInput::Nothing;
                return Ok(Found::Receipt(Receipt::Echoed));
            }
            if read.state == ScreenState::Draft && read.shows(typed) {
                return Ok(Found::Unentered(typed.line.to_string()));
            }
            if read.free {
                let whole = self.session.whole().await;
                if let Some(whole) = &whole
                    && self.session.read(whole).is_some_and(|read| read.echoes(whole, typed) > 0)
                {
                    self.own.in_input = InInput::Nothing;
                    return Ok(Found::Receipt(Receipt::Echoed));
                }
                self.own.in_input = InInput::Nothing;
                return Err(not_delivered("there is no trace of it in the pane"));
            }
            if self.session.now() >= deadline {
                let guard = needs.closed_by(&read, self.own, &self.session.agent);
                let why = guard.map_or("its input box is not shown", Guard::words);
                return Err(unconfirmed(why));
            }
            self.session.listen_for(LOOK_AGAIN, deadline).await?;
        }
    }

    /// Takes the line of a turn that was called off away again, and sees that it is gone.
    pub(super) async fn take_back(&mut self, typed: &Typed) -> Failed {
        match self.clear().await {
            Ok(()) => Failed::Verdict(self.own.removed(typed)),
            Err(failed) => failed,
        }
    }
}

/// What shows that the line of a turn was taken: it is elsewhere once more, and not in the input box. `hidden` is whether
/// that is surely not shown: of one that is half drawn the line would seem to stand elsewhere.
fn proof(read: &Read, screen: &PaneScreen, typed: &Typed, before: usize, hidden: bool) -> Option<Receipt> {
    let left_it = if read.input.is_some() { !read.is_ours() && !read.holds(typed) } else { hidden };
    (left_it && read.echoes(screen, typed) > before).then_some(Receipt::Read)
}

fn stands(why: &str) -> Failed {
    not_delivered(format!("{why}; its line is in the input box, and Enter was not pressed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_box_is_no_hidden_one() {
        let mut hidden = Hidden::default();
        let start = Instant::now();
        let (known, unknown) = (start + HIDDEN_AFTER, start + HIDDEN_AFTER * 2 + HIDDEN_UNKNOWN_AFTER);
        assert!(!hidden.is_sure(false, ScreenState::WaitingInput, start));
        assert!(hidden.is_sure(false, ScreenState::WaitingInput, known));
        assert!(!hidden.is_sure(false, ScreenState::Unknown, known));
        // It was drawn to its end, and is drawn anew.
        assert!(!hidden.is_sure(true, ScreenState::Draft, known));
        assert!(!hidden.is_sure(false, ScreenState::WaitingInput, known));
        assert!(hidden.is_sure(false, ScreenState::Unknown, unknown));
    }
}
