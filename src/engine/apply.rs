//! How an event changes the state: the only writer, with `index.rs`; running and replaying use it alike.

use super::event::{AgentChange, Answer, Event, Why};
use super::life::{self, Illegal, Move, StageName, Turn, TurnKind};
use super::message::{BodyRef, Kind, Message, Outcome};
use super::state::{Agent, Finished, LastEnd, Open, PartAnswer, Phase, State};
use super::words::{AgentName, MessageId, Millis, Seq};
use crate::engine::evidence::{Checks, Evidence, FailedCheck};
use crate::engine::life::said::Said;
use crate::engine::team::need::{Need, NeedKind};
use crate::engine::team::timeouts::ADOPTION_GRACE_MS;
use crate::engine::words::ourselves;

/// Restarts remembered of an agent: as many as [`super::team::Limits::restarts_max`] can be.
const RESTARTS_KEPT: usize = u8::MAX as usize;

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
            Event::Accepted { message, not_before, unmet, text, given, .. } => {
                self.planning_asked(at, text.unwrap_or(place), message);
                self.accept(message, text.unwrap_or(place), *not_before, (unmet, given));
            }
            Event::FlowOpened { .. }
            | Event::FlowPlanned { .. }
            | Event::StepPlanned { .. }
            | Event::StepImported { .. }
            | Event::StepMoved { .. }
            | Event::TreeMoved { .. }
            | Event::StepWorked { .. }
            | Event::StepPulled { .. }
            | Event::MergeMoved { .. }
            | Event::FlowMoved { .. }
            | Event::KeptFlow(_) => self.apply_to_flow(at, place, event),
            Event::Moved { .. } => self.moved(at, event)?,
            Event::Said { id, turn, text, truncated, notice } => {
                if let Some(open) = self.open.get_mut(id) {
                    let said = match *turn {
                        0 => Said::with_early(open.said.as_deref(), text.clone()),
                        turn if *notice => {
                            Said::with_notice(open.said.as_deref(), turn, text.clone(), *truncated)
                        }
                        turn => Said::then(open.said.as_deref(), turn, text.clone(), *truncated),
                    };
                    open.said = Some(Box::new(said));
                }
            }
            // Another tree: what was missing in the other one is nothing to whoever works in this.
            Event::Based { id, base } => self.with_checks(id, |checks| {
                let base = Some((**base).clone());
                *checks = Checks { base, made: checks.made, ..Checks::default() };
            }),
            Event::Claimed { id, made, claim } => {
                self.with_checks(id, |checks| {
                    (checks.made, checks.claim) = (*made, Some((**claim).clone()));
                });
                if let Some(open) = self.open.get_mut(id).filter(|open| open.said.is_some()) {
                    open.said = None; // the claim has all of it
                }
            }
            Event::Checked { id, evidence, .. } => self.checked(at, id, evidence),
            Event::Ended { id, outcome, answer, .. } => {
                self.end(at, place, id, *outcome, answer.as_deref())?
            }
            Event::Agent { name, change } => self.change_agent(at, name, change),
            Event::Halted { since, .. } => self.halted = *since,
            Event::Refused { .. } => self.refused += 1,
            Event::Duplicate { .. } => {}
            Event::KeptOpen(open) => self.keep(open),
            Event::KeptFinished(finished) => self.keep_finished(finished),
            Event::KeptHired { name, hired } => drop(self.hired.insert(name.clone(), (**hired).clone())),
            Event::KeptAgent { name, agent } => {
                self.agents.insert(name.clone(), (**agent).clone());
                self.set_agent_timer(name);
            }
        }
        Ok(())
    }

    fn keep_finished(&mut self, finished: &Finished) {
        self.finished.insert(finished.message.id.clone(), finished.clone());
    }

    /// A message takes a step of its life.
    fn moved(&mut self, at: Millis, event: &Event) -> Result<(), Illegal> {
        let Event::Moved { id, to, agent, due, why } = event else { return Ok(()) };
        let note = match why {
            Why::Text(text) => Some(text.as_str()),
            _ => None,
        };
        let mut before = None;
        let mut got = false;
        let had_by = self.open.get(id).and_then(|open| open.agent.as_ref());
        let launch = had_by.and_then(|name| self.agents.get(name)?.nonce);
        let begun = self.open.get(id).is_some_and(|open| self.is_begun(open));
        self.change(id, |open| {
            before.clone_from(&open.agent);
            got = *to == Move::Submit || (*to == Move::Take && open.stage.name() != StageName::Submitted);
            let may_be_typed = open.stage.is_intent() && *to != Move::Withdraw;
            let was_read = open.stage.is_worked_on();
            open.stage = life::next(open.stage, *to)?;
            open.since = at;
            open.due = *due;
            open.note = note.map(Into::into);
            if let Some(agent) = agent {
                if open.agent.as_ref() != Some(agent) {
                    // They speak for whoever had it before.
                    (open.tokens, open.launch) = (Vec::new(), None);
                }
                open.agent = Some(agent.clone());
            }
            if may_be_typed {
                open.launch = launch;
            }
            match to {
                Move::Intend(turn)
                    if turn.number != open.turns || open.launch.is_none() || open.launch != launch =>
                {
                    open.typed_at = Some(at);
                }
                Move::Intend(_) => drop(open.typed_at.get_or_insert(at)),
                Move::Retry { .. } | Move::Return { .. } if was_read => open.typed_at = None,
                _ => {}
            }
            open.count(*to, begun);
            Ok(())
        })?;
        self.learn(id, before, got);
        self.step_turned(at, id, *to);
        Ok(())
    }

    fn with_checks(&mut self, id: &MessageId, f: impl FnOnce(&mut Checks)) {
        if let Some(open) = self.open.get_mut(id) {
            f(open.checks.get_or_insert_default());
        }
    }

    /// A check that found something missing is kept: its agent is told of it.
    fn checked(&mut self, at: Millis, id: &MessageId, evidence: &[Evidence]) {
        let turn = self.open.get(id).and_then(|open| open.stage.turn()).map_or(0, |turn| turn.number);
        if evidence.iter().all(|evidence| evidence.passed) {
            return;
        }
        self.with_checks(id, |checks| {
            checks.untold = true;
            checks.failed.push(FailedCheck { turn, at, evidence: evidence.to_vec() });
        });
    }

    fn accept(
        &mut self,
        message: &Message,
        place: BodyRef,
        not_before: Millis,
        (unmet, given): (&[MessageId], &[PartAnswer]),
    ) {
        drop(self.remove(&message.id)); // it is there already in a damaged journal only
        let mut open = Box::new(Open::new(message.clone(), place, not_before));
        if !unmet.is_empty() {
            open.unmet = unmet.to_vec();
        }
        // Whatever its agent had made of the checks themselves would be what they are held against, else.
        let failed = message.retry_of.as_ref().and_then(|id| self.finished.get(id));
        if let Some(base) =
            failed.and_then(|failed| failed.base.as_deref()).filter(|_| message.expect.is_some())
        {
            open.checks = Some(Box::new(Checks { base: Some(base.clone()), ..Checks::default() }));
        }
        if !given.is_empty() {
            open.answers = given.to_vec();
            open.given = given.len();
        }
        // Its own was made by whoever read the drop, amid much that is gone by now, and would hold all that memory.
        open.message.id = open.message.id.anew();
        self.share_names(&mut open.message);
        let asks = matches!(message.kind, Kind::Task | Kind::Info);
        if let Some(agent) = self.agents.get_mut(&message.from).filter(|_| asks) {
            agent.counts.sent += 1;
        }
        self.insert(open);
    }

    /// What a move means for the agents: the one that had the message until now, and the one that has it now.
    fn learn(&mut self, id: &MessageId, before: Option<AgentName>, got: bool) {
        let Some(open) = self.open.get(id) else { return };
        let (stage, now, launch) = (open.stage, open.agent.clone(), open.launch);
        let (hops, asks) = (open.message.hops, matches!(open.message.kind, Kind::Task | Kind::Info));
        // What tasuki itself tells of a refusal is no hand that a message has gone through.
        let asks = asks && open.message.from != ourselves();
        let begun = self.is_begun(open);
        if let Some(left) = before.filter(|before| Some(before) != now.as_ref()) {
            self.leave(&left, id);
        }
        let Some(agent) = now.and_then(|name| self.agents.get_mut(&name)) else { return };
        agent.counts.received += u64::from(got);
        if got && asks {
            agent.hops = Some(hops);
        }
        if launch.is_some() && launch == agent.nonce && stage.may_be_typed() && !stage.is_intent() {
            agent.given = Some(id.clone());
        }
        match stage {
            // In the middle of a task, its agent is not given another one.
            stage if begun && stage.redo().is_some() => {}
            // What was put back or held may be claimed while its agent has something else, and ends in the same step.
            stage if stage.occupies() => drop(agent.current.get_or_insert_with(|| id.clone())),
            _ if agent.current.as_ref() == Some(id) => agent.current = None,
            _ => {}
        }
    }

    fn leave(&mut self, name: &AgentName, id: &MessageId) {
        if let Some(agent) = self.agents.get_mut(name)
            && agent.current.as_ref() == Some(id)
        {
            agent.current = None;
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
        let Some(stage) = self.open.get(id).map(|open| open.stage) else { return Ok(()) };
        life::next(stage, Move::Finish(outcome))?;
        let Some(open) = self.remove(id) else { return Ok(()) };
        if let Some(name) = &open.agent {
            self.leave(name, id);
            let called_off = open.stage.is_intent() && outcome != Outcome::Failed;
            if let Some(agent) = self.agents.get_mut(name).filter(|_| called_off) {
                agent.given = Some(id.clone()); // it is being typed
            }
            self.count_end(name, &open, outcome, answer);
        }
        self.tell_parent(&open, outcome, answer.map(|answer| (answer, place)));
        if outcome == Outcome::Completed {
            self.release_dependants(id); // the engine ends those of a message that was not, in the same step
        }
        self.planning_ended(at, answer.map(|_| place), &open.message);
        let finished = Finished {
            outcome,
            body: open.body,
            answer: answer.map(|_| place),
            agent: open.agent.clone(),
            attempts: open.attempts,
            base: open.checks.as_deref().and_then(|checks| checks.base.clone()).map(Box::new),
            seq: place.seq,
            at,
            message: Box::new(open.message),
        };
        self.finished.insert(id.clone(), finished);
        Ok(())
    }

    fn count_end(&mut self, name: &AgentName, open: &Open, outcome: Outcome, answer: Option<&Answer>) {
        let Some(agent) = self.agents.get_mut(name).filter(|_| open.message.kind == Kind::Task) else {
            return;
        };
        match outcome {
            Outcome::Completed => agent.counts.completed += 1,
            Outcome::Failed => agent.counts.failed += 1,
            Outcome::Cancelled => {}
        }
        let answers = answer.is_some_and(|answer| answer.from == *name);
        agent.counts.sent += u64::from(answers);
        if answers {
            agent.looks = 0;
            agent.blocked.take_if(|need| need.passed.is_some()); // it got something done: that was over
        }
    }

    fn tell_parent(&mut self, child: &Open, outcome: Outcome, answer: Option<(&Answer, BodyRef)>) {
        let Some(parent) = child.message.part_of().and_then(|id| self.open.get_mut(id)) else { return };
        if let Some((answer, body)) = answer {
            let id = child.message.id.clone();
            parent.unread.push(id.clone());
            let refused = child.message.to == ourselves();
            parent.answers.push(PartAnswer { child: id, from: answer.from.clone(), outcome, body, refused });
        }
    }

    fn keep(&mut self, open: &Open) {
        drop(self.remove(&open.message.id));
        let mut open = Box::new(open.clone());
        self.share_names(&mut open.message);
        self.insert(open);
    }

    /// An answer may have come while nobody was looking: a turn is not overdue before that was looked for. One that began
    /// by a clock that was ahead has from now on what it had left.
    fn give_grace(&mut self, name: &AgentName, at: Millis) {
        let Some(id) = self.agents.get(name).and_then(|agent| agent.current.clone()) else { return };
        let _ = self.change(&id, |open| {
            if open.since > at {
                open.due = open.due.map(|due| at.plus(due.since(open.since)));
                open.since = at;
            }
            open.due = open.due.map(|due| due.max(at.plus(ADOPTION_GRACE_MS)));
            Ok(())
        });
    }

    /// An agent needs something no more: while somebody was asked, or an end was known, the clock of its turn was still.
    fn stood_still(&mut self, name: &AgentName, need: &Need, at: Millis) {
        let Some(id) = self.agents.get(name).and_then(|agent| agent.current.clone()) else { return };
        let _ = self.change(&id, |open| {
            if need.stops_the_clock() {
                open.due = open.due.map(|due| due.plus(at.since(need.since.max(open.since))));
            }
            // It did not fall silent by itself, and may be told to go on however often that happens.
            open.reminded &= need.kind == NeedKind::Input;
            Ok(())
        });
    }

    fn change_agent(&mut self, at: Millis, name: &AgentName, change: &AgentChange) {
        self.clear_agent_timer(name);
        let agent = self.agents.entry(name.clone()).or_default();
        match change {
            AgentChange::Launching { nonce, launch, .. } => {
                if matches!(agent.phase, Phase::Restarting { .. }) {
                    agent.count_restart(at);
                }
                agent.phase = Phase::Launching;
                agent.nonce = Some(*nonce);
                agent.launch = Some(*launch);
                (agent.given, agent.blocked, agent.looks) = (None, None, 0);
            }
            AgentChange::Up { nonce, pane, process } => {
                agent.phase = Phase::Up { pane: *pane, process: *process };
                agent.nonce = Some(*nonce);
                agent.up_since = Some(at);
            }
            AgentChange::Adopted => self.give_grace(name, at),
            AgentChange::Down { why, restart_at, wanted, asleep, unstarted } => {
                agent.phase = match (restart_at, wanted) {
                    (Some(at), _) => Phase::Restarting { restart_at: *at },
                    (None, _) if *asleep => Phase::Asleep,
                    (None, true) => Phase::Stopped,
                    (None, false) => Phase::Failed { why: why.as_str().into() },
                };
                agent.up_since = None;
                agent.blocked = None;
                agent.last_end = Some(LastEnd { why: why.as_str().into(), unstarted: *unstarted });
            }
            AgentChange::Lost { spared, .. } => {
                agent.phase = Phase::Absent;
                agent.up_since = None;
                agent.blocked = None;
                let open = agent.current.as_ref().filter(|_| *spared).and_then(|id| self.open.get_mut(id));
                if let Some(open) = open {
                    open.attempts = open.attempts.saturating_sub(1);
                }
            }
            AgentChange::Blocked { need } => {
                let before = std::mem::replace(&mut agent.blocked, need.clone());
                agent.looks = need.as_ref().map_or(agent.looks, |need| need.looks);
                if let Some(before) = before.filter(|before| !before.over)
                    && need
                        .as_ref()
                        .is_none_or(|need| need.over || need.stops_the_clock() != before.stops_the_clock())
                {
                    self.stood_still(name, &before, at);
                }
            }
            AgentChange::Answered { .. } => agent.looks = 0,
            AgentChange::Interrupted { .. } => {}
            AgentChange::Hired(hired) => drop(self.hired.insert(name.clone(), (**hired).clone())),
            AgentChange::Removed { .. } => {
                self.hired.remove(name);
                self.agents.remove(name);
                return;
            }
        }
        self.set_agent_timer(name);
    }
}

impl Agent {
    fn count_restart(&mut self, at: Millis) {
        self.counts.restarts += 1;
        self.restarts.push(at);
        if self.restarts.len() > RESTARTS_KEPT {
            self.restarts.remove(0);
        }
    }
}

impl Open {
    /// Counts what a move means for tries and tokens.
    fn count(&mut self, to: Move, begun: bool) {
        match to {
            Move::Intend(turn) => self.count_try(turn),
            Move::Withdraw => {
                self.attempts = self.attempts.saturating_sub(1);
                if self.attempts == 0 && !begun {
                    self.agent = None; // nobody has seen it: it is its addressee's again, a pool's above all
                }
            }
            Move::Return { .. } => self.agent = None,
            Move::Ask => self.reminded = true,
            _ => {}
        }
    }

    fn count_try(&mut self, turn: Turn) {
        let again = turn.number == self.turns;
        self.attempts = if again { self.attempts.saturating_add(1) } else { 1 };
        self.turns = turn.number;
        // A task that is told anew, since its agent died, says nothing of answers that came meanwhile.
        if turn.kind == TurnKind::Answers {
            self.unread.clear();
        }
        // So is whoever reads its file anew: what failed stands there.
        if matches!(turn.kind, TurnKind::Feedback | TurnKind::Task)
            && let Some(checks) = self.checks.as_mut().filter(|checks| checks.untold)
        {
            checks.untold = false;
        }
        self.reminded = turn.kind == TurnKind::Reminder;
        if !self.reminded {
            // It is asked for something else, or for all of it anew.
            let left = self.said.take().filter(|_| turn.kind != TurnKind::Task);
            self.said = left.and_then(|said| said.asked_anew()).map(Box::new);
        }
        if let Some(token) = turn.token.filter(|token| self.tokens.last() != Some(token)) {
            if again {
                self.tokens.pop(); // the one it had was never typed
            }
            self.tokens.push(token);
        }
    }
}
