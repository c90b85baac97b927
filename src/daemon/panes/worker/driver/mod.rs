//! The driver: takes an order, output or a look that is due, has the values do their step, and reports.

mod clear;
mod deliver;
mod end;
mod guards;
mod interrupt;
mod look;
mod people;
mod resolve;
mod send;

use super::agent::Agent;
use super::answer::{Answering, Answers};
use super::input_box::BoxTyping;
use super::line_input::LineTyping;
use super::looks::Looks;
use super::mask::Mask;
use super::needs::Needs;
use super::order_queue::OrderQueue;
use super::overview::Overview;
use super::own_line::OwnLine;
use super::program::Program;
use super::readiness::Readiness;
use super::record::Record;
use super::reporter::Reporter;
use super::screen_cache::ScreenCache;
use super::sending::{LinesTyping, Sending};
use super::session::{End, Session, answered};
use super::start::{Opened, Start};
use super::turn_end::TurnEnd;
use super::unsent::Unsent;
use super::unsent_watch::UnsentWatch;
use super::waiters::Waiter;
use super::work::Work;
use crate::daemon::panes::orders::{Order, Typed};
use crate::engine::input::Report;
use crate::io::mux::Printed;
use crate::io::process;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// The worker of one launch.
pub(super) struct Worker {
    session: Session,
    orders: OrderQueue,
    own: OwnLine,
    unsent: Unsent,
    work: Work,
    record: Record,
    needs: Needs,
    answers: Answers,
    readiness: Readiness,
    overview: Overview,
    waiters: Vec<Waiter>,
    /// Lines of people that wait until they may be typed.
    sendings: VecDeque<Sending>,
}

impl Worker {
    /// It knows nothing of its program yet.
    pub(super) fn new(start: Start, (pane, process, tty, (output, size), provision): Opened) -> Self {
        let Start { launched, launch, key, phrase, terms, launches, orders, news, frames, .. } = start;
        let now = Instant::now();
        let adopted = launched.adopt.is_some();
        let asked = launched.adopt.as_ref().and_then(|adopt| adopt.asks.clone());
        let looks = launch.profile.screen.is_some() || adopted;
        let reporter = Reporter::new(&launched, news);
        let mask = Mask::of(&launch, &key, process.pid, phrase);
        let session = Session {
            agent: Agent { launched, launch, launches, provision, mask },
            program: Program { process, tty, started: (!adopted).then_some(now) },
            pane,
            output,
            size,
            printed: now,
            cache: ScreenCache::default(),
            looks: Looks::new(looks.then_some(now), now),
            terms,
            reporter,
        };
        Self {
            session,
            orders: OrderQueue::new(orders),
            own: OwnLine::new(adopted),
            unsent: Unsent::default(),
            work: Work::default(),
            record: Record::default(),
            needs: Needs::of(asked),
            answers: Answers::default(),
            readiness: Readiness::new(adopted.then_some(now)),
            overview: Overview::new(frames),
            waiters: Vec::new(),
            sendings: VecDeque::new(),
        }
    }

    pub(super) async fn run(mut self) {
        self.record.find(&self.session.agent, &self.session.program);
        if !self.session.agent.is_adopted() {
            let (pane, process) = (self.session.pane.id(), self.session.program.process);
            self.session.report(Report::Started { pane, process }).await;
        } else if let Err(error) = self.unsent().recall().await {
            tracing::debug!(%error, "what an earlier daemon knew about a pane cannot be read");
        }
        if self.live().await == Ok(()) {
            self.ended().await;
        }
    }

    /// Until the program ends (`Ok`), or the worker has to.
    async fn live(&mut self) -> Result<(), End> {
        if self.session.agent.is_adopted() {
            self.go_on_breaking_off().await?;
        }
        let exit = process::wait_gone(self.session.program.process);
        tokio::pin!(exit);
        loop {
            if self.readiness.take_lost() {
                self.session.report(Report::Unready).await;
            }
            if let Some(order) = self.orders.ahead() {
                self.obey(Some(order)).await?;
                continue;
            }
            let now = self.session.now();
            let (look, listens) = (self.session.looks.next, self.session.looks.listens(now));
            tokio::select! {
                order = self.orders.next() => self.obey(order).await?,
                changed = self.session.output.changed(), if listens => {
                    changed.map_err(|_| End::Disconnected)?;
                    self.heard();
                }
                Ok(()) = self.session.size.changed() => self.resized(),
                Ok(()) = self.session.terms.changed() => self.session.look_at_once(),
                Ok(()) = self.session.agent.launches.changed() => self.follow(),
                () = &mut exit => return Ok(()),
                () = sleep_until(look, now) => self.look().await?,
            }
        }
    }

    async fn obey(&mut self, order: Option<Order>) -> Result<(), End> {
        if !matches!(order, None | Some(Order::Leave | Order::Close)) {
            self.catch_up()?;
        }
        if order.as_ref().is_some_and(Order::gives_a_turn) {
            self.session.reporter.turn_is_given();
        }
        match order {
            None | Some(Order::Leave) => return Err(End::Dismissed),
            Some(Order::Close) => {
                self.close().await;
                return Err(End::Dismissed);
            }
            Some(Order::ProbeReadiness { past }) => {
                let now = self.session.now();
                self.needs.past = past;
                self.readiness.probe(now);
                self.session.looks.restart(now);
            }
            Some(Order::Deliver(typed)) => self.deliver(typed).await?,
            Some(Order::ResolveDoubt(typed)) => {
                self.finds_size(&typed).await?;
                self.resolve(typed).await?;
                self.needs.forget_told();
            }
            Some(Order::Watch(typed)) => {
                self.finds_size(&typed).await?;
                self.watch_for(typed);
            }
            Some(Order::Unwatch { off }) => self.unwatch(off),
            Some(Order::Interrupt { id, turn }) => self.interrupt(id, turn).await?,
            Some(Order::PaneVerb(request, answer)) => {
                let types = request.may_type();
                self.pane_verb(request, answer).await?;
                if types {
                    self.probe_soon();
                }
            }
        }
        Ok(())
    }

    /// A turn was typed before: whether the pane's size has changed in it is asked of its window.
    async fn finds_size(&mut self, typed: &Typed) -> Result<(), End> {
        let resized = self.session.resized();
        let changed = answered(self.session.pane.may_be_resized_since(typed.since).await)?;
        self.work.resizing.typed_at(matches!(changed, Ok(false)).then_some(resized));
        Ok(())
    }

    /// Watches for the claim of a turn from now on; one that is there already counts.
    fn watch_for(&mut self, typed: Typed) {
        if !self.work.watch(typed, &self.session) {
            self.probe_soon();
        }
        self.session.looks.pace = self.session.first_pace();
        self.session.looks.next = Some(self.session.now() + self.session.looks.pace);
    }

    /// Goes by its profile as it is now.
    fn follow(&mut self) {
        if self.session.agent.follow() {
            self.record.find(&self.session.agent, &self.session.program);
        }
        self.probe_soon();
        self.needs.forget();
        self.overview.forget_kept();
        self.session.look_at_once();
    }

    /// Hears what was printed while nobody listened.
    fn catch_up(&mut self) -> Result<(), End> {
        self.session.looks.deaf_until = None;
        if self.session.output.has_changed().map_err(|_| End::Disconnected)? {
            self.heard();
        }
        Ok(())
    }

    /// The pane printed something.
    fn heard(&mut self) {
        let Printed { at, begun, .. } = *self.session.output.borrow_and_update();
        // Looks stay rare until it was silent for as long as they are apart at most: else each short pause in what it prints
        // would cost as many looks as its beginning. What was heard last says nothing of that: between two looks nobody listens.
        if begun > self.session.printed {
            self.session.looks.pace = self.session.first_pace();
        }
        self.session.printed = at;
        self.work.end = self.work.end.map(TurnEnd::again);
        self.unsent().heard(at);
        let quiet = self.session.agent.quiet();
        let ready_quiet = Duration::from_millis(self.session.agent.profile().ready_quiet_ms).max(quiet);
        if let Some(look_at) = self.readiness.heard(at + ready_quiet, self.is_idle()) {
            self.session.look_by(look_at);
        }
        if self.wants_looks() {
            // A claim counts after silence only.
            let is_waited_for = self.readiness.probed.is_some() || !self.waiters.is_empty();
            let first_look = if is_waited_for { self.session.first_pace() } else { quiet };
            let look_at = (self.session.looks.last + self.session.looks.pace).max(at + first_look);
            self.session.look_by(look_at);
            self.session.looks.deaf_until = Some(look_at);
        }
    }

    /// The pane's size has changed: what its program is about to clear is looked at before it does.
    fn resized(&mut self) {
        if self.work.awaited.is_some() && self.work.resizing.may_be_cleared() {
            self.session.look_at_once();
        }
    }

    /// Whether output is of any interest.
    fn wants_looks(&self) -> bool {
        let is_plain = self.session.agent.is_plain();
        let is_asked = self.readiness.probed.is_some() || !self.waiters.is_empty();
        !is_plain || self.work.busy.rests(is_plain) || self.work.awaited.is_some() || is_asked
    }

    /// Whether nobody waits for it and nothing is awaited of it.
    fn is_idle(&self) -> bool {
        self.work.awaited.is_none() && self.waiters.is_empty() && self.sendings.is_empty()
    }

    /// A turn of its agent's is over, or something else that had begun: whether it is free is looked at soon.
    fn probe_soon(&mut self) {
        let at = self.session.now() + self.session.agent.quiet();
        self.readiness.look_at(at);
        self.session.look_by(at);
    }

    fn unsent(&mut self) -> UnsentWatch<'_> {
        let Self { session, own, work, unsent, .. } = self;
        UnsentWatch { session, own, work, unsent }
    }

    fn on_line(&mut self) -> LineTyping<'_> {
        let Self { session, own, .. } = self;
        LineTyping { session, own }
    }

    fn in_box(&mut self) -> BoxTyping<'_> {
        let Self { session, own, record, orders, .. } = self;
        BoxTyping { session, own, record, orders }
    }

    fn answering(&mut self) -> Answering<'_> {
        let Self { session, needs, answers, .. } = self;
        Answering { session, needs, answers }
    }

    fn sending(&mut self) -> LinesTyping<'_> {
        let Self { session, own, work, unsent, needs, .. } = self;
        LinesTyping { watch: UnsentWatch { session, own, work, unsent }, needs }
    }
}

/// A moment that is here already is not waited for: a timer would round it up to the next millisecond.
async fn sleep_until(at: Option<Instant>, now: Instant) {
    match at {
        Some(at) if at <= now => {}
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
