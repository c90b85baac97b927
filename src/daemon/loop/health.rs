//! Whether all goes well: notes in `status/daemon.yaml`, agents and tasks that stand still, and the service manager.

use crate::daemon::health::notes::About;
use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::mailbox::room::Room;
use crate::daemon::views::worker::{DaemonItem, Item};
use crate::engine::words::Millis;
use crate::io::mux::MuxError;
use std::collections::BTreeSet;

impl Daemon {
    /// Says what does not work as it should, or that it works again.
    pub(in crate::daemon) fn note(&mut self, about: About, note: Option<String>) {
        self.views.daemon_is_old |= self.health.notes.set(about, note);
    }

    /// Says once that drops are left where they are, and once that they are taken again.
    pub(in crate::daemon) fn note_disk(&mut self, full: bool) {
        let note =
            "the disk is nearly full: drops stay in queue/ until there is room (`low_disk` in the team file)";
        let note = full.then(|| note.to_owned());
        if self.health.notes.set(About::Disk, note.clone()) {
            self.views.daemon_is_old = true;
            let text = note.unwrap_or_else(|| "the disk has room again: drops are taken".to_owned());
            self.views.tell(self.timers.clock.now(), None, text);
        }
    }

    /// Says in `status/daemon.yaml` that new messages wait for room.
    pub(in crate::daemon) fn note_room(&mut self, room: Room) {
        // On a full disk its own note says so.
        let waits = room.messages() == 0 && room != Room::Shut || self.mailbox.has_waiting();
        let waits = waits && !self.health.notes.has(About::Disk);
        if waits == self.health.notes.has(About::Room) {
            return;
        }
        let why = match self.views.are_behind() {
            true => "the views of many thousands of ended messages have not been written yet".to_owned(),
            false => format!("`max_open` allows {} open messages", self.engine.team().limits.open_max),
        };
        let note = format!("{why}: new ones wait until there is room");
        self.note(About::Room, waits.then_some(note));
    }

    /// Says that what an agent said waits for a drop that cannot be taken.
    pub(in crate::daemon) fn note_untaken(&mut self, why: Option<String>) {
        let note = why.map(|why| {
            format!("a task reported done is not closed until the files in queue/ have been taken: {why}")
        });
        if let Some(note) = note.clone().filter(|_| !self.health.notes.has(About::Untaken)) {
            self.views.tell(self.timers.clock.now(), None, note);
        }
        self.note(About::Untaken, note);
        if self.health.notes.has(About::Untaken) {
            // That may take for ever, and a person who calls a task off does not wait for it.
            while let Some(order) = self.mailbox.claims.take_order() {
                self.let_go_before(&order);
                self.step(order);
            }
            self.take_found();
        }
    }

    /// Looks whether anything will happen again, if it is time.
    pub(in crate::daemon) fn look_whether_it_stands_still(&mut self, now: Millis) {
        self.look_who_stands_still(now);
        if self.health.stall.look_at.is_none_or(|at| at > now) {
            return;
        }
        let why = self.engine.stalled();
        self.note(About::Stalled, why.clone());
        if let Some(why) = self.health.stall.found(now, why) {
            self.views.tell(now, None, why);
        }
    }

    /// Looks which agents stand still, if it is time: each is a note for as long as that lasts, and a line in the log.
    fn look_who_stands_still(&mut self, now: Millis) {
        if self.health.stall.agents_at.is_none_or(|at| at > now) {
            return;
        }
        self.health.stall.agents_at = self.engine.more_standing_at(now);
        let standing = self.engine.standing(now);
        let now_told: BTreeSet<u16> = standing.iter().map(|(at, _)| *at).collect();
        let before = std::mem::replace(&mut self.health.stall.agents, now_told.clone());
        for gone in before.difference(&now_told) {
            self.note(About::Stands(*gone), None);
        }
        for (at, text) in standing {
            if !before.contains(&at) {
                self.views.tell(now, None, text.clone());
            }
            self.note(About::Stands(at), Some(text));
        }
    }

    /// Has the manager told that we are alive, if it is so. The loop comes round, for it is here.
    pub(in crate::daemon) fn prove_alive(&mut self) {
        if self.health.heartbeat.has_stuck(self.journal.job()) {
            self.health.heartbeat.look_again_soon();
            return tracing::warn!(
                "the journal does not respond; the service manager's watchdog is not notified"
            );
        }
        if self.health.heartbeat.probes() {
            return;
        }
        // tmux is asked again at once: after one slow answer, the next beat would come as late as the manager's patience ends.
        let slow = |error: &MuxError| {
            tracing::warn!(%error, "the service manager's watchdog is not notified");
        };
        let answers = self.panes.tmux.answers(slow);
        self.health.heartbeat.probe(&mut self.inbox.tasks, answers);
    }

    /// Tells the manager's status line, if it has changed.
    pub(in crate::daemon) fn tell_status(&mut self) {
        if !self.health.heartbeat.is_heard() {
            return;
        }
        let state = self.engine.state();
        let (agents, open) = (self.engine.team().members.len(), state.open.len());
        let mut status =
            format!("{agents} {}, {open} {} open", plural(agents, "agent"), plural(open, "message"));
        if state.halted.is_some() {
            status.push_str("; stopped by queue/STOP");
        }
        if self.engine.is_tmux_lost() {
            status.push_str("; tmux is being started again");
        }
        self.health.heartbeat.tell(status);
    }

    /// `status/daemon.yaml` is out of date.
    pub(in crate::daemon) fn show_daemon(&mut self) {
        let state = self.engine.state();
        let stopped_since = state.halted;
        let counts = vec![
            ("agents", self.engine.team().members.len() as u64),
            ("open", state.open.len() as u64),
            ("refused", state.refused),
            ("flushes", self.journal.flushes),
        ];
        let (pid, socket) = match self.ending {
            None => (Some(std::process::id()), Some(self.config.socket.clone())),
            Some(_) => (None, None),
        };
        self.tell_status();
        let item = Item::Daemon(Box::new(DaemonItem {
            pid,
            started_at: self.config.started_at,
            at: self.timers.clock.wall(),
            socket,
            stopped_since,
            counts,
            notes: self.health.notes.list(),
        }));
        self.views.put_daemon(item, self.timers.clock.now());
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}
