//! What the loop owns.

use crate::daemon::clients::handle::ClientsHandle;
use crate::daemon::ending::Ending;
use crate::daemon::health::HealthHandle;
use crate::daemon::inbox::Inbox;
use crate::daemon::jobs::handle::JobsHandle;
use crate::daemon::journal::handle::JournalHandle;
use crate::daemon::mailbox::handle::MailboxHandle;
use crate::daemon::panes::handle::PanesHandle;
use crate::daemon::roster::RosterHandle;
use crate::daemon::timers::Timers;
use crate::daemon::views::handle::ViewsHandle;
use crate::engine::engine::Engine;
use crate::engine::words::Millis;
use crate::io::workspace::Workspace;
use crate::wire::team_file::Settings;
use std::sync::Arc;

/// Everything the loop owns: the engine, and a handle for each subject.
#[derive(Debug)]
pub struct Daemon {
    pub(in crate::daemon) config: Config,
    pub(in crate::daemon) timers: Timers,
    pub(in crate::daemon) engine: Engine,
    pub(in crate::daemon) journal: JournalHandle,
    pub(in crate::daemon) views: ViewsHandle,
    pub(in crate::daemon) mailbox: MailboxHandle,
    pub(in crate::daemon) panes: PanesHandle,
    pub(in crate::daemon) jobs: JobsHandle,
    pub(in crate::daemon) clients: ClientsHandle,
    pub(in crate::daemon) health: HealthHandle,
    pub(in crate::daemon) inbox: Inbox,
    /// Set when the loop is to end.
    pub(in crate::daemon) ending: Option<Ending>,
}

/// What the daemon runs with.
#[derive(Debug)]
pub(in crate::daemon) struct Config {
    pub(in crate::daemon) workspace: Workspace,
    /// The team file, as it was read last.
    pub(in crate::daemon) settings: Arc<Settings>,
    /// How those are started that are not in it.
    pub(in crate::daemon) roster: RosterHandle,
    /// Where it listens.
    pub(in crate::daemon) socket: String,
    /// Since when it runs, by the wall clock.
    pub(in crate::daemon) started_at: Millis,
}
