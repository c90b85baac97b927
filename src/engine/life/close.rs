//! How a message ends: claims, answers, failures, cancellation. Each ends exactly once, and what hangs on it with it.

use super::interrupt::BreakOff;
use super::said::{CLAIMED, SAID, Said};
use crate::engine::engine::Work;
use crate::engine::event::{Answer, Event, Why};
use crate::engine::evidence::{Checks, Evidence};
use crate::engine::flow::cause::FailureCause;
use crate::engine::input::Effect;
use crate::engine::life::{Category, CompletionSource, Move};
use crate::engine::message::admission::{Route, accepted};
use crate::engine::message::part_answer::PartAnswer;
use crate::engine::message::seldom::Seldom;
use crate::engine::message::sender::Speaker;
use crate::engine::message::{Body, BodyRef, Draft, Kind, Message, OnDoubt, Outcome, Status};
use crate::engine::screen::answer::{ANSWER_BYTES_MAX, kept_within};
use crate::engine::words::{AgentName, Digest, MessageId, Millis, ourselves};
use std::collections::VecDeque;
use std::sync::Arc;

/// Digest of a message of tasuki's own making: no draft has it, so none passes for a duplicate of one.
pub(in crate::engine) const OWN_DIGEST: Digest = Digest(0);

/// What was reported done, and by what.
pub(in crate::engine) struct Claim {
    pub(in crate::engine) source: CompletionSource,
    /// Whether the token of its turn was shown, or its agent's key.
    pub(in crate::engine) proven: bool,
    pub(in crate::engine) outcome: Outcome,
    pub(in crate::engine) body: Body,
    pub(in crate::engine) truncated: bool,
    /// The message that brought it, which then is the answer.
    pub(in crate::engine) by: Option<MessageId>,
}

/// A message that is to end without having been done.
struct Doomed {
    id: MessageId,
    outcome: Outcome,
    why: String,
    /// What it met, if that is known.
    cause: Option<FailureCause>,
    break_off: BreakOff,
}

impl Work<'_> {
    /// An agent's pane shows that the turn is over and done.
    pub(in crate::engine) fn claimed(
        &mut self,
        id: &MessageId,
        source: CompletionSource,
        text: &Arc<str>,
        truncated: bool,
    ) {
        let Some(open) = self.state.open.get(id) else { return };
        let token = open.stage.turn().and_then(|turn| turn.token);
        let put_back = open.stage.is_queued();
        if open.message.kind != Kind::Task || (put_back && token.is_none()) {
            return; // a phrase alone does not say which try it ends
        }
        let turn = open.stage.turn().map_or(0, |turn| turn.number);
        let (content, truncated) = Said::with(open.said.as_deref(), turn, text, truncated);
        let body = Body { content, extra: "".into() };
        let proven = matches!(source, CompletionSource::Marker | CompletionSource::Hook) && token.is_some();
        self.claim(id, Claim { source, proven, outcome: Outcome::Completed, body, truncated, by: None });
    }

    /// A claim with a valid proof: the task rests while parts of it are open, else it is closed.
    pub(in crate::engine) fn claim(&mut self, id: &MessageId, claim: Claim) {
        let by_person = claim.source == CompletionSource::Person;
        if claim.outcome == Outcome::Completed && !by_person && self.state.claimed.contains(id) {
            return; // the first claim of the turn is being checked
        }
        if claim.outcome == Outcome::Completed && self.has_parts(id) {
            self.keep_early(id, &claim);
            return self.rest(id);
        }
        let Some(open) = self.state.open.get(id) else { return };
        let mut claim = claim;
        if claim.body.content.trim().is_empty() {
            let early = open.said.as_deref().map(|said| (said.early.clone(), false));
            let early = early.filter(|(early, _)| !early.is_empty());
            // Whoever put right what a check missed often says no more than that.
            let earlier = || open.checks.as_deref().and_then(Checks::claimed);
            if let Some((text, truncated)) = early.or_else(earlier) {
                (claim.body.content, claim.truncated) = (text, truncated);
            }
        }
        let (is_checked, is_claimed) =
            (Self::is_checked(open, &claim), open.stage.category() == Category::Closing);
        self.unwatch(id, false);
        if is_checked {
            return self.keep_claim(id, claim);
        }
        if !is_claimed {
            self.go(id, Move::Claim, Why::Source(claim.source));
        }
        self.end_claimed(id, claim, Vec::new());
    }

    /// The evidence of a claim is there, or none is asked for: its task ends.
    pub(in crate::engine) fn end_claimed(&mut self, id: &MessageId, claim: Claim, evidence: Vec<Evidence>) {
        let Some(open) = self.state.open.get(id) else { return };
        let from = open.agent.clone().unwrap_or_else(|| open.message.to.clone());
        self.go(id, Move::Verify, Why::Source(claim.source));
        let answer = Answer {
            id: claim.by.unwrap_or_else(|| self.mint_id()),
            kind: if claim.outcome == Outcome::Completed { Kind::Result } else { Kind::Error },
            from,
            body: claim.body,
            source: Some(claim.source),
            weak: !claim.proven,
            truncated: claim.truncated,
            evidence,
            at: self.now,
        };
        let dependants = self.end(id, claim.outcome, Some(answer), (None, None));
        let mut doomed = failed_with(id, dependants);
        doomed.extend(self.parts_ended_with(id, claim.outcome, BreakOff::Parts));
        self.end_all(doomed);
    }

    /// An answer in so many words is not lost because parts are open: it counts where nothing else is said in the end.
    fn keep_early(&mut self, id: &MessageId, claim: &Claim) {
        let text = claim.body.content.clone();
        let open = self.state.open.get(id);
        let is_known = open.and_then(|open| open.said.as_deref()).is_some_and(|said| said.early == text);
        if claim.source == CompletionSource::Reply && !text.trim().is_empty() && !is_known {
            self.emit(Event::Said { id: id.clone(), turn: 0, text, truncated: false, notice: false });
        }
    }

    /// Its turn is over, and parts of it are open or their answers unread. One that was put back keeps its place in the
    /// queue unless its agent is free: it reads the answers in its next turn.
    fn rest(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let goes_on = match open.stage.category() {
            Category::Waiting => false,
            Category::Queued | Category::Held => self.may_go_on(id),
            Category::UnderWay | Category::Closing | Category::Ended => true,
        };
        if goes_on {
            let why = match self.state.open_parts(id) {
                0 => "its turn is over; there are answers to read".to_owned(),
                1 => "its turn is over; 1 part is open".to_owned(),
                parts => format!("its turn is over; {parts} parts are open"),
            };
            self.unwatch(id, false);
            self.go(id, Move::Rest, Why::Text(why));
        }
    }

    /// Whether parts of a task are open, or answers to it unread.
    pub(in crate::engine) fn has_parts(&self, id: &MessageId) -> bool {
        let unread = self.state.open.get(id).is_some_and(|open| !open.unread.is_empty());
        unread || self.state.open_parts(id) > 0
    }

    /// A dropped result or error closes the task that it answers, and is the answer that its sender gets.
    pub(in crate::engine) fn close_by_drop(
        &mut self,
        mut draft: Draft,
        by: Speaker,
        task: &MessageId,
        name: Option<Arc<str>>,
    ) {
        let Speaker { name: from, verified, inferred, .. } = by;
        let failed = draft.kind == Kind::Error || draft.status == Status::Failed;
        let outcome = if failed { Outcome::Failed } else { Outcome::Completed };
        let (id, body) = (draft.id.clone(), draft.body.clone());
        draft.in_reply_to = Some(task.clone()); // its token may have said so alone
        (draft.deadline, draft.depends_on) = (None, Vec::new()); // an answer waits for nothing and is never too late
        let open = self.state.open.get(task);
        let to = open.map_or_else(AgentName::user, |open| open.message.from.clone());
        let is_told = open.is_some_and(|open| self.is_told(&open.message));
        self.emit(accepted(draft, self.now, Route { from, to, verified, inferred }, name));
        let source = CompletionSource::Reply;
        let by = Some(id.clone());
        self.claim(task, Claim { source, proven: verified, outcome, body, truncated: false, by });
        if !is_told || self.state.open.contains_key(task) {
            self.complete(&id);
        }
    }

    /// A message that asks for nothing is done.
    pub(in crate::engine) fn complete(&mut self, id: &MessageId) {
        self.end(id, Outcome::Completed, None, (None, None));
    }

    /// A message cannot be done: its sender is told.
    pub(in crate::engine) fn fail(&mut self, id: &MessageId, why: &str) {
        self.fail_by(id, why, None);
    }

    /// The same, and what it met.
    pub(in crate::engine) fn fail_by(&mut self, id: &MessageId, why: &str, cause: Option<FailureCause>) {
        self.doom(id, (Outcome::Failed, cause), why, BreakOff::Parts);
    }

    /// The time of a message is up: its sender is told, and what its agent makes of it would be of no use.
    pub(in crate::engine) fn fail_in_time(&mut self, id: &MessageId, why: &str) {
        self.doom(id, (Outcome::Failed, Some(FailureCause::TimedOut)), why, BreakOff::All);
    }

    /// A message is called off, and its open parts with it.
    pub(in crate::engine) fn cancel(&mut self, id: &MessageId, why: &str, break_off: BreakOff) {
        self.doom(id, (Outcome::Cancelled, None), why, break_off);
    }

    fn doom(
        &mut self,
        id: &MessageId,
        (outcome, cause): (Outcome, Option<FailureCause>),
        why: &str,
        break_off: BreakOff,
    ) {
        let (id, why) = (id.clone(), why.to_owned());
        self.end_all(VecDeque::from([Doomed { id, outcome, why, cause, break_off }]));
    }

    /// The open parts of a message are called off.
    pub(in crate::engine) fn cancel_parts(&mut self, id: &MessageId, why: &str) {
        self.end_all(self.parts_doomed(id, why.to_owned(), BreakOff::Parts).collect());
    }

    /// The open parts of a message that ended without having been done: nobody would read what came of them.
    fn parts_ended_with(
        &self,
        id: &MessageId,
        outcome: Outcome,
        break_off: BreakOff,
    ) -> impl Iterator<Item = Doomed> {
        let ended = if outcome == Outcome::Cancelled { "was cancelled" } else { "failed" };
        self.parts_doomed(id, format!("{id}, of which it was a part, {ended}"), break_off)
    }

    fn parts_doomed(&self, id: &MessageId, why: String, whole: BreakOff) -> impl Iterator<Item = Doomed> {
        let (outcome, break_off) = (Outcome::Cancelled, whole.of_parts());
        let parts = self.state.parts.get(id).into_iter().flatten();
        parts.map(move |part| Doomed { id: part.clone(), outcome, why: why.clone(), cause: None, break_off })
    }

    /// Ends messages that were not done, their parts, and all that depends on any of them. A chain may be as long as there
    /// are messages, so this is a loop.
    fn end_all(&mut self, mut doomed: VecDeque<Doomed>) {
        while let Some(Doomed { id, outcome, why, cause, break_off }) = doomed.pop_front() {
            doomed.extend(self.parts_ended_with(&id, outcome, break_off));
            let Some(open) = self.state.open.get(&id) else { continue };
            let asks = open.message.kind == Kind::Task;
            let said = open.said.as_deref().map(Said::whole).filter(|(said, _)| !said.trim().is_empty());
            let checks = open.checks.as_deref();
            let evidence = checks.map_or(Vec::new(), |checks| checks.newest().to_vec());
            let claimed = checks.and_then(Checks::claimed).map(|claimed| (CLAIMED, claimed));
            let said = said.map(|said| (SAID, said)).or(claimed);
            let answer = asks.then(|| Answer { evidence, ..self.own_answer(&why, said) });
            if break_off == BreakOff::All {
                self.break_off(&id)
            } else {
                self.unwatch(&id, true);
                self.may_go_on_with(&id);
            }
            let dependants = self.end(&id, outcome, answer, (Some(&why), cause));
            doomed.extend(failed_with(&id, dependants));
        }
    }

    /// The error of a task that nobody answered. What its agent had said in turns that it did not claim is not lost with it.
    fn own_answer(&mut self, why: &str, said: Option<(&str, (Arc<str>, bool))>) -> Answer {
        let (content, truncated) = match said {
            None => (why.to_owned(), false),
            Some((head, (said, truncated))) => {
                let (said, cut) = kept_within(&said, ANSWER_BYTES_MAX.saturating_sub(why.len() + head.len()));
                (format!("{why}{head}{said}"), truncated || cut)
            }
        };
        Answer {
            id: self.mint_id(),
            kind: Kind::Error,
            from: ourselves(),
            body: Body { content: content.into(), extra: "".into() },
            source: None,
            weak: false,
            truncated,
            evidence: Vec::new(),
            at: self.now,
        }
    }

    /// The one door out of a message's life. Returns what depends on it and so can never begin.
    fn end(
        &mut self,
        id: &MessageId,
        outcome: Outcome,
        answer: Option<Answer>,
        (why, cause): (Option<&str>, Option<FailureCause>),
    ) -> Vec<MessageId> {
        let Some(open) = self.state.open.get(id) else { return Vec::new() };
        let message = open.message.clone();
        let no_plan = self.why_no_plan(id, why);
        let answered = |name: &AgentName| answer.as_ref().is_some_and(|answer| answer.from == *name);
        let served = |name: &AgentName| outcome == Outcome::Completed || answered(name);
        if let Some(name) = open.agent.clone().filter(served) {
            self.acquit(&name);
            self.live.served.insert(name);
        }
        let dependants: Vec<MessageId> =
            self.state.dependants.get(id).into_iter().flatten().cloned().collect();
        if message.expect.is_some() || message.asks_for_plan() {
            self.live.jobs.retain(|job| job.message() != Some(id));
            self.ask(Effect::DropJobs(id.clone()));
        }
        let source = answer.as_ref().and_then(|answer| answer.source);
        self.emit(Event::Ended {
            id: id.clone(),
            outcome,
            answer: answer.clone().map(Box::new),
            why: why.map(str::to_owned),
        });
        if let Some(step) = message.step.as_deref() {
            self.step_ended(step, id, (source, no_plan.as_deref(), cause));
        }
        if let Some(answer) = answer.filter(|_| self.is_told(&message)) {
            self.tell_sender(&message, answer);
        }
        if outcome != Outcome::Completed {
            return dependants;
        }
        for dependant in dependants {
            if let Some(queue) = self.state.open.get(&dependant).map(|open| open.queue().clone()) {
                self.touch(&queue);
            }
        }
        Vec::new()
    }

    /// Whether the answer to a task is a message of its own: its sender is an agent that asked outside of a task. Inside
    /// of one the answer is a turn of that task, or, if that has ended, is kept and never typed.
    fn is_told(&self, task: &Message) -> bool {
        task.parent.is_none() && task.step.is_none() && self.team.members.contains_key(&task.from)
    }

    fn tell_sender(&mut self, task: &Message, answer: Answer) {
        if self.state.open.contains_key(&answer.id) {
            return; // the drop that brought it
        }
        let note = Note { id: answer.id, from: answer.from, to: task.from.clone(), kind: answer.kind };
        let mut message = note.message(self.now);
        message.in_reply_to = Some(task.id.clone());
        message.priority = task.priority;
        message.hops = task.hops;
        message.verified = !answer.weak;
        self.emit_own(message, answer.body);
    }

    /// Accepts a message of tasuki's own making.
    pub(in crate::engine) fn emit_own(&mut self, message: Message, body: Body) {
        self.emit(Event::Accepted {
            message: Box::new(message),
            body,
            not_before: Millis(0),
            unmet: Vec::new(),
            name: None,
            unknown_keys: Vec::new(),
            text: None,
            given: Vec::new(),
        });
    }

    /// Its pane need not look for the turn's claim any more.
    pub(in crate::engine) fn unwatch(&mut self, id: &MessageId, off: bool) {
        let Some(open) = self.state.open.get(id) else { return };
        let watched = open.stage.is_under_way() || open.stage.is_waiting() && !self.has_parts(id);
        let Some(name) = open.agent.clone().filter(|_| watched) else { return };
        if let Some(nonce) = self.state.agents.get(&name).and_then(|agent| agent.nonce) {
            self.ask(Effect::Unwatch { agent: name, nonce, off });
        }
    }
}

/// What is needed of a message of tasuki's own making; the rest is as in a plain one.
pub(in crate::engine) struct Note {
    pub(in crate::engine) id: MessageId,
    pub(in crate::engine) from: AgentName,
    pub(in crate::engine) to: AgentName,
    pub(in crate::engine) kind: Kind,
}

impl Note {
    /// The message.
    pub(in crate::engine) fn message(self, now: Millis) -> Message {
        Message {
            id: self.id,
            from: self.from,
            to: self.to,
            kind: self.kind,
            sent_at: None,
            accepted_at: now,
            priority: crate::engine::message::Priority::Normal,
            on_doubt: OnDoubt::Resend,
            hops: 0,
            verified: true,
            inferred: false,
            digest: OWN_DIGEST,
            besides: Seldom::default(),
        }
    }
}

fn failed_with(id: &MessageId, dependants: Vec<MessageId>) -> VecDeque<Doomed> {
    let why = format!("{id}, on which it depends, was not completed");
    let (outcome, break_off) = (Outcome::Failed, BreakOff::Parts);
    let doomed = |dependant| Doomed { id: dependant, outcome, why: why.clone(), cause: None, break_off };
    dependants.into_iter().map(doomed).collect()
}

/// The event by which a message is accepted whose text stands elsewhere.
pub(in crate::engine) fn accepted_elsewhere(
    message: Box<Message>,
    text: BodyRef,
    given: Vec<PartAnswer>,
) -> Event {
    Event::Accepted {
        message,
        body: Body::default(),
        not_before: Millis(0),
        unmet: Vec::new(),
        name: None,
        unknown_keys: Vec::new(),
        text: Some(text),
        given,
    }
}
