//! The team file and what goes with it: settings, workspace, lock, the default team.

mod broken;
mod default_team;
mod documents;
mod good;
mod hiring;
mod large;
mod lock;
mod profile_files;
mod prompts;
mod queues;
pub(crate) mod support;
mod workspace;
mod worktrees;
