//! Which messages are meant by a question.

use super::model::Model;
use super::problems::{bad, message_id};
use crate::engine::life::StageName;
use crate::engine::message::{Kind, Message, Status};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::wire::api::{MessagesQuery, Problem};
use crate::wire::time::{read_duration, read_moment};
use chrono::Local;

/// Messages in an answer where nothing is said, and at most.
const LIMIT: usize = 100;
const LIMIT_MAX: usize = 1_000;

/// Which messages are meant.
#[derive(Debug)]
pub(super) struct Filter {
    state: StateFilter,
    agent: Option<AgentName>,
    kind: Option<Kind>,
    /// In small letters.
    pub(super) text: Option<String>,
    retry_of: Option<MessageId>,
    roots: bool,
    pub(super) since: Option<Millis>,
    until: Option<Millis>,
    pub(super) limit: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum StateFilter {
    Any,
    Open,
    Ended,
    Status(Status),
    Stage(StageName),
}

impl Filter {
    /// Reads it from the question.
    pub(super) fn of(query: &MessagesQuery, model: &Model) -> Result<Self, Problem> {
        let now = model.now();
        Ok(Self {
            state: state(query.state.as_deref().unwrap_or("any"))?,
            agent: query.agent.as_deref().map(|name| agent(name, model)).transpose()?,
            kind: query.kind.as_deref().map(kind).transpose()?,
            text: query.text.as_deref().filter(|text| !text.is_empty()).map(str::to_lowercase),
            retry_of: query.retry_of.as_deref().map(message_id).transpose()?,
            roots: query.roots,
            since: query.since.as_deref().map(|text| moment("since", text, now)).transpose()?,
            until: query.until.as_deref().map(|text| moment("until", text, now)).transpose()?,
            limit: query.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
        })
    }

    /// Whether open messages are meant, and whether finished ones are.
    pub(super) fn wants(&self) -> (bool, bool) {
        match self.state {
            StateFilter::Any => (true, true),
            StateFilter::Open => (true, false),
            StateFilter::Ended => (false, true),
            StateFilter::Status(status) => (!status.has_ended(), status.has_ended()),
            StateFilter::Stage(stage) => (!stage.has_ended(), stage.has_ended()),
        }
    }

    /// Whether a message is meant, but for its text.
    pub(super) fn takes(&self, message: &Message, stage: StageName, agent: Option<&AgentName>) -> bool {
        let state = match self.state {
            StateFilter::Any => true,
            StateFilter::Open => !stage.has_ended(),
            StateFilter::Ended => stage.has_ended(),
            StateFilter::Status(status) => stage.status() == status,
            StateFilter::Stage(meant) => stage == meant,
        };
        let whose = |name: &AgentName| message.from == *name || message.to == *name || agent == Some(name);
        state
            && self.agent.as_ref().is_none_or(whose)
            && self.kind.is_none_or(|kind| message.kind == kind)
            && self.retry_of.as_ref().is_none_or(|id| message.retry_of.as_ref() == Some(id))
            && (!self.roots || message.parent.is_none())
            && self.since.is_none_or(|since| message.accepted_at >= since)
            && self.until.is_none_or(|until| message.accepted_at <= until)
    }
}

fn state(word: &str) -> Result<StateFilter, Problem> {
    match word {
        "any" => return Ok(StateFilter::Any),
        "open" => return Ok(StateFilter::Open),
        "ended" => return Ok(StateFilter::Ended),
        _ => {}
    }
    let status = Status::ALL.into_iter().find(|status| status.word() == word).map(StateFilter::Status);
    status.or_else(|| StageName::of(word).map(StateFilter::Stage)).ok_or_else(|| {
        let statuses = Status::ALL.iter().map(|status| status.word());
        let stages = StageName::ALL.iter().map(|name| name.word());
        let mut words: Vec<&str> = Vec::new();
        for word in ["any", "open", "ended"].into_iter().chain(statuses).chain(stages) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        bad("state", word, &format!("a state; the states are {}", words.join(", ")))
    })
}

fn kind(word: &str) -> Result<Kind, Problem> {
    let kinds = [Kind::Task, Kind::Info, Kind::Result, Kind::Error];
    let found = kinds.into_iter().find(|kind| kind.word() == word);
    found.ok_or_else(|| bad("type", word, "a type; the types are task, info, result and error"))
}

fn agent(name: &str, model: &Model) -> Result<AgentName, Problem> {
    let found = AgentName::new(name).map_err(|error| bad("agent", name, &format!("a name: it {error}")))?;
    Ok(model.engine().team().aliases.get(&found).cloned().unwrap_or(found))
}

/// A moment of a question: a time, or a duration before now.
pub(super) fn moment(field: &str, text: &str, now: Millis) -> Result<Millis, Problem> {
    let ago = read_duration(text).map(|ms| Millis(now.0.saturating_sub(ms)));
    ago.or_else(|| read_moment(text, &Local)).ok_or_else(|| {
        bad(
            field,
            text,
            "a time; write RFC 3339, such as 2026-02-02T10:00:00Z, or a duration before now, such as 2h",
        )
    })
}
