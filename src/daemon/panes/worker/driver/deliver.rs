//! Delivering a turn: text, echo, quiet, Enter, receipt. The text is typed once; only Enter is ever repeated.

use super::Worker;
use super::guards::Verdict as Guards;
use crate::daemon::panes::orders::Typed;
use crate::daemon::panes::worker::own_line::{InInput, Standing};
use crate::daemon::panes::worker::session::{End, Objection, answered};
use crate::daemon::panes::worker::trace::{count, echoes, is_bare, last_rows};
use crate::daemon::panes::worker::typing::{Failed, not_delivered, withdrawn};
use crate::daemon::panes::worker::unsent::row_of;
use crate::engine::input::{Guard, Report, Verdict};
use crate::engine::life::Receipt;
use crate::io::clock::wall_now;
use crate::io::mux::{MuxError, Printed};
use crate::wire::team_file::{Receipt as ReceiptRule, Typing};
use std::time::Duration;
use tokio::time::Instant;

/// How long the reading of a line is waited for before the turn counts as submitted only: a program that is free reads
/// at once, and one that is busy tells by reading later.
const READ_WAIT: Duration = Duration::from_millis(500);
/// First and longest pause between two looks at the terminal's input queue.
const READ_PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));
/// How long the arrival of an Enter is waited for where nothing echoes it.
const ENTER_WAIT: Duration = Duration::from_millis(100);

impl Worker {
    /// Types a turn, reports what became of it, and watches for its claim.
    pub(super) async fn deliver(&mut self, mut typed: Typed) -> Result<(), End> {
        if !typed.turn.redelivered {
            // The engine's clock never goes back, and may be ahead of the one that the agent writes by.
            typed.since = typed.since.map(|since| since.min(wall_now()));
        }
        self.readiness.probed = None;
        self.readiness.void();
        self.answers.goes_on();
        self.own.reprinted = false;
        let resized = self.session.resized();
        self.work.resizing.typed_at(Some(resized));
        let verdict = match self.type_turn(&mut typed).await {
            Ok(receipt) => Verdict::Delivered(receipt),
            Err(Failed::Verdict(verdict)) => verdict,
            Err(Failed::Ended(end)) => return Err(end),
        };
        if matches!(verdict, Verdict::Delivered(_) | Verdict::Unconfirmed { .. } | Verdict::Left { .. }) {
            self.needs.forget_told();
        }
        self.delivered(typed, verdict).await;
        Ok(())
    }

    /// Reports what became of a turn, and watches for the claim of one that may have been taken.
    pub(super) async fn delivered(&mut self, typed: Typed, verdict: Verdict) {
        let (id, turn) = (typed.id.clone(), typed.turn.number);
        let verdict = match verdict {
            // Its reader could not tell that it had it before. A line without a box is seen to be gone, unless a person has entered it.
            Verdict::Unconfirmed { why }
                if is_bare(&typed) && (!self.session.agent.is_plain() || self.unsent.is_touched_since()) =>
            {
                Verdict::Left { why }
            }
            other => other,
        };
        match verdict {
            Verdict::Delivered(receipt) => {
                self.own.unentered.remove(&typed.line);
                self.work.unread = (receipt < Receipt::Read).then(|| typed.clone());
                self.watch_for(typed);
            }
            Verdict::Left { .. } => self.watch_for(typed),
            _ => {}
        }
        self.session.report(Report::Delivery { id, turn, verdict }).await;
    }

    async fn type_turn(&mut self, typed: &mut Typed) -> Result<Receipt, Failed> {
        // Between the intent and now a flush has passed: all guards once more.
        let since = self.readiness.patient_since.unwrap_or_else(|| self.session.now());
        if typed.turn.redelivered && (self.record.has(typed).await || self.record.is_transcribed(typed).await)
        {
            // What it was given already is not given to it twice, whatever its screen shows.
            self.own.in_input = InInput::Nothing;
            return Ok(Receipt::Recorded);
        }
        let screen = match self.guards(since).await? {
            Guards::Open(screen) => screen,
            Guards::Closed(guard, _) => return Err(withdrawn(guard.words())),
        };
        self.work.busy.begins_a_turn();
        let read = self.session.read(&screen);
        let mut before =
            read.as_ref().map_or_else(|| echoes(&screen, typed), |read| read.echoes(&screen, typed));
        self.own.before = before;
        self.own.before_in_all = if read.is_some() { self.in_box().echoes_in_all(typed).await } else { None };
        let standing = match &read {
            Some(read) => self.in_box().standing(typed, read, before).await?,
            None => self.on_line().standing(typed, &screen, before).await?,
        };
        match standing {
            Standing::Nothing => {}
            Standing::TakenAway if read.is_some() => {}
            Standing::TakenAway => before = self.on_line().echoes(typed).await?,
            // It was typed before, and Enter was lost or held back: only Enter is missing.
            Standing::Own(draft) => {
                typed.stood = self.stood(typed, before).await.saturating_sub(1);
                return self.end_draft(&draft, typed).await;
            }
            Standing::Done => return Ok(Receipt::Echoed),
        }
        if read.is_none() {
            self.unsent().is_idle_at(row_of(&screen)).await;
            typed.above = (!self.session.program.shows_input()).then(|| last_rows(&screen));
        }
        typed.stood = self.stood(typed, before).await;
        let typed = &*typed;
        let printed = *self.session.output.borrow_and_update();
        self.must_be_wanted(typed)?;
        self.type_line(typed).await?;
        let typed_at = self.session.now();
        let (echoed, person) = match read {
            Some(_) => self.in_box().wait_for_line(typed).await?,
            None => self.on_line().wait_for_echo(typed, before, printed).await?,
        };
        let enter_at = typed_at + Duration::from_millis(self.session.agent.profile().enter_after_ms);
        let objection = if enter_at > self.session.now() {
            self.wait_for_enter(typed, enter_at).await?
        } else {
            Ok(self.session.minds(person.as_ref()))
        };
        self.enter(typed, echoed, objection).await
    }

    /// Gives it up where somebody has called it off since.
    fn must_be_wanted(&mut self, typed: &Typed) -> Result<(), Failed> {
        if self.orders.is_called_off(typed) {
            self.own.call_off(typed);
            Err(withdrawn("it was called off"))
        } else if self.session.halted() {
            Err(withdrawn(Guard::Stopped.words()))
        } else {
            Ok(())
        }
    }

    /// Waits until Enter may be pressed, and asks once more who minds.
    async fn wait_for_enter(
        &mut self,
        typed: &Typed,
        at: Instant,
    ) -> Result<Result<Objection, MuxError>, Failed> {
        self.session.listen_until(at).await?;
        let objection = self.may_enter(typed).await?;
        if matches!(objection, Ok(None)) && self.session.agent.is_plain() {
            self.unsent().must_stand_alone(typed).await?;
        }
        Ok(objection)
    }

    /// Who minds that Enter is pressed behind the line.
    pub(super) async fn may_enter(&mut self, typed: &Typed) -> Result<Result<Objection, MuxError>, Failed> {
        if self.session.agent.is_plain() {
            return Ok(answered(self.session.hands_off().await)?);
        }
        Ok(Ok(self.in_box().may_enter(typed).await?))
    }

    /// How often the line is in the pane by now, where its program writes lines: it was typed before, and withdrawn since
    /// somebody minded. `seen` is how often it is on the screen.
    async fn stood(&self, typed: &Typed, seen: usize) -> usize {
        let agent = &self.session.agent;
        let may_stand = seen > 0 || agent.is_adopted() || self.own.unentered.contains(&typed.line);
        if typed.turn.token.is_none() || !agent.is_plain() || !may_stand {
            return 0;
        }
        self.session.whole().await.map_or(0, |whole| count(&whole, typed))
    }

    /// Types the line, which is in the input from now on.
    async fn type_line(&mut self, typed: &Typed) -> Result<(), Failed> {
        let before = std::mem::replace(&mut self.own.in_input, InInput::of(typed));
        self.unsent.types_a_line();
        self.own.last = Some(typed.line.clone());
        self.own.unentered.insert(typed.line.clone());
        let done = match self.session.agent.profile().types {
            Typing::Paste => self.session.paste(&typed.line).await,
            Typing::Keys => self.session.type_keys(&typed.line).await,
        };
        done.map_err(|error| {
            if !matches!(error, MuxError::Late { .. }) {
                self.own.in_input = before; // nothing was typed
            }
            error.into()
        })
    }

    /// Presses Enter, if still nobody minds, and looks for the receipt. A line that is there without its Enter was
    /// not delivered; the next try finds it.
    pub(super) async fn enter(
        &mut self,
        typed: &Typed,
        echoed: bool,
        objection: Result<Objection, MuxError>,
    ) -> Result<Receipt, Failed> {
        let unsent =
            |why: &str| not_delivered(format!("{why}; its line is in the input, and Enter was not pressed"));
        match objection {
            Ok(None) if self.orders.is_called_off(typed) => return Err(self.take_back(typed).await),
            Ok(None) => {}
            Ok(Some((guard, _))) => return Err(unsent(guard.words())),
            Err(error) => return Err(unsent(&error.to_string())),
        }
        let printed = *self.session.output.borrow_and_update();
        match self.session.press_enter().await {
            Err(MuxError::InMode { .. }) => return Err(unsent(Guard::CopyMode.words())),
            entered => entered?,
        }
        let rule = self.session.agent.profile().receipt;
        if rule == ReceiptRule::Screen && !self.session.agent.is_plain() {
            return self.in_box().taken(typed).await;
        }
        self.own.in_input = InInput::Nothing;
        if rule != ReceiptRule::TtyRead || !self.session.program.is_canonical() {
            return Ok(if echoed { Receipt::Echoed } else { Receipt::EnterOnly });
        }
        self.wait_for_reading(echoed, printed).await
    }

    async fn take_back(&mut self, typed: &Typed) -> Failed {
        if self.session.agent.is_plain() {
            self.on_line().take_back(typed).await
        } else {
            self.in_box().take_back(typed).await
        }
    }

    /// Waits until the program has read its line. The key is on its way through tmux until it is echoed or is in the input queue;
    /// only then does an empty queue mean that the line was read.
    async fn wait_for_reading(&mut self, echoed: bool, printed: Printed) -> Result<Receipt, Failed> {
        let weak = if echoed { Receipt::Echoed } else { Receipt::EnterOnly };
        let start = self.session.now();
        let (mut pause, mut arrived) = (READ_PAUSES.0, false);
        while self.session.now() < start + READ_WAIT {
            let unread = self.session.program.unread();
            arrived |= unread > 0 || *self.session.output.borrow() != printed;
            if arrived && unread == 0 {
                return Ok(Receipt::Read);
            }
            if !arrived && self.session.now() > start + ENTER_WAIT && !echoed {
                return Ok(weak);
            }
            // The queue makes no sound when it is read, but its echo and what the program answers do.
            self.session.listen_once(self.session.now() + pause).await?;
            pause = (pause * 2).min(READ_PAUSES.1);
        }
        Ok(weak)
    }
}
