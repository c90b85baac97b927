//! The history of a message and of its parts.

use crate::engine::life::StageName;
use crate::engine::message::{Kind, Status};
use crate::engine::words::Millis;
use crate::read::history::HistoryStep;
use crate::read::history::Sentence;
use serde::Serialize;

/// A message and its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::ui::cli) struct History {
    pub(in crate::ui::cli) id: String,
    /// The task that it is a part of.
    pub(in crate::ui::cli) parent: Option<String>,
    /// The failed message that it repeats.
    pub(in crate::ui::cli) retry_of: Option<String>,
    #[serde(rename = "type")]
    pub(in crate::ui::cli) kind: Option<Kind>,
    pub(in crate::ui::cli) from: Option<String>,
    pub(in crate::ui::cli) to: Option<String>,
    /// Who worked on it last.
    pub(in crate::ui::cli) agent: Option<String>,
    pub(in crate::ui::cli) depends_on: Vec<String>,
    pub(in crate::ui::cli) status: Status,
    pub(in crate::ui::cli) stage: StageName,
    /// When it was accepted, and when it ended (RFC 3339).
    pub(in crate::ui::cli) accepted_at: Option<String>,
    pub(in crate::ui::cli) ended_at: Option<String>,
    /// In a queue, held, or in doubt; with its agent; resting for answers. Until now, where it is open.
    pub(in crate::ui::cli) waited_ms: u64,
    pub(in crate::ui::cli) worked_ms: u64,
    pub(in crate::ui::cli) rested_ms: u64,
    pub(in crate::ui::cli) turns: u16,
    pub(in crate::ui::cli) reminders: u32,
    pub(in crate::ui::cli) redeliveries: u32,
    /// Of a message to the user: whether it is `read` or `unread`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ui::cli) letter: Option<&'static str>,
    /// What it waits for; nothing where it ended or its agent has it.
    pub(in crate::ui::cli) waits_for: Option<String>,
    pub(in crate::ui::cli) story: Vec<Sentence>,
    /// Parts of parts that are too deep to be told here.
    #[serde(skip_serializing_if = "is_zero")]
    pub(in crate::ui::cli) untold: usize,
    pub(in crate::ui::cli) parts: Vec<History>,
    /// The steps, for drawing.
    #[serde(skip)]
    pub(super) steps: Vec<HistoryStep>,
    #[serde(skip)]
    pub(super) since: Millis,
    #[serde(skip)]
    pub(super) ended: Option<Millis>,
}

impl History {
    /// Whether it has not ended.
    pub(in crate::ui::cli) fn is_open(&self) -> bool {
        self.ended.is_none()
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
