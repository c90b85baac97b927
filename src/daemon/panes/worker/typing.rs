//! Typing a turn: text, echo, quiet, Enter, receipt. The text is typed once; only Enter is ever repeated
//! ([`super::left`]).

use super::guards::Verdict as Guards;
use super::left::{Left, Standing};
use super::looking::count;
use super::seen::SEARCHED_ROWS;
use super::{End, Worker, answered};
use crate::daemon::panes::orders::Typed;
use crate::engine::input::{Guard, Report, Verdict};
use crate::engine::life::Receipt;
use crate::engine::screen::Screen as Seen;
use crate::engine::screen::doorbell::HEAD;
use crate::engine::screen::echo;
use crate::io::clock::wall_now;
use crate::io::process;
use crate::io::tmux::{Person, Printed, Rows, Screen, TmuxError};
use crate::wire::team_file::{Receipt as ReceiptRule, Typing};
use std::time::Duration;
use tokio::time::Instant;

/// How long the reading of a line is waited for before the turn counts as submitted only: a program that is free reads
/// at once, and one that is busy tells by reading later.
const READ_WAIT: Duration = Duration::from_millis(500);
/// First and longest pause between two looks at the terminal's input queue.
pub(super) const READ_PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));
/// How long the arrival of an Enter is waited for where nothing echoes it.
const ENTER_WAIT: Duration = Duration::from_millis(100);

/// Between two looks for an echo that makes no sound: what is shown already came with the output before.
pub(super) const ECHO_PAUSE_MS: u64 = 10;

/// Rows above the screen in which a new echo is looked for: a program may print while it is typed to.
const ECHO_ROWS: u32 = 50;

/// Said where somebody has typed on behind a line that was not entered yet.
pub(super) const TYPED_BEHIND: &str = "somebody typed after its line in the input: send it or remove it";

/// Who minds that a key is pressed, if anybody does, and when to ask again.
pub(super) type Mind = Option<(Guard, Instant)>;

/// How a step of the procedure fails.
pub(super) enum Failed {
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
    pub(super) async fn ring(&mut self, mut typed: Typed) -> Result<(), End> {
        if !typed.turn.redelivered {
            // The engine's clock never goes back, and may be ahead of the one that the agent writes by.
            typed.since = typed.since.map(|since| since.min(wall_now()));
        }
        self.seeking = None;
        self.stands_no_more();
        self.reprinted = false;
        let verdict = match self.type_turn(&mut typed).await {
            Ok(receipt) => Verdict::Delivered(receipt),
            Err(Failed::Verdict(verdict)) => verdict,
            Err(Failed::Ended(end)) => return Err(end),
        };
        if matches!(verdict, Verdict::Delivered(_) | Verdict::Unconfirmed { .. } | Verdict::Left { .. }) {
            self.forget_told();
        }
        self.rung(typed, verdict).await;
        Ok(())
    }

    pub(super) async fn rung(&mut self, typed: Typed, verdict: Verdict) {
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        let verdict = match verdict {
            // Its reader could not tell that it had it before. A line without a box is seen to be gone, unless a person has entered it.
            Verdict::Unconfirmed { why }
                if is_bare(&typed) && (!self.is_plain() || self.is_touched_since()) =>
            {
                Verdict::Left { why }
            }
            other => other,
        };
        match verdict {
            Verdict::Delivered(receipt) => {
                self.unentered.remove(&typed.line);
                self.unread = (receipt < Receipt::Read).then(|| typed.clone());
                self.watch_for(typed);
            }
            Verdict::Left { .. } => self.watch_for(typed),
            _ => {}
        }
        self.report(Report::Rung { id, turn, verdict }).await;
    }

    async fn type_turn(&mut self, typed: &mut Typed) -> Result<Receipt, Failed> {
        // Between the intent and now a flush has passed: all guards once more.
        let since = self.sought.unwrap_or_else(Instant::now);
        if typed.turn.redelivered && (self.is_recorded(typed).await || self.is_transcribed(typed).await) {
            // What it was given already is not given to it twice, whatever its screen shows.
            self.left = Left::Nothing;
            return Ok(Receipt::Recorded);
        }
        let screen = match self.guards(since).await? {
            Guards::Open(screen) => screen,
            Guards::Closed(guard, _) => {
                let why = guard.words().to_owned();
                return Err(Failed::Verdict(Verdict::Withdrawn { why }));
            }
        };
        self.begins_a_turn();
        let read = self.read(&screen);
        let mut before =
            read.as_ref().map_or_else(|| echoes(&screen, typed), |read| read.echoes(&screen, typed));
        self.before = before;
        self.before_in_all = if read.is_some() { self.echoes_in_all(typed).await } else { None };
        let standing = match &read {
            Some(read) => self.standing_in_box(typed, read, before).await?,
            None => self.standing(typed, &screen, before).await?,
        };
        match standing {
            Standing::Nothing => {}
            Standing::TakenAway if read.is_some() => {}
            Standing::TakenAway => before = self.echoes(typed).await?,
            // It was typed before, and Enter was lost or held back: only Enter is missing.
            Standing::Own(draft) => {
                typed.stood = self.stood(typed, before).await.saturating_sub(1);
                return self.end_draft(&draft, typed).await;
            }
            Standing::Done => return Ok(Receipt::Echoed),
        }
        typed.stood = self.stood(typed, before).await;
        let typed = &*typed;
        let printed = *self.output.borrow_and_update();
        self.must_be_wanted(typed)?;
        self.type_line(typed).await?;
        let typed_at = Instant::now();
        let (echoed, person) = match read {
            Some(_) => self.wait_in_box(typed).await?,
            None => self.wait_for_echo(typed, before, printed).await?,
        };
        let enter_at = typed_at + Duration::from_millis(self.launch.profile.enter_after_ms);
        let mind = if enter_at > Instant::now() {
            self.wait_for_enter(typed, enter_at).await?
        } else {
            Ok(self.minds(person.as_ref()))
        };
        self.enter(typed, echoed, mind).await
    }

    /// Gives it up where somebody has called it off since.
    fn must_be_wanted(&mut self, typed: &Typed) -> Result<(), Failed> {
        let why = if self.is_called_off(typed) {
            self.taken_back = Some((typed.id.clone(), typed.turn.number));
            "it was called off"
        } else if self.halted() {
            Guard::Stopped.words()
        } else {
            return Ok(());
        };
        Err(Failed::Verdict(Verdict::Withdrawn { why: why.to_owned() }))
    }

    /// Waits until Enter may be pressed, and asks once more who minds.
    async fn wait_for_enter(
        &mut self,
        typed: &Typed,
        at: Instant,
    ) -> Result<Result<Mind, TmuxError>, Failed> {
        self.listen_until(at).await?;
        let mind = match self.launch.profile.screen {
            Some(_) => Ok(self.may_enter(typed).await?),
            None => answered(self.hands_off().await)?,
        };
        if matches!(mind, Ok(None)) {
            self.must_stand_alone(typed).await?;
        }
        Ok(mind)
    }

    /// Gives it up where somebody has typed on behind the line, which stands in a line of the terminal. What else stands there is what
    /// its program draws.
    async fn must_stand_alone(&mut self, typed: &Typed) -> Result<(), Failed> {
        if !self.is_plain() {
            return Ok(());
        }
        let (line, people) = self.pane.cursor_line().await?;
        self.note_people(&people);
        let own = typed.line.trim_end();
        if !self.is_touched_since() || !line.text.contains(own) || line.text.ends_with(own) {
            return Ok(());
        }
        Err(Failed::Verdict(Verdict::NotDelivered { why: TYPED_BEHIND.to_owned() }))
    }

    /// How often the line stands in the pane by now, where its program writes lines: it was typed before, and withdrawn since
    /// somebody minded. `seen` is how often it stands on the screen.
    async fn stood(&self, typed: &Typed, seen: usize) -> usize {
        let may_stand = seen > 0 || self.launched.adopt.is_some() || self.unentered.contains(&typed.line);
        if typed.turn.token.is_none() || !self.is_plain() || !may_stand {
            return 0;
        }
        self.whole().await.map_or(0, |whole| count(&whole, typed))
    }

    /// Types the line, which stands in the input from now on.
    async fn type_line(&mut self, typed: &Typed) -> Result<(), Failed> {
        self.forget_seen();
        let before = std::mem::replace(&mut self.left, Left::of(typed));
        self.types_a_line();
        self.typed_last = Some(typed.line.clone());
        self.unentered.insert(typed.line.clone());
        let done = match self.launch.profile.types {
            Typing::Paste => self.pane.paste(&typed.line).await,
            Typing::Keys => self.pane.type_literal(&typed.line).await,
        };
        done.map_err(|error| {
            if !matches!(error, TmuxError::Late { .. }) {
                self.left = before; // nothing was typed
            }
            error.into()
        })
    }

    /// How often the line stands on the screen.
    pub(super) async fn echoes(&self, typed: &Typed) -> Result<usize, TmuxError> {
        Ok(echoes(&self.pane.capture(SEARCHED_ROWS, self.rows()).await?, typed))
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
            let (screen, people) = self.pane.look(searched, Rows::Joined).await?;
            let person = people.here;
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
    pub(super) fn shows_input(&self) -> bool {
        process::terminal_mode(&self.tty).map_or(true, |mode| mode.echo || !mode.canonical)
    }

    /// Presses Enter, if still nobody minds, and looks for the receipt. A line that stands there without its Enter was
    /// not delivered; the next try finds it.
    pub(super) async fn enter(
        &mut self,
        typed: &Typed,
        echoed: bool,
        mind: Result<Mind, TmuxError>,
    ) -> Result<Receipt, Failed> {
        let unsent = |why: &str| {
            let why = format!("{why}; its line is in the input, and Enter was not pressed");
            Failed::Verdict(Verdict::NotDelivered { why })
        };
        match mind {
            Ok(None) if self.is_called_off(typed) => return Err(self.take_back(typed).await),
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
        if self.launch.profile.receipt == ReceiptRule::Screen && self.launch.profile.screen.is_some() {
            return self.taken_from_box(typed, self.before).await;
        }
        self.left = Left::Nothing;
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
    pub(super) async fn listen_until(&mut self, at: Instant) -> Result<(), End> {
        while self.listen_once(at).await? {}
        Ok(())
    }

    /// Waits until a moment, or for output before it; whether there was some.
    pub(super) async fn listen_once(&mut self, at: Instant) -> Result<bool, End> {
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

/// Whether nothing in the line of a turn tells it from another turn's: no token, and no id of its message.
pub(super) fn is_bare(typed: &Typed) -> bool {
    typed.turn.token.is_none() && !typed.line.starts_with(HEAD)
}

/// How often a turn's line stands on a screen.
fn echoes(screen: &Screen, typed: &Typed) -> usize {
    let rows: Vec<&str> = screen.rows.iter().map(String::as_str).collect();
    echo::echoes(&Seen::lines(&rows), &typed.line, typed.turn.token).len()
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
