//! The loop: wait → step → journal → perform. It owns the engine; every other thread and task only sends it news.
//!
//! The loop never waits for a worker: each has a handle, and gets its next batch when it has said that the last one is done.

use crate::daemon::clients::request::CALLS_MAX;
use crate::daemon::ending::{Broken, Ending};
use crate::daemon::journal::handle::ThreadGone;
use crate::daemon::journal::rotation::RotationStage;
use crate::daemon::r#loop::daemon::Daemon;
use crate::engine::engine::Step;
use crate::engine::event::Event;
use crate::engine::history;
use crate::engine::input::{Effect, Input};
use crate::engine::words::{AgentName, Millis};
use std::time::Duration;
use tokio::sync::mpsc;

/// News taken in before the workers get their next batches: about what one flush takes to write.
const NEWS_PER_TURN: usize = 512;

impl Daemon {
    /// Runs until told to end.
    ///
    /// # Errors
    /// [`Broken`] if the daemon has to start anew.
    pub async fn run(&mut self, signals: &mut mpsc::Receiver<Ending>) -> Result<Ending, Broken> {
        loop {
            if let Some(ending) = self.ending {
                return Ok(ending);
            }
            let wake = self.sleep();
            let room = self.journal.has_room() && self.journal.rotation.stage == RotationStage::No;
            // A step now would take the number that the snapshot under way has, or be newer than the views on the disk.
            let still = self.journal.rotation.stage.is_making_snapshot();
            tokio::select! {
                Some(news) = self.inbox.receiver.recv(), if room => self.hear(news),
                written = self.journal.answers.recv() => self.written(written.ok_or(ThreadGone("journal"))?)?,
                shown = self.views.answers.recv() => self.shown(shown.ok_or(ThreadGone("views"))?),
                _ = &mut self.mailbox.alive => return Err(ThreadGone("mailbox").into()),
                Some(call) = self.clients.calls.recv(), if room => self.call(call),
                Some(ended) = self.panes.tasks.join_next_with_id() => self.pane_worker_ended(ended),
                Some(ended) = self.inbox.tasks.join_next() => ended.map(drop).map_err(Broken::Task)?, // it was told to, or it has said why itself
                Some(ending) = signals.recv() => self.ending = Some(ending),
                () = wake, if !still => self.wake(),
                () = self.health.heartbeat.heartbeat() => self.prove_alive(),
            }
            self.hear_more();
            self.hand_out()?;
        }
    }

    /// Takes what else has come, so that one flush carries it all.
    pub(in crate::daemon) fn hear_more(&mut self) {
        if self.ending.is_some() {
            self.engine.forget_free();
        }
        for _ in 0..NEWS_PER_TURN {
            if self.journal.rotation.stage != RotationStage::No || !self.journal.has_room() {
                return;
            }
            match self.inbox.receiver.try_recv() {
                Ok(news) => self.hear(news),
                Err(_) => break,
            }
        }
        for _ in 0..CALLS_MAX {
            let Ok(call) = self.clients.calls.try_recv() else { break };
            self.call(call);
        }
    }

    /// Gives every worker that is free its next batch.
    pub(in crate::daemon) fn hand_out(&mut self) -> Result<(), Broken> {
        self.journal.submit()?;
        let room = self.room();
        self.note_room(room);
        self.mailbox.submit(room);
        if self.ending.is_none() && self.engine.state().halted.is_none() {
            let (jobs, config) = (&mut self.jobs, &self.config);
            let launch =
                |name: &AgentName| config.settings.launches.get(name).or_else(|| config.roster.last(name));
            let cwd = |name: &AgentName| launch(name).map(|launch| launch.cwd.clone());
            jobs.submit(&config.settings, cwd, |text| self.journal.place(text));
        }
        let now = self.timers.clock.now();
        self.clients.publish(self.engine.is_tmux_lost(), self.health.notes.news());
        self.views.set_rotating(self.journal.rotation.stage != RotationStage::No);
        self.views.submit(&self.engine, &self.journal, now)?;
        self.rotate_segment()
    }

    fn sleep(&self) -> impl Future<Output = ()> + use<> {
        let wait = self.wake_at().map(|at| Duration::from_millis(at.since(self.timers.clock.now())));
        async move {
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        }
    }

    /// When there is something to do though nothing comes.
    pub(in crate::daemon) fn wake_at(&self) -> Option<Millis> {
        let wake = [self.engine.wake_at(), self.timers.deadline_look_at(self.engine.deadline())]
            .into_iter()
            .flatten()
            .min();
        let beat = self.anyone_working().then_some(self.timers.beat_at);
        let daemon = self.views.daemon_at();
        let rotation = self.journal.rotate_again_at(self.timers.clock.now());
        let others =
            [self.views.again_at(), rotation, Some(self.timers.expire_at), self.health.stall.look_at()];
        let mail = self.mailbox.again_at(self.timers.clock.now());
        [wake, beat, daemon, mail].into_iter().chain(others).flatten().min()
    }

    /// One input through the engine; its effects are performed once its events are written.
    pub(in crate::daemon) fn step(&mut self, input: Input) {
        if self.journal.rotation.stage.is_making_snapshot() {
            return self.journal.rotation.held_back.push_back(input);
        }
        let moment = self.timers.moment();
        let step = self.engine.step(moment, input);
        self.take_step(step);
    }

    /// Records what a step brought.
    pub(in crate::daemon) fn take_step(&mut self, step: Step) {
        for fault in &step.faults {
            tracing::error!(%fault, "an impossible move: please report this");
        }
        for warning in &step.warnings {
            tracing::warn!("{warning}");
            self.views.tell(step.at, None, warning.clone());
        }
        step.events.iter().for_each(trace_flow);
        let tell = |event| Some((step.at, history::tell_last(event, self.engine.state())?));
        let told = step.events.iter().filter_map(tell).collect();
        self.views.daemon_is_old |= !step.events.is_empty();
        self.health.stall.stir(step.at, !step.events.is_empty(), !self.engine.state().open.is_empty());
        let is_roster = step.events.iter().any(Event::changes_roster);
        if step.events.is_empty() {
            self.perform_all(step.effects);
        } else {
            self.views.keep(step.seq, &step.events);
            self.journal.put(step, told);
        }
        if is_roster {
            self.roster_changed();
        }
    }

    /// Performs effects whose steps are written, in their order.
    pub(in crate::daemon) fn perform_all(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.perform(effect);
        }
    }

    /// `queue/STOP` is there, or not; `by` asked for it.
    pub(in crate::daemon) fn halt(&mut self, on: bool, by: Option<AgentName>) {
        self.panes.tmux.halt(on);
        if on != self.engine.state().halted.is_some() {
            self.step(Input::Halt(on, by));
        }
    }
}

/// Logs each move of a flow for whoever looks for a fault, without its texts: `TASUKI_LOG=tasuki::flow=debug`.
fn trace_flow(event: &Event) {
    match event {
        Event::FlowOpened { head, .. } => tracing::debug!(target: "tasuki::flow", flow = %head.id, "opened"),
        Event::StepMoved { flow, step, to, message, why, .. } => {
            tracing::debug!(target: "tasuki::flow", %flow, %step, ?to, ?message, ?why, "step");
        }
        Event::TreeMoved { flow, tree, to, path, why, .. } => {
            tracing::debug!(target: "tasuki::flow", %flow, %tree, ?to, ?path, ?why, "worktree");
        }
        Event::FlowMoved { flow, to, why } => {
            tracing::debug!(target: "tasuki::flow", %flow, ?to, ?why, "flow")
        }
        _ => {}
    }
}
