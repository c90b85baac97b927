//! Who is to do a step where somebody is hired for it, and who did one.

use crate::engine::form::is_default;
use crate::engine::life::CompletionSource;
use crate::engine::team::roster::Like;
use crate::engine::words::{AgentName, PaneId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How the agent of a step is made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepHire {
    /// From what; none until the flow is opened, which then says it.
    #[serde(flatten)]
    pub like: Option<Like>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub model: Option<String>,
    /// Variables over those of its kind.
    #[serde(default, skip_serializing_if = "is_default")]
    pub env: BTreeMap<String, String>,
}

/// Who did a step, as it was when that ended: its agent may be another process by the time somebody asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepWorker {
    pub agent: AgentName,
    /// Name of its profile.
    #[serde(default, skip_serializing_if = "is_default")]
    pub provider: String,
    /// Its pane, if it still had one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pane: Option<PaneId>,
    /// Its process, if it still ran.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pid: Option<u32>,
    /// How it is known that it is done; none where nobody answered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub source: Option<CompletionSource>,
}
