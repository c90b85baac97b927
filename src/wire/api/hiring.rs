//! Agents that are hired, as they are wanted and as they are shown.

use crate::engine::team::roster::{Hired, Like};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent that is to be hired. Exactly one of `like` and `provider` is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HireBody {
    /// Agent name, which nobody else in the team has.
    pub name: String,
    /// Name of the agent of the team file that it is like.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub like: Option<String>,
    /// Profile name, for an agent of which nothing else is said.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider: Option<String>,
    /// Name of whom it reports to: an agent, or user. Default: the agent that hires it; if a person does, whoever `like` reports to
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reports_to: Option<String>,
    /// Working folder, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cwd: Option<String>,
    /// Model, as the program calls it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    /// Environment variables besides those of its kind; null removes one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub env: BTreeMap<String, Option<String>>,
    /// Its phrase. Default: its name in capitals, and OK
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub marker: Option<String>,
}

/// How an agent came into the team that is not in the team file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HiredInfo {
    /// Name of who hired it: an agent, or user.
    pub by: String,
    /// Name of the agent that it is like.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub like: Option<String>,
    /// Profile name, if it is like no agent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provider: Option<String>,
    /// Flow that it works for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub flow: Option<String>,
}

impl HiredInfo {
    /// The same in words: `hired by user, like bob`.
    #[must_use]
    pub fn words(&self) -> String {
        let like = self.like.as_ref().map(|like| format!(", like {like}"));
        let provider = self.provider.as_ref().map(|provider| format!(", from the profile {provider}"));
        let flow = self.flow.as_ref().map(|flow| format!(", for {flow}"));
        let rest: Vec<String> = [like, provider, flow].into_iter().flatten().collect();
        format!("hired by {}{}", self.by, rest.concat())
    }
}

impl From<&Hired> for HiredInfo {
    fn from(hired: &Hired) -> Self {
        let (like, provider) = match &hired.recipe.like {
            Like::Member(name) => (Some(name.to_string()), None),
            Like::Profile(name) => (None, Some(name.clone())),
        };
        Self { by: hired.by.to_string(), like, provider, flow: hired.flow.clone() }
    }
}
