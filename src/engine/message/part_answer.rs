//! What came of a part of a task, or of a step that another one needs.

use super::{BodyRef, Outcome};
use crate::engine::form::is_default;
use crate::engine::words::{AgentName, MessageId};
use serde::{Deserialize, Serialize};

/// An answer to a part of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartAnswer {
    /// The part.
    pub child: MessageId,
    /// Who answered.
    pub from: AgentName,
    /// How it ended.
    pub outcome: Outcome,
    /// Where the text is.
    pub body: BodyRef,
    /// Whether it is a drop that was refused, and never was anybody's part.
    #[serde(default, skip_serializing_if = "is_default")]
    pub refused: bool,
}
