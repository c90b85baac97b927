//! How the hired agents are started: each launch is made when it is wanted first, and anew with the team file.

mod trees;

pub use trees::AgentTrees;

use crate::daemon::panes::orders::Launches;
use crate::engine::engine::Engine;
use crate::engine::team::roster::Hired;
use crate::engine::words::AgentName;
use crate::io::team_file::Machine;
use crate::io::workspace::{Surroundings, Workspace};
use crate::wire::team_file::{Launch, NoLaunch, Settings};
use crate::wire::zone::ZoneSpec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The launches of those that were hired, as far as they were wanted.
#[derive(Debug)]
pub struct RosterHandle {
    around: Surroundings,
    /// The last launch of each that could be made: whoever runs goes by it, whatever became of its model.
    made: BTreeMap<AgentName, Arc<Launch>>,
    /// A team file that waits until those are dismissed whose names it has.
    pub(in crate::daemon) refused: Option<Box<Settings>>,
    /// The drop zones that the mailbox was told of last: some are of those who were hired.
    pub(in crate::daemon) zones: Vec<ZoneSpec>,
    /// The worktrees that agents have to themselves.
    pub(in crate::daemon) trees: AgentTrees,
}

impl RosterHandle {
    /// Of a daemon with these surroundings and drop zones, as yet without a launch.
    #[must_use]
    pub fn new(around: Surroundings, zones: Vec<ZoneSpec>) -> Self {
        Self { around, made: BTreeMap::new(), refused: None, zones, trees: AgentTrees::default() }
    }

    /// The launch of an agent that may be hired, and what is odd about it.
    ///
    /// # Errors
    /// What is wrong with its recipe now.
    pub fn make(
        &self,
        (name, hired): (&AgentName, &Hired),
        engine: &Engine,
        (settings, workspace): (&Settings, &Workspace),
    ) -> Result<(Launch, Vec<String>), NoLaunch> {
        settings.recruit((name, hired), engine.team(), (workspace, &self.around), &Machine)
    }

    /// How a hired agent is started now; none if nobody of that name is hired.
    ///
    /// # Errors
    /// Why it cannot be, in words.
    pub fn launch(
        &mut self,
        name: &AgentName,
        engine: &Engine,
        of: (&Settings, &Workspace),
    ) -> Option<Result<Arc<Launch>, String>> {
        let hired = engine.state().hired.get(name)?;
        Some(match self.make((name, hired), engine, of) {
            Ok((launch, _)) => {
                let launch = Arc::new(launch);
                self.made.insert(name.clone(), launch.clone());
                Ok(launch)
            }
            Err(NoLaunch { why, cure }) => Err(format!("{why}: {cure}")),
        })
    }

    /// How it was started last, and is typed to.
    #[must_use]
    pub fn last(&self, name: &AgentName) -> Option<&Arc<Launch>> {
        self.made.get(name)
    }

    /// Makes those anew that there are, since the team file was read: one that cannot be made stays as it was.
    pub fn renew(&mut self, engine: &Engine, of: (&Settings, &Workspace)) {
        for name in self.made.keys().cloned().collect::<Vec<_>>() {
            if let Some(Err(why)) = self.launch(&name, engine, of) {
                tracing::warn!("{name}, which was hired, cannot be started anew: {why}");
            }
        }
    }

    /// Forgets those who are not hired any more.
    pub fn retain(&mut self, is_hired: impl Fn(&AgentName) -> bool) {
        self.made.retain(|name, _| is_hired(name));
    }

    /// Every launch that is known: those of the team file, and these.
    #[must_use]
    pub fn with(&self, settings: &Settings) -> Launches {
        let made = self.made.iter().map(|(name, launch)| (name.clone(), launch.clone()));
        Arc::new(made.chain(settings.launches.clone()).collect())
    }
}
