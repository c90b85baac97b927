//! Claims before what would take their tasks away (`daemon/claims/barrier.rs`).

use crate::daemon::health::notes::About;
use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::mailbox::room::Room;
use crate::daemon::tmux::news::PanesFound;
use crate::engine::input::Input;

impl Daemon {
    /// Takes what came from outside. A claim waits until the drop zones are swept, and what would take its task away comes
    /// after it; but not where that takes as long as something cannot be taken.
    pub(in crate::daemon) fn take_input(&mut self, input: Input) {
        if let Some(sweep) = self.waits_behind(&input) {
            return self.mailbox.claims.put(sweep, input);
        }
        self.let_go_before(&input);
        if self.mailbox.claims.holds(&input) {
            let sweep = self.mailbox.sweep();
            return self.mailbox.claims.put(sweep, input);
        }
        self.step(input);
    }

    /// The sweep after which the last claim goes on whose task this input would take away, where it waits for that.
    fn waits_behind(&self, input: &Input) -> Option<u64> {
        let waits = self.mailbox.claims.sweep_before(input, self.engine.state());
        waits.filter(|_| self.ending.is_none() && !self.health.notes.has(About::Untaken))
    }

    /// tmux is there again, with these panes: agents that live in them go on.
    pub(in crate::daemon) fn take_back(&mut self, found: PanesFound) {
        let back = Input::TmuxBack(found.panes.clone());
        if self.waits_behind(&back).is_some() {
            self.mailbox.claims.found = Some(found);
            return;
        }
        self.let_go_before(&back);
        let moment = self.timers.moment();
        let step = self.engine.step(moment, back);
        let unmade = self.adopt(&found, &step.effects);
        self.take_step(step);
        self.tell_unmade(unmade);
    }

    /// What was found is not there any more.
    pub(in crate::daemon) fn forget_found(&mut self) {
        self.mailbox.claims.found = None;
    }

    /// Takes what was found, if nothing goes before that any more.
    pub(super) fn take_found(&mut self) {
        if let Some(found) = self.mailbox.claims.found.take() {
            self.take_back(found);
        }
    }

    /// What was seen before counts.
    pub(in crate::daemon) fn let_go_before(&mut self, input: &Input) {
        for earlier in self.mailbox.claims.going_before(input, self.engine.state()) {
            self.step(earlier);
        }
    }

    /// How many more messages are taken. At the end only claims that wait have any taken: what lies in `queue/` is found at
    /// the next start.
    pub(in crate::daemon) fn room(&self) -> Room {
        if self.ending.is_some() && self.mailbox.claims.is_empty() {
            return Room::Shut;
        }
        let room = usize::try_from(self.engine.team().limits.open_max).unwrap_or(usize::MAX);
        if self.views.are_behind() {
            return Room::ForParts;
        }
        let kept = self.mailbox.places_kept(self.timers.clock.now()).min(room);
        match room.saturating_sub(self.engine.state().open.len()) {
            0 => Room::ForParts,
            room if room < kept => Room::ForParts,
            room => Room::For(room),
        }
    }

    /// At the end, claims whose sweeps were not done in time go on; where something lies untaken they are left to the next start,
    /// which finds them where they were found this time.
    pub(in crate::daemon) fn close_claims(&mut self) {
        if self.health.notes.has(About::Untaken) {
            self.mailbox.claims.clear();
        }
        self.swept(u64::MAX);
    }

    /// The drop zones were swept for these claims.
    pub(in crate::daemon) fn swept(&mut self, sweep: u64) {
        while let Some(input) = self.mailbox.claims.next(sweep) {
            self.step(input);
        }
        self.take_found();
        self.engine.spare(self.mailbox.claims.about(self.engine.state()));
        if self.engine.has_put_off() {
            self.step(Input::Wake);
        }
    }
}
