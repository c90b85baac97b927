//! The team as the engine knows it: who is in it, who reports to whom, and every number about waiting.
//! How an agent is started is the daemon's business (`io/settings`).

pub(in crate::engine) mod blame;
pub mod blocker;
pub(in crate::engine) mod hiring;
pub(in crate::engine) mod lifecycle;
pub mod need;
pub mod permission;
pub mod power;
pub(in crate::engine) mod recover;
pub(in crate::engine) mod reload;
pub mod roster;
pub mod timeouts;
pub(in crate::engine) mod unattended;

use super::words::{AgentName, Digest};
use crate::engine::form::is_default;
use crate::engine::message::refusal::{Code, EXPECT, Refusal};
use crate::engine::suggest::nearest;
use crate::engine::team::power::Powers;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How much is said of a command that is not the team's, in characters: a line.
const SAID_CHARS_MAX: usize = 80;
/// Names of commands that are said where another was meant.
const NAMES_SAID_MAX: usize = 20;

/// A whole, checked team. Names, aliases and pools do not clash; every `reports_to` is a member or `user`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Team {
    pub members: BTreeMap<AgentName, Member>,
    /// Alias → member.
    pub aliases: BTreeMap<AgentName, AgentName>,
    /// Pool → its members.
    pub pools: BTreeMap<AgentName, BTreeSet<AgentName>>,
    /// Routes opened besides the hierarchy.
    pub routes: BTreeMap<AgentName, BTreeSet<AgentName>>,
    /// What agents may command besides what is their own.
    pub may: Powers,
    /// Profile → a member that is made of it alone, for whoever is hired.
    pub templates: BTreeMap<String, Member>,
    /// Profiles of programs that are no agents by themselves: what one does is in the command that the team file has for it.
    pub any_program: BTreeSet<String>,
    /// Profiles that say no command: nobody can be made of one alone.
    pub commandless: BTreeSet<String>,
    /// Those who are hired for steps of flows, each with the id of the flow: they go with their steps.
    pub for_flows: BTreeMap<AgentName, String>,
    /// Limits and waiting times.
    pub limits: Limits,
    /// What may be run to check a task: name → program and arguments.
    pub commands: BTreeMap<String, Vec<String>>,
}

impl Team {
    /// All names that a message may be from or to, but `user`.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let names = self.members.keys().chain(self.aliases.keys()).chain(self.pools.keys());
        names.map(ToString::to_string).collect()
    }

    /// The program and its arguments that a task's `command` means: the name of one of the team's commands, or one of them word by
    /// word. Nothing is run where nothing is expected.
    ///
    /// # Errors
    /// [`Code::CommandNotAllowed`] with the names there are.
    pub fn command(&self, expected: &[String]) -> Result<Vec<String>, Refusal> {
        let named = match expected {
            [] => return Ok(Vec::new()),
            [word] => self.commands.get(word),
            _ => None,
        };
        let same = || self.commands.values().find(|words| *words == expected);
        named.or_else(same).cloned().ok_or_else(|| self.not_a_command(expected))
    }

    fn not_a_command(&self, expected: &[String]) -> Refusal {
        let said: String = expected.join(" ").chars().take(SAID_CHARS_MAX).collect();
        let names = || self.commands.keys().map(String::as_str);
        let near = match expected {
            [word] => nearest(word, names()),
            // Whoever writes the words out means what begins with the same program, if one does.
            words => {
                self.commands.iter().find(|(_, own)| own.first() == words.first()).map(|(name, _)| &**name)
            }
        };
        let there_is = match (near, self.commands.len()) {
            (_, 0) => "it has none".to_owned(),
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, all) => {
                let list = names().take(NAMES_SAID_MAX).collect::<Vec<_>>().join(", ");
                let more = if all > NAMES_SAID_MAX { ", …" } else { "" };
                format!("they are: {list}{more}")
            }
        };
        let why = format!("`{}` is not one of the team file's `commands:`; {there_is}", said.escape_debug());
        Refusal::new(Code::CommandNotAllowed, why).at(EXPECT)
    }
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Whom it reports to: a member or `user`.
    pub reports_to: AgentName,
    /// Its phrase (`marker:`), trimmed, not empty.
    pub phrase: String,
    /// Whether its turns have tokens.
    pub token: bool,
    /// How a task is typed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delivery: Delivery,
    /// Working time a turn may take, in ms.
    pub timeout_ms: u64,
    /// When it is started again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub restart: Restart,
    /// Whether its program ends after each task: one process is given one message.
    #[serde(default, skip_serializing_if = "is_default")]
    pub one_shot: bool,
    /// Name of its provider profile, for the status file.
    pub provider: String,
    /// Changes when command, cwd, environment or profile change: the agent is then started anew when it is idle.
    pub launch: Digest,
}

/// How a task is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// One fixed line that names the file.
    #[default]
    Doorbell,
    /// The content itself.
    Inline,
}

/// When an agent is started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Restart {
    /// After any exit.
    Always,
    /// After an exit that was not clean; after a clean one when there is something for it.
    #[default]
    OnFailure,
    Never,
}

/// Every limit and waiting time that the team file can set. Defaults and their reasons: `engine/patience.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// First try and retries of one message.
    pub attempts_max: u8,
    /// Wait before each retry, in ms.
    pub retry_delays_ms: Vec<u64>,
    /// Hands a message may go through.
    pub hops_max: u8,
    /// Turns of one task.
    pub turns_max: u16,
    /// Messages a minute from one agent to another.
    pub edge_per_minute: u32,
    /// Children of one task.
    pub children_max: u32,
    /// Open messages of the workspace.
    pub open_max: u32,
    /// Feedback turns of one task.
    pub feedback_max: u8,
    /// Restarts of one agent within `restart_window_ms`.
    pub restarts_max: u8,
    /// Window of `restarts_max`, in ms.
    pub restart_window_ms: u64,
    /// Wait before the first restart, in ms; doubled each time.
    pub restart_delay_ms: u64,
    /// Longest wait before a restart, in ms.
    pub restart_delay_ms_max: u64,
    /// Whether a message without a proof belongs to the one task that the sender that it names has begun: a result or error
    /// closes it, a task is a part of it.
    pub accept_unverified_results: bool,
}
