//! The indexes that follow from the open messages. Every change takes a message out of all of them and puts it back,
//! so none can say something else than the messages do.

use super::life::{Category, Illegal, Stage};
use super::message::Message;
use super::state::{Open, Phase, State, Tally, Timer};
use super::words::{AgentName, MessageId, Millis};
use std::collections::{BTreeMap, BTreeSet};

impl State {
    /// Takes an open message out of every index, changes it, and puts it back. One that is not open is left alone: a
    /// damaged line of the journal may have taken its beginning away.
    pub(super) fn change(
        &mut self,
        id: &MessageId,
        f: impl FnOnce(&mut Open) -> Result<(), Illegal>,
    ) -> Result<(), Illegal> {
        let Some(mut open) = self.remove(id) else { return Ok(()) };
        let done = f(&mut open);
        self.insert(open);
        done
    }

    /// Puts a message into every index.
    pub(super) fn insert(&mut self, open: Box<Open>) {
        let id = open.message.id.clone();
        if let Some(not_before) = open.waits() {
            self.queues.entry(open.queue().clone()).or_default().insert(not_before, open.key());
        }
        for at in open.timers() {
            self.timers.insert((at, Timer::Message(id.clone())));
        }
        if let Some(at) = open.message.deadline {
            self.deadlines.insert((at, Timer::Message(id.clone())));
        }
        for token in &open.tokens {
            self.tokens.insert(*token, id.clone());
        }
        for dependency in &open.unmet {
            put(&mut self.dependants, dependency, &id);
        }
        if let Some(agent) = &open.agent {
            put(&mut self.given, agent, &id);
        }
        if let Some(whole) = open.message.part_of() {
            put(&mut self.parts, whole, &id);
        }
        if open.stage.category() == Category::Closing {
            self.claimed.insert(id.clone());
        }
        if let Some(count) = self.tally.of(open.stage) {
            *count += 1;
        }
        self.open.insert(id, open);
    }

    /// Takes a message out of every index.
    pub(super) fn remove(&mut self, id: &MessageId) -> Option<Box<Open>> {
        let open = self.open.remove(id)?;
        if let Some(not_before) = open.waits() {
            self.unqueue(&open, not_before);
        }
        for at in open.timers() {
            self.timers.remove(&(at, Timer::Message(id.clone())));
        }
        if let Some(at) = open.message.deadline {
            self.deadlines.remove(&(at, Timer::Message(id.clone())));
        }
        for token in &open.tokens {
            self.tokens.remove(token);
        }
        for dependency in &open.unmet {
            take(&mut self.dependants, dependency, id);
        }
        if let Some(agent) = &open.agent {
            take(&mut self.given, agent, id);
        }
        if let Some(whole) = open.message.part_of() {
            take(&mut self.parts, whole, id);
        }
        if open.stage.category() == Category::Closing {
            self.claimed.remove(id);
        }
        if let Some(count) = self.tally.of(open.stage) {
            *count = count.saturating_sub(1);
        }
        Some(open)
    }

    /// A message was completed: those that waited for it wait for one less.
    pub(super) fn release_dependants(&mut self, id: &MessageId) {
        for dependant in self.dependants.remove(id).unwrap_or_default() {
            let Some(open) = self.open.get_mut(&dependant) else { continue };
            open.unmet.retain(|other| other != id);
            if let Some(not_before) = open.waits() {
                self.queues.entry(open.queue().clone()).or_default().insert(not_before, open.key());
            }
        }
    }

    /// An agent is looked at when its restart is due, and when a need of it ends.
    pub(super) fn set_agent_timer(&mut self, name: &AgentName) {
        for at in self.agent_timers(name).into_iter().flatten() {
            self.timers.insert((at, Timer::Agent(name.clone())));
        }
    }

    /// Takes back [`State::set_agent_timer`].
    pub(super) fn clear_agent_timer(&mut self, name: &AgentName) {
        for at in self.agent_timers(name).into_iter().flatten() {
            self.timers.remove(&(at, Timer::Agent(name.clone())));
        }
    }

    /// When an agent is started again, and when it needs nothing any more.
    fn agent_timers(&self, name: &AgentName) -> [Option<Millis>; 2] {
        let Some(agent) = self.agents.get(name) else { return [None; 2] };
        let restart = if let Phase::Restarting { restart_at: at } = agent.phase { Some(at) } else { None };
        [restart, agent.need().and_then(|need| need.until)]
    }

    fn unqueue(&mut self, open: &Open, not_before: Millis) {
        if let Some(queue) = self.queues.get_mut(open.queue()) {
            queue.remove(not_before, open.key());
            if queue.is_empty() {
                self.queues.remove(open.queue());
            }
        }
    }

    /// A hundred thousand messages are between the same few: they share their names' memory.
    pub(super) fn share_names(&self, message: &mut Message) {
        for name in [&mut message.from, &mut message.to] {
            if name.is_user() {
                *name = AgentName::user();
            } else if let Some((known, _)) = self.agents.get_key_value(name) {
                *name = known.clone();
            } else if let Some((known, _)) = self.queues.get_key_value(name) {
                *name = known.clone();
            }
        }
    }
}

impl Tally {
    /// What counts messages of a stage.
    fn of(&mut self, stage: Stage) -> Option<&mut usize> {
        match stage.category() {
            Category::Queued => Some(&mut self.pending),
            Category::Held => Some(&mut self.held),
            Category::UnderWay | Category::Waiting | Category::Closing | Category::Ended => None,
        }
    }
}

fn put<K: Ord + Clone>(index: &mut BTreeMap<K, BTreeSet<MessageId>>, under: &K, id: &MessageId) {
    index.entry(under.clone()).or_default().insert(id.clone());
}

fn take<K: Ord>(index: &mut BTreeMap<K, BTreeSet<MessageId>>, under: &K, id: &MessageId) {
    if let Some(ids) = index.get_mut(under) {
        ids.remove(id);
        if ids.is_empty() {
            index.remove(under);
        }
    }
}
