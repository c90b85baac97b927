//! Effect → one call. Everything here happens after the step that asked for it is written.

use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::r#loop::hiring::Unmade;
use crate::daemon::panes::handle::{How, PendingTurn};
use crate::daemon::panes::orders::{Launched, Order, Typed};
use crate::daemon::tmux::keeper::Given;
use crate::daemon::views::worker::TurnBody;
use crate::engine::input::{Effect, Input, Report, Shown, Verdict};
use crate::engine::job::JobId;
use crate::engine::life::interrupted::Interrupted;
use crate::engine::life::{Stage, TurnKind};
use crate::engine::screen::doorbell::{self, Doorbell};
use crate::engine::team::Delivery;
use crate::engine::words::{AgentName, MessageId, Nonce};
use crate::wire::team_file::Launch;
use std::sync::Arc;

impl Daemon {
    /// Performs one effect.
    pub(in crate::daemon) fn perform(&mut self, effect: Effect) {
        match effect {
            // Before the end nothing is begun; the next start sees to it.
            Effect::Launch { .. } if self.ending.is_some() => {}
            Effect::Launch { agent, nonce } => {
                let unmade = self.launch(Launched { agent, nonce, adopt: None });
                self.tell_unmade(unmade);
            }
            Effect::Close { agent, nonce } => {
                if self.config.roster.trees.give_up(&agent, nonce) {
                    self.jobs.forget_job(&JobId::AgentTree { agent: agent.clone() });
                }
                if !self.panes.order(&agent, nonce, Order::Close) {
                    self.panes.tmux.close_stranger(&mut self.panes.tasks, agent, nonce);
                }
            }
            Effect::SeeOff { agent, nonce, process } => {
                let key = self.panes.key(&agent, nonce);
                self.panes.tmux.see_off(&mut self.panes.tasks, agent, process, key);
            }
            Effect::ProbeReadiness { agent, nonce, past } => {
                self.panes.order(&agent, nonce, Order::ProbeReadiness { past });
            }
            Effect::Interrupt { agent, nonce, id, turn } => self.interrupt(agent, nonce, id, turn),
            Effect::Unwatch { agent, nonce, off } => {
                self.panes.order(&agent, nonce, Order::Unwatch { off });
            }
            Effect::Deliver { agent, nonce, id, from, turn } => {
                self.show_turn(id, PendingTurn { agent, nonce, from, turn, how: How::Deliver });
            }
            Effect::ResolveDoubt { agent, nonce, id, from, turn } => {
                self.show_turn(id, PendingTurn { agent, nonce, from, turn, how: How::ResolveDoubt });
            }
            Effect::Watch { agent, nonce, id, from, turn } => {
                self.show_turn(id, PendingTurn { agent, nonce, from, turn, how: How::Watch });
            }
            Effect::Job { id, job } => self.jobs.put(id, job),
            Effect::DropJobs(message) => self.jobs.forget(&message),
            Effect::DropJob(id) => self.jobs.forget_job(&id),
            Effect::Forget(source) => self.mailbox.forget(source),
            Effect::Defer { source, places } => self.mailbox.defer(source, places, self.timers.clock.now()),
            Effect::Reject { source, from, refusal } => self.mailbox.reject(source, from, refusal),
            Effect::Answer { request, reply } => self.clients.answer(request, reply),
            Effect::Show(shown) => {
                if let Shown::Finished(id) = &shown {
                    self.panes.pending.remove(id);
                }
                if let Shown::Open(id) | Shown::Finished(id) = &shown {
                    self.clients.moved(&self.engine, &self.journal, id);
                }
                self.views.mark(shown);
            }
        }
    }

    /// Has a turn broken off; whoever called it off waits for what became of it.
    fn interrupt(&mut self, agent: AgentName, nonce: Nonce, id: MessageId, turn: u16) {
        let waited = self.panes.pending.remove(&id);
        if waited.is_some_and(|pending| pending.how == How::Deliver) {
            let report = Report::Interrupted { id, how: Interrupted::NotGiven };
            return self.step(Input::Report { agent, nonce, report });
        }
        if !self.panes.order(&agent, nonce, Order::Interrupt { id: id.clone(), turn }) {
            let why = "its pane cannot be reached right now".into();
            let report = Report::Interrupted { id, how: Interrupted::GoesOn { why } };
            self.step(Input::Report { agent, nonce, report });
        }
    }

    /// Starts the worker of a launch, in a new window or an adopted one.
    /// One that cannot be started, since its launch cannot be made, is given back.
    pub(in crate::daemon) fn launch(&mut self, launched: Launched) -> Option<Unmade> {
        if !self.is_newest(&launched) {
            return None; // it was given up while it waited to be written
        }
        let launch = match self.launch_of(&launched.agent)? {
            Ok(launch) => launch,
            Err(why) => return Some(Unmade { agent: launched.agent, nonce: launched.nonce, why }),
        };
        let launched = self.after_its_tree(launched, &launch)?;
        self.begin(launched, launch);
        None
    }

    /// Whether a launch is the last one of its agent.
    pub(super) fn is_newest(&self, launched: &Launched) -> bool {
        let newest = self.engine.state().agents.get(&launched.agent).and_then(|agent| agent.nonce);
        newest == Some(launched.nonce)
    }

    /// Starts the worker of a launch of which everything is there.
    pub(super) fn begin(&mut self, launched: Launched, launch: Arc<Launch>) {
        if launched.adopt.is_none() {
            self.views.launched(&launched.agent);
        }
        let orders = self.panes.admit(&launched);
        let key = self.panes.key(&launched.agent, launched.nonce);
        let member = self.engine.team().members.get(&launched.agent);
        let phrase = member.map(|member| member.phrase.clone()).unwrap_or_default();
        let (news, who) = (self.inbox.sender.clone(), (launched.agent.clone(), launched.nonce));
        let given = Given { launched, launch, key, phrase, orders, news };
        let task = self.panes.tmux.spawn_pane(&mut self.panes.tasks, given);
        self.panes.started(task, who);
    }

    /// A turn is typed once its view is written: its agent reads it there.
    fn show_turn(&mut self, id: MessageId, pending: PendingTurn) {
        self.panes.pending.insert(id.clone(), pending);
        self.views.mark_turn(id);
    }

    /// Views are written: types the turns that waited for them.
    pub(in crate::daemon) fn deliver_shown(&mut self, turns: Vec<TurnBody>) {
        for body in turns {
            let Some(pending) = self.panes.pending.remove(&body.id) else { continue };
            let stage = self.engine.state().open.get(&body.id).map(|open| open.stage);
            if stage.and_then(Stage::turn).is_none_or(|turn| turn.number != pending.turn.number) {
                continue; // it was called off meanwhile
            }
            if pending.how == How::Deliver && stage.is_some_and(Stage::is_in_doubt) {
                continue; // the connection was gone in between: its pane is looked at first
            }
            if let Err(why) = self.deliver(&body, &pending) {
                let verdict = Verdict::NotDelivered { why };
                self.delivery_failed(&body.id, &pending, verdict);
            }
        }
    }

    fn deliver(&mut self, body: &TurnBody, pending: &PendingTurn) -> Result<(), String> {
        let PendingTurn { agent, nonce, turn, how, .. } = pending;
        body.readable.clone()?;
        if self.ending.is_some() && *how == How::Deliver {
            let why = "the daemon is shutting down".to_owned();
            self.delivery_failed(&body.id, pending, Verdict::Withdrawn { why });
            return Ok(());
        }
        let fresh = *how == How::Deliver && !turn.redelivered;
        if let Some(token) = turn.token
            && fresh
            && body.content.contains(token.as_str())
        {
            let why = "the content contains the token; a new one is made".to_owned();
            self.delivery_failed(&body.id, pending, Verdict::Withdrawn { why });
            return Ok(());
        }
        let line = self.line(body, pending)?;
        let member = self.engine.team().members.get(agent);
        let phrase = member.map(|member| member.phrase.as_str()).unwrap_or_default().into();
        let since = self.engine.state().open.get(&body.id).and_then(|open| open.typed_at);
        let typed = Typed { id: body.id.clone(), turn: *turn, line, since, phrase, stood: 0, above: None };
        let order = match how {
            How::Deliver => Order::Deliver(typed),
            How::ResolveDoubt => Order::ResolveDoubt(typed),
            How::Watch => Order::Watch(typed),
        };
        if !self.panes.order(agent, *nonce, order) && *how == How::Deliver {
            return Err(format!("{agent} ended before it could be typed to"));
        }
        Ok(())
    }

    /// The line that is typed for a turn.
    fn line(&self, body: &TurnBody, pending: &PendingTurn) -> Result<Arc<str>, String> {
        let PendingTurn { agent, from, turn, .. } = pending;
        let inline = self.engine.team().members.get(agent).is_some_and(|m| m.delivery == Delivery::Inline);
        let launch = self.last_launch_of(agent);
        let path = launch.map(|launch| match turn.kind {
            TurnKind::Task => launch.first_path(&body.id),
            _ => launch.task_path(&body.id),
        });
        let path = path.unwrap_or_default();
        let bell = Doorbell { kind: turn.kind, id: &body.id, from, token: turn.token, path: &path };
        let line = if inline && turn.kind == TurnKind::Task {
            self.inline(&bell, &body.content)
        } else {
            bell.line(&self.config.settings.general.words).map_err(|error| error.to_string())
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

    fn delivery_failed(&mut self, id: &MessageId, pending: &PendingTurn, verdict: Verdict) {
        let report = Report::Delivery { id: id.clone(), turn: pending.turn.number, verdict };
        self.step(Input::Report { agent: pending.agent.clone(), nonce: pending.nonce, report });
    }
}
