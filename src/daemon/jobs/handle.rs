//! The loop's side of the jobs: those that wait for their turn, and those that are under way.

use crate::daemon::jobs::order::{JobGiven, JobOrder};
use crate::daemon::views::item::Place;
use crate::engine::job::{Job, JobId};
use crate::engine::message::BodyRef;
use crate::engine::words::{AgentName, MessageId, Millis};
use crate::wire::team_file::Settings;
use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;

/// Jobs under way at once: a check is a build as a rule, and takes every core that it can have.
pub const JOBS_MAX: usize = 4;
/// Of these, such for which nobody waits: where many tasks end together, the next ones get their worktrees before anybody looks at
/// what was done in the last ones.
const IDLE_MAX: usize = JOBS_MAX / 2;

/// Jobs that wait and that are under way. As many may wait as there are open tasks.
#[derive(Debug)]
pub struct JobsHandle {
    orders: mpsc::Sender<JobOrder>,
    waiting: VecDeque<(JobId, Job)>,
    under_way: BTreeSet<JobId>,
}

impl JobsHandle {
    /// Nothing waits yet.
    #[must_use]
    pub fn new(orders: mpsc::Sender<JobOrder>) -> Self {
        Self { orders, waiting: VecDeque::new(), under_way: BTreeSet::new() }
    }

    /// This is to be done, unless it waits already or is under way.
    pub fn put(&mut self, id: JobId, job: Job) {
        if !self.under_way.contains(&id) && self.waiting.iter().all(|(waiting, _)| *waiting != id) {
            self.waiting.push_back((id, job));
        }
    }

    /// It is done.
    pub fn done(&mut self, id: &JobId) {
        self.under_way.remove(id);
    }

    /// Nobody wants the jobs of this message any more.
    pub fn forget(&mut self, message: &MessageId) {
        self.forget_all(|id| id.message() == Some(message));
    }

    /// Nobody wants this job any more.
    pub fn forget_job(&mut self, job: &JobId) {
        self.forget_all(|id| id == job);
    }

    fn forget_all(&mut self, is_meant: impl Fn(&JobId) -> bool) {
        self.waiting.retain(|(id, _)| !is_meant(id));
        let orders = &self.orders;
        self.under_way.retain(|id| {
            let is_kept = !is_meant(id);
            // Where there is no place for the order, it runs to its end, and nobody hears of it.
            is_kept || orders.try_send(JobOrder::Drop(id.clone())).is_err()
        });
    }

    /// Removes the records that nobody names. Where there is no place for the order, the next one does it.
    pub fn forget_records(&mut self, named: BTreeSet<String>, before: Millis) {
        let _ = self.orders.try_send(JobOrder::Forget { named, before });
    }

    /// The place of the next one that may begin: the oldest of those that somebody waits for, or else the oldest.
    fn next(&self) -> Option<usize> {
        if self.under_way.len() >= JOBS_MAX {
            return None;
        }
        let wanted = self.waiting.iter().position(|(id, _)| id.is_waited_for());
        let idle = self.under_way.iter().filter(|id| !id.is_waited_for()).count();
        let may_begin =
            |(id, _): &(JobId, Job)| id.follows().is_none_or(|before| !self.under_way.contains(&before));
        wanted.or_else(|| self.waiting.iter().position(may_begin).filter(|_| idle < IDLE_MAX))
    }

    /// Begins as many as may run at once; `cwd` is the folder in which an agent works, if there is such an agent, and `place` is
    /// where a text stands.
    pub fn submit(
        &mut self,
        settings: &Settings,
        cwd: impl Fn(&AgentName) -> Option<PathBuf>,
        place: impl Fn(BodyRef) -> Option<Place>,
    ) {
        while let Some(at) = self.next()
            && let Some((id, job)) = self.waiting.remove(at)
        {
            let folder = job.folder().map(|folder| PathBuf::from(&**folder));
            let cwd = folder.or_else(|| job.agent().and_then(&cwd));
            let given = JobGiven {
                id: id.clone(),
                cwd,
                text: job.text().and_then(&place),
                command_limit: Duration::from_millis(settings.general.check_timeout_ms),
                variables: settings.general.check_env.clone(),
                setup: settings.setup.clone(),
                job: job.clone(),
            };
            if self.orders.try_send(JobOrder::Do(Box::new(given))).is_err() {
                return self.waiting.push_front((id, job));
            }
            self.under_way.insert(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::flow::id::FlowId;
    use crate::engine::flow::name::StepName;
    use std::sync::Arc;

    #[test]
    fn a_worktree_that_is_being_made_is_removed_after_that() {
        let (orders, _inbox) = mpsc::channel(JOBS_MAX);
        let mut jobs = JobsHandle::new(orders);
        let flow = FlowId::new("a1b2c3d4-e5f6-4890-abcd-ef1234567890").unwrap();
        let tree = |n| JobId::Tree { flow: flow.clone(), tree: StepName::numbered(n) };
        let end = |n| JobId::EndTree { flow: flow.clone(), tree: StepName::numbered(n) };
        let job = || Job::ReadPlan { text: Arc::from(""), trees: false };
        jobs.under_way.insert(tree(1));
        jobs.put(end(1), job());
        assert_eq!(jobs.next(), None);
        jobs.put(end(2), job());
        assert_eq!(jobs.next(), Some(1));
        jobs.done(&tree(1));
        assert_eq!(jobs.next(), Some(0));
    }

    #[test]
    fn what_somebody_waits_for_goes_before_what_nobody_does() {
        let (orders, _inbox) = mpsc::channel(JOBS_MAX);
        let mut jobs = JobsHandle::new(orders);
        let flow = FlowId::new("a1b2c3d4-e5f6-4890-abcd-ef1234567890").unwrap();
        let step = StepName::numbered;
        let look = |n| JobId::Work { flow: flow.clone(), step: step(n), tries: 1 };
        let tree = |n| JobId::Tree { flow: flow.clone(), tree: step(n) };
        let job = || Job::ReadPlan { text: Arc::from(""), trees: false };
        (1..=4).for_each(|n| jobs.put(look(n), job()));
        (5..=6).for_each(|n| jobs.put(tree(n), job()));
        let mut begun = Vec::new();
        while let Some(at) = jobs.next() {
            let (id, _) = jobs.waiting.remove(at).unwrap();
            jobs.under_way.insert(id.clone());
            begun.push(id);
        }
        assert_eq!(begun, [tree(5), tree(6), look(1), look(2)]);
        jobs.done(&tree(5));
        assert_eq!(jobs.next(), None, "two places are kept for what is waited for");
        jobs.put(tree(7), job());
        assert_eq!(jobs.next(), Some(2));
    }
}
