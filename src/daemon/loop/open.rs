//! The beginning: what goes on is taken up, and every view is owed.

use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::r#loop::hiring::Unmade;
use crate::daemon::panes::orders::{Adopted, Launched};
use crate::daemon::tmux::news::PanesFound;
use crate::engine::engine::Step;
use crate::engine::input::{Effect, Shown};
use crate::engine::state::Phase;
use crate::engine::words::{AgentName, Nonce};

impl Daemon {
    /// Takes up what goes on, owes every view, and begins to look for drops.
    pub(in crate::daemon) fn open(&mut self, found: &PanesFound, step: Step) {
        let unmade = self.adopt(found, &step.effects);
        self.take_step(step);
        self.tell_unmade(unmade);
        self.halt(self.config.workspace.stop_file().exists(), None);
        self.tell_zones();
        self.show_everything();
        self.show_daemon();
        self.mailbox.look();
        tracing::info!(open = self.engine.state().open.len(), "open for business");
    }

    /// Gives every agent that goes on its worker; those that cannot have one, as their launches cannot be made any more.
    #[must_use]
    pub(in crate::daemon) fn adopt(&mut self, found: &PanesFound, effects: &[Effect]) -> Vec<Unmade> {
        let launched: Vec<(AgentName, Nonce)> = effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Launch { agent, nonce } => Some((agent.clone(), *nonce)),
                _ => None,
            })
            .collect();
        let agents = self.engine.state().agents.iter();
        let up = agents.filter_map(|(name, agent)| match (&agent.phase, agent.nonce) {
            (Phase::Up { pane, process }, Some(nonce)) => Some((name.clone(), nonce, *pane, *process)),
            _ => None,
        });
        let mut unmade = Vec::new();
        for (agent, nonce, pane, process) in up.collect::<Vec<_>>() {
            let there = found.panes.iter().any(|found| found.agent == agent && found.nonce == nonce);
            let tty = found.terminals.get(&pane).filter(|_| there);
            if let (Some(tty), false) = (tty, launched.contains(&(agent.clone(), nonce))) {
                let need = self.engine.state().agents.get(&agent).and_then(|agent| agent.need());
                let asks = need.and_then(|need| need.asks.clone());
                let adopt = Some(Adopted { pane, process, tty: tty.clone(), asks });
                unmade.extend(self.launch(Launched { agent, nonce, adopt }));
            }
        }
        unmade
    }

    /// Owed views after a start: everything open and every agent; what ended in the newest segment, if it is missing
    /// and to be kept.
    pub(in crate::daemon) fn show_everything(&mut self) {
        let state = self.engine.state();
        let kept_since = self.timers.clock.now().0.saturating_sub(self.config.settings.general.retention_ms);
        for (id, _) in state.finished.iter().filter(|(_, finished)| finished.at.0 >= kept_since) {
            self.views.mark_missing(id.clone());
        }
        for id in state.open.keys() {
            self.views.mark(Shown::Open(id.clone()));
        }
        for id in state.flows.keys() {
            self.views.mark(Shown::Flow(id.clone()));
        }
        for name in self.engine.team().members.keys() {
            self.views.mark(Shown::Agent(name.clone()));
        }
        self.views.sweep();
    }
}
