//! What is for the user and was not read: messages, which `queue/inbox/` holds until they were shown to a person, and answers.

use super::context::{Context, Ended};
use super::failure::Failure;
use super::look::look;
use super::table::harmless;
use crate::engine::message::{Kind, Status};
use crate::engine::words::{MessageId, counted};
use crate::io::answers_read::AnswersRead;
use crate::io::client::Client;
use crate::io::workspace::Workspace;
use crate::read::letters;
use crate::wire::api::{InboxInfo, InboxQuery, LetterInfo, StatusQuery, UnreadAnswerInfo};
use crate::wire::message::view::MessageView;
use std::collections::BTreeSet;
use std::fs;
use std::io;

/// Lines of an answer that are printed.
const ANSWER_LINES: usize = 12;

/// Prints what is for you and unread: answers to your tasks, and messages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki inbox                    what is printed counts as read
  tasuki inbox --keep             prints it and leaves it unread
  tasuki inbox --json | jq -r '.answers[].id, .unread[].content'

The command shows the beginning of each answer; `tasuki show ID` shows it whole, and then it counts as read, too.

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
        inbox.unread.iter().filter(|_| is_read).try_for_each(|letter| read(&workspace, letter))?;
        return if is_read { read_answers(&workspace, &inbox) } else { Ok(()) };
    }
    if inbox.unread.is_empty() && inbox.answers.is_empty() {
        context.say("nothing unread")?;
    }
    let earlier = inbox.answers_in_all.saturating_sub(inbox.answers.len());
    if earlier > 0 {
        context.say(format!("{} came before these: `tasuki list` shows them", counted(earlier, "answer")))?;
    }
    inbox.answers.iter().try_for_each(|answer| context.say(answered(answer)))?;
    if is_read {
        read_answers(&workspace, &inbox)?;
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

/// They were printed, so they are read.
fn read_answers(workspace: &Workspace, inbox: &InboxInfo) -> Ended {
    // Those that came before were not printed.
    let all = inbox.answers.len() >= inbox.answers_in_all;
    let read = match inbox.answers.is_empty() {
        true => Ok(()),
        false if all => AnswersRead::read_upto(workspace, inbox.seq),
        false => inbox.answers.iter().try_for_each(|answer| AnswersRead::read_one(workspace, &answer.id)),
    };
    read.map_err(|error| Failure::at(&workspace.answers_read_file())(io::Error::other(error.to_string())))
}

/// Somebody has seen the answer to a message: it counts as read if that was a person, and the task theirs.
pub(super) fn answer_is_read(context: &Context, workspace: &Workspace, task: &MessageView) {
    let is_theirs = task.kind == Kind::Task && task.from.is_user() && task.parent.is_none();
    if !is_theirs || task.status != Status::Completed || !is_person(context) {
        return;
    }
    // Where that cannot be written down, it is told once more.
    if let Err(error) = AnswersRead::read_one(workspace, task.id.as_str()) {
        context.remark(format!("note: the answer to {} stays unread: {error}", task.id));
    }
}

/// Whether what is printed counts as read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It stays unread.
    Nothing,
    /// It counts where a person has it before the eyes.
    Person,
}

/// Letters that were printed, for whoever follows a log: none is printed twice.
#[derive(Debug, Default)]
pub(super) struct Letters(BTreeSet<String>);

/// Prints them, or that there are none.
pub(super) fn show(
    context: &Context,
    workspace: &Workspace,
    printed: &mut Letters,
    reading: Reading,
) -> Ended {
    if workspace.unread() == 0 && !context.globals.json {
        return context.say("nothing unread");
    }
    printed.show(context, workspace, reading)
}

impl Letters {
    /// Prints each whole that is new. Whoever follows a log does so over the end of a daemon, so none is asked.
    pub(super) fn show(&mut self, context: &Context, workspace: &Workspace, reading: Reading) -> Ended {
        for letter in letters(workspace) {
            if !self.0.insert(letter.id.clone()) {
                continue;
            }
            if context.globals.json {
                context.say(serde_json::json!({"unread": letter}).to_string())?;
            } else {
                context.say(text(&letter))?;
            }
            if reading == Reading::Person && is_person(context) {
                read(workspace, &letter)?;
            }
        }
        Ok(())
    }
}

/// An agent that looks at the log reads in nobody's place.
pub(super) fn is_person(context: &Context) -> bool {
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

/// The beginning of an answer.
fn answered(answer: &UnreadAnswerInfo) -> String {
    let UnreadAnswerInfo { id, from, title, at, text, is_cut } = answer;
    let title = title.as_ref().map_or(String::new(), |title| format!(": {title}"));
    let head = harmless(&format!("{at} answer to {id} from {from}{title}"));
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = if lines.len() > ANSWER_LINES + 1 { ANSWER_LINES } else { lines.len() };
    let mut said: Vec<String> =
        lines.iter().take(shown).map(|line| format!("  {}", harmless(line))).collect();
    let left = lines.len() - shown;
    if *is_cut || left > 0 {
        let more = if *is_cut { "more".to_owned() } else { counted(left, "more line") };
        said.push(format!("  … {more}: `tasuki show {id} --answer`"));
    }
    said.insert(0, head);
    said.join("\n")
}

fn text(letter: &LetterInfo) -> String {
    let LetterInfo { id, from, kind, in_reply_to, parent, accepted_at, content } = letter;
    let about = in_reply_to.as_ref().or(parent.as_ref());
    let about = about.map_or(String::new(), |task| format!(" about {task}"));
    let head = harmless(&format!("{accepted_at} unread: {} {id} from {from}{about}", kind.word()));
    let lines: Vec<String> = content.trim_end().lines().map(|line| format!("  {}", harmless(line))).collect();
    format!("{head}\n{}", lines.join("\n"))
}
