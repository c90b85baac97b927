//! Worktrees in which agents work: `.orchestrator-worktrees/FOLDER/` on a branch `agent/NAME` of its own.
//!
//! `make.rs` makes one, `set_up.rs` makes it ready, `astray.rs` sees to it that commits come onto its
//! branch, `look.rs` says what was done in it and what stands in the way of its removal,
//! `removal.rs` puts it into the trash, `restore.rs` gets it back. `bring.rs` merges branches in one of tasuki's own, `catch_up.rs` in
//! one in which an agent goes on. Each first looks how far it is
//! (`record.rs`), so that it may be asked again after any kill. One writes to a repository at a time (`hold.rs`).

mod again;
mod astray;
mod bring;
mod catch_up;
mod copies;
mod copy;
mod elsewhere;
mod end;
mod error;
mod exclude;
mod git;
mod gone;
mod half;
mod hold;
mod left;
mod left_locks;
mod list;
mod look;
mod make;
mod merge;
mod names;
mod obstacle;
mod of_session;
mod pull;
mod record;
mod removal;
mod repository;
mod restore;
mod set_up;
mod submodules;
#[cfg(test)]
mod tests;
mod trash;

pub use bring::{Clash, Gathering, Merge};
pub use error::WorktreeError;
pub use list::{Listed, ListedState, Pruned};
pub use look::{Work, WorkCommit, WorkFile};
pub use make::Worktree;
pub use obstacle::{Obstacle, moved_to};
pub use of_session::{
    branches_at, demand_repository, may_follow, repository_at, repository_of, repository_with_top,
    session_elsewhere,
};
pub use pull::{PullOpen, PullWanted, VARIABLES as PULL_VARIABLES};
pub use repository::{Repository, WORKTREES};
pub use trash::Trashed;
