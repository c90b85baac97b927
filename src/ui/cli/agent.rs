//! `tasuki agent`: starts and stops agents, and plays tasuki's own.

use super::context::{Context, Ended};
use super::status;
use crate::engine::words::AgentName;
use crate::io::client::ANSWER_DEADLINE;
use crate::wire::api::{Done, StatusInfo};
use clap::Subcommand;
use std::collections::BTreeMap;

/// Starts, stops and lists agents, and plays tasuki's own scripted agent
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki agent list
  tasuki agent start                     every agent that is not running
  tasuki agent restart grand_boss        with a new session; it gets its task again
  tasuki agent scripted --phrase OK      plays a script, for demos and tests")]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Starts an agent, or every agent that is not running
    #[command(after_help = "Examples:\n  tasuki agent start\n  tasuki agent start grand_boss")]
    Start {
        /// Agent name
        agent: Option<AgentName>,
    },
    /// Stops an agent; its messages wait
    #[command(after_help = "Examples:\n  tasuki agent stop grand_boss")]
    Stop {
        /// Agent name
        agent: AgentName,
    },
    /// Stops an agent and starts it again
    #[command(after_help = "Examples:\n  tasuki agent restart grand_boss")]
    Restart {
        /// Agent name
        agent: AgentName,
    },
    /// Lists the agents
    #[command(after_help = "Examples:\n  tasuki agent list --json")]
    List,
    /// Plays a script in place of a real agent
    #[cfg(feature = "lab")]
    #[command(after_help = "Examples:\n  tasuki agent scripted --phrase \"CODING OK\" --script play.yaml")]
    Scripted(crate::lab::scripted::ScriptedArgs),
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    match &args.verb {
        Verb::Start { agent: None } => order(context, "/v1/agents/start"),
        Verb::Start { agent: Some(name) } => order(context, &format!("/v1/agents/{name}/start")),
        Verb::Stop { agent } => order(context, &format!("/v1/agents/{agent}/stop")),
        Verb::Restart { agent } => order(context, &format!("/v1/agents/{agent}/restart")),
        Verb::List => list(context),
        // It was run before there was a context.
        #[cfg(feature = "lab")]
        Verb::Scripted(_) => Ok(()),
    }
}

/// Asks for something that the daemon says in words when it is done.
pub(super) fn order(context: &Context, path: &str) -> Ended {
    let done: Done = context.client()?.post(path, &serde_json::json!({}), ANSWER_DEADLINE)?;
    context.tell(&done, || done.what.clone())
}

fn list(context: &Context) -> Ended {
    let status: StatusInfo = context.client()?.get("/v1/status", ANSWER_DEADLINE)?;
    context.tell(&status.agents, || status::agents(&status.agents, &BTreeMap::new()))
}
