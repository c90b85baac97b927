//! A message as it is shown: one type for `queue/active|results|done`, for the socket, and for whoever reads either back.
//!
//! Its JSON is what the socket gives, derived; fields that stand in files alone are left out there. Its YAML is what people and
//! agents read: the order of its keys, and what is left out where it is the default, are written down in [`MessageView::yaml`].
//! serde-saphyr writes it in the forms that libyaml and PyYAML read as it is meant; every text comes back byte for byte.
//!
//! The file of a task that an agent has says with what its turn ends: its phrase and its token, on two lines that begin with other
//! words and have others between them. So a screen that shows the file, in rows of whatever width, has no line with the two and
//! nothing else, which is what a claim is. Where the phrase counts alone, its letters are shown one by one.

use super::checked::{EvidenceInfo, EvidenceTold, FeedbackInfo, Hidden};
use super::note::Note;
use super::standing::{PlaceInfo, StandingInfo};
use crate::engine::engine::Engine;
use crate::engine::event::Answer;
use crate::engine::life::{CompletionSource, Stage, StageName};
use crate::engine::message::{Besides, Body, Expect, Kind, Message, OnDoubt, Priority, Status};
use crate::engine::state::{Finished, Open};
use crate::engine::view::ONLY_THE_END;
use crate::engine::words::{AgentName, MessageId, Token};
use crate::wire::time::{rfc3339, write_duration};
use crate::wire::yaml::write::{Entries, Prose, yaml};
use schemars::JsonSchema;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde::{Deserialize, Deserializer, Serialize as DeriveSerialize};
use std::sync::Arc;

/// What the socket alone says, and no file.
const SOCKET_KEYS: [&str; 8] =
    ["since", "agent", "waits_for", "answered", "title", "parts", "standing", "place"];

/// A message, open or recently finished. Its content is in `queue/active/ID.yaml` or `queue/done/DAY/ID.yaml`, its
/// answer in `queue/results/ID.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, DeriveSerialize, Deserialize, JsonSchema)]
pub struct MessageView {
    /// Message id.
    #[schemars(with = "String")]
    pub id: MessageId,
    /// Sender.
    #[schemars(with = "String")]
    pub from: AgentName,
    /// Recipient: an agent, a pool, or `user`.
    #[schemars(with = "String")]
    pub to: AgentName,
    /// Message type: task, info, result or error.
    #[serde(rename = "type", default)]
    #[schemars(with = "String")]
    pub kind: Kind,
    /// Status: pending, in_progress, completed, failed or cancelled.
    #[serde(default)]
    #[schemars(with = "String")]
    pub status: Status,
    /// Stage, finer than the status (LIFE.md).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "String")]
    pub stage: Option<StageName>,
    /// Time since which it is in that stage (RFC 3339).
    #[serde(default, alias = "finished_at")]
    pub since: String,
    /// Time of acceptance (RFC 3339).
    #[serde(default)]
    pub accepted_at: String,
    /// Number of tries of its present turn.
    #[serde(default)]
    pub attempt: u8,
    /// Whether its present turn may have been typed before.
    #[serde(default)]
    pub redelivered: bool,
    /// Priority: low, normal or high.
    #[serde(default)]
    #[schemars(with = "String")]
    pub priority: Priority,
    /// Whether its sender proved who it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "bool")]
    pub verified: Option<bool>,
    /// Agent that works on it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Option<String>")]
    pub agent: Option<AgentName>,
    /// Id of the task that it answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Option<String>")]
    pub in_reply_to: Option<MessageId>,
    /// Id of the task that it is a part of.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Option<String>")]
    pub parent: Option<MessageId>,
    /// Id of the failed message that this one tries again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Option<String>")]
    pub retry_of: Option<MessageId>,
    /// Ids of messages that must be completed first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    #[schemars(with = "Vec<String>")]
    pub depends_on: Vec<MessageId>,
    /// Why it is not being worked on, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_for: Option<String>,
    /// Why it is held, or why it failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Whether `queue/results/ID.yaml` is written or about to be.
    #[serde(default)]
    pub answered: bool,
    /// First line of its content, cut if it is long; null where it was not looked up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Number of its parts that have not ended.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub parts: usize,
    /// How it stands at this moment, in words that all faces say; null where it was not looked up.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub standing: Option<StandingInfo>,
    /// Its place in its queue, if it is in one; null in the stream, since it changes as others go.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<PlaceInfo>,
    /// What is in files alone.
    #[serde(flatten, skip_serializing)]
    #[schemars(skip)]
    pub file: InFile,
}

/// What of a message is in its files alone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct InFile {
    /// With what its agent ends its turn, where the token has to stand beside it.
    pub phrase: Option<String>,
    /// The same letter by letter, where the phrase counts alone.
    pub phrase_letters: Option<String>,
    /// The reader's newest token.
    pub token: Option<Token>,
    /// Whether only the end of the content could be kept; above it, since it may be long.
    pub truncated: bool,
    /// The text.
    #[serde(deserialize_with = "shared")]
    pub content: Arc<str>,
    /// When its sender wrote it, else when it was accepted (RFC 3339).
    pub timestamp: Option<String>,
    /// How long it may be worked on.
    pub timeout: Option<String>,
    /// When it is too late (RFC 3339).
    pub deadline: Option<String>,
    /// What is done where nobody can tell whether it was delivered.
    pub on_doubt: OnDoubt,
    /// The evidence that closes it.
    pub expect: Option<Box<Expect>>,
    /// The folder in which it is to be done, if that is not where its agent works anyway.
    pub worktree: Option<String>,
    /// Hands it went through since `user`.
    pub hops: Option<u8>,
    /// Whether it said nothing of the task that it belongs to, which is the one that its sender had.
    pub inferred: bool,
    /// How it came, or how it was delivered.
    pub via: Option<String>,
    /// How a result is known.
    pub completion_source: Option<CompletionSource>,
    /// What a result is worth: `weak` if nobody showed a token or a key.
    pub proof: Option<String>,
    /// What was found when the claim was checked, or in a sentence what else is to be known of it.
    pub evidence: Option<EvidenceTold>,
    /// Answers to its parts, oldest first.
    pub answers: Vec<Note>,
    /// Checks that failed, oldest first.
    pub feedback: Vec<FeedbackInfo>,
    /// `metadata` and unknown keys as one JSON object (a body's `extra`).
    #[serde(skip)]
    pub extra: Arc<str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
pub(in crate::wire) fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl MessageView {
    /// A view of nothing but these; all else is left out.
    #[must_use]
    pub fn bare(
        (id, from, to): (MessageId, AgentName, AgentName),
        kind: Kind,
        status: Status,
        content: Arc<str>,
    ) -> Self {
        Self {
            id,
            from,
            to,
            kind,
            status,
            stage: None,
            since: String::new(),
            accepted_at: String::new(),
            attempt: 0,
            redelivered: false,
            priority: Priority::default(),
            verified: None,
            agent: None,
            in_reply_to: None,
            parent: None,
            retry_of: None,
            depends_on: Vec::new(),
            waits_for: None,
            reason: None,
            answered: false,
            title: None,
            parts: 0,
            standing: None,
            place: None,
            file: InFile { content, ..InFile::default() },
        }
    }

    /// A message of the engine's, if it is open or ended in the newest segment. Its content and the answers to its parts are still to
    /// be put in.
    #[must_use]
    pub fn of(engine: &Engine, id: &MessageId) -> Option<Self> {
        let open = engine.state().open.get(id).map(|open| Self::open(open, engine.phrase(open)));
        open.or_else(|| engine.state().finished.get(id).map(Self::finished))
    }

    /// One that has not ended; its file says how its agent ends its turn.
    #[must_use]
    pub fn open(open: &Open, phrase: Option<(String, bool)>) -> Self {
        let turn = open.stage.turn();
        let mut view = Self {
            since: rfc3339(open.since),
            attempt: open.attempts,
            redelivered: turn.is_some_and(|turn| turn.redelivered),
            agent: open.agent.clone(),
            reason: open.note.as_deref().map(str::to_owned),
            ..Self::of_message(&open.message, open.stage)
        };
        view.file.token = turn.and_then(|turn| turn.token);
        let alone = phrase.as_ref().filter(|(_, needs_token)| !needs_token);
        let hidden = Hidden { tokens: &open.tokens, phrase: alone.map(|(phrase, _)| phrase.as_str()) };
        view.file.feedback = FeedbackInfo::all(open.checks.as_deref(), hidden);
        match phrase {
            Some((phrase, true)) if view.file.token.is_some() => view.file.phrase = Some(phrase),
            Some((phrase, false)) => view.file.phrase_letters = letters(&phrase),
            _ => {}
        }
        view
    }

    /// One that has ended.
    #[must_use]
    pub fn finished(finished: &Finished) -> Self {
        Self {
            since: rfc3339(finished.at),
            attempt: finished.attempts,
            agent: finished.agent.clone(),
            answered: finished.answer.is_some(),
            ..Self::of_message(&finished.message, Stage::Finished(finished.outcome))
        }
    }

    fn of_message(message: &Message, stage: Stage) -> Self {
        let Besides {
            in_reply_to,
            parent,
            retry_of,
            depends_on,
            timeout_ms,
            deadline,
            expect,
            step: _,
            folder,
        } = (*message.besides).clone();
        let whom = (message.id.clone(), message.from.clone(), message.to.clone());
        let view = Self::bare(whom, message.kind, stage.status(), "".into());
        let file = InFile {
            timestamp: Some(rfc3339(message.sent_at.unwrap_or(message.accepted_at))),
            timeout: timeout_ms.map(write_duration),
            deadline: deadline.map(rfc3339),
            on_doubt: message.on_doubt,
            expect,
            worktree: folder.map(|folder| folder.to_string()),
            hops: Some(message.hops),
            inferred: message.inferred,
            ..view.file
        };
        Self {
            stage: Some(stage.name()),
            accepted_at: rfc3339(message.accepted_at),
            priority: message.priority,
            verified: Some(message.verified),
            in_reply_to,
            parent,
            retry_of,
            depends_on,
            file,
            ..view
        }
    }

    /// The same with its content.
    #[must_use]
    pub fn with(&self, body: &Body) -> Self {
        let (content, extra) = (Arc::clone(&body.content), Arc::clone(&body.extra));
        let view = self.clone();
        Self { file: InFile { content, extra, ..view.file }, ..view }
    }

    /// `queue/results/ID.yaml`: the answer to this message.
    #[must_use]
    pub fn result(&self, answer: &Answer) -> Self {
        let failed = answer.kind == Kind::Error && self.status == Status::Completed;
        let status = if failed { Status::Failed } else { self.status };
        let whom = (answer.id.clone(), answer.from.clone(), self.from.clone());
        let view = Self::bare(whom, answer.kind, status, "".into()).with(&answer.body);
        Self {
            attempt: self.attempt,
            in_reply_to: Some(self.id.clone()),
            parent: self.parent.clone(),
            priority: self.priority,
            verified: answer.source.map(|_| !answer.weak),
            file: InFile {
                truncated: answer.truncated,
                timestamp: Some(rfc3339(answer.at)),
                on_doubt: self.file.on_doubt,
                completion_source: answer.source,
                proof: answer.source.map(|_| answer.proof().word().to_owned()),
                evidence: evidence(answer),
                ..view.file
            },
            ..view
        }
    }

    /// Reads its file. Keys of the sender's own stand there too, and may be called what only the socket says.
    #[must_use]
    pub fn read(yaml: &str) -> Option<Self> {
        let mut fields: serde_json::Map<String, serde_json::Value> = serde_saphyr::from_str(yaml).ok()?;
        fields.retain(|key, _| !SOCKET_KEYS.contains(&key.as_str()));
        serde_json::from_value(fields.into()).ok()
    }

    /// The file of it.
    #[must_use]
    pub fn yaml(&self) -> String {
        let text = yaml(&Page(self));
        // Before these come words of one line each, so the first such line is the field.
        match (&self.file.phrase, &self.file.phrase_letters) {
            (Some(_), _) => said_before(&text, "token: ", END_BOTH),
            (None, Some(_)) => said_before(&text, "phrase_letters: ", END_ALONE),
            (None, None) => text,
        }
    }
}

/// What is to be known of an answer besides its text. What was found says more than any sentence: that the text is cut, or says
/// nothing, is seen all the same.
fn evidence(answer: &Answer) -> Option<EvidenceTold> {
    if !answer.evidence.is_empty() {
        return Some(EvidenceTold::Checked(answer.evidence.iter().map(EvidenceInfo::of).collect()));
    }
    let says_nothing = answer.body.content.trim().is_empty();
    let sentence = match answer.truncated {
        true => Some(ONLY_THE_END),
        false => says_nothing.then_some("its agent said only that it is done"),
    };
    sentence.map(|sentence| EvidenceTold::Said(sentence.to_owned()))
}

/// What an agent that was told nothing else has to know of the two.
const END_BOTH: &str = "\
# When it is done, print your answer, and below it one line that has the phrase, a space and the token on it and nothing else.
# Print the two side by side nowhere else: such a line ends your turn.
";
/// The same where the phrase counts wherever it is.
const END_ALONE: &str = "\
# When it is done, print your answer, and below it a line with your phrase: these letters without the hyphens between them.
# Print it nowhere else: it ends your turn.
";

/// The text with this comment before the line of a field.
fn said_before(text: &str, field: &str, comment: &str) -> String {
    let mut whole = String::with_capacity(text.len() + comment.len());
    let mut is_said = false;
    for line in text.split_inclusive('\n') {
        if !is_said && line.starts_with(field) {
            whole.push_str(comment);
            is_said = true;
        }
        whole.push_str(line);
    }
    whole
}

/// The phrase with a hyphen between its letters, unless it would be read out of what is said here all the same.
fn letters(phrase: &str) -> Option<String> {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let apart: Vec<String> = phrase.chars().map(String::from).collect();
    let apart = apart.join("-");
    let said = squeezed(&format!("{END_ALONE} phrase_letters: {apart}"));
    (!said.contains(&squeezed(phrase))).then_some(apart)
}

fn shared<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    String::deserialize(from).map(Into::into)
}

/// A message as its file has it.
struct Page<'a>(&'a MessageView);

impl Serialize for Page<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = Entries(serializer.serialize_map(None)?);
        self.head(&mut map)?;
        self.terms(&mut map)?;
        self.record(&mut map)?;
        map.list("answers", &self.0.file.answers)?;
        map.list("feedback", &self.0.file.feedback)?;
        if let Ok(serde_json::Value::Object(extra)) = serde_json::from_str(&self.0.file.extra) {
            extra.iter().try_for_each(|(key, value)| map.0.serialize_entry(key, value))?;
        }
        map.0.end()
    }
}

impl Page<'_> {
    /// What it is, from whom, to whom (of a message to a pool, the member that has it), and what it says.
    fn head<M: SerializeMap>(&self, map: &mut Entries<M>) -> Result<(), M::Error> {
        let Self(view) = self;
        map.entry("id", &view.id)?;
        map.entry("from", &view.from)?;
        map.entry("to", view.agent.as_ref().unwrap_or(&view.to))?;
        map.entry("type", &view.kind)?;
        map.entry("status", &view.status)?;
        map.some("stage", view.stage)?;
        map.some("phrase", view.file.phrase.as_deref())?;
        map.some("phrase_letters", view.file.phrase_letters.as_deref())?;
        map.some("token", view.file.token)?;
        map.unless("attempt", view.attempt)?;
        map.unless("redelivered", view.redelivered)?;
        map.unless("truncated", view.file.truncated)?;
        map.entry("content", &Prose(&view.file.content))
    }

    /// When, after what, and under which conditions.
    fn terms<M: SerializeMap>(&self, map: &mut Entries<M>) -> Result<(), M::Error> {
        let Self(view) = self;
        map.some("timestamp", view.file.timestamp.as_deref())?;
        map.some("in_reply_to", view.in_reply_to.as_ref())?;
        map.some("parent", view.parent.as_ref())?;
        map.some("retry_of", view.retry_of.as_ref())?;
        map.list("depends_on", &view.depends_on)?;
        map.unless("priority", view.priority)?;
        map.some("timeout", view.file.timeout.as_deref())?;
        map.some("deadline", view.file.deadline.as_deref())?;
        map.unless("on_doubt", view.file.on_doubt)?;
        map.some("expect", view.file.expect.as_deref())?;
        map.some("worktree", view.file.worktree.as_deref())
    }

    /// What tasuki found out about it.
    fn record<M: SerializeMap>(&self, map: &mut Entries<M>) -> Result<(), M::Error> {
        let Self(view) = self;
        map.some("hops", view.file.hops)?;
        map.some("verified", view.verified)?;
        map.unless("inferred", view.file.inferred)?;
        map.some("via", view.file.via.as_deref())?;
        map.some("completion_source", view.file.completion_source)?;
        map.some("proof", view.file.proof.as_deref())?;
        map.some("evidence", view.file.evidence.as_ref())?;
        map.some("reason", view.reason.as_deref().map(Prose))?;
        map.unless("accepted_at", view.accepted_at.as_str())?;
        map.some("finished_at", view.stage.filter(|stage| stage.has_ended()).map(|_| view.since.as_str()))
    }
}

#[cfg(test)]
mod tests;
