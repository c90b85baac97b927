//! `tasuki completions`: what a shell needs to complete verbs, flags, agents and ids.

use super::complete::VAR;
use super::context::{Context, Ended};
use super::failure::{Failure, Kind};
use clap_complete::Shell;
use clap_complete::env::Shells;

/// zsh runs the file at the first Tab, which only declares the function: it would take a second one to complete.
const ZSH_FIRST: &str = "
if [[ ${funcstack[1]} == _tasuki ]]; then
    _clap_dynamic_completer_tasuki \"$@\"
fi
";

/// Prints completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki completions bash > ~/.local/share/bash-completion/completions/tasuki
  tasuki completions zsh > ~/.zfunc/_tasuki
  tasuki completions fish > ~/.config/fish/completions/tasuki.fish

The script asks `tasuki` at each Tab: it knows your agents, ids, and the choices of a dialog. Script and program belong to \
one version: write it again after an update.")]
pub(super) struct Args {
    /// Shell name
    shell: Shell,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let name = args.shell.to_string();
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(&name) else {
        let cure = format!("the shells are {}", shells.names().collect::<Vec<_>>().join(", "));
        return Err(Failure::new(Kind::Rejected, "no-such-shell", format!("{name} is not known"), cure));
    };
    let mut script = Vec::new();
    shell.write_registration(VAR, "tasuki", "tasuki", "tasuki", &mut script)?;
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if args.shell == Shell::Zsh {
        script.push_str(ZSH_FIRST);
    }
    let value = serde_json::json!({"shell": name, "script": script});
    context.tell(&value, || script.clone())
}
