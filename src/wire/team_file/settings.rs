//! What a team file means.

use super::file::AgentEntry;
use super::general::General;
use super::launch::Launch;
use super::notify::NotifySettings;
use super::profile::Profile;
use super::worktrees::TreeSetup;
use crate::engine::team::Team;
use crate::engine::words::AgentName;
use crate::wire::zone::ZoneSpec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A whole, checked team file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The team as the engine knows it.
    pub team: Team,
    /// The members in the order in which they stand there: the boss first.
    pub order: Vec<AgentName>,
    /// Name of the tmux session.
    pub session: String,
    /// Which tmux server.
    pub tmux_socket: TmuxSocket,
    /// How each member is started. Shared: a launch has a whole environment, and a large team has a hundred.
    pub launches: BTreeMap<AgentName, Arc<Launch>>,
    /// What is written of each member, for those that are hired like it.
    pub(super) entries: Entries,
    /// Every profile by name, those that no agent has included.
    pub profiles: BTreeMap<String, Profile>,
    /// What holds for the whole team; its `limits` are those of `team`.
    pub general: General,
    /// The command that is told when something waits for a person.
    pub notify: Option<Arc<NotifySettings>>,
    /// What is done in a fresh worktree. Shared: each job that makes one has it.
    pub setup: Arc<TreeSetup>,
    /// The drop zones besides `queue/`.
    pub queues: Vec<ZoneSpec>,
}

/// What is written of each member. Two files mean the same whatever is written in them: members and launches say what they mean.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries(pub(super) BTreeMap<AgentName, Arc<AgentEntry>>);

impl PartialEq for Entries {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Entries {}

/// Which tmux server the team lives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TmuxSocket {
    /// A server of its own under this name (`tmux -L NAME`).
    Private(String),
    /// The user's own.
    Users,
}
