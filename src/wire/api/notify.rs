//! What the command of `notify:` is given on its standard input.

use super::kinds::{NeedKindInfo, NotifyKind};
use super::needs::{CureInfo, NeedInfo};
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
