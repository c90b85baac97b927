//! A flow as it was opened, without its steps.

use super::debate::Debate;
use super::id::FlowId;
use super::plan::OnFailure;
use super::tree::FlowRepository;
use crate::engine::form::is_default;
use crate::engine::words::{AgentName, Millis};
use serde::{Deserialize, Serialize};

/// What a flow was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowKind {
    /// A plan.
    #[default]
    Session,
    /// Roles that speak in rounds.
    Debate,
}

impl FlowKind {
    /// The word for such a flow.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Debate => "debate",
        }
    }
}

/// A flow as it was opened, without its steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowHead {
    pub id: FlowId,
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: FlowKind,
    /// Who asked for it.
    pub owner: AgentName,
    /// Who splits what was asked for in words, and is the model of those hired for what names nobody.
    #[serde(default, skip_serializing_if = "is_default")]
    pub master: Option<AgentName>,
    /// What it is called, in one line.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_failure: OnFailure,
    /// How many steps are under way at the same time; 0 is as many as there are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parallel: u16,
    /// Where its worktrees are made, if it has any.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repository: Option<Box<FlowRepository>>,
    /// Whether the steps that its master has planned wait until somebody lets it go on, as long as nobody has.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confirm: bool,
    /// Whether a pull request is opened for what each step has done in its worktree.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pull_requests: bool,
    /// When it began, of one that comes from elsewhere.
    #[serde(default, skip_serializing_if = "is_default")]
    pub created: Option<Millis>,
    /// Who speaks, and how often, if it is a debate.
    #[serde(default, skip_serializing_if = "is_default")]
    pub debate: Option<Box<Debate>>,
    /// The debate whose plan it carries out, if it was handed one over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub from_debate: Option<FlowId>,
}
