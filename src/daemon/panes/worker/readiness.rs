//! Readiness: what the loop knows of the agent's being free. Where something waits the loop probes, and hears each guard that is
//! closed; else the worker says by itself when the agent is free, and when that is not known any more, so that what comes is given at
//! once. Nobody waits for that: it is looked at behind a turn and once what was printed has stopped, ever less often, and a pane that
//! prints without end or is still costs nothing.

use crate::engine::input::Guard;
use std::time::Duration;
use tokio::time::Instant;

/// First wait between two unasked looks; twice as long each time until the next turn.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// Longest wait; where a guard is closed for so long it is looked at again only when the pane prints.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// A pane that merely prints is the rule while an agent starts; that is reported only if it lasts.
const PRINTS_FOR: Duration = Duration::from_secs(1);

/// What the loop knows of its agent's being free.
#[derive(Debug)]
pub(super) struct Readiness {
    /// Since when the loop wants to know whether the agent is ready.
    pub(super) probed: Option<Instant>,
    /// The guard that was reported last.
    guard: Option<Guard>,
    /// Since when the agent had been asked for when it was last found ready only because that was long ago: a program that prints
    /// without end is ready after a while, and stays so.
    pub(super) patient_since: Option<Instant>,
    unasked: Unasked,
}

/// What it was told unasked.
#[derive(Debug)]
struct Unasked {
    /// Whether it was told that the agent is free, and has not given it a turn since.
    told: bool,
    /// Whether it is to be told that this is not known any more.
    lost: bool,
    /// When it is looked at next; none until the pane prints, or is given a turn.
    at: Option<Instant>,
    /// When it was looked at last.
    looked: Option<Instant>,
    wait: Duration,
}

impl Unasked {
    const fn new(at: Option<Instant>) -> Self {
        Self { told: false, lost: false, at, looked: None, wait: FIRST_WAIT }
    }
}

/// Whether it is time for an unasked look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Never,
    Later(Instant),
    Now,
}

impl Readiness {
    /// Nothing was told; it is looked at from this moment on, if that is given.
    pub(super) const fn new(at: Option<Instant>) -> Self {
        Self { probed: None, guard: None, patient_since: None, unasked: Unasked::new(at) }
    }

    /// Something waits for the agent: from now on the loop wants to know whether it is ready, and why not.
    pub(super) fn probe(&mut self, now: Instant) {
        self.probed = Some(now);
        self.void();
        self.guard = None;
    }

    /// The probe ends: every guard is open. `patience` is after how long a program that prints without end counts as ready.
    pub(super) fn found_free(&mut self, since: Instant, patience: Duration, now: Instant) {
        (self.probed, self.guard) = (None, None);
        self.patient_since = (now.duration_since(since) >= patience).then_some(since);
        self.unasked = Unasked { told: true, looked: Some(now), ..Unasked::new(None) };
    }

    /// A guard is closed for the probe that began at `since`; whether that is to be reported.
    pub(super) fn found_closed(&mut self, guard: Guard, since: Instant, now: Instant) -> bool {
        let told = guard != Guard::Busy || now.duration_since(since) > PRINTS_FOR;
        told && self.guard.replace(guard) != Some(guard)
    }

    /// A turn of its agent's is over, or something else that had begun: whether it is free is looked at soon.
    pub(super) fn look_at(&mut self, at: Instant) {
        self.lose();
        (self.unasked.wait, self.unasked.at) = (FIRST_WAIT, Some(at));
    }

    /// The loop has given it a turn, knows that something is in the way, or waits to be told: what was said before is void.
    pub(super) fn void(&mut self) {
        self.unasked = Unasked { looked: self.unasked.looked, ..Unasked::new(None) };
    }

    /// What the loop was told may not be so any more.
    fn lose(&mut self) {
        self.unasked.lost |= std::mem::take(&mut self.unasked.told);
    }

    /// Whether the loop is to be told so.
    pub(super) fn take_lost(&mut self) -> bool {
        std::mem::take(&mut self.unasked.lost)
    }

    /// The pane printed something, and is to be still from `still_at` on. `idle` is whether nobody waits for it and nothing is awaited
    /// of it. When to look at it, if at all.
    pub(super) fn heard(&mut self, still_at: Instant, idle: bool) -> Option<Instant> {
        self.lose();
        if self.unasked.at.is_some() || !self.may_look(idle) {
            return None;
        }
        let rested = self.unasked.looked.map(|looked| looked + self.unasked.wait);
        self.unasked.at = Some(rested.map_or(still_at, |rested| rested.max(still_at)));
        self.unasked.at
    }

    fn may_look(&self, idle: bool) -> bool {
        self.probed.is_none() && idle && !self.unasked.told
    }

    pub(super) fn due(&self, now: Instant, idle: bool) -> Due {
        match self.unasked.at.filter(|_| self.may_look(idle)) {
            None => Due::Never,
            Some(at) if now < at => Due::Later(at),
            Some(_) => Due::Now,
        }
    }

    /// It was looked at `at`: every guard was open, or one was closed that is to be tried `again`. When to look next, if at all.
    pub(super) fn looked(&mut self, at: Instant, again: Option<Instant>) -> Option<Instant> {
        let wait = self.unasked.wait;
        (self.unasked.looked, self.unasked.wait) = (Some(at), (wait * 2).min(LONGEST_WAIT));
        match again {
            None => (self.unasked.told, self.patient_since) = (true, None),
            Some(again) if wait < LONGEST_WAIT => {
                self.unasked.at = Some(again.max(at + wait));
                return self.unasked.at;
            }
            Some(_) => {}
        }
        self.unasked.at = None;
        None
    }
}
