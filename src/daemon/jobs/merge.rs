//! The merge of a branch: it is merged, checked, and only then kept. One that does not fit becomes more text for its agent.

use crate::daemon::jobs::ground::JobGround;
use crate::daemon::jobs::order::JobGiven;
use crate::daemon::jobs::trees;
use crate::daemon::jobs::trees::told;
use crate::daemon::views::item::Place;
use crate::engine::evidence::Evidence;
use crate::engine::job::{Found, JobId, MergeJob, TreeStart};
use crate::engine::words::ourselves;
use crate::io::evidence;
use crate::io::journal::Reader;
use crate::io::worktree::{Clash, Gathering, Merge, Repository, WorktreeError};
use crate::wire::clean::escape;
use crate::wire::events;
use crate::wire::session::merge_text;
use std::path::Path;
use std::sync::Arc;

/// Merges a branch, unless that is done already.
pub(super) async fn merge_branch(job: &MergeJob, given: &JobGiven, ground: &JobGround) -> Found {
    let env = evidence::environment(ground.variables.as_ref().clone(), &[]);
    let folder = Path::new(&job.repository);
    let repository = match Repository::find(folder, &ground.workspace, &env, ground.clock).await {
        Ok(repository) => repository,
        Err(error) => return Found::NotGathered(told(&error)),
    };
    match missing(job, given, &repository).await {
        Ok(None) => {}
        Ok(Some(told)) => return Found::NotGathered(told),
        Err(error) => return Found::NotGathered(told(&error)),
    }
    let base = (job.base.as_str(), job.into.as_deref());
    let gathering = match repository.gather(&job.tree, &job.owner, base).await {
        Ok(gathering) => gathering,
        Err(error) => return Found::NotGathered(told(&error)),
    };
    match try_to_merge(job, given, ground, (&repository, gathering)).await {
        Ok(None) => Found::Merged,
        Ok(Some((more, why))) => match told_before(given.text, ground).await {
            Ok(text) => Found::NotMerged { text: format!("{}\n\n{more}", text.trim_end()).into(), why },
            Err(unreadable) => Found::NotDone(format!("{why}; and {unreadable}")),
        },
        Err(error) => Found::NotDone(format!("{}{}", told(&error), done_again(&error, &given.id))),
    }
}

/// All branches that are gone for good, in words; none where each can be merged.
async fn missing(
    job: &MergeJob,
    given: &JobGiven,
    repository: &Repository,
) -> Result<Option<String>, WorktreeError> {
    let starts: Vec<TreeStart> = job.all.iter().map(|(_, start)| start.clone()).collect();
    let missing = repository.missing(&starts).await?;
    let told = missing.iter().filter_map(|(at, error)| {
        let ((step, _), JobId::Merge { flow, .. }) = (job.all.get(*at)?, &given.id) else { return None };
        let id = JobId::Merge { flow: flow.clone(), step: step.clone() };
        Some(format!("{step}: {}{}", told(error), done_again(error, &id)))
    });
    Ok(told.reduce(|told, next| format!("{told}; {next}")))
}

/// The other cure where a branch is gone for good.
fn done_again(error: &WorktreeError, id: &JobId) -> String {
    match (error, id) {
        (WorktreeError::Gone { .. }, JobId::Merge { flow, step }) => {
            format!("; or have its task done again: `tasuki session retry {flow} {step} --edit`")
        }
        _ => String::new(),
    }
}

/// Nothing if it is merged; else what its agent is told besides, and that in short.
async fn try_to_merge(
    job: &MergeJob,
    given: &JobGiven,
    ground: &JobGround,
    (repository, gathering): (&Repository, Gathering<'_>),
) -> Result<Option<(String, String)>, WorktreeError> {
    if job.check.is_some() {
        // A command may need there what it needs in the worktrees of tasks.
        trees::set_up(ground, repository, &job.tree, (&given.setup, &given.variables)).await?;
    }
    let onto = (&job.tree, job.into.as_deref());
    match gathering.merge(&job.branch, job.ended_at.as_deref()).await? {
        Merge::Already => {}
        Merge::Open => {
            let failed = match failed_check(job, given, ground, &gathering).await {
                Ok(failed) => failed,
                Err(broken) => {
                    gathering.undo().await?;
                    return Err(WorktreeError::Git {
                        doing: "check what was merged".to_owned(),
                        said: broken,
                    });
                }
            };
            if let Some(Evidence { check, how, .. }) = failed {
                gathering.undo().await?;
                return Ok(Some(merge_text::of_check(onto, &job.branch, (&check, &how))));
            }
        }
        Merge::Conflict(Clash { files, commits }) => {
            let commits: Vec<String> =
                commits.iter().map(|commit| format!("{} {}", commit.id, escape(&commit.title))).collect();
            return Ok(Some(merge_text::of_conflict(onto, &job.branch, (&files, &commits))));
        }
    }
    gathering.keep().await?;
    Ok(None)
}

/// The check that did not pass in the merged files, if there is one; an error where it could not be made.
async fn failed_check(
    job: &MergeJob,
    given: &JobGiven,
    ground: &JobGround,
    gathering: &Gathering<'_>,
) -> Result<Option<Evidence>, String> {
    let Some((expect, command)) = &job.check else { return Ok(None) };
    let at = ground.evidence_at(gathering.path().to_owned(), given);
    let base = evidence::record_base(&at, &ourselves(), expect, command).await?;
    let mut found = evidence::check(&at, expect, &base).await;
    found.retain(|evidence| !evidence.passed);
    match found.into_iter().next() {
        Some(evidence) if evidence.broken => Err(evidence.told()),
        other => Ok(other),
    }
}

/// What the agent of the step was told.
async fn told_before(place: Option<Place>, ground: &JobGround) -> Result<Arc<str>, String> {
    let unreadable = |why: String| format!("what its agent was told cannot be read: {why}");
    let Some(place) = place else { return Err(unreadable("it is not in the journal any more".to_owned())) };
    let folder = ground.workspace.journal();
    let read = move || Reader::at(&folder)?.step(place.step, place.at);
    let record = tokio::task::spawn_blocking(read).await.map_err(|error| unreadable(error.to_string()))?;
    let record = record.map_err(|error| unreadable(error.to_string()))?;
    let mut bodies = events::bodies_of(&record.payload).into_iter();
    let body = bodies.find(|(index, _)| *index == place.event);
    body.map(|(_, body)| body.content).ok_or_else(|| unreadable("its line has no text".to_owned()))
}
