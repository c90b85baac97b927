//! The made-up worker of jobs, and what must hold of checks: whatever dies, no task that expects something is typed before what
//! was there was recorded, and none is completed whose newest claim was not checked and found to be good.

use super::state::{Now, Run};
use super::told::JournalSays;
use super::wrong::Wrong;
use crate::daemon::inbox::News;
use crate::daemon::jobs::handle::JOBS_MAX;
use crate::daemon::jobs::order::{Given, JobOrder};
use crate::engine::evidence::{Base, Evidence};
use crate::engine::job::{Found, Job, JobId};
use crate::engine::life::CompletionSource;
use crate::engine::message::Outcome;
use crate::engine::words::{AgentName, MessageId, Millis};
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::mpsc;

/// What tasks of the made-up people expect.
pub(super) const EXPECTED: &str = "expect: {files: [made.md]}\n";
/// A task has at most so many claims checked: the first, and one for each turn in which its agent is told what was missing.
const CHECKS_MAX: usize = 4;

/// The jobs of one life of the daemon.
pub(super) struct Jobs {
    orders: mpsc::Receiver<JobOrder>,
    under_way: Vec<Given>,
}

/// What is there outside, whichever daemon lives.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    /// Tasks of which an agent has really made what is expected.
    pub(super) made: BTreeSet<MessageId>,
    /// What was recorded: of which task, and for whom.
    based: BTreeSet<(MessageId, AgentName)>,
    /// What each check found, as often as it was made.
    found: BTreeMap<(MessageId, u16), BTreeSet<bool>>,
}

impl Jobs {
    pub(super) fn new(orders: mpsc::Receiver<JobOrder>) -> Self {
        Self { orders, under_way: Vec::new() }
    }

    /// Takes what it was told.
    fn hear(&mut self) -> Result<(), Wrong> {
        while let Ok(order) = self.orders.try_recv() {
            match order {
                JobOrder::Do(given) => self.under_way.push(*given),
                JobOrder::Drop(id) => self.under_way.retain(|given| given.id != id),
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

impl Run {
    /// A job comes to its end; whether there was one.
    pub(super) fn jobs_work(&mut self) -> Result<bool, Wrong> {
        let Now::Alive(life) = &mut self.now else { return Ok(false) };
        life.jobs.hear()?;
        let count = life.jobs.under_way.len();
        if count == 0 {
            return Ok(false);
        }
        let at = usize::try_from(self.chance.below(count as u64)).unwrap_or(0);
        let now = life.daemon.timers.clock.now();
        let Given { id, job, .. } = life.jobs.under_way.swap_remove(at);
        let news = life.news.clone();
        let fails = !self.calm && self.chance.one_in(20);
        self.tell(&format!("a job is done: {id}"));
        let found = match (job, &id) {
            _ if fails && self.chance.one_in(4) => Found::NotDone("the disk is full".to_owned()),
            (Job::RecordBase { agent, command, .. }, JobId::Base { message, .. }) => {
                self.trace.meet("bases recorded");
                self.deeds.based.insert((message.clone(), agent.clone()));
                let commit = Some("c0ffee".to_owned());
                Found::Base(Base { agent, at: now, commit, log_bytes: 1, command, record: None })
            }
            (Job::Check { .. }, JobId::Check { message, made }) => self.found(message, *made, fails, now),
            (job, id) => return Err(format!("{id} is not {job:?}")),
        };
        // What it did may be known to nobody.
        if !self.calm && self.chance.one_in(15) {
            self.trace.meet("deaths after a job");
            self.crash();
            return Ok(true);
        }
        if news.try_send(News::Job { id, found }).is_err() {
            return Err("there is no room for what came of a job".to_owned());
        }
        Ok(true)
    }

    fn found(&mut self, message: &MessageId, made: u16, broken: bool, at: Millis) -> Found {
        let passed = self.deeds.made.contains(message) && !broken;
        self.trace.meet(if passed { "checks that passed" } else { "checks that failed" });
        self.deeds.found.entry((message.clone(), made)).or_default().insert(passed);
        let how = if passed { "made.md is there" } else { "made.md 襷 is missing\nno more" }.to_owned();
        Found::Checked(vec![Evidence { check: "file made.md".to_owned(), passed, broken, how, at, ms: 7 }])
    }

    /// An agent works on a task: it makes what is expected, or only says so.
    pub(super) fn makes_it(&mut self, id: &MessageId) {
        let is_made = if self.obliging { true } else { self.chance.one_in(2) };
        if is_made {
            self.deeds.made.insert(id.clone());
        }
    }

    /// A turn was typed to somebody: what was there before is recorded.
    pub(super) fn check_base(&self, id: &MessageId, who: &AgentName) -> Result<(), Wrong> {
        let open = self.engine().and_then(|engine| engine.state().open.get(id));
        let expects = open.is_some_and(|open| open.message.expect.is_some());
        if expects && !self.deeds.based.contains(&(id.clone(), who.clone())) {
            return Err(format!("{id} is typed to {who}, and what was there before was not recorded"));
        }
        Ok(())
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
