//! `tasuki agent`: starts, stops, hires and lists agents, and plays tasuki's own.

use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use super::headless;
use super::hire;
use super::lab::AGENT_EXAMPLE;
use super::up::named;
use super::{shown, why};
use crate::engine::words::AgentName;
use crate::io::client::ANSWER_DEADLINE;
use crate::io::clock::Clock;
use crate::wire::api::{AgentInfo, Done, StatusInfo};
use clap::Subcommand;
use serde::Serialize;
use serde_json::json;
use std::time::Duration;

/// A window is made within some milliseconds. One that is not there yet is left to `tasuki status`.
const STARTS_WITHIN_MS: u64 = 2_000;
/// Between two looks at an agent that is being started.
const LOOK: Duration = Duration::from_millis(50);

/// Starts, stops, hires and lists agents
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
Examples:
  tasuki agent list
  tasuki agent start                     every agent that is not running
  tasuki agent hire bob2 --like bob      one more, besides those of the team file
  tasuki agent restart grand_boss        with a new session; it gets its task again{AGENT_EXAMPLE}"))]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Starts an agent, or every agent that is not running
    #[command(
        after_help = "Examples:\n  tasuki agent start\n  tasuki agent start grand_boss\n\nExit codes:\n  0  its program runs, or is not known to have failed within 2 s\n  1  its program could not be started"
    )]
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
    Hire(hire::Args),
    /// Dismisses an agent that was hired; what it works on and what waits for it fails
    #[command(
        after_help = "Examples:\n  tasuki agent dismiss bob2\n\nAn agent of the team file is not dismissed: remove it there, or stop it."
    )]
    Dismiss {
        /// Agent name
        agent: AgentName,
    },
    Headless(headless::Args),
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
        Verb::Start { agent: None } => start(context, None, "/api/agents/start", &json!({})),
        Verb::Start { agent: Some(name) } => {
            start(context, Some(name), &format!("/api/agents/{name}/start"), &json!({}))
        }
        Verb::Stop { agent } => order(context, &format!("/api/agents/{agent}/stop")),
        Verb::Restart { agent } => {
            start(context, Some(agent), &format!("/api/agents/{agent}/restart"), &json!({}))
        }
        Verb::Hire(args) => start(context, Some(&args.name), "/api/agents", &hire::body(args)?),
        Verb::Dismiss { agent } => order(context, &format!("/api/agents/{agent}/dismiss")),
        Verb::Headless(args) => headless::run(context, args),
        Verb::List => list(context),
        // It was run before there was a context.
        #[cfg(feature = "lab")]
        Verb::Scripted(_) => Ok(()),
    }
}

/// Has agents started, and looks until their programs run or could not be started.
fn start(context: &Context, name: Option<&AgentName>, path: &str, body: &impl Serialize) -> Ended {
    let client = context.client()?;
    let done: Done = client.post(path, body, ANSWER_DEADLINE)?;
    let workspace = context.workspace()?;
    let name = name.map(|name| why::member(context, &workspace, name).unwrap_or_else(|| name.clone()));
    let clock = Clock::start();
    let began = clock.now();
    let agents = loop {
        let status: StatusInfo = client.get("/api/status", ANSWER_DEADLINE)?;
        let mut agents = status.agents;
        agents.retain(|agent| name.as_ref().is_none_or(|name| agent.agent_name == name.as_str()));
        let is_known = |agent: &AgentInfo| agent.pid.is_some() || agent.state != "starting";
        if agents.iter().all(is_known) || clock.now().since(began) >= STARTS_WITHIN_MS {
            break agents;
        }
        client.pause(LOOK);
    };
    let failed = agents.iter().filter(|agent| agent.pid.is_none() && agent.state == "error");
    let failed: Vec<String> = failed.map(named).collect();
    if failed.is_empty() {
        return context.tell(&done, || done.what.clone());
    }
    let cure = "`tasuki status` shows what becomes of it";
    let why = format!("not every agent runs:\n  {}", failed.join("\n  "));
    Err(Failure::new(Kind::Failed, "agent-down", why, cure))
}

/// Asks for something that the daemon says in words when it is done.
pub(super) fn order(context: &Context, path: &str) -> Ended {
    let done: Done = context.client()?.post(path, &serde_json::json!({}), ANSWER_DEADLINE)?;
    context.tell(&done, || done.what.clone())
}

fn list(context: &Context) -> Ended {
    let status: StatusInfo = context.client()?.get("/api/status", ANSWER_DEADLINE)?;
    context.tell(&status.agents, || shown::agents(context, &status.agents))
}
