//! How a flow is called, and a step of it.

use super::name::StepName;
use crate::engine::form::{as_text, is_default};
use arcstr::ArcStr;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The id of a flow: a UUID, written in lower case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(ArcStr);

/// A text that is no UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a UUID, such as a1b2c3d4-e5f6-7890-abcd-ef1234567890")]
pub struct BadFlowId;

impl FlowId {
    /// Checks `text` and makes it an id. Capital digits become small ones.
    ///
    /// # Errors
    /// [`BadFlowId`]
    pub fn new(text: &str) -> Result<Self, BadFlowId> {
        let is_uuid = text.len() == 36
            && text.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            });
        if is_uuid { Ok(Self(text.to_ascii_lowercase().into())) } else { Err(BadFlowId) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

as_text!(FlowId, "the id of a flow", FlowId::new, as_str);

impl fmt::Display for FlowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for FlowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which step of which flow a message is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StepRef {
    pub flow: FlowId,
    /// None for the message by which its steps are asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub step: Option<StepName>,
}
