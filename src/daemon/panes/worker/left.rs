//! A line that stands in the input without its Enter: it is found, though the program may have printed since, and sent or
//! taken away. And, after a crash, whether a turn was delivered.
//!
//! With the cursor behind it a line is seen. Once the program has printed a line by itself it stands there all the same: the
//! buffer of the terminal (or the program's own) holds it. A canonical terminal that shows what is typed can show it anew, so
//! that only Enter is missing again; of any other the input is cleared, and the turn is in doubt.

use super::faces::key_named;
pub(super) use super::faces::key_named as key_of;
use super::guards::Verdict as Guards;
use super::looking::{claims, is_echoed};
use super::seen::SEARCHED_ROWS;
use super::typing::{ECHO_PAUSE_MS, Failed, READ_PAUSES, TYPED_BEHIND, is_bare};
use super::{End, Worker, answered};
use crate::daemon::panes::orders::{Order, Typed};
use crate::engine::input::Verdict;
use crate::engine::life::Receipt;
use crate::engine::screen::Screen as Seen;
use crate::engine::screen::doorbell;
use crate::engine::screen::echo;
use crate::engine::words::{MessageId, Token};
use crate::io::process::{self, LineKeys};
use crate::io::tmux::{CtrlLetter, Key, Rows, Screen, TmuxError};
use std::time::Duration;
use tokio::time::Instant;

/// How long open guards are waited for before a line that stands in the input is left in doubt, and a terminal's answer to
/// a key: longer than a program takes to fall silent, and short enough that a person's typing is not waited out here.
const SETTLE_WAIT: Duration = Duration::from_secs(3);
/// How long a line may take to go from the input after the key that clears it.
const CLEAR_WAIT: Duration = Duration::from_millis(500);

/// How a terminal shows the key that has it show its input anew; that begins in the next row.
pub(super) const REPRINTED: &str = "^R";
/// What comes in one go is there after this time.
const IN_ONE_GO: Duration = Duration::from_millis(100);

/// What stands in an input, for all that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Left {
    /// Nothing of tasuki's that is not seen.
    Nothing,
    /// What an earlier daemon has left there, if anything.
    Unknown,
    /// The line of this turn, unless somebody has pressed Enter or taken it away.
    Line(MessageId, u16, Option<Token>),
}

impl Left {
    /// The line of a turn.
    pub(super) fn of(typed: &Typed) -> Self {
        Self::Line(typed.id.clone(), typed.turn.number, typed.turn.token)
    }
}

/// What stood in the input when a turn was to be typed.
pub(super) enum Standing {
    Nothing,
    /// Something that is not there any more.
    TakenAway,
    /// The turn's own line, of an earlier try.
    Own(String),
    /// The turn was typed before, and its claim stands on the screen.
    Done,
}

impl Worker {
    /// Looks for what stands in the input, and leaves nothing there but the turn's own line. `before` is how often that
    /// stands on the screen.
    pub(super) async fn standing(
        &mut self,
        typed: &Typed,
        screen: &Screen,
        before: usize,
    ) -> Result<Standing, Failed> {
        // With the cursor at the left edge nothing is seen in the input.
        let at_the_edge = screen.cursor.0 == 0;
        let mut draft = if at_the_edge { None } else { self.draft(typed).await? };
        // A token is of one turn: where it is seen, an earlier daemon has typed its line.
        let told = self.left == Left::Unknown && before > 0 && typed.turn.token.is_some();
        let again = told || self.left == Left::of(typed);
        let mut taken_away = false;
        match &draft {
            Some(draft) if !is_of(draft, typed) || is_whole(draft, typed) => {}
            None if again && claims(screen, typed) => return Ok(Standing::Done),
            None if !again && self.left == Left::Nothing => {}
            None if !again && self.left == Left::Unknown => taken_away = self.wipe(at_the_edge).await?,
            _ => {
                draft = self.uncover(draft, typed, again).await?;
                taken_away = draft.is_none();
            }
        }
        match draft {
            Some(draft) if is_of(&draft, typed) => return Ok(Standing::Own(draft)),
            Some(_) => self.clear_draft(typed).await?,
            None if taken_away => {}
            None => return Ok(Standing::Nothing),
        }
        self.left = Left::Nothing;
        Ok(Standing::TakenAway)
    }

    /// Brings to light what stands in the input unseen, or takes it away. A line that was typed before and does not stand
    /// there may have been read: the turn is not typed again before it says so.
    async fn uncover(
        &mut self,
        seen: Option<String>,
        typed: &Typed,
        again: bool,
    ) -> Result<Option<String>, Failed> {
        let keys = self.line_keys();
        if keys.is_some_and(|keys| keys.reprints) {
            let shown = self.reprint(typed).await?;
            if shown.is_some() {
                return Ok(shown);
            }
        } else if seen.is_some() {
            return Ok(seen);
        } else {
            let own = || self.launch.profile.clear_key.as_deref().and_then(key_named);
            let Some(key) = keys.and_then(kill_key).or_else(own) else {
                let why = "an earlier line may still be in its input, and no key is known that clears it";
                let why = why.to_owned();
                return Err(Failed::Verdict(if again {
                    Verdict::Unconfirmed { why }
                } else {
                    Verdict::NotDelivered { why }
                }));
            };
            self.press_and_wait(key).await?;
        }
        self.left = Left::Nothing;
        if again && !typed.turn.redelivered {
            let why = "its line was typed before and is no longer in the input".to_owned();
            return Err(Failed::Verdict(Verdict::Unconfirmed { why }));
        }
        Ok(None)
    }

    /// Takes away what an earlier daemon may have left in a canonical terminal where nothing is seen; whether it did.
    async fn wipe(&mut self, at_the_edge: bool) -> Result<bool, Failed> {
        let Some(key) = self.line_keys().and_then(kill_key).filter(|_| at_the_edge) else {
            return Ok(false);
        };
        self.press(key).await?;
        self.left = Left::Nothing;
        Ok(true)
    }

    /// Has the terminal show what stands in its input, and gives the line of ours that it is.
    async fn reprint(&mut self, typed: &Typed) -> Result<Option<String>, Failed> {
        let before = reprints(&self.pane.capture(SEARCHED_ROWS, Rows::Joined).await?);
        let Some(letter) = CtrlLetter::new('r') else { return Ok(None) };
        self.press(Key::Ctrl(letter)).await?;
        let deadline = Instant::now() + SETTLE_WAIT;
        while reprints(&self.pane.capture(SEARCHED_ROWS, Rows::Joined).await?) <= before {
            if Instant::now() >= deadline {
                let why = "its terminal does not show what is in its input".to_owned();
                return Err(Failed::Verdict(Verdict::Unconfirmed { why }));
            }
            self.listen_once(deadline.min(Instant::now() + Duration::from_millis(ECHO_PAUSE_MS))).await?;
        }
        self.listen_until(Instant::now() + self.quiet().max(IN_ONE_GO)).await?;
        Ok(self.draft(typed).await?)
    }

    fn line_keys(&self) -> Option<LineKeys> {
        process::line_keys(&self.tty).ok().flatten()
    }

    async fn press(&mut self, key: Key) -> Result<(), Failed> {
        self.forget_seen();
        Ok(self.pane.key(key).await?)
    }

    async fn press_and_wait(&mut self, key: Key) -> Result<(), Failed> {
        self.press(key).await?;
        Ok(self.listen_until(Instant::now() + self.quiet()).await?)
    }

    /// A line of ours that stands in the input without its Enter: the last row that is not empty, if the cursor still
    /// stands behind something.
    async fn draft(&self, typed: &Typed) -> Result<Option<String>, TmuxError> {
        let screen = self.pane.capture(0, self.rows()).await?;
        let last = screen.rows.into_iter().rev().find(|row| !row.trim().is_empty());
        let ours = |row: &String| row.contains(doorbell::HEAD) || row.trim_end().ends_with(&*typed.line);
        Ok(last.filter(|row| screen.cursor.0 > 0 && ours(row)))
    }

    /// Presses Enter behind a line that was typed before, if nobody has written on behind it.
    pub(super) async fn end_draft(&mut self, draft: &str, typed: &Typed) -> Result<Receipt, Failed> {
        self.left = Left::of(typed);
        if !is_whole(draft, typed) && self.launch.profile.screen.is_none() {
            return Err(Failed::Verdict(Verdict::NotDelivered { why: TYPED_BEHIND.to_owned() }));
        }
        let mind = match self.launch.profile.screen {
            Some(_) => Ok(self.may_enter(typed).await?),
            None => answered(self.hands_off().await)?,
        };
        self.enter(typed, true, mind).await
    }

    /// Whether the turn that is being typed was called off meanwhile. What else came is obeyed after it.
    pub(super) fn is_called_off(&mut self, typed: &Typed) -> bool {
        while let Ok(order) = self.orders.try_recv() {
            self.ahead.push_back(order);
        }
        self.ahead.iter().any(|order| match order {
            Order::Unwatch { .. } | Order::Close => true,
            Order::Interrupt { id, turn } => (id, *turn) == (&typed.id, typed.turn.number),
            _ => false,
        })
    }

    /// Takes the line of a turn that was called off away again, and sees that it is gone.
    pub(super) async fn take_back(&mut self, typed: &Typed) -> Failed {
        let done = match self.launch.profile.screen {
            Some(_) => self.clear_box().await,
            None => self.clear_draft(typed).await,
        };
        if let Err(failed) = done {
            return failed;
        }
        self.left = Left::Nothing;
        self.taken_back = Some((typed.id.clone(), typed.turn.number));
        let why = "it was called off while it was being typed, and its line was removed".to_owned();
        Failed::Verdict(Verdict::Withdrawn { why })
    }

    /// Takes an older turn's doorbell out of the input line. It was tasuki who typed it, so nobody's words are lost.
    async fn clear_draft(&mut self, typed: &Typed) -> Result<(), Failed> {
        let key = self.launch.profile.clear_key.as_deref().and_then(key_named);
        if let Some(key) = key {
            self.press_and_wait(key).await?;
        }
        // On a busy machine its terminal takes a while to show that.
        let deadline = Instant::now() + CLEAR_WAIT;
        while self.draft(typed).await?.is_some() {
            if Instant::now() >= deadline {
                // It will not go away by itself: this counts as a try, so that there is an end to it.
                let why = "an older line is still in its input".to_owned();
                return Err(Failed::Verdict(Verdict::NotDelivered { why }));
            }
            self.listen_once(deadline.min(Instant::now() + Duration::from_millis(ECHO_PAUSE_MS))).await?;
        }
        Ok(())
    }

    /// After a crash: was this turn delivered? The text is not typed again here.
    pub(super) async fn settle(&mut self, typed: Typed) -> Result<(), End> {
        let verdict = match self.find_traces(&typed).await {
            Ok(receipt) => Verdict::Delivered(receipt),
            // What a person has added to it, and entered, leaves another trace.
            Err(Failed::Verdict(Verdict::NotDelivered { .. }))
                if is_bare(&typed) && self.is_plain() && self.is_touched_since() =>
            {
                let why = "somebody has typed since, and may have entered it with what they added";
                Verdict::Unconfirmed { why: why.to_owned() }
            }
            Err(Failed::Verdict(verdict)) => verdict,
            Err(Failed::Ended(end)) => return Err(end),
        };
        self.rung(typed, verdict).await;
        Ok(())
    }

    async fn find_traces(&mut self, typed: &Typed) -> Result<Receipt, Failed> {
        if self.launch.profile.screen.is_some() {
            return self.trace_in_box(typed, SETTLE_WAIT).await;
        }
        let since = Instant::now();
        let unconfirmed = |why: &str| Failed::Verdict(Verdict::Unconfirmed { why: why.to_owned() });
        let arrived = self.wait_for_trace(typed, since).await?;
        // It was in the input, if it is not that of an earlier try which was entered: that is looked for when it is typed.
        self.left = Left::of(typed);
        if arrived || self.holds_lines() {
            // A terminal holds whole lines for its program: Enter was pressed.
            self.left = Left::Nothing;
            return Ok(Receipt::Echoed);
        }
        let screen = loop {
            if claims(&*self.see().await?, typed) {
                self.left = Left::Nothing;
                return Ok(Receipt::Echoed);
            }
            match self.guards(since).await? {
                Guards::Open(screen) => break screen,
                Guards::Closed(guard, _) if since.elapsed() >= SETTLE_WAIT => {
                    return Err(unconfirmed(guard.words()));
                }
                Guards::Closed(_, again) => self.listen_until(again.min(since + SETTLE_WAIT)).await?,
            }
        };
        let mut draft = if screen.cursor.0 > 0 { self.draft(typed).await? } else { None };
        let mut reprinted = false;
        if !draft.as_ref().is_some_and(|draft| is_of(draft, typed) && is_whole(draft, typed))
            && self.line_keys().is_some_and(|keys| keys.reprints)
        {
            draft = self.reprint(typed).await?;
            reprinted = true;
        }
        match draft {
            // It stands in the input line: Enter was lost with the daemon.
            Some(draft) if is_of(&draft, typed) => self.end_draft(&draft, typed).await,
            // Shown, and not in the input: it was entered. What may be the words of an earlier message tells nothing.
            None if reprinted && typed.line.starts_with(doorbell::HEAD) => {
                (self.left, self.reprinted) = (Left::Nothing, true);
                Ok(Receipt::Echoed)
            }
            _ => Err(unconfirmed("its line is shown, but it is not known whether Enter was pressed")),
        }
    }

    /// Waits for the line to be shown, if something is still on its way to the program; whether whole lines were, or it is
    /// claimed.
    async fn wait_for_trace(&mut self, typed: &Typed, since: Instant) -> Result<bool, Failed> {
        let mut arrived = false;
        while self.echoes(typed).await? == 0 {
            // What was typed just before the crash may still be on its way to the program.
            let arriving = process::unread_input(&self.tty).unwrap_or(0) > 0;
            arrived |= self.holds_lines();
            if !arriving && !arrived {
                // It may have left the rows that are searched, and be claimed at that.
                if let Some(whole) = self.whole().await.filter(|whole| traces(whole, typed)) {
                    return Ok(claims(&whole, typed));
                }
                if !(self.shows_input() && self.launch.profile.echoes) {
                    self.left = Left::of(typed);
                }
                let why = "there is no trace of it in the pane".to_owned();
                return Err(Failed::Verdict(Verdict::NotDelivered { why }));
            }
            if since.elapsed() >= SETTLE_WAIT {
                self.left = Left::of(typed);
                let unread = "something that was typed has not been read yet";
                let why = if arriving { unread } else { "something was read that is not shown" }.to_owned();
                return Err(Failed::Verdict(Verdict::Unconfirmed { why }));
            }
            self.listen_once(Instant::now() + READ_PAUSES.1).await?;
        }
        Ok(arrived)
    }

    /// Whether lines lie in the terminal that its program has not read.
    fn holds_lines(&self) -> bool {
        self.line_keys().is_some() && process::unread_input(&self.tty).unwrap_or(0) > 0
    }
}

/// Whether there is anything of a turn on a screen.
fn traces(screen: &Screen, typed: &Typed) -> bool {
    is_echoed(screen, typed) || claims(screen, typed)
}

/// The key that takes away what stands in a canonical terminal's input.
pub(super) fn kill_key(keys: LineKeys) -> Option<Key> {
    keys.kill.and_then(CtrlLetter::new).map(Key::Ctrl)
}

/// How often a terminal has shown its input anew.
fn reprints(screen: &Screen) -> usize {
    screen.rows.iter().filter(|row| row.trim_end().ends_with(REPRINTED)).count()
}

/// The screen without the trace of that below the turn's line: it is no part of an answer.
pub(super) fn without_reprint(screen: &Screen, typed: &Typed) -> Screen {
    let mut screen = screen.clone();
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    let echo = echo::own_echo(&Seen::lines(&rows), &typed.line, typed.turn.token, typed.stood);
    let below = echo.map_or(0, |echo| echo.last_row + 1);
    let found = rows.iter().enumerate().skip(below).find_map(|(at, row)| {
        let before = row.trim_end().strip_suffix(REPRINTED)?;
        Some((at, before.to_owned()))
    });
    match found {
        Some((at, before)) if before.is_empty() => drop(screen.rows.remove(at)),
        Some((at, before)) => screen.rows[at] = before,
        None => {}
    }
    screen
}

/// Whether a line in the input is this turn's.
fn is_of(draft: &str, typed: &Typed) -> bool {
    typed.turn.token.map_or_else(|| draft.contains(&*typed.line), |token| draft.contains(token.as_str()))
}

/// Whether nothing stands behind the line.
fn is_whole(draft: &str, typed: &Typed) -> bool {
    draft.trim_end().ends_with(typed.line.trim_end())
}
