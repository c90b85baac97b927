//! Giving turns to agents: who is free for what, the intent, and what became of the doorbell.

use crate::engine::engine::Work;
use crate::engine::event::{Event, Why};
use crate::engine::flow::cause::FailureCause;
use crate::engine::input::{Effect, Guard, Verdict};
use crate::engine::life::{Category, Move, Receipt, Stage, StageName, Turn, TurnKind};
use crate::engine::message::{Kind, OnDoubt};
use crate::engine::screen::guard::Shut;
use crate::engine::state::{Agent, Open, Phase, State};
use crate::engine::words::{AgentName, MessageId, Millis, Nonce, Token, counted};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What became of the agent that had a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Hands {
    /// It has not changed.
    Same,
    /// Its process ended; the agent comes back, without what it had in mind.
    Ended,
    /// It is not to come back.
    Gone,
}

impl Work<'_> {
    /// Gives an agent that is free what is next, if there is something; the worker of one that is not known to be free is told that
    /// something waits.
    pub(in crate::engine) fn offer(&mut self, name: &AgentName) {
        if self.state.halted.is_some() || self.live.tmux_lost {
            return;
        }
        let Some(agent) = self.state.agents.get(name) else { return };
        if agent.phase == Phase::Asleep {
            return self.wake_agent(name);
        }
        let (Phase::Up { .. }, Some(nonce), None) = (&agent.phase, agent.nonce, agent.need()) else {
            return;
        };
        if self.is_stale(name, agent) {
            return self.start_anew(name, "its settings changed");
        }
        self.resolve_doubts(name, nonce);
        if self.live.seeking.contains(name) {
            return;
        }
        let next = self.next_typed(name);
        if next.is_none() && self.next_turn(name).is_some() {
            return self.shut(name, Guard::Ending);
        }
        let is_owed = next.as_ref().is_some_and(|(id, _)| self.owes_base(name, id));
        if is_owed && self.live.free.contains_key(name) {
            return; // it stays free, and is given its turn when what was there before is recorded
        }
        if let Some((id, kind)) = next.as_ref().filter(|_| !is_owed)
            && let Some(fresh) = self.live.free.get(name).copied()
            && !self.state.tokens.contains_key(&fresh)
        {
            return self.intend(name, nonce, id, *kind, fresh);
        }
        if !self.live.greeted.contains(name) || next.is_some() {
            self.live.free.remove(name); // its token is in use by now
            let past = self.state.agents.get(name).and_then(Agent::past_need);
            self.live.seeking.insert(name.clone());
            self.ask(Effect::ProbeReadiness { agent: name.clone(), nonce, past });
        }
    }

    /// Whether an idle agent was started with other settings than it should have now.
    fn is_stale(&self, name: &AgentName, agent: &Agent) -> bool {
        let wanted = self.team.members.get(name).map(|member| member.launch);
        agent.current.is_none() && agent.launch != wanted
    }

    /// Has an agent's pane looked at if its turn is in doubt.
    fn resolve_doubts(&mut self, name: &AgentName, nonce: Nonce) {
        let Some(id) = self.current_of(name) else { return };
        let Some(open) = self.state.open.get(&id) else { return };
        if let Stage::InDoubt(turn) = open.stage
            && !self.live.settling.contains(name)
        {
            let from = open.message.from.clone();
            self.live.settling.insert(name.clone());
            self.ask(Effect::ResolveDoubt { agent: name.clone(), nonce, id, from, turn });
        }
    }

    /// Has an agent's pane watched for the claim of a turn that was delivered before.
    pub(in crate::engine) fn watch(&mut self, id: &MessageId) {
        let Some(open) = self.state.open.get(id) else { return };
        let (Some(turn), Some(agent)) = (open.stage.turn(), open.agent.clone()) else { return };
        let from = open.message.from.clone();
        if let Some(nonce) = self.state.agents.get(&agent).and_then(|agent| agent.nonce) {
            self.live.free.remove(&agent); // it has a turn after all
            self.ask(Effect::Watch { agent, nonce, id: id.clone(), from, turn });
        }
    }

    /// The agent is free from now on. What was said before it was given a turn says nothing of the time after that.
    pub(in crate::engine) fn ready(&mut self, name: &AgentName, fresh: Token) {
        self.live.seeking.remove(name);
        let is_seen = self.live.greeted.insert(name.clone()) | self.live.guards.remove(name).is_some();
        if !self.needs_something(name) && !self.has_turn_out(name) {
            self.live.free.insert(name.clone(), fresh);
        }
        if is_seen {
            self.touch(name); // its status says so
        }
        self.offer(name);
    }

    /// It is not known any more whether an agent is free: what waits for it is offered anew.
    pub(in crate::engine) fn unready(&mut self, name: &AgentName) {
        if self.live.free.remove(name).is_some() {
            self.offer(name);
        }
    }

    /// Whether a turn of an agent's is on its way to it or under way.
    fn has_turn_out(&self, name: &AgentName) -> bool {
        let current = self.current_of(name).and_then(|id| self.state.open.get(&id));
        current.is_some_and(|open| open.stage.is_under_way())
    }

    /// A guard is closed; the pane's worker goes on looking.
    pub(in crate::engine) fn not_ready(&mut self, name: &AgentName, guard: Guard) {
        self.live.free.remove(name);
        if self.live.guards.get(name).is_none_or(|shut| shut.guard != guard) {
            self.shut(name, guard);
            self.touch(name);
        }
    }

    fn shut(&mut self, name: &AgentName, guard: Guard) {
        let since = self.live.guards.get(name).map_or(self.now, |shut| shut.since);
        self.live.guards.insert(name.clone(), Shut { guard, since });
    }

    /// Words of a person's stand in its input, or do not any more.
    pub(in crate::engine) fn unsent(&mut self, name: &AgentName, words: Option<(Arc<str>, bool)>) {
        let before = match &words {
            Some(words) => self.live.unsent.insert(name.clone(), words.clone()),
            None => self.live.unsent.remove(name),
        };
        if before != words {
            self.touch(name);
        }
    }

    /// What its process may be typed next: one that ends after each task is given nothing else than it had, since its end
    /// would be told as the end of that.
    fn next_typed(&mut self, name: &AgentName) -> Option<(MessageId, TurnKind)> {
        let one_shot = self.team.members.get(name).is_some_and(|member| member.one_shot);
        let given = self.state.agents.get(name).filter(|_| one_shot).and_then(|agent| agent.given.clone());
        let (Some(given), current) = (given, self.current_of(name)) else { return self.next_turn(name) };
        if let Some(current) = current {
            return if current == given { self.next_turn(name) } else { None };
        }
        let open = self.state.open.get(&given).filter(|open| open.agent.as_ref() == Some(name))?;
        let due = open.waits().is_some_and(|not_before| not_before <= self.now);
        due.then(|| (given, first_kind(open)))
    }

    /// What the agent is to be given next.
    pub(in crate::engine) fn next_turn(&mut self, name: &AgentName) -> Option<(MessageId, TurnKind)> {
        if let Some(id) = self.current_of(name) {
            let kind = self.next_of_current(self.state.open.get(&id)?)?;
            return Some((id, kind));
        }
        let pools = self.team.pools.iter().filter(|(_, members)| members.contains(name));
        let queues = pools.map(|(pool, _)| pool).chain([name]);
        let mut next = None;
        for queue in queues {
            let State { open, flows, queues, .. } = &mut *self.state;
            let may_begin = |id: &MessageId| open.get(id).is_none_or(|open| !open.rests(flows));
            let may = |id: &MessageId| !is_own_part(open, name, id) && may_begin(id);
            let first = queues.get_mut(queue).and_then(|queue| queue.first(self.now, may));
            next = [next, first.cloned()].into_iter().flatten().min();
        }
        let id = next?.id;
        let kind = first_kind(self.state.open.get(&id)?);
        Some((id, kind))
    }

    /// What an agent in the middle of a task is to be given: nothing but a turn of that task.
    fn next_of_current(&self, open: &Open) -> Option<TurnKind> {
        let turn = open.stage.turn()?;
        match open.stage.category() {
            Category::Queued => (open.stage.not_before() <= Some(self.now)).then_some(turn.kind),
            Category::Waiting if open.checks.as_deref().is_some_and(|checks| checks.untold) => {
                Some(TurnKind::Feedback)
            }
            Category::Waiting if !open.unread.is_empty() => Some(TurnKind::Answers),
            Category::Waiting if turn.token.is_some() && !open.reminded => {
                (self.state.open_parts(&open.message.id) == 0).then_some(TurnKind::Reminder)
            }
            Category::Waiting | Category::UnderWay | Category::Held | Category::Closing | Category::Ended => {
                None
            }
        }
    }

    fn intend(&mut self, name: &AgentName, nonce: Nonce, id: &MessageId, kind: TurnKind, fresh: Token) {
        let Some(open) = self.state.open.get(id) else { return };
        let from = open.message.from.clone();
        let turn = self.turn_for(name, nonce, open, kind, fresh);
        let turns = self.team.limits.turns_max;
        if turn.number > turns.max(open.turns) {
            let turns = counted(turns.into(), "turn");
            let why = format!("it has had {turns}, and no task may have more (`turns_max` in the team file)");
            return self.fail(id, &why);
        }
        self.emit(Event::Moved {
            id: id.clone(),
            to: Move::Intend(turn),
            agent: Some(name.clone()),
            due: self.what_is_left(name, id, kind),
            why: Why::Plain,
        });
        self.live.free.remove(name);
        self.ask(Effect::Deliver { agent: name.clone(), nonce, id: id.clone(), from, turn });
    }

    /// When a turn is overdue that is given to see whether what its agent met is over: whoever meets the same again and again
    /// has no more time for that.
    fn what_is_left(&self, name: &AgentName, id: &MessageId, kind: TurnKind) -> Option<Millis> {
        let looks = self.state.agents.get(name).is_some_and(|agent| agent.looks > 0);
        let open = self.state.open.get(id).filter(|_| looks)?;
        let goes_on = kind == TurnKind::Reminder || open.stage.redo().is_some();
        open.due.filter(|_| goes_on).map(|due| self.to_come(due))
    }

    /// The turn to be typed: the same again if it may have been seen, else a new one. Its token is another one if the agent
    /// cannot have seen the old one: one that somebody else was given is his, and what he says late with it is not to pass for
    /// this one's. Another agent, or another process of the same one, has seen nothing of the task, and is given that, whatever
    /// its last turn was.
    fn turn_for(&self, name: &AgentName, nonce: Nonce, open: &Open, kind: TurnKind, fresh: Token) -> Turn {
        let has_token = self.team.members.get(name).is_some_and(|member| member.token);
        let token = (has_token && kind != TurnKind::Info).then_some(fresh);
        let number = open.turns.saturating_add(1);
        let has_seen_it = open.launch == Some(nonce);
        let again = |turn: Turn| match turn.kind {
            TurnKind::Answers | TurnKind::Feedback | TurnKind::Reminder if !has_seen_it => {
                Turn { kind: TurnKind::Task, redelivered: true, ..turn }
            }
            _ => turn,
        };
        let was_its = open.agent.as_ref() == Some(name) && open.launch.is_some();
        match open.stage.redo() {
            Some(turn) if turn.token.is_some() != token.is_some() => Turn { number, token, ..again(turn) },
            Some(turn) if open.attempts == 0 || !was_its => Turn { token, ..again(turn) },
            Some(turn) => again(turn),
            None => again(Turn { number, kind, token, redelivered: false }),
        }
    }

    /// What became of the newest turn's doorbell.
    pub(in crate::engine) fn delivery(&mut self, id: &MessageId, verdict: Verdict) {
        let Some((stage, turn)) = self.turn_of(id) else { return };
        let in_doubt = stage.is_in_doubt();
        if !in_doubt && !stage.is_intent() {
            return self.delivered_late(id, verdict);
        }
        match verdict {
            Verdict::Delivered(receipt) => self.delivered(id, receipt),
            Verdict::Unconfirmed { why } => {
                if !in_doubt {
                    self.go_on_in_time(id, Move::Doubt, Why::Text(why.clone()));
                }
                self.doubt(id, &why);
            }
            Verdict::Left { why } => {
                if !in_doubt {
                    self.go(id, Move::Doubt, Why::Text(why.clone()));
                }
                self.keep_from_twice(id, &why);
            }
            Verdict::NotDelivered { why } if in_doubt => self.doubt(id, &why),
            Verdict::NotDelivered { why } => self.retry(id, &why, turn.redelivered, Hands::Same),
            Verdict::Withdrawn { why } => self.go_on_in_time(id, Move::Withdraw, Why::Text(why)),
        }
    }

    /// A verdict on a turn that was put back or is held: only a proof of delivery is of use, and saves a second typing.
    fn delivered_late(&mut self, id: &MessageId, verdict: Verdict) {
        if let Verdict::Delivered(receipt) = verdict
            && self.may_go_on(id)
        {
            self.delivered(id, receipt);
            self.watch(id);
        }
    }

    fn delivered(&mut self, id: &MessageId, receipt: Receipt) {
        let Some(open) = self.state.open.get(id) else { return };
        if let Some(name) = open.agent.clone() {
            self.forget_need(&name);
        }
        let Some(open) = self.state.open.get(id) else { return };
        if open.message.kind != Kind::Task {
            self.go(id, Move::Submit, Why::Receipt(receipt));
            return self.complete(id);
        }
        let due = self.due_of(id);
        let moved = |to| Event::Moved { id: id.clone(), to, agent: None, due, why: Why::Receipt(receipt) };
        let (submit, take) = (moved(Move::Submit), moved(Move::Take));
        self.emit(submit);
        if receipt >= Receipt::Read {
            self.emit(take);
        }
    }

    /// A line that was typed before has been read.
    pub(in crate::engine) fn taken(&mut self, id: &MessageId) {
        self.take_turn(id, Receipt::Read);
    }

    /// The agent has its turn: that settles every doubt, even if the turn was put back or is held.
    pub(in crate::engine) fn take_turn(&mut self, id: &MessageId, receipt: Receipt) {
        let Some(open) = self.state.open.get(id) else { return };
        let late = open.stage.is_put_back();
        let due = match open.stage.name() {
            StageName::Submitted => open.due,
            StageName::Intent | StageName::InDoubt => self.due_of(id),
            _ if late && self.may_go_on(id) => self.due_of(id),
            _ => return,
        };
        if open.message.kind != Kind::Task {
            return self.delivered(id, receipt);
        }
        let why = Why::Receipt(receipt);
        self.emit(Event::Moved { id: id.clone(), to: Move::Take, agent: None, due, why });
        if late {
            self.watch(id);
        }
    }

    /// Whether a turn that was put back or is held may go on where it was: its agent runs and has nothing else.
    pub(in crate::engine) fn may_go_on(&self, id: &MessageId) -> bool {
        let Some(open) = self.state.open.get(id) else { return false };
        let agent = open.agent.as_ref().and_then(|name| self.state.agents.get(name));
        open.stage.is_put_back()
            && agent.is_some_and(|agent| {
                matches!(agent.phase, Phase::Up { .. })
                    && agent.current.as_ref().is_none_or(|current| current == id)
            })
    }

    /// When the present turn of a message is overdue if it begins now; one that was told to go on has what is left of its time.
    fn due_of(&self, id: &MessageId) -> Option<Millis> {
        let open = self.state.open.get(id)?;
        Some(open.due.map_or_else(|| self.now.plus(self.longest_ms(open)), |due| self.to_come(due)))
    }

    /// Working time that a turn of this message may take, in ms; at least one, so that its end is still to come.
    pub(in crate::engine) fn longest_ms(&self, open: &Open) -> u64 {
        let member = open.agent.as_ref().and_then(|name| self.team.members.get(name));
        let own = member.map_or(crate::engine::team::timeouts::TURN_TIMEOUT_MS, |member| member.timeout_ms);
        open.message.timeout_ms.unwrap_or(own).max(1)
    }

    /// Nobody can tell whether the turn was delivered: hold it or send it again, as the message wants.
    fn doubt(&mut self, id: &MessageId, why: &str) {
        let Some(open) = self.state.open.get(id) else { return };
        match open.message.on_doubt {
            OnDoubt::Hold => self.hold(id, why),
            OnDoubt::Resend => self.retry(id, why, true, Hands::Same),
        }
    }

    /// A person is to say what becomes of it.
    pub(in crate::engine) fn hold(&mut self, id: &MessageId, why: &str) {
        let why = format!("{why}; on_doubt is hold: `tasuki retry {id}` or `tasuki cancel {id}`");
        self.go(id, Move::Hold, Why::Text(why));
    }

    /// A person is to say whether a line is typed again of which its reader could not tell that it came before.
    fn keep_from_twice(&mut self, id: &MessageId, why: &str) {
        let why = format!(
            "{why}; it has no token, so it is not typed twice: what its agent still says counts, else `tasuki retry {id}` or `tasuki cancel {id}`"
        );
        self.go(id, Move::Hold, Why::Text(why));
    }

    /// Puts a turn back for another try after a pause, or gives up.
    pub(in crate::engine) fn retry(&mut self, id: &MessageId, why: &str, redelivered: bool, hands: Hands) {
        let Some(open) = self.state.open.get(id) else { return };
        let delays = &self.team.limits.retry_delays_ms;
        let tried = usize::from(open.attempts.saturating_sub(1));
        let delay = delays.get(tried).or(delays.last()).copied().unwrap_or(0);
        let not_before = if delay == 0 { Millis(0) } else { self.now.plus(delay) };
        self.retry_from(id, why, not_before, redelivered, hands);
    }

    /// Puts a turn back for another try, which may begin at a moment, or gives up.
    pub(in crate::engine) fn retry_from(
        &mut self,
        id: &MessageId,
        why: &str,
        not_before: Millis,
        redelivered: bool,
        hands: Hands,
    ) {
        let Some(open) = self.state.open.get(id) else { return };
        let tries = open.attempts;
        if tries >= self.team.limits.attempts_max {
            let cause = match hands {
                Hands::Same => FailureCause::Tmux,
                Hands::Ended | Hands::Gone => FailureCause::Crashed,
            };
            let why = format!("given up after {tries} tries; the last failure: {why}");
            return self.fail_by(id, &why, Some(cause));
        }
        self.postpone(id, why, not_before, redelivered, hands);
    }

    /// Puts a turn back until a moment: for its agent, or, if that is gone, for the pool to which the message was sent. An
    /// agent that comes back goes on with what it has begun; if somebody else is to begin anew, what was asked for in the
    /// meantime is called off, for the new one could be the one who is to do it, and would wait for itself.
    pub(in crate::engine) fn postpone(
        &mut self,
        id: &MessageId,
        why: &str,
        not_before: Millis,
        redelivered: bool,
        hands: Hands,
    ) {
        let Some(open) = self.state.open.get(id) else { return };
        let pooled = self.team.pools.contains_key(&open.message.to);
        let to = match hands {
            Hands::Gone if pooled => Move::Return { not_before },
            Hands::Ended if pooled && !self.state.is_begun(open) => Move::Return { not_before },
            _ => Move::Retry { not_before, redelivered },
        };
        if matches!(to, Move::Return { .. }) {
            self.cancel_parts(id, &format!("{id}, of which it was a part, is started again"));
        }
        self.go(id, to, Why::Text(why.to_owned()));
    }
}

/// What the first turn of a message asks.
fn first_kind(open: &Open) -> TurnKind {
    match open.message.kind {
        Kind::Task => TurnKind::Task,
        _ => TurnKind::Info,
    }
}

/// Whether a message is a part of what this agent has: it may have its hands free, as its task was put back, but would come
/// to wait for itself.
fn is_own_part(open: &BTreeMap<MessageId, Box<Open>>, name: &AgentName, id: &MessageId) -> bool {
    let whole_of = |id: &MessageId| open.get(open.get(id)?.message.part_of()?).map(|whole| &**whole);
    let mut wholes = std::iter::successors(whole_of(id), |whole| whole_of(&whole.message.id));
    wholes.any(|whole| whole.agent.as_ref() == Some(name))
}
