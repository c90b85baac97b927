//! What all jobs are done with.

use crate::daemon::jobs::order::JobGiven;
use crate::io::clock::Clock;
use crate::io::evidence;
use crate::io::workspace::{Surroundings, Workspace};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// What all jobs are done with.
#[derive(Debug, Clone)]
pub struct JobGround {
    pub(super) workspace: Workspace,
    pub(super) records: PathBuf,
    pub(super) variables: Arc<BTreeMap<OsString, OsString>>,
    /// Where the daemon runs, for whoever reads its team file.
    pub(super) around: Arc<Surroundings>,
    pub(super) clock: Clock,
}

impl JobGround {
    /// Of a workspace, with the daemon's own variables, of which a job gets few.
    #[must_use]
    pub fn of(workspace: &Workspace, around: &Surroundings, clock: Clock) -> Self {
        let variables = Arc::new(around.vars.clone());
        let records = workspace.memory().join("evidence");
        let around = Arc::new(around.clone());
        Self { workspace: workspace.clone(), records, variables, around, clock }
    }

    /// What a check in this folder is done with.
    pub(super) fn evidence_at(&self, cwd: PathBuf, given: &JobGiven) -> evidence::Ground {
        let env = evidence::environment(self.variables.as_ref().clone(), &given.variables);
        let (root, records) = (self.workspace.root().to_owned(), self.records.clone());
        evidence::Ground { root, cwd, records, env, command_limit: given.command_limit, clock: self.clock }
    }
}
