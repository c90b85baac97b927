//! The command line: one file a verb.

use clap::Parser;

use crate::daemon::start;
use crate::io::workspace::{Surroundings, Workspace};
use crate::ui::scripted::{ScriptedArgs, run};
use std::path::PathBuf;
use std::process::ExitCode;

/// Passes work between coding agents in tmux panes and never drops it.
#[derive(Parser)]
enum Verb {
    /// Runs the daemon in the foreground.
    Daemon {
        /// The workspace.
        #[arg(long)]
        root: Option<PathBuf>,
    },
    /// tasuki's own agents.
    #[command(subcommand)]
    Agent(Agent),
}

#[derive(clap::Subcommand)]
enum Agent {
    /// An agent that plays a script.
    Scripted(ScriptedArgs),
}

/// Runs the program and gives its exit code.
#[must_use]
pub fn main() -> ExitCode {
    match Verb::parse() {
        Verb::Agent(Agent::Scripted(args)) => run(args),
        Verb::Daemon { root } => match daemon(root) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
    }
}

fn daemon(root: Option<PathBuf>) -> Result<(), start::StartError> {
    let around = Surroundings::of_this_process()
        .map_err(|source| start::StartError::Io { what: "look around", source })?;
    let workspace = Workspace::find(root.as_deref(), &around)?;
    let serve: start::Serve = Box::new(crate::ui::http::server::serve);
    start::run(workspace, around, serve)
}
