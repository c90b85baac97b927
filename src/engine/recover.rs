//! Going on after the daemon was away: agents that are still there are taken up, the others are started.

use super::engine::{Work, agent_event};
use super::event::{AgentChange, Why};
use super::input::{Effect, FoundPane};
use super::life::{Move, Stage};
use super::state::Phase;
use super::words::AgentName;

impl Work<'_> {
    /// Compares what the journal says with the panes that are there.
    pub(super) fn recover(&mut self, found: &[FoundPane]) {
        let members: Vec<AgentName> = self.team.members.keys().cloned().collect();
        let known = self.state.agents.keys();
        let gone: Vec<AgentName> =
            known.filter(|name| !self.team.members.contains_key(*name)).cloned().collect();
        for name in gone {
            self.dismiss(&name);
        }
        for name in members {
            let nonce = self.state.agents.get(&name).and_then(|agent| agent.nonce);
            let pane = found.iter().find(|pane| pane.agent == name && Some(pane.nonce) == nonce);
            self.recover_agent(&name, pane);
        }
        for stranger in found {
            let nonce = self.state.agents.get(&stranger.agent).and_then(|agent| agent.nonce);
            if nonce != Some(stranger.nonce) {
                self.close(stranger.agent.clone(), stranger.nonce);
            }
        }
        self.strand();
        self.expire_all();
    }

    fn recover_agent(&mut self, name: &AgentName, pane: Option<&FoundPane>) {
        let Some(agent) = self.state.agents.get(name) else { return self.launch(name) };
        match (&agent.phase, pane.and_then(|pane| pane.process.map(|process| (pane.pane, process)))) {
            (Phase::Up { process, .. }, Some((_, alive))) if *process == alive => self.adopt(name),
            (Phase::Launching, Some((pane, process))) => {
                if let Some(nonce) = agent.nonce {
                    self.agent_up(name, nonce, pane, process);
                }
            }
            (Phase::Up { .. } | Phase::Launching, _) => {
                self.lose(name, "it was gone when the daemon came back");
                self.launch(name);
            }
            (Phase::Absent, _) => self.launch(name),
            (Phase::Restarting(_) | Phase::Stopped | Phase::Failed(_), _) => {
                if let Some(pane) = pane {
                    self.close(name.clone(), pane.nonce); // it was to be closed when the daemon ended
                }
            }
        }
    }

    /// It was found alive: its turn goes on. One that was being typed is in doubt until its pane was looked at.
    fn adopt(&mut self, name: &AgentName) {
        self.emit(agent_event(name, AgentChange::Adopted));
        self.live.greeted.insert(name.clone());
        let Some(id) = self.current_of(name) else { return };
        match self.state.open.get(&id).map(|open| open.stage) {
            Some(Stage::Intent(_)) => {
                let why = "the daemon ended between the intent and the receipt".to_owned();
                self.go(&id, Move::Doubt, Why::Text(why));
            }
            Some(Stage::Submitted(_) | Stage::Working(_)) => self.watch(&id),
            Some(Stage::Waiting(_)) if !self.has_parts(&id) => self.watch(&id),
            _ => {}
        }
    }

    fn close(&mut self, agent: AgentName, nonce: super::words::Nonce) {
        self.ask(Effect::Close { agent, nonce });
    }
}
