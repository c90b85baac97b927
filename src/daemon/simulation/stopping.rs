//! People stop everything and let it go on, and the daemon ends in order.

use super::callers::Wish;
use super::state::{Now, Run};
use super::stop::Stop;
use super::wrong::Wrong;
use crate::io::fake::Machine;
use std::fs;

/// It is looked for once a second; nothing takes so long that is not due to chance.
const HONOURED_MS: u64 = 10_000;

/// No end takes so many pieces of work.
const PIECES_MAX: u32 = 3_000;

impl Run {
    /// Nobody lets everything stand still for long.
    pub(super) fn go_on_soon(&mut self) {
        if self.stop.wanted && self.chance.one_in(40) {
            self.stop_or_go();
        }
    }

    /// Somebody stops everything, or lets it go on.
    pub(super) fn stop_or_go(&mut self) {
        let is_there = self.is_stopped();
        let on = if self.chance.one_in(8) { is_there } else { !is_there };
        self.trace.meet(if on { "STOP made" } else { "STOP removed" });
        if self.chance.one_in(2) { self.ask_for_stop(on) } else { self.touch_stop(on) }
    }

    fn is_stopped(&self) -> bool {
        self.root.join("queue/STOP").exists()
    }

    fn ask_for_stop(&mut self, on: bool) {
        let touched_ms = Machine::with(|machine| machine.elapsed_ms);
        self.stop = Stop { told: None, wanted: on, touched_ms };
        self.call(Wish::Halt(on));
    }

    /// A person makes or removes it.
    pub(super) fn touch_stop(&mut self, on: bool) {
        let path = self.root.join("queue/STOP");
        let _ = if on { fs::write(path, "") } else { fs::remove_file(path) };
        let touched_ms = Machine::with(|machine| machine.elapsed_ms);
        self.stop = Stop { told: None, wanted: on, touched_ms };
        self.tell(if on { "STOP is made" } else { "STOP is removed" });
    }

    /// Nothing is typed once somebody was told that nothing will be, and the file is honoured soon.
    pub(super) fn check_stop(&mut self) -> Result<(), Wrong> {
        let typed = std::mem::take(&mut self.panes.typing);
        if let Some(typed) = typed.first().filter(|_| self.stop.told == Some(true)) {
            return Err(format!("typed after somebody was told that all is stopped: {}", typed.line));
        }
        let Now::Alive(life) = &self.now else { return Ok(()) };
        let now = Machine::with(|machine| machine.elapsed_ms);
        let has_looked = now > self.stop.touched_ms.max(life.since_ms) + HONOURED_MS && !life.is_to_look();
        let has_heard = life.daemon.inbox.receiver.is_empty() && life.daemon.clients.calls.is_empty();
        if has_looked && has_heard && life.daemon.panes.tmux.is_halted() != self.is_stopped() {
            return Err(format!(
                "queue/STOP exists: {}, and the panes are told otherwise",
                self.is_stopped()
            ));
        }
        Ok(())
    }

    /// The daemon was told to end, and does so; its panes go on, or end too.
    pub(super) fn close(&mut self) {
        let Now::Alive(life) = std::mem::replace(&mut self.now, Now::Dead(0, None)) else { return };
        let Some(runtime) = self.runtime.clone() else { return };
        self.tell(&format!("it ends: {:?}", life.daemon.ending));
        let mut closing = life.close();
        let luck = super::pane::Luck { calm: self.calm, halted: closing.halted };
        let mut pieces = 0;
        while !Machine::with(|machine| machine.faults.dead) && !closing.go_on(&runtime) {
            pieces += 1;
            if pieces > PIECES_MAX {
                self.panes.wrong.push("it was told to end, and does not".to_owned());
                break;
            }
            closing.work(self.chance.below(4));
            while let Ok(act) = closing.acts.try_recv() {
                self.panes.take(act);
            }
            for at in (0..self.panes.all.len()).rev() {
                self.panes.work(at, &mut self.chance, luck);
            }
            self.panes.leave_making();
            self.pass(1);
        }
        let dead = Machine::with(|machine| machine.faults.dead);
        let stops_agents = closing.stops_agents;
        let done = closing.finish();
        let now = Machine::with(|machine| machine.elapsed_ms);
        self.now = Now::Dead(now + self.chance.below(500), None);
        self.panes.desert();
        self.callers.hang_up();
        if dead {
            return; // what follows is a crash
        }
        self.trace.meet(if stops_agents { "ends with the agents" } else { "ends without the agents" });
        if stops_agents {
            self.panes.die(); // with the server
        }
        self.tell(&format!("it has ended: {done:?}"));
    }
}
