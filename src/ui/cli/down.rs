//! `tasuki down`: ends the daemon, and the agents with it unless they are to stay.

use super::desk::{Desk, Ended, unless_running};
use super::failure::{Failure, Kind};
use crate::io::clock::Clock;
use crate::io::lock;
use crate::io::workspace::Workspace;
use crate::ui::http::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::ui::http::types::{Done, DownBody};
use std::time::Duration;

/// The daemon gives its workers 5 s, then writes and closes its journal.
const END_DEADLINE_MS: u64 = 30_000;
/// Between two looks at the lock.
const LOOK: Duration = Duration::from_millis(20);

/// Ends the daemon and the agents
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki down
  tasuki down --keep-agents      the agents go on; the next `tasuki up` adopts them

What is open stays open: the next daemon goes on with it.")]
pub(super) struct Args {
    /// Leave the agents running for the next daemon
    #[arg(long)]
    keep_agents: bool,
}

pub(super) fn run(desk: &Desk, args: &Args) -> Ended {
    // Whoever removed the team file of a daemon that runs can end that all the same.
    let runs = |workspace: &Workspace| matches!(lock::holder(&workspace.lock()), Ok(Some(_)));
    let workspace = match Workspace::find_bereft(desk.globals.root.as_deref(), &desk.around, runs) {
        Some(workspace) => workspace,
        None => desk.workspace()?,
    };
    let client = Client::new(&workspace, &desk.around)?;
    let body = DownBody { keep_agents: args.keep_agents };
    let clock = Clock::start();
    let began = clock.now();
    let mut asked = None;
    loop {
        let holder = lock::holder(&workspace.lock())?;
        if asked.is_none() && ask(&client, &body)? {
            asked = Some(holder.clone());
        }
        // One that is being started is asked as soon as it listens; another one may be started when this one has ended.
        let Some(holder) =
            holder.filter(|now| asked.as_ref().is_none_or(|asked| asked.as_ref() == Some(now)))
        else {
            break;
        };
        if clock.now().since(began) > END_DEADLINE_MS {
            let why = format!("{holder} has not ended after 30 s");
            return Err(Failure::new(
                Kind::TimedOut,
                "too-slow",
                why,
                "see .tasuki/daemon.log, or send it SIGTERM",
            ));
        }
        client.pause(LOOK);
    }
    let what = match (asked, args.keep_agents) {
        (None, _) => "no daemon ran",
        (Some(_), true) => "the daemon has ended; the agents go on",
        (Some(_), false) => "the daemon and the agents have ended",
    };
    desk.tell(&Done { what: what.to_owned(), id: None }, || what.to_owned())
}

/// Whether a daemon was there to be asked.
fn ask(client: &Client, body: &DownBody) -> Result<bool, Failure> {
    match client.post::<Done>("/v1/down", body, ANSWER_DEADLINE) {
        // It may end before its answer is out.
        Err(ClientError::Gone(_)) => Ok(true),
        asked => Ok(unless_running(asked)?.is_some()),
    }
}
