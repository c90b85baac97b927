//! One thing that happened: as an event of a stream, and as a step of a history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventInfo {
    /// What kind of thing: accepted, duplicate, refused, moved, said, based, claimed, checked, ended, session, agent or
    /// halted.
    #[serde(default)]
    pub kind: String,
    /// What happened, in one word: accepted, typing, delivered, read, asked, claimed, verified, retrying, held, ended and so on.
    #[serde(default)]
    pub what: String,
    /// Id of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// Agent that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// How it is known, if there is evidence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<String>,
    /// Number of the turn, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<u16>,
    /// What happened, in a sentence.
    pub text: String,
}

/// One step of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryStepInfo {
    /// Time (RFC 3339).
    pub at: String,
    /// Number of the step in the journal.
    pub seq: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: EventInfo,
}
