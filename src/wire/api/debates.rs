//! Debates: what is asked about them. What is answered are the documents themselves (`wire/debate/document`).

use crate::wire::debate::document::DebateStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All debates that are known, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebateList {
    /// The debates.
    pub debates: Vec<DebateInfo>,
}

/// A debate in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebateInfo {
    /// Its id, a UUID.
    pub debate_id: String,
    /// First line of its task.
    #[serde(default)]
    pub title: String,
    /// How far it is.
    pub status: DebateStatus,
    /// Round that is under way, or was the last one; 0 before the first.
    #[serde(default)]
    pub current_round: u8,
    /// How many rounds it has.
    #[serde(default)]
    pub rounds: u8,
    /// Ids of its roles.
    #[serde(default)]
    pub roles: Vec<String>,
    /// Time at which it began (RFC 3339).
    #[serde(default)]
    pub created_at: String,
    /// Time of its last change (RFC 3339).
    #[serde(default)]
    pub updated_at: String,
}

/// Asks for all debates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DebatesQuery {}

/// Asks for one debate in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DebateQuery {
    /// Id of the debate, or the beginning of it that no other has.
    pub id: String,
}

/// Asks how far a debate is, with all that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DebateProgressQuery {
    /// Id of the debate, or the beginning of it that no other has.
    pub id: String,
}

/// Asks for what was said in one round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DebateRoundQuery {
    /// Id of the debate, or the beginning of it that no other has.
    pub id: String,
    /// The round, from 1 on.
    pub n: u8,
}
