//! What became of a turn that was broken off.

use crate::engine::form;
use crate::engine::words::AgentName;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What became of a turn that was broken off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
pub enum Interrupted {
    /// The profile's key was pressed, and it has ended.
    Ended,
    /// It had ended before a key was pressed.
    WasOver,
    /// It had not been typed yet, and is not.
    NotGiven,
    /// It goes on, or nobody can tell.
    GoesOn {
        /// Why, with the cure.
        #[serde(with = "form::shared")]
        why: Arc<str>,
    },
}

impl Interrupted {
    /// What became of the turn of this agent, for people.
    #[must_use]
    pub fn words(&self, name: &AgentName) -> String {
        match self {
            Self::Ended => format!("{name} was interrupted, and its turn has ended"),
            Self::WasOver => format!("{name}'s turn was over already"),
            Self::NotGiven => format!("{name} had not been given its turn yet"),
            Self::GoesOn { why } => format!("{name} may go on with it: {why}"),
        }
    }
}
