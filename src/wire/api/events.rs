//! What happens, as a stream: steps of the journal, and beside them what is shown and is no step.

use super::agents::{AgentInfo, DaemonInfo, PulseInfo};
use super::needs::NeedsInfo;
use super::step::EventInfo;
use crate::wire::message::view::MessageView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What of all that happens is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EventsQuery {
    /// Agent that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Id of the message that it is about; its parts are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What happens: accepted, duplicate, refused, moved, said, based, claimed, checked, ended, session, agent or
    /// halted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Number of the step behind which it begins, where there is no `Last-Event-ID`. Default: what happens from now on
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Whether `view` events are sent too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub view: bool,
}

/// A step of the journal (`event: step`, its number is the event's id).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepInfo {
    /// Number of the step in the journal.
    pub seq: u64,
    /// Time (RFC 3339).
    pub at: String,
    /// What happened in it, as far as it was asked for.
    pub events: Vec<EventInfo>,
}

/// Nothing can be told from there on: the journal does not reach back so far (`event: reset`). Ask for the state anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResetInfo {
    /// Number of the step from which on it goes on.
    pub seq: u64,
}

/// What is shown and has changed (`event: view`, without an id: it is the state now, and no step of the journal). At most ten a
/// second.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ViewInfo {
    /// Whether it is all that there is, and not only what has changed: the first of a stream is.
    pub whole: bool,
    /// Number of the last step of the journal that is in it.
    pub seq: u64,
    /// Time (RFC 3339).
    pub now: String,
    /// The workspace, if anything of it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceInfo>,
    /// Agents that have changed, each whole; their order is that of the team file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentInfo>,
    /// Names of all agents in their order, if that has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// Open messages that have changed, and those that have ended since, each whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageView>,
    /// What waits for a person, if more of that has changed than `behind`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsInfo>,
    /// The new `behind_count` of needs, by their ids, where nothing else about what waits has changed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub behind: BTreeMap<String, usize>,
}

/// The workspace without its agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceInfo {
    /// Name of the workspace's folder.
    pub name: String,
    /// The daemon.
    pub daemon: Option<DaemonInfo>,
    /// The five counts that a person looks at first.
    pub pulse: PulseInfo,
    /// Number of messages that have not ended.
    pub open: usize,
    /// Number of open messages that wait in a queue.
    pub pending: usize,
    /// Number of open messages that wait for a person.
    pub held: usize,
    /// Number of unread messages to the user.
    pub unread: usize,
    /// Number of unread answers to the user's own tasks.
    #[serde(default)]
    pub unread_answers: usize,
    /// Time since which `queue/STOP` exists (RFC 3339).
    pub halted_since: Option<String>,
    /// Whether the tmux server is gone.
    pub tmux_lost: bool,
    /// Known faults, and what is done about them.
    pub notes: Vec<String>,
}

/// How a screen is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScreenQuery {
    /// Whether it is sent again whenever it changes, at most ten times a second, as events `screen`; `gone` ends it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub follow: bool,
}

/// What an agent's screen shows, cell by cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenInfo {
    /// Agent name.
    pub agent_name: String,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Column and row of the cursor, from 0; null if it is hidden.
    pub cursor: Option<(u16, u16)>,
    /// Title of the pane.
    pub title: String,
    /// How the screen is read: ready, busy, draft, `waiting_input`, `rate_limited`, error or unknown.
    pub state: String,
    /// Rule that matched, or a dash.
    pub rule: String,
    /// Dialog that it shows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<super::agents::AsksInfo>,
    /// Rows, each in runs of one style.
    pub rows: Vec<Vec<RunInfo>>,
}

/// A run of cells of one style.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunInfo {
    /// Text, without control characters.
    pub text: String,
    /// Columns that it takes.
    pub columns: u16,
    /// Colour of the text: `0` to `15`, or `#rrggbb`; none for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fg: Option<String>,
    /// Colour behind the text, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bg: Option<String>,
    /// Its style: bold, dim, italic, underline, inverse or strike.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub style: Vec<String>,
}
