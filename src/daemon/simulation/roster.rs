//! What people were told of agents that they hired and dismissed: it is in the journal from then on.

use super::told::JournalSays;
use super::wrong::Wrong;
use crate::daemon::clients::request::Response;
use crate::engine::input::{Command, Reply};
use crate::engine::words::AgentName;
use std::collections::BTreeMap;

/// What they were told, and how often.
#[derive(Debug, Default)]
pub(super) struct RosterTold {
    hired: BTreeMap<AgentName, u32>,
    dismissed: BTreeMap<AgentName, u32>,
}

impl RosterTold {
    /// Somebody was told this; what kind of thing it was.
    pub(super) fn take(&mut self, command: &Command, response: &Response) -> Option<&'static str> {
        let is_done = matches!(response, Response::Reply(Reply::Done { .. }));
        match command {
            Command::Hire(_) if !is_done => Some("hires refused"),
            Command::Hire(hire) => {
                *self.hired.entry(hire.name.clone()).or_default() += 1;
                Some("agents hired")
            }
            Command::Dismiss(name) if is_done => {
                *self.dismissed.entry(name.clone()).or_default() += 1;
                Some("agents dismissed")
            }
            _ => None,
        }
    }

    /// Holds that against what the journal tells in the end.
    ///
    /// # Errors
    /// The first that is not so.
    pub(super) fn check(&self, told: &JournalSays) -> Result<(), Wrong> {
        for (what, promised, kept) in
            [("hired", &self.hired, &told.hired), ("dismissed", &self.dismissed, &told.dismissed)]
        {
            for (name, times) in promised {
                let kept = kept.get(name).copied().unwrap_or_default();
                if kept < *times {
                    return Err(format!(
                        "{times} callers were told that {name} is {what}; it was {kept} times"
                    ));
                }
            }
        }
        Ok(())
    }
}
