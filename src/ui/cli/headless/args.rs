//! What `tasuki agent headless` is given.

/// Asks another program once for each task, as an agent in a window does
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki agent hire critic --provider headless --env TASUKI_HEADLESS_PROVIDER=claude --model opus
  tasuki agent headless --provider codex        what such an agent runs in its window

It takes the lines that tasuki types, gives the task to the one-shot command of that profile (`headless:`), shows what comes, and \
answers. The command works in the agent's folder, and gets none of tasuki's variables. It is ended when the time of the task is over, \
by Ctrl-C, and with the agent. With TASUKI_HEADLESS_LOG=FILE all that it prints is added to a file.")]
pub(in crate::ui::cli) struct Args {
    /// Profile whose one-shot command is run
    #[arg(long, value_name = "PROFILE", env = "TASUKI_HEADLESS_PROVIDER", hide_env_values = true)]
    provider: Option<String>,
    /// Model, as that program calls it
    #[arg(long, value_name = "MODEL", env = "TASUKI_HEADLESS_MODEL", hide_env_values = true)]
    model: Option<String>,
    /// Do one turn and end; the standard input has its line
    #[arg(long)]
    pub(super) once: bool,
    /// Ask nobody: what asked before was killed, in this way
    #[arg(long, value_name = "HOW", requires = "once", hide = true)]
    pub(super) killed: Option<String>,
}

impl Args {
    pub(super) fn provider(&self) -> Option<&str> {
        self.provider.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }

    pub(super) fn model(&self) -> Option<&str> {
        self.model.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }
}
