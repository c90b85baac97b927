//! Panes, as they are asked for and shown.

use super::agents::AsksInfo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line to type into a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneSendBody {
    /// Line to type. Enter is pressed after it.
    pub text: String,
    /// Whether it may be several lines, each with Enter.
    #[serde(default)]
    pub lines: bool,
    /// Whether to type in spite of a running turn, unsent text, or a person who types.
    #[serde(default)]
    pub force: bool,
    /// Longest wait for the guards, such as 30s; at most an hour. Default: no wait
    #[serde(default)]
    pub wait: Option<String>,
}

/// A text to wait for in a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PaneWaitBody {
    /// Text to wait for. Default: the agent's phrase
    pub text: Option<String>,
    /// Whether text that the screen shows already counts. Otherwise it must be printed from now on.
    pub shown: bool,
    /// Longest wait, such as 30s. Default: 30s. Maximum: 1h
    pub timeout: Option<String>,
}

/// How much of a pane is read, as the query of its address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneQuery {
    /// Number of history lines above the screen.
    pub history: Option<u32>,
}

/// What a pane shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneText {
    /// Rows of the pane.
    pub text: String,
    /// Whether the text did not appear in time.
    #[serde(default)]
    pub timed_out: bool,
}

/// The answer to a typed line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneTyped {
    /// Whether the pane showed the line before Enter was pressed.
    pub proven: bool,
}

/// A screen, and how the rules of its profile read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneLookInfo {
    /// State: ready, busy, draft, `waiting_input`, `rate_limited`, error or unknown.
    pub state: String,
    /// Rule that matched, or a dash.
    pub rule: String,
    /// Version of the program that the rules are for; none if the profile has no rules.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub version: Option<String>,
    /// Rows that matched, counted from 0.
    pub matched: Vec<usize>,
    /// Rows of the screen.
    pub rows: Vec<String>,
    /// Title of the pane.
    pub title: String,
    /// Column and row of the cursor, from 0.
    pub cursor: (u16, u16),
    /// Text of its input box; none if no box is shown.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub input: Option<String>,
    /// Dialog that it shows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asks: Option<AsksInfo>,
    /// What answers the dialog: `choice`, `text`, or `nothing` if only its pane does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub takes: Option<String>,
    /// Why nothing may be typed now.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
}

/// An answer to an agent's dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaneAnswerBody {
    /// `yes`, `no`, the number of a choice, or its first words.
    pub choose: String,
    /// Dialog id. Default: whichever dialog is shown
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<String>,
}

/// The answer to an answered dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneAnswered {
    /// The choice.
    pub choice: String,
    /// Whether the dialog was gone after Enter.
    pub proven: bool,
}

/// Whether a pane is ready for a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneReady {
    /// Whether it is ready.
    pub ready: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// What to do about it, if waiting is not enough.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cure: Option<String>,
}
