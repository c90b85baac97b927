//! Going on after the daemon or the connection to tmux was away: agents that are still there are taken up, the others
//! are started.

use crate::engine::engine::{Work, agent_event};
use crate::engine::event::{AgentChange, Why};
use crate::engine::input::{Effect, FoundPane};
use crate::engine::life::Move;
use crate::engine::message::Outcome;
use crate::engine::state::Phase;
use crate::engine::team::reload::NOT_IN_FILE;
use crate::engine::words::{AgentName, Millis};

/// Who was away while nobody looked at the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Away {
    Daemon,
    Connection,
}

impl Away {
    /// It left while a turn was being typed.
    fn left(self) -> &'static str {
        match self {
            Self::Daemon => "the daemon ended between the intent and the receipt",
            Self::Connection => "the connection to tmux ended between the intent and the receipt",
        }
    }

    /// It came back, and an agent was gone.
    fn missed(self) -> &'static str {
        match self {
            Self::Daemon => "it ended with the last daemon, or while none was running",
            Self::Connection => "it was gone when the connection to tmux came back",
        }
    }
}

impl Work<'_> {
    /// Compares what the journal says with the panes that are there.
    pub(in crate::engine) fn recover(&mut self, found: &[FoundPane]) {
        self.give_way();
        self.merge();
        let known = self.state.agents.keys();
        let gone: Vec<AgentName> =
            known.filter(|name| !self.team.members.contains_key(*name)).cloned().collect();
        for name in gone {
            self.dismiss(&name);
        }
        self.hasten(); // first: whatever moves or is taken up says that it is there since now
        self.compare(found, Away::Daemon);
        self.strand(NOT_IN_FILE);
        self.expire_all();
    }

    /// What was put off by a clock that was far ahead, and was put right since, waits as long as it was put off, from now
    /// on. (A journal that is a little ahead is followed: then nothing here is later than now.)
    fn hasten(&mut self) {
        let postponed = self.state.open.values().filter(|open| open.since > self.now);
        let postponed = postponed.filter_map(|open| {
            let not_before = open.stage.not_before().filter(|not_before| *not_before > self.now)?;
            let wait_ms = not_before.since(open.since).max(1);
            Some((open.message.id.clone(), self.now.plus(wait_ms)))
        });
        for (id, not_before) in postponed.collect::<Vec<_>>() {
            let why = "it was delayed by a clock that was ahead".to_owned();
            self.go(&id, Move::Retry { not_before, redelivered: false }, Why::Text(why));
        }
    }

    /// Whether a restart is later than any is put off: a clock that was ahead has set it.
    fn is_too_late(&self, restart_at: Millis) -> bool {
        restart_at.since(self.now) > self.team.limits.restart_delay_ms_max.max(1)
    }

    /// The connection to tmux is gone; the agents, for all that is known, are not: nothing is asked of their panes until
    /// it is seen what became of them.
    pub(in crate::engine) fn tmux_cut(&mut self) {
        self.live.tmux_lost = true;
        self.settle_all_owed();
        let names: Vec<AgentName> = self.state.agents.keys().cloned().collect();
        for name in names {
            self.forget_live(&name);
        }
    }

    /// tmux is there again, with these panes: agents that live in them go on, the others are started.
    pub(in crate::engine) fn tmux_back(&mut self, found: &[FoundPane]) {
        self.tmux_cut(); // whoever was asked before is not there any more to answer
        self.live.tmux_lost = false;
        self.compare(found, Away::Connection);
        let due = |name: &&AgentName| match self.state.agents.get(*name).map(|agent| &agent.phase) {
            Some(Phase::Restarting { restart_at: at }) => *at <= self.now,
            _ => false,
        };
        let due: Vec<AgentName> = self.team.members.keys().filter(due).cloned().collect();
        for name in due {
            self.launch(&name);
        }
    }

    fn compare(&mut self, found: &[FoundPane], away: Away) {
        let members: Vec<AgentName> = self.team.members.keys().cloned().collect();
        for name in members {
            let nonce = self.state.agents.get(&name).and_then(|agent| agent.nonce);
            let pane = found.iter().find(|pane| pane.agent == name && Some(pane.nonce) == nonce);
            self.recover_agent(&name, pane, away);
        }
        for stranger in found {
            let nonce = self.state.agents.get(&stranger.agent).and_then(|agent| agent.nonce);
            if nonce != Some(stranger.nonce) {
                self.close(stranger.agent.clone(), stranger.nonce);
            }
        }
    }

    fn recover_agent(&mut self, name: &AgentName, pane: Option<&FoundPane>, away: Away) {
        let Some(agent) = self.state.agents.get(name) else { return self.launch(name) };
        match (&agent.phase, pane.and_then(|pane| pane.process.map(|process| (pane.pane, process)))) {
            (Phase::Up { process, .. }, Some((_, alive))) if *process == alive => {
                self.adopt(name, away);
            }
            (Phase::Launching, Some((pane, process))) => {
                if let Some(nonce) = agent.nonce {
                    self.agent_up(name, nonce, pane, process);
                }
            }
            (Phase::Up { .. } | Phase::Launching, _) => {
                self.lose(name, away.missed());
                self.launch(name);
            }
            (Phase::Absent, _) => self.launch(name),
            (Phase::Restarting { .. } | Phase::Stopped | Phase::Asleep | Phase::Failed { .. }, _) => {
                let asleep = agent.phase == Phase::Asleep;
                let late =
                    matches!(agent.phase, Phase::Restarting { restart_at: at } if self.is_too_late(at));
                if let Some(pane) = pane {
                    self.close(name.clone(), pane.nonce); // it was to be closed when the daemon ended
                }
                if late {
                    self.launch(name);
                }
                if asleep {
                    self.touch(name); // something may have come for it while nobody could start it
                }
            }
        }
    }

    /// It was found alive: its turn goes on. One that was being typed is in doubt until its pane was looked at.
    fn adopt(&mut self, name: &AgentName, away: Away) {
        self.emit(agent_event(name, AgentChange::Adopted));
        self.live.greeted.insert(name.clone());
        let Some(id) = self.current_of(name) else { return self.adopt_with_rest(name) };
        let Some(stage) = self.state.open.get(&id).map(|open| open.stage) else { return };
        if stage.is_intent() {
            self.go(&id, Move::Doubt, Why::Text(away.left().to_owned()));
        } else if stage.is_worked_on() || stage.is_waiting() && !self.has_parts(&id) {
            self.watch(&id);
        }
    }

    /// It was found alive and has no turn; the last one that it was given may go on, where that was called off or its time was up.
    fn adopt_with_rest(&mut self, name: &AgentName) {
        let Some(agent) = self.state.agents.get(name) else { return };
        let ended = agent.given.as_ref().and_then(|id| self.outcome(id));
        if ended.is_none_or(|outcome| outcome == Outcome::Completed) {
            return;
        }
        if let Some(nonce) = agent.nonce {
            self.live.busy.insert(name.clone());
            self.ask(Effect::Unwatch { agent: name.clone(), nonce, off: true });
        }
    }

    fn close(&mut self, agent: AgentName, nonce: crate::engine::words::Nonce) {
        self.ask(Effect::Close { agent, nonce });
    }
}
