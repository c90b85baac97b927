//! The team file as it is written: every key, with the words that the schema and the reference page repeat.
//!
//! Nothing is checked here but the form; the sibling files make the meaning of it. A default that is named in a
//! description is proven by a test to be the one in force.

use super::commands::CommandEntry;
use super::profile::data::{Receipt, SideChannel, Typing};
use super::queue_entry::QueueEntry;
use super::values::{At, Bytes, Cells, DeliveryWord, Lasting, RestartWord};
use super::worktrees::WorktreesEntry;
use crate::wire::api::NotifyKind;
use crate::wire::team_file::profile::dialogs::AnswerEntry;
use crate::wire::team_file::profile::headless::entry::HeadlessEntry;
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
    /// Name of the tmux session. Each agent has a window in it. Default: `tasuki`
    pub(super) session: Option<At<String>>,
    /// Name of the tmux server. Without it the workspace has a server of its own: `tasuki-FOLDER-` and four hex digits
    /// of the folder's hash. `default` is the user's own server.
    pub(super) tmux_socket: Option<At<String>>,
    /// The agents, at least one.
    pub(super) agents: At<Vec<AgentEntry>>,
    /// Provider profiles by name: changes to the built-in ones, and new ones.
    pub(super) providers: Option<BTreeMap<String, At<ProviderEntry>>>,
    /// Times and limits.
    pub(super) settings: Option<SettingsEntry>,
    /// Who may send to whom, in addition to the hierarchy.
    pub(super) routes: Option<Vec<RouteEntry>>,
    /// What agents may command besides their own turns and the messages that they sent. A person may command
    /// everything.
    pub(super) may: Option<Vec<MayEntry>>,
    /// Commands that a task's `expect:` may name, each one word per item: `test: [cargo, test]`. No shell reads them.
    /// They run in the agent's folder, and no others are run. Whoever can edit this file sets them, so keep it where agents
    /// cannot write. At most 100.
    #[schemars(extend("maxProperties" = 100, "propertyNames" = {"pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"}))]
    pub(super) commands: Option<BTreeMap<String, At<CommandEntry>>>,
    /// The git worktrees in which agents work.
    pub(super) worktrees: Option<WorktreesEntry>,
    /// A command that is told when something waits for a person. Without it nothing is started.
    pub(super) notify: Option<NotifyEntry>,
    /// More drop zones besides `queue/`: folders whose files are taken as messages, too. Each is a path, or a map that also says
    /// whose zone it is. `rejected/` in the folder has what was refused. A folder that is missing is made, and each is narrowed
    /// to 0700. None may lie in another zone, or in `queue/`, `status/` or `.tasuki/` of a workspace. At most 64.
    #[schemars(extend("maxItems" = 64))]
    pub(super) queues: Option<At<Vec<At<QueueEntry>>>>,
}

/// One agent: a program in a window of its own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Agent")]
pub(super) struct AgentEntry {
    /// Agent name: `[a-z0-9][a-z0-9_-]{0,63}`. `user` is reserved. No name, alias or pool may be used twice.
    pub(super) name: At<String>,
    /// The agent or `user` that gives it tasks and reads its answers. Default: `user`
    pub(super) reports_to: Option<At<String>>,
    /// The profile of its program: a built-in one, or one from `providers`.
    pub(super) provider: At<String>,
    /// The whole command in place of the profile's, one word per item. No shell reads it. `{tasuki}`, `{name}`,
    /// `{phrase}`, `{root}`, `{system_prompt}`, `{system_prompt_file}`, `{system_prompt_quoted}`, `{agent_folder}` and
    /// `{port}` are filled in; `{{name}}` is `{name}` itself. If its first word is the profile's program, the profile's
    /// words for the system prompt are added. `plain` needs it.
    pub(super) command: Option<At<Vec<String>>>,
    /// Words to add at the end of the command, one word per item. The same placeholders are filled in.
    pub(super) args: Option<At<Vec<String>>>,
    /// Model, as the program calls it: `sonnet`. If it is left out: the program's own choice.
    pub(super) model: Option<At<String>>,
    /// What it may do without asking, as its program calls it: `acceptEdits` in Claude Code, `auto_edit` in Gemini CLI,
    /// the agent `plan` in OpenCode. If it is left out: the program's own choice.
    pub(super) permission_mode: Option<At<String>>,
    /// Its phrase, which it prints together with the turn's token when it is done. If it is left out: the name in
    /// capitals and ` OK`, so `code_reader` has `CODE READER OK`.
    pub(super) marker: Option<At<String>>,
    /// Whether the phrase needs the turn's token beside it. `false` accepts the phrase alone, as weak proof. Default:
    /// `true`
    pub(super) token: Option<bool>,
    /// How a task is typed. `doorbell` types one fixed line that names the task's file. `inline` types the content
    /// itself, which must be one printable line of at most 1,000 bytes that does not begin with `/ ! # @ -`. Unless
    /// `token: false`, a head with the token precedes it: `[tasuki] task ID from … (token …): `. Default: `doorbell`
    pub(super) delivery: Option<DeliveryWord>,
    /// File with the instructions that the agent gets before its first task. The placeholders of `command` are filled
    /// in. The filled text is in `.tasuki/agents/NAME/system_prompt.md` while the agent runs.
    pub(super) system_prompt: Option<At<String>>,
    /// Working folder. Default: the workspace
    pub(super) cwd: Option<At<String>>,
    /// Environment variables. They override the profile's and the inherited ones; `null` removes one. Placeholders are
    /// filled in.
    pub(super) env: Option<BTreeMap<String, At<Option<String>>>>,
    /// Whether it inherits the environment of the process that starts the daemon, without the daemon's own variables.
    /// `false` leaves PATH, HOME, USER, SHELL, LANG, LC_* and TZ. Default: `true`
    pub(super) inherit_env: Option<bool>,
    /// Other names for it in `to:`.
    pub(super) aliases: Option<Vec<At<String>>>,
    /// Pools that it belongs to. A message to a pool goes to the member that is free first.
    pub(super) pool: Option<Vec<At<String>>>,
    /// Working time that a turn may take. The clock stops while the agent waits for others, shows a dialog or is at a
    /// limit. If it is left out: the profile's, else `default_timeout`.
    pub(super) timeout: Option<At<Lasting>>,
    /// When it is started again: `always`, `on-failure` (after a clean end, once there is a message for it) or `never`.
    /// Default: the profile's
    pub(super) restart: Option<RestartWord>,
    /// Whether it works in a git worktree of its own: `.orchestrator-worktrees/agent-NAME` on the branch `agent/NAME`, in the
    /// repository of the workspace. It is made before the agent starts first, at the commit that is checked out then. A `cwd` has to
    /// be in the repository, and means that folder of the worktree. Default: `false`
    pub(super) worktree: Option<At<bool>>,
}

/// Times and limits of the whole team.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Settings")]
pub(super) struct SettingsEntry {
    /// How long finished things are kept: results, done messages, journal segments, known ids. Default: `30d`
    pub(super) retention: Option<At<Lasting>>,
    /// Working time of a turn, unless the agent or its profile sets one. Default: `30m`
    pub(super) default_timeout: Option<At<Lasting>>,
    /// Waits before each new try of a message that could not be delivered. Their number is the number of tries after
    /// the first. Default: `[1s, 2s, 4s]`
    pub(super) retries: Option<At<Vec<At<Lasting>>>>,
    /// Number of hands that a message may go through. Default: `8`
    pub(super) max_hops: Option<At<u64>>,
    /// Number of turns that one task may have, answers and reminders included. Then it fails. Default: `100`
    pub(super) turns_max: Option<At<u64>>,
    /// Number of open parts that one task may have. Default: `64`
    pub(super) max_children: Option<At<u64>>,
    /// Number of open messages of the workspace. Beyond it drops wait in `queue/`, except answers and parts of open
    /// tasks. Default: `100000`
    pub(super) max_open: Option<At<u64>>,
    /// Number of turns that an agent gets to put a failed check of one task right. Then the task fails. Default: `3`
    pub(super) max_feedback: Option<At<u64>>,
    /// How long a command of `commands` may take. Then it is ended, and its check has failed. Default: `10m`
    pub(super) check_timeout: Option<At<Lasting>>,
    /// Names of environment variables that these commands get besides PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TZ,
    /// TMPDIR, CARGO_HOME and RUSTUP_HOME. Default: none
    pub(super) check_env: Option<Vec<At<String>>>,
    /// Messages per minute from one agent to another. Default: `60`
    pub(super) messages_per_minute: Option<At<u64>>,
    /// Restarts of one agent within `restart_window`. After one more it is given up, with an error. Default: `5`
    pub(super) max_restarts: Option<At<u64>>,
    /// Time within which restarts are counted. Default: `10m`
    pub(super) restart_window: Option<At<Lasting>>,
    /// Wait before the first restart of an agent. It doubles each time. Default: `1s`
    pub(super) restart_delay: Option<At<Lasting>>,
    /// Longest wait before a restart. Default: `60s`
    pub(super) max_restart_delay: Option<At<Lasting>>,
    /// Whether a drop without a token or key belongs to the one task that its sender has begun. A result or error then
    /// answers that task, and a task is a part of it. Default: `true`
    pub(super) accept_unverified_results: Option<bool>,
    /// How long a person must have pressed no key in a pane before tasuki types there. Default: `10s`
    pub(super) person_quiet: Option<At<Lasting>>,
    /// Free disk space below which drops are left in `queue/`. On a small disk it is at most a twentieth of the disk.
    /// Default: `64MiB`
    pub(super) low_disk: Option<At<Bytes>>,
    /// Lines that tmux keeps of each pane. Default: `5000`
    pub(super) history_limit: Option<At<u64>>,
    /// Columns and rows of each agent's window. Default: `200x50`
    pub(super) window: Option<At<Cells>>,
    /// Level of the daemon's log, unless `TASUKI_LOG` is set: `error`, `warn`, `info`, `debug`, `trace`, or a list of
    /// `target=level`. Default: `info`
    pub(super) log: Option<At<String>>,
    /// The words of the prompt line after its head, for teams that speak another language.
    pub(super) words: Option<WordsEntry>,
}

/// The words after the colon of each prompt line. `{path}` is the path of the task's file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Words")]
pub(super) struct WordsEntry {
    /// For a new task. Default: `read {path} and do it.`
    pub(super) task: Option<At<String>>,
    /// For answers to parts of a task. Default: `read {path} and go on.`
    pub(super) answers: Option<At<String>>,
    /// After a failed check of the work. Default: `a check failed; read {path} and put it right.`
    pub(super) feedback: Option<At<String>>,
    /// After a turn that ended without the phrase. It needs no `{path}`. Default: `if it is done, say so with your
    /// phrase and this token; else go on.`
    pub(super) reminder: Option<At<String>>,
    /// For an info. Default: `read {path}; nothing to answer.`
    pub(super) info: Option<At<String>>,
}

/// A sender and its permitted recipients.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Route")]
pub(super) struct RouteEntry {
    /// Agent or pool.
    pub(super) from: At<String>,
    /// Agents or pools.
    pub(super) to: Vec<At<String>>,
}

/// An agent and what it may command.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "May")]
pub(super) struct MayEntry {
    /// Agent or pool.
    pub(super) agent: At<String>,
    /// Commands: `cancel` and `retry` (messages), `agent` (start, stop,
    /// restart, hire, dismiss), `pane` (send, clear), `stop` (`stop
    /// --all`, `stop --off`), `down`.
    #[serde(rename = "do")]
    pub(super) verbs: Vec<At<String>>,
    /// Agents or pools whose messages, panes and programs it may command. Default: everybody
    pub(super) of: Option<Vec<At<String>>>,
}

/// A command that is told when something waits for a person.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Notify")]
pub(super) struct NotifyEntry {
    /// The command, one word per item. No shell reads it. It runs in the workspace and gets a JSON document on its standard
    /// input (`protocol/NOTIFY.md`). Its environment is the daemon's without variables whose names are those of secrets.
    pub(super) command: At<Vec<String>>,
    /// What is reported: kinds of what waits for a person, and `completed` tasks of the user's. Default:
    /// `[asks, held, error, ended, silent, failed]`
    pub(super) on: Option<At<Vec<NotifyKind>>>,
}

/// How programs of one kind are started, typed to and ended.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Provider")]
pub(super) struct ProviderEntry {
    /// The profile that this one changes: a built-in one, or another of this file. A new name needs it. A built-in name
    /// changes the built-in profile.
    pub(super) based_on: Option<At<String>>,
    /// The command, one word per item; see the `command` of agents. If it is empty, each agent needs its own.
    pub(super) command: Option<At<Vec<String>>>,
    /// Whether the program is no agent by itself, and only the `command` of an agent says what it does. A session whose master has
    /// such a profile hires copies of the master in place of agents of the profile. A profile with another `command` than its base
    /// is no such one, unless it says so. Default: `false`
    pub(super) any_program: Option<bool>,
    /// How the program gets its system prompt. It replaces the whole `system_prompt` of the base.
    /// `TASUKI_SYSTEM_PROMPT` in the environment names the file in any case.
    pub(super) system_prompt: Option<PromptEntry>,
    /// Words to add to the command for an agent that has a `model`: `[--model, "{model}"]`.
    pub(super) model: Option<At<Vec<String>>>,
    /// Words to add for an agent that has a `permission_mode`: `[--permission-mode, "{permission_mode}"]`.
    pub(super) permission_mode: Option<At<Vec<String>>>,
    /// Environment variables of the program; `null` removes one.
    pub(super) env: Option<BTreeMap<String, At<Option<String>>>>,
    /// How a line is typed into its terminal: `paste` (bracketed where the program asks for it) or `keys`.
    pub(super) types: Option<Typing>,
    /// Shortest wait between the last byte of a line and Enter.
    pub(super) enter_after: Option<At<Lasting>>,
    /// How long the pane must be still before Enter, and before a claim counts.
    pub(super) quiet: Option<At<Lasting>>,
    /// How long to wait for the line to show and the pane to be still.
    pub(super) echo_wait: Option<At<Lasting>>,
    /// Whether the program shows what is typed. If so, a line that does not show within `echo_wait` was not delivered.
    pub(super) echoes: Option<bool>,
    /// What proves that the program took a line. `tty_read`: the terminal's input is empty after Enter. `screen`: the
    /// line is on the screen and no longer in the input box. `none`: nothing proves it.
    pub(super) receipt: Option<Receipt>,
    /// How the program can be asked about its turns, besides its screen. `opencode` is OpenCode's HTTP API, where the
    /// command has `--port N` or `attach URL` on this machine.
    pub(super) side_channel: Option<SideChannel>,
    /// Where the program records what it was asked and what it answered. These records count more than its screen.
    pub(super) transcript: Option<TranscriptEntry>,
    /// How the program is asked once, for `tasuki agent headless`. Default: it cannot be asked so
    pub(super) headless: Option<HeadlessEntry>,
    /// When the program is ready for a line.
    pub(super) ready: Option<ReadyEntry>,
    /// How its screens are read. Without it, the program is ready when its pane is still.
    pub(super) screen: Option<ScreenEntry>,
    /// Dialogs that are answered without a person. The first entry that matches counts. Default: none
    pub(super) answers: Option<Vec<AnswerEntry>>,
    /// Key that clears the input line, as tmux names it: `C-u`.
    pub(super) clear_key: Option<At<String>>,
    /// Key that interrupts a running turn, as tmux names it: `Escape`. Several keys have blanks between them. It is
    /// pressed when a task is cancelled or out of time, while the screen shows that the program works. Without
    /// `screen:` it is pressed only while a shell runs something, and goes to that. If it is left out or `""`, the
    /// agent finishes the turn.
    pub(super) interrupt: Option<At<String>>,
    /// Keys that ask the program to end, as tmux names them: `[C-d]`. If it does not end, it is killed.
    pub(super) exit: Option<At<Vec<String>>>,
    /// Whether the program ends after each task. A clean exit then counts as done, and each process gets one message.
    pub(super) one_shot: Option<bool>,
    /// When it is started again, unless its agent sets it.
    pub(super) restart: Option<RestartWord>,
    /// Working time of a turn, unless its agent sets it.
    pub(super) timeout: Option<At<Lasting>>,
}

/// How a program gets its system prompt. The placeholders of `command` are filled in everywhere.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SystemPrompt")]
pub(super) struct PromptEntry {
    /// Words to add to the command for an agent that has a system prompt:
    /// `[--append-system-prompt, "{system_prompt}"]`.
    pub(super) args: Option<At<Vec<String>>>,
    /// Environment variables to set for it, where nothing else sets them. A map or a list is given as JSON.
    pub(super) env: Option<BTreeMap<String, At<serde_json::Value>>>,
    /// Files to write into `{agent_folder}` before it starts. That is `.tasuki/agents/NAME` of the workspace. A map or
    /// a list is written as JSON.
    pub(super) files: Option<BTreeMap<String, At<serde_json::Value>>>,
    /// Words of an agent's own command that prevent all of this.
    pub(super) unless: Option<Vec<String>>,
    /// Whether programs of this kind need instructions at all. Default: `true`
    pub(super) needed: Option<bool>,
}

/// When a program is ready for a line: it runs, its terminal's input is empty, and its pane is still.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ready")]
pub(super) struct ReadyEntry {
    /// How long the pane must have been still.
    pub(super) quiet: Option<At<Lasting>>,
    /// Time after which a program that never stops printing counts as ready too.
    pub(super) within: Option<At<Lasting>>,
}
