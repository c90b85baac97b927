//! The worker of jobs: each job is a task of its own, and what came of it is news for the loop.

use crate::daemon::inbox::{News, NewsSender};
use crate::daemon::jobs::handle::JOBS_MAX;
use crate::daemon::jobs::order::{Given, JobOrder};
use crate::engine::job::{Found, Job, JobId};
use crate::io::clock::Clock;
use crate::io::evidence;
use crate::io::workspace::{Surroundings, Workspace};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

/// Orders that may wait: a beginning and an end for each job, twice, since the worker takes them at once.
pub const ORDERS_MAX: usize = 4 * JOBS_MAX;

/// What all jobs are done with.
#[derive(Debug, Clone)]
pub struct Ground {
    root: PathBuf,
    records: PathBuf,
    variables: Arc<BTreeMap<OsString, OsString>>,
    clock: Clock,
}

impl Ground {
    /// Of a workspace, with the daemon's own variables, of which a job gets few.
    #[must_use]
    pub fn of(workspace: &Workspace, around: &Surroundings, clock: Clock) -> Self {
        let root = workspace.root().to_owned();
        let variables = Arc::new(around.vars.clone());
        Self { root, records: workspace.memory().join("evidence"), variables, clock }
    }
}

/// Does what it is told until the loop goes. Then the jobs under way end, with all that they started.
pub async fn work(mut orders: mpsc::Receiver<JobOrder>, ground: Ground, news: NewsSender) -> &'static str {
    let mut tasks = JoinSet::new();
    let mut under_way: HashMap<Id, (JobId, AbortHandle)> = HashMap::new();
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                None => return "jobs",
                Some(JobOrder::Do(given)) => {
                    let id = given.id.clone();
                    let handle = tasks.spawn(do_job(*given, ground.clone()));
                    under_way.insert(handle.id(), (id, handle));
                }
                Some(JobOrder::Drop(id)) => {
                    under_way.values().filter(|(job, _)| *job == id).for_each(|(_, handle)| handle.abort());
                }
            },
            Some(ended) = tasks.join_next_with_id() => {
                let Some((id, found)) = outcome(ended, &mut under_way) else { continue };
                if news.send(News::Job { id, found }).await.is_err() {
                    return "jobs";
                }
            }
        }
    }
}

/// What came of a task; nothing if it was ended.
fn outcome(
    ended: Result<(Id, Found), JoinError>,
    under_way: &mut HashMap<Id, (JobId, AbortHandle)>,
) -> Option<(JobId, Found)> {
    match ended {
        Ok((task, found)) => Some((under_way.remove(&task)?.0, found)),
        Err(error) => {
            let (id, _) = under_way.remove(&error.id())?;
            if error.is_cancelled() {
                return None;
            }
            tracing::error!(%error, %id, "a job broke: please report this");
            Some((id, Found::NotDone(format!("its job broke ({error}): please report this"))))
        }
    }
}

async fn do_job(given: Given, ground: Ground) -> Found {
    let Given { id, job, cwd, command_limit, variables } = given;
    tracing::debug!(%id, "a job begins");
    let Some(cwd) = cwd else {
        return Found::NotDone(format!("{} is no longer in the team file", job.agent()));
    };
    let Ground { root, records, variables: all, clock } = ground;
    let env = evidence::environment(all.as_ref().clone(), &variables);
    let ground = evidence::Ground { root, cwd, records, env, command_limit, clock };
    match job {
        Job::RecordBase { agent, expect, command } => {
            match evidence::record_base(&ground, &agent, &expect, &command).await {
                Ok(base) => Found::Base(base),
                Err(why) => Found::NotDone(why),
            }
        }
        Job::Check { expect, base } => Found::Checked(evidence::check(&ground, &expect, &base).await),
    }
}
