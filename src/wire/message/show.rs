//! Messages as the YAML that people and agents read: `queue/active|results|done`. Written by serde-saphyr in the forms that
//! libyaml and PyYAML read as it is meant; every text comes back byte for byte.
//!
//! The file of a task that an agent has says with what its turn ends: its phrase and its token, on two lines that begin with other
//! words and have others between them. So a screen that shows the file, in rows of whatever width, has no line with the two and
//! nothing else, which is what a claim is. Where the phrase counts alone, its letters are shown one by one.

use crate::engine::message::{Expect, Kind, OnDoubt, Priority, Status};
use crate::engine::words::{AgentName, MessageId, Millis, Token};
use crate::wire::time::{rfc3339, write_duration};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_saphyr::{DoubleQuoted, LitStr};

/// A message as it is shown. What is `None`, false, empty or the default is left out.
#[derive(Debug, Clone)]
pub struct MessageView<'a> {
    /// `id:`
    pub id: &'a MessageId,
    /// `from:`
    pub from: &'a AgentName,
    /// `to:`; of a message to a pool, the member that has it.
    pub to: &'a AgentName,
    /// `type:`
    pub kind: Kind,
    /// `status:`, one of the contract's five words.
    pub status: Status,
    /// `stage:`, the finer word.
    pub stage: Option<&'a str>,
    /// `token:`, the reader's newest one.
    pub token: Option<Token>,
    /// `phrase:`, with which its agent ends its turn, and whether the token has to stand beside it; else it is `phrase_letters:`.
    pub phrase: Option<(&'a str, bool)>,
    /// `attempt:`, from 1.
    pub attempt: Option<u8>,
    /// `redelivered: true` if this turn may have been given before.
    pub redelivered: bool,
    /// `truncated: true` if only the end of the content could be kept; above it, since it may be long.
    pub truncated: bool,
    /// `content:`
    pub content: &'a str,
    /// `timestamp:`: when its sender wrote it, else when it was accepted.
    pub timestamp: Option<Millis>,
    /// `accepted_at:`
    pub accepted_at: Option<Millis>,
    /// `finished_at:`
    pub finished_at: Option<Millis>,
    /// `in_reply_to:`
    pub in_reply_to: Option<&'a MessageId>,
    /// `parent:`
    pub parent: Option<&'a MessageId>,
    /// `retry_of:`
    pub retry_of: Option<&'a MessageId>,
    /// `depends_on:`
    pub depends_on: &'a [MessageId],
    /// `priority:`
    pub priority: Priority,
    /// `timeout:`, in ms of working time.
    pub timeout_ms: Option<u64>,
    /// `deadline:`
    pub deadline: Option<Millis>,
    /// `on_doubt:`
    pub on_doubt: OnDoubt,
    /// `expect:`
    pub expect: Option<&'a Expect>,
    /// `hops:`: hands it went through since `user`.
    pub hops: Option<u8>,
    /// `verified:`: whether the sender proved who it is.
    pub verified: Option<bool>,
    /// `inferred: true` if it said nothing of the task that it belongs to, which is the one that its sender had.
    pub inferred: bool,
    /// `via:`: how it came, or how it was delivered.
    pub via: Option<&'a str>,
    /// `completion_source:` of a result.
    pub completion_source: Option<&'a str>,
    /// `proof:` of a result: `weak` if nobody showed a token or a key.
    pub proof: Option<&'a str>,
    /// `evidence:`: what was found when the claim was checked.
    pub evidence: Option<&'a str>,
    /// `reason:`: why it failed, was cancelled or is held.
    pub reason: Option<&'a str>,
    /// `answers:` of its children, oldest first.
    pub answers: &'a [Note<'a>],
    /// `feedback:`: checks that failed, oldest first.
    pub feedback: &'a [Note<'a>],
    /// `metadata` and unknown keys as one JSON object (a body's `extra`).
    pub extra: &'a str,
}

impl<'a> MessageView<'a> {
    /// A view of nothing but these; all else is left out.
    #[must_use]
    pub fn bare(
        (id, from, to): (&'a MessageId, &'a AgentName, &'a AgentName),
        kind: Kind,
        status: Status,
        content: &'a str,
    ) -> Self {
        Self {
            id,
            from,
            to,
            kind,
            status,
            stage: None,
            token: None,
            phrase: None,
            attempt: None,
            redelivered: false,
            truncated: false,
            content,
            timestamp: None,
            accepted_at: None,
            finished_at: None,
            in_reply_to: None,
            parent: None,
            retry_of: None,
            depends_on: &[],
            priority: Priority::default(),
            timeout_ms: None,
            deadline: None,
            on_doubt: OnDoubt::default(),
            expect: None,
            hops: None,
            verified: None,
            inferred: false,
            via: None,
            completion_source: None,
            proof: None,
            evidence: None,
            reason: None,
            answers: &[],
            feedback: &[],
            extra: "",
        }
    }
}

/// One answer or one piece of feedback in a task's file.
#[derive(Debug, Clone)]
pub struct Note<'a> {
    /// `id:` of the child that this answers.
    pub id: Option<&'a MessageId>,
    /// `from:`
    pub from: Option<&'a AgentName>,
    /// `status:` of the child.
    pub status: Option<Status>,
    /// `at:`
    pub at: Option<Millis>,
    /// `truncated: true` if only the end of its answer could be kept.
    pub truncated: bool,
    /// `content:`, or where the whole text stands if it is long.
    pub text: NoteText<'a>,
}

/// The text of a [`Note`].
#[derive(Debug, Clone)]
pub enum NoteText<'a> {
    /// `content:`
    Here(&'a str),
    /// `path:`, relative to the workspace.
    At(&'a str),
}

/// The YAML of a message.
#[must_use]
pub fn message(view: &MessageView<'_>) -> String {
    let text = yaml(view);
    match view.phrase {
        // Before these come words of one line each, so the first such line is the field.
        Some((_, true)) if view.token.is_some() => said_before(&text, "token: ", END_BOTH),
        Some((phrase, false)) if letters(phrase).is_some() => {
            said_before(&text, "phrase_letters: ", END_ALONE)
        }
        _ => text,
    }
}

/// What an agent that was told nothing else has to know of the two.
const END_BOTH: &str = "\
# When it is done, print your answer, and below it one line that has the phrase, a space and the token on it and nothing else.
# Print the two side by side nowhere else: such a line ends your turn.
";
/// The same where the phrase counts wherever it stands.
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

/// YAML of anything whose parts can be shown. It cannot fail for the types of this crate; if it ever did, the file would say so.
pub(in crate::wire) fn yaml(value: &impl Serialize) -> String {
    // Blocks are chosen by `Prose` alone: left to itself the serializer writes some that libyaml does not read.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(value, options)
        .unwrap_or_else(|error| format!("# this cannot be shown: {}\n", error.to_string().escape_debug()))
}

/// A text that may have many lines: a block where every reader takes it as it is, else in double quotes.
pub(in crate::wire) struct Prose<'a>(pub(in crate::wire) &'a str);

impl Prose<'_> {
    /// libyaml refuses a block whose line begins with a tab, or that begins with a line of blanks; and it takes NEL, LS and
    /// PS for line ends. A line of blanks alone is lost by some readers, trailing ones by editors.
    fn fits_a_block(&self) -> bool {
        let line = |line: &str| !line.starts_with('\t') && (line.is_empty() || !line.trim().is_empty());
        let plain = |c: char| {
            c == '\n'
                || c == '\t'
                || !(c.is_control()
                    || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'))
        };
        self.0.chars().all(plain) && self.0.lines().all(line) && !self.0.starts_with(['\n', ' '])
    }
}

impl Serialize for Prose<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            text if !text.contains('\n') => serializer.serialize_str(text),
            text if self.fits_a_block() => LitStr(text).serialize(serializer),
            text => DoubleQuoted(text).serialize(serializer),
        }
    }
}

impl Serialize for MessageView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = Entries(serializer.serialize_map(None)?);
        self.head(&mut map)?;
        self.terms(&mut map)?;
        self.record(&mut map)?;
        map.list("answers", self.answers)?;
        map.list("feedback", self.feedback)?;
        if let Ok(serde_json::Value::Object(extra)) = serde_json::from_str(self.extra) {
            extra.iter().try_for_each(|(key, value)| map.0.serialize_entry(key, value))?;
        }
        map.0.end()
    }
}

impl MessageView<'_> {
    /// What it is, from whom, and what it says.
    fn head<M: SerializeMap>(&self, map: &mut Entries<M>) -> Result<(), M::Error> {
        map.entry("id", self.id.as_str())?;
        map.entry("from", self.from.as_str())?;
        map.entry("to", self.to.as_str())?;
        map.entry("type", self.kind.word())?;
        map.entry("status", self.status.word())?;
        map.some("stage", self.stage)?;
        map.some(
            "phrase",
            self.phrase.filter(|(_, both)| *both && self.token.is_some()).map(|(phrase, _)| phrase),
        )?;
        map.some(
            "phrase_letters",
            self.phrase.filter(|(_, both)| !both).and_then(|(phrase, _)| letters(phrase)),
        )?;
        map.some("token", self.token.as_ref().map(Token::as_str))?;
        map.some("attempt", self.attempt)?;
        map.some("redelivered", self.redelivered.then_some(true))?;
        map.some("truncated", self.truncated.then_some(true))?;
        map.entry("content", &Prose(self.content))
    }

    /// When, after what, and under which conditions.
    fn terms<M: SerializeMap>(&self, map: &mut Entries<M>) -> Result<(), M::Error> {
        map.some("timestamp", self.timestamp.map(rfc3339))?;
        map.some("in_reply_to", self.in_reply_to.map(MessageId::as_str))?;
        map.some("parent", self.parent.map(MessageId::as_str))?;
        map.some("retry_of", self.retry_of.map(MessageId::as_str))?;
        let depends_on: Vec<&str> = self.depends_on.iter().map(MessageId::as_str).collect();
        map.list("depends_on", &depends_on)?;
        map.some("priority", (self.priority != Priority::default()).then(|| self.priority.word()))?;
        map.some("timeout", self.timeout_ms.map(write_duration))?;
        map.some("deadline", self.deadline.map(rfc3339))?;
        map.some("on_doubt", (self.on_doubt != OnDoubt::default()).then(|| self.on_doubt.word()))?;
        map.some("expect", self.expect.map(ExpectView))
    }

    /// What tasuki found out about it.
    fn record<M: SerializeMap>(&self, map: &mut Entries<M>) -> Result<(), M::Error> {
        map.some("hops", self.hops)?;
        map.some("verified", self.verified)?;
        map.some("inferred", self.inferred.then_some(true))?;
        map.some("via", self.via)?;
        map.some("completion_source", self.completion_source)?;
        map.some("proof", self.proof)?;
        map.some("evidence", self.evidence.map(Prose))?;
        map.some("reason", self.reason.map(Prose))?;
        map.some("accepted_at", self.accepted_at.map(rfc3339))?;
        map.some("finished_at", self.finished_at.map(rfc3339))
    }
}

impl Serialize for Note<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = Entries(serializer.serialize_map(None)?);
        map.some("id", self.id.map(MessageId::as_str))?;
        map.some("from", self.from.map(AgentName::as_str))?;
        map.some("status", self.status.map(Status::word))?;
        map.some("at", self.at.map(rfc3339))?;
        map.some("truncated", self.truncated.then_some(true))?;
        match self.text {
            NoteText::Here(text) => map.entry("content", &Prose(text))?,
            NoteText::At(path) => map.entry("path", path)?,
        }
        map.0.end()
    }
}

struct ExpectView<'a>(&'a Expect);

impl Serialize for ExpectView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = Entries(serializer.serialize_map(None)?);
        map.some("commit", self.0.commit.then_some(true))?;
        map.list("files", &self.0.files)?;
        map.list("command", &self.0.command)?;
        map.some("report", self.0.report.as_deref())?;
        map.0.end()
    }
}

/// A map that leaves out what is not there.
struct Entries<M>(M);

impl<M: SerializeMap> Entries<M> {
    fn entry(&mut self, key: &str, value: &(impl Serialize + ?Sized)) -> Result<(), M::Error> {
        self.0.serialize_entry(key, value)
    }

    fn some(&mut self, key: &str, value: Option<impl Serialize>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.entry(key, &value))
    }

    fn list(&mut self, key: &str, items: &[impl Serialize]) -> Result<(), M::Error> {
        if items.is_empty() { Ok(()) } else { self.entry(key, items) }
    }
}

#[cfg(test)]
mod tests;
