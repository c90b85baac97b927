//! What goes over the socket, as JSON. Field names are those of the files (protocol, a message and status file).

mod agents;
mod debates;
mod events;
mod hiring;
mod kinds;
mod messages;
mod needs;
mod notify;
mod panes;
mod read;
mod sessions;
mod step;
mod web;

pub use agents::{
    AgentDetails, AgentHistoryInfo, AgentInfo, AgentList, AsksInfo, DaemonInfo, MemberInfo, PoolInfo,
    PulseInfo, StatusInfo, TeamInfo,
};
pub use debates::{DebateInfo, DebateList, DebateProgressQuery, DebateQuery, DebateRoundQuery, DebatesQuery};
pub use events::{
    EventsQuery, ResetInfo, RunInfo, ScreenInfo, ScreenQuery, StepInfo, ViewInfo, WorkspaceInfo,
};
pub use hiring::{HireBody, HiredInfo};
pub use kinds::{NeedKindInfo, NotifyKind};
pub use messages::{
    AnswerInfo, HistoryInfo, HistoryTree, InboxInfo, LetterInfo, LogLineInfo, LogPage, MessageDetails,
    MessagePage, SessionStepInfo, SpanInfo, UnreadAnswerInfo,
};
pub use needs::{CauseInfo, ChainInfo, CureInfo, NeedGroup, NeedInfo, NeedsInfo};
pub use notify::{NotifyEventInfo, NotifyInfo, notify_schema};
pub use panes::{
    PaneAnswerBody, PaneAnswered, PaneLookInfo, PaneQuery, PaneReady, PaneSendBody, PaneText, PaneTyped,
    PaneWaitBody,
};
pub use read::{
    AgentHistoryQuery, AgentQuery, AgentsQuery, HistoryQuery, InboxQuery, LogQuery, MessageQuery,
    MessagesQuery, NeedsQuery, Question, StatusQuery, TeamQuery, encoded,
};
pub use sessions::{
    SessionBegun, SessionBody, SessionCounts, SessionDetails, SessionDocumentQuery, SessionImportBody,
    SessionInfo, SessionList, SessionMergeAgain, SessionMergeBody, SessionMergeInfo, SessionQuery,
    SessionRetryBody, SessionTaskBody, SessionTaskInfo, SessionsQuery,
};
pub use step::{EventInfo, HistoryStepInfo};
pub use web::{ProofInfo, ProveQuery, TabInfo, WebBody, WebInfo};

use crate::engine::flow::spent::SpeechCost;
use crate::wire::headless::failed::ProgramFailure;
use crate::wire::message::view::MessageView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer to every request that fails.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Problem {
    /// Error code: a code of refusals, or one of this page.
    pub code: String,
    /// What is wrong, in a sentence.
    pub why: String,
    /// What to do about it.
    pub cure: String,
    /// Index of the document in the body, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<usize>,
    /// Key that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Line in the body, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Column in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// What is wrong besides, in the order of its lines. Of very many, the last are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<AlsoWrong>,
}

/// One more thing that is wrong with what was sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AlsoWrong {
    /// Error code, as that of the first.
    pub code: String,
    /// What is wrong, in a sentence.
    pub why: String,
    /// What to do about it.
    pub cure: String,
    /// Key that is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Line in the body, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Column in the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// The answer to accepted messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// Message ids in the order of the body, duplicates included.
    pub ids: Vec<String>,
    /// Ids of messages that were known already, unchanged, and were dropped.
    pub duplicates: Vec<String>,
    /// Whether they are on the disk. Always true: the answer waits for it.
    pub durable: bool,
    /// What is odd about them and was taken all the same, such as a key that has no meaning; each begins with its message's id.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
}

/// The answer to a command that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// What was done, in words.
    pub what: String,
    /// Id of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
}

/// The end of a wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waited {
    /// Whether the message got as far as was asked. If not, the time was up.
    pub reached: bool,
    /// The message now.
    pub message: MessageView,
}

/// What a wait is for, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitQuery {
    /// What to wait for: delivered, ended or moved. Default: ended
    pub until: Option<String>,
    /// With moved: the stage that it must have left.
    pub stage: Option<String>,
    /// Longest wait, such as 30s. Default and maximum: 60s
    pub timeout: Option<String>,
}

/// The answer of a daemon that listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Always true: the socket answers. Whether the daemon works on is in `status`.
    pub ok: bool,
    /// The daemon.
    pub daemon: DaemonInfo,
}

/// An agent's answer to its turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplyBody {
    /// Answer text.
    pub text: String,
    /// Whether the task could not be done.
    #[serde(default)]
    pub failed: bool,
    /// What the answer took, as far as the agent knows it. The result has it under `usage`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<UsageInfo>,
    /// In a debate: places that the answer cites and that are not there. The result has them under `missing`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub missing: Vec<String>,
    /// In a debate: whether the answer brings an objection that cites a place, or a new proposal. Default: nobody knows
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub brings_news: Option<bool>,
    /// With `failed`: what became of the program that the agent has asked. The result has it under `failure`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failure: Option<ProgramFailure>,
}

impl ReplyBody {
    /// Most places that are kept.
    const MISSING_MAX: usize = 100;
    /// Longest of them, in characters.
    const PLACE_CHARS_MAX: usize = 300;

    /// What the result has beside its text.
    #[must_use]
    pub fn extra(&self) -> String {
        let mut extra = serde_json::Map::new();
        if let Some(usage) = self.usage.clone().and_then(UsageInfo::said) {
            extra.insert("usage".to_owned(), serde_json::json!(usage));
        }
        let short = |place: &String| place.chars().take(Self::PLACE_CHARS_MAX).collect::<String>();
        let missing: Vec<String> = self.missing.iter().take(Self::MISSING_MAX).map(short).collect();
        if !missing.is_empty() {
            extra.insert("missing".to_owned(), serde_json::json!(missing));
        }
        if let Some(failure) = self.failure.as_ref().filter(|_| self.failed) {
            extra.insert("failure".to_owned(), serde_json::json!(failure.short()));
        }
        if extra.is_empty() { String::new() } else { serde_json::Value::Object(extra).to_string() }
    }

    /// What it took, for the step that it may be of; none if nothing is said of that.
    #[must_use]
    pub fn spent(&self) -> Option<SpeechCost> {
        let (usage, no_news) = (self.usage.as_ref(), self.brings_news == Some(false));
        let micro = |dollars: f64| (dollars * 1e6).round().clamp(0.0, 1e18) as u64;
        let spent = SpeechCost {
            tokens: usage.and_then(|usage| usage.tokens).unwrap_or_default(),
            cost_micro_usd: usage.and_then(|usage| usage.cost_usd).map(micro).unwrap_or_default(),
            no_news,
        };
        Some(spent).filter(|spent| *spent != SpeechCost::default())
    }
}

/// What an answer took.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UsageInfo {
    /// Number of tokens, those that the model was given included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Cost in US dollars, as the program says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub cost_usd: Option<f64>,
    /// Name of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl UsageInfo {
    /// Longest name of a model, in bytes.
    pub const MODEL_BYTES_MAX: usize = 200;

    /// It, unless it says nothing.
    #[must_use]
    pub fn said(self) -> Option<Self> {
        Some(self).filter(|usage| *usage != Self::default())
    }

    /// The field that cannot be so, and why.
    #[must_use]
    pub fn fault(&self) -> Option<(&'static str, &'static str)> {
        let cost = self.cost_usd.is_some_and(|cost| !(0.0..1e12).contains(&cost));
        let model = self
            .model
            .as_ref()
            .is_some_and(|model| model.len() > Self::MODEL_BYTES_MAX || model.chars().any(char::is_control));
        match (cost, model) {
            (true, _) => Some(("usage.cost_usd", "a cost is a number of dollars, and none below zero")),
            (_, true) => Some(("usage.model", "the name of a model is one line of at most 200 bytes")),
            _ => None,
        }
    }
}

/// Creates or removes `queue/STOP`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HaltBody {
    /// Whether typing is held.
    pub on: bool,
}

/// Ends the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DownBody {
    /// Whether the agents keep running for the next daemon.
    pub keep_agents: bool,
}

/// How a message is cancelled, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CancelQuery {
    /// Whether the agent may finish its running turn. Otherwise the turn is interrupted.
    pub let_finish: bool,
}
