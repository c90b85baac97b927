//! Histories: of a message with all its parts, and of an agent.
//!
//! The journal is read as a whole for them, which takes long where it is long. So a question has three parts ([`Scans`]): what
//! it needs of the model, the reading, for which no model is needed, and what the model adds to what was found.

mod waits;

use super::history::{AgentHistory, MessageFamily, MessageHistory, Pages, of_agent};
use super::model::{Answers, Model};
use super::problems::{message_id, no_message, unreadable};
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::wire::api::{
    AgentHistoryInfo, AgentHistoryQuery, AgentInfo, HistoryInfo, HistoryQuery, HistoryTree, Problem,
};
use crate::wire::time::rfc3339_ms;
pub use waits::Around;

/// How many parts of parts of parts are told. Messages go through 8 hands at most, and a person may write `parent:` too;
/// what is deeper still has a history of its own.
pub const DEPTH_MAX: usize = 32;

/// A question for which the journal is read as a whole.
pub trait Scans: Answers {
    /// What is looked for.
    type Subject: Send + 'static;
    /// What the journal says of it.
    type Found: Send + 'static;

    /// What is looked for, by what the model knows.
    ///
    /// # Errors
    /// [`Problem`] says what is wrong with the question.
    fn subject(&self, model: &Model) -> Result<Self::Subject, Problem>;

    /// Reads the journal, beside the model.
    ///
    /// # Errors
    /// [`Problem`] says why it cannot be read.
    fn scan(subject: &Self::Subject, pages: &Pages) -> Result<Self::Found, Problem>;

    /// The answer, from what was found and from what the model knows by now.
    ///
    /// # Errors
    /// [`Problem`] says that there is no such thing.
    fn tell(subject: &Self::Subject, found: Self::Found, model: &Model) -> Result<Self::Answer, Problem>;
}

impl Answers for HistoryQuery {
    fn answer(self, model: &mut Model) -> Result<HistoryInfo, Problem> {
        at_once(&self, model)
    }
}

impl Answers for AgentHistoryQuery {
    fn answer(self, model: &mut Model) -> Result<AgentHistoryInfo, Problem> {
        at_once(&self, model)
    }
}

/// The three parts one after the other, where nobody else waits for the model.
fn at_once<Q: Scans>(question: &Q, model: &Model) -> Result<Q::Answer, Problem> {
    let subject = question.subject(model)?;
    let found = Q::scan(&subject, &Pages::all(&model.workspace))?;
    Q::tell(&subject, found, model)
}

impl Scans for HistoryQuery {
    type Subject = MessageId;
    type Found = MessageFamily;

    fn subject(&self, _: &Model) -> Result<MessageId, Problem> {
        message_id(&self.id)
    }

    fn scan(id: &MessageId, pages: &Pages) -> Result<MessageFamily, Problem> {
        MessageFamily::read(pages, id).map_err(|error| unreadable(&error))
    }

    fn tell(id: &MessageId, family: MessageFamily, model: &Model) -> Result<HistoryInfo, Problem> {
        if !family.histories.contains_key(id) {
            return Err(no_message(id));
        }
        let around = Around::of(model);
        let mut tree = tree_of(&family, id, around.now, 0);
        around.explain(&mut tree, &family);
        Ok(HistoryInfo { tree, unread: family.unread })
    }
}

impl Scans for AgentHistoryQuery {
    type Subject = AgentName;
    type Found = AgentHistory;

    fn subject(&self, model: &Model) -> Result<AgentName, Problem> {
        model.member(&self.name)
    }

    fn scan(name: &AgentName, pages: &Pages) -> Result<AgentHistory, Problem> {
        of_agent(pages, name).map_err(|error| unreadable(&error))
    }

    fn tell(name: &AgentName, found: AgentHistory, model: &Model) -> Result<AgentHistoryInfo, Problem> {
        let runs = model.live.daemon.is_some();
        let now = model.agent(name).filter(|_| runs).map(|agent| now_of(&agent));
        Ok(AgentHistoryInfo { agent_name: name.to_string(), story: found.steps, now, unread: found.unread })
    }
}

/// What an agent does now, in a line.
fn now_of(agent: &AgentInfo) -> String {
    let task = agent.current_task.as_deref().map_or(String::new(), |id| format!(" on {id}"));
    let why = agent.why.as_deref().map_or(String::new(), |why| format!(": {why}"));
    format!("{}{task}{why}; {} waiting", agent.state, agent.queued)
}

impl Model {
    /// What of the journal is in this model.
    #[must_use]
    pub fn pages(&self) -> Pages {
        Pages { workspace: self.workspace.clone(), until: self.seq() }
    }
}

/// The tree of a message of the family. Each is in the family once, so parts that name each other end somewhere.
#[must_use]
pub fn tree_of(family: &MessageFamily, id: &MessageId, now: Millis, depth: usize) -> HistoryTree {
    let nothing = MessageHistory::new(now);
    let found = family.histories.get(id).unwrap_or(&nothing);
    let children = family.parts.get(id).map(Vec::as_slice).unwrap_or_default();
    let (told, untold) = if depth < DEPTH_MAX { (children, 0) } else { (&[][..], children.len()) };
    let message = found.message.as_deref();
    let text = |id: &MessageId| id.to_string();
    let times = found.times(now);
    HistoryTree {
        id: id.to_string(),
        title: found.title.clone(),
        parent: message.and_then(|message| message.parent.as_ref().map(text)),
        retry_of: message.and_then(|message| message.retry_of.as_ref().map(text)),
        kind: message.map(|message| message.kind),
        from: message.map(|message| message.from.to_string()),
        to: message.map(|message| message.to.to_string()),
        agent: found.agent.as_ref().map(ToString::to_string),
        depends_on: message.map(|message| message.depends_on.iter().map(text).collect()).unwrap_or_default(),
        status: found.stage().status(),
        stage: found.stage(),
        since: rfc3339_ms(found.since),
        accepted_at: message.map(|message| rfc3339_ms(message.accepted_at)),
        ended_at: found.ended.map(rfc3339_ms),
        waited_ms: times.waited,
        worked_ms: times.worked,
        stopped_ms: times.stopped,
        rested_ms: times.rested,
        turns: found.turns,
        reminders: found.reminders,
        redeliveries: found.redeliveries,
        letter: None,
        waits_for: None,
        standing: None,
        retried_as: family.retried.get(id).map(text),
        put_aside: None,
        story: found.steps.clone(),
        spans: found.spans(),
        untold,
        parts: told.iter().map(|part| tree_of(family, part, now, depth + 1)).collect(),
    }
}

impl HistoryTree {
    /// Whether it has not ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.ended_at.is_none()
    }
}
