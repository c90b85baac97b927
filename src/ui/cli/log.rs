//! `tasuki log`: the activity log, an agent's own, or the lines about one message.

use super::context::{Context, Ended};
use super::dropping;
use super::failure::{Failure, Kind};
use super::files;
use super::inbox;
use super::table::harmless;
use crate::engine::words::{AgentName, MessageId, USER};
use crate::io::client::Client;
use crate::io::regular;
use crate::io::workspace::Workspace;
use crate::wire::number::read_whole;
use crate::wire::team_file::Settings;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two looks at a log that is followed: a person notices no difference.
const LOOK: Duration = Duration::from_millis(200);

/// Prints the log of the team, of an agent, or of a message
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki log                     the last lines of the whole team
  tasuki log -f grand_boss       the lines of an agent, and new ones as they are written
  tasuki log -n 100 msg-a1b2c3d4e5f6
  tasuki log user                only your unread messages

Below the lines of the whole team, the command prints your unread messages. Then they count as read. The logs are plain \
files: `tail -f status/activity.log` works as well. `tasuki why` prints the whole history of a message.")]
pub(super) struct Args {
    /// Agent name, message id, or `user`
    #[arg(value_name = "AGENT|ID")]
    subject: Option<String>,
    /// Print new lines as they are written
    #[arg(short, long)]
    follow: bool,
    /// Number of lines
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 40, value_parser = read_whole::<usize>)]
    lines: usize,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    if args.subject.as_deref() == Some(USER) {
        return of_user(context, &workspace, args.follow);
    }
    let is_all = args.subject.is_none();
    let (path, word) = which(context, &workspace, args.subject.as_deref())?;
    let mut log = Tail { path, word, file: None };
    let mut lines = log.read()?;
    if let Some(id) = log.word.as_deref().filter(|id| !is_known(&workspace, id, &lines)) {
        let lies = MessageId::new(id).ok().and_then(|id| dropping::lies(&workspace, &id));
        if let Some(lies) = lies.filter(|_| !args.follow) {
            return context.tell(&serde_json::json!({"at": null, "text": lies}), || lies.clone());
        }
        let why = format!("there is neither an agent nor a message {id}");
        let cure = "`tasuki status` lists the agents; `tasuki log` shows the last messages";
        return Err(Failure::new(Kind::Rejected, "unknown", why, cure));
    }
    for line in lines.drain(lines.len().saturating_sub(args.lines)..) {
        print(context, &line)?;
    }
    if is_all {
        inbox::show_unread(context, &workspace)?;
    }
    if !args.follow {
        return Ok(());
    }
    let client = Client::new(&workspace, &context.around)?;
    loop {
        for line in log.read()? {
            print(context, &line)?;
        }
        if is_all {
            inbox::show_unread(context, &workspace)?;
        }
        client.pause(LOOK);
    }
}

/// Only what was sent to the user, and what is sent from now on if that is followed.
fn of_user(context: &Context, workspace: &Workspace, follow: bool) -> Ended {
    if !follow {
        return inbox::show(context, workspace);
    }
    let client = Client::new(workspace, &context.around)?;
    loop {
        inbox::show_unread(context, workspace)?;
        client.pause(LOOK);
    }
}

/// The file, and the word that its lines must have.
fn which(
    context: &Context,
    workspace: &Workspace,
    subject: Option<&str>,
) -> Result<(PathBuf, Option<String>), Failure> {
    let Some(subject) = subject else {
        return Ok((workspace.activity_log(), None));
    };
    if let Ok(name) = AgentName::new(subject) {
        let team = Settings::load(workspace, &context.around).ok().map(|loaded| loaded.settings.team);
        let name = team.and_then(|team| team.addressee(&name).ok()).unwrap_or(name);
        if workspace.agent_log(&name).exists() {
            return Ok((workspace.agent_log(&name), None));
        }
    }
    match MessageId::new(subject) {
        Ok(id) => Ok((workspace.activity_log(), Some(id.to_string()))),
        Err(error) => {
            let why = format!("`{}` is neither an agent nor an id: it {error}", subject.escape_debug());
            Err(Failure::new(Kind::Rejected, "unknown", why, "`tasuki status` lists the agents"))
        }
    }
}

/// Whether there is, or lately was, such a message: the log tells what became of it, or its file is there.
fn is_known(workspace: &Workspace, id: &str, lines: &[String]) -> bool {
    let is_about = |line: &String| line.split(' ').nth(1) == Some(id);
    let Ok(id) = MessageId::new(id) else { return false };
    lines.iter().any(is_about)
        || workspace.active_file(&id).exists()
        || workspace.result_file(&id).exists()
        || files::done_file(workspace, &id).is_some()
}

fn print(context: &Context, line: &str) -> Ended {
    if !context.globals.json {
        return context.say(harmless(line));
    }
    let (at, text) = line.split_once(' ').unwrap_or(("", line));
    let value = serde_json::json!({"at": at, "text": text});
    context.say(value.to_string())
}

/// A log that is read on from where it was left, also after it was rotated.
struct Tail {
    path: PathBuf,
    word: Option<String>,
    file: Option<(BufReader<File>, u64)>,
}

impl Tail {
    /// The whole lines since the last time.
    fn read(&mut self) -> Result<Vec<String>, Failure> {
        let mut lines = Vec::new();
        if self.file.is_none() {
            self.file = open(&self.path)?;
        }
        let Some((file, inode)) = &mut self.file else { return Ok(lines) };
        // Seen before it is read: what was written before the rotation is all there, and is read first.
        let rotated = self.path.metadata().map_or(true, |meta| meta.ino() != *inode);
        loop {
            let at = file.stream_position()?;
            let mut bytes = Vec::new();
            file.read_until(b'\n', &mut bytes)?;
            if bytes.last() != Some(&b'\n') {
                file.seek(SeekFrom::Start(at))?;
                break;
            }
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            if self.word.as_ref().is_none_or(|word| has_word(&line, word)) {
                lines.push(line);
            }
        }
        if rotated {
            self.file = None;
        }
        Ok(lines)
    }
}

fn open(path: &Path) -> Result<Option<(BufReader<File>, u64)>, Failure> {
    match regular::open(OpenOptions::new().read(true), path) {
        Ok(file) => {
            let inode = file.metadata()?.ino();
            Ok(Some((BufReader::new(file), inode)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the id is there by itself, and not as the beginning of another.
fn has_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).unwrap_or_default().trim_start_matches('.').chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_not_found_in_a_longer_one() {
        assert!(has_word("2026 msg-1 is submitted", "msg-1"));
        assert!(has_word("waits for msg-1.", "msg-1"));
        assert!(!has_word("2026 msg-12 is submitted", "msg-1"));
        assert!(!has_word("2026 a-msg-1 is submitted", "msg-1"));
    }
}
