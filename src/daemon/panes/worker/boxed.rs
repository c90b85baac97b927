//! Typing to a program that has an input box: what stands there is read from its screen, and Enter is proven by the line
//! having left it.

use super::Worker;
use super::left::{Left, Standing, key_of};
use super::reading::Read;
use super::seen::SEARCHED_ROWS;
use super::typing::{Failed, Mind};
use crate::daemon::panes::orders::Typed;
use crate::engine::input::{Guard, Verdict};
use crate::engine::life::Receipt;
use crate::engine::screen::reading::State;
use crate::io::tmux::{Person, Screen, TmuxError};
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
    fn is_sure(&mut self, has_box: bool, state: State, now: Instant) -> bool {
        if has_box {
            self.0 = None;
            return false;
        }
        let after = if state == State::Unknown { HIDDEN_UNKNOWN_AFTER } else { HIDDEN_AFTER };
        now.duration_since(*self.0.get_or_insert(now)) >= after
    }
}

/// Nothing was typed, or what was stands there yet.
fn not_delivered(why: impl Into<String>) -> Failed {
    Failed::Verdict(Verdict::NotDelivered { why: why.into() })
}

fn unconfirmed(why: &str) -> Failed {
    Failed::Verdict(Verdict::Unconfirmed { why: why.to_owned() })
}

impl Worker {
    /// Somebody writes in the same box: the line is theirs to send or to remove from now on.
    fn leave_to_others(&mut self, typed: &Typed) -> Failed {
        self.typed_last = Some(typed.line.clone());
        unconfirmed("somebody typed next to its line in the input box: they can send it or remove it")
    }

    /// What stands in the input box when a turn is to be typed; nothing but the turn's own line is left there. `before` is
    /// how often that stands outside of it.
    pub(super) async fn standing_in_box(
        &mut self,
        typed: &Typed,
        read: &Read,
        before: usize,
    ) -> Result<Standing, Failed> {
        // A token is of one turn; the same words without one may be those of an earlier message.
        let told = self.left == Left::Unknown && before > 0 && typed.turn.token.is_some();
        let again = told || self.left == Left::of(typed);
        match &read.input {
            Some(text) if text.is_empty() => {
                if !again {
                    return Ok(Standing::Nothing);
                }
                self.left = Left::Nothing;
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
                self.clear_box().await?;
                self.left = Left::Nothing;
                Ok(Standing::TakenAway)
            }
            _ => Err(Failed::Verdict(Verdict::Withdrawn { why: Guard::Draft.words().to_owned() })),
        }
    }

    /// Takes an older line of tasuki's out of the input box.
    pub(super) async fn clear_box(&mut self) -> Result<(), Failed> {
        let key = self.launch.profile.clear_key.as_deref().and_then(key_of);
        let stays = || not_delivered("an older line is still in its input box");
        let Some(key) = key else { return Err(stays()) };
        let deadline = Instant::now() + TAKEN_WAIT;
        // A line of several rows takes a key for each in some programs.
        for _ in 0..=ENTERS_AGAIN {
            self.forget_seen();
            self.pane.key(key).await?;
            let look_at = deadline.min(Instant::now() + ENTER_AGAIN);
            while Instant::now() < look_at {
                self.listen_once(Instant::now() + LOOK_AGAIN).await?;
                let screen = self.pane.capture(0, self.rows()).await?;
                if self.read(&screen).is_some_and(|read| read.input.as_deref() == Some("")) {
                    return Ok(());
                }
            }
        }
        Err(stays())
    }

    /// Waits until the whole line stands in the input box, and the pane is still.
    pub(super) async fn wait_in_box(&mut self, typed: &Typed) -> Result<(bool, Option<Person>), Failed> {
        let profile = &self.launch.profile;
        let (quiet, cap) = (Duration::from_millis(profile.quiet_ms), profile.echo_wait_ms);
        let deadline = Instant::now() + Duration::from_millis(cap);
        loop {
            let (screen, people) = self.pane.look(0, self.rows()).await?;
            let read = self.read(&screen);
            let is_still = self.printed.elapsed() >= quiet || Instant::now() >= deadline;
            if read.as_ref().is_some_and(|read| read.holds(typed)) && is_still {
                return Ok((true, people.here));
            }
            if Instant::now() >= deadline {
                if read.as_ref().is_some_and(|read| read.holds_more_than(typed)) {
                    return Err(self.leave_to_others(typed));
                }
                let what = read.map_or("no screen", |read| read.state.name());
                let why = format!("its line was not shown in the input box within {cap} ms ({what})");
                return Err(not_delivered(why));
            }
            self.listen_once(deadline.min(Instant::now() + LOOK_AGAIN)).await?;
        }
    }

    /// Who minds that Enter is pressed; nothing is where the line stands in the input box no more, for a dialog may have come.
    pub(super) async fn may_enter(&mut self, typed: &Typed) -> Result<Mind, Failed> {
        let (screen, people) = self.pane.look(0, self.rows()).await?;
        let read = self.read(&screen);
        if !read.as_ref().is_some_and(|read| read.holds(typed)) {
            if read.is_some_and(|read| read.holds_more_than(typed)) {
                return Err(self.leave_to_others(typed));
            }
            return Err(not_delivered("its line was no longer in the input box when Enter was due"));
        }
        Ok(self.minds(people.here.as_ref()))
    }

    /// After Enter: waits for the line to leave the input box, and for a sign of it elsewhere; presses Enter again where it
    /// stays. `before` is how often the line stood elsewhere when it was typed.
    pub(super) async fn taken_from_box(&mut self, typed: &Typed, before: usize) -> Result<Receipt, Failed> {
        let (mut entered, mut again) = (Instant::now(), 0);
        let mut deadline = entered + TAKEN_WAIT;
        let mut search_at = entered + ENTER_AGAIN;
        let mut hidden = Hidden::default();
        loop {
            self.listen_once(deadline.min(Instant::now() + LOOK_AGAIN)).await?;
            let screen = self.pane.capture(ECHO_ROWS, self.rows()).await?;
            let Some(read) = self.read(&screen) else { return Ok(Receipt::EnterOnly) };
            if self.is_recorded(typed).await {
                self.left = Left::Nothing;
                return Ok(Receipt::Recorded);
            }
            let sure = hidden.is_sure(read.input.is_some(), read.state, Instant::now());
            if let Some(receipt) = proof(&read, &screen, typed, before, sure) {
                self.left = Left::Nothing;
                return Ok(receipt);
            }
            let holds = read.state == State::Draft && read.holds(typed);
            if !holds && Instant::now() >= search_at {
                if let Some(receipt) = self.proof_above(typed, sure).await {
                    self.left = Left::Nothing;
                    return Ok(receipt);
                }
                if self.is_transcribed(typed).await {
                    self.left = Left::Nothing;
                    return Ok(Receipt::Recorded);
                }
                search_at = Instant::now() + ENTER_AGAIN;
            }
            if holds && entered.elapsed() >= ENTER_AGAIN && again < ENTERS_AGAIN {
                match self.may_enter(typed).await {
                    Ok(None) if self.is_called_off(typed) => return Err(self.take_back(typed).await),
                    Ok(None) => {}
                    Ok(Some((guard, _))) => return Err(stands(guard.words())),
                    Err(Failed::Verdict(_)) => continue,
                    Err(ended) => return Err(ended),
                }
                self.forget_seen();
                match self.pane.enter().await {
                    Err(TmuxError::InMode { .. }) => return Err(stands(Guard::CopyMode.words())),
                    entered => entered?,
                }
                (entered, again) = (Instant::now(), again + 1);
                deadline = entered + TAKEN_WAIT;
            }
            if Instant::now() >= deadline {
                self.left = Left::of(typed);
                return Err(if holds {
                    stands("Enter was pressed, and pressed again")
                } else {
                    unconfirmed("its line left the input box, but nothing shows that it was taken")
                });
            }
        }
    }

    /// How often the line of a turn stands in all of the history when it is typed: one that was never typed, nowhere.
    pub(super) async fn echoes_in_all(&self, typed: &Typed) -> Option<usize> {
        if !typed.turn.redelivered {
            return Some(0);
        }
        let whole = self.whole().await?;
        Some(self.read(&whole)?.echoes(&whole, typed))
    }

    /// What shows that the line was taken, in all of the history: a program that prints much at once moves it far up.
    async fn proof_above(&self, typed: &Typed, sure: bool) -> Option<Receipt> {
        let (before, whole) = (self.before_in_all?, self.whole().await?);
        proof(&self.read(&whole)?, &whole, typed, before, sure)
    }

    /// After a crash: was this turn delivered? The text is not typed again here.
    pub(super) async fn trace_in_box(&mut self, typed: &Typed, wait: Duration) -> Result<Receipt, Failed> {
        let deadline = Instant::now() + wait;
        let mut hidden = Hidden::default();
        let mut search_at = Instant::now();
        loop {
            let searches = Instant::now() >= search_at;
            if searches {
                search_at = Instant::now() + ENTER_AGAIN;
            }
            if self.is_recorded(typed).await || (searches && self.is_transcribed(typed).await) {
                self.left = Left::Nothing;
                return Ok(Receipt::Recorded);
            }
            let screen = self.pane.capture(SEARCHED_ROWS, self.rows()).await?;
            let Some(read) = self.read(&screen) else { return Err(unconfirmed("its screen cannot be read")) };
            (self.left, self.before, self.before_in_all) = (Left::of(typed), 0, None);
            let sure = hidden.is_sure(read.input.is_some(), read.state, Instant::now());
            if proof(&read, &screen, typed, 0, sure).is_some() || super::looking::claims(&screen, typed) {
                self.left = Left::Nothing;
                return Ok(Receipt::Echoed);
            }
            if read.state == State::Draft && read.shows(typed) {
                return self.end_draft(&typed.line, typed).await;
            }
            if read.free {
                let whole = self.whole().await;
                if let Some(whole) = &whole
                    && self.read(whole).is_some_and(|read| read.echoes(whole, typed) > 0)
                {
                    self.left = Left::Nothing;
                    return Ok(Receipt::Echoed);
                }
                self.left = Left::Nothing;
                return Err(not_delivered("there is no trace of it in the pane"));
            }
            if Instant::now() >= deadline {
                let why = self.closed_by(&read).map_or("its input box is not shown", Guard::words);
                return Err(unconfirmed(why));
            }
            self.listen_once(deadline.min(Instant::now() + LOOK_AGAIN)).await?;
        }
    }
}

/// What shows that the line of a turn was taken: it stands elsewhere once more, and not in the input box. `hidden` is whether
/// that is surely not shown: of one that is half drawn the line would seem to stand elsewhere.
fn proof(read: &Read, screen: &Screen, typed: &Typed, before: usize, hidden: bool) -> Option<Receipt> {
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
        assert!(!hidden.is_sure(false, State::WaitingInput, start));
        assert!(hidden.is_sure(false, State::WaitingInput, known));
        assert!(!hidden.is_sure(false, State::Unknown, known));
        // It was drawn to its end, and is drawn anew.
        assert!(!hidden.is_sure(true, State::Draft, known));
        assert!(!hidden.is_sure(false, State::WaitingInput, known));
        assert!(hidden.is_sure(false, State::Unknown, unknown));
    }
}
