//! `tasuki log`: the activity log, an agent's own, or the lines about one message.

use super::context::{Context, Ended};
use super::dropping;
use super::failure::{Failure, Kind};
use super::files;
use super::inbox::{self, Letters, Reading};
use super::look::refused;
use super::roster;
use super::table::harmless;
use crate::engine::words::{AgentName, MessageId, USER};
use crate::io::client::Client;
use crate::io::clock;
use crate::io::log_reader::{LogTail, LogWish, StatusLog};
use crate::io::workspace::Workspace;
use crate::read::log_since;
use crate::wire::api::LogLineInfo;
use crate::wire::number::read_whole;
use std::io::IsTerminal;
use std::time::Duration;

/// Lines that are printed where nothing else is asked for.
const LINES: usize = 40;
/// Between two looks at a log that is followed: a person notices no difference.
const LOOK: Duration = Duration::from_millis(200);

/// Prints the log of the team, of an agent, or of a message
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki log                     the last lines of the whole team
  tasuki log -f grand_boss       the lines of an agent, and new ones as they are written
  tasuki log -n 100 msg-a1b2c3d4e5f6
  tasuki log --since 10m         what happened lately
  tasuki log user                only your unread messages

Below the lines of the whole team, the command prints your unread messages, which stay unread. `tasuki log user` counts them as \
read if it prints to a terminal; `tasuki inbox` does so in any case. The logs are plain files: `tail -f status/activity.log` \
works as well. `tasuki why` prints the whole history of a message.")]
pub(super) struct Args {
    /// Agent name, message id, or `user`
    #[arg(value_name = "AGENT|ID")]
    subject: Option<String>,
    /// Print new lines as they are written
    #[arg(short, long)]
    follow: bool,
    /// Number of lines [default: 40, or all with --since]
    #[arg(short = 'n', long, value_name = "NUMBER", value_parser = read_whole::<usize>)]
    lines: Option<usize>,
    /// Only lines since then: a duration such as 2h, or RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    if args.subject.as_deref() == Some(USER) {
        return of_user(context, &workspace, args.follow);
    }
    let is_all = args.subject.is_none();
    let log = which(context, &workspace, args.subject.as_deref())?;
    let since = args.since.as_deref().map(|text| log_since(text, clock::wall_now())).transpose();
    let since = since.map_err(refused)?;
    let end = log.end()?;
    let most = if since.is_some() { usize::MAX } else { LINES };
    let wish = LogWish { lines: args.lines.unwrap_or(most), since, bytes: u64::MAX };
    let lines = log.before(end, wish)?.lines;
    if let Some(id) = unknown(&workspace, &log, &lines)? {
        let lies = MessageId::new(id).ok().and_then(|id| dropping::lies(&workspace, &id));
        if let Some(lies) = lies.filter(|_| !args.follow) {
            return context.tell(&serde_json::json!({"at": null, "text": lies}), || lies.clone());
        }
        let why = format!("there is neither an agent nor a message {id}");
        let cure = "`tasuki status` lists the agents; `tasuki log` shows the last messages";
        return Err(Failure::new(Kind::Rejected, "unknown", why, cure));
    }
    for line in lines.iter().rev() {
        print(context, line)?;
    }
    let mut letters = Letters::default();
    if is_all {
        letters.show(context, &workspace, Reading::Nothing)?;
    }
    if !args.follow {
        return Ok(());
    }
    follow(context, &workspace, LogTail::new(log, end), is_all.then_some(letters))
}

fn follow(context: &Context, workspace: &Workspace, mut log: LogTail, mut letters: Option<Letters>) -> Ended {
    let client = Client::new(workspace, &context.around)?;
    loop {
        for line in log.read()? {
            print(context, &line)?;
        }
        if let Some(letters) = &mut letters {
            letters.show(context, workspace, Reading::Nothing)?;
        }
        client.pause(LOOK);
    }
}

/// Only what was sent to the user, and what is sent from now on if that is followed.
fn of_user(context: &Context, workspace: &Workspace, follow: bool) -> Ended {
    // What goes into a pipe was before nobody's eyes.
    let reading = if std::io::stdout().is_terminal() { Reading::Person } else { Reading::Nothing };
    let mut letters = Letters::default();
    if !follow {
        return inbox::show(context, workspace, &mut letters, reading);
    }
    let client = Client::new(workspace, &context.around)?;
    loop {
        letters.show(context, workspace, reading)?;
        client.pause(LOOK);
    }
}

/// The log that is meant.
fn which(context: &Context, workspace: &Workspace, subject: Option<&str>) -> Result<StatusLog, Failure> {
    let Some(subject) = subject else {
        return Ok(StatusLog::of_team(workspace));
    };
    if let Ok(name) = AgentName::new(subject) {
        let team = roster::settings_for(context, workspace, &name).map(|settings| settings.team);
        if let Some(log) = StatusLog::of_agent(workspace, team.as_ref(), &name) {
            return Ok(log);
        }
    }
    match MessageId::new(subject) {
        Ok(id) => Ok(StatusLog::of_team(workspace).about(Some(&id))),
        Err(error) => {
            let why = format!("`{}` is neither an agent nor an id: it {error}", subject.escape_debug());
            Err(Failure::new(Kind::Rejected, "unknown", why, "`tasuki status` lists the agents"))
        }
    }
}

/// The id of whose message nobody knows anything: the log tells what became of one, or its file is there.
fn unknown<'a>(
    workspace: &Workspace,
    log: &'a StatusLog,
    lines: &[String],
) -> Result<Option<&'a str>, Failure> {
    let Some(word) = log.word() else { return Ok(None) };
    let Ok(id) = MessageId::new(word) else { return Ok(Some(word)) };
    let is_known = lines.iter().any(|line| line.split(' ').nth(1) == Some(word))
        || workspace.active_file(&id).exists()
        || workspace.result_file(&id).exists()
        || files::done_file(workspace, &id).is_some()
        || log.knows(&id)?;
    Ok((!is_known).then_some(word))
}

fn print(context: &Context, line: &str) -> Ended {
    if !context.globals.json {
        return context.say(harmless(line));
    }
    context.say(serde_json::to_string(&LogLineInfo::of(line)).unwrap_or_default())
}
