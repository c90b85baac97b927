//! Agents that are hired and dismissed: what has to be known outside of the engine.

use crate::daemon::clients::request::Response;
use crate::daemon::health::notes::About;
use crate::daemon::r#loop::daemon::Daemon;
use crate::engine::input::{Input, Reply, Report};
use crate::engine::team::power::Power;
use crate::engine::team::roster::Hire;
use crate::engine::words::{AgentName, Nonce};
use crate::wire::team_file::{Launch, NoLaunch, Settings};
use std::sync::Arc;

/// An agent whose launch cannot be made, and why.
pub(in crate::daemon) struct Unmade {
    pub(in crate::daemon) agent: AgentName,
    pub(in crate::daemon) nonce: Nonce,
    pub(in crate::daemon) why: String,
}

impl Daemon {
    /// Whether an agent can be made as it is wanted; the wish, with what is odd about it.
    pub(in crate::daemon) fn check_hire(
        &self,
        by: Option<&AgentName>,
        wanted: Box<Hire>,
    ) -> Result<Box<Hire>, Response> {
        let refused = |refusal| Response::Reply(Reply::Refused(refusal));
        let (team, file, state) = (self.engine.team(), self.engine.file_team(), self.engine.state());
        team.may_command(by, Power::Agent, None).map_err(refused)?;
        let who = by.cloned().unwrap_or_else(AgentName::user);
        let hired = team.hire(file, &state.hired, &who, &wanted).map_err(refused)?;
        let of = (&*self.config.settings, &self.config.workspace);
        let made = self.config.roster.make((&wanted.name, &hired), &self.engine, of);
        let (_, notes) = made.map_err(|NoLaunch { why, cure }| Response::Unfit { why, cure })?;
        Ok(Box::new(Hire { notes, ..*wanted }))
    }

    /// How an agent is started now; none if it is nobody.
    pub(super) fn launch_of(&mut self, name: &AgentName) -> Option<Result<Arc<Launch>, String>> {
        let settings = self.config.settings.clone();
        let of = settings.launches.get(name).cloned().map(Ok);
        of.or_else(|| self.config.roster.launch(name, &self.engine, (&settings, &self.config.workspace)))
    }

    /// How an agent that runs was started.
    pub(super) fn last_launch_of(&self, name: &AgentName) -> Option<&Arc<Launch>> {
        self.config.settings.launches.get(name).or_else(|| self.config.roster.last(name))
    }

    /// The engine hears of agents that cannot be started.
    pub(super) fn tell_unmade(&mut self, unmade: impl IntoIterator<Item = Unmade>) {
        for Unmade { agent, nonce, why } in unmade {
            self.take_input(Input::Report { agent, nonce, report: Report::StartFailed { why } });
        }
    }

    /// Somebody was hired or is not there any more.
    pub(super) fn roster_changed(&mut self) {
        let hired = &self.engine.state().hired;
        self.config.roster.retain(|name| hired.contains_key(name));
        self.tell_names();
        self.tell_zones();
        self.views.sweep(); // of whoever is gone nobody reads a status
        self.clients.tell_members(|name| self.engine.team().members.contains_key(name));
        if let Some(settings) = self.config.roster.refused.take() {
            self.take_team(Ok(*settings)); // the names that it has may be free by now
        }
    }

    /// Whether a team file leaves their names to those who were hired. One that does not is taken up when it can be.
    pub(super) fn leaves_names(&mut self, settings: &Settings) -> bool {
        self.config.roster.refused = None;
        let taken = settings.team.taken(&self.engine.state().hired).next();
        let Some((name, what)) = taken else { return true };
        let text = format!(
            "the team file is not taken up, and the previous settings stay in force: {name} was hired, and its name is {what} there; \
             `tasuki agent dismiss {name}`, or give it another name in the team file"
        );
        tracing::error!("{text}");
        self.views.tell(self.timers.clock.now(), None, text.clone());
        self.note(About::TeamFile, Some(text));
        self.config.roster.refused = Some(Box::new(settings.clone()));
        false
    }
}
