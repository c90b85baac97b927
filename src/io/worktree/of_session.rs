//! Whether a session may have worktrees: the repository that its workspace is in, and the commit at which that is.

use super::repository::Repository;
use crate::engine::flow::tree::FlowRepository;
use crate::io::clock::Clock;
use crate::io::evidence::environment;
use crate::io::workspace::Workspace;
use std::path::Path;

/// The repository of a workspace, if it is in one in which worktrees can be made.
pub async fn repository_of(workspace: &Workspace) -> Option<FlowRepository> {
    repository_at(workspace.root(), workspace).await
}

/// The same of a folder that need not be the workspace.
pub async fn repository_at(folder: &Path, workspace: &Workspace) -> Option<FlowRepository> {
    let env = environment(std::env::vars_os(), &[]);
    match Repository::find(folder, workspace, &env, Clock::start()).await {
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
