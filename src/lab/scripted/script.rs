//! The script as data: what a YAML file may set, and when which rule fits, in the words of `protocol/SCRIPTED.md`. The
//! doc comments here and in `action` are also the descriptions in `protocol/scripted.schema.json`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::action::Action;
use super::look::Look;
use super::values::{Pattern, Pause};

/// A script for `tasuki agent scripted`: how the terminal behaves, and what is played on which turn.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Script {
    /// How the agent meets its terminal.
    pub mode: Mode,
    /// What is before the input: in `tui` mode `> ` unless set, in `line` mode nothing unless set.
    pub prompt: Option<String>,
    /// What an empty input box shows (`tui` mode).
    pub placeholder: Option<String>,
    /// Time from the start to the first prompt.
    pub ready_after: Pause,
    /// What becomes of text that is typed before the agent is ready.
    pub before_ready: BeforeReady,
    /// A paste of more bytes than this is shown as `[Pasted text #1 +13 lines]` (`tui` mode).
    pub paste_collapse: Option<usize>,
    /// An Enter sooner than this after a paste is too early (`tui` mode).
    pub enter_after_paste: Pause,
    /// An Enter sooner than this after a burst of typed characters is too early (`tui` mode).
    pub enter_after_typing: Pause,
    /// What becomes of an Enter that is too early.
    pub early_enter: EarlyEnter,
    /// What an Enter does while a turn is played (`tui` mode).
    pub on_enter_while_busy: WhileBusy,
    /// How the screen looks (`tui` mode).
    pub look: Look,
    /// Actions played once, before the first prompt: a banner, a trust dialog, the alternate screen. No `claim`,
    /// `reply` or `fail`, for there is no turn yet.
    #[serde(deserialize_with = "turnless")]
    pub at_start: Vec<Action>,
    /// The first rule that fits a turn is played; a turn that none fits gets the default answer.
    pub rules: Vec<Rule>,
}

impl Script {
    /// What is before the input in `tui` mode.
    pub(super) fn box_prompt(&self) -> &str {
        self.prompt.as_deref().unwrap_or("> ")
    }

    /// Whether what is typed before the agent is ready is lost.
    pub(super) fn drops_early_input(&self) -> bool {
        self.before_ready == BeforeReady::Drop
    }
}

/// How the agent meets its terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    /// Lines as the terminal gives them; the next one is read only when the turn before it is over.
    #[default]
    Line,
    /// Raw input with an own input box, bracketed paste and a footer, as the agent CLIs have.
    Tui,
}

/// What becomes of text that is typed before the agent is ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum BeforeReady {
    /// It stays; in `tui` mode in the box, with its Enter lost.
    #[default]
    Keep,
    /// It stays, and its Enter counts as soon as the agent is ready.
    Take,
    /// It is lost.
    Drop,
}

/// What becomes of an Enter that is too early.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EarlyEnter {
    /// Nothing happens.
    #[default]
    Swallow,
    /// It becomes a line break in the input box.
    Newline,
}

/// What an Enter does while a turn is played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum WhileBusy {
    /// The text waits until the turn is over.
    #[default]
    Queue,
    /// The turn ends at once and the text begins the next one.
    Abort,
}

/// One rule: when it fits, and what is then done.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// When it fits; without it, on every turn.
    #[serde(default)]
    pub when: When,
    /// What is done, in this order. A list without `claim`, `reply` or `fail` claims nothing.
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
}

/// When a rule fits: all that is said here must hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct When {
    /// The kind of turn.
    pub turn: Option<Kind>,
    /// A regular expression that is found in the task's content.
    #[serde(rename = "match")]
    pub pattern: Option<Pattern>,
    /// Only on the Nth turn (from 1) for which `turn` and `match` hold.
    pub nth: Option<u32>,
}

/// The kinds of turns, by the head of the doorbell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// A new task. A line that is no doorbell is a task too, with the line as its content.
    Task,
    /// Answers to what this agent delegated.
    Answers,
    /// A check failed.
    Feedback,
    /// The question whether it is done.
    Reminder,
    /// Something to know, with nothing to answer.
    Info,
}

/// Actions that need no turn.
fn turnless<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Action>, D::Error> {
    let actions = Vec::<Action>::deserialize(deserializer)?;
    let needs_turn = |action: &Action| match action {
        Action::Claim(_) => Some("claim"),
        Action::Reply(_) => Some("reply"),
        Action::Fail(_) => Some("fail"),
        _ => None,
    };
    match actions.iter().find_map(needs_turn) {
        Some(name) => Err(D::Error::custom(format!(
            "`at_start` has a `{name}`, but there is no turn yet: put it into a rule"
        ))),
        None => Ok(actions),
    }
}
