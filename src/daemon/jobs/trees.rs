//! The jobs of worktrees: one is made, and what was done in one is looked at.

use crate::daemon::jobs::ground::JobGround;
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::in_tree::WorkSum;
use crate::engine::job::{Found, TreeStart};
use crate::io::evidence::environment;
use crate::io::worktree::{Obstacle, PULL_VARIABLES, PullWanted, Repository, Work, WorktreeError};
use crate::wire::session::work::{TaskCommit, TaskFile, TaskWork};
use crate::wire::team_file::{Settings, TreeSetup};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;

/// Most characters of a commit's title and of a path that are kept.
const TEXT_MAX: usize = 300;

/// A worktree, made and set up unless that is done already. Into one that was there before come the branches that are needed and
/// are not in it.
pub(super) async fn make(
    ground: &JobGround,
    of: (&Path, &str, (&[TreeStart], &[String])),
    branch: &BranchName,
    set_up: (&TreeSetup, &[String]),
) -> Found {
    match try_make(ground, of, branch, set_up).await {
        Ok(found) => found,
        Err(error) => Found::NotDone(with_way(&error, of.1, branch)),
    }
}

/// Why a worktree is not there. Of two branches that do not fit, the task that has made one of them can merge the other.
fn with_way(error: &WorktreeError, owner: &str, of: &BranchName) -> String {
    let session = owner.split_once(' ');
    let (with, branch) = match (error, session) {
        (WorktreeError::Conflict { with, branch, .. }, _) => (with, branch),
        // Names are made by themselves: what has one has to go, and nobody can choose another one.
        (WorktreeError::Taken { .. } | WorktreeError::Io { .. }, Some(_)) if of.speech().is_some() => {
            return format!("{}; then begin the debate again", told(error));
        }
        (WorktreeError::Taken { .. } | WorktreeError::Io { .. }, Some((session, step))) => {
            let why = told(error);
            let why = why.strip_suffix(", and try again").unwrap_or(&why);
            return format!("{why}; then `tasuki session retry {session} {step}`");
        }
        _ => return told(error),
    };
    let way = session.and_then(|(session, step)| {
        let end = branch.as_str().strip_prefix("agent/")?.strip_prefix(step)?;
        let task = with.strip_prefix("agent/")?.strip_suffix(end)?;
        Some(format!("; `tasuki session retry {session} {task} --edit` can have {task} do that, and `tasuki session retry {session} {step}` tries again"))
    });
    format!("{error}{}", way.unwrap_or_default())
}

/// What went wrong, with what the machine has said.
pub(super) fn told(error: &WorktreeError) -> String {
    match error {
        WorktreeError::Io { source, .. } => format!("{error}: {source}"),
        error => error.to_string(),
    }
}

async fn try_make(
    ground: &JobGround,
    (repository, owner, (from, needs)): (&Path, &str, (&[TreeStart], &[String])),
    branch: &BranchName,
    (setup, variables): (&TreeSetup, &[String]),
) -> Result<Found, WorktreeError> {
    let repository = find(ground, repository).await?;
    let tree = repository.make(branch, owner, from).await?;
    // Whoever is needed has ended: of what a new one begins with, nothing has come since.
    let needs: Vec<String> = needs.iter().filter(|name| !tree.new_from.contains(name)).cloned().collect();
    let tree = repository.catch_up(tree, &needs).await?;
    // A role reads, and builds nothing.
    let has_run =
        branch.speech().is_none() && set_up(ground, &repository, branch, (setup, variables)).await?;
    // Nobody has been in a new one before.
    let head = match has_run || tree.new_from.is_empty() {
        true => repository.head_of(&tree).await?,
        false => tree.base.clone(),
    };
    Ok(match tree.path.to_str() {
        Some(path) => {
            Found::Tree { path: path.into(), base: tree.base.into(), head: head.into(), note: tree.note }
        }
        None => Found::NotDone(format!("the path of {branch} is no UTF-8")),
    })
}

/// The worktree of a role goes, with its branch.
pub(super) async fn end(ground: &JobGround, repository: &Path, branch: &BranchName, owner: &str) -> Found {
    let ended = match find(ground, repository).await {
        Ok(repository) => repository.end(branch, owner).await,
        Err(error) => Err(error),
    };
    ended.map_or_else(|error| Found::NotDone(told(&error)), |()| Found::Removed)
}

/// Makes a worktree ready for work, unless it is. Whether there are commands for that, which may do anything there.
pub(super) async fn set_up(
    ground: &JobGround,
    repository: &Repository,
    branch: &BranchName,
    given: (&TreeSetup, &[String]),
) -> Result<bool, WorktreeError> {
    let newest = newest(ground).await;
    let (setup, variables) = newest.as_ref().map_or(given, |(setup, variables)| (&**setup, &**variables));
    if !setup.run.is_empty() {
        // By this folder the next daemon knows that this one has run something, and ends what is left of it.
        let failed = |source| WorktreeError::Io { path: ground.records.clone(), source };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&ground.records).map_err(failed)?;
    }
    let env = environment(ground.variables.as_ref().clone(), variables);
    repository.set_up(branch, setup, &env).await?;
    Ok(!setup.run.is_empty())
}

/// What the team file says at this moment, which the loop hears of once that has been still for a while; none where it cannot be used.
async fn newest(ground: &JobGround) -> Option<(Arc<TreeSetup>, Vec<String>)> {
    let (workspace, around) = (ground.workspace.clone(), ground.around.clone());
    let read = tokio::task::spawn_blocking(move || Settings::load(&workspace, &around)).await;
    let settings = read.ok()?.ok()?.settings;
    Some((settings.setup.clone(), settings.general.check_env.clone()))
}

async fn find(ground: &JobGround, repository: &Path) -> Result<Repository, WorktreeError> {
    let env = environment(ground.variables.as_ref().clone(), &[]);
    Repository::find(repository, &ground.workspace, &env, ground.clock).await
}

/// What was done in a worktree between two commits.
pub(super) async fn look(
    ground: &JobGround,
    repository: &Path,
    branch: &BranchName,
    (from, until): (&str, Option<&str>),
) -> Found {
    let work = match find(ground, repository).await {
        Ok(repository) => repository.look(branch, (Some(from), until)).await,
        Err(error) => Err(error),
    };
    match work {
        Ok(work) if work.head.is_empty() => {
            let cure = "`git reflog` may have its commits";
            Found::NotDone(format!("its branch {branch} was deleted or renamed; {cure}"))
        }
        Ok(work) => {
            // What lies there now may be another one's.
            let work = of(work, until.is_none());
            let count = |many: usize| u32::try_from(many).unwrap_or(u32::MAX);
            let sum = WorkSum {
                head: Some(work.head.as_str().into()),
                commits: count(work.commits_in_all),
                files: count(work.files_in_all),
                uncommitted: count(work.uncommitted_in_all),
                unknown: None,
            };
            Found::Work { sum, text: Arc::from(work.to_text()) }
        }
        Err(error) => Found::NotDone(error.to_string()),
    }
}

/// The same as it is kept, with what lies there now or without.
fn of(work: Work, with_now: bool) -> TaskWork {
    let Work { base, head, commits, commits_in_all, files, files_in_all, obstacles, is_gone, astray } = work;
    let short = |text: String| text.chars().take(TEXT_MAX).collect::<String>();
    let commits =
        commits.into_iter().map(|commit| TaskCommit { id: commit.id, title: short(commit.title) }).collect();
    let files = files.into_iter().map(|file| TaskFile {
        path: short(file.path),
        added: file.added,
        removed: file.removed,
    });
    let files = files.collect();
    let mut work =
        TaskWork { base, head, commits, commits_in_all, files, files_in_all, ..TaskWork::default() };
    if is_gone {
        work.notes.push("its worktree is gone; its branch is there".to_owned());
    }
    let says_head = astray.is_some();
    work.notes.extend(astray);
    for obstacle in obstacles.into_iter().filter(|_| with_now) {
        match obstacle {
            Obstacle::Dirty { files, in_all } => {
                work.uncommitted = files.into_iter().map(short).collect();
                work.uncommitted_in_all = in_all;
            }
            Obstacle::OtherHead { .. } if says_head => {}
            other @ (Obstacle::OtherHead { .. } | Obstacle::UnderWay { .. }) => {
                work.notes.push(other.to_string());
            }
            _ => {}
        }
    }
    work
}

/// A pull request, opened unless there is one.
pub(super) async fn open_pull(ground: &JobGround, repository: &Path, wanted: PullWanted<'_>) -> Found {
    let repository = match find(ground, repository).await {
        Ok(repository) => repository,
        Err(error) => return Found::NotDone(error.to_string()),
    };
    let more = PULL_VARIABLES.map(str::to_owned);
    let env = environment(ground.variables.as_ref().clone(), &more);
    match repository.open_pull(wanted, &env).await {
        Ok(open) => Found::Pull { number: open.number, url: open.url.into() },
        Err(why) => Found::NotDone(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_way_of_a_worktree_is_told_with_what_comes_after() {
        let taken = |branch: &str| WorktreeError::Taken {
            branch: branch.to_owned(),
            why: "it is gone: bring it back, and try again".to_owned(),
        };
        let (owner, retry) = ("1234 task-1", "; then `tasuki session retry 1234 task-1`");
        let of = |branch: &str| BranchName::new(branch).unwrap();
        let told = with_way(&taken("agent/task-1-1234"), owner, &of("agent/task-1-1234"));
        assert_eq!(
            told,
            format!("the name agent/task-1-1234 cannot be used: it is gone: bring it back{retry}")
        );
        let speech = "debate-a1b2c3d4-e5f6-7890-abcd-ef1234567890-r1-qa";
        assert!(of(speech).speech().is_some(), "{speech}");
        assert!(with_way(&taken(speech), owner, &of(speech)).ends_with("; then begin the debate again"));
        assert!(
            with_way(&taken("agent/a"), "a", &of("agent/a")).ends_with(", and try again"),
            "an agent's own"
        );
        let source = std::io::Error::other("it is a link");
        let failed = WorktreeError::Io { path: "/w".into(), source };
        let task = of("agent/task-1-1234");
        assert_eq!(with_way(&failed, owner, &task), format!("cannot use /w: it is a link{retry}"));
        let told = with_way(&failed, "1234 round1-qa", &of(speech));
        assert_eq!(told, "cannot use /w: it is a link; then begin the debate again");
    }
}
