//! `tasuki stop`: an agent, or everything that is typed.

use super::agent;
use super::context::{Context, Ended, refuse_agents};
use super::failure::Failure;
use crate::engine::words::AgentName;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::wire::api::{Done, HaltBody};

/// Stops an agent, or holds all typing
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki stop --all              creates queue/STOP: within a second nothing is typed any more
  tasuki stop --off              removes it: typing goes on
  tasuki stop grand_boss         stops that agent; `tasuki agent start` starts it again")]
#[group(required = true, multiple = false)]
pub(super) struct Args {
    /// Agent name
    agent: Option<AgentName>,
    /// Hold everything: nothing is typed to any agent
    #[arg(long)]
    all: bool,
    /// End the hold of --all
    #[arg(long)]
    off: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    match &args.agent {
        Some(name) => agent::order(context, &format!("/api/agents/{name}/stop")),
        None => halt(context, args.all),
    }
}

fn halt(context: &Context, on: bool) -> Ended {
    let workspace = context.workspace()?;
    let client = Client::new(&workspace, &context.around)?;
    // The file is the contract: it works without a daemon too, and a daemon that has no time to answer sees it by itself.
    let by_file = |on_words: &str| {
        refuse_agents(&client, "stop")?;
        workspace.put_stop_file(on).map_err(Failure::at(&workspace.stop_file()))?;
        let what = if on { on_words } else { "queue/STOP is gone" };
        Ok::<_, Failure>(Done { what: what.to_owned(), id: None })
    };
    let done = match client.post::<Done>("/api/halt", &HaltBody { on }, ANSWER_DEADLINE) {
        Ok(done) => done,
        Err(ClientError::NotRunning { .. }) => {
            workspace.prepare()?;
            by_file("queue/STOP exists for the next daemon")?
        }
        Err(ClientError::TooSlow(_) | ClientError::Gone(_) | ClientError::Unavailable(_)) => {
            by_file("queue/STOP exists; the daemon did not answer, and sees it by itself")?
        }
        Err(error) => return Err(error.into()),
    };
    context.tell(&done, || done.what.clone())
}
