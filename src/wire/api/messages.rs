//! Messages as they are shown: lists, one whole, and its history.

use super::step::HistoryStepInfo;
use crate::engine::life::StageName;
use crate::engine::message::{Expect, Kind, Status};
use crate::wire::message::checked::{EvidenceInfo, FeedbackInfo};
use crate::wire::message::schema;
use crate::wire::message::standing::StandingInfo;
use crate::wire::message::view::{MessageView, is_zero};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// Some messages: open ones first, newest first, then finished ones, those that ended last first. Where only queued ones are
/// asked for, they stand in the order in which they go, the next one first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessagePage {
    /// The messages.
    pub messages: Vec<MessageView>,
    /// `after` for the messages that follow; null if there are none.
    #[serde(default)]
    pub next: Option<String>,
    /// Number of the last step of the journal that is in this picture.
    #[serde(default)]
    pub seq: u64,
}

/// One message with its content and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageDetails {
    /// The message.
    #[serde(flatten)]
    pub message: MessageView,
    /// Its content; null if it cannot be read any more.
    #[serde(default)]
    pub content: Option<String>,
    /// What is checked before it counts as done, as its sender wrote it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(schema_with = "expect_schema")]
    pub expect: Option<Box<Expect>>,
    /// Checks of it that failed, oldest first, while it is open.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub feedback: Vec<FeedbackInfo>,
    /// Its answer, if it has one; one that was called off has none.
    #[serde(default)]
    pub answer: Option<AnswerInfo>,
    /// What its agent had said of it before it was called off, if it had said anything.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub said: Option<String>,
    /// Id of the newest message that tries it again, if one does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retried_as: Option<String>,
    /// Time at which a person dismissed it, if it failed and somebody did lately (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub put_aside: Option<String>,
    /// Parts of it, oldest first, as far as they are open or ended lately.
    #[serde(default)]
    pub part_messages: Vec<MessageView>,
    /// The task of a session that it is: its session tries it again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub step: Option<SessionStepInfo>,
}

/// A task of a session, as a message has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStepInfo {
    /// Id of the session.
    pub session: String,
    /// Id of the task; null for the message that asks for the plan.
    #[serde(default)]
    pub task: Option<String>,
}

fn expect_schema(_: &mut SchemaGenerator) -> Schema {
    schema::expect().try_into().unwrap_or_default()
}

/// The answer to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerInfo {
    /// Id of the answer.
    pub id: String,
    /// Agent that gave it, or `tasuki` if nobody did.
    pub from: String,
    /// Message type: result or error.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    pub kind: Kind,
    /// Time (RFC 3339).
    pub at: String,
    /// How it is known: marker, reply, file, result and so on; null for an error of tasuki's own.
    pub source: Option<String>,
    /// What it is worth: token, weak or person.
    pub proof: String,
    /// What these two mean, in plain words; null for an error of tasuki's own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub meaning: Option<String>,
    /// Whether only a part of the text could be kept.
    pub truncated: bool,
    /// What was found when the claim was checked, in the order of its task's `expect`: commit, files, report, command.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub evidence: Vec<EvidenceInfo>,
    /// Text of the answer.
    pub text: String,
}

/// The history of a message and of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryInfo {
    /// The message and its parts.
    pub tree: HistoryTree,
    /// Number of lines of the journal that could not be understood.
    pub unread: u64,
}

/// A message and its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryTree {
    /// Message id.
    pub id: String,
    /// First line of its content.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Id of the task that it is a part of.
    pub parent: Option<String>,
    /// Id of the failed message that it repeats.
    pub retry_of: Option<String>,
    /// Message type; null if its beginning is gone.
    #[serde(rename = "type")]
    #[schemars(with = "Option<String>")]
    pub kind: Option<Kind>,
    /// Sender.
    pub from: Option<String>,
    /// Recipient.
    pub to: Option<String>,
    /// Agent that worked on it last.
    pub agent: Option<String>,
    /// Ids of messages that must be completed first.
    pub depends_on: Vec<String>,
    /// Status.
    #[schemars(with = "String")]
    pub status: Status,
    /// Stage.
    #[schemars(with = "String")]
    pub stage: StageName,
    /// Time since which it is in that stage (RFC 3339).
    #[serde(default)]
    pub since: String,
    /// Time of acceptance (RFC 3339).
    pub accepted_at: Option<String>,
    /// Time of its end (RFC 3339).
    pub ended_at: Option<String>,
    /// Time in a queue, held, or in doubt, in ms; until now if it is open.
    pub waited_ms: u64,
    /// Time for which its agent could work on it, in ms.
    pub worked_ms: u64,
    /// Time for which its agent had it and asked a person, or waited for a limit to pass, in ms.
    #[serde(default)]
    pub stopped_ms: u64,
    /// Time for which it waited for its parts, in ms.
    pub rested_ms: u64,
    /// Number of turns.
    pub turns: u16,
    /// Number of reminders.
    pub reminders: u32,
    /// Number of turns that were typed again.
    pub redeliveries: u32,
    /// Of a message to the user: whether it is `read` or `unread`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub letter: Option<String>,
    /// What it waits for; null if it ended or its agent has it.
    pub waits_for: Option<String>,
    /// How it stands at this moment, in words that all faces say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub standing: Option<StandingInfo>,
    /// Id of the newest message that tries it again, if one does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retried_as: Option<String>,
    /// Time at which a person dismissed it, if it failed and somebody did lately (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub put_aside: Option<String>,
    /// What happened to it, oldest first.
    pub story: Vec<HistoryStepInfo>,
    /// Stretches of time, oldest first: who had it, and how.
    #[serde(default)]
    pub spans: Vec<SpanInfo>,
    /// Number of parts that are too deep to be shown here.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub untold: usize,
    /// Its parts, oldest first.
    pub parts: Vec<HistoryTree>,
}

/// A stretch of a message's time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpanInfo {
    /// Where it was: `queue`, `work`, `parts`, `person`, `limit` or `doubt`.
    pub how: String,
    /// Agent that had it, if somebody had.
    pub agent: Option<String>,
    /// Time of its beginning (RFC 3339).
    pub from: String,
    /// Time of its end (RFC 3339); null if it lasts.
    pub to: Option<String>,
}

/// What was sent to the user and is unread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxInfo {
    /// Unread messages, oldest first.
    pub unread: Vec<LetterInfo>,
    /// Unread answers to the user's own tasks, oldest first: the newest 100 of them.
    #[serde(default)]
    pub answers: Vec<UnreadAnswerInfo>,
    /// Number of all unread answers.
    #[serde(default)]
    pub answers_in_all: usize,
    /// Number of the last step of the journal that is in this picture.
    #[serde(default)]
    pub seq: u64,
}

/// An answer to a task of the user's that nobody has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadAnswerInfo {
    /// Message id of the task.
    pub id: String,
    /// Agent that answered.
    pub from: String,
    /// First line of the task's content.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Time of the task's end (RFC 3339).
    pub at: String,
    /// Its text, at most 4,000 characters of it.
    pub text: String,
    /// Whether the text is longer than that.
    pub is_cut: bool,
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LetterInfo {
    /// Message id.
    pub id: String,
    /// Sender.
    pub from: String,
    /// Message type.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    pub kind: Kind,
    /// Id of the task that it answers.
    pub in_reply_to: Option<String>,
    /// Id of the task that it is said about.
    pub parent: Option<String>,
    /// Time of acceptance (RFC 3339).
    pub accepted_at: String,
    /// Its text.
    pub content: String,
}

/// Some lines of a log, newest first. They stand in the files of `status/` too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogPage {
    /// The lines.
    pub lines: Vec<LogLineInfo>,
    /// `after` for the lines before these; null if there are none.
    #[serde(default)]
    pub next: Option<String>,
}

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLineInfo {
    /// Time (RFC 3339).
    pub at: String,
    /// What happened, in a sentence.
    pub text: String,
}
