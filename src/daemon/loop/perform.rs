//! Effect → one call. Everything here happens after the step that asked for it is written.

use crate::daemon::health::About;
use crate::daemon::r#loop::run::Daemon;
use crate::daemon::panes::orders::{Launched, Order, Typed};
use crate::daemon::tmux::keeper::{Given, TmuxNews};
use crate::daemon::views::worker::{DaemonItem, Item, TurnBody};
use crate::engine::input::{Effect, Input, Report, Shown, Verdict};
use crate::engine::life::interrupt::Interrupted;
use crate::engine::life::{Stage, Turn, TurnKind};
use crate::engine::screen::doorbell;
use crate::engine::screen::doorbell::Doorbell;
use crate::engine::team::Delivery;
use crate::engine::words::{AgentName, MessageId, Millis, Nonce};
use crate::io::views::View;
use crate::wire::team_file::{Settings, SettingsError};
use std::sync::Arc;

/// A turn that waits for its message's view before it is typed.
#[derive(Debug)]
pub(in crate::daemon) struct Ringing {
    agent: AgentName,
    nonce: Nonce,
    from: AgentName,
    turn: Turn,
    how: How,
}

/// What the worker is to do with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Ring,
    Settle,
    Await,
}

impl Daemon {
    /// Performs one effect.
    pub(in crate::daemon) fn perform(&mut self, effect: Effect) {
        match effect {
            // Before the end nothing is begun; the next start sees to it.
            Effect::Launch { .. } if self.ending.is_some() => {}
            Effect::Launch { agent, nonce } => self.launch(Launched { agent, nonce, adopt: None }),
            Effect::Close { agent, nonce } => {
                if !self.panes.order(&agent, nonce, Order::Close) {
                    self.tmux.close_stranger(&mut self.pane_workers, agent, nonce);
                }
            }
            Effect::SeeOff { agent, nonce, process } => {
                let key = self.panes.key(&agent, nonce);
                self.tmux.see_off(&mut self.pane_workers, agent, process, key);
            }
            Effect::Seek { agent, nonce, past } => {
                self.panes.order(&agent, nonce, Order::Seek { past });
            }
            Effect::Interrupt { agent, nonce, id, turn } => self.interrupt(agent, nonce, id, turn),
            Effect::Unwatch { agent, nonce, off } => {
                self.panes.order(&agent, nonce, Order::Unwatch { off });
            }
            Effect::Ring { agent, nonce, id, from, turn } => {
                self.show_turn(id, Ringing { agent, nonce, from, turn, how: How::Ring });
            }
            Effect::Settle { agent, nonce, id, from, turn } => {
                self.show_turn(id, Ringing { agent, nonce, from, turn, how: How::Settle });
            }
            Effect::Await { agent, nonce, id, from, turn } => {
                self.show_turn(id, Ringing { agent, nonce, from, turn, how: How::Await });
            }
            Effect::Forget(source) => self.mail.forget(source),
            Effect::Defer { source, places } => self.mail.defer(source, places, self.clock.now()),
            Effect::Reject { source, from, refusal } => self.mail.reject(source, from, refusal),
            Effect::Answer { request, reply } => self.faces.answer(request, reply),
            Effect::Show(shown) => {
                if let Shown::Finished(id) = &shown {
                    self.ringing.remove(id);
                }
                if let Shown::Open(id) | Shown::Finished(id) = &shown {
                    self.faces.moved(&self.engine, &self.journal, id);
                }
                match &shown {
                    // Not accepted just now, but moved on.
                    Shown::Open(id) if !self.is_pending(id) => self.views.mark_often(shown),
                    Shown::Agent(_) => self.views.mark_often(shown),
                    _ => self.views.mark(shown),
                }
            }
        }
    }

    /// Has a turn broken off; whoever called it off waits for what became of it.
    fn interrupt(&mut self, agent: AgentName, nonce: Nonce, id: MessageId, turn: u16) {
        let waited = self.ringing.remove(&id);
        if waited.is_some_and(|ringing| ringing.how == How::Ring) {
            let report = Report::Interrupted { id, how: Interrupted::NotGiven };
            return self.step(Input::Report { agent, nonce, report });
        }
        if !self.panes.order(&agent, nonce, Order::Interrupt { id: id.clone(), turn }) {
            let why = "its pane cannot be reached right now".into();
            let report = Report::Interrupted { id, how: Interrupted::GoesOn { why } };
            self.step(Input::Report { agent, nonce, report });
        }
    }

    fn is_pending(&self, id: &MessageId) -> bool {
        self.engine.state().open.get(id).is_some_and(|open| matches!(open.stage, Stage::Queued { .. }))
    }

    /// Starts the worker of a launch, in a new window or an adopted one.
    pub(in crate::daemon) fn launch(&mut self, launched: Launched) {
        let newest = self.engine.state().agents.get(&launched.agent).and_then(|agent| agent.nonce);
        if newest != Some(launched.nonce) {
            return; // it was given up while it waited to be written
        }
        let Some(launch) = self.settings.launches.get(&launched.agent).cloned() else { return };
        if launched.adopt.is_none() {
            self.views.launched(&launched.agent);
        }
        let orders = self.panes.admit(&launched);
        let key = self.panes.key(&launched.agent, launched.nonce);
        let member = self.engine.team().members.get(&launched.agent);
        let phrase = member.map(|member| member.phrase.clone()).unwrap_or_default();
        let (news, who) = (self.news.clone(), (launched.agent.clone(), launched.nonce));
        let given = Given { launched, launch, key, phrase, orders, news };
        let task = self.tmux.spawn_pane(&mut self.pane_workers, given);
        self.panes.started(task, who);
    }

    /// A turn is typed once its view is written: its agent reads it there.
    fn show_turn(&mut self, id: MessageId, ringing: Ringing) {
        self.ringing.insert(id.clone(), ringing);
        self.views.mark_turn(id);
    }

    /// Views are written: types the turns that waited for them.
    pub(in crate::daemon) fn ring_shown(&mut self, turns: Vec<TurnBody>) {
        for body in turns {
            let Some(ringing) = self.ringing.remove(&body.id) else { continue };
            let stage = self.engine.state().open.get(&body.id).map(|open| open.stage);
            if stage.and_then(Stage::turn).is_none_or(|turn| turn.number != ringing.turn.number) {
                continue; // it was called off meanwhile
            }
            if ringing.how == How::Ring && matches!(stage, Some(Stage::InDoubt(_))) {
                continue; // the connection was gone in between: its pane is looked at first
            }
            if let Err(why) = self.ring(&body, &ringing) {
                let verdict = Verdict::NotDelivered { why };
                self.rung(&body.id, &ringing, verdict);
            }
        }
    }

    fn ring(&mut self, body: &TurnBody, ringing: &Ringing) -> Result<(), String> {
        let Ringing { agent, nonce, turn, how, .. } = ringing;
        body.readable.clone()?;
        if self.ending.is_some() && *how == How::Ring {
            let why = "the daemon is shutting down".to_owned();
            self.rung(&body.id, ringing, Verdict::Withdrawn { why });
            return Ok(());
        }
        let fresh = *how == How::Ring && !turn.redelivered;
        if let Some(token) = turn.token
            && fresh
            && body.content.contains(token.as_str())
        {
            let why = "the content contains the token; a new one is made".to_owned();
            self.rung(&body.id, ringing, Verdict::Withdrawn { why });
            return Ok(());
        }
        let line = self.line(body, ringing)?;
        let member = self.engine.team().members.get(agent);
        let phrase = member.map(|member| member.phrase.as_str()).unwrap_or_default().into();
        let since = self.engine.state().open.get(&body.id).and_then(|open| open.typed_at);
        let typed = Typed { id: body.id.clone(), turn: *turn, line, since, phrase, stood: 0 };
        let order = match how {
            How::Ring => Order::Ring(typed),
            How::Settle => Order::Settle(typed),
            How::Await => Order::Await(typed),
        };
        if !self.panes.order(agent, *nonce, order) && *how == How::Ring {
            return Err(format!("{agent} ended before it could be typed to"));
        }
        Ok(())
    }

    /// The line that is typed for a turn.
    fn line(&self, body: &TurnBody, ringing: &Ringing) -> Result<Arc<str>, String> {
        let Ringing { agent, from, turn, .. } = ringing;
        let inline = self.engine.team().members.get(agent).is_some_and(|m| m.delivery == Delivery::Inline);
        let launch = self.settings.launches.get(agent);
        let path = launch.map(|launch| match turn.kind {
            TurnKind::Task => launch.first_path(&body.id),
            _ => launch.task_path(&body.id),
        });
        let path = path.unwrap_or_default();
        let bell = Doorbell { kind: turn.kind, id: &body.id, from, token: turn.token, path: &path };
        let line = if inline && turn.kind == TurnKind::Task {
            self.inline(&bell, &body.content)
        } else {
            bell.line(&self.settings.general.words).map_err(|error| error.to_string())
        };
        line.map(Into::into)
    }

    /// The content itself, after the head where the turn has a token.
    fn inline(&self, bell: &Doorbell<'_>, content: &str) -> Result<String, String> {
        match bell.token {
            Some(_) => bell.inline(content).map_err(|error| error.to_string()),
            None => doorbell::inline_text(content).map(str::to_owned).map_err(|error| error.to_string()),
        }
    }

    fn rung(&mut self, id: &MessageId, ringing: &Ringing, verdict: Verdict) {
        let report = Report::Rung { id: id.clone(), turn: ringing.turn.number, verdict };
        self.step(Input::Report { agent: ringing.agent.clone(), nonce: ringing.nonce, report });
    }

    /// tmux came or went.
    pub(in crate::daemon) fn take_tmux(&mut self, news: TmuxNews) {
        match news {
            TmuxNews::Cut { why } => {
                tracing::warn!(why, "the connection to tmux ended; a new one is made, the agents go on");
                self.panes.forget_all();
                self.ringing.clear();
                self.forget_found();
                self.take_input(Input::TmuxCut);
            }
            TmuxNews::Lost { why } => {
                tracing::error!(why, "the tmux server is gone; it is started again");
                self.take_input(Input::TmuxLost { why });
            }
            TmuxNews::Back { tmux, found } => {
                tracing::info!(panes = found.panes.len(), "tmux is connected again");
                self.tmux.connected(tmux);
                self.take_back(found);
            }
        }
    }

    /// The team file was read again; a broken one changes nothing.
    pub(in crate::daemon) fn take_team(&mut self, read: Result<Settings, SettingsError>) {
        let now = self.clock.now();
        match read {
            Ok(settings) => {
                self.settings = Arc::new(settings);
                self.note(About::TeamFile, None);
                let later = self.tmux.set(&self.settings);
                let note =
                    |keys| format!("takes effect only after a restart (`tasuki down`, `tasuki up`): {keys}");
                self.note(About::Restart, (!later.is_empty()).then(|| note(later.join(", "))));
                self.tell_names();
                self.mail.low_disk(self.settings.general.low_disk_bytes);
                self.views.tell(now, None, "the team file was reloaded".to_owned());
                let team = Box::new(self.settings.team.clone());
                self.take_input(Input::Team(team));
            }
            Err(error) => {
                tracing::error!("the team file has an error; the previous settings stay in force:\n{error}");
                let text = format!(
                    "the team file has an error; the previous settings stay in force ({})",
                    error.shown()
                );
                self.views.tell(now, None, text.clone());
                self.note(About::TeamFile, Some(text));
            }
        }
    }

    /// The mailbox has to know which names a file's name may hold.
    pub(in crate::daemon) fn tell_names(&mut self) {
        self.mail.names(self.settings.team.names());
    }

    /// Views that somebody else changed are written again.
    pub(in crate::daemon) fn mend(&mut self, altered: Vec<View>, lost: bool) {
        if lost {
            self.show_everything();
            self.show_daemon();
        }
        for view in altered {
            match view {
                View::Active(_, id) => self.views.mark(Shown::Open(id)),
                View::Agent(name) => self.views.mark(Shown::Agent(name)),
                View::Daemon => self.show_daemon(),
            }
        }
    }

    /// Removes what was finished longer ago than `retention`: results, finished messages, and the segments that no open
    /// message needs.
    pub(in crate::daemon) fn expire(&mut self) {
        let keep_ms = self.settings.general.retention_ms;
        let before = |now: Millis| Millis(now.0.saturating_sub(keep_ms));
        // The earlier of the two: a wall clock that is all wrong for a while removes nothing.
        let before_both = before(self.clock.wall().min(self.clock.now()));
        self.views.put(Item::Expire(before_both));
        self.owe_no_more(before_both);
        if let Err(error) = crate::io::journal::make_reserve(&self.workspace.journal()) {
            tracing::warn!(%error, "no space is reserved for a full disk");
        }
        self.trim(before(self.clock.now()));
    }

    /// Removes the segments that were closed before this moment, but for those that open work points at, and what follows them.
    pub(in crate::daemon) fn trim(&mut self, before: Millis) {
        let needed = self.engine.needed_steps();
        let places = self.journal.places().iter().filter(|(seq, _)| needed.contains(seq));
        let keep_from = places.map(|(_, place)| place.segment).min().unwrap_or(u32::MAX);
        self.journal.trim(before, keep_from);
    }

    /// Says what does not work as it should, or that it works again.
    pub(in crate::daemon) fn note(&mut self, about: About, note: Option<String>) {
        self.daemon_is_old |= self.notes.set(about, note);
    }

    /// Says once that drops are left where they are, and once that they are taken again.
    pub(in crate::daemon) fn note_disk(&mut self, full: bool) {
        let note =
            "the disk is nearly full: drops stay in queue/ until there is room (`low_disk` in the team file)";
        let note = full.then(|| note.to_owned());
        if self.notes.set(About::Disk, note.clone()) {
            self.daemon_is_old = true;
            let text = note.unwrap_or_else(|| "the disk has room again: drops are taken".to_owned());
            self.views.tell(self.clock.now(), None, text);
        }
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
            None => (Some(std::process::id()), Some(self.socket.clone())),
            Some(_) => (None, None),
        };
        self.daemon_shown_at = self.clock.now();
        self.daemon_is_old = false;
        self.tell_status();
        self.views.put_daemon(Item::Daemon(Box::new(DaemonItem {
            pid,
            started_at: self.started_at,
            at: self.clock.wall(),
            socket,
            stopped_since,
            counts,
            notes: self.notes.list(),
        })));
    }

    /// Owed views after a start: everything open and every agent; what ended in the newest segment, if it is missing
    /// and to be kept.
    pub(in crate::daemon) fn show_everything(&mut self) {
        let state = self.engine.state();
        let kept_since = self.clock.now().0.saturating_sub(self.settings.general.retention_ms);
        for (id, _) in state.finished.iter().filter(|(_, finished)| finished.at.0 >= kept_since) {
            self.views.mark_missing(id.clone());
        }
        for id in state.open.keys() {
            self.views.mark(Shown::Open(id.clone()));
        }
        for name in self.engine.team().members.keys() {
            self.views.mark(Shown::Agent(name.clone()));
        }
        self.views.sweep();
    }
}
