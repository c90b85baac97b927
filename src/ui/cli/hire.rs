//! `tasuki agent hire`: an agent besides those of the team file, as it is wanted.

use super::failure::{Failure, Kind};
use crate::engine::words::AgentName;
use crate::wire::api::HireBody;
use std::collections::BTreeMap;

/// Hires an agent: it joins the team, and is not in the team file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki agent hire bob2 --like bob
  tasuki agent hire reviewer --provider claude --model opus --reports-to grand_boss
  tasuki agent hire fixer --like bob --cwd ../fix-42 --env CARGO_TARGET_DIR=/tmp/fix-42

The agent is started, restarted and listed as those of the team file are, until `tasuki agent dismiss` ends it. It stays over a \
restart of the daemon. What it does not say itself is as with the agent that it is like; that one's pools, routes and `may:` are not \
its own. An agent may hire and dismiss if the team file allows it the power `agent` over everybody.

Exit codes:
  0  it is hired, and its program is not known to have failed within 2 s
  1  it is hired, and its program could not be started
  2  rejected")]
pub(super) struct Args {
    /// Name of the new agent
    pub(super) name: AgentName,
    /// Agent of the team file that it is like
    #[arg(long, value_name = "AGENT", required_unless_present = "provider", conflicts_with = "provider")]
    like: Option<AgentName>,
    /// Profile of its program, for an agent like no other
    #[arg(long, value_name = "PROFILE")]
    provider: Option<String>,
    /// Agent or `user` that gives it tasks. Default: the agent that hires it; for a person, as with --like, else `user`
    #[arg(long, value_name = "NAME")]
    reports_to: Option<AgentName>,
    /// Working folder, relative to the workspace
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Model, as its program calls it
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Environment variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = read_variable)]
    env: Vec<(String, String)>,
    /// Its phrase. Default: the name in capitals, and OK
    #[arg(long, value_name = "TEXT")]
    marker: Option<String>,
}

/// What is asked of the daemon.
pub(super) fn body(args: &Args) -> Result<HireBody, Failure> {
    let Args { name, like, provider, reports_to, cwd, model, env, marker } = args;
    let mut variables = BTreeMap::new();
    for (variable, value) in env {
        if variables.insert(variable.clone(), Some(value.clone())).is_some() {
            let why = format!("`--env {variable}=` is given twice");
            return Err(Failure::new(Kind::Rejected, "usage", why, "give each variable once"));
        }
    }
    let text = |name: &Option<AgentName>| name.as_ref().map(ToString::to_string);
    Ok(HireBody {
        name: name.to_string(),
        like: text(like),
        provider: provider.clone(),
        reports_to: text(reports_to),
        cwd: cwd.clone(),
        model: model.clone(),
        env: variables,
        marker: marker.clone(),
    })
}

fn read_variable(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| "write NAME=VALUE".to_owned())
}
