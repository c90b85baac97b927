//! Typing a turn: text, echo, quiet, Enter, receipt. The text is typed once; only Enter is ever repeated.

use super::faces::key_named;
use super::guards::Verdict as Guards;
use super::seen::SEARCHED_ROWS;
use super::{End, Worker, answered};
use crate::daemon::orders::Typed;
use crate::engine::doorbell;
use crate::engine::echo;
use crate::engine::input::{Guard, Report, Verdict};
use crate::engine::life::Receipt;
use crate::engine::screen::Screen as Seen;
use crate::io::process;
use crate::io::settings::{Receipt as ReceiptRule, Typing};
use crate::io::tmux::{Person, Printed, Rows, Screen, TmuxError};
use std::time::Duration;
use tokio::time::Instant;

/// How long the reading of a line is waited for before the turn counts as submitted only: a program that is free reads
/// at once, and one that is busy tells by reading later.
const READ_WAIT: Duration = Duration::from_millis(500);
/// First and longest pause between two looks at the terminal's input queue.
const READ_PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));
/// How long the arrival of an Enter is waited for where nothing echoes it.
const ENTER_WAIT: Duration = Duration::from_millis(100);

/// How long open guards are waited for before a line that stands in the input is left in doubt: longer than a program
/// takes to fall silent, and short enough that a person's typing is not waited out here.
const SETTLE_WAIT: Duration = Duration::from_secs(3);

/// Between two looks for an echo that makes no sound: what is shown already came with the output before.
const ECHO_PAUSE_MS: u64 = 10;

/// Rows above the screen in which a new echo is looked for: a program may print while it is typed to.
const ECHO_ROWS: u32 = 50;

/// Who minds that a key is pressed, if anybody does, and when to ask again.
type Mind = Option<(Guard, Instant)>;

/// How a step of the procedure fails.
enum Failed {
    Ended(End),
    Verdict(Verdict),
}

impl From<TmuxError> for Failed {
    /// After a call without an answer it cannot be told what was typed; after a refusal nothing was.
    fn from(error: TmuxError) -> Self {
        let why = error.to_string();
        match error {
            TmuxError::Gone { .. } => Self::Ended(End::Disconnected),
            TmuxError::Late { .. } => Self::Verdict(Verdict::Unconfirmed { why }),
            TmuxError::InMode { .. } => Self::Verdict(Verdict::Withdrawn { why }),
            _ => Self::Verdict(Verdict::NotDelivered { why }),
        }
    }
}

impl From<End> for Failed {
    fn from(end: End) -> Self {
        Self::Ended(end)
    }
}

impl Worker {
    /// Types a turn, reports what became of it, and watches for its claim.
    pub(super) async fn ring(&mut self, typed: Typed) -> Result<(), End> {
        self.seeking = None;
        let verdict = match self.type_turn(&typed).await {
            Ok(receipt) => Verdict::Delivered(receipt),
            Err(Failed::Verdict(verdict)) => verdict,
            Err(Failed::Ended(end)) => return Err(end),
        };
        self.rung(typed, verdict).await;
        Ok(())
    }

    async fn rung(&mut self, typed: Typed, verdict: Verdict) {
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        if let Verdict::Delivered(receipt) = verdict {
            self.unread = (receipt < Receipt::Read).then(|| typed.clone());
            self.watch_for(typed);
        }
        self.report(Report::Rung { id, turn, verdict }).await;
    }

    async fn type_turn(&mut self, typed: &Typed) -> Result<Receipt, Failed> {
        // Between the intent and now a flush has passed: all guards once more.
        let since = self.sought.unwrap_or_else(Instant::now);
        let screen = match self.guards(since).await? {
            Guards::Open(screen) => screen,
            Guards::Closed(guard, _) => {
                let why = guard.words().to_owned();
                return Err(Failed::Verdict(Verdict::Withdrawn { why }));
            }
        };
        let mut before = echoes(&screen, typed);
        // With the cursor at the left edge there is nothing in the input.
        let draft = if screen.cursor.0 > 0 { self.draft(typed).await? } else { None };
        match draft {
            // It was typed before, and Enter was lost or held back: only Enter is missing.
            Some(draft) if is_of(&draft, typed) => return self.end_draft(&draft, typed).await,
            Some(_) => {
                self.clear_draft(typed).await?;
                before = self.echoes(typed).await?;
            }
            None => {}
        }
        let printed = *self.output.borrow_and_update();
        if self.halted() {
            let why = Guard::Stopped.words().to_owned();
            return Err(Failed::Verdict(Verdict::Withdrawn { why }));
        }
        self.forget_seen();
        match self.launch.profile.types {
            Typing::Paste => self.pane.paste(&typed.line).await?,
            Typing::Keys => self.pane.type_literal(&typed.line).await?,
        }
        let typed_at = Instant::now();
        let (echoed, person) = self.wait_for_echo(typed, before, printed).await?;
        let enter_at = typed_at + Duration::from_millis(self.launch.profile.enter_after_ms);
        let mind = if enter_at > Instant::now() {
            self.listen_until(enter_at).await?;
            answered(self.hands_off().await)?
        } else {
            Ok(self.minds(person.as_ref()))
        };
        self.enter(echoed, mind).await
    }

    /// A line of ours that stands in the input without its Enter: the last row that is not empty, if the cursor still
    /// stands behind something.
    async fn draft(&self, typed: &Typed) -> Result<Option<String>, TmuxError> {
        let screen = self.pane.capture(0, Rows::Joined).await?;
        let last = screen.rows.into_iter().rev().find(|row| !row.trim().is_empty());
        let ours = |row: &String| row.contains(doorbell::HEAD) || row.trim_end().ends_with(&*typed.line);
        Ok(last.filter(|row| screen.cursor.0 > 0 && ours(row)))
    }

    /// Presses Enter behind a line that was typed before, if nobody has written on behind it.
    async fn end_draft(&mut self, draft: &str, typed: &Typed) -> Result<Receipt, Failed> {
        if !draft.trim_end().ends_with(typed.line.trim_end()) {
            let why = "somebody wrote on behind its line, which stands in the input: send that or remove it";
            return Err(Failed::Verdict(Verdict::NotDelivered { why: why.to_owned() }));
        }
        let mind = answered(self.hands_off().await)?;
        self.enter(true, mind).await
    }

    /// Takes an older turn's doorbell out of the input line. It was tasuki who typed it, so nobody's words are lost.
    async fn clear_draft(&mut self, typed: &Typed) -> Result<(), Failed> {
        let key = self.launch.profile.clear_key.as_deref().and_then(key_named);
        if let Some(key) = key {
            self.forget_seen();
            self.pane.key(key).await?;
            self.listen_until(Instant::now() + Duration::from_millis(self.launch.profile.quiet_ms)).await?;
        }
        match self.draft(typed).await? {
            None => Ok(()),
            Some(_) => {
                // It will not go away by itself: this counts as a try, so that there is an end to it.
                let why = "an older line still stands in its input".to_owned();
                Err(Failed::Verdict(Verdict::NotDelivered { why }))
            }
        }
    }

    /// How often the line stands on the screen.
    async fn echoes(&self, typed: &Typed) -> Result<usize, TmuxError> {
        Ok(echoes(&self.pane.capture(SEARCHED_ROWS, Rows::Joined).await?, typed))
    }

    /// Waits until the line is shown and the pane is still. Whether it was shown, and who looked on then. `before` is how
    /// often it stood there before it was typed, and `printed` how much had been printed.
    async fn wait_for_echo(
        &mut self,
        typed: &Typed,
        before: usize,
        printed: Printed,
    ) -> Result<(bool, Option<Person>), Failed> {
        let profile = &self.launch.profile;
        let (quiet, cap) = (profile.quiet_ms, profile.echo_wait_ms);
        let deadline = Instant::now() + Duration::from_millis(cap);
        let expected = profile.echoes && self.shows_input();
        if expected && *self.output.borrow() == printed {
            // Nothing was printed since: a look now would see nothing new.
            self.listen_once(deadline.min(Instant::now() + Duration::from_millis(ECHO_PAUSE_MS))).await?;
        }
        loop {
            self.be_quiet(Duration::from_millis(quiet), deadline).await?;
            // Where it stood nowhere before it is new wherever it stands, and in a pane that is still it stands at the bottom.
            let few = before == 0 && Instant::now() < deadline;
            let searched = if few { ECHO_ROWS } else { SEARCHED_ROWS };
            let (screen, person) = self.pane.look(searched, Rows::Joined).await?;
            if echoes(&screen, typed) > before {
                return Ok((true, person));
            }
            if !expected {
                return Ok((false, person));
            }
            if Instant::now() >= deadline {
                let why = format!("its line was not shown within {cap} ms");
                return Err(Failed::Verdict(Verdict::NotDelivered { why }));
            }
            let look_at = Instant::now() + Duration::from_millis(quiet.max(ECHO_PAUSE_MS));
            self.listen_once(deadline.min(look_at)).await?;
        }
    }

    /// Whether the terminal, or else the program, shows what is typed: a canonical terminal without echo shows nothing.
    fn shows_input(&self) -> bool {
        process::terminal_mode(&self.tty).map_or(true, |mode| mode.echo || !mode.canonical)
    }

    /// Presses Enter, if still nobody minds, and looks for the receipt. A line that stands there without its Enter was
    /// not delivered; the next try finds it.
    async fn enter(&mut self, echoed: bool, mind: Result<Mind, TmuxError>) -> Result<Receipt, Failed> {
        let unsent = |why: &str| {
            let why = format!("{why}; its line stands in the input without Enter");
            Failed::Verdict(Verdict::NotDelivered { why })
        };
        match mind {
            Ok(None) => {}
            Ok(Some((guard, _))) => return Err(unsent(guard.words())),
            Err(error) => return Err(unsent(&error.to_string())),
        }
        let printed = *self.output.borrow_and_update();
        self.forget_seen();
        match self.pane.enter().await {
            Err(TmuxError::InMode { .. }) => return Err(unsent(Guard::CopyMode.words())),
            entered => entered?,
        }
        let weak = if echoed { Receipt::Echoed } else { Receipt::EnterOnly };
        let canonical = process::terminal_mode(&self.tty).is_ok_and(|mode| mode.canonical);
        if self.launch.profile.receipt != ReceiptRule::TtyRead || !canonical {
            return Ok(weak);
        }
        // The key is on its way through tmux until it is echoed or stands in the input queue; only then does an empty
        // queue mean that the line was read.
        let start = Instant::now();
        let (mut pause, mut arrived) = (READ_PAUSES.0, false);
        while start.elapsed() < READ_WAIT {
            let unread = process::unread_input(&self.tty).unwrap_or(0);
            arrived |= unread > 0 || *self.output.borrow() != printed;
            if arrived && unread == 0 {
                return Ok(Receipt::Read);
            }
            if !arrived && start.elapsed() > ENTER_WAIT && !echoed {
                return Ok(weak);
            }
            // The queue makes no sound when it is read, but its echo and what the program answers do.
            self.listen_once(Instant::now() + pause).await?;
            pause = (pause * 2).min(READ_PAUSES.1);
        }
        Ok(weak)
    }

    /// After a crash: was this turn delivered? The text is not typed again here.
    pub(super) async fn settle(&mut self, typed: Typed) -> Result<(), End> {
        let verdict = match self.find_traces(&typed).await {
            Ok(verdict) => verdict,
            Err(Failed::Verdict(verdict)) => verdict,
            Err(Failed::Ended(end)) => return Err(end),
        };
        self.rung(typed, verdict).await;
        Ok(())
    }

    async fn find_traces(&mut self, typed: &Typed) -> Result<Verdict, Failed> {
        let since = Instant::now();
        while self.echoes(typed).await? == 0 {
            // What was typed just before the crash may still be on its way to the program.
            let arriving = process::unread_input(&self.tty).unwrap_or(0) > 0;
            if !arriving {
                return Ok(Verdict::NotDelivered { why: "no trace of it stands in the pane".to_owned() });
            }
            if since.elapsed() >= SETTLE_WAIT {
                let why = "something that was typed is not read yet".to_owned();
                return Ok(Verdict::Unconfirmed { why });
            }
            self.listen_once(Instant::now() + READ_PAUSES.1).await?;
        }
        let draft = match self.draft(typed).await? {
            Some(draft) if is_of(&draft, typed) => draft,
            _ => return Ok(Verdict::Delivered(Receipt::Echoed)),
        };
        // It stands in the input line: Enter was lost with the daemon.
        loop {
            match self.guards(since).await? {
                Guards::Open(_) => return self.end_draft(&draft, typed).await.map(Verdict::Delivered),
                Guards::Closed(guard, _) if since.elapsed() >= SETTLE_WAIT => {
                    return Ok(Verdict::Unconfirmed { why: guard.words().to_owned() });
                }
                Guards::Closed(_, again) => self.listen_until(again.min(since + SETTLE_WAIT)).await?,
            }
        }
    }

    /// Waits until the pane has been still for `quiet`, or the deadline.
    async fn be_quiet(&mut self, quiet: Duration, deadline: Instant) -> Result<(), End> {
        loop {
            let still_at = (self.printed + quiet).min(deadline);
            if Instant::now() >= still_at {
                return Ok(());
            }
            self.listen_until(still_at).await?;
        }
    }

    /// Takes note of output until a moment.
    async fn listen_until(&mut self, at: Instant) -> Result<(), End> {
        while self.listen_once(at).await? {}
        Ok(())
    }

    /// Waits until a moment, or for output before it; whether there was some.
    async fn listen_once(&mut self, at: Instant) -> Result<bool, End> {
        tokio::select! {
            () = tokio::time::sleep_until(at) => Ok(false),
            changed = self.output.changed() => {
                changed.map_err(|_| End::Disconnected)?;
                self.printed = self.output.borrow().at;
                Ok(true)
            }
        }
    }
}

/// How often a turn's line stands on a screen.
fn echoes(screen: &Screen, typed: &Typed) -> usize {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    echo::echoes(&Seen::lines(&rows), &typed.line, typed.turn.token).len()
}

/// Whether a line in the input is this turn's.
fn is_of(draft: &str, typed: &Typed) -> bool {
    typed.turn.token.map_or_else(|| draft.contains(&*typed.line), |token| draft.contains(token.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::words::PaneId;

    #[test]
    fn what_tmux_did_not_answer_is_in_doubt_and_what_it_refused_is_not() {
        let verdict = |error| match Failed::from(error) {
            Failed::Verdict(verdict) => verdict,
            Failed::Ended(end) => panic!("{end:?}"),
        };
        let late = TmuxError::Late { command: "paste-buffer", ms: 5_000, sent: true };
        assert!(matches!(verdict(late), Verdict::Unconfirmed { .. }));
        let pane = PaneId(1);
        assert!(matches!(verdict(TmuxError::InMode { pane }), Verdict::Withdrawn { .. }));
        assert!(matches!(verdict(TmuxError::DeadPane { pane }), Verdict::NotDelivered { .. }));
        assert!(matches!(verdict(TmuxError::InputOff { pane }), Verdict::NotDelivered { .. }));
    }
}
