//! `tasuki session list`: sessions, open ones first.

use super::asking::{Asking, short_ids};
use super::words;
use crate::io::clock::Clock;
use crate::ui::cli::ages::{Exact, age};
use crate::ui::cli::columns::{Column, rows};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::marks::Letters;
use crate::ui::cli::table::{cut, terminal_width};
use crate::wire::api::{SessionInfo, SessionList, SessionsQuery};
use crate::wire::time::rfc3339_ms;

/// Sessions that are listed where not all are asked for.
const LISTED: usize = 20;

/// Lists sessions: how each stands, how many of its tasks are completed, and what holds it up
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session list                      open sessions first, 20 at most
  tasuki session list --all
  tasuki session list --json | jq -r '.sessions[] | select(.waits_for_yes) | .id'

Without a daemon, the command reads the journal.")]
pub(super) struct Args {
    /// List every session that is known
    #[arg(long)]
    all: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let mut list = Asking::new(context)?.look(&SessionsQuery {})?;
    let ids = short_ids(&list.sessions);
    let mut listed: Vec<(SessionInfo, String)> = list.sessions.into_iter().zip(ids).collect();
    listed.sort_by_key(|(session, _)| words::is_over(session));
    let most = if args.all { usize::MAX } else { LISTED };
    let more = listed.len().saturating_sub(most);
    listed.truncate(most);
    let (sessions, ids): (Vec<SessionInfo>, Vec<String>) = listed.into_iter().unzip();
    list = SessionList { sessions };
    context.tell(&list, || shown(context, &list.sessions, &ids, more))
}

fn shown(context: &Context, sessions: &[SessionInfo], ids: &[String], more: usize) -> String {
    if sessions.is_empty() {
        return "no session yet: `tasuki session new` begins one".to_owned();
    }
    let letters = Letters::of(context, false);
    let now = rfc3339_ms(Clock::start().wall());
    let columns = [
        Column::whole("id"),
        Column::whole("state"),
        Column::whole("tasks"),
        Column::whole("age"),
        Column::cut_to("what", 12),
    ];
    let row = |(session, id): (&SessionInfo, &String)| {
        vec![
            id.clone(),
            format!("{} {}", words::session_mark(letters, session), words::of_session(session)),
            words::done_of_all(&session.counts),
            age(Some(&session.created_at), &now, Exact::Seconds),
            what(session),
        ]
    };
    let table = rows(&columns, sessions.iter().zip(ids).map(row).collect(), terminal_width());
    match more {
        0 => table,
        more => format!("{table}\n{more} more: `--all` lists them too"),
    }
}

/// What it is called, and what holds it up.
fn what(session: &SessionInfo) -> String {
    let title = cut(session.title.as_deref().unwrap_or_default(), Some(words::NAME_COLUMNS));
    let (failed, queued) = (session.counts.failed, session.counts.queued);
    let waits = words::waiting(session);
    let why = match (words::note(session), &session.planning) {
        (Some(note), _) => Some(note),
        (None, _) if waits.is_some() => waits,
        (None, Some(message)) => Some(format!("waits for its plan, {message}")),
        (None, None) if failed > 0 => Some(format!("{failed} failed")),
        (None, None) if queued > 0 => Some(format!("{queued} queued")),
        (None, None) => None,
    };
    let is_news = session.merge.as_ref().is_some_and(|merge| !words::is_merged(merge));
    let merge = words::merge(session).filter(|_| is_news);
    let why = [why, merge].into_iter().flatten().reduce(|why, merge| format!("{why}; {merge}"));
    match why {
        Some(why) if title.is_empty() => why,
        Some(why) => format!("{title}: {why}"),
        None => title,
    }
}
