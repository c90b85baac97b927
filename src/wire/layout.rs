//! Where everything of a workspace lies. The layout is the contract's; every name that goes into a path is a checked type.

use crate::engine::words::{AgentName, MessageId};
use crate::wire::clean::escape;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Name of the team file; the folder that has one is a workspace.
pub const TEAM_FILE: &str = "tasuki.yaml";
/// Name of the folder of what a daemon remembers.
pub(crate) const MEMORY: &str = ".tasuki";

/// A folder with a team file, or one that is to get one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
}

/// What tasuki takes from the process that it is: read once and passed by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The environment.
    pub vars: BTreeMap<OsString, OsString>,
    /// The folder the command was given in.
    pub cwd: PathBuf,
    /// The `tasuki` binary that runs.
    pub exe: PathBuf,
    /// The user's own workspace: the XDG data folder of tasuki, if the user has a home.
    pub home: Option<PathBuf>,
    /// Where the user's own profiles are: the XDG configuration folder of tasuki, if the user has a home.
    pub config: Option<PathBuf>,
    /// The folder for temporary files.
    pub temp: PathBuf,
    /// The number of the user.
    pub uid: u32,
}

impl Surroundings {
    /// A variable that is set and not empty.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }
}

impl Workspace {
    /// The workspace in this folder, whose path is absolute and without links.
    ///
    /// # Errors
    /// The path, if it is not UTF-8 or has control characters.
    pub(crate) fn rooted(root: PathBuf) -> Result<Self, PathBuf> {
        match root.to_str() {
            Some(text) if !text.chars().any(char::is_control) => Ok(Self { root }),
            _ => Err(root),
        }
    }

    /// The folder itself: absolute, without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder as text; it is UTF-8 without control characters.
    #[must_use]
    pub fn root_text(&self) -> &str {
        self.root.to_str().unwrap_or_default()
    }

    /// Sixteen hex digits that stand for the root where a path is too long: 64 bits of its SHA-256.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_of(self.root_text())
    }

    /// `tasuki.yaml`.
    #[must_use]
    pub fn team_file(&self) -> PathBuf {
        self.root.join(TEAM_FILE)
    }

    /// `queue/`: where drops are put.
    #[must_use]
    pub fn queue(&self) -> PathBuf {
        self.root.join("queue")
    }

    /// `queue/active/`: accepted and not finished.
    #[must_use]
    pub fn active(&self) -> PathBuf {
        self.root.join("queue/active")
    }

    /// `queue/active/ID.yaml`: where an agent reads its task.
    #[must_use]
    pub fn active_file(&self, id: &MessageId) -> PathBuf {
        self.active().join(yaml(id.as_str()))
    }

    /// `queue/results/`: the answers.
    #[must_use]
    pub fn results(&self) -> PathBuf {
        self.root.join("queue/results")
    }

    /// `queue/results/ID.yaml`: the answer to task ID.
    #[must_use]
    pub fn result_file(&self, task: &MessageId) -> PathBuf {
        self.results().join(yaml(task.as_str()))
    }

    /// `queue/done/`: a folder a day.
    #[must_use]
    pub fn done(&self) -> PathBuf {
        self.root.join("queue/done")
    }

    /// `queue/inbox/`: messages to the user that nobody has read yet.
    #[must_use]
    pub fn inbox(&self) -> PathBuf {
        self.root.join("queue/inbox")
    }

    /// `queue/inbox/ID.yaml`: message ID, as long as it is not read.
    #[must_use]
    pub fn letter_file(&self, id: &MessageId) -> PathBuf {
        self.inbox().join(yaml(id.as_str()))
    }

    /// `queue/rejected/`: what could not be accepted, and why.
    #[must_use]
    pub fn rejected(&self) -> PathBuf {
        self.root.join("queue/rejected")
    }

    /// `queue/lost/`: open messages that the journal does not know.
    #[must_use]
    pub fn lost(&self) -> PathBuf {
        self.root.join("queue/lost")
    }

    /// `queue/STOP`: while it exists nothing is typed.
    #[must_use]
    pub fn stop_file(&self) -> PathBuf {
        self.root.join("queue/STOP")
    }

    /// `status/`: the dashboard.
    #[must_use]
    pub fn status(&self) -> PathBuf {
        self.root.join("status")
    }

    /// `status/daemon.yaml`.
    #[must_use]
    pub fn daemon_status(&self) -> PathBuf {
        self.root.join("status/daemon.yaml")
    }

    /// `status/agents/`.
    #[must_use]
    pub fn agents_status(&self) -> PathBuf {
        self.root.join("status/agents")
    }

    /// `status/agents/NAME.yaml`: the snapshot of one agent.
    #[must_use]
    pub fn agent_status(&self, agent: &AgentName) -> PathBuf {
        self.agents_status().join(yaml(agent.as_str()))
    }

    /// `status/agents/NAME.log`: one line a change.
    #[must_use]
    pub fn agent_log(&self, agent: &AgentName) -> PathBuf {
        self.agents_status().join(format!("{agent}.log"))
    }

    /// `status/activity.log`: the same for the whole team.
    #[must_use]
    pub fn activity_log(&self) -> PathBuf {
        self.root.join("status/activity.log")
    }

    /// `.tasuki/`: what the daemon remembers.
    #[must_use]
    pub fn memory(&self) -> PathBuf {
        self.root.join(MEMORY)
    }

    /// `.tasuki/sessions/`, the documents of sessions.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.memory().join("sessions")
    }

    /// `.tasuki/agents/NAME`: what an agent's program finds there, and what is kept of it.
    #[must_use]
    pub fn agent_folder(&self, agent: &str) -> PathBuf {
        self.memory().join("agents").join(agent)
    }

    /// `.tasuki/journal/`: the truth.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.root.join(".tasuki/journal")
    }

    /// `.tasuki/claim/`: drops that were taken and are not in the journal yet.
    #[must_use]
    pub fn claim(&self) -> PathBuf {
        self.root.join(".tasuki/claim")
    }

    /// `.tasuki/lock`: held while a daemon lives.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.root.join(".tasuki/lock")
    }

    /// `.tasuki/frames/`: what panes showed when their states changed.
    #[must_use]
    pub fn frames(&self) -> PathBuf {
        self.root.join(".tasuki/frames")
    }

    /// `protocol/profiles/`: the workspace's own profiles.
    #[must_use]
    pub fn profiles(&self) -> PathBuf {
        self.root.join("protocol/profiles")
    }

    /// `.tasuki/daemon.log`.
    #[must_use]
    pub fn daemon_log(&self) -> PathBuf {
        self.root.join(".tasuki/daemon.log")
    }

    /// `.tasuki/web.yaml`: the port for browsers and its tokens.
    #[must_use]
    pub fn web_file(&self) -> PathBuf {
        self.root.join(".tasuki/web.yaml")
    }

    /// `.tasuki/open.html`: leads the user's browser to the page, with its token.
    #[must_use]
    pub fn opening_file(&self) -> PathBuf {
        self.root.join(".tasuki/open.html")
    }

    /// `.tasuki/notified.json`: what the command of `notify:` was told.
    #[must_use]
    pub fn notified_file(&self) -> PathBuf {
        self.root.join(".tasuki/notified.json")
    }

    /// `.tasuki/answers_read.json`: up to where a person has read the answers to their tasks.
    #[must_use]
    pub fn answers_read_file(&self) -> PathBuf {
        self.root.join(".tasuki/answers_read.json")
    }

    /// `.tasuki/dismissed/`: what a person has put aside of what waits.
    #[must_use]
    pub fn dismissed(&self) -> PathBuf {
        self.root.join(".tasuki/dismissed")
    }

    /// `.tasuki/debates/`: a folder for each debate.
    #[must_use]
    pub fn debates(&self) -> PathBuf {
        self.root.join(".tasuki/debates")
    }

    /// `.tasuki/trash/`: what was removed, until its age limit.
    #[must_use]
    pub fn trash(&self) -> PathBuf {
        self.root.join(".tasuki/trash")
    }
}

/// What [`Workspace::hash`] gives for the workspace at `root`.
#[must_use]
pub fn hash_of(root: &str) -> String {
    let digest = Sha256::digest(root.as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn yaml(stem: &str) -> String {
    format!("{stem}.yaml")
}

/// A path for a person: nothing in it is done by a terminal.
pub(crate) fn plain(path: &Path) -> String {
    escape(&path.to_string_lossy())
}
