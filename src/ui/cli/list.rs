//! `tasuki list`: messages, open ones first, in as many columns as there are.

use super::ages::{Exact, age, moment};
use super::columns::{Column, rows};
use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::look::look;
use super::marks::Letters;
use super::roster;
use super::table::terminal_width;
use crate::engine::life::StageName;
use crate::engine::words::{AgentName, USER};
use crate::io::client::Client;
use crate::io::clock::Clock;
use crate::io::workspace::Workspace;
use crate::wire::api::{MessagePage, MessagesQuery};
use crate::wire::message::standing::StandingInfo;
use crate::wire::message::view::MessageView;
use crate::wire::number::read_whole;
use crate::wire::time::rfc3339_ms;

/// Messages asked for at once where all are wanted: as many as an answer has at most.
const PAGE: usize = 1_000;

/// Lists messages: their state, who has them, and what they wait for
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki list                              the newest messages, open ones first
  tasuki list --open --agent boss          what boss has, has had, or is waited for
  tasuki list --failed --since 2h
  tasuki list --state 'waiting for a limit'
  tasuki list --grep 家計簿 --all          every message with this word
  tasuki list --json --open | jq -r '.messages[].id'

A state is open, ended or done, or a word of the STATE column, such as at work, waiting for a limit, waits for you, or called \
off. The words of the files (in_progress, cancelled, …) are taken too. Hyphens may stand for spaces. If only queued messages are \
listed, they stand in the order in which they are taken. Without a daemon, the command reads the journal.")]
pub(super) struct Args {
    /// Only open messages
    #[arg(long, conflicts_with_all = ["failed", "state"])]
    open: bool,
    /// Only failed messages
    #[arg(long, conflicts_with = "state")]
    failed: bool,
    /// Only messages in this state
    #[arg(long, value_name = "WORD")]
    state: Option<String>,
    /// Only messages from, to, or worked on by this agent; `user` for your own
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only messages accepted since then: a duration such as 2h, or RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only messages with these words in id, content or answer; capitals do not count
    #[arg(long, value_name = "WORDS")]
    grep: Option<String>,
    /// Only messages of this type: task, info, result or error
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Leave out parts of other tasks
    #[arg(long)]
    roots: bool,
    /// Largest number of messages
    #[arg(short = 'n', long, value_name = "NUMBER", default_value_t = 20, value_parser = read_whole::<usize>)]
    limit: usize,
    /// List every message that is meant
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    let page = pages(context, &workspace, &client, args)?;
    if page.messages.is_empty() {
        known(context, &workspace, args)?;
    }
    context.tell(&page, || shown(context, &page))
}

/// The messages that are meant, however many questions that takes.
fn pages(
    context: &Context,
    workspace: &Workspace,
    client: &Client,
    args: &Args,
) -> Result<MessagePage, Failure> {
    let most = if args.all { usize::MAX } else { args.limit };
    let mut query = query(args);
    let mut found = MessagePage { messages: Vec::new(), next: None, seq: 0 };
    loop {
        // No message at all is asked for by nobody.
        query.limit = Some((most - found.messages.len()).clamp(1, PAGE));
        let page = look(context, workspace, client, &query).map_err(in_our_words)?.answer;
        (found.next, found.seq) = (page.next, page.seq);
        found.messages.extend(page.messages);
        match &found.next {
            Some(next) if found.messages.len() < most => query.after = Some(next.clone()),
            _ => break,
        }
    }
    found.messages.truncate(most);
    Ok(found)
}

fn query(args: &Args) -> MessagesQuery {
    let state = match (args.open, args.failed) {
        (true, _) => Some("open".to_owned()),
        (_, true) => Some("failed".to_owned()),
        _ => args.state.clone(),
    };
    MessagesQuery {
        state,
        agent: args.agent.clone(),
        kind: args.kind.clone(),
        text: args.grep.clone(),
        roots: args.roots,
        since: args.since.clone(),
        ..MessagesQuery::default()
    }
}

/// What is wrong with an option, with the option's name.
fn in_our_words(failure: Failure) -> Failure {
    if failure.problem.code != "bad-request" {
        return failure;
    }
    let option = failure.problem.field.clone().unwrap_or_default();
    let why = failure.problem.why.replacen(&format!("`{option}`: "), "", 1);
    let cure = "`tasuki list --help` says what each option takes";
    Failure::new(Kind::Rejected, "bad-request", why, cure).within(format!("--{option}"))
}

/// Where nothing is found: that somebody of that name is there at all.
fn known(context: &Context, workspace: &Workspace, args: &Args) -> Ended {
    let Some(name) = args.agent.as_deref().filter(|name| *name != USER) else { return Ok(()) };
    let Ok(name) = AgentName::new(name) else { return Ok(()) };
    let Some(settings) = roster::settings_for(context, workspace, &name) else { return Ok(()) };
    settings.team.addressee(&name).map(drop).map_err(|refusal| {
        let mut failure = Failure::from(refusal).within("--agent");
        failure.problem.field = None;
        failure
    })
}

fn shown(context: &Context, page: &MessagePage) -> String {
    if page.messages.is_empty() {
        return "no such message".to_owned();
    }
    let letters = Letters::of(context, false);
    let now = rfc3339_ms(Clock::start().wall());
    let table = table(&page.messages, letters, &now);
    match page.next {
        Some(_) => format!("{table}\n{} shown, more follow: `--all` lists them too", page.messages.len()),
        None => table,
    }
}

/// Messages, one a line.
pub(super) fn table(messages: &[MessageView], letters: Letters, now: &str) -> String {
    let columns = [
        Column::cut_to("id", 12),
        Column::whole("state"),
        Column::cut_to("from, to", 14),
        Column::whole("for"),
        Column::cut_to("what", 12),
    ];
    let row = |view: &MessageView| {
        vec![
            view.id.to_string(),
            state(view, letters),
            format!("{} {} {}", view.from, letters.to(), view.agent.as_ref().unwrap_or(&view.to)),
            age(Some(&standing(view).since), now, Exact::Seconds),
            what(view, now),
        ]
    };
    rows(&columns, messages.iter().map(row).collect(), terminal_width())
}

/// How it stands; a file says only its stage.
pub(super) fn standing(view: &MessageView) -> StandingInfo {
    let stage = view.stage.or_else(|| StageName::of(view.status.word()));
    let by_stage = || StandingInfo::of(view.kind, stage.unwrap_or(StageName::Queued), &view.since);
    view.standing.clone().unwrap_or_else(by_stage)
}

/// The mark of its state and its words.
pub(super) fn state(view: &MessageView, letters: Letters) -> String {
    let words = standing(view).words;
    match view.parts {
        0 => format!("{} {words}", letters.message(view)),
        parts => format!("{} {words} ({parts})", letters.message(view)),
    }
}

/// What it is about, and what holds it up.
fn what(view: &MessageView, now: &str) -> String {
    let title = view.title.clone().unwrap_or_default();
    let why = match (back_at(&standing(view), now), &view.waits_for) {
        (Some(back), _) => Some(back),
        (None, Some(waits)) => Some(format!("waits for {waits}")),
        (None, None) => view.reason.clone().filter(|_| view.status.has_ended()),
    };
    match why {
        Some(why) if title.is_empty() => why,
        Some(why) => format!("{title}: {why}"),
        None => title,
    }
}

/// When a limit is over, if that is known.
pub(super) fn back_at(standing: &StandingInfo, now: &str) -> Option<String> {
    standing.until.as_ref().map(|until| format!("back at {}", moment(until, now)))
}
