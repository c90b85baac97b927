//! What is there outside of the made-up worker of jobs, and what must hold of checks: whatever dies, no task that expects something
//! is typed before what was there was recorded, and none is completed whose newest claim was not checked and found to be good.

use super::told::JournalSays;
use super::wrong::Wrong;
use crate::daemon::jobs::handle::JOBS_MAX;
use crate::daemon::jobs::order::{JobGiven, JobOrder};
use crate::engine::job::JobId;
use crate::engine::life::CompletionSource;
use crate::engine::message::Outcome;
use crate::engine::words::{AgentName, MessageId};
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::mpsc;

/// What tasks of the made-up people expect.
pub(super) const EXPECTED: &str = "expect: {files: [made.md]}\n";
/// A task has at most so many claims checked: the first, and one for each turn in which its agent is told what was missing.
const CHECKS_MAX: usize = 4;

/// The jobs of one life of the daemon.
pub(super) struct Jobs {
    orders: mpsc::Receiver<JobOrder>,
    pub(super) under_way: Vec<JobGiven>,
}

/// What is there outside, whichever daemon lives.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    /// Tasks of which an agent has really made what is expected.
    pub(super) made: BTreeSet<MessageId>,
    /// What was recorded: of which task, and for whom.
    pub(super) based: BTreeSet<(MessageId, AgentName)>,
    /// What each check found, as often as it was made.
    pub(super) found: BTreeMap<(MessageId, u16), BTreeSet<bool>>,
    /// The removals of worktrees that were done once, be that known or not.
    pub(super) removed: BTreeSet<JobId>,
}

impl Jobs {
    pub(super) fn new(orders: mpsc::Receiver<JobOrder>) -> Self {
        Self { orders, under_way: Vec::new() }
    }

    /// Takes what it was told.
    pub(super) fn hear(&mut self) -> Result<(), Wrong> {
        while let Ok(order) = self.orders.try_recv() {
            match order {
                JobOrder::Do(given) => self.under_way.push(*given),
                JobOrder::Drop(id) => self.under_way.retain(|given| given.id != id),
                JobOrder::Forget { .. } => {}
            }
        }
        let ids: BTreeSet<&JobId> = self.under_way.iter().map(|given| &given.id).collect();
        match self.under_way.len() {
            count if count > JOBS_MAX => Err(format!("{count} jobs at once")),
            count if count > ids.len() => Err("one job twice at once".to_owned()),
            _ => Ok(()),
        }
    }
}

impl Deeds {
    /// Holds what was found against what the journal tells in the end.
    pub(super) fn check(&self, told: &JournalSays) -> Result<(), Wrong> {
        for (id, all) in &told.checks {
            for (made, passed) in all {
                let found = self.found.get(&(id.clone(), *made));
                if *passed && !found.is_some_and(|found| found.contains(&true)) {
                    return Err(format!("claim {made} of {id} is said to have passed, and it never did"));
                }
            }
            let failed = all.iter().filter(|(_, passed)| !passed).count();
            if failed > CHECKS_MAX {
                return Err(format!("{failed} claims of {id} failed their check: {all:?}"));
            }
        }
        for (id, ends) in &told.ended {
            let message = told.accepted.get(id).and_then(|all| all.first());
            let expects = message.is_some_and(|message| message.expect.is_some());
            let Some(end) = ends.first().filter(|end| expects && end.outcome == Outcome::Completed) else {
                continue;
            };
            let answer = end.answer.as_ref().ok_or("it has no answer")?;
            if answer.source == Some(CompletionSource::Person) {
                continue;
            }
            let newest = told.checks.get(id).and_then(|all| all.last());
            let is_told = !answer.evidence.is_empty() && answer.evidence.iter().all(|found| found.passed);
            if !self.made.contains(id) || !is_told || newest.is_none_or(|(_, passed)| !passed) {
                return Err(format!("{id} is completed, and its newest check is {newest:?}"));
            }
        }
        Ok(())
    }
}
