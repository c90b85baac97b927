//! What the command of `notify:` is given on its standard input.

use super::needs::{CureInfo, NeedInfo, NeedKindInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the command of `notify:` is given on its standard input: one JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Notification")]
pub struct NotifyInfo {
    /// Name of the workspace's folder.
    pub workspace: String,
    /// Path of the workspace.
    pub root: String,
    /// Time of the call (RFC 3339).
    pub at: String,
    /// What is reported, at least one event: what began first comes first.
    pub events: Vec<NotifyEventInfo>,
}

/// One thing that waits for a person, or a task that is completed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Event")]
pub struct NotifyEventInfo {
    /// What kind of thing.
    pub kind: NotifyKind,
    /// Id of the need, as in `tasuki needs --json`, or `completed.ID` for task ID.
    pub id: String,
    /// What it is, in one line.
    pub title: String,
    /// More about it, in one line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
    /// Agent that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// Id of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// Time since which it waits, or at which the task was completed (RFC 3339).
    pub since: String,
    /// What can be done, none of it recommended over the others.
    #[serde(default)]
    pub cures: Vec<CureInfo>,
}

/// What may be reported: the kinds of what waits for a person, and completed tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotifyKind {
    /// An agent asks something.
    Asks,
    /// It is not known whether a message was delivered.
    Held,
    /// An agent shows an error, such as an expired login.
    Error,
    /// An agent has ended and is not started again.
    Ended,
    /// An agent's turn is over without a claim, and it was reminded in vain.
    Silent,
    /// A person's unsent words stand in an agent's input.
    Draft,
    /// A limit is to pass by itself.
    Limit,
    /// Everything is on hold.
    Halted,
    /// A task failed.
    Failed,
    /// A dropped file was refused.
    Refused,
    /// A message is in `queue/lost/`.
    Lost,
    /// A message to the user is unread.
    Unread,
    /// A task of the user's is completed. Parts of it are not reported.
    Completed,
}

impl From<NeedKindInfo> for NotifyKind {
    fn from(kind: NeedKindInfo) -> Self {
        match kind {
            NeedKindInfo::Asks => Self::Asks,
            NeedKindInfo::Held => Self::Held,
            NeedKindInfo::Error => Self::Error,
            NeedKindInfo::Ended => Self::Ended,
            NeedKindInfo::Silent => Self::Silent,
            NeedKindInfo::Draft => Self::Draft,
            NeedKindInfo::Limit => Self::Limit,
            NeedKindInfo::Halted => Self::Halted,
            NeedKindInfo::Failed => Self::Failed,
            NeedKindInfo::Refused => Self::Refused,
            NeedKindInfo::Lost => Self::Lost,
            NeedKindInfo::Unread => Self::Unread,
        }
    }
}

impl From<&NeedInfo> for NotifyEventInfo {
    fn from(need: &NeedInfo) -> Self {
        Self {
            kind: need.kind.into(),
            // Each letter is news, though those that are unread are one thing to see to.
            id: match (&need.message, need.kind) {
                (Some(newest), NeedKindInfo::Unread) => format!("{}.{newest}", need.id),
                _ => need.id.clone(),
            },
            title: need.title.clone(),
            detail: need.detail.clone(),
            agent: need.agent.clone(),
            message: need.message.clone(),
            since: need.since.clone(),
            cures: need.cures.clone(),
        }
    }
}

/// The JSON Schema of what the command of `notify:` is given.
#[must_use]
pub fn notify_schema() -> serde_json::Value {
    schemars::schema_for!(NotifyInfo).to_value()
}
