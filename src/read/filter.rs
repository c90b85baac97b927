//! Which messages are meant by a question.

use super::model::Model;
use super::problems::{bad, message_id};
use crate::engine::life::{Category, StageName};
use crate::engine::message::{Kind, Message, Status};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::wire::api::{MessagesQuery, Problem};
use crate::wire::message::standing::StandingInfo;
use crate::wire::time::{read_duration, read_moment};
use chrono::Local;

/// How open messages stand that are asked for: only those at work of which the agent really works.
const STANDINGS: [&str; 3] = [StageName::Working.said(), StandingInfo::LIMIT, StandingInfo::YOU];
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
    /// Open ones that stand so.
    Standing(&'static str),
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
            StateFilter::Standing(_) => (true, false),
        }
    }

    /// Whether only queued messages are meant: they stand in the order in which they go.
    pub(super) fn is_queued(&self) -> bool {
        match self.state {
            StateFilter::Status(status) => status == Status::Pending,
            StateFilter::Stage(stage) => stage.category() == Category::Queued,
            _ => false,
        }
    }

    /// How those stand that are meant, where that is asked for.
    pub(super) fn words(&self) -> Option<&'static str> {
        match self.state {
            StateFilter::Standing(words) => Some(words),
            _ => None,
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
            StateFilter::Standing(_) => !stage.has_ended(), // which is asked of the model
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

/// The state that a word means: one of the contract's, or one that the lists show, with hyphens for its spaces too.
fn state(word: &str) -> Result<StateFilter, Problem> {
    let said = word.trim().to_lowercase().replace('-', " ");
    let standing = STANDINGS.into_iter().find(|words| *words == said);
    let found = match said.as_str() {
        "any" => Some(StateFilter::Any),
        "open" => Some(StateFilter::Open),
        "ended" => Some(StateFilter::Ended),
        "done" | StandingInfo::DELIVERED => Some(StateFilter::Status(Status::Completed)),
        // As the page says them.
        "waits for a limit" => Some(StateFilter::Standing(StandingInfo::LIMIT)),
        "waits for parts" => Some(StateFilter::Stage(StageName::Waiting)),
        _ => standing.map(StateFilter::Standing),
    };
    let status = || Status::ALL.into_iter().find(|status| status.word() == said).map(StateFilter::Status);
    let shown = || StageName::ALL.iter().copied().find(|stage| stage.said() == said);
    let stage = || StageName::of(&said).or_else(shown).map(StateFilter::Stage);
    let words = || state_words().join(", ");
    found
        .or_else(status)
        .or_else(stage)
        .ok_or_else(|| bad("state", word, &format!("a state; the states are {}", words())))
}

/// Every word that means a state.
#[must_use]
pub fn state_words() -> Vec<&'static str> {
    let statuses = Status::ALL.iter().map(|status| status.word());
    let stages = StageName::ALL.iter().flat_map(|name| [name.word(), name.said()]);
    let mut words: Vec<&str> = Vec::new();
    for word in ["any", "open", "ended", "done"].into_iter().chain(STANDINGS).chain(statuses).chain(stages) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
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
