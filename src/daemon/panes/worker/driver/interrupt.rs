//! Turns that are not awaited any more: called off, or broken off.

use super::Worker;
use crate::daemon::panes::orders::Typed;
use crate::daemon::panes::worker::break_off::{BreakOff, goes_on, words};
use crate::daemon::panes::worker::busy::Rest;
use crate::daemon::panes::worker::session::{End, answered};
use crate::daemon::panes::worker::typing::Failed;
use crate::engine::input::Report;
use crate::engine::life::interrupted::Interrupted;
use crate::engine::life::{Turn, TurnKind};
use crate::engine::words::MessageId;
use crate::io::mux::Breaking;

impl Worker {
    /// Breaks a turn off, if it is under way, and reports what became of it.
    pub(super) async fn interrupt(&mut self, id: MessageId, turn: u16) -> Result<(), End> {
        let how = match self.work.break_off(&id, turn) {
            None if self.own.take_called_off(&id, turn) => Interrupted::NotGiven,
            None => goes_on("it is not known whether it was given this turn, so no key was pressed"),
            Some(typed) => {
                answered(BreakOff(self.in_box()).note(&typed).await)?.ok();
                let how = match BreakOff(self.in_box()).break_off(&typed).await {
                    Ok(how) => how,
                    Err(Failed::Ended(end)) => return Err(end),
                    Err(Failed::Verdict(verdict)) => goes_on(words(verdict)),
                };
                answered(self.session.pane.note_breaking(None).await)?.ok();
                how
            }
        };
        if matches!(how, Interrupted::GoesOn { .. }) {
            self.work.busy.may_be_at_it(Rest::CalledOff, &self.session);
            self.look().await?;
        }
        self.take_for_busy();
        self.probe_soon();
        self.session.report(Report::Interrupted { id, how }).await;
        Ok(())
    }

    /// The loop takes its program for busy until it is told otherwise, which the next look does.
    fn take_for_busy(&mut self) {
        self.work.busy.take_for_busy();
        self.session.look_now();
    }

    /// Goes on breaking a turn off in whose midst an earlier daemon was killed; not where a person has typed since, for it may be
    /// theirs what goes on by now.
    pub(super) async fn go_on_breaking_off(&mut self) -> Result<(), End> {
        let Some(known) = answered(self.session.pane.breaking().await)?.ok().flatten() else { return Ok(()) };
        // The loop of this daemon takes it for busy from now on, too.
        self.session.report(Report::Busy { is: true }).await;
        if self.session.pane.person_before().is_some_and(|typed| typed > known.since) {
            answered(self.session.pane.note_breaking(None).await)?.ok();
            self.work.busy.may_be_at_it(Rest::CalledOff, &self.session);
            self.take_for_busy();
            return Ok(());
        }
        let Breaking { id, turn: number, token, line, .. } = known;
        let turn = Turn { number, kind: TurnKind::Task, token, redelivered: false };
        let phrase = self.session.agent.mask.phrase.as_str().into();
        let line = line.into();
        self.work.awaited =
            Some(Typed { id: id.clone(), turn, line, since: None, phrase, stood: 0, above: None });
        self.interrupt(id, number).await
    }

    /// Nothing is awaited any more; what was may go on, also what an earlier daemon had awaited and called off.
    pub(super) fn unwatch(&mut self, off: bool) {
        let was_awaited = self.work.awaited.take().is_some();
        if was_awaited || off && self.session.agent.is_adopted() {
            self.work.busy.may_be_at_it(if off { Rest::CalledOff } else { Rest::Other }, &self.session);
        }
        if was_awaited || off {
            self.probe_soon();
        }
        if off {
            self.take_for_busy();
        } else {
            self.session.look_now();
        }
        self.work.unread = None;
        self.unsent().look_at_unwatched();
    }
}
