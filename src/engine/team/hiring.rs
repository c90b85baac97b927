//! Hiring and dismissing: who comes into the team besides those of its file, and who goes.

use crate::engine::engine::{Work, agent_event};
use crate::engine::event::AgentChange;
use crate::engine::message::refusal::{Code, Refusal};
use crate::engine::team::Team;
use crate::engine::team::lifecycle::PutBack;
use crate::engine::team::roster::Hire;
use crate::engine::words::AgentName;

impl Work<'_> {
    /// Takes an agent into the team and starts it; what is told of that.
    pub(in crate::engine) fn command_hire(
        &mut self,
        who: &AgentName,
        wanted: &Hire,
    ) -> Result<String, Refusal> {
        let hired = self.team.hire(self.file, &self.state.hired, who, wanted)?;
        let name = &wanted.name;
        let mut what = format!("{name} is hired {} and is being started", hired.recipe.like.words());
        for note in &wanted.notes {
            what.push_str("; note: ");
            what.push_str(note);
        }
        self.emit(agent_event(name, AgentChange::Hired(Box::new(hired))));
        self.merge();
        self.launch_for(name, Some(who.clone()));
        Ok(what)
    }

    /// Takes an agent that was hired out of the team: what it works on, and what waits for it alone, fails.
    pub(in crate::engine) fn command_dismiss(
        &mut self,
        name: &AgentName,
        who: &AgentName,
    ) -> Result<String, Refusal> {
        let name = self.team.member(name)?;
        if !self.state.hired.contains_key(&name) {
            let why =
                format!("{name} is an agent of the team file; only those that were hired are dismissed");
            return Err(Refusal::new(Code::NotHired, why));
        }
        self.remove(&name, ("it was dismissed", PutBack::Gone), Some(who.clone()));
        self.merge();
        self.strand("was dismissed");
        self.forget_gone();
        Ok(format!("{name} is dismissed"))
    }

    /// The team file has the names of some that were hired. Those give way; what one worked on waits for the agent that has its
    /// name now, if it is one.
    pub(in crate::engine) fn give_way(&mut self) {
        let taken = self.file.taken(&self.state.hired);
        let taken: Vec<(AgentName, String)> = taken.map(|(name, what)| (name.clone(), what)).collect();
        for (name, what) in taken {
            let end = if self.file.members.contains_key(&name) { PutBack::Stopped } else { PutBack::Gone };
            self.remove(&name, (&format!("its name is {what} of the team file now"), end), None);
        }
    }

    /// Makes the team in force anew, of that of the file and of those that were hired.
    pub(in crate::engine) fn merge(&mut self) {
        *self.team = self.merged();
    }

    /// The same, to be put in force. Whoever runs on without its kind is not started anew for that: it could not be.
    pub(in crate::engine) fn merged(&self) -> Team {
        let mut team = self.file.with(&self.state.hired);
        let alone = self.state.hired.iter().filter(|(_, hired)| !self.file.has_kind(&hired.recipe.like));
        for (name, _) in alone {
            let launch = self.state.agents.get(name).and_then(|agent| agent.launch);
            if let (Some(member), Some(launch)) = (team.members.get_mut(name), launch) {
                member.launch = launch;
            }
        }
        team
    }
}
