//! Questions that change nothing. Each knows its address, so that whoever asks, whoever answers, and the page about the socket
//! name it once.

use super::agents::{AgentDetails, AgentHistoryInfo, AgentList, StatusInfo, TeamInfo};
use super::debates::{DebateList, DebateProgressQuery, DebateQuery, DebateRoundQuery, DebatesQuery};
use super::messages::{HistoryInfo, InboxInfo, LogPage, MessageDetails, MessagePage};
use super::needs::NeedsInfo;
use super::sessions::{SessionDetails, SessionDocumentQuery, SessionList, SessionQuery, SessionsQuery};
use crate::wire::debate::document::{DebateProgress, DebateResult, RoundOutput};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A question that changes nothing. Its members that stand in braces in its address are there; the others are the address's
/// query.
pub trait Question: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    type Answer: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    const PATH: &'static str;
    /// What it is for, as the page about the socket says it.
    const WHAT: &'static str;

    /// Its address with all that it asks.
    fn address(&self) -> String {
        let asked = serde_json::to_value(self).unwrap_or_default();
        let mut path = Self::PATH.to_owned();
        let mut query = String::new();
        for (name, value) in asked.as_object().into_iter().flatten() {
            let text = match value {
                serde_json::Value::Null => continue,
                serde_json::Value::String(text) => encoded(text),
                other => encoded(&other.to_string()),
            };
            let place = format!("{{{name}}}");
            if path.contains(&place) {
                path = path.replace(&place, &text);
            } else {
                query.push(if query.is_empty() { '?' } else { '&' });
                query.push_str(&format!("{name}={text}"));
            }
        }
        path + &query
    }
}

/// A word as it may stand in an address, everywhere in it (RFC 3986, unreserved characters).
#[must_use]
pub fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

macro_rules! question {
    ($asked:ty => $answer:ty, $path:literal, $what:literal) => {
        impl Question for $asked {
            type Answer = $answer;
            const PATH: &'static str = $path;
            const WHAT: &'static str = $what;
        }
    };
}

question!(StatusQuery => StatusInfo, "/api/status", "the workspace as a whole");
question!(AgentsQuery => AgentList, "/api/agents", "all agents, the boss first");
question!(AgentQuery => AgentDetails, "/api/agents/{name}", "one agent, its task and its queue");
question!(AgentHistoryQuery => AgentHistoryInfo, "/api/agents/{name}/story", "the history of an agent");
question!(MessagesQuery => MessagePage, "/api/messages", "messages, open and finished, newest first");
question!(MessageQuery => MessageDetails, "/api/messages/{id}", "one message, with its content and its answer");
question!(HistoryQuery => HistoryInfo, "/api/messages/{id}/story", "the history of a message and of its parts");
question!(SessionsQuery => SessionList, "/api/sessions", "all sessions, newest first");
question!(SessionQuery => SessionDetails, "/api/sessions/{id}", "one session with its tasks");
question!(SessionDocumentQuery => serde_json::Value, "/api/sessions/{id}/document", "the document of a session, as other tools read it");
question!(DebatesQuery => DebateList, "/api/debates", "all debates, newest first");
question!(DebateQuery => DebateResult, "/api/debates/{id}", "one debate in short");
question!(DebateProgressQuery => DebateProgress, "/api/debates/{id}/progress", "how far a debate is, with all that was said");
question!(DebateRoundQuery => Vec<RoundOutput>, "/api/debates/{id}/rounds/{n}", "what was said in one round");
question!(NeedsQuery => NeedsInfo, "/api/needs", "what waits for a person, and who waits for whom");
question!(InboxQuery => InboxInfo, "/api/inbox", "what was sent to the user and is unread");
question!(LogQuery => LogPage, "/api/log", "lines of the log, newest first");
question!(TeamQuery => TeamInfo, "/api/team", "the team file as it is in force");

/// Asks for the workspace as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusQuery {}

/// Asks for all agents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentsQuery {}

/// Asks for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentQuery {
    /// Agent name or alias.
    pub name: String,
}

/// Asks for the history of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentHistoryQuery {
    /// Agent name or alias.
    pub name: String,
}

/// Which messages are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MessagesQuery {
    /// Which of them: `any`, `open`, `ended`, `done`, a status, a stage, or the words of how they stand, such as
    /// `waiting for a limit`. Default: any
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Agent that has it, has had it, sent it, or is its recipient; `user` for one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Message type: task, info, result or error.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Words in the id, the content or the answer; capitals do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Id of a message that they try again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<String>,
    /// Whether parts of other tasks are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub roots: bool,
    /// Earliest time of acceptance: RFC 3339, or a duration before now, such as 2h.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Latest time of acceptance, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Most messages in the answer. Default: 100. Maximum: 1000
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next` of the answer before, for the messages that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Asks for one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageQuery {
    /// Message id.
    pub id: String,
}

/// Asks for the history of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryQuery {
    /// Message id.
    pub id: String,
}

/// Asks what waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NeedsQuery {}

/// Asks for unread messages to the user.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InboxQuery {}

/// Which lines of the log are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LogQuery {
    /// Name or alias of the agent whose log it is. Default: the log of the whole team
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Id of a message that the lines name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Time of the oldest line: RFC 3339, or a duration before now, such as 2h.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Most lines in the answer. Default: 100. Maximum: 1000
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next` of the answer before, for the lines before those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Asks for the team file as it is in force.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamQuery {}
