//! How a task ends: claims, answers, failures, cancellation. Each message ends exactly once.

use super::accept::{Route, accepted};
use super::engine::Work;
use super::event::{Answer, Event, Why};
use super::input::Effect;
use super::life::{CompletionSource, Move, Stage};
use super::message::{Body, Draft, Kind, Message, OnDoubt, Outcome};
use super::words::{AgentName, Digest, MessageId, Millis};
use std::sync::Arc;

/// Who answers where no agent did.
const OURSELVES: &str = "tasuki";

impl Work<'_> {
    /// An agent's pane shows that the turn is over and done.
    pub(super) fn claimed(
        &mut self,
        id: &MessageId,
        turn: u16,
        source: CompletionSource,
        text: &Arc<str>,
        truncated: bool,
    ) {
        let Some((stage, _)) = self.turn_of(id, turn) else { return };
        if matches!(stage, Stage::Queued { .. } | Stage::Claimed(_) | Stage::Verified(_) | Stage::Waiting(_))
        {
            return;
        }
        let body = Body { content: text.clone(), extra: "".into() };
        self.claim(id, source, Outcome::Completed, body, truncated);
    }

    /// A claim with a valid proof: the task rests while parts of it are open, else it is closed.
    pub(super) fn claim(
        &mut self,
        id: &MessageId,
        source: CompletionSource,
        outcome: Outcome,
        body: Body,
        truncated: bool,
    ) {
        let Some(open) = self.state.open.get(id) else { return };
        let rests = outcome == Outcome::Completed && (open.children > 0 || !open.unread.is_empty());
        self.unwatch(id);
        if rests {
            let why = format!("its turn is over; {} parts are open", open_parts(self, id));
            return self.emit(Event::Moved {
                id: id.clone(),
                to: Move::Rest,
                agent: None,
                due: None,
                why: Why::Text(why),
            });
        }
        let Some(open) = self.state.open.get(id) else { return };
        let from = open.agent.clone().unwrap_or_else(ourselves);
        let weak = source == CompletionSource::Marker && open.stage.turn().is_some_and(|t| t.token.is_none());
        let kind = if outcome == Outcome::Completed { Kind::Result } else { Kind::Error };
        for to in [Move::Claim, Move::Verify] {
            let why = Why::Source(source);
            self.emit(Event::Moved { id: id.clone(), to, agent: None, due: None, why });
        }
        let answer = Answer {
            id: self.mint_id(),
            kind,
            from,
            body,
            source: Some(source),
            weak,
            truncated,
            at: self.now,
        };
        self.end(id, outcome, Some(answer), None);
    }

    /// A dropped result or error closes the task that it answers.
    pub(super) fn close_by_drop(
        &mut self,
        draft: Draft,
        from: AgentName,
        task: &MessageId,
        verified: bool,
        name: Option<Arc<str>>,
    ) {
        let failed = draft.kind == Kind::Error || draft.status == super::message::Status::Failed;
        let outcome = if failed { Outcome::Failed } else { Outcome::Completed };
        let (id, body) = (draft.id.clone(), draft.body.clone());
        let to = self.state.open.get(task).map_or_else(AgentName::user, |open| open.message.from.clone());
        self.emit(accepted(draft, self.now, Route { from, to, verified }, name));
        self.claim(task, CompletionSource::Reply, outcome, body, false);
        self.complete_info(&id);
    }

    /// A message that asks for nothing is done.
    pub(super) fn complete_info(&mut self, id: &MessageId) {
        self.end(id, Outcome::Completed, None, None);
    }

    /// A message cannot be done: its sender is told.
    pub(super) fn fail(&mut self, id: &MessageId, why: &str) {
        self.unwatch(id);
        self.end_with_error(id, Outcome::Failed, why);
    }

    /// A message is called off, and its open parts with it.
    pub(super) fn cancel(&mut self, id: &MessageId, why: &str) {
        self.unwatch(id);
        let has_parts = self.state.open.get(id).is_some_and(|open| open.children > 0);
        self.end_with_error(id, Outcome::Cancelled, why);
        if has_parts {
            let parts: Vec<MessageId> = self
                .state
                .open
                .values()
                .filter(|open| open.message.parent.as_ref() == Some(id))
                .map(|open| open.message.id.clone())
                .collect();
            for part in parts {
                self.cancel(&part, &format!("{id}, of which it was a part, was cancelled"));
            }
        }
    }

    /// The turn took longer than its agent may work.
    pub(super) fn overdue(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let agent = open.agent.as_ref().map_or(OURSELVES, AgentName::as_str).to_owned();
        let seconds = self.now.since(open.since) / 1_000;
        self.fail(id, &format!("timed out: {agent} has not answered within {seconds} s"));
    }

    fn end_with_error(&mut self, id: &MessageId, outcome: Outcome, why: &str) {
        let Some(open) = self.state.open.get(id) else { return };
        let answer = (open.message.kind == Kind::Task).then(|| Answer {
            id: self.mint_id(),
            kind: Kind::Error,
            from: ourselves(),
            body: Body { content: why.into(), extra: "".into() },
            source: None,
            weak: false,
            truncated: false,
            at: self.now,
        });
        self.end(id, outcome, answer, Some(why));
    }

    /// The one door out of a message's life.
    fn end(&mut self, id: &MessageId, outcome: Outcome, answer: Option<Answer>, why: Option<&str>) {
        let Some(open) = self.state.open.get(id) else { return };
        let message = open.message.clone();
        let dependants: Vec<MessageId> =
            self.state.dependants.get(id).into_iter().flatten().cloned().collect();
        let told = answer.clone();
        self.emit(Event::Ended {
            id: id.clone(),
            outcome,
            answer: answer.map(Box::new),
            why: why.map(str::to_owned),
        });
        if let Some(answer) = told {
            self.tell_sender(&message, answer);
        }
        if outcome == Outcome::Completed {
            for dependant in dependants {
                if let Some(open) = self.state.open.get(&dependant) {
                    let queue = open.queue().clone();
                    self.touch(&queue);
                }
            }
            return;
        }
        for dependant in dependants {
            self.fail(&dependant, &format!("{id}, on which it depends, was not completed"));
        }
    }

    /// An agent that asked outside of a task is told by a message of its own; inside of one it is a turn of that task.
    fn tell_sender(&mut self, task: &Message, answer: Answer) {
        let parent_open = task.parent.as_ref().is_some_and(|id| self.state.open.contains_key(id));
        if task.from.is_user() || parent_open || !self.team.members.contains_key(&task.from) {
            return;
        }
        let message = Message {
            id: answer.id,
            from: answer.from,
            to: task.from.clone(),
            kind: answer.kind,
            sent_at: None,
            accepted_at: self.now,
            in_reply_to: Some(task.id.clone()),
            parent: None,
            depends_on: Vec::new(),
            priority: task.priority,
            timeout_ms: None,
            deadline: None,
            on_doubt: OnDoubt::Resend,
            expect: None,
            hops: task.hops,
            verified: true,
            digest: Digest(0),
            retry_of: None,
        };
        self.emit(Event::Accepted {
            message: Box::new(message),
            body: answer.body,
            not_before: Millis(0),
            unmet: Vec::new(),
            name: None,
            unknown_keys: Vec::new(),
        });
    }

    /// Its pane need not look for the turn's claim any more.
    fn unwatch(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let Some(name) = open.agent.clone().filter(|_| open.stage.occupies()) else { return };
        if let Some(nonce) = self.state.agents.get(&name).and_then(|agent| agent.nonce) {
            self.ask(Effect::Unwatch { agent: name, nonce });
        }
    }
}

fn open_parts(work: &Work<'_>, id: &MessageId) -> u32 {
    work.state.open.get(id).map_or(0, |open| open.children)
}

fn ourselves() -> AgentName {
    AgentName::new(OURSELVES).unwrap_or_else(|_| AgentName::user())
}
