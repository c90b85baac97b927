//! Looks for whoever asks for a session: whether it may have worktrees, which is so in a repository with a commit, and what of its
//! branches is there.

use super::error::WorktreeError;
use super::repository::{Repository, ref_of};
use crate::engine::flow::branch::BranchName;
use crate::engine::flow::id::FlowId;
use crate::engine::flow::tree::FlowRepository;
use crate::io::clock::Clock;
use crate::io::evidence::environment;
use crate::io::workspace::Workspace;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The repository of a workspace, if it is in one in which worktrees can be made.
pub async fn repository_of(workspace: &Workspace) -> Option<FlowRepository> {
    repository_at(workspace.root(), workspace).await
}

/// The same of a folder that need not be the workspace.
pub async fn repository_at(folder: &Path, workspace: &Workspace) -> Option<FlowRepository> {
    match found_at(folder, workspace).await {
        Ok(found) => match found.root.to_str() {
            Some(root) => Some(FlowRepository {
                root: root.to_owned(),
                base: found.head.clone(),
                branch: found.branch.clone(),
            }),
            None => {
                tracing::info!(root = %found.root.display(), "the repository's path is no UTF-8: tasks get no worktrees");
                None
            }
        },
        Err(error) => {
            tracing::info!(%error, "tasks get no worktrees");
            None
        }
    }
}

/// The repository of a folder, where there must be one.
///
/// # Errors
/// [`WorktreeError`] says what is missing, with the cure.
pub async fn demand_repository(
    folder: &Path,
    workspace: &Workspace,
) -> Result<FlowRepository, WorktreeError> {
    let found = found_at(folder, workspace).await?;
    let source = std::io::Error::other("its path is no UTF-8");
    let root = found.root.to_str().ok_or(WorktreeError::Io { path: found.root.clone(), source })?;
    Ok(FlowRepository { root: root.to_owned(), base: found.head.clone(), branch: found.branch.clone() })
}

/// The repository whose uppermost folder this is: a document that names branches means that one, and none around it.
///
/// # Errors
/// [`WorktreeError::NotTop`] if it lies in a repository; otherwise what is missing, with the cure.
pub async fn repository_with_top(
    folder: &Path,
    workspace: &Workspace,
) -> Result<FlowRepository, WorktreeError> {
    let found = demand_repository(folder, workspace).await?;
    let root = PathBuf::from(&found.root);
    match (folder.canonicalize(), root.canonicalize()) {
        (Ok(folder), Ok(top)) if folder == top => Ok(found),
        _ => Err(WorktreeError::NotTop { place: folder.to_owned(), root }),
    }
}

/// Those of these branches that are in the repository of a folder.
pub async fn branches_at(
    folder: &Path,
    workspace: &Workspace,
    wanted: BTreeSet<BranchName>,
) -> BTreeSet<BranchName> {
    let mut there = BTreeSet::new();
    let Ok(found) = found_at(folder, workspace).await else { return there };
    for branch in wanted {
        if matches!(found.here().commit(&ref_of(&branch)).await, Ok(Some(_))) {
            there.insert(branch);
        }
    }
    there
}

/// The other workspace in which a session goes on with worktrees of the repository of a folder, as far as that can be read.
pub async fn session_elsewhere(folder: &Path, workspace: &Workspace, session: &FlowId) -> Option<PathBuf> {
    found_at(folder, workspace).await.ok()?.session_elsewhere(session).ok().flatten()
}

/// Whether the branches of a session may come onto this one in the repository of a folder.
///
/// # Errors
/// [`WorktreeError::Taken`] if it is checked out, or git takes it for no name; what git says.
pub async fn may_follow(folder: &Path, workspace: &Workspace, into: &str) -> Result<(), WorktreeError> {
    found_at(folder, workspace).await?.looked_at(into).await.map(drop)
}

async fn found_at(folder: &Path, workspace: &Workspace) -> Result<Repository, WorktreeError> {
    let env = environment(std::env::vars_os(), &[]);
    Repository::find(folder, workspace, &env, Clock::start()).await
}
