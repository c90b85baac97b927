//! Agents with a worktree of their own: each starts when its worktree is there, and has a drop zone in it.

use crate::daemon::r#loop::daemon::Daemon;
use crate::daemon::r#loop::hiring::Unmade;
use crate::daemon::panes::orders::Launched;
use crate::engine::job::{Found, Job, JobId};
use crate::engine::words::AgentName;
use crate::wire::team_file::{Launch, OwnTree};
use crate::wire::zone::ZoneSpec;
use std::path::Path;
use std::sync::Arc;

impl Daemon {
    /// Has the worktree of an agent made, unless it is there; its launch goes on after that. Whoever is taken over is there already.
    /// What comes back may start now.
    pub(super) fn after_its_tree(&mut self, launched: Launched, launch: &Launch) -> Option<Launched> {
        let Some(tree) = &launch.tree else { return Some(launched) };
        if launched.adopt.is_some() {
            self.config.roster.trees.found(&launched.agent, &tree.path);
            return Some(launched);
        }
        let Some(repository) = tree.repository.to_str() else { return Some(launched) };
        let (agent, root) = (launched.agent.clone(), self.config.workspace.root_text());
        let job = Job::MakeTree {
            repository: repository.to_owned(),
            branch: tree.branch.clone(),
            owner: format!("agent {agent} of {root}"),
            from: Vec::new(),
            needs: Vec::new(),
        };
        self.jobs.put(JobId::AgentTree { agent: agent.clone() }, job);
        self.views.doing(agent, "its worktree is made ready".to_owned());
        self.config.roster.trees.wait(launched);
        None
    }

    /// What came of the worktree of an agent: it starts there, or cannot be started.
    pub(super) fn agent_tree_done(&mut self, agent: &AgentName, found: Found) {
        let Some(launched) = self.config.roster.trees.take(agent) else { return };
        let launch = match self.launch_of(agent) {
            Some(Ok(launch)) if self.ending.is_none() => launch,
            _ => return, // it is nobody any more, or nobody is started any more
        };
        let wanted = launch.tree.as_ref().map(|tree| tree.path.as_path());
        let why = match found {
            Found::Tree { path, .. } if wanted.is_none_or(|wanted| wanted == Path::new(&*path)) => {
                return self.start_there(launched, &launch);
            }
            Found::Tree { path, .. } => format!("it is in {path}, and git was thought to put it elsewhere"),
            Found::NotDone(why) => why,
            _ => return,
        };
        let Launched { agent, nonce, .. } = launched;
        self.tell_unmade([Unmade { agent, nonce, why: format!("its worktree could not be made: {why}") }]);
    }

    fn start_there(&mut self, launched: Launched, launch: &Arc<Launch>) {
        if let Some(tree) = &launch.tree {
            self.config.roster.trees.found(&launched.agent, &tree.path);
            self.tell_zones();
        }
        if self.is_newest(&launched) {
            self.begin(launched, launch.clone());
        }
    }

    /// The drop zones in the worktrees of agents that are there.
    pub(super) fn zones_of_trees(&self) -> impl Iterator<Item = ZoneSpec> {
        let launches = self.config.settings.launches.iter();
        let trees = launches.filter_map(|(name, launch)| Some((name, launch.tree.as_ref()?)));
        let there = trees.filter(|(name, tree)| self.config.roster.trees.is_there(name, &tree.path));
        there.map(|(name, OwnTree { path, .. })| ZoneSpec {
            place: path.join("queue"),
            owner: Some(name.clone()),
            status: Some(path.join("status")),
        })
    }
}
