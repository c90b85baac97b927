//! People hire agents and dismiss them while everything dies.

use super::state::{Now, Run};
use crate::engine::input::Command;
use crate::engine::team::roster::{Hire, Hired, Host, Like, Recipe};
use crate::engine::words::AgentName;
use crate::wire::team_file::phrase_of;
use std::collections::BTreeMap;

/// Agents that are hired, each when it is not there.
pub(super) const HIRED: [&str; 2] = ["hal", "ida"];
/// How those are called that are hired for steps of flows.
pub(super) const HIRED_FOR_STEPS: &str = "task-";
/// And those that are hired for speeches of debates.
pub(super) const HIRED_TO_SPEAK: &str = "debate-";
/// What they are made from: members that come and go, an alias, and what nobody can be made from.
const MODELS: [&str; 8] = ["bob", "bob", "bob", "eve", "eve", "gb", "nobody", "hal"];

impl Run {
    /// Somebody hires an agent, or dismisses one.
    pub(super) fn hire_or_dismiss(&mut self) {
        if let Some(command) = self.change_of_roster() {
            self.command(command);
        }
    }

    fn change_of_roster(&mut self) -> Option<Command> {
        let name = AgentName::new(self.chance.pick(&HIRED)?).ok()?;
        if self.chance.one_in(3) {
            return Some(Command::Dismiss(name));
        }
        let like = Like::Member(AgentName::new(self.chance.pick(&MODELS)?).ok()?);
        let like = if self.chance.one_in(12) { Like::Profile("plain".to_owned()) } else { like };
        let above = if self.chance.one_in(6) { "hal" } else { "boss" };
        let cwd =
            self.chance.one_in(8).then(|| if self.chance.one_in(2) { "." } else { "nowhere" }.to_owned());
        let env = BTreeMap::from([("WHO".to_owned(), Some(name.to_string()))]);
        let recipe = Recipe { like, cwd, model: None, env, host: Host::Local };
        let phrase = phrase_of(&name, None).ok()?;
        let reports_to = AgentName::new(above).ok();
        Some(Command::Hire(Box::new(Hire {
            name,
            reports_to,
            phrase,
            recipe,
            flow: None,
            notes: Vec::new(),
        })))
    }

    /// A person dismisses whoever cannot be started any more: the agent is gone like which it was hired.
    pub(super) fn dismiss_hopeless(&mut self) {
        let Now::Alive(life) = &self.now else { return };
        let is_gone = |hired: &Hired| match &hired.recipe.like {
            Like::Member(model) => !self.settings.team.members.contains_key(model),
            Like::Profile(_) => false,
        };
        let hired = life.daemon.engine.state().hired.iter();
        let names: Vec<AgentName> =
            hired.filter(|(_, hired)| is_gone(hired)).map(|(name, _)| name.clone()).collect();
        names.into_iter().for_each(|name| self.command(Command::Dismiss(name)));
    }

    /// Those who are hired now.
    pub(super) fn count_hired(&mut self) {
        let Now::Alive(life) = &self.now else { return };
        let hired = life.daemon.engine.state().hired.len();
        self.trace.count("hired agents that a start found", hired as u64);
    }
}
