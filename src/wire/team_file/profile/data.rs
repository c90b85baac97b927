//! What a profile says of the programs of one kind, read and checked.

use super::headless::kind::Headless;
use super::transcript::Transcript;
use crate::engine::screen::reading::{Dialog, Pattern, Rules};
use crate::engine::team::Restart;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What tasuki knows about programs of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The command, placeholders unfilled; empty if each agent brings its own.
    pub command: Vec<String>,
    /// Whether the program is no agent by itself: what it does is in its command.
    pub any_program: bool,
    /// How an agent gets its system prompt.
    pub prompt: PromptWay,
    /// Words to add to the command for an agent with a model.
    pub model_args: Vec<String>,
    /// Words to add to the command for an agent with a permission mode.
    pub permission_args: Vec<String>,
    /// Variables, placeholders unfilled; `None` takes one away.
    pub env: BTreeMap<String, Option<String>>,
    /// How a line is put into its terminal.
    pub types: Typing,
    /// Shortest wait between the last byte of a line and Enter, in ms.
    pub enter_after_ms: u64,
    /// How long the pane must be still before Enter, and before a claim counts, in ms.
    pub quiet_ms: u64,
    /// How long to wait for the line to show and the pane to be still, in ms.
    pub echo_wait_ms: u64,
    /// Whether the program shows what is typed.
    pub echoes: bool,
    /// What proves that a line was taken.
    pub receipt: Receipt,
    /// How it can be asked what it does, besides its screen.
    pub side_channel: Option<SideChannel>,
    /// Where it keeps what it was asked and what it said.
    pub transcript: Option<Arc<Transcript>>,
    /// How it is asked once, if that is known.
    pub headless: Option<Arc<Headless>>,
    /// How long the pane must have been still for the program to be ready, in ms.
    pub ready_quiet_ms: u64,
    /// When a program that never stops printing counts as ready too, in ms.
    pub ready_within_ms: u64,
    /// How its screens are read, if anything is known of them.
    pub screen: Option<Arc<Rules>>,
    /// What it asks that is answered without a person.
    pub answers: Vec<StandingAnswer>,
    /// The key that clears the input line, as tmux names it.
    pub clear_key: Option<String>,
    /// Keys that break a turn off, as tmux names them, with blanks between them.
    pub interrupt: Option<String>,
    /// Keys that ask the program to end, as tmux names them.
    pub exit: Vec<String>,
    /// Whether the program ends after each task, a clean exit being its claim.
    pub one_shot: bool,
    /// When it is started again, unless its agent says otherwise.
    pub restart: Restart,
    /// Working time of a turn in ms, unless its agent says otherwise.
    pub timeout_ms: Option<u64>,
}

/// Cautious values for what no profile of a chain says: those of delivery's own measurements.
impl Default for Profile {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            any_program: false,
            prompt: PromptWay::default(),
            model_args: Vec::new(),
            permission_args: Vec::new(),
            env: BTreeMap::new(),
            types: Typing::Paste,
            enter_after_ms: 200,
            quiet_ms: 100,
            echo_wait_ms: 3_000,
            echoes: true,
            receipt: Receipt::None,
            side_channel: None,
            transcript: None,
            headless: None,
            ready_quiet_ms: 100,
            ready_within_ms: 2_000,
            screen: None,
            answers: Vec::new(),
            clear_key: None,
            interrupt: None,
            exit: Vec::new(),
            one_shot: false,
            restart: Restart::OnFailure,
            timeout_ms: None,
        }
    }
}

/// An answer that is given without a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingAnswer {
    /// The rule of the screen that knows the dialog.
    pub rule: String,
    /// What has to be seen in the dialog's text, each in some row.
    pub see: Vec<Pattern>,
    /// Unless this is empty: each row of its text has to match one of these.
    pub rows: Vec<Pattern>,
    /// The answer: `yes`, `no`, the number of a choice, its words, or a text.
    pub choose: String,
}

impl StandingAnswer {
    /// Whether it is meant for this dialog, which was known by this rule.
    #[must_use]
    pub fn fits(&self, rule: &str, dialog: &Dialog) -> bool {
        let seen = |pattern: &Pattern| dialog.text.lines().any(|row| pattern.matches(row));
        let known = |row: &str| self.rows.is_empty() || self.rows.iter().any(|pattern| pattern.matches(row));
        self.rule == rule && !dialog.cut && self.see.iter().all(seen) && dialog.text.lines().all(known)
    }
}

/// How a line is put into a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Typing {
    /// A paste buffer, bracketed by tmux where the program asks for it.
    Paste,
    /// Keys, one by one.
    Keys,
}

/// What proves that a line was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Receipt {
    /// The input queue of the terminal is empty after Enter.
    TtyRead,
    /// The line is on the screen, and not in the input box any more.
    Screen,
    /// Nothing does.
    None,
}

/// How a program can be asked what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SideChannel {
    /// OpenCode's HTTP API, where the command says its port.
    Opencode,
}

/// How programs of one kind get their system prompt, placeholders unfilled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptWay {
    /// Words to add to the command.
    pub args: Vec<String>,
    /// Variables to set.
    pub env: BTreeMap<String, Template>,
    /// Files to write into the agent's folder, by name.
    pub files: BTreeMap<String, Template>,
    /// Words of a command with which the program takes none of this.
    pub unless: Vec<String>,
    /// Whether such programs have to be told anything.
    pub needed: bool,
}

/// A text, or a JSON value that becomes one: what is filled into its strings is quoted as JSON wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Template {
    Text(String),
    Json(Value),
}

impl Default for PromptWay {
    fn default() -> Self {
        let (env, files) = (BTreeMap::new(), BTreeMap::new());
        Self { args: Vec::new(), env, files, unless: Vec::new(), needed: true }
    }
}
