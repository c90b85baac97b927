//! `tasuki daemon`: the daemon in the foreground, as a service manager wants it; `tasuki up` starts it in the background.

use super::context::{Context, Ended, refuse_agents};
use crate::daemon::start::process as start;
use crate::io::client::Client;
use crate::ui::http::server;

/// Runs the daemon in the foreground
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tasuki daemon                      runs until SIGTERM or Ctrl-C
  TASUKI_LOG=debug tasuki daemon     logs more to .tasuki/daemon.log

The agents outlive the daemon. The next daemon adopts them.")]
pub(super) struct Args {
    /// Leave the terminal that it was started from
    #[arg(long, hide = true)]
    detach: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Ended {
    let workspace = context.team()?;
    refuse_agents(&Client::new(&workspace, &context.around)?, "daemon")?;
    if args.detach {
        // It fails for the leader of a process group, who has no terminal to leave or was started by hand.
        let _ = rustix::process::setsid();
    }
    let browsers = Some(workspace.clone());
    let serve = |listener, calls, reads| server::serve(listener, calls, reads, browsers);
    Ok(start::run(workspace, context.around.clone(), Box::new(serve))?)
}
