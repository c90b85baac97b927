//! Who the agent of a worker is, and how its program is started, typed to and read.

use super::mask::Mask;
use super::program::key_named;
use super::provision::Provision;
use crate::daemon::panes::orders::{Launched, Launches};
use crate::engine::screen::reading::{ChoiceRules, Rules};
use crate::engine::words::AgentName;
use crate::io::mux::{Key, Rows};
use crate::wire::team_file::{Launch, Profile};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The agent of a launch.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) launched: Launched,
    pub(super) launch: Arc<Launch>,
    /// What `launch` became, once the settings have changed.
    pub(super) launches: watch::Receiver<Launches>,
    pub(super) provision: Provision,
    pub(super) mask: Mask,
}

impl Agent {
    pub(super) fn name(&self) -> &AgentName {
        &self.launched.agent
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.launch.profile
    }

    /// Whether its window was there before this daemon.
    pub(super) fn is_adopted(&self) -> bool {
        self.launched.adopt.is_some()
    }

    /// Goes by its profile as it is now; whether it has one.
    pub(super) fn follow(&mut self) -> bool {
        let launch = self.launches.borrow_and_update().get(&self.launched.agent).cloned();
        launch.is_some_and(|launch| {
            self.launch = launch;
            true
        })
    }

    /// The rules for its screens; none if it has no input box of its own.
    pub(super) fn rules(&self) -> Option<&Rules> {
        self.launch.profile.screen.as_deref()
    }

    pub(super) fn choice_rules(&self) -> Option<&ChoiceRules> {
        self.rules().and_then(|rules| rules.choices.as_ref())
    }

    /// Whether its program has no input box of its own: then the line of the cursor is its input.
    pub(super) fn is_plain(&self) -> bool {
        self.launch.profile.screen.is_none()
    }

    /// How rows are asked for: a program with an input box wraps its own text, and its box is found by rows.
    pub(super) fn rows(&self) -> Rows {
        if self.is_plain() { Rows::Joined } else { Rows::AsShown }
    }

    /// How long a pane must have been silent for a claim to count.
    pub(super) fn quiet(&self) -> Duration {
        Duration::from_millis(self.launch.profile.quiet_ms)
    }

    pub(super) fn clear_key(&self) -> Option<Key> {
        self.launch.profile.clear_key.as_deref().and_then(key_named)
    }
}
