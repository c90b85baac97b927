//! `tasuki send`: a message that is on the disk when the command ends, with a daemon or without.

use super::context::{Context, Ended, text_or_input};
use super::dropping::drop_in_queue;
use super::failure::{Failure, Kind};
use super::roster;
use super::table::harmless;
use super::wait::Waiting;
use crate::engine::view::SLEEPS;
use crate::engine::words::{AgentName, MessageId, Token};
use crate::io::chance::mint_id;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::clock::Clock;
use crate::io::lock;
use crate::io::workspace::Workspace;
use crate::wire::api::{Accepted, AgentInfo, StatusInfo};
use crate::wire::message::json;
use crate::wire::team_file::Settings;
use crate::wire::time::read_time;
use chrono::Local;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Sends a message to an agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki send grand_boss \"Analyse the project\"
  tasuki send coding --wait --within 30m - < task.md      waits for the answer and prints it
  tasuki send specialist --priority high --depends-on msg-a1b2c3d4e5f6 \"Test it\"
  git diff | tasuki send reviewer --meta kind=review -
  tasuki send coding --expect-commit --expect-command test \"Mend the importer\"

Exit codes:
  0  durable; with --delivered: proven; with --wait: completed
  1  failed
  2  rejected
  3  not delivered, or not proven to be
  4  timed out
  5  no daemon is running to wait for")]
pub(super) struct Args {
    /// Agent name, alias, pool, or `user`
    to: AgentName,
    /// Message text; `-` or nothing reads the standard input
    text: Option<String>,
    /// File with the message text
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// Sender name. Default: the agent in its own pane, `user` elsewhere
    #[arg(long, value_name = "NAME")]
    from: Option<AgentName>,
    /// Message id; the same id with the same content is dropped as a duplicate
    #[arg(long, value_name = "ID")]
    id: Option<MessageId>,
    /// Message type
    #[arg(long = "type", value_name = "TYPE", default_value = "task", value_parser = ["task", "info"])]
    kind: String,
    /// Place in the queue
    #[arg(long, value_name = "WORD", value_parser = ["low", "normal", "high"])]
    priority: Option<String>,
    /// Working time of each turn, such as 30m
    #[arg(long, value_name = "TIME")]
    timeout: Option<String>,
    /// Time at which the message fails, such as 2026-02-02T12:00:00Z
    #[arg(long, value_name = "MOMENT")]
    deadline: Option<String>,
    /// Message id that must be completed first; may be repeated
    #[arg(long, value_name = "ID")]
    depends_on: Vec<MessageId>,
    /// What to do when a delivery cannot be proven
    #[arg(long, value_name = "WORD", value_parser = ["resend", "hold"])]
    on_doubt: Option<String>,
    /// Task id that this message is a part of
    #[arg(long, value_name = "ID")]
    parent: Option<MessageId>,
    /// Token of your own turn: it proves who you are, and makes the message a part of your task
    #[arg(long, value_name = "TOKEN")]
    token: Option<Token>,
    /// Metadata to keep with the message; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = read_pair)]
    meta: Vec<(String, String)>,
    /// Expect a new commit: a claim without it does not count
    #[arg(long)]
    expect_commit: bool,
    /// Expect that this file is there and not empty, relative to the agent's folder; may be repeated
    #[arg(long, value_name = "PATH")]
    expect_file: Vec<String>,
    /// Expect a report in this file, relative to the agent's folder
    #[arg(long, value_name = "PATH")]
    expect_report: Option<String>,
    /// Expect that this command of the team file succeeds; may be repeated
    #[arg(long, value_name = "NAME")]
    expect_command: Vec<String>,
    /// Wait until the delivery is proven
    #[arg(long, group = "waits", conflicts_with_all = ["wait", "follow"])]
    delivered: bool,
    /// Wait for the answer and print it
    #[arg(long, group = "waits")]
    wait: bool,
    /// Wait for the answer, and report each step on the standard error
    #[arg(long, group = "waits")]
    follow: bool,
    /// Longest wait of --wait, --follow or --delivered, such as 10m. Default: no limit
    #[arg(long, value_name = "TIME", value_parser = read_time, requires = "waits")]
    within: Option<u64>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let mut keys = BTreeSet::new();
    if let Some((key, _)) = args.meta.iter().find(|(key, _)| !keys.insert(key)) {
        let why = format!("`--meta {key}=` is given twice");
        return Err(Failure::new(Kind::Rejected, "usage", why, "give each key once"));
    }
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let text = match &args.file {
        Some(path) => read_file(path)?,
        None => text_or_input(args.text.as_deref())?,
    };
    let id = args.id.clone().unwrap_or_else(mint_id);
    let message = message(context, &workspace, args, &id, text);
    let draft = json::read(&message, &mut mint_id, Clock::start().wall(), &Local)?;
    // One that had its id before may be there already, and then it is not too late.
    if args.id.is_none()
        && let Some(late) = draft.late
    {
        return Err(Failure::from(*late));
    }
    draft.notes.iter().for_each(|note| context.remark(format!("note: {note}")));
    let waits = args.delivered || args.wait || args.follow;
    let sent = send(context, &workspace, &client, &message, &id)?;
    if matches!(&sent, Sent::Accepted(accepted) if accepted.duplicates.is_empty()) {
        remark_on_receiver(context, &workspace, &client, &args.to);
    }
    if !waits {
        return tell(context, &id, &sent);
    }
    if matches!(sent, Sent::Alone) {
        tell(context, &id, &sent)?;
        let why = format!("{id} waits in queue/, and no daemon is running yet");
        return Err(Failure::new(Kind::NoDaemon, "no-daemon", why, "start a daemon with `tasuki up`"));
    }
    match &sent {
        Sent::Unanswered(why) => context.remark(unanswered(&id, why)),
        _ if args.follow && !context.globals.json => context.remark(format!("{id} is accepted")),
        _ => {}
    }
    let (within_ms, follow) = (args.within, args.follow);
    let waiting = Waiting { context, client: &client, workspace: &workspace, id: &id, within_ms, follow };
    if args.delivered { waiting.for_delivery() } else { waiting.for_answer() }
}

/// What became of a message: in each case it is on the disk.
#[derive(Debug)]
pub(super) enum Sent {
    /// The daemon has it.
    Accepted(Accepted),
    /// It lies in `queue/`, and nobody listens.
    Alone,
    /// It lies in `queue/` for a daemon that is there and, for this reason, did not say whether it has it. If it has, the file
    /// is a duplicate.
    Unanswered(String),
}

/// Gives a message to the daemon, or leaves it in `queue/` for the next one. Its id makes it safe to leave it there too when
/// the daemon went away before it answered, or was just ending: it may have written the message and not come to say so.
pub(super) fn send(
    context: &Context,
    workspace: &Workspace,
    client: &Client,
    message: &Value,
    id: &MessageId,
) -> Result<Sent, Failure> {
    let sent = match client.post("/api/messages", message, ANSWER_DEADLINE) {
        Ok(accepted) => return Ok(Sent::Accepted(accepted)),
        Err(ClientError::NotRunning { .. }) if lock::holder(&workspace.lock())?.is_none() => Sent::Alone,
        Err(ClientError::NotRunning { .. }) => {
            Sent::Unanswered("the daemon is starting or ending".to_owned())
        }
        Err(error @ (ClientError::Unavailable(_) | ClientError::Gone(_) | ClientError::TooSlow(_))) => {
            Sent::Unanswered(error.to_string())
        }
        Err(error) => return Err(error.into()),
    };
    check(context, workspace, message)?;
    if matches!(sent, Sent::Alone) {
        workspace.prepare()?; // a daemon that is there has done so, and would not see what comes in the place of what it lost
    }
    drop_in_queue(workspace, message, id).map_err(|mut failure| {
        if let Sent::Unanswered(why) = &sent {
            failure.problem.why = format!("{why}, and {}", failure.problem.why);
            failure.problem.cure =
                format!("the daemon may have it: send it again with `--id {id}`, as often as you like");
        }
        failure
    })?;
    Ok(sent)
}

/// Says that a message waits for somebody who does not run and is not started by it.
fn remark_on_receiver(context: &Context, workspace: &Workspace, client: &Client, to: &AgentName) {
    let Some(settings) = roster::settings_for(context, workspace, to) else { return };
    let team = settings.team;
    let Ok(to) = team.addressee(to) else { return };
    let one = BTreeSet::from([to.clone()]);
    let members: Vec<&AgentName> = team.pools.get(&to).unwrap_or(&one).iter().collect();
    let Ok(status) = client.get::<StatusInfo>("/api/status", ANSWER_DEADLINE) else { return };
    let of = |name: &AgentName| status.agents.iter().find(|agent| agent.agent_name == name.as_str());
    if let Some(since) = &status.halted_since {
        context.remark(format!(
            "note: queue/STOP has existed since {since}: the message waits until it is gone"
        ));
    }
    let is_down = |agent: &&AgentInfo| {
        matches!(agent.state.as_str(), "stopped" | "error") && agent.why.as_deref() != Some(SLEEPS)
    };
    let down: Vec<&AgentInfo> = members.iter().filter_map(|name| of(name)).filter(is_down).collect();
    if down.is_empty() || down.len() < members.len() {
        return;
    }
    for agent in down {
        let AgentInfo { agent_name, state, why, .. } = agent;
        let why = why.as_deref().map_or(String::new(), |why| format!(" ({why})"));
        let state = if state == "error" { "in error" } else { state };
        context.remark(harmless(&format!("note: {agent_name} is {state}{why}: the message waits for it")));
    }
}

fn unanswered(id: &MessageId, why: &str) -> String {
    format!("{why}: {id} waits for it in queue/ (done once, also if it is known already)")
}

fn tell(context: &Context, id: &MessageId, sent: &Sent) -> Ended {
    let remark = match sent {
        Sent::Accepted(accepted) => {
            return context.tell(accepted, || match accepted.duplicates.as_slice() {
                [] => id.to_string(),
                _ => format!("{id} (already known, unchanged: not sent again)"),
            });
        }
        Sent::Alone => {
            "no daemon is running yet: the message waits in queue/ for it (`tasuki up`)".to_owned()
        }
        Sent::Unanswered(why) => unanswered(id, why),
    };
    let said =
        Accepted { ids: vec![id.to_string()], duplicates: Vec::new(), durable: true, notes: Vec::new() };
    context.tell(&said, || id.to_string())?;
    context.remark(remark);
    Ok(())
}

fn message(context: &Context, workspace: &Workspace, args: &Args, id: &MessageId, text: String) -> Value {
    let own = context.around.var("TASUKI_ROOT").is_some_and(|root| Path::new(root) == workspace.root());
    let agent = context.around.var("TASUKI_AGENT").filter(|_| own).and_then(|name| name.to_str());
    let from = args.from.as_ref().map(AgentName::as_str).or(agent);
    let mut map = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| drop(value.map(|value| map.insert(key.to_owned(), value)));
    put("id", Some(json!(id.as_str())));
    put("from", from.map(Into::into));
    put("to", Some(json!(args.to.as_str())));
    put("type", Some(json!(args.kind)));
    put("content", Some(json!(text)));
    put("priority", args.priority.clone().map(Into::into));
    put("timeout", args.timeout.clone().map(Into::into));
    put("deadline", args.deadline.clone().map(Into::into));
    let depends_on: Vec<&str> = args.depends_on.iter().map(MessageId::as_str).collect();
    put("depends_on", (!depends_on.is_empty()).then(|| json!(depends_on)));
    put("on_doubt", args.on_doubt.clone().map(Into::into));
    put("parent", args.parent.as_ref().map(|id| json!(id.as_str())));
    put("token", args.token.as_ref().map(|token| json!(token.as_str())));
    let meta: Map<String, Value> = args.meta.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    put("expect", expect(args));
    put("metadata", (!meta.is_empty()).then_some(Value::Object(meta)));
    Value::Object(map)
}

/// What must be true before a claim counts; none if nothing is expected.
fn expect(args: &Args) -> Option<Value> {
    let mut map = Map::new();
    let mut put =
        |key: &str, value: Option<Value>| drop(value.map(|value| map.insert(key.to_owned(), value)));
    put("commit", args.expect_commit.then(|| json!(true)));
    put("files", (!args.expect_file.is_empty()).then(|| json!(args.expect_file)));
    put("report", args.expect_report.as_ref().map(|path| json!(path)));
    put("command", (!args.expect_command.is_empty()).then(|| json!(args.expect_command)));
    (!map.is_empty()).then_some(Value::Object(map))
}

/// What the daemon would refuse for itself is refused now, while somebody is there to read it.
fn check(context: &Context, workspace: &Workspace, message: &Value) -> Ended {
    let draft = json::read(message, &mut mint_id, Clock::start().wall(), &Local)?;
    let loaded = Settings::load(workspace, &context.around)?;
    let settings = roster::settings_for(context, workspace, &draft.to).unwrap_or(loaded.settings);
    settings.team.addressee(&draft.to)?;
    Ok(settings.team.may_expect(&draft)?)
}

fn read_file(path: &Path) -> Result<String, Failure> {
    let bad = |error: std::io::Error| {
        let why = format!("cannot read the text: {error}");
        Failure::new(Kind::Rejected, "unreadable", why, "name a file of UTF-8 text")
            .within(path.display().to_string())
    };
    fs::read_to_string(path).map_err(bad)
}

fn read_pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    pair.map(|(key, value)| (key.to_owned(), value.to_owned())).ok_or_else(|| "write KEY=VALUE".to_owned())
}
