//! `tasuki session follow`: each change of a session until it is over. The daemon says when there is one; one that is started anew
//! does not end it.

mod changes;

use super::asking::Asking;
use super::words;
use crate::io::client::{ANSWER_DEADLINE, ClientError};
use crate::ui::cli::away::{ANEW, Away};
use crate::ui::cli::context::{Context, Ended};
use crate::ui::cli::failure::{Failure, Kind};
use crate::ui::cli::look::{Source, look};
use crate::ui::cli::marks::Letters;
use crate::wire::api::{Question, SessionDetails, SessionInfo, SessionQuery};
use changes::{SessionChange, changes};
use clap::builder::NonEmptyStringValueParser;
use std::ops::ControlFlow;
use std::time::Duration;

/// What is not told as an event of the session, such as that its agent asks something, is looked for so often.
const QUIET: Duration = Duration::from_secs(2);
/// What changes at once is told at once.
const GATHER_MS: u64 = 100;
/// Tasks for which one ms more is waited: to read a session of 10,000 takes some time.
const TASKS_A_MS: usize = 20;
/// Between two tries to reach it.
const AGAIN: Duration = Duration::from_millis(100);

/// Prints each change of a session until it is over
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki session follow a1b2c3d4
  tasuki session follow a1b2c3d4 --json | jq -r 'select(.task) | .task'

With --json, each change is a line. It goes on after a restart of the daemon.

Exit codes:
  0  the session is completed
  1  it has failed or was cancelled
  2  there is no such session, or it was imported and stands still until `tasuki session resume`
  5  no daemon is running, and the session is not over")]
pub(super) struct Args {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    session: String,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    follow(&Asking::new(context)?, &args.session)
}

/// Tells each change of a session until it is over, and its branches are merged where that was asked.
pub(super) fn follow(asking: &Asking<'_>, id: &str) -> Ended {
    let session = follow_until(asking, id, words::has_come_to_rest)?;
    stands(&session)?;
    ended(&session)?;
    merged(&session)
}

/// Tells each change of a session until its branches are merged, or cannot be.
pub(super) fn follow_merge(asking: &Asking<'_>, id: &str) -> Ended {
    let session = follow_until(asking, id, |session| !words::is_merging(session))?;
    merged(&session)?;
    // The last line of JSON is a change, too.
    match words::merge(&session) {
        Some(merge) if !asking.context.globals.json => Ok(asking.context.say(merge)?),
        _ => Ok(()),
    }
}

/// A merge that failed is a failure.
fn merged(session: &SessionInfo) -> Ended {
    let has_failed = session.merge.as_ref().is_some_and(|merge| merge.status == "failed");
    let Some(merge) = words::merge(session).filter(|_| has_failed) else { return Ok(()) };
    let id = &session.id;
    let cure = format!("see `tasuki session show {id}`, and ask for it again once that is put right");
    let why = format!("session {id}: {merge}");
    Err(Failure::new(Kind::Failed, "failed", why, cure))
}

/// Tells each change of a session until it is at rest, and gives it as it is then.
fn follow_until(
    asking: &Asking<'_>,
    id: &str,
    is_at_rest: impl Fn(&SessionInfo) -> bool,
) -> Result<SessionInfo, Failure> {
    let question = SessionQuery { id: id.to_owned() };
    let first = look(asking.context, &asking.workspace, &asking.client, &question)?;
    let mut seen = first.answer;
    tell(asking, &changes(None, &seen))?;
    let mut told = seen.clone();
    if first.source == Source::Files && !is_at_rest(&seen.session) {
        return Err(without_daemon(
            &seen.session,
            format!("no daemon is running for {}", asking.workspace.root_text()),
        ));
    }
    let address = SessionQuery { id: seen.session.id.clone() }.address();
    let mut away = Away::not(asking.context);
    while !is_at_rest(&seen.session) {
        if away.is() {
            asking.client.pause(AGAIN);
        } else {
            until_changed(asking, &seen);
        }
        match asking.client.get::<SessionDetails>(&address, ANSWER_DEADLINE) {
            Ok(now) => {
                away.back();
                tell(asking, &changes(Some(&told), &now))?;
                told = told_of(&told, &now);
                seen = now;
            }
            Err(error @ (ClientError::NotRunning { .. } | ClientError::Gone(_))) => {
                if away.silent() >= ANEW {
                    return Err(without_daemon(&seen.session, error.to_string()));
                }
            }
            // It is there, and says more when it can.
            Err(ClientError::Unavailable(_) | ClientError::TooSlow(_)) => drop(away.silent()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(seen.session)
}

/// What has been told once this is known: of a session that is being merged all but how it stands.
fn told_of(before: &SessionDetails, now: &SessionDetails) -> SessionDetails {
    let mut told = now.clone();
    if words::is_merging(&now.session) {
        let SessionInfo { status, note, planning, waits_for_yes, .. } = before.session.clone();
        told.session = SessionInfo { status, note, planning, waits_for_yes, ..told.session };
    }
    told
}

/// Waits until the daemon tells something of this session, or has been quiet for a while.
fn until_changed(asking: &Asking<'_>, seen: &SessionDetails) {
    let id = seen.session.id.as_str();
    let path = format!("/api/events?kind=session&after={}", seen.seq);
    let listened = asking.client.listen(&path, QUIET, &mut |heard| match heard {
        Some(("step", data)) if !data.contains(id) => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    if listened.is_ok() {
        let gather = GATHER_MS + (seen.tasks.len() / TASKS_A_MS) as u64;
        asking.client.pause(Duration::from_millis(gather));
    } else {
        // Whoever asks next is told why.
        asking.client.pause(AGAIN);
    }
}

fn tell(asking: &Asking<'_>, changes: &[SessionChange]) -> Ended {
    let context = asking.context;
    let letters = Letters::of(context, false);
    for change in changes {
        if context.globals.json {
            context.say(serde_json::to_string(change).map_err(std::io::Error::other)?)?;
        } else {
            context.say(change.line(letters))?;
        }
    }
    Ok(())
}

/// Nothing of an imported one changes before somebody resumes it.
fn stands(session: &SessionInfo) -> Ended {
    if !session.stands_still {
        return Ok(());
    }
    let id = &session.id;
    let why = format!("session {id} was imported, and stands still until it is resumed");
    let cure = format!("{}; `tasuki session cancel {id}` calls it off", session.how_it_goes_on());
    Err(Failure::new(Kind::Rejected, "stands-still", why, cure))
}

fn ended(session: &SessionInfo) -> Ended {
    if session.status == "Completed" {
        return Ok(());
    }
    let id = &session.id;
    let note = words::note(session).map_or(String::new(), |note| format!(": {note}"));
    if words::is_cancelled(session) {
        let why = format!("session {id} was {}", session.note.as_deref().unwrap_or("cancelled"));
        return Err(Failure::new(Kind::Failed, "cancelled", why, format!("see `tasuki session show {id}`")));
    }
    let cure =
        format!("see `tasuki session show {id}`; `tasuki session resume {id}` tries again what has failed");
    Err(Failure::new(Kind::Failed, "failed", format!("session {id} has failed{note}"), cure))
}

/// It goes on all the same with the next daemon.
fn without_daemon(session: &SessionInfo, why: String) -> Failure {
    let why = format!("{why}; session {} goes on with the next daemon", session.id);
    Failure::new(Kind::NoDaemon, "no-daemon", why, "start it with `tasuki up`")
}
