//! The workspace and its agents, as they are shown.

use super::hiring::HiredInfo;
use super::step::HistoryStepInfo;
use crate::engine::screen::reading::Dialog;
use crate::wire::message::view::MessageView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The workspace as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusInfo {
    /// The daemon; null if none is running.
    pub daemon: Option<DaemonInfo>,
    /// Agents in the order of the team file, the boss first; then those that were hired.
    pub agents: Vec<AgentInfo>,
    /// Number of messages that have not ended.
    pub open: usize,
    /// Number of open messages that wait in a queue.
    pub pending: usize,
    /// Number of open messages that wait for a person.
    pub held: usize,
    /// Number of unread messages to the user (`queue/inbox/`).
    #[serde(default)]
    pub unread: usize,
    /// Number of unread answers to the user's own tasks.
    #[serde(default)]
    pub unread_answers: usize,
    /// Time since which `queue/STOP` exists (RFC 3339).
    pub halted_since: Option<String>,
    /// Whether the tmux server is gone.
    pub tmux_lost: bool,
    /// Known faults, and what is done about them.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The five counts that a person looks at first.
    #[serde(default)]
    pub pulse: PulseInfo,
    /// Name of the workspace's folder.
    #[serde(default)]
    pub workspace: String,
    /// Number of the last step of the journal that is in this picture.
    #[serde(default)]
    pub seq: u64,
    /// Time of the picture (RFC 3339), by the clock that all other times are by.
    #[serde(default)]
    pub now: String,
}

/// The five counts that a person looks at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PulseInfo {
    /// Number of agents that work on a task.
    pub working: usize,
    /// Number of agents that wait for parts of their task.
    pub waiting: usize,
    /// Number of things that wait for a person.
    pub needs_you: usize,
    /// Number of tasks and of sessions that failed within a day and were not tried again; parts, and tasks of such sessions, are not
    /// counted.
    pub failed: usize,
    /// Number of agents of which it is not known what they do.
    pub stuck: usize,
}

impl PulseInfo {
    /// The marks of the five counts, in their order; each takes one column.
    pub const MARKS: [&'static str; 5] = ["◉", "⋯", "?", "✗", "~"];

    /// All five, as short as can be, with these marks.
    #[must_use]
    pub fn marked(&self, marks: [&str; 5]) -> String {
        let counts = self.counts().into_iter().zip(marks);
        counts.map(|(count, mark)| format!("{mark}{count}")).collect::<Vec<_>>().join(" ")
    }

    /// The same with [`Self::MARKS`].
    #[must_use]
    pub fn line(&self) -> String {
        self.marked(Self::MARKS)
    }

    /// Only what a person should know of: what waits for them, has failed or is stuck, where there is any.
    #[must_use]
    pub fn alarm(&self) -> String {
        let counts = self.counts().into_iter().zip(Self::MARKS).skip(2);
        let counts = counts.filter(|(count, _)| *count > 0);
        counts.map(|(count, mark)| format!("{mark}{count}")).collect::<Vec<_>>().join(" ")
    }

    fn counts(&self) -> [usize; 5] {
        [self.working, self.waiting, self.needs_you, self.failed, self.stuck]
    }
}

/// The daemon itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaemonInfo {
    /// Process id.
    pub pid: u32,
    /// Version of tasuki.
    pub version: String,
    /// Time since which it listens (RFC 3339).
    pub started_at: String,
    /// Path of its socket.
    pub socket: String,
}

/// All agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentList {
    /// Agents in the order of the team file, the boss first; then those that were hired.
    pub agents: Vec<AgentInfo>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInfo {
    /// Agent name.
    pub agent_name: String,
    /// State, as in the status file.
    pub state: String,
    /// Time since which it is in that state (RFC 3339); null if nobody has seen it begin.
    #[serde(default)]
    pub since: Option<String>,
    /// Time at which its limit is over, if it is `rate_limited` and that is known (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until: Option<String>,
    /// Reason of the state, if there is more to say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Last meaningful line of its pane, while it does something.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub doing: Option<String>,
    /// Dialog that it shows, if it waits for an answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<AsksInfo>,
    /// Name of whom it reports to: an agent, or `user`.
    #[serde(default)]
    pub reports_to: String,
    /// Id of the task that it works on.
    pub current_task: Option<String>,
    /// Number of parts of that task that have not ended.
    #[serde(default)]
    pub parts: usize,
    /// Pane in tmux.
    pub pane_id: Option<String>,
    /// Process id.
    pub pid: Option<u32>,
    /// Profile name.
    pub provider: String,
    /// How it came into the team, if it is not in the team file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hired: Option<HiredInfo>,
    /// Number of messages that wait for it.
    pub queued: usize,
    /// Time since which it runs (RFC 3339).
    pub up_since: Option<String>,
    /// Number of completed tasks.
    pub tasks_completed: u64,
    /// Number of failed tasks.
    pub tasks_failed: u64,
    /// Number of restarts.
    pub restarts: u64,
}

/// The dialog of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AsksInfo {
    /// Dialog id, as long as it is shown.
    pub id: String,
    /// Text of the dialog.
    pub text: String,
    /// Choices of the dialog.
    #[serde(default)]
    pub choices: Vec<String>,
}

impl From<&Dialog> for AsksInfo {
    fn from(dialog: &Dialog) -> Self {
        Self { id: dialog.id(), text: dialog.text.clone(), choices: dialog.choices.clone() }
    }
}

/// One agent, its task and its queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentDetails {
    /// The agent.
    pub agent: AgentInfo,
    /// Message that it works on.
    pub current: Option<MessageView>,
    /// Messages that wait for it, in the order in which they go.
    pub queue: Vec<MessageView>,
    /// Messages that wait for others to be completed before they go to it.
    pub kept_back: Vec<MessageView>,
}

/// The history of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentHistoryInfo {
    /// Agent name.
    pub agent_name: String,
    /// What happened, oldest first.
    pub story: Vec<HistoryStepInfo>,
    /// What it does now; null if no daemon is running.
    pub now: Option<String>,
    /// Number of lines of the journal that could not be understood.
    pub unread: u64,
}

/// The team in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamInfo {
    /// Agents in the order of the team file; then those that were hired.
    pub members: Vec<MemberInfo>,
    /// Pools.
    pub pools: Vec<PoolInfo>,
    /// Name of the tmux session.
    pub session: String,
}

/// A member of the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemberInfo {
    /// Agent name.
    pub agent_name: String,
    /// Other names of it.
    pub aliases: Vec<String>,
    /// Name of whom it reports to: an agent, or `user`.
    pub reports_to: String,
    /// Profile name.
    pub provider: String,
    /// Working time that a turn may take, such as 30m.
    pub timeout: String,
    /// Whether its turns have tokens.
    pub token: bool,
}

/// A pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PoolInfo {
    /// Pool name.
    pub name: String,
    /// Names of its members.
    pub members: Vec<String>,
}
