//! Messages to the user that nobody has read yet: `queue/inbox/` holds each until it was shown to a person.

use super::context::{Context, Ended};
use super::failure::Failure;
use super::look::look;
use super::table::harmless;
use crate::engine::words::{MessageId, counted};
use crate::io::client::Client;
use crate::io::workspace::Workspace;
use crate::read::letters;
use crate::wire::api::{InboxQuery, LetterInfo, StatusQuery};
use std::fs;
use std::io;

/// Prints what was sent to you and is unread
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki inbox                    what is printed counts as read
  tasuki inbox --keep             prints it and leaves it unread
  tasuki inbox --json | jq -r '.unread[].content'

`tasuki log -f user` prints new messages as they come. If an agent runs the command, everything stays unread.")]
pub(super) struct Args {
    /// Leave everything unread
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let inbox = look(context, &workspace, &client, &InboxQuery {})?.answer;
    let is_read = !args.keep && is_person(context);
    if context.globals.json {
        context.say_json(&inbox)?;
        return inbox.unread.iter().filter(|_| is_read).try_for_each(|letter| read(&workspace, letter));
    }
    if inbox.unread.is_empty() {
        context.say("nothing unread")?;
    }
    for letter in &inbox.unread {
        context.say(text(letter))?;
        if is_read {
            read(&workspace, letter)?;
        }
    }
    let needs = look(context, &workspace, &client, &StatusQuery {})?.answer.pulse.needs_you;
    match needs {
        0 => Ok(()),
        1 => context.say("1 thing waits for you: see `tasuki needs`"),
        needs => context.say(format!("{} wait for you: see `tasuki needs`", counted(needs, "thing"))),
    }
}

/// Prints them, or that there are none.
pub(super) fn show(context: &Context, workspace: &Workspace) -> Ended {
    if workspace.unread() == 0 && !context.globals.json {
        return context.say("nothing unread");
    }
    show_unread(context, workspace)
}

/// Prints each whole, and removes it then: it is read. Whoever follows a log does so over the end of a daemon, so none is asked.
pub(super) fn show_unread(context: &Context, workspace: &Workspace) -> Ended {
    for letter in letters(workspace) {
        if context.globals.json {
            context.say(serde_json::json!({"unread": letter}).to_string())?;
        } else {
            context.say(text(&letter))?;
        }
        if is_person(context) {
            read(workspace, &letter)?;
        }
    }
    Ok(())
}

/// An agent that looks at the log reads in nobody's place.
fn is_person(context: &Context) -> bool {
    ["TASUKI_AGENT", "TASUKI_AGENT_KEY"].iter().all(|name| context.around.var(name).is_none())
}

/// It was printed, so it is read. What could not be printed is not.
fn read(workspace: &Workspace, letter: &LetterInfo) -> Ended {
    let Ok(id) = MessageId::new(&letter.id) else { return Ok(()) };
    let path = workspace.letter_file(&id);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::at(&path)(error)),
        _ => Ok(()),
    }
}

fn text(letter: &LetterInfo) -> String {
    let LetterInfo { id, from, kind, in_reply_to, parent, accepted_at, content } = letter;
    let about = in_reply_to.as_ref().or(parent.as_ref());
    let about = about.map_or(String::new(), |task| format!(" about {task}"));
    let head = harmless(&format!("{accepted_at} unread: {} {id} from {from}{about}", kind.word()));
    let lines: Vec<String> = content.trim_end().lines().map(|line| format!("  {}", harmless(line))).collect();
    format!("{head}\n{}", lines.join("\n"))
}
