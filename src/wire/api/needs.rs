//! What waits for a person, and who waits for whom.

use super::agents::AsksInfo;
use super::kinds::NeedKindInfo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What waits for a person, and who waits for whom.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct NeedsInfo {
    /// What waits for a person: first what stops the most work, then what is to be decided, then what is to be known.
    pub needs: Vec<NeedInfo>,
    /// Who waits for whom, the one with the most behind it first.
    pub chains: Vec<ChainInfo>,
    /// Number of the last step of the journal that is in this picture.
    #[serde(default)]
    pub seq: u64,
    /// Time of the picture (RFC 3339).
    #[serde(default)]
    pub now: String,
}

/// One thing that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NeedInfo {
    /// Id of the need, as long as it lasts, such as `asks.coder.1f2e` or `held.msg-1`.
    pub id: String,
    /// What kind of thing.
    pub kind: NeedKindInfo,
    /// Whether work stops for it (`stops`), it is to be decided (`decide`), or it is only to be known (`info`).
    pub group: NeedGroup,
    /// What it is, in one line.
    pub title: String,
    /// More about it, in one line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
    /// Agent that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    /// Id of the message that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// Time since which it waits (RFC 3339).
    pub since: String,
    /// Dialog to be answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<AsksInfo>,
    /// Time at which it is over by itself, if that is known (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until: Option<String>,
    /// Ids of open messages that go on when it is settled, at most 100 of them.
    #[serde(default)]
    pub behind: Vec<String>,
    /// Number of all open messages that go on when it is settled.
    #[serde(default)]
    pub behind_count: usize,
    /// What can be done, none of it recommended over the others.
    #[serde(default)]
    pub cures: Vec<CureInfo>,
    /// What puts it aside, if nothing is lost by that: it is shown again only when it happens again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dismiss: Option<CureInfo>,
}

/// How much a need matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeedGroup {
    /// Work stops for it.
    Stops,
    /// It is to be decided; all else goes on.
    Decide,
    /// It is only to be known.
    Info,
}

/// One thing that can be done about a need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CureInfo {
    /// What it does, in a few words that begin with a verb.
    pub label: String,
    /// The same as a command line.
    pub command: String,
    /// Address to post to, if the socket can do it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// Body to post.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body: Option<serde_json::Value>,
    /// Whether it is asked about once more before it is done.
    #[serde(default)]
    pub asks_first: bool,
}

/// Who waits for whom: from a task, by whoever has it and its parts, to the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainInfo {
    /// Id of the task that waits, one that is a part of no other.
    pub message: String,
    /// First line of its content.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// Agents from the task's own to the last one that waits.
    pub agents: Vec<String>,
    /// What the last one waits for.
    pub cause: CauseInfo,
    /// Time since which it waits for that (RFC 3339).
    pub since: String,
    /// Id of the need that ends it, if a person can.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub need: Option<String>,
    /// Number of open messages that wait for the same cause.
    pub behind: usize,
}

/// Why a chain of waiting ends where it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CauseInfo {
    /// Who: `you`, `work` (its last agent works), `time`, `agent` (it is not ready), `message` or `daemon`.
    pub who: String,
    /// What it is, in words.
    pub text: String,
}
