//! Checking a claim of a task that expects something: what was there before its first turn is recorded, and its claim is held
//! against that. The claim, what was found, and the turn in which its agent puts it right are events, so no crash skips a check.

use crate::engine::engine::Work;
use crate::engine::event::{Event, Why};
use crate::engine::evidence::{Base, Evidence, KeptClaim};
use crate::engine::input::Effect;
use crate::engine::job::{Found, Job, JobId};
use crate::engine::life::close::Claim;
use crate::engine::life::{Category, CompletionSource, Move};
use crate::engine::message::{Body, Outcome};
use crate::engine::state::{Open, Phase};
use crate::engine::team::lifecycle::PutBack;
use crate::engine::words::{AgentName, MessageId, Millis, counted};

impl Work<'_> {
    /// Whether what was there before has to be recorded before this agent is told of this message; the job is asked for.
    pub(in crate::engine) fn owes_base(&mut self, name: &AgentName, id: &MessageId) -> bool {
        let Some(open) = self.state.open.get(id) else { return false };
        let Some(expect) = open.message.expect.as_deref().cloned() else { return false };
        let folder = open.message.folder.clone();
        // What tries a failed task again is held against what was there before that, but for a command that was put right since.
        let is_as_before = |base: &Base| {
            let command = self.team.command(&expect.command);
            open.turns > 0 || command.is_ok_and(|command| command == base.command)
        };
        if base_of(open).is_some_and(|base| base.agent == *name && is_as_before(base)) {
            return false;
        }
        let job = JobId::Base { message: id.clone(), agent: name.clone() };
        if self.live.jobs.contains(&job) {
            return true;
        }
        match self.team.command(&expect.command) {
            Ok(command) => {
                let (agent, folder) = (name.clone(), folder);
                self.ask_job(job, Job::RecordBase { agent, expect, command, folder });
            }
            Err(refusal) => {
                let cure = refusal.cure();
                self.fail(id, &format!("it cannot be checked: {}; {cure}", refusal.why));
            }
        }
        true
    }

    /// Whether this claim counts only once it was checked.
    pub(in crate::engine) fn is_checked(open: &Open, claim: &Claim) -> bool {
        let by_person = claim.source == CompletionSource::Person;
        let is_checked = open.message.expect.is_some() || open.message.asks_for_plan();
        is_checked && claim.outcome == Outcome::Completed && !by_person
    }

    /// A claim that is to be checked is kept, and the check begins.
    pub(in crate::engine) fn keep_claim(&mut self, id: &MessageId, claim: Claim) {
        let Some(open) = self.state.open.get(id) else { return };
        let made = open.checks.as_deref().map_or(0, |checks| checks.made).saturating_add(1);
        let Claim { source, proven, truncated, body, .. } = claim;
        let (text, metadata) = (body.content, body.extra);
        let claim = Box::new(KeptClaim { source, proven, truncated, text, metadata });
        self.go(id, Move::Claim, Why::Source(source));
        self.emit(Event::Claimed { id: id.clone(), made, claim });
        self.ask_check(id);
    }

    /// Asks for the check of a kept claim.
    fn ask_check(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let Some(checks) = open.checks.as_deref() else { return };
        let job = JobId::Check { message: id.clone(), made: checks.made };
        if open.message.asks_for_plan() {
            let text = checks.claim.as_ref().map(|claim| claim.text.clone());
            let flow = open.message.step.as_deref().and_then(|step| self.state.flows.get(&step.flow));
            let trees = flow.is_some_and(|flow| flow.head.repository.is_some());
            let plan = Job::ReadPlan { text: text.unwrap_or_default(), trees };
            return self.ask_job(job, plan);
        }
        let Some(expect) = open.message.expect.as_deref() else { return };
        match checks.base.clone() {
            Some(base) => {
                let (expect, folder) = (expect.clone(), open.message.folder.clone());
                self.ask_job(job, Job::Check { expect, base, folder });
            }
            None => {
                let why = "nobody recorded what was there before";
                self.fail(id, &format!("its claim cannot be checked: {why}"));
            }
        }
    }

    pub(in crate::engine) fn ask_job(&mut self, id: JobId, job: Job) {
        if self.live.jobs.insert(id.clone()) {
            self.ask(Effect::Job { id, job });
        }
    }

    /// What nobody needs any more ends, if it waits or is under way.
    pub(in crate::engine) fn drop_job(&mut self, id: JobId) {
        if self.live.jobs.remove(&id) {
            self.ask(Effect::DropJob(id));
        }
    }

    /// After a crash: the claims that were being checked are checked again.
    pub(in crate::engine) fn check_again(&mut self) {
        let claimed = self.state.claimed.clone();
        for id in &claimed {
            self.ask_check(id);
        }
    }

    /// A job is done. One that nobody waits for any more changes nothing.
    pub(in crate::engine) fn job_done(&mut self, job: &JobId, found: Found) {
        if !self.live.jobs.remove(job) {
            return;
        }
        match (job, found) {
            (JobId::Base { message, agent }, Found::Base(base)) => {
                // Of those in a pool who are free, one was quicker.
                let waits = |open: &Open| {
                    open.stage.is_queued() && open.agent.as_ref().is_none_or(|name| name == agent)
                };
                if self.state.open.get(message).is_some_and(|open| waits(open)) {
                    self.emit(Event::Based { id: message.clone(), base: Box::new(base) });
                }
                self.touch(agent);
            }
            (JobId::Base { message, .. }, Found::NotDone(why)) => {
                self.fail(message, &format!("what was there before could not be recorded: {why}"));
            }
            (JobId::Check { message, made }, found) => self.checked(message, *made, found),
            (JobId::Tree { flow, tree }, found) => self.tree_done(flow, tree, found),
            (JobId::EndTree { flow, tree }, found) => self.tree_ended(flow, tree, found),
            (JobId::Pull { flow, step, tries }, found) => self.pull_done((flow, step), *tries, found),
            (JobId::Work { flow, step, tries }, found) => self.look_done((flow, step), *tries, found),
            (JobId::Merge { flow, step }, found) => self.merge_done(flow, step, found),
            _ => {}
        }
    }

    /// What a check found: the task ends, or its agent is told what is missing.
    fn checked(&mut self, id: &MessageId, made: u16, found: Found) {
        let Some(open) = self.state.open.get(id).filter(|open| open.stage.category() == Category::Closing)
        else {
            return;
        };
        let Some(claim) = open.checks.as_deref().filter(|checks| checks.made == made) else { return };
        let Some(claim) = claim.claim.clone() else { return };
        let mut plan = None;
        let evidence = match found {
            Found::Checked(evidence) => evidence,
            Found::Plan(found) => {
                let (evidence, found) = self.judge_plan(id, found.map(|plan| *plan));
                plan = found;
                vec![evidence]
            }
            Found::NotDone(why) => vec![self.not_checked(why)],
            Found::Base(_)
            | Found::Tree { .. }
            | Found::Work { .. }
            | Found::Pull { .. }
            | Found::Removed
            | Found::Merged
            | Found::NotMerged { .. }
            | Found::NotGathered(_) => return,
        };
        let missing: Vec<&Evidence> = evidence.iter().filter(|evidence| !evidence.passed).collect();
        let only_broken = !missing.is_empty() && missing.iter().all(|evidence| evidence.broken);
        let why = missing.iter().map(|evidence| evidence.told()).collect::<Vec<_>>().join("; ");
        self.emit(Event::Checked { id: id.clone(), made, evidence: evidence.clone() });
        match () {
            () if why.is_empty() && self.has_parts(id) => {
                self.reopen(id, "parts of it came while its claim was checked".to_owned());
            }
            () if why.is_empty() => {
                if let Some(plan) = plan {
                    self.take_plan(id, plan);
                }
                self.end_checked(id, claim, evidence);
            }
            () if only_broken => self.fail(id, &format!("its claim could not be checked: {why}")),
            () => self.tell_what_failed(id, &why),
        }
    }

    /// It goes on: with its agent, or, where it was claimed when that had something else or was gone, from its queue.
    fn reopen(&mut self, id: &MessageId, why: String) {
        let agent = self.state.open.get(id).and_then(|open| open.agent.as_ref());
        let has_it = agent.is_some_and(|name| self.current_of(name).as_ref() == Some(id));
        let late = Move::Retry { not_before: Millis(0), redelivered: true };
        self.go(id, if has_it { Move::Reopen } else { late }, Why::Text(why));
    }

    fn not_checked(&self, why: String) -> Evidence {
        let check = "the check itself".to_owned();
        Evidence { check, passed: false, broken: true, how: why, at: self.now, ms: 0 }
    }

    /// The evidence is there.
    fn end_checked(&mut self, id: &MessageId, claim: KeptClaim, evidence: Vec<Evidence>) {
        let KeptClaim { source, proven, truncated, text, metadata } = claim;
        let body = Body { content: text, extra: metadata };
        let outcome = Outcome::Completed;
        self.end_claimed(id, Claim { source, proven, outcome, body, truncated, by: None }, evidence);
    }

    /// Its agent gets another turn in which it puts things right, unless it had as many as it may.
    fn tell_what_failed(&mut self, id: &MessageId, why: &str) {
        let Some(open) = self.state.open.get(id) else { return };
        let failed = open.checks.as_deref().map_or(0, |checks| checks.failed.len());
        let most = usize::from(self.team.limits.feedback_max);
        if failed > most {
            let told = match most {
                0 => String::new(),
                most => format!(", and its agent was told so {}", counted(most, "time")),
            };
            return self.fail(id, &format!("a check of its claim failed{told}: {why}"));
        }
        if open.message.deadline.is_some_and(|deadline| deadline <= self.wall) {
            let why = format!("its deadline passed while its claim was checked, and that failed: {why}");
            return self.fail_in_time(id, &why);
        }
        let name = open.agent.clone();
        self.reopen(id, format!("a check failed ({failed} of {}): {why}", most + 1));
        let Some(name) = name else { return };
        // Its agent may have gone meanwhile.
        let is_gone = match self.state.agents.get(&name).map(|agent| &agent.phase) {
            None | Some(Phase::Failed { .. }) => true,
            Some(_) => !self.team.members.contains_key(&name),
        };
        if is_gone {
            self.put_back_of(id, &name, "it is gone, and cannot put its work right", PutBack::Gone);
        }
        self.touch(&name);
    }
}

/// What was there before, if it was recorded.
fn base_of(open: &Open) -> Option<&Base> {
    open.checks.as_deref()?.base.as_ref()
}
