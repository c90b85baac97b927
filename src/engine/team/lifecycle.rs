//! Looking after agents: started, adopted, dead, started again, given up; and the tmux server under them.

use crate::engine::engine::{Work, agent_event};
use crate::engine::event::AgentChange;
use crate::engine::flow::cause::FailureCause;
use crate::engine::input::Effect;
use crate::engine::life::deliver::Hands;
use crate::engine::message::OnDoubt;
use crate::engine::state::Phase;
use crate::engine::team::Restart;
use crate::engine::words::{AgentName, MessageId, Millis, Nonce, PaneId, ProcessKey};

/// Why what an agent worked on is put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum PutBack {
    /// It was stopped, or daemon or tmux died: nothing is counted against it.
    Stopped,
    /// It ended, and is started again.
    Ended,
    /// It ended, and is not to come back.
    Gone,
    /// The same, since it ended too often, or could not be started.
    GivenUp(FailureCause),
}

impl Work<'_> {
    /// Starts an agent in a window of its own; while there is no tmux server it is owed that.
    pub(in crate::engine) fn launch(&mut self, name: &AgentName) {
        self.launch_for(name, None);
    }

    /// The same, and who asked for it.
    pub(in crate::engine) fn launch_for(&mut self, name: &AgentName, by: Option<AgentName>) {
        let Some(launch) = self.team.members.get(name).map(|member| member.launch) else { return };
        self.forget_live(name);
        if self.live.tmux_lost {
            let why = "there is no tmux server; one will be started with it".to_owned();
            return self.emit(agent_event(name, AgentChange::Lost { why, spared: false }));
        }
        let nonce = Nonce(self.random());
        self.emit(agent_event(name, AgentChange::Launching { nonce, launch, by }));
        self.ask(Effect::Launch { agent: name.clone(), nonce });
    }

    /// Its window is there.
    pub(in crate::engine) fn agent_up(
        &mut self,
        name: &AgentName,
        nonce: Nonce,
        pane: PaneId,
        process: ProcessKey,
    ) {
        self.emit(agent_event(name, AgentChange::Up { nonce, pane, process }));
    }

    /// It ended: its turn is tried again, and it is started again as its policy says.
    pub(in crate::engine) fn agent_down(&mut self, name: &AgentName, how: &str, clean: bool) {
        self.ended(name, how, clean, false);
    }

    /// It could not be started: it is tried again as if it had ended.
    pub(in crate::engine) fn not_started(&mut self, name: &AgentName, why: &str) {
        self.ended(name, &format!("could not be started: {why}"), false, true);
    }

    fn ended(&mut self, name: &AgentName, how: &str, clean: bool, unstarted: bool) {
        let Some(agent) = self.state.agents.get(name) else { return };
        if !matches!(agent.phase, Phase::Launching | Phase::Up { .. }) {
            return;
        }
        let had_work = agent.current.is_some();
        let nonce = agent.nonce;
        let restart = self.team.members.get(name).map(|member| member.restart);
        // Each such end has brought a message to its end: that cannot go on for ever, and is not counted.
        let well = clean && !had_work && self.live.served.contains(name);
        let again = match restart {
            Some(Restart::Always) => !well,
            Some(Restart::OnFailure) => !clean || had_work || (!well && self.next_turn(name).is_some()),
            Some(Restart::Never) | None => false,
        };
        let restart_at = if again { self.restart_at(name) } else { None };
        let for_step = self.is_for_step(name);
        let why = match (again, restart_at) {
            (true, None) if for_step => format!("{how}; it ended too often and is not started again"),
            (true, None) => {
                format!("{how}; it ended too often and is not started again: `tasuki agent start {name}`")
            }
            _ => how.to_owned(),
        };
        let ended_well = !again && clean;
        let asleep = ended_well && matches!(restart, Some(Restart::Always | Restart::OnFailure));
        // Nobody wants an end of one that was hired for a task which is not done.
        let wanted = ended_well && (asleep || !for_step);
        self.forget_live(name);
        let end = match restart_at {
            Some(_) => PutBack::Ended,
            None if unstarted => PutBack::GivenUp(FailureCause::Tmux),
            None => PutBack::GivenUp(FailureCause::Crashed),
        };
        self.put_back(name, &why, end);
        if for_step && restart_at.is_none() && !asleep {
            return self.give_up(name, (&why, nonce), unstarted);
        }
        self.emit(agent_event(name, AgentChange::Down { why, restart_at, wanted, asleep, unstarted }));
        if let Some(nonce) = nonce {
            self.ask(Effect::Close { agent: name.clone(), nonce });
        }
        if asleep && restart == Some(Restart::Always) {
            self.launch(name);
        }
    }

    /// It ended well a while ago: it is started if there is something for it.
    pub(in crate::engine) fn wake_agent(&mut self, name: &AgentName) {
        let restart = self.team.members.get(name).map(|member| member.restart);
        let wants = match restart {
            Some(Restart::Always) => true,
            Some(Restart::OnFailure) => self.next_turn(name).is_some(),
            Some(Restart::Never) | None => false,
        };
        if wants {
            self.launch(name);
        }
    }

    /// It is gone without a word (daemon or tmux died): its turn is tried again, and nothing is counted against it.
    pub(in crate::engine) fn lose(&mut self, name: &AgentName, why: &str) {
        self.see_off(name);
        self.forget_live(name);
        self.put_back(name, why, PutBack::Stopped);
        self.emit(agent_event(name, AgentChange::Lost { why: why.to_owned(), spared: false }));
    }

    /// Its window is gone: a program that lives on without it would work beside the next one.
    pub(in crate::engine) fn see_off(&mut self, name: &AgentName) {
        let Some(agent) = self.state.agents.get(name) else { return };
        if let (Phase::Up { process, .. }, Some(nonce)) = (&agent.phase, agent.nonce) {
            let process = *process;
            self.ask(Effect::SeeOff { agent: name.clone(), nonce, process });
        }
    }

    /// A member of the team file is no member any more.
    pub(in crate::engine) fn dismiss(&mut self, name: &AgentName) {
        self.remove(name, ("it is no longer in the team file", PutBack::Gone), None);
    }

    /// A member is no member any more: why, whether somebody of that name comes after it, and who wanted it so.
    pub(in crate::engine) fn remove(
        &mut self,
        name: &AgentName,
        (why, end): (&str, PutBack),
        by: Option<AgentName>,
    ) {
        self.forget_live(name);
        let nonce = self.state.agents.get(name).and_then(|agent| agent.nonce);
        self.put_back(name, why, end);
        self.emit(agent_event(name, AgentChange::Removed { by }));
        if let Some(nonce) = nonce {
            self.ask(Effect::Close { agent: name.clone(), nonce });
        }
    }

    /// What it worked on goes back to the queue, or ends if nobody will be there to do it.
    pub(in crate::engine) fn put_back(&mut self, name: &AgentName, why: &str, end: PutBack) {
        let Some(id) = self.current_of(name) else { return };
        // Its claim stands, whatever becomes of its agent while it is checked.
        if !self.state.claimed.contains(&id) {
            self.put_back_of(&id, name, why, end);
        }
    }

    /// What an agent worked on goes back to the queue, or ends if nobody will be there to do it.
    pub(in crate::engine) fn put_back_of(
        &mut self,
        id: &MessageId,
        name: &AgentName,
        why: &str,
        end: PutBack,
    ) {
        let Some(open) = self.state.open.get(id) else { return };
        let why = format!("{name} ended while the message was {}: {why}", open.stage.word());
        let pooled = self.team.pools.contains_key(&open.message.to);
        let queued = open.stage.is_queued();
        let (for_good, cause) = match end {
            PutBack::Stopped | PutBack::Ended => (false, None),
            PutBack::Gone => (true, None),
            PutBack::GivenUp(cause) => (true, Some(cause)),
        };
        let hands = if for_good { Hands::Gone } else { Hands::Ended };
        match open.message.on_doubt {
            _ if for_good && !pooled => self.fail_by(id, &why, cause),
            _ if queued && !for_good => {}
            OnDoubt::Hold if !queued => self.hold(id, &why),
            // It goes on with what it had begun before anything else.
            _ if end == PutBack::Stopped => self.retry_from(id, &why, Millis(0), true, hands),
            _ => self.retry(id, &why, true, hands),
        }
    }

    /// When it may be started again; none if it ended too often. At least a millisecond from now, so that the moment is
    /// still to come.
    fn restart_at(&self, name: &AgentName) -> Option<Millis> {
        let limits = &self.team.limits;
        let agent = self.state.agents.get(name)?;
        let window = limits.restart_window_ms;
        // One that is still to come was counted by a clock that was ahead.
        let recent = |at: &&Millis| **at <= self.now && self.now.since(**at) < window;
        let recent = agent.restarts.iter().filter(recent).count();
        if recent >= usize::from(limits.restarts_max) {
            return None;
        }
        let doubled = limits.restart_delay_ms.saturating_mul(1 << recent.min(16));
        Some(self.now.plus(doubled.min(limits.restart_delay_ms_max).max(1)))
    }

    /// Its restart is due.
    pub(in crate::engine) fn agent_due(&mut self, name: &AgentName) {
        let due = match self.state.agents.get(name).map(|agent| &agent.phase) {
            Some(Phase::Restarting { restart_at: at }) => *at <= self.now,
            _ => false,
        };
        if due && !self.live.tmux_lost {
            return self.launch(name);
        }
        self.need_due(name);
    }

    /// Stops an agent because a person wants it stopped.
    pub(in crate::engine) fn stop_agent(&mut self, name: &AgentName, why: &str) {
        let Some(agent) = self.state.agents.get(name) else { return };
        let (nonce, up) = (agent.nonce, matches!(agent.phase, Phase::Up { .. } | Phase::Launching));
        self.forget_live(name);
        if up {
            self.put_back(name, why, PutBack::Stopped);
        }
        let change = AgentChange::Down {
            why: why.to_owned(),
            restart_at: None,
            wanted: true,
            asleep: false,
            unstarted: false,
        };
        self.emit(agent_event(name, change));
        if let (true, Some(nonce)) = (up, nonce) {
            self.ask(Effect::Close { agent: name.clone(), nonce });
        }
    }

    /// Stops an agent and starts it.
    pub(in crate::engine) fn start_anew(&mut self, name: &AgentName, why: &str) {
        self.stop_agent(name, why);
        self.launch(name);
    }

    pub(in crate::engine) fn forget_live(&mut self, name: &AgentName) {
        self.live.seeking.remove(name);
        self.live.free.remove(name);
        self.live.settling.remove(name);
        self.live.greeted.remove(name);
        self.live.served.remove(name);
        self.live.guards.remove(name);
        self.live.busy.remove(name);
        self.settle_owed(name);
        self.live.unsent.remove(name);
    }

    /// The message that an agent works on.
    pub(in crate::engine) fn current_of(&self, name: &AgentName) -> Option<MessageId> {
        self.state.agents.get(name).and_then(|agent| agent.current.clone())
    }
}
