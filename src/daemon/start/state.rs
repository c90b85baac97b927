//! What the daemon keeps while its incarnations come and go.

use crate::daemon::clients::published::Published;
use crate::daemon::clients::request::Call;
use crate::daemon::ground::Ground;
use crate::daemon::health::service_notifier::ServiceNotifier;
use crate::daemon::notify::NotifyHandle;
use crate::daemon::start::unavailable::Unavailable;
use crate::daemon::tmux::pulse::PulseHandle;
use crate::io::clock::Clock;
use crate::io::mux::Server;
use crate::io::workspace::{Surroundings, Workspace};
use tokio::sync::mpsc;

/// What the daemon keeps over its lives.
pub(in crate::daemon) struct Process {
    pub(in crate::daemon) workspace: Workspace,
    pub(in crate::daemon) around: Surroundings,
    pub(in crate::daemon) clock: Clock,
    pub(in crate::daemon) boot: String,
    pub(in crate::daemon) calls: mpsc::Receiver<Call>,
    /// What callers are told between two lives.
    pub(in crate::daemon) unavailable: Unavailable,
    /// What it is on; a simulation is on nothing.
    pub(in crate::daemon) ground: Option<Ground>,
    pub(in crate::daemon) socket: std::path::PathBuf,
    /// Where the agents live. It stays the same while the daemon runs, whatever becomes of the team file: they could not
    /// be moved, and would be left behind.
    pub(in crate::daemon) server: Server,
    /// The way to the service manager.
    pub(in crate::daemon) notifier: ServiceNotifier,
    /// What is said to whoever looks.
    pub(in crate::daemon) published: Published,
    /// The worker that tells the user's command.
    pub(in crate::daemon) notify: NotifyHandle,
    /// What the status line of the agents' session shows.
    pub(in crate::daemon) pulse: PulseHandle,
}

impl Process {
    /// For a while nothing is done, and this is why: to callers, and to whoever looks.
    pub(in crate::daemon) fn is_away(&mut self, why: &dyn std::fmt::Display) {
        let why = format!("the daemon restarts: {why}");
        self.unavailable.why.clone_from(&why);
        self.published.live.send_modify(|live| {
            // The next life says its own.
            live.notes = vec![format!("{why}; drops stay in queue/ meanwhile")];
            live.version += 1;
        });
    }
}
