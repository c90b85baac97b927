//! What goes over the socket, as JSON. Field names are those of the files (protocol, a message and status file).

use crate::engine::screen::reading::Dialog;
use crate::wire::message::view::MessageView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to every request that fails.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Problem {
    /// Error code: a code of refusals, or one of this page.
    pub code: String,
    /// What is wrong, in a sentence.
    pub why: String,
    /// What to do about it.
    pub cure: String,
    /// Index of the document in the body, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<usize>,
    /// Key that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Line in the body, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Column in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// The answer to accepted messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// Message ids in the order of the body, duplicates included.
    pub ids: Vec<String>,
    /// Ids of messages that were known already, unchanged, and were dropped.
    pub duplicates: Vec<String>,
    /// Whether they are on the disk. Always true: the answer waits for it.
    pub durable: bool,
}

/// The answer to a command that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// What was done, in words.
    pub what: String,
    /// Id of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
}

/// All open messages, by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageList {
    /// The messages.
    pub messages: Vec<MessageView>,
}

/// The end of a wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waited {
    /// Whether the message got as far as was asked. If not, the time was up.
    pub reached: bool,
    /// The message now.
    pub message: MessageView,
}

/// What a wait is for, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitQuery {
    /// What to wait for: delivered, ended or moved. Default: ended
    pub until: Option<String>,
    /// With moved: the stage that it must have left.
    pub stage: Option<String>,
    /// Longest wait, such as 30s. Default and maximum: 60s
    pub timeout: Option<String>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInfo {
    /// Agent name.
    pub agent_name: String,
    /// State, as in the status file.
    pub state: String,
    /// Reason of the state, if there is more to say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Dialog that it shows, if it waits for an answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<AsksInfo>,
    /// Id of the task that it works on.
    pub current_task: Option<String>,
    /// Pane in tmux.
    pub pane_id: Option<String>,
    /// Process id.
    pub pid: Option<u32>,
    /// Profile name.
    pub provider: String,
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

/// The workspace as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusInfo {
    /// The daemon; null if none is running.
    pub daemon: Option<DaemonInfo>,
    /// Agents, by name.
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
    /// Time since which `queue/STOP` exists (RFC 3339).
    pub halted_since: Option<String>,
    /// Whether the tmux server is gone.
    pub tmux_lost: bool,
    /// Known faults, and what is done about them.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The answer of a daemon that listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Always true: the socket answers. Whether the daemon works on is in `status`.
    pub ok: bool,
    /// The daemon.
    pub daemon: DaemonInfo,
}

/// An agent's answer to its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplyBody {
    /// Answer text.
    pub text: String,
    /// Whether the task could not be done.
    #[serde(default)]
    pub failed: bool,
}

/// Creates or removes `queue/STOP`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HaltBody {
    /// Whether typing is held.
    pub on: bool,
}

/// Ends the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DownBody {
    /// Whether the agents keep running for the next daemon.
    pub keep_agents: bool,
}

/// A line to type into a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneSendBody {
    /// Line to type. Enter is pressed after it.
    pub text: String,
    /// Whether it may be several lines, each with Enter.
    #[serde(default)]
    pub lines: bool,
    /// Whether to type in spite of a running turn, unsent text, or a person who types.
    #[serde(default)]
    pub force: bool,
    /// Longest wait for the guards, such as 30s; at most an hour. Default: no wait
    #[serde(default)]
    pub wait: Option<String>,
}

/// A text to wait for in a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PaneWaitBody {
    /// Text to wait for. Default: the agent's phrase
    pub text: Option<String>,
    /// Whether text that the screen shows already counts. Otherwise it must be printed from now on.
    pub shown: bool,
    /// Longest wait, such as 30s. Default: 30s. Maximum: 1h
    pub timeout: Option<String>,
}

/// How a message is cancelled, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CancelQuery {
    /// Whether the agent may finish its running turn. Otherwise the turn is interrupted.
    pub let_finish: bool,
}

/// How much of a pane is read, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneQuery {
    /// Number of history lines above the screen.
    pub history: Option<u32>,
}

/// What a pane shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneText {
    /// Rows of the pane.
    pub text: String,
    /// Whether the text did not appear in time.
    #[serde(default)]
    pub timed_out: bool,
}

/// The answer to a typed line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneTyped {
    /// Whether the pane showed the line before Enter was pressed.
    pub proven: bool,
}

/// A screen, and how the rules of its profile read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneLookInfo {
    /// State: ready, busy, draft, `waiting_input`, `rate_limited`, error or unknown.
    pub state: String,
    /// Rule that matched, or a dash.
    pub rule: String,
    /// Version of the program that the rules are for; none if the profile has no rules.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// Rows that matched, counted from 0.
    pub matched: Vec<usize>,
    /// Rows of the screen.
    pub rows: Vec<String>,
    /// Title of the pane.
    pub title: String,
    /// Column and row of the cursor, from 0.
    pub cursor: (u16, u16),
    /// Text of its input box; none if no box is shown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<String>,
    /// Dialog that it shows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<AsksInfo>,
    /// What answers the dialog: `choice`, `text`, or `nothing` if only its pane does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub takes: Option<String>,
    /// Why nothing may be typed now.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
}

/// An answer to an agent's dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneAnswerBody {
    /// `yes`, `no`, the number of a choice, or its first words.
    pub choose: String,
    /// Dialog id. Default: whichever dialog is shown
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<String>,
}

/// The answer to an answered dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneAnswered {
    /// The choice.
    pub choice: String,
    /// Whether the dialog was gone after Enter.
    pub proven: bool,
}

/// Whether a pane is ready for a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneReady {
    /// Whether it is ready.
    pub ready: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// What to do about it, if waiting is not enough.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cure: Option<String>,
}
