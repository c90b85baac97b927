//! `tasuki completions`: what a shell needs to complete verbs and flags.

use super::context::{Context, Ended};
use clap_complete::Shell;

/// Prints completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki completions bash > ~/.local/share/bash-completion/completions/tasuki
  tasuki completions fish > ~/.config/fish/completions/tasuki.fish")]
pub(super) struct Args {
    /// Shell name
    shell: Shell,
}

/// `command` is the whole command line.
pub(super) fn run(context: &Context, args: &Args, mut command: clap::Command) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "tasuki", &mut script);
    let script = String::from_utf8_lossy(&script);
    let value = serde_json::json!({"shell": args.shell.to_string(), "script": script});
    context.tell(&value, || script.to_string())
}
