//! How the steps of a flow were asked for, where its master has planned them.

use crate::engine::form::is_default;
use crate::engine::message::BodyRef;
use crate::engine::words::{MessageId, Millis};
use serde::{Deserialize, Serialize};

/// Why a flow with a new plan rests.
pub const WAITS_FOR_YES: &str = "its plan waits for a yes";

/// How the note of a flow begins that somebody has called off.
pub const CANCELLED_BY: &str = "cancelled by ";

/// How what a master is told of a wrong plan ends.
pub const SEND_AGAIN: &str =
    "Send the whole plan again, in one block that begins with ```yaml and ends with ```.";
/// The message by which a flow's steps were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planning {
    /// The newest of them.
    pub message: MessageId,
    /// Where what its master is asked stands.
    pub text: BodyRef,
    pub asked_at: Millis,
    /// When that message ended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ended: Option<Millis>,
    /// Where what its master answered stands.
    #[serde(default, skip_serializing_if = "is_default")]
    pub answer: Option<BodyRef>,
    /// Whether that has brought a plan: the steps are not somebody's who has added them by hand.
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_plan: bool,
    /// Whether its plan says `pr: true`, and whoever began it has not: its master cannot order that.
    #[serde(default, skip_serializing_if = "is_default")]
    pub asks_for_pulls: bool,
}
