//! Giving turns to agents: who is free for what, the intent, and what became of the doorbell.

use super::engine::Work;
use super::event::{Event, Why};
use super::input::{Effect, Guard, Verdict};
use super::life::{Move, Receipt, Stage, Turn, TurnKind};
use super::message::{Kind, OnDoubt};
use super::state::{Open, Phase, QueueKey};
use super::words::{AgentName, MessageId, Millis, Nonce, Token};

impl Work<'_> {
    /// Asks an agent's pane whether it may be typed to, if there is something to type.
    pub(super) fn offer(&mut self, name: &AgentName) {
        if self.state.halted.is_some() || self.live.tmux_lost || self.live.seeking.contains(name) {
            return;
        }
        let Some(agent) = self.state.agents.get(name) else { return };
        let (Phase::Up { .. }, Some(nonce)) = (&agent.phase, agent.nonce) else { return };
        if agent.blocked.is_some() || (self.live.greeted.contains(name) && self.next_turn(name).is_none()) {
            return;
        }
        self.live.seeking.insert(name.clone());
        self.ask(Effect::Seek { agent: name.clone(), nonce });
    }

    /// The agent may be typed to now: give it what is next, if there still is something.
    pub(super) fn ready(&mut self, name: &AgentName, nonce: Nonce, fresh: Token) {
        self.live.seeking.remove(name);
        self.live.greeted.insert(name.clone());
        self.live.guards.remove(name);
        self.touch(name);
        if self.state.halted.is_some() || self.state.tokens.contains_key(&fresh) {
            return; // a token that is in use already: the offer is made again
        }
        if let Some((id, kind)) = self.next_turn(name) {
            self.intend(name, nonce, &id, kind, fresh);
        }
    }

    /// A guard is closed; the pane's worker goes on looking.
    pub(super) fn not_ready(&mut self, name: &AgentName, guard: Guard) {
        if self.live.guards.insert(name.clone(), guard) != Some(guard) {
            self.touch(name);
        }
    }

    /// What the agent is to be given next.
    fn next_turn(&self, name: &AgentName) -> Option<(MessageId, TurnKind)> {
        let agent = self.state.agents.get(name)?;
        if let Some(id) = &agent.current {
            let open = self.state.open.get(id)?;
            let answers = matches!(open.stage, Stage::Waiting(_)) && !open.unread.is_empty();
            return answers.then(|| (id.clone(), TurnKind::Answers));
        }
        let pools =
            self.team.pools.iter().filter(|(_, members)| members.contains(name)).map(|(pool, _)| pool);
        let key = pools.chain([name]).filter_map(|queue| self.head(queue)).min()?;
        let open = self.state.open.get(&key.id)?;
        let kind = match open.message.kind {
            Kind::Task => TurnKind::Task,
            _ => TurnKind::Info,
        };
        Some((key.id.clone(), kind))
    }

    /// The first message of a queue whose time has come.
    fn head(&self, queue: &AgentName) -> Option<&QueueKey> {
        let due = |key: &&QueueKey| match self.state.open.get(&key.id).map(|open| open.stage) {
            Some(Stage::Queued { not_before, .. }) => not_before <= self.now,
            _ => false,
        };
        self.state.queues.get(queue)?.iter().find(due)
    }

    fn intend(&mut self, name: &AgentName, nonce: Nonce, id: &MessageId, kind: TurnKind, fresh: Token) {
        let Some(open) = self.state.open.get(id) else { return };
        let from = open.message.from.clone();
        let has_token = self.team.members.get(name).is_some_and(|member| member.token);
        let turn = match open.stage {
            Stage::Queued { redo: Some(turn), .. } => turn,
            _ => Turn {
                number: open.turns.saturating_add(1),
                kind,
                token: (has_token && kind != TurnKind::Info).then_some(fresh),
                redelivered: false,
            },
        };
        self.emit(Event::Moved {
            id: id.clone(),
            to: Move::Intend(turn),
            agent: Some(name.clone()),
            due: None,
            why: Why::Plain,
        });
        self.ask(Effect::Ring { agent: name.clone(), nonce, id: id.clone(), from, turn });
    }

    /// What became of a doorbell.
    pub(super) fn rung(&mut self, id: &MessageId, number: u16, verdict: Verdict) {
        let Some((stage, turn)) = self.turn_of(id, number) else { return };
        if !matches!(stage, Stage::Intent(_) | Stage::InDoubt(_)) {
            return; // it was claimed or called off meanwhile
        }
        let in_doubt = matches!(stage, Stage::InDoubt(_));
        match verdict {
            Verdict::Delivered(receipt) => self.delivered(id, receipt),
            Verdict::Unconfirmed { why } => {
                if !in_doubt {
                    self.go(id, Move::Doubt, Why::Text(why.clone()));
                }
                self.doubt(id, &why);
            }
            Verdict::NotDelivered { why } if in_doubt => self.doubt(id, &why),
            Verdict::NotDelivered { why } => self.retry(id, &why, turn.redelivered),
            Verdict::Withdrawn { why } => self.go(id, Move::Withdraw, Why::Text(why)),
        }
    }

    fn delivered(&mut self, id: &MessageId, receipt: Receipt) {
        let Some(open) = self.state.open.get(id) else { return };
        if open.message.kind != Kind::Task {
            self.go(id, Move::Submit, Why::Receipt(receipt));
            return self.complete_info(id);
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
    pub(super) fn taken(&mut self, id: &MessageId, number: u16) {
        if let Some((Stage::Submitted(_), _)) = self.turn_of(id, number) {
            self.go(id, Move::Take, Why::Receipt(Receipt::Read));
        }
    }

    /// When the present turn of a message is overdue if it begins now.
    pub(super) fn due_of(&self, id: &MessageId) -> Option<Millis> {
        self.state.open.get(id).map(|open| self.now.plus(self.patience(open)))
    }

    /// Working time that a turn of this message may take, in ms.
    fn patience(&self, open: &Open) -> u64 {
        let member = open.agent.as_ref().and_then(|name| self.team.members.get(name));
        let own = member.map_or(super::patience::TURN_TIMEOUT_MS, |member| member.timeout_ms);
        open.message.timeout_ms.unwrap_or(own)
    }

    /// Nobody can tell whether the turn was delivered: hold it or send it again, as the message wants.
    pub(super) fn doubt(&mut self, id: &MessageId, why: &str) {
        let Some(open) = self.state.open.get(id) else { return };
        match open.message.on_doubt {
            OnDoubt::Hold => {
                let why = format!("{why}; on_doubt is hold: `tasuki retry {id}` or `tasuki cancel {id}`");
                self.go(id, Move::Hold, Why::Text(why));
            }
            OnDoubt::Resend => self.retry(id, why, true),
        }
    }

    /// Puts a turn back for another try, or gives up.
    pub(super) fn retry(&mut self, id: &MessageId, why: &str, redelivered: bool) {
        let Some(open) = self.state.open.get(id) else { return };
        let tries = open.attempts;
        if tries >= self.team.limits.attempts_max {
            return self.fail(id, &format!("given up after {tries} tries; the last time: {why}"));
        }
        let delays = &self.team.limits.retry_delays_ms;
        let delay = delays.get(usize::from(tries.saturating_sub(1))).or(delays.last()).copied().unwrap_or(0);
        let not_before = if delay == 0 { Millis(0) } else { self.now.plus(delay) };
        let to = Move::Retry { not_before, redelivered };
        self.emit(Event::Moved {
            id: id.clone(),
            to,
            agent: None,
            due: None,
            why: Why::Text(why.to_owned()),
        });
    }
}
