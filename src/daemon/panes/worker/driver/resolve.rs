//! Resolving a doubt, after a crash: was this turn delivered? The text is not typed again here; only its Enter may be missing.

use super::Worker;
use super::guards::Verdict as Guards;
use crate::daemon::panes::orders::Typed;
use crate::daemon::panes::worker::input_box::BoxTyping;
use crate::daemon::panes::worker::line_input::RESOLVE_WAIT;
use crate::daemon::panes::worker::own_line::InInput;
use crate::daemon::panes::worker::session::End;
use crate::daemon::panes::worker::trace::{claims, is_bare, is_of, is_whole_line};
use crate::daemon::panes::worker::typing::{Failed, Found, TYPED_BEHIND, not_delivered, unconfirmed};
use crate::engine::input::Verdict;
use crate::engine::life::Receipt;
use crate::engine::screen::doorbell;

impl Worker {
    /// Reports whether a turn was delivered, and watches for its claim.
    pub(super) async fn resolve(&mut self, typed: Typed) -> Result<(), End> {
        let found = match self.find_traces(&typed).await {
            Ok(Found::Unentered(line)) => self.end_draft(&line, &typed).await,
            Ok(Found::Receipt(receipt)) => Ok(receipt),
            Err(failed) => Err(failed),
        };
        let verdict = match found {
            Ok(receipt) => Verdict::Delivered(receipt),
            // What a person has added to it, and entered, leaves another trace.
            Err(Failed::Verdict(Verdict::NotDelivered { .. }))
                if is_bare(&typed) && self.session.agent.is_plain() && self.unsent.is_touched_since() =>
            {
                let why = "somebody has typed since, and may have entered it with what they added";
                Verdict::Unconfirmed { why: why.to_owned() }
            }
            Err(Failed::Verdict(verdict)) => verdict,
            Err(Failed::Ended(end)) => return Err(end),
        };
        self.delivered(typed, verdict).await;
        Ok(())
    }

    async fn find_traces(&mut self, typed: &Typed) -> Result<Found, Failed> {
        if !self.session.agent.is_plain() {
            let Self { session, own, record, orders, needs, .. } = self;
            let mut in_box = BoxTyping { session, own, record, orders };
            return in_box.trace(typed, RESOLVE_WAIT, needs).await;
        }
        let since = self.session.now();
        let arrived = self.on_line().wait_for_trace(typed, since).await?;
        // It was in the input, if it is not that of an earlier try which was entered: that is looked for when it is typed.
        self.own.in_input = InInput::of(typed);
        if arrived || self.session.program.holds_lines() {
            // A terminal holds whole lines for its program: Enter was pressed.
            self.own.in_input = InInput::Nothing;
            return Ok(Found::Receipt(Receipt::Echoed));
        }
        let screen = loop {
            if claims(&*self.session.see().await?, typed) {
                self.own.in_input = InInput::Nothing;
                return Ok(Found::Receipt(Receipt::Echoed));
            }
            let guards = self.guards(since).await?;
            let until = since + RESOLVE_WAIT;
            match guards {
                Guards::Open(screen) => break screen,
                Guards::Closed(guard, _) if self.session.now() >= until => {
                    return Err(unconfirmed(guard.words()));
                }
                Guards::Closed(_, again) => self.session.listen_until(again.min(until)).await?,
            }
        };
        let mut draft = if screen.cursor.0 > 0 { self.on_line().draft(typed).await? } else { None };
        let mut reprinted = false;
        if !draft.as_ref().is_some_and(|draft| is_of(draft, typed) && is_whole_line(draft, typed))
            && self.session.program.reprints()
        {
            draft = self.on_line().reprint(typed).await?;
            reprinted = true;
        }
        match draft {
            // It is in the input line: Enter was lost with the daemon.
            Some(draft) if is_of(&draft, typed) => Ok(Found::Unentered(draft)),
            // Shown, and not in the input: it was entered. What may be the words of an earlier message tells nothing.
            None if reprinted && typed.line.starts_with(doorbell::HEAD) => {
                (self.own.in_input, self.own.reprinted) = (InInput::Nothing, true);
                Ok(Found::Receipt(Receipt::Echoed))
            }
            _ => Err(unconfirmed("its line is shown, but it is not known whether Enter was pressed")),
        }
    }

    /// Presses Enter behind a line that was typed before, if nobody has written on behind it.
    pub(super) async fn end_draft(&mut self, draft: &str, typed: &Typed) -> Result<Receipt, Failed> {
        self.own.in_input = InInput::of(typed);
        if !is_whole_line(draft, typed) && self.session.agent.is_plain() {
            return Err(not_delivered(TYPED_BEHIND));
        }
        let objection = self.may_enter(typed).await?;
        self.enter(typed, true, objection).await
    }
}
