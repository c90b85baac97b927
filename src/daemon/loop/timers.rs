//! What time brings: deadlines, statuses that are written again, and what has been kept long enough.

use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::views::worker::Item;
use crate::engine::input::{Input, Shown};
use crate::engine::words::Millis;

impl Daemon {
    pub(in crate::daemon) fn wake(&mut self) {
        let now = self.timers.clock.now();
        let wall = self.timers.look_at_the_wall();
        let is_late = self.engine.deadline().is_some_and(|at| at <= wall);
        if is_late || self.engine.wake_at().is_some_and(|at| at <= now) {
            self.time_is_up();
        }
        if self.views.daemon_at().is_some_and(|at| at <= now) {
            self.show_daemon();
        }
        self.views.wake(now);
        self.look_whether_it_stands_still(now);
        if self.timers.expires(now) {
            self.expire();
        }
        if self.timers.beats(now) {
            let agents = self.engine.state().agents.iter();
            for (name, _) in agents.filter(|(_, agent)| agent.current.is_some()) {
                self.views.mark(Shown::Agent(name.clone()));
            }
        }
    }

    pub(super) fn anyone_working(&self) -> bool {
        self.engine.state().agents.values().any(|agent| agent.current.is_some())
    }

    /// Time has come. A claim that came before it is no claim too late; it goes on waiting, for its parts may lie in `queue/`.
    pub(in crate::daemon) fn time_is_up(&mut self) {
        self.engine.spare(self.mailbox.claims.about(self.engine.state()));
        self.step(Input::Wake);
    }

    /// Removes what was finished longer ago than `retention`: results, finished messages, and the segments that no open
    /// message needs.
    pub(in crate::daemon) fn expire(&mut self) {
        let keep_ms = self.config.settings.general.retention_ms;
        let before = |now: Millis| Millis(now.0.saturating_sub(keep_ms));
        // The earlier of the two: a wall clock that is all wrong for a while removes nothing.
        let before_both = before(self.timers.clock.wall().min(self.timers.clock.now()));
        self.views.put(Item::Expire(before_both));
        self.owe_no_more(before_both);
        self.jobs.forget_records(self.engine.records(), before_both);
        if let Err(error) = crate::io::journal::make_reserve(&self.config.workspace.journal()) {
            tracing::warn!(%error, "no space is reserved for a full disk");
        }
        if self.engine.state().flows.values().any(|flow| flow.has_ended_before(before_both)) {
            self.step(Input::ForgetFlows(before_both));
        }
        self.trim(before(self.timers.clock.now()));
    }

    /// Removes the segments that were closed before this moment, but for those that open work points at, and what follows them.
    pub(in crate::daemon) fn trim(&mut self, before: Millis) {
        let needed = self.engine.needed_steps();
        let places = self.journal.places().iter().filter(|(seq, _)| needed.contains(seq));
        let keep_from = places.map(|(_, place)| place.segment).min().unwrap_or(u32::MAX);
        self.journal.trim(before, keep_from);
    }
}
