//! The team changes while the daemon runs, or is dead.

use super::state::{Now, Run};

impl Run {
    /// The team file is changed, and read, if anybody is there to read it.
    pub(super) fn change_team(&mut self) {
        let number = self.chance.below(self.teams.all.len() as u64) as usize;
        self.take_team(number);
        self.trace.meet("changes of the team");
    }

    /// Everybody is there again.
    pub(super) fn restore_team(&mut self) {
        self.take_team(0);
    }

    fn take_team(&mut self, number: usize) {
        self.settings = self.teams.all[number].clone();
        if let Now::Alive(life) = &mut self.now {
            life.daemon.take_team(Ok(self.settings.clone()));
            if life.daemon.config.roster.refused.is_some() {
                self.trace.meet("team files that took a name");
            }
        }
        self.tell(&format!("team {number}"));
        self.take_acts();
    }
}
