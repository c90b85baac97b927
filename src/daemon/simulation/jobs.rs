//! The made-up worker of jobs: what it records and what it finds.

use super::debate_rules::is_being_cleared;
use super::state::{Now, Run};
use super::wrong::Wrong;
use crate::daemon::inbox::News;
use crate::daemon::jobs::order::JobGiven;
use crate::engine::evidence::{Base, Evidence};
use crate::engine::flow::in_tree::WorkSum;
use crate::engine::job::{Found, Job, JobId};
use crate::engine::words::{AgentName, MessageId, Millis};

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
        let JobGiven { id, job, .. } = life.jobs.under_way.swap_remove(at);
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
            (
                job @ (Job::MakeTree { .. }
                | Job::EndTree { .. }
                | Job::LookAtTree { .. }
                | Job::OpenPull { .. }),
                _,
            ) => {
                self.check_end_tree(&id)?;
                self.tree_job(job, fails)
            }
            (Job::MergeBranch(_), JobId::Merge { .. }) => {
                let fits = self.calm || !self.chance.one_in(3);
                self.trace.meet(if fits { "branches merged" } else { "branches that did not fit" });
                match (fails, fits) {
                    (true, _) => Found::NotDone("no git 家".to_owned()),
                    (_, true) => Found::Merged,
                    (_, false) => Found::NotMerged {
                        text: self.flows.text().content,
                        why: "a conflict in 家.rs".to_owned(),
                    },
                }
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

    /// Nobody's worktree is removed while somebody may speak.
    fn check_end_tree(&mut self, id: &JobId) -> Result<(), Wrong> {
        let JobId::EndTree { flow, .. } = id else { return Ok(()) };
        let found = self.engine().and_then(|engine| engine.state().flows.get(flow));
        let is_over = found.is_some_and(|flow| !flow.stage.is_open() && is_being_cleared(flow));
        if !is_over {
            return Err(format!("{id} is asked for too soon: {found:#?}"));
        }
        if !self.deeds.removed.insert(id.clone()) {
            self.trace.meet("worktrees that went after another death");
        }
        Ok(())
    }

    /// What becomes of a worktree.
    fn tree_job(&mut self, job: Job, fails: bool) -> Found {
        let failed = |why: &str| Found::NotDone(why.to_owned());
        match job {
            Job::MakeTree { branch, .. } => {
                self.trace.meet("worktrees made");
                // Whoever is hired to speak is started there, so it must be a folder.
                let is_speech = branch.speech().is_some();
                let path = if is_speech { "/".into() } else { format!("/r/{branch}").into() };
                let base = "c0ffee".into();
                let (head, note) = (format!("{:x}", self.chance.below(3)).into(), None);
                if fails { failed("a conflict in 家.rs") } else { Found::Tree { path, base, head, note } }
            }
            Job::EndTree { .. } => {
                self.trace.meet("worktrees removed");
                if fails { failed("it is locked 家") } else { Found::Removed }
            }
            Job::LookAtTree { until, .. } => {
                self.trace.meet("looks at worktrees");
                let head = until.unwrap_or_else(|| "c0ffee".into());
                let sum = WorkSum { head: Some(head), commits: 1, ..WorkSum::default() };
                if fails { failed("git 襷 is gone") } else { Found::Work { sum, text: "{}".into() } }
            }
            Job::OpenPull { .. } => {
                self.trace.meet("pull requests opened");
                let (number, url) = (7, "https://x/pull/7".into());
                if fails { failed("gh 襷 is not there") } else { Found::Pull { number, url } }
            }
            job => Found::NotDone(format!("{job:?} is none of a worktree")),
        }
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
