//! How an event changes the state. `apply` is the only writer; running and replaying use it alike.

use super::event::{AgentChange, Answer, Event, Why};
use super::life::{self, Illegal, Move};
use super::message::{BodyRef, Kind, Known, Message, Outcome};
use super::state::{Finished, Open, Phase, State, Timer, Told};
use super::words::{AgentName, MessageId, Millis, Seq};

impl State {
    /// Applies the events of one step.
    ///
    /// # Errors
    /// [`Illegal`] if an event does not fit: a bug or a damaged journal.
    pub fn apply_step(&mut self, seq: Seq, at: Millis, events: &[Event]) -> Result<(), Illegal> {
        self.seq = seq;
        for (index, event) in events.iter().enumerate() {
            let body = BodyRef { seq, index: u32::try_from(index).unwrap_or(u32::MAX) };
            self.apply(at, body, event)?;
        }
        Ok(())
    }

    /// Applies one event; `place` is where the journal will hold it.
    ///
    /// # Errors
    /// [`Illegal`] if it does not fit.
    pub fn apply(&mut self, at: Millis, place: BodyRef, event: &Event) -> Result<(), Illegal> {
        match event {
            Event::Accepted { message, not_before, unmet, .. } => {
                self.accept(message, place, *not_before, unmet);
            }
            Event::Moved { id, to, agent, due, why } => {
                let note = match why {
                    Why::Text(text) => Some(text.as_str()),
                    _ => None,
                };
                self.change(id, |open| {
                    open.stage = life::next(open.stage, *to)?;
                    open.since = at;
                    open.due = *due;
                    open.note = note.map(Into::into);
                    if let Some(agent) = agent {
                        open.agent = Some(agent.clone());
                    }
                    open.count(*to);
                    Ok(())
                })?;
                self.learn(id, *to);
            }
            Event::Ended { id, outcome, answer, .. } => {
                self.end(at, place, id, *outcome, answer.as_deref())?
            }
            Event::Agent { name, change } => self.change_agent(at, name, change),
            Event::Halted(since) => self.halted = *since,
            Event::Refused { .. } => self.refused += 1,
            Event::Duplicate { .. } => {}
            Event::KeptOpen(open) => self.keep(open),
            Event::KeptAgent(name, agent) => {
                self.agents.insert(name.clone(), (**agent).clone());
                self.set_agent_timer(name);
            }
        }
        Ok(())
    }

    fn accept(&mut self, message: &Message, place: BodyRef, not_before: Millis, unmet: &[MessageId]) {
        let mut open = Open::new(message.clone(), place, not_before);
        open.unmet = unmet.to_vec();
        self.register_dependant(&open);
        if message.kind == Kind::Task
            && let Some(parent) = message.parent.as_ref().and_then(|id| self.open.get_mut(id))
        {
            parent.children += 1;
        }
        if let Some(agent) = self.agents.get_mut(&message.from) {
            agent.counts.sent += 1;
        }
        self.insert(open);
    }

    /// Takes an open message out of every index, changes it, and puts it back.
    fn change(
        &mut self,
        id: &MessageId,
        f: impl FnOnce(&mut Open) -> Result<(), Illegal>,
    ) -> Result<(), Illegal> {
        let Some(mut open) = self.remove(id) else { return Ok(()) };
        let done = f(&mut open);
        self.insert(open);
        done
    }

    /// What a move means for the tokens and for the agent.
    fn learn(&mut self, id: &MessageId, to: Move) {
        let Some(open) = self.open.get(id) else { return };
        let (occupies, name) = (open.stage.occupies(), open.agent.clone());
        if let Move::Intend(turn) = to
            && let Some(token) = turn.token
        {
            self.tokens.insert(token, id.clone());
        }
        let Some(agent) = name.and_then(|name| self.agents.get_mut(&name)) else { return };
        if occupies {
            agent.current = Some(id.clone());
        } else if agent.current.as_ref() == Some(id) {
            agent.current = None;
        }
        if matches!(to, Move::Submit | Move::Take) {
            agent.counts.received += u64::from(matches!(to, Move::Submit));
        }
    }

    fn end(
        &mut self,
        at: Millis,
        place: BodyRef,
        id: &MessageId,
        outcome: Outcome,
        answer: Option<&Answer>,
    ) -> Result<(), Illegal> {
        let Some(open) = self.remove(id) else { return Ok(()) };
        life::next(open.stage, Move::Finish(outcome))?;
        for token in &open.tokens {
            self.tokens.remove(token);
        }
        if let Some(agent) = open.agent.as_ref().and_then(|name| self.agents.get_mut(name)) {
            if agent.current.as_ref() == Some(id) {
                agent.current = None;
            }
            if open.message.kind == Kind::Task {
                match outcome {
                    Outcome::Completed => agent.counts.completed += 1,
                    Outcome::Failed => agent.counts.failed += 1,
                    Outcome::Cancelled => {}
                }
                agent.counts.sent += u64::from(answer.is_some());
            }
        }
        self.tell_parent(&open, outcome, answer.map(|answer| (answer, place)));
        self.release_dependants(id, outcome);
        let known = Known { digest: open.message.digest, outcome };
        let finished = Finished {
            known,
            body: open.body,
            answer: answer.map(|_| place),
            agent: open.agent,
            attempts: open.attempts,
            at,
            message: Box::new(open.message),
        };
        self.finished.insert(id.clone(), finished);
        Ok(())
    }

    fn tell_parent(&mut self, child: &Open, outcome: Outcome, answer: Option<(&Answer, BodyRef)>) {
        if child.message.kind != Kind::Task {
            return;
        }
        let Some(parent) = child.message.parent.as_ref().and_then(|id| self.open.get_mut(id)) else {
            return;
        };
        parent.children = parent.children.saturating_sub(1);
        if let Some((answer, body)) = answer {
            let id = child.message.id.clone();
            parent.unread.push(id.clone());
            parent.answers.push(Told { child: id, from: answer.from.clone(), outcome, body });
        }
    }

    fn release_dependants(&mut self, id: &MessageId, outcome: Outcome) {
        if outcome != Outcome::Completed {
            return; // the engine ends them in the same step
        }
        for dependant in self.dependants.remove(id).unwrap_or_default() {
            let _ = self.change(&dependant, |open| {
                open.unmet.retain(|other| other != id);
                Ok(())
            });
        }
    }

    fn keep(&mut self, open: &Open) {
        for token in &open.tokens {
            self.tokens.insert(*token, open.message.id.clone());
        }
        self.register_dependant(open);
        self.insert(open.clone());
    }

    fn register_dependant(&mut self, open: &Open) {
        for dependency in &open.unmet {
            let dependants = self.dependants.entry(dependency.clone()).or_default();
            dependants.insert(open.message.id.clone());
        }
    }

    fn change_agent(&mut self, at: Millis, name: &AgentName, change: &AgentChange) {
        self.clear_agent_timer(name);
        let agent = self.agents.entry(name.clone()).or_default();
        match change {
            AgentChange::Launching { nonce } => {
                if matches!(agent.phase, Phase::Restarting(_)) {
                    agent.restarts.push(at);
                    agent.counts.restarts += 1;
                }
                agent.phase = Phase::Launching;
                agent.nonce = Some(*nonce);
                agent.blocked = None;
            }
            AgentChange::Up { nonce, pane, process } => {
                agent.phase = Phase::Up { pane: *pane, process: *process };
                agent.nonce = Some(*nonce);
                agent.up_since = Some(at);
            }
            AgentChange::Adopted => {}
            AgentChange::Down { why, restart_at, wanted } => {
                agent.phase = match (restart_at, wanted) {
                    (Some(at), _) => Phase::Restarting(*at),
                    (None, true) => Phase::Stopped,
                    (None, false) => Phase::Failed(why.as_str().into()),
                };
                agent.up_since = None;
                agent.blocked = None;
            }
            AgentChange::Lost { .. } => {
                agent.phase = Phase::Absent;
                agent.up_since = None;
                agent.blocked = None;
            }
            AgentChange::Blocked { why } => agent.blocked = why.as_deref().map(Into::into),
            AgentChange::Removed => {
                self.agents.remove(name);
                return;
            }
        }
        self.set_agent_timer(name);
    }

    fn insert(&mut self, open: Open) {
        if open.waits() {
            self.queues.entry(open.queue().clone()).or_default().insert(open.key());
        }
        for at in open.timers() {
            self.timers.insert((at, Timer::Message(open.message.id.clone())));
        }
        self.open.insert(open.message.id.clone(), open);
    }

    fn remove(&mut self, id: &MessageId) -> Option<Open> {
        let open = self.open.remove(id)?;
        if let Some(queue) = self.queues.get_mut(open.queue()) {
            queue.remove(&open.key());
            if queue.is_empty() {
                self.queues.remove(open.queue());
            }
        }
        for at in open.timers() {
            self.timers.remove(&(at, Timer::Message(id.clone())));
        }
        Some(open)
    }

    fn set_agent_timer(&mut self, name: &AgentName) {
        if let Some(Phase::Restarting(at)) = self.agents.get(name).map(|agent| &agent.phase) {
            self.timers.insert((*at, Timer::Agent(name.clone())));
        }
    }

    fn clear_agent_timer(&mut self, name: &AgentName) {
        if let Some(Phase::Restarting(at)) = self.agents.get(name).map(|agent| agent.phase.clone()) {
            self.timers.remove(&(at, Timer::Agent(name.clone())));
        }
    }
}

impl Open {
    /// Counts what a move means for tries and tokens.
    fn count(&mut self, to: Move) {
        match to {
            Move::Intend(turn) => {
                let again = turn.number == self.turns;
                self.attempts = if again { self.attempts.saturating_add(1) } else { 1 };
                self.turns = turn.number;
                if let Some(token) = turn.token
                    && !again
                {
                    self.tokens.push(token);
                }
                self.unread.clear();
                self.reminded = turn.kind == life::TurnKind::Reminder;
            }
            Move::Withdraw => self.attempts = self.attempts.saturating_sub(1),
            _ => {}
        }
    }
}
