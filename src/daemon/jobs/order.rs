//! What the loop tells the worker of jobs.

use crate::daemon::views::item::Place;
use crate::engine::job::{Job, JobId};
use crate::engine::words::Millis;
use crate::wire::team_file::TreeSetup;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An order.
#[derive(Debug)]
pub enum JobOrder {
    /// Do this, and tell by [`crate::daemon::inbox::News::Job`].
    Do(Box<JobGiven>),
    /// Nobody wants this any more: end it, and say nothing.
    Drop(JobId),
    /// Remove the records of what was there before that nobody names and that were written before this moment.
    Forget { named: BTreeSet<String>, before: Millis },
}

/// A job with all that it needs.
#[derive(Debug)]
pub struct JobGiven {
    pub id: JobId,
    pub job: Job,
    /// The folder in which its agent works; none if there is no such agent any more.
    pub cwd: Option<PathBuf>,
    /// Where the text stands that it needs, if it needs one.
    pub text: Option<Place>,
    /// How long a command may take.
    pub command_limit: Duration,
    /// Variables that checks get besides the few that all get.
    pub variables: Vec<String>,
    /// What is done in a fresh worktree, by the team file that is in force when the job begins: where that on the disk has an error.
    pub setup: Arc<TreeSetup>,
}
