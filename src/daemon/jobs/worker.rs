//! The worker of jobs: each job is a task of its own, and what came of it is news for the loop.

use crate::daemon::inbox::{News, NewsSender};
pub use crate::daemon::jobs::ground::JobGround;
use crate::daemon::jobs::handle::JOBS_MAX;
use crate::daemon::jobs::merge::merge_branch;
use crate::daemon::jobs::order::{JobGiven, JobOrder};
use crate::daemon::jobs::trees;
use crate::engine::flow::opening::FoundPlan;
use crate::engine::job::{Found, Job, JobId};
use crate::engine::words::{AgentName, Millis};
use crate::io::evidence;
use crate::io::worktree::PullWanted;
use crate::wire::session::find_plan::find_plan;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

/// Orders that may wait: a beginning and an end for each job, twice, since the worker takes them at once.
pub const ORDERS_MAX: usize = 4 * JOBS_MAX;

/// Does what it is told until the loop goes. Then the jobs under way end, with all that they started. What those of a killed daemon
/// have left ends first.
pub async fn work(mut orders: mpsc::Receiver<JobOrder>, ground: JobGround, news: NewsSender) -> &'static str {
    // Where nothing was ever checked nothing is left, and nobody's processes are looked at.
    if ground.records.is_dir() && !evidence::end_left(ground.workspace.root()).await {
        tracing::warn!(
            "what checks of an earlier daemon have started could not be ended: look for TASUKI_CHECK"
        );
    }
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
                Some(JobOrder::Forget { named, before }) => {
                    let records = ground.records.clone();
                    tokio::task::spawn_blocking(move || forget(&records, &named, before));
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

fn forget(records: &Path, named: &BTreeSet<String>, before: Millis) {
    if let Err(error) = evidence::forget_records(records, named, before) {
        tracing::warn!(%error, "old records of what was there before tasks are not removed");
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

async fn do_job(given: JobGiven, ground: JobGround) -> Found {
    tracing::debug!(id = %given.id, "a job begins");
    let here = |cwd: &PathBuf| ground.evidence_at(cwd.clone(), &given);
    match (&given.job, &given.cwd) {
        (Job::ReadPlan { text, trees }, _) => Found::Plan(read_plan(text, *trees)),
        (Job::MakeTree { repository, branch, owner, from, needs }, _) => {
            let of = (Path::new(repository), &**owner, (&**from, &**needs));
            trees::make(&ground, of, branch, (&given.setup, &given.variables)).await
        }
        (Job::EndTree { repository, branch, owner }, _) => {
            trees::end(&ground, Path::new(repository), branch, owner).await
        }
        (Job::LookAtTree { repository, branch, from, until }, _) => {
            let span = (&**from, until.as_deref());
            trees::look(&ground, Path::new(repository), branch, span).await
        }
        (Job::OpenPull { repository, branch, base, title, about }, _) => {
            let wanted = PullWanted { branch, base: base.as_deref(), title, about };
            trees::open_pull(&ground, Path::new(repository), wanted).await
        }
        (Job::MergeBranch(job), _) => merge_branch(job, &given, &ground).await,
        (Job::RecordBase { agent, expect, command, .. }, Some(cwd)) => {
            match evidence::record_base(&here(cwd), agent, expect, command).await {
                Ok(base) => Found::Base(base),
                Err(why) => Found::NotDone(why),
            }
        }
        (Job::Check { expect, base, .. }, Some(cwd)) => {
            Found::Checked(evidence::check(&here(cwd), expect, base).await)
        }
        (job, None) => {
            let who = job.agent().map_or("its agent", AgentName::as_str);
            Found::NotDone(format!("{who} is no longer in the team file"))
        }
    }
}

/// The plan in an answer, or what its writer is told of it.
fn read_plan(text: &str, trees: bool) -> Result<Box<FoundPlan>, String> {
    let plan = find_plan(text).map_err(|refusal| refusal.feedback())?;
    FoundPlan::of(plan, trees).map(Box::new).map_err(|refusal| refusal.why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::clock::Clock;
    use crate::io::workspace::{Surroundings, Workspace};
    use std::sync::Arc;

    #[tokio::test]
    async fn records_that_nobody_names_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().to_owned();
        let [named, other] = ["0a", "1b"].map(|two| two.repeat(32));
        for name in [&named, &other] {
            std::fs::write(records.join(name), "{}").unwrap();
        }
        let workspace = Workspace::at(&records).unwrap();
        let (variables, clock) = (Arc::default(), Clock::start());
        let around = Arc::new(Surroundings::of_this_process().unwrap());
        let ground = JobGround { workspace, records: records.clone(), variables, around, clock };
        let (orders, inbox) = mpsc::channel(1);
        let (news, mut heard) = mpsc::channel(1);
        let worker = tokio::spawn(work(inbox, ground, news));
        let kept = BTreeSet::from([named.clone()]);
        orders.send(JobOrder::Forget { named: kept, before: Millis(u64::MAX) }).await.unwrap();
        // Nobody says that they are gone.
        while records.join(&other).exists() {
            tokio::task::yield_now().await;
        }
        drop(orders);
        assert_eq!(worker.await.unwrap(), "jobs");
        assert!(heard.recv().await.is_none() && records.join(&named).exists());
    }
}
