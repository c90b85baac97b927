//! The team file as it is written: every key, with the words that the schema and the reference page repeat.
//!
//! Nothing is checked here but the form; the sibling files make the meaning of it. A default that is named in a
//! description is proven by a test to be the one in force.

use super::profile::data::{Receipt, SideChannel, Typing};
use super::values::{At, Bytes, Cells, DeliveryWord, Lasting, RestartWord};
use crate::wire::team_file::profile::dialogs::AnswerEntry;
use crate::wire::team_file::profile::screen::ScreenEntry;
use crate::wire::team_file::profile::transcript::TranscriptEntry;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The team of a workspace: who is in it, who reports to whom, and how each is started.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "tasuki.yaml")]
pub(super) struct TeamFile {
    /// Name of the tmux session; each agent has a window in it. Default: `tasuki`
    pub(super) session: Option<At<String>>,
    /// Name of the tmux server. Without it the workspace has a server of its own, `tasuki-FOLDER-` and four hex digits
    /// of the folder's hash; `default` is the user's own server.
    pub(super) tmux_socket: Option<At<String>>,
    /// The agents, at least one.
    pub(super) agents: At<Vec<AgentEntry>>,
    /// Provider profiles by name: changes to the built-in ones, and new ones.
    pub(super) providers: Option<BTreeMap<String, At<ProviderEntry>>>,
    /// Waiting times and limits.
    pub(super) settings: Option<SettingsEntry>,
    /// Who may send to whom besides the hierarchy.
    pub(super) routes: Option<Vec<RouteEntry>>,
    /// What agents may command besides what is their own: messages that they sent, and their turns. A person may command all.
    pub(super) may: Option<Vec<MayEntry>>,
}

/// One agent: a program in a window of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Agent")]
pub(super) struct AgentEntry {
    /// Its name: `[a-z0-9][a-z0-9_-]{0,63}`. `user` is reserved; names, aliases and pools do not clash.
    pub(super) name: At<String>,
    /// Whom it reports to: an agent, or `user`. Default: `user`
    pub(super) reports_to: Option<At<String>>,
    /// The profile of its program: a built-in one, or one from `providers`.
    pub(super) provider: At<String>,
    /// The whole command in place of the profile's, one word an item; no shell reads it. `{tasuki}`, `{name}`,
    /// `{phrase}`, `{root}`, `{system_prompt}`, `{system_prompt_file}`, `{system_prompt_quoted}`, `{agent_folder}` and
    /// `{port}` are filled in; `{{name}}` is `{name}` itself. If its first word is the profile's program, it gets the profile's words for the system prompt, too.
    /// With `plain` it is needed.
    pub(super) command: Option<At<Vec<String>>>,
    /// Words to add at the end of the command, one word an item; the same placeholders are filled in.
    pub(super) args: Option<At<Vec<String>>>,
    /// Its model, as its program calls it: `sonnet`. Without it: the program's own choice.
    pub(super) model: Option<At<String>>,
    /// What it may do without asking, as its program calls it: `acceptEdits` in Claude Code, `auto_edit` in Gemini CLI, the agent
    /// `plan` in OpenCode. Without it: the program's own choice.
    pub(super) permission_mode: Option<At<String>>,
    /// Its phrase: what it prints, together with the turn's token, when it is done. Without it: the name in capitals
    /// and ` OK`, so `code_reader` says `CODE READER OK`.
    pub(super) marker: Option<At<String>>,
    /// Whether a turn's token must stand beside the phrase. `false` takes the phrase alone, as weak proof. Default:
    /// `true`
    pub(super) token: Option<bool>,
    /// How a task is typed: `doorbell` is one fixed line that names the task's file, `inline` is the content itself, behind a head with
    /// the token (`[tasuki] task ID from … (token …): `) unless `token: false`:
    /// one printable line of at most 1,000 bytes that does not begin with `/ ! # @ -`. Default: `doorbell`
    pub(super) delivery: Option<DeliveryWord>,
    /// A file with what the agent is told before its first task. The same placeholders are filled in as in `command`, and
    /// what comes of it stands in `.tasuki/agents/NAME/system_prompt.md` while the agent runs.
    pub(super) system_prompt: Option<At<String>>,
    /// The folder it works in. Default: the workspace
    pub(super) cwd: Option<At<String>>,
    /// Variables for it, over the inherited ones and the profile's; `null` takes one away. Placeholders are filled in.
    pub(super) env: Option<BTreeMap<String, At<Option<String>>>>,
    /// Whether it inherits the environment of the process that starts the daemon, less the daemon's own variables.
    /// `false` leaves PATH, HOME, USER, SHELL, LANG, LC_* and TZ. Default: `true`
    pub(super) inherit_env: Option<bool>,
    /// Other names for it in `to:`.
    pub(super) aliases: Option<Vec<At<String>>>,
    /// Pools it belongs to; a message to a pool goes to the member that is free first.
    pub(super) pool: Option<Vec<At<String>>>,
    /// Working time that a turn may take; it stands still while the agent waits for others, asks
    /// something or met a limit. Without it: the profile's, else `default_timeout`.
    pub(super) timeout: Option<At<Lasting>>,
    /// When it is started again: `always`, `on-failure` (after a clean end once there is something for it) or `never`.
    /// Default: the profile's
    pub(super) restart: Option<RestartWord>,
    /// Whether it works in a git worktree of its own. This version has none: only `false`. Default: `false`
    pub(super) worktree: Option<At<bool>>,
}

/// Waiting times and limits of the whole team.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Settings")]
pub(super) struct SettingsEntry {
    /// How long what is finished is kept: results, done messages, journal segments, known ids. Default: `30d`
    pub(super) retention: Option<At<Lasting>>,
    /// Working time of a turn where neither the agent nor its profile says otherwise. Default: `30m`
    pub(super) default_timeout: Option<At<Lasting>>,
    /// Wait before each new try of a message that could not be delivered; as many tries as waits, after the first.
    /// Default: `[1s, 2s, 4s]`
    pub(super) retries: Option<At<Vec<At<Lasting>>>>,
    /// How many hands a message may go through. Default: `8`
    pub(super) max_hops: Option<At<u64>>,
    /// How many turns one task may have, answers and reminders counted; then it fails. Default: `100`
    pub(super) turns_max: Option<At<u64>>,
    /// Open parts that one task may have. Default: `64`
    pub(super) max_children: Option<At<u64>>,
    /// Open messages of the workspace; beyond it drops wait in `queue/`, but for answers and for parts
    /// of open tasks. Default: `100000`
    pub(super) max_open: Option<At<u64>>,
    /// Messages a minute from one agent to another. Default: `60`
    pub(super) messages_per_minute: Option<At<u64>>,
    /// Restarts of one agent within `restart_window`; one more, and it is left alone with an error. Default: `5`
    pub(super) max_restarts: Option<At<u64>>,
    /// The time within which restarts are counted. Default: `10m`
    pub(super) restart_window: Option<At<Lasting>>,
    /// Wait before the first restart of an agent; doubled each time. Default: `1s`
    pub(super) restart_delay: Option<At<Lasting>>,
    /// Longest wait before a restart. Default: `60s`
    pub(super) max_restart_delay: Option<At<Lasting>>,
    /// Whether what shows no proof belongs to the one task that the agent that it names has begun: a result or error answers it, a
    /// task is a part of it. Default: `true`
    pub(super) accept_unverified_results: Option<bool>,
    /// How long a person's last key must lie back before anything is typed into that pane. Default: `10s`
    pub(super) person_quiet: Option<At<Lasting>>,
    /// Free disk space below which drops are left in `queue/`; on a disk of which that is more than a twentieth, a twentieth of it.
    /// Default: `64MiB`
    pub(super) low_disk: Option<At<Bytes>>,
    /// Lines that tmux keeps of each pane. Default: `5000`
    pub(super) history_limit: Option<At<u64>>,
    /// Columns and rows of each agent's window. Default: `200x50`
    pub(super) window: Option<At<Cells>>,
    /// What the daemon's log says, where `TASUKI_LOG` is not set: `error`, `warn`, `info`, `debug`, `trace`, or a
    /// list of `target=level`. Default: `info`
    pub(super) log: Option<At<String>>,
    /// The words of the doorbell after its head, for teams that speak another language.
    pub(super) words: Option<WordsEntry>,
}

/// The words after the colon of each doorbell. `{path}` is where the task's file is named.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Words")]
pub(super) struct WordsEntry {
    /// A new task. Default: `read {path} and do it.`
    pub(super) task: Option<At<String>>,
    /// Answers to parts of a task came. Default: `read {path} and go on.`
    pub(super) answers: Option<At<String>>,
    /// A check of the work failed. Default: `a check failed; read {path} and put it right.`
    pub(super) feedback: Option<At<String>>,
    /// A turn ended without the phrase; needs no `{path}`. Default:
    /// `if it is done, say so with your phrase and this token; else go on.`
    pub(super) reminder: Option<At<String>>,
    /// Something to know. Default: `read {path}; nothing to answer.`
    pub(super) info: Option<At<String>>,
}

/// One sender and those it may send to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Route")]
pub(super) struct RouteEntry {
    /// An agent or a pool.
    pub(super) from: At<String>,
    /// Agents or pools.
    pub(super) to: Vec<At<String>>,
}

/// One agent and what it may command.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "May")]
pub(super) struct MayEntry {
    /// An agent or a pool.
    pub(super) agent: At<String>,
    /// Verbs: `cancel` and `retry` (messages), `agent` (start, stop, restart), `pane` (send, clear), `stop` (`stop --all`, `stop
    /// --off`), `down`.
    #[serde(rename = "do")]
    pub(super) verbs: Vec<At<String>>,
    /// Agents or pools: whose messages, panes and programs. Default: everybody's
    pub(super) of: Option<Vec<At<String>>>,
}

/// How programs of one kind are started, typed to and ended.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Provider")]
pub(super) struct ProviderEntry {
    /// The profile that this one changes: a built-in one, or another of this file. Needed for a new name; a built-in
    /// name changes the built-in profile.
    pub(super) based_on: Option<At<String>>,
    /// The command, one word an item; see the agents' `command`. Empty: each agent brings its own.
    pub(super) command: Option<At<Vec<String>>>,
    /// How the system prompt is handed over; `TASUKI_SYSTEM_PROMPT` in the environment names its file in any case. What is said
    /// here takes the place of all that the profile says of it.
    pub(super) system_prompt: Option<PromptEntry>,
    /// Words to add to the command for an agent that has a `model`: `[--model, "{model}"]`.
    pub(super) model: Option<At<Vec<String>>>,
    /// Words to add for an agent that has a `permission_mode`: `[--permission-mode, "{permission_mode}"]`.
    pub(super) permission_mode: Option<At<Vec<String>>>,
    /// Variables for the program; `null` takes one away.
    pub(super) env: Option<BTreeMap<String, At<Option<String>>>>,
    /// How a line is put into its terminal: `paste` (bracketed where the program asks for it) or `keys`.
    pub(super) types: Option<Typing>,
    /// Shortest wait between the last byte of a line and Enter.
    pub(super) enter_after: Option<At<Lasting>>,
    /// How long the pane must be still before Enter, and before a claim counts.
    pub(super) quiet: Option<At<Lasting>>,
    /// How long to wait for the line to show and the pane to be still.
    pub(super) echo_wait: Option<At<Lasting>>,
    /// Whether the program shows what is typed; if so, a line that does not show within `echo_wait` was not delivered.
    pub(super) echoes: Option<bool>,
    /// What proves that a line was taken: `tty_read` when the terminal's input is empty after Enter,
    /// `screen` when it stands on the screen and not in the input box any more, `none` if nothing does.
    pub(super) receipt: Option<Receipt>,
    /// How it can be asked what it does, besides its screen: `opencode` is OpenCode's HTTP API, where the command has
    /// `--port N` or `attach URL` on this machine.
    pub(super) side_channel: Option<SideChannel>,
    /// Where it keeps what it was asked and what it said: what stands there of a turn counts more than its screen.
    pub(super) transcript: Option<TranscriptEntry>,
    /// When the program is ready for a line.
    pub(super) ready: Option<ReadyEntry>,
    /// How its screens are read. Without it, the program is ready when its pane is still.
    pub(super) screen: Option<ScreenEntry>,
    /// What it asks that is answered without a person; the first that fits. Default: nothing, a person answers.
    pub(super) answers: Option<Vec<AnswerEntry>>,
    /// The key that clears the input line, as tmux names it: `C-u`.
    pub(super) clear_key: Option<At<String>>,
    /// The key that breaks off the turn that is under way, as tmux names it: `Escape`; several with blanks between them. It is
    /// pressed where a task is called off or its time is up, while the screen says that the program works; without
    /// `screen:`, only while a shell runs something, which gets it. Without one, or with `""`, its agent finishes the turn.
    pub(super) interrupt: Option<At<String>>,
    /// Keys that ask the program to end, as tmux names them: `[C-d]`. It is killed if it does not.
    pub(super) exit: Option<At<Vec<String>>>,
    /// Whether the program ends after each task; a clean exit then counts as done. A process is given one message.
    pub(super) one_shot: Option<bool>,
    /// When it is started again, unless its agent says otherwise.
    pub(super) restart: Option<RestartWord>,
    /// Working time of a turn, unless its agent says otherwise.
    pub(super) timeout: Option<At<Lasting>>,
}

/// How a program gets its system prompt. In all of it the placeholders of `command` are filled in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SystemPrompt")]
pub(super) struct PromptEntry {
    /// Words to add to the command for an agent that has a system prompt:
    /// `[--append-system-prompt, "{system_prompt}"]`.
    pub(super) args: Option<At<Vec<String>>>,
    /// Variables to set for it, where nothing else sets them; a map or a list is given as JSON.
    pub(super) env: Option<BTreeMap<String, At<serde_json::Value>>>,
    /// Files to write into `{agent_folder}`, `.tasuki/agents/NAME` of the workspace, before it starts; a map or a list is
    /// written as JSON.
    pub(super) files: Option<BTreeMap<String, At<serde_json::Value>>>,
    /// Words of an agent's own command with which the program takes none of this.
    pub(super) unless: Option<Vec<String>>,
    /// Whether programs of this kind have to be told anything. Default: `true`
    pub(super) needed: Option<bool>,
}

/// When a program is ready for a line: it lives, its terminal's input is empty, and its pane is still.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ready")]
pub(super) struct ReadyEntry {
    /// How long the pane must have been still.
    pub(super) quiet: Option<At<Lasting>>,
    /// After this long a program that never stops printing counts as ready too.
    pub(super) within: Option<At<Lasting>>,
}
