//! What goes over the socket, as JSON. Field names are those of the files (protocol, a message and status file).

use crate::engine::screen::reading::Dialog;
use crate::wire::message::view::MessageView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What every request gets that is not done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Problem {
    /// The class: a word of the table in durability, or one of this page.
    pub code: String,
    /// What is wrong, in a sentence.
    pub why: String,
    /// What to do about it.
    pub cure: String,
    /// Which document of the body, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<usize>,
    /// The key that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Line in the body, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Column in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// Messages were accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// Their ids in the order of the body; of duplicates too.
    pub ids: Vec<String>,
    /// Those that were known already, unchanged, and were dropped.
    pub duplicates: Vec<String>,
    /// That they are on the disk. Always true: the answer waits for it.
    pub durable: bool,
}

/// Something was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// What, in words.
    pub what: String,
    /// The message that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
}

/// All open messages, by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageList {
    /// Each of them.
    pub messages: Vec<MessageView>,
}

/// The end of a wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waited {
    /// Whether the message got as far as was asked; if not, the time was up.
    pub reached: bool,
    /// The message now.
    pub message: MessageView,
}

/// What a wait is for, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitQuery {
    /// delivered, ended or moved; ended if it is left out.
    pub until: Option<String>,
    /// With moved: the stage that it must have left.
    pub stage: Option<String>,
    /// For how long: a duration such as 30s; at most 60 s, which is also the default.
    pub timeout: Option<String>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInfo {
    /// Its name.
    pub agent_name: String,
    /// The word of the status file.
    pub state: String,
    /// Why, where there is more to say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// What it asks, where it waits for somebody's answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<AsksInfo>,
    /// What it works on.
    pub current_task: Option<String>,
    /// Its pane in tmux.
    pub pane_id: Option<String>,
    /// Its process.
    pub pid: Option<u32>,
    /// Name of its profile.
    pub provider: String,
    /// Messages that wait for it.
    pub queued: usize,
    /// Since when it runs (RFC 3339).
    pub up_since: Option<String>,
    /// Tasks that ended well.
    pub tasks_completed: u64,
    /// Tasks that did not.
    pub tasks_failed: u64,
    /// Times it was started again.
    pub restarts: u64,
}

/// What an agent asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AsksInfo {
    /// A name for it, as long as it is asked.
    pub id: String,
    /// Its words.
    pub text: String,
    /// What may be chosen.
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
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// Since when it listens (RFC 3339).
    pub started_at: String,
    /// Where it listens.
    pub socket: String,
}

/// The workspace as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusInfo {
    /// The daemon; none where none runs.
    pub daemon: Option<DaemonInfo>,
    /// Its members, by name.
    pub agents: Vec<AgentInfo>,
    /// Messages that have not ended.
    pub open: usize,
    /// Of these, how many wait in a queue.
    pub pending: usize,
    /// Of these, how many wait for a person.
    pub held: usize,
    /// Messages to the user that nobody has read yet (`queue/inbox/`).
    #[serde(default)]
    pub unread: usize,
    /// Since when `queue/STOP` holds everything (RFC 3339).
    pub halted_since: Option<String>,
    /// Whether the tmux server is gone.
    pub tmux_lost: bool,
    /// What does not work as it should, and what is done instead.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The daemon listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Always true: a daemon that is not well does not answer.
    pub ok: bool,
    /// The daemon.
    pub daemon: DaemonInfo,
}

/// An agent's answer to its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplyBody {
    /// What it answers.
    pub text: String,
    /// Whether it could not do it.
    #[serde(default)]
    pub failed: bool,
}

/// Make or remove `queue/STOP`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HaltBody {
    /// Whether nothing is to be typed.
    pub on: bool,
}

/// End the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DownBody {
    /// Leave the agents running for the next daemon.
    pub keep_agents: bool,
}

/// A line for a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneSendBody {
    /// The line; Enter is pressed after it.
    pub text: String,
    /// Whether it may be several lines, each of them entered.
    #[serde(default)]
    pub lines: bool,
    /// Whether it is typed though something stands in the way: a turn under way, a draft, a person who types.
    #[serde(default)]
    pub force: bool,
    /// For how long a moment to type in is waited for, such as 30s; at most an hour. Without it, not at all.
    #[serde(default)]
    pub wait: Option<String>,
}

/// A text to wait for in a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PaneWaitBody {
    /// The text; the agent's phrase if it is left out.
    pub text: Option<String>,
    /// A duration such as 30s, which is also the default; at most an hour.
    pub timeout: Option<String>,
}

/// How a message is called off, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CancelQuery {
    /// Whether its agent may finish the turn that is under way; else that is broken off.
    pub let_finish: bool,
}

/// How much of a pane is read, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneQuery {
    /// Lines of history above the screen.
    pub history: Option<u32>,
}

/// What a pane shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneText {
    /// Its rows.
    pub text: String,
    /// Whether what was waited for did not come.
    #[serde(default)]
    pub timed_out: bool,
}

/// A line was typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneTyped {
    /// Whether the pane showed it before Enter was pressed.
    pub proven: bool,
}

/// A screen, and what the rules of its profile make of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneLookInfo {
    /// ready, busy, draft, `waiting_input`, `rate_limited`, error or unknown.
    pub state: String,
    /// The rule that says so, or a dash.
    pub rule: String,
    /// The version of the program that the rules are for; none where the profile has no rules.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// The rows that matched it, counted from 0.
    pub matched: Vec<usize>,
    /// The rows of the screen.
    pub rows: Vec<String>,
    /// The pane's title.
    pub title: String,
    /// Column and row of the cursor, from 0.
    pub cursor: (u16, u16),
    /// What stands in its input box; none where no box is shown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<String>,
    /// What it asks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<AsksInfo>,
    /// What answers it: `choice`, `text`, or `nothing` where only its pane does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub takes: Option<String>,
    /// Why nothing may be typed now.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
}

/// An answer to what an agent asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneAnswerBody {
    /// yes, no, the number of a choice, or the words that one begins with.
    pub choose: String,
    /// The `id` of what is answered; whatever is asked if it is left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<String>,
}

/// An answer was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneAnswered {
    /// The choice.
    pub choice: String,
    /// Whether the dialog went after Enter.
    pub proven: bool,
}

/// Whether a pane may be typed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneReady {
    /// Whether it may.
    pub ready: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// What to do about it, where waiting is not enough.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cure: Option<String>,
}
