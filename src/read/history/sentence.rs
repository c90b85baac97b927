//! One sentence of a history, as it is printed.

use crate::engine::words::{AgentName, MessageId, Millis, Seq};
use crate::wire::time;
use serde::Serialize;

/// One sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// When (RFC 3339).
    pub at: String,
    /// Number of the step in the journal.
    pub seq: u64,
    /// The message it is about.
    pub id: Option<String>,
    /// The agent it is about.
    pub agent: Option<String>,
    /// The sentence.
    pub text: String,
}

impl Sentence {
    pub(super) fn new(
        (at, seq): (Millis, Seq),
        (id, agent): (Option<&MessageId>, Option<&AgentName>),
        text: String,
    ) -> Self {
        let (id, agent) = (id.map(ToString::to_string), agent.map(ToString::to_string));
        Self { at: time::rfc3339_ms(at), seq: seq.0, id, agent, text }
    }
}
