//! The command line: one file a verb.

use clap::Parser;

use crate::ui::scripted::{ScriptedArgs, run};

/// Passes work between coding agents in tmux panes and never drops it.
#[derive(Parser)]
enum Verb {
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
pub fn main() -> std::process::ExitCode {
    let Verb::Agent(Agent::Scripted(args)) = Verb::parse();
    run(args)
}
